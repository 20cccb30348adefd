"""Expressions in three arithmetics: Python floats, mpmath, and Arb balls that enclose the true value.

A symbol stands for an exact rational, or, where its size is out of reach of floats (Lambda), for its logarithm: then it may occur
inside logarithms only, and these are taken term by term without forming it.
"""

from __future__ import annotations

import math
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Any

import mpmath
import sympy as sp
from flint import arb, ctx, fmpq

from theory.errors import CannotEvaluate, MoelawsError

NUMBERS = ("float", "mpmath", "ball")


class Arithmetic(ABC):
    """Elementary functions of one kind of number; operators are the number's own. Use inside `working`."""

    @abstractmethod
    def exact(self, value: Fraction) -> Any:
        """A rational."""

    @abstractmethod
    def log(self, x: Any) -> Any: ...

    @abstractmethod
    def log1p(self, x: Any) -> Any: ...

    @abstractmethod
    def exp(self, x: Any) -> Any: ...

    @abstractmethod
    def sqrt(self, x: Any) -> Any: ...

    @abstractmethod
    def erf(self, x: Any) -> Any: ...

    @abstractmethod
    def pi(self) -> Any: ...

    @contextmanager
    def working(self) -> Iterator[None]:
        """The precision of this arithmetic, inside the block."""
        yield

    def log_integer(self, value: int) -> Any:
        """log of a positive integer of any size."""
        return self.log(self.exact(Fraction(value)))


class _FromModule(Arithmetic):
    """The functions of a module that names them as `math` does."""

    @abstractmethod
    def module(self) -> Any:
        """`math` or what is like it."""

    def log(self, x: Any) -> Any:
        return self.module().log(x)

    def log1p(self, x: Any) -> Any:
        return self.module().log1p(x)

    def exp(self, x: Any) -> Any:
        return self.module().exp(x)

    def sqrt(self, x: Any) -> Any:
        return self.module().sqrt(x)

    def erf(self, x: Any) -> Any:
        return self.module().erf(x)

    def pi(self) -> Any:
        return +self.module().pi


class Floats(_FromModule):
    """Python floats, unaware of their rounding."""

    def module(self) -> Any:
        return math

    def exact(self, value: Fraction) -> float:
        return float(value)

    def log_integer(self, value: int) -> float:
        return math.log(value)


@dataclass(frozen=True)
class Mpmath(_FromModule):
    """mpmath with ``digits`` decimal digits, and fifteen more to lose."""

    digits: int = 30

    def module(self) -> Any:
        return mpmath

    def exact(self, value: Fraction) -> Any:
        return mpmath.mpf(value.numerator) / value.denominator

    @contextmanager
    def working(self) -> Iterator[None]:
        with mpmath.workdps(self.digits + 15):
            yield


@dataclass(frozen=True)
class Balls(Arithmetic):
    """Arb balls: the true value lies within the radius of the midpoint, proved by the arithmetic itself."""

    digits: int = 30

    def exact(self, value: Fraction) -> arb:
        return arb(fmpq(value.numerator, value.denominator))

    def log(self, x: arb) -> arb:
        return x.log()

    def log1p(self, x: arb) -> arb:
        return x.log1p()

    def exp(self, x: arb) -> arb:
        return x.exp()

    def sqrt(self, x: arb) -> arb:
        return x.sqrt()

    def erf(self, x: arb) -> arb:
        return x.erf()

    def pi(self) -> arb:
        return arb.pi()

    @contextmanager
    def working(self) -> Iterator[None]:
        before = ctx.prec
        ctx.prec = math.ceil((self.digits + 15) * math.log2(10))
        try:
            yield
        finally:
            ctx.prec = before


def arithmetic(number: str, digits: int) -> Arithmetic:
    """The arithmetic called ``float``, ``mpmath`` or ``ball``; ValueError for another name."""
    if isinstance(digits, bool) or not isinstance(digits, int) or not 1 <= digits <= 10_000:
        raise MoelawsError(f"digits={digits!r}: expected a whole number from 1 to 10000")
    if number == "float":
        return Floats()
    if number == "mpmath":
        return Mpmath(digits)
    if number == "ball":
        return Balls(digits)
    raise MoelawsError(f"number={number!r}: expected one of {', '.join(NUMBERS)}")


@dataclass(frozen=True)
class Values:
    """What the symbols stand for: exact rationals, numbers of the arithmetic, and logarithms of numbers too large."""

    exact: Mapping[sp.Symbol, Fraction]
    numbers: Mapping[sp.Symbol, Any]
    logs: Mapping[sp.Symbol, Any]


def evaluate_expression(expr: sp.Expr, values: Values, using: Arithmetic) -> Any:
    """The value of an expression in an arithmetic (call inside `Arithmetic.working`); TypeError for what it cannot take."""
    program = _number(expr, frozenset(values.exact), frozenset(values.logs))
    return program(values, using)


def rational(expr: sp.Expr, values: Values) -> Fraction | None:
    """The exact value where the expression is rational in exact symbols, else None."""
    program = _exact(expr, frozenset(values.exact))
    return None if program is None else program(values)


_Symbols = frozenset[sp.Symbol]
_ExactProgram = Callable[[Values], Fraction]
_Program = Callable[[Values, Arithmetic], Any]


@lru_cache(maxsize=4096)
def _exact(expr: sp.Expr, exact: _Symbols) -> _ExactProgram | None:
    """A program for the exact value, None where the expression is not seen to be rational."""
    if isinstance(expr, sp.Rational):
        constant = Fraction(int(expr.p), int(expr.q))
        return lambda values: constant
    if expr.is_Symbol:
        return (lambda values: values.exact[expr]) if expr in exact else None
    combine = _RATIONAL.get(expr.func)
    parts = [_exact(arg, exact) for arg in expr.args]
    if combine is None or None in parts or (expr.is_Pow and not expr.exp.is_integer):
        return None
    known = [part for part in parts if part is not None]
    return lambda values: combine([part(values) for part in known])


def _product(parts: list[Fraction]) -> Fraction:
    return math.prod(parts, start=Fraction(1))


_RATIONAL: dict[Any, Callable[[list[Fraction]], Fraction]] = {
    sp.Add: lambda parts: sum(parts, Fraction(0)),
    sp.Mul: _product,
    sp.Pow: lambda parts: parts[0] ** int(parts[1]),
    sp.Min: min,
    sp.Max: max,
    sp.binomial: lambda parts: Fraction(math.comb(*map(int, parts))),
    sp.factorial: lambda parts: Fraction(math.factorial(int(parts[0]))),
}


@lru_cache(maxsize=4096)
def _number(expr: sp.Expr, exact: _Symbols, logs: _Symbols) -> _Program:
    """A program for the value in any arithmetic."""
    rational_value = _exact(expr, exact)
    if rational_value is not None:
        return lambda values, using: using.exact(rational_value(values))
    if expr.is_Symbol:
        return lambda values, using: _given(expr, values)
    if isinstance(expr, sp.exp) or expr is sp.E:
        power = _number(sp.Integer(1) if expr is sp.E else expr.args[0], exact, logs)
        return lambda values, using: using.exp(power(values, using))
    if expr is sp.pi:
        return lambda values, using: using.pi()
    if expr.is_Add or expr.is_Mul:
        parts = [_number(arg, exact, logs) for arg in expr.args]
        join = operator.add if expr.is_Add else operator.mul
        return lambda values, using: reduce(join, [part(values, using) for part in parts])
    if expr.is_Pow:
        return _power(expr.base, expr.exp, exact, logs)
    if isinstance(expr, sp.log):
        return _log(expr.args[0], exact, logs)
    if isinstance(expr, sp.erf):
        inside = _number(expr.args[0], exact, logs)
        return lambda values, using: using.erf(inside(values, using))
    raise CannotEvaluate(f"{type(expr).__name__} in {expr} cannot be evaluated")


def _given(symbol: sp.Symbol, values: Values) -> Any:
    if symbol not in values.numbers:
        raise CannotEvaluate(f"no value for {symbol}")
    return values.numbers[symbol]


def _power(base: sp.Expr, exponent: sp.Expr, exact: _Symbols, logs: _Symbols) -> _Program:
    power = _number(exponent, exact, logs)
    if base is sp.E:
        return lambda values, using: using.exp(power(values, using))
    below = _number(base, exact, logs)
    if exponent.is_Integer:
        return lambda values, using: below(values, using) ** int(exponent)
    if exponent in (sp.Rational(1, 2), sp.Rational(-1, 2)):
        upwards = exponent > 0
        return lambda values, using: (
            using.sqrt(below(values, using)) if upwards else 1 / using.sqrt(below(values, using))
        )
    log = _log(base, exact, logs)
    return lambda values, using: using.exp(power(values, using) * log(values, using))


@lru_cache(maxsize=4096)
def _log(expr: sp.Expr, exact: _Symbols, logs: _Symbols) -> _Program:
    """log of an expression, term by term where it contains a symbol known by its logarithm only."""
    if not expr.free_symbols & logs:
        rational_value = _exact(expr, exact)
        if rational_value is not None:
            return lambda values, using: _log_of_rational(rational_value(values), using)
        whole = _number(expr, exact, logs)
        return lambda values, using: using.log(whole(values, using))
    if expr.is_Symbol:
        return lambda values, using: values.logs[expr]
    if expr.is_Pow:
        power, base = _number(expr.exp, exact, logs), _log(expr.base, exact, logs)
        return lambda values, using: power(values, using) * base(values, using)
    if expr.is_Mul or expr.is_Add:
        parts = [_log(arg, exact, logs) for arg in expr.args]
        join = _sum_of_logs if expr.is_Mul else _log_of_sum
        return lambda values, using: join([part(values, using) for part in parts], using)
    raise CannotEvaluate(f"log({expr}) cannot be evaluated without forming what is too large")


def _log_of_rational(value: Fraction, using: Arithmetic) -> Any:
    """Numerator and denominator apart where floats might not hold them, together where they might cancel."""
    if value.denominator == 1:
        return using.log_integer(value.numerator)
    return using.log(using.exact(value))


def _sum_of_logs(logs: list[Any], using: Arithmetic) -> Any:
    return reduce(operator.add, logs)


def _log_of_sum(logs: list[Any], using: Arithmetic) -> Any:
    largest, *rest = sorted(logs, key=_middle, reverse=True)
    for part in rest:
        largest = largest + using.log1p(using.exp(part - largest))
    return largest


def _middle(x: Any) -> float:
    return float(x.mid()) if isinstance(x, arb) else float(x)
