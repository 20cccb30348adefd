"""How well M experts approximate a target of known smoothness, without noise: the theory's alpha_N.

Errors are squared, as the theory's are. The fit is by least squares on the whole population; its largest error
is at most a constant (the Lebesgue constant of a fixed degree) above the best one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from empirics.constructive.cell_gate import CellGate
from empirics.constructive.constructive_moe import ConstructiveMoE
from empirics.experiments.experiment import Description, Experiment
from empirics.experiments.known_truth.describe import description
from empirics.experiments.known_truth.worlds import World, cells_per_axis
from theory.errors import MoelawsError


@dataclass(frozen=True)
class MeanSquaredError(Experiment):
    """Mean squared error of M experts in disjoint cells, polynomials of fixed degree; M = m^d."""

    quantity: ClassVar[str] = "squared L2 approximation error"
    size: ClassVar[str] = "number of experts M"

    world: World
    degree: int

    def measure(self, size: int, seed: int) -> float:
        return _errors(self.world, cells_per_axis(size, self.world.d), self.degree, seed)[0]

    def describe(self, size: int) -> Description:
        return _of_cells(self.world, size, self.degree)


@dataclass(frozen=True)
class LargestSquaredError(Experiment):
    """Largest squared error of M experts in disjoint cells."""

    quantity: ClassVar[str] = "squared sup-norm approximation error"
    size: ClassVar[str] = "number of experts M"

    world: World
    degree: int

    def measure(self, size: int, seed: int) -> float:
        return _errors(self.world, cells_per_axis(size, self.world.d), self.degree, seed)[1]

    def describe(self, size: int) -> Description:
        return _of_cells(self.world, size, self.degree)


@dataclass(frozen=True)
class LargestSquaredErrorOverLog(Experiment):
    """Largest squared error over log M.

    The errors of M cells of a Gaussian field are M normal variables of one size, nearly independent, whose largest
    square is of order 2 log M times their variance: Levy's modulus, a factor that the rate leaves out.
    """

    quantity: ClassVar[str] = "squared sup-norm approximation error / log M"
    size: ClassVar[str] = "number of experts M"

    world: World
    degree: int

    def measure(self, size: int, seed: int) -> float:
        error = _errors(self.world, cells_per_axis(size, self.world.d), self.degree, seed)[1]
        return error / math.log(size)

    def describe(self, size: int) -> Description:
        return _of_cells(self.world, size, self.degree)


@dataclass(frozen=True)
class ErrorByCapacity(Experiment):
    """Mean squared error by the capacity of an expert, at a fixed number of experts.

    One expert is active, a polynomial with P = binomial(d + degree, d) coefficients: P active parameters.
    """

    quantity: ClassVar[str] = "squared L2 approximation error"
    size: ClassVar[str] = "active parameters"

    world: World
    per_axis: int

    def measure(self, size: int, seed: int) -> float:
        return _errors(self.world, self.per_axis, degree_of(size, self.world.d), seed)[0]

    def describe(self, size: int) -> Description:
        experts = self.per_axis**self.world.d
        return description(
            self.world, experts=experts, active_parameters=size, total_parameters=experts * size
        )


@dataclass(frozen=True)
class ErrorOnTheDiagonal(Experiment):
    """Mean squared error where active parameters and number of experts grow together (dimension 1)."""

    quantity: ClassVar[str] = "squared L2 approximation error"
    size: ClassVar[str] = "number of experts M = active parameters"

    world: World

    def measure(self, size: int, seed: int) -> float:
        if self.world.d != 1:
            raise MoelawsError(
                f"ErrorOnTheDiagonal(world={self.world}): expected dimension 1, where every P is a degree"
            )
        return _errors(self.world, size, size - 1, seed)[0]

    def describe(self, size: int) -> Description:
        return description(self.world, experts=size, active_parameters=size, total_parameters=size**2)


@dataclass(frozen=True)
class ErrorByOverlap(Experiment):
    """Mean squared error of M constant experts by the number K = order^d of them that overlap at each point.

    The gate is a partition of unity of B-splines of that order. If M/K governed, the error would grow as K^(2 beta/d).
    """

    quantity: ClassVar[str] = "squared L2 approximation error"
    size: ClassVar[str] = "active experts K at fixed M"

    world: World
    per_axis: int

    def measure(self, size: int, seed: int) -> float:
        problem = self.world.problem(seed)
        gate = CellGate(self.world.d, self.per_axis, order=cells_per_axis(size, self.world.d))
        return problem.squared_error(ConstructiveMoE(gate).fit(problem.x, problem.values).predict(problem.x))

    def describe(self, size: int) -> Description:
        experts = self.per_axis**self.world.d
        return description(
            self.world, experts=experts, active=size, active_parameters=size, total_parameters=experts
        )


def degree_of(coefficients: int, d: int) -> int:
    """The total degree with this many coefficients; ValueError where none has."""
    degree = 0
    while math.comb(d + degree, d) < coefficients:
        degree += 1
    if math.comb(d + degree, d) != coefficients:
        raise MoelawsError(
            f"size={coefficients}: no total degree has that many coefficients in dimension {d}"
        )
    return degree


def _of_cells(world: World, experts: int, degree: int) -> Description:
    """The description of experts in disjoint cells, polynomials of one degree."""
    each = math.comb(world.d + degree, degree)
    return description(world, experts=experts, active_parameters=each, total_parameters=experts * each)


def _errors(world: World, per_axis: int, degree: int, seed: int) -> tuple[float, float]:
    """(mean, largest) squared error of the least-squares fit to the population."""
    if per_axis > world.finest:
        raise MoelawsError(
            f"{per_axis} cells for each axis need a population finer than {world.points} points a side"
        )
    problem = world.problem(seed)
    fitted = ConstructiveMoE(CellGate(world.d, per_axis), degree).fit(problem.x, problem.values)
    square = (fitted.predict(problem.x) - problem.values) ** 2
    return float(np.mean(square)), float(np.max(square))
