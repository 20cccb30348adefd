"""Orders of growth as elements of an ordered field, and monomials in the sizes.

With n the scale, ``n^c (log n)^p`` has exponent ``c + p eps`` where
``eps = log log n / log n`` is infinitesimal. Between the numbers and eps lie two
more levels: omega, above every multiple of eps, and delta, above every multiple
of omega and below every positive number. Both ``n^delta`` and ``n^omega`` outgrow
each power of log n and no power of n; sizes from n^delta up have logs that count
in full, sizes up to n^omega have logs that do not count. Exponents compare in
the order (number, delta, omega, eps).

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
    """An exponent by its coefficients on 1, delta, omega and eps."""

    power: Scalar
    delta: Scalar
    omega: Scalar
    logs: Scalar

    def __add__(self, other: Growth) -> Growth:
        return Growth(*(a + b for a, b in zip(self.levels, other.levels, strict=True)))

    def __sub__(self, other: Growth) -> Growth:
        return Growth(*(a - b for a, b in zip(self.levels, other.levels, strict=True)))

    def __neg__(self) -> Growth:
        return Growth(*(-a for a in self.levels))

    def __mul__(self, by: Scalar) -> Growth:
        return Growth(*(a * by for a in self.levels))

    @classmethod
    def of_logs(cls, logs: Scalar) -> Growth:
        """A power of the logarithm alone."""
        return cls(logs * 0, logs * 0, logs * 0, logs)

    @classmethod
    def of_power(cls, power: Scalar) -> Growth:
        """A power of the scale alone."""
        return cls(power, power * 0, power * 0, power * 0)

    @property
    def levels(self) -> tuple[Scalar, Scalar, Scalar, Scalar]:
        """The coefficients, which compare as the ordered field does."""
        return (self.power, self.delta, self.omega, self.logs)

    @property
    def is_resolved(self) -> bool:
        """Whether it is a power of n times a power of log n."""
        return not self.delta and not self.omega

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
