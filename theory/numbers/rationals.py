"""Exact rationals, as far as they go: what is no rational number raises `NotRational`, and a pole ZeroDivisionError."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from theory.numbers.arithmetic import Arithmetic, Exact


class NotRational(ArithmeticError):
    """The value is not seen to be a rational number."""


class Rationals(Arithmetic):
    """Fractions, and integers among them."""

    def bits(self) -> int:
        return 0

    def exact(self, value: Exact) -> Exact:
        return value

    def computed(self, value: Callable[[], Exact]) -> Exact:
        return value()

    def is_zero(self, x: Exact) -> bool:
        return x == 0

    def is_finite(self, x: Exact) -> bool:
        return True

    def whole(self, x: Exact) -> int | None:
        return int(x) if x.denominator == 1 else None

    def as_float(self, x: Exact) -> float:
        return float(x)

    def pi(self) -> Exact:
        raise NotRational

    def exp(self, x: Exact) -> Exact:
        return _only(x == 0, 1)

    def log(self, x: Exact) -> Exact:
        return _only(x == 1, 0)

    def log1p(self, x: Exact) -> Exact:
        return _only(x == 0, 0)

    def sqrt(self, x: Exact) -> Exact:
        return self.real_power(x, Fraction(1, 2))

    def power(self, x: Exact, exponent: int) -> Exact:
        x = Fraction(x)
        bits = max(x.numerator.bit_length(), x.denominator.bit_length())
        return _only(abs(x) == 1 or bits * abs(exponent) <= _LONGEST, x) ** exponent

    def real_power(self, x: Exact, exponent: Exact) -> Exact:
        if (whole := self.whole(exponent)) is not None:
            return self.power(x, whole)
        return _only(x == 1 or (x == 0 and exponent > 0), x)

    def absolute(self, x: Exact) -> Exact:
        return -x if x < 0 else x

    def sign(self, x: Exact) -> Exact:
        return (x > 0) - (x < 0)

    def floor(self, x: Exact) -> Exact:
        return math.floor(x)

    def ceiling(self, x: Exact) -> Exact:
        return math.ceil(x)

    def largest(self, *values: Exact) -> Exact:
        return max(values, key=Fraction)

    def smallest(self, *values: Exact) -> Exact:
        return min(values, key=Fraction)

    def erf(self, x: Exact) -> Exact:
        return _only(x == 0, 0)

    def erfc(self, x: Exact) -> Exact:
        return _only(x == 0, 1)

    def upper_gamma(self, s: Exact, x: Exact) -> Exact:
        _only(x == 0, x)
        return self.gamma(s)

    def beta_share(self, a: Exact, b: Exact, low: Exact, high: Exact) -> Exact:
        _only(a > 0 and b > 0 and {low, high} <= {0, 1} and low <= high, a)
        return high - low

    def gamma(self, x: Exact) -> Exact:
        _only(x.denominator == 1 and 0 < x <= _LARGEST_FACTORIAL, x)
        return math.factorial(int(x) - 1)

    def log_gamma(self, x: Exact) -> Exact:
        return _only(x in (1, 2), 0)

    def polygamma(self, order: int, x: Exact) -> Exact:
        raise NotRational


_LONGEST = 10**7
_LARGEST_FACTORIAL = 10**5
"""Beyond these bits, and this argument, a number is not written out."""


def _only(known: bool, value: Exact) -> Exact:
    if not known:
        raise NotRational
    return value


RATIONALS = Rationals()
