"""How long the theory takes: one derivation, one test of a pair of bounds, one certificate, and all its claims cold.

Printed as ratios to the floor of one import of sympy in a process of its own. The claims are timed on all cores, as
``moelaws verify`` runs them, and on one; two tables of arXiv 2604.09175 together, on one.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import sympy as sp

from theory import M, N, beta, consistency, d, derive, k, minimise, n
from verify.judging.papers import select
from verify.judging.runner import available_cores, run_claims

TABLES = ["mayaki2026/table1", "mayaki2026/table2"]


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
    goals: dict[str, float] = {}
    cores = available_cores()
    for targets, jobs, goal in ((["theory"], cores, 60.0), (["theory"], 1, None), (TABLES, 1, 5.0)):
        papers, claims = select(targets)
        name = f"all {len(claims)} claims of {' and '.join(targets)}, cold, {jobs} core{'s' * (jobs > 1)}"
        start = time.perf_counter()
        run_claims(papers, claims, jobs=jobs)
        figures[name] = time.perf_counter() - start
        if goal is not None:
            goals[name] = goal
    print(f"floor: import sympy {floor:.2f} s")
    for name, seconds in figures.items():
        goal = goals.get(name)
        met = "" if goal is None else f"; under {goal:g} s: {'met' if seconds < goal else 'MISSED'}"
        print(f"{name}: {seconds:.3f} s, {seconds / floor:.2f} of the floor{met}")


if __name__ == "__main__":
    main()
