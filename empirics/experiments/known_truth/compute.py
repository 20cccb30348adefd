"""Iso-compute sweeps: at each budget every number of experts gets the samples that the budget pays for.

Compute is counted in products of parameters and samples (a constant 6 FLOPs is left out), either on all parameters,
C = N_tot n, or on active ones, C = N_act n. One expert is active, so on active parameters M is free.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from empirics.experiments.experiment import Description, Experiment
from empirics.experiments.known_truth.describe import description
from empirics.experiments.known_truth.risk import SAMPLES_PER_COEFFICIENT, candidates, sample_of
from empirics.experiments.known_truth.worlds import World
from theory.errors import MoelawsError

COUNTED = ("total", "active")
MOST_SAMPLES = 2**18
"""Candidates that a budget gives more samples than this are left out: they are the smallest models, far from the best."""


@dataclass(frozen=True)
class _IsoCompute(Experiment):
    """Something read off the iso-compute curve of a budget; ``counted`` says which parameters the budget pays for."""

    size: ClassVar[str] = "compute [parameters x samples]"

    world: World
    degree: int
    noise: float
    counted: str = "total"

    def __post_init__(self) -> None:
        if self.counted not in COUNTED:
            raise MoelawsError(f"counted={self.counted!r}: expected one of {', '.join(COUNTED)}")

    def curve(self, size: int, seed: int) -> tuple[tuple[int, float], ...]:
        """(total parameters, risk) of every candidate."""
        return _sweep(self.world, self.degree, self.noise, self.counted, size, seed)

    def describe(self, size: int) -> Description:
        """Experts and samples are what is tuned, so neither is said."""
        each = math.comb(self.world.d + self.degree, self.degree)
        return description(self.world, noise=self.noise, active_parameters=each)


@dataclass(frozen=True)
class BestRiskAtCompute(_IsoCompute):
    """Risk at the best number of experts for each budget."""

    quantity: ClassVar[str] = "squared L2 risk at the best number of experts"

    def measure(self, size: int, seed: int) -> float:
        curve = self.curve(size, seed)
        return curve[_best(curve, size)][1]


@dataclass(frozen=True)
class BestSizeAtCompute(_IsoCompute):
    """Total parameters at the bottom of the iso-compute curve.

    The bottom is the vertex of a parabola in log size through the log risks within a factor 4 of the best
    candidate, as in approach 2 of Hoffmann et al. 2022: single candidates are too coarse and too noisy.
    """

    quantity: ClassVar[str] = "compute-optimal total parameters"

    def measure(self, size: int, seed: int) -> float:
        curve = self.curve(size, seed)
        best = _best(curve, size)
        parameters = np.log([float(p) for p, _ in curve])
        risks = np.log([risk for _, risk in curve])
        near = np.abs(parameters - parameters[best]) <= math.log(4) + 1e-9
        bend, tilt, _ = np.polyfit(parameters[near] - parameters[best], risks[near], 2)
        if bend <= 0:
            raise MoelawsError(f"{self}: the iso-compute curve at {size} has no bottom near its lowest point")
        return float(np.exp(parameters[best] - tilt / (2 * bend)))


def _best(curve: tuple[tuple[int, float], ...], compute: int) -> int:
    """Where the curve is lowest; ValueError at an end, since the bottom may then lie beyond it."""
    best = min(range(len(curve)), key=lambda i: curve[i][1], default=0)
    if not 0 < best < len(curve) - 1:
        raise MoelawsError(
            f"at compute {compute} the best of {len(curve)} sizes lies at an end of what can be tried; "
            "change the budgets, the noise or the population"
        )
    return best


@lru_cache(maxsize=4096)
def _sweep(
    world: World, degree: int, noise: float, counted: str, compute: int, seed: int
) -> tuple[tuple[int, float], ...]:
    """(total parameters, risk) of every candidate that the budget allows enough samples for.

    Kept, since risk and size are read off the same curve.
    """
    problem = world.problem(seed)
    found = []
    for model in candidates(world, degree, compute, problem.truth.sup_norm):
        parameters = model.total_parameters if counted == "total" else model.active_parameters
        n = compute // parameters
        if n > MOST_SAMPLES:
            continue
        if n < SAMPLES_PER_COEFFICIENT * model.total_parameters:
            break
        x, y = sample_of(problem, n, noise, f"iso-compute {model.total_parameters}", seed)
        found.append((model.total_parameters, problem.squared_error(model.fit(x, y).predict(problem.x))))
    return tuple(found)
