"""How long a fit, its bootstrap and its profiles take, and how often 95% profile intervals hold the truth.

python benchmarks/fitting.py [repeats of the coverage, default 1000]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from scipy.stats import binom

from empirics import FitObjective, Observations, bootstrap, fit, profile
from theory.laws.law import LAWS, Law

NOISE = 0.005
RANGES = {"parameters": (7.5, 10), "tokens": (9, 11.5), "unique": (9, 10.5), "expansion": (0, 1.8)}
DESIGNS = {
    "hoffmann2022": (60, ("u", "v", "floor")),
    "kaplan2020": (60, ("a", "b")),
    "muennighoff2023": (120, ("u", "v", "R_D")),
    "clark2022-sbase": (80, ("a",)),
}
"""Runs, and coefficients whose intervals are judged, for each law."""


def table(law: Law, rows: int, seed: int) -> Observations:
    """Losses of a law with log-normal noise at random inputs that are the same for every seed."""
    design = np.random.default_rng(12)
    inputs = {q.name: 10 ** design.uniform(*RANGES[_range(q.name)], rows) for q in law.inputs}
    noise = np.exp(NOISE * np.random.default_rng(seed).standard_normal(rows))
    return Observations(type(law), inputs, np.asarray(law.loss(**inputs)) * noise)


def _range(name: str) -> str:
    return "parameters" if "parameters" in name else name


@contextmanager
def timed(words: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    print(f"{words}: {time.perf_counter() - start:.3f} s")


def main(repeats: int) -> None:
    runs = table(LAWS["hoffmann2022"].law, 240, 0)
    fit(runs)  # derives the gradient once
    with timed("a fit of 240 runs from 32 starts"):
        found = fit(runs)
    with timed("4000 resampled tables"):
        bootstrap(found, 4000)
    with timed("a profile interval"):
        profile(found, "floor")
    low, high = binom.interval(0.99, repeats, 0.95) / np.array(repeats)
    print(
        f"coverage of 95% profile intervals in {repeats} tables; the binomial 99% band is {low:.3f} to {high:.3f}"
    )
    for name, (rows, coefficients) in DESIGNS.items():
        law = LAWS[name].law
        hits = dict.fromkeys(coefficients, 0)
        for seed in range(repeats):
            found = fit(table(law, rows, seed), objective=FitObjective.squared(), start=law, starts=1)
            for coefficient in coefficients:
                interval = profile(found, coefficient)
                hits[coefficient] += interval.low <= getattr(law, coefficient) <= interval.high
        print(f"  {name}: {', '.join(f'{c} {count / repeats:.3f}' for c, count in hits.items())}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
