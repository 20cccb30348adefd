"""Ball arithmetic on exact expressions, and the way back from a ball to a rational on a chosen side.

A ball (Arb's ``arb``) is a centre with a radius that encloses the true value; a
comparison of balls that is true holds for every value they enclose.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import sympy as sp
from flint import arb, ctx, fmpq

from theory.errors import CannotEvaluate

Ball = Any  # a flint.arb
BITS = 320
DIGITS = 60


@contextmanager
def precision(bits: int = BITS) -> Iterator[None]:
    """Ball arithmetic with ``bits`` bits inside the block."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def ball(expr: sp.Expr, at: Mapping[sp.Symbol, Ball] | None = None) -> Ball:
    """An enclosure of an expression; TypeError where it is more than powers, exp and log of exact numbers."""
    if expr.is_Rational:
        return arb(fmpq(int(expr.p), int(expr.q)))
    if at is not None and expr in at:
        return at[expr]
    if expr is sp.pi:
        return arb.pi()
    if expr is sp.E:
        return arb(1).exp()
    if isinstance(expr, sp.exp):
        return ball(expr.exp, at).exp()
    if isinstance(expr, sp.log):
        return ball(expr.args[0], at).log()
    if expr.is_Add or expr.is_Mul:
        total = arb(0) if expr.is_Add else arb(1)
        for arg in expr.args:
            total = total + ball(arg, at) if expr.is_Add else total * ball(arg, at)
        return total
    if expr.is_Pow:
        base = ball(expr.base, at)
        return base ** int(expr.exp) if expr.exp.is_Integer else (base.log() * ball(expr.exp, at)).exp()
    raise CannotEvaluate(f"{expr}: expected powers, products, sums, exp and log of exact numbers")


def from_rational(value: sp.Rational) -> Ball:
    """The ball around an exact rational."""
    return arb(fmpq(int(value.p), int(value.q)))


def exact(value: Ball) -> sp.Rational:
    """The rational that an exact ball is; of another ball, its centre."""
    mantissa, exponent = value.mid().man_exp()
    return sp.Rational(int(mantissa)) * sp.Rational(2) ** int(exponent)


def rounded(value: Ball, *, up: bool, digits: int = DIGITS) -> sp.Rational:
    """A decimal of about ``digits`` significant digits strictly beyond every value that the ball encloses."""
    end = exact(value.upper() if up else value.lower())
    if end == 0:
        return sp.Integer(0)
    scale = sp.Integer(10) ** (digits - _magnitude(end))
    scaled = end * scale
    return (sp.ceiling(scaled) + 1 if up else sp.floor(scaled) - 1) / scale


def _magnitude(value: sp.Rational) -> int:
    """The number of digits before the decimal point, to within one."""
    return len(str(abs(int(value.p)))) - len(str(int(value.q)))
