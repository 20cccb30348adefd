"""An independent evaluator: mpmath (through sympy) at corners and centre of a box of intervals."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from verify.enclosure import Box
from verify.feasibility import Constraint

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
        point = {s: as_float(x) for s, x in zip(symbols, corner, strict=True)}
        yield expr.evalf(DIGITS, subs=point)


def sign(value: sp.Expr) -> int:
    """The sign of a value computed to 40 digits; what is below 1e-30 in size counts as zero."""
    if abs(value) < sp.Float(10) ** -30:
        return 0
    return 1 if value > 0 else -1


def as_float(value: Fraction) -> sp.Float:
    """A multiprecision float: exact rationals would make sympy factor them inside powers."""
    return sp.Float(sp.Rational(value.numerator, value.denominator), DIGITS + 10)


def global_search(constraints: Sequence[Constraint], box: Box, *, rounds: int = 200) -> str:
    """A seeded search in floating point for a point that satisfies everything.

    Returns words for a confirmation where the least violation found stays above
    one half-width of some printed interval, else an empty string.
    """
    from scipy.optimize import differential_evolution

    free = sorted((s for s in box if not box[s].is_point), key=lambda s: s.name)
    fixed = {s: as_float(box[s].midpoint) for s in box if box[s].is_point}
    values = sp.lambdify(free, [c.expr.subs(fixed) for c in constraints], "numpy")
    centres = [float(c.target.midpoint) for c in constraints]
    halves = [float(c.target.width) / 2 for c in constraints]

    def violation(x: Any) -> float:
        found = values(*x)
        return float(max(abs(v - m) / h for v, m, h in zip(found, centres, halves, strict=True)))

    bounds = [tuple(map(float, box[s].bounds)) for s in free]
    best = differential_evolution(violation, bounds, seed=20260409, maxiter=rounds, tol=1e-10)
    if best.fun <= 1:
        return ""
    return f"a global search in floating point (least violation {best.fun:.3f} half-widths; 1 would fit)"
