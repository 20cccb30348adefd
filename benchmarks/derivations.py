"""How long the theory takes: one derivation, one test of a pair of bounds, one certificate, and all its claims cold.

Printed as ratios to the floor of one import of sympy in a process of its own.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import sympy as sp

from theory import M, N, beta, consistency, d, derive, k, minimise, n
from verify.runner import run_claims
from verify.statements import theory_paper


def median_seconds(work: Callable[[], object], repeats: int = 9) -> float:
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def main() -> None:
    floor = median_seconds(lambda: subprocess.run([sys.executable, "-c", "import sympy"], check=True), 3)
    b = beta / d
    pair = (sp.Min(k**-b, M**-b), k + k * sp.log(sp.E * M / k))
    optimum = minimise(N ** (-2 * b) + N / n, N, given=n)
    figures = {
        "derivation (alpha_D)": median_seconds(lambda: minimise(N ** (-2 * b) + N / n, N, given=n)),
        "derivation (alpha_C, entropy repaired, M free)": median_seconds(
            lambda: derive("alpha_C", "total-compute")
        ),
        "pair of bounds": median_seconds(lambda: consistency(*pair, over=(k, M))),
        "certificate check": median_seconds(optimum.check),
    }
    paper = theory_paper()
    start = time.perf_counter()
    run = run_claims([paper], list(paper.claims.values()))
    figures[f"all {len(run.judgements)} claims of the theory, cold, one core"] = time.perf_counter() - start
    print(f"floor: import sympy {floor:.2f} s")
    for name, seconds in figures.items():
        print(f"{name}: {seconds:.3f} s, {seconds / floor:.2f} of the floor")


if __name__ == "__main__":
    main()
