"""Orders of growth as elements of an ordered field, and monomials in the sizes.

With n the scale, ``n^c (log n)^p`` has exponent ``c + p eps`` where
``eps = log log n / log n`` is infinitesimal. Between the numbers and eps lies a
third level omega, above every multiple of eps and below every positive number:
``n^omega`` outgrows each power of log n and no power of n. So exponents are
triples compared in the order (number, omega, eps).

What this does not resolve: factors of log log n lie below every multiple of
eps, and constants are dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

Scalar = Any  # a Fraction of the parameter field, or a plain rational at a sample point


@dataclass(frozen=True, slots=True)
class Growth:
    """The exponent ``power + quasi * omega + logs * eps``: n^power n^(quasi omega) (log n)^logs."""

    power: Scalar
    quasi: Scalar
    logs: Scalar

    def __add__(self, other: Growth) -> Growth:
        return Growth(self.power + other.power, self.quasi + other.quasi, self.logs + other.logs)

    def __sub__(self, other: Growth) -> Growth:
        return Growth(self.power - other.power, self.quasi - other.quasi, self.logs - other.logs)

    def __neg__(self) -> Growth:
        return Growth(-self.power, -self.quasi, -self.logs)

    def __mul__(self, by: Scalar) -> Growth:
        return Growth(self.power * by, self.quasi * by, self.logs * by)

    @property
    def levels(self) -> tuple[Scalar, Scalar, Scalar]:
        """The triple, which compares as the ordered field does."""
        return (self.power, self.quasi, self.logs)

    def __bool__(self) -> bool:
        return any(self.levels)


@dataclass(frozen=True, slots=True)
class Monomial:
    """``n^constant`` times a product of sizes, ``sizes[i] ** powers[i]``."""

    powers: tuple[Scalar, ...]
    constant: Growth

    def __mul__(self, other: Monomial) -> Monomial:
        powers = tuple(a + b for a, b in zip(self.powers, other.powers, strict=True))
        return Monomial(powers, self.constant + other.constant)

    def __pow__(self, by: Scalar) -> Monomial:
        return Monomial(tuple(a * by for a in self.powers), self.constant * by)

    def at(self, point: Sequence[Growth]) -> Growth:
        """Its exponent where ``sizes[i] = n^point[i]``."""
        total = self.constant
        for power, growth in zip(self.powers, point, strict=True):
            total = total + growth * power
        return total

    @property
    def has_sizes(self) -> bool:
        return any(self.powers)


def weighted_product(terms: Iterable[tuple[Monomial, Scalar]], unit: Monomial) -> Monomial:
    """``prod m ** w``: what weighted AM-GM puts below the largest of the m."""
    total = unit
    for monomial, weight in terms:
        total = total * monomial**weight
    return total
