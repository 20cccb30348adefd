"""What the benchmarks of models share: interleaved timings, paired ratios, peak memory, this machine's matmul rate.

Importing this asks torch's CPU allocator for huge pages (``THP_MEM_ALLOC_ENABLE``, read at its first allocation): without
them Linux spends up to half of the time of a large mixture on page faults, for every method alike.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")

Times = dict[str, list[float]]
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}


def arguments(description: str | None) -> argparse.Namespace:
    """The options that the scripts share; ``--memory`` is how they call themselves."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--threads", type=int, default=1, help="threads of torch (default: 1)")
    parser.add_argument("--rounds", type=int, default=5, help="timed rounds (default: 5)")
    parser.add_argument(
        "--clock", choices=CLOCKS, default="wall", help="cpu: for one thread on a machine that others use too"
    )
    parser.add_argument("--memory", nargs="+", help=argparse.SUPPRESS)
    given = parser.parse_args()

    import torch

    torch.set_num_threads(given.threads)
    return given


def interleaved(methods: Mapping[str, Callable[[], object]], options: argparse.Namespace) -> Times:
    """Seconds of each method, round by round, each method once a round; the first round is thrown away."""
    clock = CLOCKS[options.clock]
    times: Times = {name: [] for name in methods}
    for _ in range(options.rounds + 1):
        for name, method in methods.items():
            start = clock()
            method()
            times[name].append(clock() - start)
    return {name: taken[1:] for name, taken in times.items()}


def milliseconds(times: Times, name: str) -> float:
    """Median time of a method."""
    return 1000 * statistics.median(times[name])


def ratio(times: Times, name: str, floor: str) -> float:
    """Median over rounds of a method's time over the floor's in the same round."""
    return statistics.median(a / b for a, b in zip(times[name], times[floor], strict=True))


def peak_mib(script: str, options: argparse.Namespace, *what: object) -> float:
    """MiB that a method needs beyond what Python and torch need, measured in a process of its own."""
    command = [sys.executable, script, "--threads", str(options.threads), "--memory", *map(str, what)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return float(done.stdout)


def report_peak(build: Callable[[], Callable[[], object]]) -> None:
    """In the process of `peak_mib`: build a method, run it twice, print its peak."""
    before = _peak_kib()
    method = build()
    method()
    method()
    print((_peak_kib() - before) / 1024)


def _peak_kib() -> float:
    """Largest resident memory so far; on Linux not by getrusage, which starts at what the parent process had."""
    status = Path("/proc/self/status")
    if status.exists():
        return float(re.search(r"VmHWM:\s*(\d+) kB", status.read_text())[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform == "darwin" else 1)


MATMUL = (2048, 512, 512)


def matmul() -> Callable[[], object]:
    """One product as large as those of a model of width 512, repeated to be long enough to time."""
    import torch

    rows, inner, columns = MATMUL
    a, b, out = torch.randn(rows, inner), torch.randn(inner, columns), torch.empty(rows, columns)

    def repeat() -> None:
        for _ in range(20):
            torch.mm(a, b, out=out)

    return repeat


def matmul_flops() -> float:
    """FLOPs of one call of what `matmul` returns."""
    rows, inner, columns = MATMUL
    return 20 * 2.0 * rows * inner * columns
