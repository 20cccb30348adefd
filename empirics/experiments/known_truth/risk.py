"""The risk of a constructive MoE fitted to noisy data: the theory's alpha_D, its floor, and its estimation term.

Risk is the squared L2 distance to the truth, an exact mean over the population. Outputs are clipped at the sup
norm of the truth, as the class of the theory's bounds is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from empirics.base.randomness import named_generator
from empirics.constructive.axis_experts import AxisMoE
from empirics.constructive.cell_gate import CellGate
from empirics.constructive.constructive_moe import ConstructiveMoE
from empirics.experiments.experiment import Description, Experiment
from empirics.experiments.known_truth.describe import description
from empirics.experiments.known_truth.worlds import World, ladder
from empirics.worlds.targets import Population
from theory.errors import MoelawsError

Floats = npt.NDArray[np.float64]

SAMPLES_PER_COEFFICIENT = 3
"""Candidates with fewer samples than this for each coefficient are left out: their risk is all noise."""
MOST_BINS = 256
"""Bins of one coordinate that are tried at most; the dense system has d times as many unknowns."""


@dataclass(frozen=True)
class TunedRisk(Experiment):
    """Risk with the number of experts tuned at each n.

    ``tuning`` is "oracle" (the candidate of least risk, which no data can know) or "validation" (fitted to three
    quarters of the sample, chosen on the rest). Candidates are cells for each axis, about a factor 1.19 apart.
    """

    quantity: ClassVar[str] = "squared L2 risk, number of experts tuned"
    size: ClassVar[str] = "samples n"

    world: World
    degree: int
    noise: float
    tuning: str = "oracle"

    def __post_init__(self) -> None:
        if self.tuning not in ("oracle", "validation"):
            raise MoelawsError(f"TunedRisk(tuning={self.tuning!r}): expected 'oracle' or 'validation'")

    def measure(self, size: int, seed: int) -> float:
        problem = self.world.problem(seed)
        x, y = sample_of(problem, size, self.noise, "tuned risk", seed)
        fitted_on = size if self.tuning == "oracle" else 3 * size // 4
        found = []
        for model in candidates(self.world, self.degree, fitted_on, problem.truth.sup_norm):
            fitted = model.fit(x[:fitted_on], y[:fitted_on])
            risk = problem.squared_error(fitted.predict(problem.x))
            held_out = y[fitted_on:] - fitted.predict(x[fitted_on:])
            score = risk if self.tuning == "oracle" else float(np.mean(held_out**2))
            found.append((score, risk))
        return min(found)[1]

    def describe(self, size: int) -> Description:
        each = math.comb(self.world.d + self.degree, self.degree)
        return description(self.world, noise=self.noise, active_parameters=each, samples=size)


@dataclass(frozen=True)
class RiskAtFixedSize(Experiment):
    """Risk with the same number of experts at every n; ``above_floor`` takes off the class's own error."""

    quantity: ClassVar[str] = "squared L2 risk at a fixed number of experts"
    size: ClassVar[str] = "samples n"

    world: World
    degree: int
    noise: float
    per_axis: int
    above_floor: bool = False

    def measure(self, size: int, seed: int) -> float:
        problem = self.world.problem(seed)
        model = ConstructiveMoE(CellGate(self.world.d, self.per_axis), self.degree)
        x, y = sample_of(problem, size, self.noise, "fixed size", seed)
        risk = problem.squared_error(model.fit(x, y).predict(problem.x))
        if not self.above_floor:
            return risk
        best = model.fit(problem.x, problem.values)
        return risk - problem.squared_error(best.predict(problem.x))

    def describe(self, size: int) -> Description:
        experts, each = self.per_axis**self.world.d, math.comb(self.world.d + self.degree, self.degree)
        return description(
            self.world,
            noise=self.noise,
            experts=experts,
            active_parameters=each,
            total_parameters=experts * each,
            samples=size,
        )


@dataclass(frozen=True)
class ExcessRisk(Experiment):
    """Excess risk of top-1 routing over M known cells where the truth is one of the class's own members.

    Its expectation is noise^2 E[mean over cells of 1/N_j], close to noise^2 M/n, while one expert is active
    whatever M is. ``samples`` is n. Empty cells count with their whole error (truth levels are standard normal).
    """

    quantity: ClassVar[str] = "excess risk, one active expert"
    size: ClassVar[str] = "number of experts M"

    samples: int
    noise: float
    repeats: int = 8

    def measure(self, size: int, seed: int) -> float:
        gate = CellGate(1, size)
        total = 0.0
        for repeat in range(self.repeats):
            rng = named_generator("excess risk", seed, size, repeat)
            levels = rng.standard_normal(size)
            x = rng.random((self.samples, 1))
            y = levels[gate.hard(x)[0]] + self.noise * rng.standard_normal(self.samples)
            total += float(np.mean((ConstructiveMoE(gate).fit(x, y).coefficients[:, 0] - levels) ** 2))
        return total / self.repeats

    def describe(self, size: int) -> Description:
        return description(
            None,
            noise=self.noise,
            experts=size,
            active_parameters=1,
            total_parameters=size,
            samples=self.samples,
        )


@dataclass(frozen=True)
class RiskOfEitherGate(Experiment):
    """Risk of the better of two families, number of experts tuned by an oracle: cells of the torus (one constant
    expert active), or bins of single coordinates (d constant experts active, one for each coordinate)."""

    quantity: ClassVar[str] = "squared L2 risk, gate and number of experts tuned"
    size: ClassVar[str] = "samples n"

    world: World
    noise: float

    def measure(self, size: int, seed: int) -> float:
        problem = self.world.problem(seed)
        clip = problem.truth.sup_norm
        x, y = sample_of(problem, size, self.noise, "either gate", seed)
        risks = [
            problem.squared_error(model.fit(x, y).predict(problem.x))
            for model in candidates(self.world, 0, size, clip)
        ]
        bins = ladder(min(MOST_BINS, size // (SAMPLES_PER_COEFFICIENT * self.world.d)))
        risks += [
            problem.squared_error(AxisMoE(self.world.d, m, clip).fit(x, y).predict(problem.x)) for m in bins
        ]
        return min(risks)

    def describe(self, size: int) -> Description:
        return description(self.world, noise=self.noise, active=None, samples=size)


def sample_of(problem: Population, n: int, noise: float, name: str, seed: int) -> tuple[Floats, Floats]:
    """n noisy samples of a problem, from the stream of this name, seed and n."""
    return problem.sample(n, noise, named_generator(name, seed, n))


def candidates(world: World, degree: int, n: int, clip: float) -> list[ConstructiveMoE]:
    """The models that are tried at n samples: cells for each axis from 1 to what samples and population allow."""
    size = ConstructiveMoE(CellGate(world.d, 1), degree).coefficients_per_expert
    largest = int((n / (SAMPLES_PER_COEFFICIENT * size)) ** (1 / world.d) + 1e-9)
    return [ConstructiveMoE(CellGate(world.d, m), degree, clip) for m in ladder(min(largest, world.finest))]
