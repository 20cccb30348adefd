"""Where an experiment takes its problem from: a frozen description that a seed turns into data.

A problem is drawn once a process for each description and seed, since many experiments and sizes share it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache

from empirics.worlds.targets import (
    Population,
    additive_weierstrass_problem,
    matern_problem,
    tensor_weierstrass_problem,
)
from theory.errors import MoelawsError


@dataclass(frozen=True)
class World(ABC):
    """A family of targets of dimension d and smoothness beta on a population of points^d points in [0, 1)^d.

    ``patch`` is how much wider the torus is that they are cut out of; 1 is the whole, periodic one.
    """

    d: int
    beta: float
    points: int
    patch: int = 1

    def problem(self, seed: int) -> Population:
        """The problem of this seed; equal seeds give equal problems."""
        return _problem(self, seed)

    @property
    def finest(self) -> int:
        """Cells for each axis beyond which a cell would hold fewer than three population points a side."""
        return max(1, self.points // 3)

    @abstractmethod
    def draw(self, seed: int) -> Population:
        """Make the problem of a seed."""


@dataclass(frozen=True)
class MaternTorus(World):
    """Matern fields of smoothness beta on a regular grid."""

    def draw(self, seed: int) -> Population:
        return matern_problem(self.d, self.beta, self.points, seed, patch=self.patch)


@dataclass(frozen=True)
class WeierstrassTorus(World):
    """Tensor Weierstrass sums on a product of ``points`` random coordinates for each axis."""

    def draw(self, seed: int) -> Population:
        return tensor_weierstrass_problem(self.d, self.beta, self.points, seed, patch=self.patch)


@dataclass(frozen=True)
class AdditiveTorus(World):
    """Additive Weierstrass sums at points^d uniform points: smoothness beta, effective dimension 1."""

    def draw(self, seed: int) -> Population:
        return additive_weierstrass_problem(self.d, self.beta, self.points**self.d, seed)


@lru_cache(maxsize=16)
def _problem(world: World, seed: int) -> Population:
    return world.draw(seed)


def cells_per_axis(experts: int, d: int) -> int:
    """m with m^d experts; ValueError for a number of experts that is not a d-th power."""
    m = round(experts ** (1 / d))
    if m < 1 or m**d != experts:
        raise MoelawsError(f"size={experts}: expected a number of experts m^{d} for cells in dimension {d}")
    return int(m)


def ladder(largest: int, ratio: float = 2**0.25) -> list[int]:
    """Integers from 1 to ``largest``, all of the small ones and then about a factor ``ratio`` apart."""
    found: list[int] = []
    now = 1.0
    while round(now) <= largest:
        if not found or round(now) > found[-1]:
            found.append(round(now))
        now *= ratio
    return found
