"""Start-up times, as whole processes, beside the floor of each: medians of interleaved runs.

python benchmarks/startup.py
"""

import statistics
import subprocess
import sys
import time

RUNS = 7
COMMANDS = {
    "python -c pass (floor)": ["-c", "pass"],
    "import sympy (peer)": ["-c", "import sympy"],
    "import theory": ["-c", "import theory"],
    "from theory import *": ["-c", "from theory import *"],
    "moelaws --help": ["-m", "moelaws", "--help"],
}
GOALS = {"import theory": 1.0, "moelaws --help": 0.5}


def seconds(arguments: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(RUNS + 1):
        for name, arguments in COMMANDS.items():
            times[name].append(seconds(arguments))
    peer = statistics.median(times["import sympy (peer)"][1:])
    print(f"{'start-up':<26}{'median s':>10}{'min s':>8}{'max s':>8}{'/ sympy':>9}  goal")
    for name, found in times.items():
        kept = found[1:]  # the first round fills the file cache
        median = statistics.median(kept)
        goal = (
            f"under {GOALS[name]} s: {'met' if median < GOALS[name] else 'MISSED'}" if name in GOALS else ""
        )
        print(f"{name:<26}{median:>10.3f}{min(kept):>8.3f}{max(kept):>8.3f}{median / peer:>9.2f}  {goal}")


if __name__ == "__main__":
    main()
