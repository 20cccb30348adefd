"""Python floats, unaware of their rounding; and what they have in common with mpmath's."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath

from theory.numbers.arithmetic import Arithmetic, Exact, Number


class FloatingPoint(Arithmetic):
    """Numbers of a module that names its functions as `math` and mpmath both do; each number is one value."""

    @abstractmethod
    def module(self) -> Any:
        """`math` or `mpmath`."""

    @abstractmethod
    def of(self, x: Any) -> Number:
        """x as a number of this kind."""

    def is_zero(self, x: Number) -> bool:
        return bool(x == 0)

    def is_finite(self, x: Number) -> bool:
        return bool(self.module().isfinite(x))

    def whole(self, x: Number) -> int | None:
        return int(x) if self.is_finite(x) and x == self.floor(x) else None

    def as_float(self, x: Number) -> float:
        return float(x)

    def pi(self) -> Number:
        return +self.module().pi

    def exp(self, x: Number) -> Number:
        return self.module().exp(x)

    def log(self, x: Number) -> Number:
        return self.module().log(x) if x > 0 else self.undefined

    def log1p(self, x: Number) -> Number:
        return self.module().log1p(x) if x > -1 else self.undefined

    def sqrt(self, x: Number) -> Number:
        return self.module().sqrt(x) if x >= 0 else self.undefined

    def power(self, x: Number, exponent: int) -> Number:
        return self.undefined if x != x or (x == 0 and exponent < 0) else x**exponent

    def real_power(self, x: Number, exponent: Number) -> Number:
        if x > 0:
            return x**exponent
        if (whole := self.whole(exponent)) is not None:
            return self.power(x, whole)
        return self.of(0) if x == 0 and exponent > 0 else self.undefined

    def absolute(self, x: Number) -> Number:
        return abs(x)

    def sign(self, x: Number) -> Number:
        return self.of((x > 0) - (x < 0)) if x == x else x

    def floor(self, x: Number) -> Number:
        return self.of(self.module().floor(x)) if self.is_finite(x) else self.undefined

    def ceiling(self, x: Number) -> Number:
        return self.of(self.module().ceil(x)) if self.is_finite(x) else self.undefined

    def largest(self, *values: Number) -> Number:
        return max(values) if all(x == x for x in values) else self.undefined

    def smallest(self, *values: Number) -> Number:
        return min(values) if all(x == x for x in values) else self.undefined

    def erf(self, x: Number) -> Number:
        return self.module().erf(x)

    def erfc(self, x: Number) -> Number:
        return self.module().erfc(x)

    def upper_gamma(self, s: Number, x: Number) -> Number:
        return self.of(mpmath.gammainc(s, x)) if s > 0 and x >= 0 else self.undefined

    def lower_gamma(self, s: Number, x: Number) -> Number:
        # by itself: a small one is lost in the difference of the whole and the rest
        return self.of(mpmath.gammainc(s, 0, x)) if s > 0 and x >= 0 else self.undefined

    def beta_share(self, a: Number, b: Number, low: Number, high: Number) -> Number:
        if not (a > 0 and b > 0 and 0 <= low <= high <= 1):
            return self.undefined
        return self.of(mpmath.betainc(a, b, low, high, regularized=True))

    def gamma(self, x: Number) -> Number:
        pole = x <= 0 and self.whole(x) is not None
        return self.undefined if pole or x != x else self.module().gamma(x)


class Floats(FloatingPoint):
    """Double precision. A number out of its range raises OverflowError, or is infinite."""

    undefined = math.nan

    def module(self) -> Any:
        return math

    def of(self, x: Any) -> float:
        return float(x)

    def bits(self) -> int:
        return 53

    def exact(self, value: Exact) -> float:
        return float(value)

    def log_gamma(self, x: float) -> float:
        return math.lgamma(x) if x > 0 else math.nan

    def polygamma(self, order: int, x: float) -> float:
        return float(mpmath.fp.psi(order, x)) if x > 0 else math.nan

    def log_computed(self, value: Callable[[], Exact]) -> float:
        try:
            exact = Fraction(value())
        except ZeroDivisionError:
            return math.nan
        if exact <= 0:
            return math.nan
        if abs(exact.numerator.bit_length() - exact.denominator.bit_length()) < 1000:
            return math.log(exact)
        return math.log(exact.numerator) - math.log(exact.denominator)
