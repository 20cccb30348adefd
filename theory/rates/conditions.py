"""Sign conditions on positive parameters, as data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from theory.rates.field import Fraction, Polynomial, Rational

Point = tuple[Rational, ...]


@dataclass(frozen=True)
class Condition:
    """``levels >= 0`` (``> 0`` where strict): the first level that is not zero decides the sign."""

    levels: tuple[Fraction, ...]
    strict: bool

    def holds_at(self, point: Point) -> bool:
        first = next((v for v in (level.at(point) for level in self.levels) if v), 0)
        return bool(first > 0 or (first == 0 and not self.strict))

    def negated(self) -> Condition:
        return Condition(tuple(-level for level in self.levels), not self.strict)


def cleared(levels: Iterable[Fraction]) -> tuple[Fraction, ...]:
    """The levels that are not 0, each times the square of its denominator: polynomials of the same signs."""
    return tuple(level * level.denominator * level.denominator for level in levels if level)


def definite_sign(poly: Polynomial) -> int | None:
    """The sign of a polynomial on positive parameters where its coefficients show it."""
    coefficients = poly.coeffs()
    if not coefficients:
        return 0
    if all(c > 0 for c in coefficients):
        return 1
    return -1 if all(c < 0 for c in coefficients) else None
