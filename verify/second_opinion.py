"""An independent evaluator: mpmath (through sympy) at corners and centre of a box of intervals."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import sympy as sp

from verify.enclosure import Box

DIGITS = 40
NAME = "mpmath at 40 digits, at the centre and corners of the printed intervals"


def sampled_values(expr: sp.Expr, box: Box, *, most_corners: int = 64) -> Iterator[sp.Expr]:
    """Values at the centre and (just inside) corners of the box, computed without Arb or Fraction."""
    symbols = sorted(expr.free_symbols, key=lambda s: s.name)
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
        point = {s: sp.Rational(x.numerator, x.denominator) for s, x in zip(symbols, corner, strict=True)}
        yield sp.N(expr.subs(point), DIGITS)
