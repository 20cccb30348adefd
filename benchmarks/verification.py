"""How long ``moelaws verify`` takes cold and warm, on one and on all cores, where the time goes, and ``recheck``.

python benchmarks/verification.py
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def verify(folder: Path, *options: str) -> float:
    environment = {**os.environ, "MOELAWS_CACHE": str(folder / "cache")}
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "moelaws", "verify", "--report", str(folder / "report"), *options],
        check=True,
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
    )
    return time.perf_counter() - start


def recheck(folder: Path) -> float:
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "moelaws", "recheck", str(folder / "report")],
        check=True,
        cwd=folder,
        stdout=subprocess.DEVNULL,
    )
    return time.perf_counter() - start


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        one_core = verify(folder, "--no-cache", "--jobs", "1")
        slowest = json.loads((folder / "report" / "run.json").read_text())["seconds"]
        cold = verify(folder)
        warm = sorted(verify(folder) for _ in range(5))[2]
        again = sorted(recheck(folder) for _ in range(5))[2]
    print(f"{'moelaws verify':<26}{'seconds':>9}{'/ one core':>12}  goal")
    print(f"{'no cache, one core':<26}{one_core:>9.2f}{1:>12.2f}")
    print(
        f"{'cold cache, all cores':<26}{cold:>9.2f}{cold / one_core:>12.2f}  under 300 s: {'met' if cold < 300 else 'MISSED'}"
    )
    print(
        f"{'warm cache (median of 5)':<26}{warm:>9.2f}{warm / one_core:>12.2f}  under 5 s: {'met' if warm < 5 else 'MISSED'}"
    )
    print(
        f"{'recheck (median of 5)':<26}{again:>9.2f}{again / one_core:>12.2f}  under 10 s: {'met' if again < 10 else 'MISSED'}; "
        f"{again / warm:.2f} of a warm verify"
    )
    print("\nslowest claims, seconds on one core")
    for claim, seconds in sorted(slowest.items(), key=lambda item: -item[1])[:8]:
        print(f"{seconds:>9.2f}  {claim}")


if __name__ == "__main__":
    main()
