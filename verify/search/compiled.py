"""Expressions compiled once into straight-line code that runs on exact fractions or on Arb balls."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import sympy as sp
from flint import arb, ctx

from theory.errors import CannotEvaluate
from verify.printed.intervals import Interval
from verify.recheck.balls import exact_ball, middle

BITS = 160


class OutsideDomain(Exception):
    """An expression has no value somewhere on the box (a pole, or the log of a non-positive number)."""


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Ball arithmetic with ``bits`` bits inside the block."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


class Program:
    """Straight-line code for several expressions that share their subexpressions."""

    def __init__(self, expressions: Sequence[sp.Expr], symbols: Sequence[sp.Symbol]) -> None:
        names_used = [s.name for s in symbols]
        for name in names_used:
            if names_used.count(name) > 1:
                raise CannotEvaluate(
                    f"two different symbols are called {name!r}; give them the same assumptions"
                )
        self._constants: list[Fraction] = []
        shared, reduced = sp.cse(list(expressions), symbols=sp.numbered_symbols("_t", cls=sp.Dummy))
        self._shared = {name: f"_t{i}" for i, (name, _) in enumerate(shared)}
        lines = [f"    {self._shared[name]} = {self._code(value)}" for name, value in shared]
        lines.append(f"    return [{', '.join(self._code(value) for value in reduced)}]")
        names = {symbol: f"_x{i}" for i, symbol in enumerate(symbols)}
        header = f"def run(C, F, {', '.join(names.values())}):" if names else "def run(C, F):"
        source = "\n".join([header, *lines])
        for symbol, name in sorted(names.items(), key=lambda item: -len(item[0].name)):
            source = source.replace(_placeholder(symbol), name)
        scope: dict[str, Any] = {}
        exec(compile(source, "<expression>", "exec"), scope)
        self._run: Callable[..., list[Any]] = scope["run"]
        self.symbols = tuple(symbols)
        self._ball_constants: list[arb] | None = None

    def exact(self, values: Sequence[Fraction]) -> list[Fraction] | None:
        """Values at an exact point, or None where the expressions are not rational."""
        try:
            return self._run(self._constants, _Exact, *values)
        except _NotRational:
            return None
        except ZeroDivisionError:
            raise OutsideDomain("division by zero") from None

    def balls(self, values: Sequence[arb]) -> list[arb]:
        """Enclosures of the values over a box of balls (call inside `precision`)."""
        if self._ball_constants is None:
            self._ball_constants = [exact_ball(c) for c in self._constants]
        return self._run(self._ball_constants, _Balls, *values)

    def _constant(self, value: Fraction) -> str:
        self._constants.append(value)
        return f"C[{len(self._constants) - 1}]"

    def _code(self, expr: sp.Basic) -> str:
        if isinstance(expr, sp.Symbol):
            return self._shared.get(expr) or _placeholder(expr)
        if isinstance(expr, sp.Rational):
            return self._constant(Fraction(int(expr.p), int(expr.q)))
        if expr is sp.E:
            return f"F.exp({self._constant(Fraction(1))})"
        if isinstance(expr, sp.Add):
            return "(" + " + ".join(self._code(arg) for arg in expr.args) + ")"
        if isinstance(expr, sp.Mul):
            return "(" + " * ".join(self._code(arg) for arg in expr.args) + ")"
        if isinstance(expr, sp.exp):
            return f"F.exp({self._code(expr.args[0])})"
        if isinstance(expr, sp.Pow):
            base, exponent = expr.args
            if base is sp.E:
                return f"F.exp({self._code(exponent)})"
            if exponent.is_Integer:
                return f"F.power({self._code(base)}, {int(exponent)})"
            return f"F.real_power({self._code(base)}, {self._code(exponent)})"
        if isinstance(expr, sp.log):
            return f"F.log({self._code(expr.args[0])})"
        if isinstance(expr, sp.factorial):
            return f"F.factorial({self._code(expr.args[0])})"
        if isinstance(expr, sp.loggamma):
            return f"F.log_gamma({self._code(expr.args[0])})"
        if isinstance(expr, sp.polygamma) and expr.args[0] == 0:
            return f"F.digamma({self._code(expr.args[1])})"
        if isinstance(expr, (sp.Max, sp.Min)):
            name = "largest" if isinstance(expr, sp.Max) else "smallest"
            return f"F.{name}({', '.join(self._code(arg) for arg in expr.args)})"
        raise CannotEvaluate(
            f"cannot evaluate {expr.func.__name__} in {expr}; expected + - * / powers, exp, log, factorial, loggamma, Max, Min"
        )


def _placeholder(symbol: sp.Symbol) -> str:
    return f"<{symbol.name}>"


class _NotRational(Exception):
    pass


class _Exact:
    largest, smallest = max, min

    @staticmethod
    def power(base: Fraction, exponent: int) -> Fraction:
        return Fraction(base) ** exponent

    @staticmethod
    def real_power(base: Fraction, exponent: Fraction) -> Fraction:
        if exponent.denominator == 1:
            return Fraction(base) ** int(exponent)
        raise _NotRational

    @staticmethod
    def log(x: Fraction) -> Fraction:
        if x == 1:
            return Fraction(0)
        raise _NotRational

    @staticmethod
    def exp(x: Fraction) -> Fraction:
        if x == 0:
            return Fraction(1)
        raise _NotRational

    @staticmethod
    def factorial(x: Fraction) -> Fraction:
        if x.denominator == 1 and x >= 0:
            return Fraction(math.factorial(int(x)))
        raise _NotRational

    @staticmethod
    def log_gamma(x: Fraction) -> Fraction:
        if x in (1, 2):
            return Fraction(0)
        raise _NotRational

    @staticmethod
    def digamma(x: Fraction) -> Fraction:
        raise _NotRational


class _Balls:
    @staticmethod
    def power(base: arb, exponent: int) -> arb:
        if exponent <= 0 or not base.contains(0) or not base.is_finite():
            return base**exponent
        # around 0 flint's own power is nan; odd powers rise, even ones rise with the absolute value
        low, high = (base.lower(), base.upper()) if exponent % 2 else (arb(0), abs(base).upper())
        return _whole_power(low, exponent).union(_whole_power(high, exponent))

    @staticmethod
    def real_power(base: arb, exponent: arb) -> arb:
        return (base.log() * exponent).exp()

    @staticmethod
    def log(x: arb) -> arb:
        return x.log()

    @staticmethod
    def exp(x: arb) -> arb:
        return x.exp()

    @staticmethod
    def factorial(x: arb) -> arb:
        return (x + 1).gamma()

    @staticmethod
    def log_gamma(x: arb) -> arb:
        return x.lgamma()

    @staticmethod
    def digamma(x: arb) -> arb:
        return x.digamma()

    @staticmethod
    def largest(*values: arb) -> arb:
        best = values[0]
        for value in values[1:]:
            best = best.max(value)
        return best

    @staticmethod
    def smallest(*values: arb) -> arb:
        best = values[0]
        for value in values[1:]:
            best = best.min(value)
        return best


def _whole_power(base: arb, exponent: int) -> arb:
    total = arb(1)
    for _ in range(exponent):
        total *= base
    return total


def ball(interval: Interval) -> arb:
    """A ball that contains the interval."""
    lo, hi = interval.bounds
    if lo == hi:
        return exact_ball(lo)
    return exact_ball(lo).union(exact_ball(hi))


def fraction_bounds(value: arb) -> tuple[Fraction, Fraction]:
    """Exact lower and upper ends of a finite ball."""
    if not value.is_finite():
        raise OutsideDomain("the expression is unbounded on the box")
    return middle(value.lower()), middle(value.upper())
