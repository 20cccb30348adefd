"""Start-up times, as whole processes, beside the floor of each: medians of interleaved runs.

python benchmarks/startup.py
"""

import statistics
import subprocess
import sys
import time

RUNS = 7
PEER = "import sympy (peer)"
COMMANDS = {
    "python -c pass (floor)": ["-c", "pass"],
    PEER: ["-c", "import sympy"],
    "import theory": ["-c", "import theory"],
    "from theory import *": ["-c", "from theory import *"],
    "moelaws --help": ["-m", "moelaws", "--help"],
    "moelaws claims list": ["-m", "moelaws", "claims", "list", "mayaki2026"],
    "moelaws claims show": ["-m", "moelaws", "claims", "show", "mayaki2026/table4/mid-scale"],
    "moelaws derive": ["-m", "moelaws", "derive"],
    "moelaws bound --vacuity": ["-m", "moelaws", "bound", "--vacuity"],
}
GOALS = {"import theory": 1.0, "from theory import *": 1.75, "moelaws --help": 1.25}
"""As multiples of the import of sympy, so that they hold on any machine."""


def seconds(arguments: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(RUNS + 1):
        for name, arguments in COMMANDS.items():
            times[name].append(seconds(arguments))
    peer = statistics.median(times[PEER][1:])
    print(f"{'start-up':<26}{'median s':>10}{'min s':>8}{'max s':>8}{'/ sympy':>9}  goal")
    for name, found in times.items():
        kept = found[1:]  # the first round fills the file cache
        ratio = statistics.median(kept) / peer
        goal = f"{GOALS[name]} sympy: {'met' if ratio <= GOALS[name] else 'MISSED'}" if name in GOALS else ""
        print(
            f"{name:<26}{statistics.median(kept):>10.3f}{min(kept):>8.3f}{max(kept):>8.3f}{ratio:>9.2f}  {goal}"
        )


if __name__ == "__main__":
    main()
