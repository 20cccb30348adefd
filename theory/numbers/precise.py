"""mpmath's floats: as many digits as asked for, unaware of their rounding."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import mpmath

from theory.numbers.arithmetic import Exact, Number
from theory.numbers.floats import FloatingPoint

SPARE = 15
"""Digits computed with beyond those asked for."""


@dataclass(frozen=True)
class Mpmath(FloatingPoint):
    """mpmath with ``digits`` decimal digits, and fifteen more to lose."""

    digits: int = 30

    undefined = mpmath.nan

    def module(self) -> Any:
        return mpmath

    def of(self, x: Any) -> Number:
        return mpmath.mpf(x)

    @contextmanager
    def working(self) -> Iterator[None]:
        with mpmath.workdps(self.digits + SPARE):
            yield

    def bits(self) -> int:
        return int(mpmath.mp.prec)

    def exact(self, value: Exact) -> Number:
        return mpmath.mpf(value.numerator) / value.denominator

    def log_gamma(self, x: Number) -> Number:
        return mpmath.loggamma(x) if x > 0 else self.undefined

    def polygamma(self, order: int, x: Number) -> Number:
        return mpmath.psi(order, x) if x > 0 else self.undefined
