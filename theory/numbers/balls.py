"""Arb balls, which are certain to hold the true value, and the ways between them and exact rationals.

A ball is a centre with a radius; a comparison of balls that is true holds for all the values in them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp
from flint import arb, ctx, fmpq

from theory.numbers.arithmetic import Arithmetic, OutsideDomain
from theory.numbers.precise import SPARE

Ball = Any  # a flint.arb
DIGITS = 60


@dataclass(frozen=True)
class Balls(Arithmetic):
    """Balls computed with ``precision`` bits."""

    precision: int = 160

    undefined = arb.nan()

    @classmethod
    def of_digits(cls, digits: int) -> Balls:
        """So many decimal digits, and some more to lose."""
        return cls(math.ceil((digits + SPARE) * math.log2(10)))

    @contextmanager
    def working(self) -> Iterator[None]:
        before = ctx.prec
        ctx.prec = self.precision
        try:
            yield
        finally:
            ctx.prec = before

    def bits(self) -> int:
        return int(ctx.prec)

    def exact(self, value: int | Fraction) -> Ball:
        return from_rational(value)

    def is_zero(self, x: Ball) -> bool:
        return bool(x.is_zero())

    def is_finite(self, x: Ball) -> bool:
        return bool(x.is_finite())

    def whole(self, x: Ball) -> int | None:
        return int(x.unique_fmpz()) if x.is_integer() else None

    def as_float(self, x: Ball) -> float:
        return float(x.mid())

    def pi(self) -> Ball:
        return arb.pi()

    def exp(self, x: Ball) -> Ball:
        return x.exp()

    def log(self, x: Ball) -> Ball:
        return x.log()

    def log1p(self, x: Ball) -> Ball:
        return x.log1p()

    def sqrt(self, x: Ball) -> Ball:
        return x.sqrt()

    def power(self, x: Ball, exponent: int) -> Ball:
        if not x.is_finite():
            return arb.nan()
        if exponent <= 0 or not x.contains(0):
            return x**exponent
        # around 0 flint's own power is nan; odd powers rise, even ones rise with the absolute value
        low, high = (x.lower(), x.upper()) if exponent % 2 else (arb(0), abs(x).upper())
        return (low**exponent).union(high**exponent)

    def real_power(self, x: Ball, exponent: Ball) -> Ball:
        if (whole := self.whole(exponent)) is not None:
            return self.power(x, whole)
        if x.is_zero():
            return arb(0) if exponent > 0 else arb.nan()
        return (x.log() * exponent).exp()

    def absolute(self, x: Ball) -> Ball:
        return abs(x)

    def sign(self, x: Ball) -> Ball:
        return x.sgn() if x.is_finite() else arb.nan()

    def floor(self, x: Ball) -> Ball:
        return x.floor()  # around a whole number it holds both neighbours

    def ceiling(self, x: Ball) -> Ball:
        return x.ceil()

    def largest(self, *values: Ball) -> Ball:
        best = values[0]
        for value in values[1:]:
            best = best.max(value)
        return best

    def smallest(self, *values: Ball) -> Ball:
        best = values[0]
        for value in values[1:]:
            best = best.min(value)
        return best

    def erf(self, x: Ball) -> Ball:
        return x.erf()

    def erfc(self, x: Ball) -> Ball:
        return x.erfc()

    def upper_gamma(self, s: Ball, x: Ball) -> Ball:
        return x.gamma_upper(s) if s > 0 and x >= 0 else arb.nan()

    def lower_gamma(self, s: Ball, x: Ball) -> Ball:
        return x.gamma_lower(s) if s > 0 and x >= 0 else arb.nan()

    def beta_share(self, a: Ball, b: Ball, low: Ball, high: Ball) -> Ball:
        if not (a > 0 and b > 0 and low >= 0 and low <= high and high <= 1):
            return arb.nan()
        return high.beta_lower(a, b, regularized=True) - low.beta_lower(a, b, regularized=True)

    def gamma(self, x: Ball) -> Ball:
        return x.gamma()

    def log_gamma(self, x: Ball) -> Ball:
        return x.lgamma() if x > 0 else arb.nan()

    def polygamma(self, order: int, x: Ball) -> Ball:
        if not x > 0:
            return arb.nan()
        if order == 0:
            return x.digamma()
        return (-1) ** (order + 1) * math.factorial(order) * arb(order + 1).zeta(x)


BALLS = Balls()
"""The balls of searches and checks."""


def from_rational(value: int | Fraction | sp.Rational) -> Ball:
    """The ball of a rational, as narrow as the working precision allows."""
    return arb(fmpq(int(value.numerator), int(value.denominator)))


def hull(low: Fraction, high: Fraction) -> Ball:
    """A ball that contains everything between two rationals."""
    return from_rational(low) if low == high else from_rational(low).union(from_rational(high))


_WRITTEN_OUT = 10**6
"""The largest power of two of a number that becomes an exact fraction."""
_ZERO, _LEAST = Fraction(0), Fraction(1, 2 ** (_WRITTEN_OUT // 2))
_SMALLEST = from_rational(_LEAST)


def centre(value: Ball) -> Fraction:
    """The exact centre of a ball; `OutsideDomain` for one that no memory would hold."""
    mantissa, exponent = value.mid().man_exp()
    if abs(exponent) > _WRITTEN_OUT:
        raise OutsideDomain("the expression has a value that is too large or too small to be written out")
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def ends(value: Ball) -> tuple[Fraction, Fraction]:
    """Exact lower and upper ends of a finite ball, the next ones outside where they are too small to be written out.

    `OutsideDomain` for a ball that is not finite.
    """
    if not value.is_finite():
        raise OutsideDomain("the expression has no finite value there, or is unbounded")
    low, high = value.lower(), value.upper()
    return (
        -_LEAST if -_SMALLEST < low < 0 else _ZERO if 0 < low < _SMALLEST else centre(low),
        _LEAST if 0 < high < _SMALLEST else _ZERO if -_SMALLEST < high < 0 else centre(high),
    )


def rounded(value: Ball, *, up: bool, digits: int = DIGITS) -> sp.Rational:
    """A decimal of about ``digits`` significant digits strictly beyond every value that the ball encloses."""
    end = sp.Rational(centre(value.upper() if up else value.lower()))
    if end == 0:
        return sp.Integer(0)
    scale = sp.Integer(10) ** (digits - _magnitude(end))
    scaled = end * scale
    return (sp.ceiling(scaled) + 1 if up else sp.floor(scaled) - 1) / scale


def _magnitude(value: sp.Rational) -> int:
    """The number of digits before the decimal point, to within one."""
    return len(str(abs(int(value.p)))) - len(str(int(value.q)))
