"""Functions and checks for the formulas of laws, on numbers, arrays of numpy and sympy expressions alike."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import sympy as sp

from theory.errors import MoelawsError

Number = Any
"""A float, a Fraction, an array of numpy or a sympy expression."""


def log(x: Number) -> Number:
    """The natural logarithm of a number, an array or an expression."""
    return sp.log(x) if isinstance(x, sp.Basic) else _numpy_or_math(x).log(x)


def exp(x: Number) -> Number:
    """e to a number, an array or an expression."""
    return sp.exp(x) if isinstance(x, sp.Basic) else _numpy_or_math(x).exp(x)


def excess(ratio: Number) -> Number:
    """By how much a ratio exceeds 1, and 0 where it does not; a number, an array or an expression."""
    if isinstance(ratio, sp.Basic):
        return sp.Piecewise((ratio - 1, ratio > 1), (0, True))
    if _is_array(ratio):
        return (ratio - 1) * (ratio > 1)
    return max(ratio - 1, 0)


def least(one: Number, other: Number) -> Number:
    """The smaller of two numbers, arrays or expressions."""
    if isinstance(one, sp.Basic) or isinstance(other, sp.Basic):
        return sp.Piecewise((one, one < other), (other, True))
    if _is_array(one) or _is_array(other):
        return _numpy_or_math(one if _is_array(one) else other).minimum(one, other)
    return min(one, other)


def _numpy_or_math(x: Number) -> Any:
    if _is_array(x):
        import numpy as np

        return np
    return math


def _is_array(value: Number) -> bool:
    return getattr(getattr(value, "dtype", None), "kind", "") in ("i", "u", "f") and not isinstance(
        value, Real
    )


def is_number(value: Number) -> bool:
    """Whether a value is a real number, an array of such, or a sympy expression; a truth value is not."""
    return (isinstance(value, Real | sp.Expr) and not isinstance(value, bool)) or _is_array(value)


def may_be(value: Number, least: int = 0, *, strict: bool = True) -> bool:
    """Whether nothing says that a number, or one of an array, is below ``least`` (with ``strict``, or equal to it)."""
    if isinstance(value, sp.Basic):
        above = value - least
        return (above.is_positive if strict else above.is_nonnegative) is not False
    holds = value > least if strict else value >= least
    return bool(holds.all()) if _is_array(value) else bool(holds)


def check_positive(who: str, expected: str = "a positive number", **given: Number) -> None:
    """ValueError names the first argument that is no number, or is known not to be positive."""
    for name, value in given.items():
        if not is_number(value) or not may_be(value):
            raise MoelawsError(f"{who}({name}={value!r}): expected {expected}")


def check_at_least_one(who: str, **given: Number) -> None:
    """MoelawsError names the first argument that is no number, or is known to be below 1."""
    for name, value in given.items():
        if not is_number(value) or not may_be(value, 1, strict=False):
            raise MoelawsError(f"{who}({name}={value!r}): expected a number of at least 1")
