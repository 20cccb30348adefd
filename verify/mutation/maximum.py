"""How many misprints of a derived cell a reading can exclude at all, worked out apart from the checks.

The values a formula takes over the unrounded inputs form an interval. A misprint
can be noticed exactly when no value of that interval prints as the misprint. Here
the interval comes from exact evaluation at the corners of the input box, and the
printed digits from integer rounding: no part of the checks' own interval arithmetic
is used, so that the two can be held against each other.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from verify.printed.intervals import Interval
from verify.printed.numerals import Rounding

_SEED = 20260409
_POINTS = 24


@dataclass(frozen=True)
class Printable:
    """The printed values that a formula can have: all between two, counted in units of the last digit."""

    least: int
    greatest: int

    def excludes(self, units: int) -> bool:
        return not self.least <= units <= self.greatest


def printable(
    expr: sp.Expr, box: Mapping[sp.Symbol, Interval], last_digit: Fraction, mode: Rounding
) -> Printable | None:
    """What ``expr`` can print as over ``box``; None where it is not monotone and rational."""
    symbols = [s for s in sorted(expr.free_symbols, key=lambda s: s.name) if not box[s].is_point]
    fixed = {s: _rational(box[s].bounds[0]) for s in expr.free_symbols if box[s].is_point}
    expr = sp.sympify(expr).xreplace(fixed)
    if not symbols:
        value = _fraction(expr)
        return None if value is None else _either_neighbour(value / last_digit, mode)
    if not all(_one_sign(sp.diff(expr, s), symbols, box) for s in symbols):
        return None
    corners: list[tuple[Fraction, bool]] = []
    for ends in itertools.product((0, 1), repeat=len(symbols)):
        at = {s: _rational(box[s].bounds[end]) for s, end in zip(symbols, ends, strict=True)}
        value = _fraction(expr.xreplace(at))
        if value is None:
            return None
        attained = all(
            (box[s].hi_closed if end else box[s].lo_closed) for s, end in zip(symbols, ends, strict=True)
        )
        corners.append((value, attained))
    least, greatest = min(v for v, _ in corners), max(v for v, _ in corners)
    inside = (greatest - least) / 10**12
    low = least if (least, True) in corners else least + inside
    high = greatest if (greatest, True) in corners else greatest - inside
    return Printable(_units(low / last_digit, mode), _units(high / last_digit, mode))


def _one_sign(slope: sp.Expr, symbols: list[sp.Symbol], box: Mapping[sp.Symbol, Interval]) -> bool:
    """Whether a slope has one sign at the corners and at sampled points of the box."""
    rng = random.Random(_SEED)
    points = [
        dict(zip(symbols, ends, strict=True)) for ends in itertools.product(*(box[s].bounds for s in symbols))
    ]
    for _ in range(_POINTS):
        points.append(
            {s: box[s].bounds[0] + box[s].width * Fraction(rng.randint(1, 99), 100) for s in symbols}
        )
    signs = {sp.sign(slope.xreplace({s: _rational(v) for s, v in point.items()})) for point in points}
    return signs <= {sp.S.One, sp.S.Zero} or signs <= {sp.S.NegativeOne, sp.S.Zero}


def _either_neighbour(value: Fraction, mode: Rounding) -> Printable:
    """What one value prints as: at a tie, which binary floats print either way, one of two neighbours."""
    little = Fraction(1, 10**12) if mode.either_way is Rounding.NEAREST else Fraction(0)
    least, greatest = (_units(value + shift, mode) for shift in (-little, little))
    return Printable(least, greatest)


def _units(value: Fraction, mode: Rounding) -> int:
    """The integer that a value prints as, in units of the last digit."""
    size = abs(value)
    if mode is Rounding.HALF_EVEN:
        rounded = round(size)
    elif mode is Rounding.TRUNCATED:
        rounded = size.numerator // size.denominator
    elif mode is Rounding.CEILING:
        return math.ceil(value)
    else:
        rounded = (2 * size.numerator + size.denominator) // (2 * size.denominator)
    return rounded if value >= 0 else -rounded


def _rational(value: Fraction) -> sp.Rational:
    return sp.Rational(value.numerator, value.denominator)


def _fraction(value: sp.Expr) -> Fraction | None:
    value = value if value.is_Rational else sp.simplify(value)
    return Fraction(int(value.p), int(value.q)) if value.is_Rational else None
