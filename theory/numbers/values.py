"""The value of an expression at exact values of its symbols: a float, mpmath's number, a ball or a rational."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

import sympy as sp

from theory.errors import MoelawsError
from theory.numbers.arithmetic import Arithmetic, OutsideDomain
from theory.numbers.balls import BALLS, Ball, Balls, from_rational
from theory.numbers.expression import CompiledExpression
from theory.numbers.floats import Floats
from theory.numbers.precise import Mpmath
from theory.vocabulary import as_formula

NUMBERS = ("float", "mpmath", "ball")


@dataclass(frozen=True)
class Values:
    """What the symbols stand for: exact rationals, numbers of the arithmetic, and logarithms of numbers too large."""

    exact: Mapping[sp.Symbol, Fraction | int] = field(default_factory=dict)
    numbers: Mapping[sp.Symbol, Any] = field(default_factory=dict)
    logs: Mapping[sp.Symbol, Any] = field(default_factory=dict)


def evaluate_expression(expr: sp.Expr, values: Values, using: Arithmetic) -> Any:
    """The value of an expression in an arithmetic (call inside `Arithmetic.working`); undefined outside its domain.

    Raises `Unevaluable`, which names a function that is not known or a symbol without a value.
    """
    exact, numbers, logs = (tuple(part) for part in (values.exact, values.numbers, values.logs))
    compiled = _compiled(expr, exact, numbers, logs)
    [found] = compiled(using, [*values.exact.values(), *values.numbers.values(), *values.logs.values()])
    return found


@lru_cache(maxsize=4096)
def _compiled(
    expr: sp.Expr, exact: tuple[sp.Symbol, ...], numbers: tuple[sp.Symbol, ...], logs: tuple[sp.Symbol, ...]
) -> CompiledExpression:
    return CompiledExpression([expr], (*exact, *numbers, *logs), exact=exact, logs=logs)


def exact_values(at: Mapping[sp.Symbol, Any]) -> Values:
    """Symbols that stand for integers, Fractions, or sympy's rationals."""
    rationals = {symbol: sp.Rational(value) for symbol, value in at.items()}
    return Values({symbol: Fraction(int(value.p), int(value.q)) for symbol, value in rationals.items()})


def number(formula: sp.Expr, at: Mapping[sp.Symbol, Any]) -> float:
    """The formula at exact ``at`` in double precision; `OutsideDomain` where it has no value that a float can hold."""
    using = Floats()
    try:
        found = float(evaluate_expression(as_formula(formula, "formula"), exact_values(at), using))
    except OverflowError:
        raise OutsideDomain(f"{formula} is beyond the range of floats there") from None
    if not using.is_finite(found):
        raise OutsideDomain(f"{formula} has no finite value there")
    return found


def ball(formula: sp.Expr, at: Mapping[sp.Symbol, Any], *, bits: int = 160) -> Ball:
    """The formula at exact ``at`` as a ``flint.arb`` that holds its true value; not finite outside its domain."""
    using = Balls(bits)
    with using.working():
        return evaluate_expression(as_formula(formula, "formula"), exact_values(at), using)


def constant_ball(expr: sp.Expr) -> Ball:
    """An expression without symbols as a ball of the working precision."""
    return from_rational(expr) if expr.is_Rational else evaluate_expression(expr, Values(), BALLS)


def rational(formula: sp.Expr, at: Mapping[sp.Symbol, Fraction | int]) -> Fraction | None:
    """The exact value where it is seen to be rational, else None."""
    found = _compiled(formula, (), tuple(at), ()).rational(list(at.values()))
    return None if found is None else found[0]


def arithmetic(number: str, digits: int) -> Arithmetic:
    """The arithmetic called ``float``, ``mpmath`` or ``ball``; ValueError for another name."""
    if isinstance(digits, bool) or not isinstance(digits, int) or not 1 <= digits <= 10_000:
        raise MoelawsError(f"digits={digits!r}: expected a whole number from 1 to 10000")
    if number == "float":
        return Floats()
    if number == "mpmath":
        return Mpmath(digits)
    if number == "ball":
        return Balls.of_digits(digits)
    raise MoelawsError(f"number={number!r}: expected one of {', '.join(NUMBERS)}")
