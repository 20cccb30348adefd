"""An independent evaluator: mpmath (through sympy) at corners and centre of a box of intervals."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from fractions import Fraction

import sympy as sp

from verify.printed.intervals import Interval
from verify.search.enclosure import Box

DIGITS = 40
_BEYOND = 20
NAME = "mpmath at 40 digits (more for longer numbers), at the centre and corners of the printed intervals"


def digits_for(*sides: Interval) -> int:
    """The digits to compute with: enough to tell numbers apart that differ in the last of their own."""
    ends = (end for side in sides for end in side.bounds)
    longest = max((max(x.numerator.bit_length(), x.denominator.bit_length()) for x in ends), default=0)
    return max(DIGITS, longest * 3 // 10 + _BEYOND)


def sampled_values(
    expr: sp.Expr, box: Box, over: Iterable[sp.Symbol] = (), *, digits: int = DIGITS, most_corners: int = 64
) -> Iterator[sp.Expr]:
    """Values at the centre and (just inside) corners of the box, computed without Arb or Fraction.

    ``over`` are further symbols whose sides are walked, so that several expressions are sampled at the same points.
    """
    symbols = sorted(expr.free_symbols | set(over), key=lambda s: str(s.name))
    choices = []
    for symbol in symbols:
        side = box[symbol]
        if side.is_point:
            choices.append([side.midpoint])
            continue
        nudge = side.width / 10**9
        lo, hi = side.bounds
        choices.append([side.midpoint, lo + nudge, hi - nudge])
    for corner in itertools.islice(itertools.product(*choices), most_corners):
        point = {s: as_float(x, digits + 10) for s, x in zip(symbols, corner, strict=True)}
        yield expr.evalf(digits, subs=point)


def sign(value: sp.Expr, scale: sp.Expr, digits: int = DIGITS) -> int:
    """The sign of a value computed to so many digits; 0 where the first ``digits - 10`` of ``scale`` do not show it.

    ``scale`` is the size of what the value is a difference of.
    """
    if abs(value) <= sp.Float(10, digits) ** (10 - digits) * abs(scale):
        return 0
    return 1 if value > 0 else -1


def as_float(value: Fraction, digits: int = DIGITS + 10) -> sp.Float:
    """A multiprecision float: exact rationals would make sympy factor them inside powers."""
    return sp.Float(sp.Rational(value.numerator, value.denominator), digits)
