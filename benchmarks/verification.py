"""How long ``moelaws verify`` takes cold and warm, on one and on all cores, where the time goes, and ``recheck``.

python benchmarks/verification.py           # minutes
python benchmarks/verification.py --parts   # of a warm run, seconds on the processor by part
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PARTS = """
import json, time
started = time.process_time()
def part(name):
    global started
    now = time.process_time()
    print(json.dumps([name, now - started]))
    started = now
import sympy
part("import sympy (peer)")
import verify.reports, verify.reports.terminal
from verify.checks.base import Budget
from verify.judging.cache import Cache
from verify.judging.fingerprint import check_key
from verify.judging.papers import select
from verify.judging.runner import run_claims
from verify.reports.record import report_record, to_json
part("other imports")
papers, claims = select([])
part("load the claims")
for claim in claims:
    if claim.check:
        check_key(claim.check, Budget())
        break
part("read the sources once")
run = run_claims(papers, claims, cache=Cache())
part("keys and evidence")
record = report_record(run)
part("make the record")
text = to_json(record)
part("write it")
record = json.loads(text)
for name, render in (("html", verify.reports.to_html), ("markdown", verify.reports.to_markdown), ("junit", verify.reports.to_junit)):
    render(record)
    part(f"render {name}")
print(json.dumps(["claims", len(claims)]))
"""


def run(folder: Path, *arguments: str) -> str:
    environment = {**os.environ, "MOELAWS_CACHE": str(folder / "cache")}
    return subprocess.run(
        [sys.executable, *arguments],
        check=True,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout


def verify(folder: Path, *options: str) -> float:
    start = time.perf_counter()
    run(folder, "-m", "moelaws", "verify", "--report", str(folder / "report"), *options)
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


def print_parts(folder: Path) -> None:
    found = dict(json.loads(line) for line in run(folder, "-c", PARTS).splitlines())
    claims, peer = found.pop("claims"), found["import sympy (peer)"]
    print(f"\n{'warm run by part':<26}{'seconds':>9}{'/ sympy':>9}{'ms a claim':>12}   ({claims} claims)")
    for name, seconds in [*found.items(), ("all", sum(found.values()))]:
        print(f"{name:<26}{seconds:>9.2f}{seconds / peer:>9.1f}{1000 * seconds / claims:>12.2f}")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "--parts" in sys.argv:
            verify(folder)
            print_parts(folder)
            return
        peer = sorted(_seconds(folder, "-c", "import sympy") for _ in range(5))[2]
        one_core = verify(folder, "--no-cache", "--jobs", "1")
        slowest = json.loads((folder / "report" / "run.json").read_text())["seconds"]
        cold = verify(folder)
        warm = sorted(verify(folder) for _ in range(5))[2]
        again = sorted(recheck(folder) for _ in range(5))[2]
        print(f"{'moelaws verify':<26}{'seconds':>9}{'/ one core':>12}{'/ sympy':>9}  goal")
        rows = (
            ("no cache, one core", one_core, None),
            ("cold cache, all cores", cold, 300),
            ("warm cache (median of 5)", warm, 4),
            ("recheck (median of 5)", again, 10),
        )
        for words, seconds, goal in rows:
            said = f"{goal} s at most: {'met' if seconds <= goal else 'MISSED'}" if goal else ""
            print(f"{words:<26}{seconds:>9.2f}{seconds / one_core:>12.2f}{seconds / peer:>9.1f}  {said}")
        print_parts(folder)
    print("\nslowest claims, seconds on one core")
    for claim, seconds in sorted(slowest.items(), key=lambda item: -item[1])[:8]:
        print(f"{seconds:>9.2f}  {claim}")


def _seconds(folder: Path, *arguments: str) -> float:
    start = time.perf_counter()
    run(folder, *arguments)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
