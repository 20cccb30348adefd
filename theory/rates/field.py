"""The field Q(beta, d, ...) of rational functions in the parameters, on FLINT's exact polynomials.

A `Fraction` is kept in lowest terms with a monic denominator, so that equal
functions are equal objects; a `Field` makes them from sympy and turns them back.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import flint
import sympy as sp

Polynomial = Any  # a flint.fmpq_mpoly
Rational = Any  # a flint.fmpq or a Python integer


class NotRational(ValueError):
    """An expression that is no rational function of the parameters."""


class Fraction:
    """A quotient of two polynomials in lowest terms, the denominator monic."""

    __slots__ = ("_key", "den", "num")

    def __init__(self, num: Polynomial, den: Polynomial) -> None:
        if not den.is_one():
            common = num.gcd(den)
            if not common.is_one():
                num, den = num // common, den // common
            lead = den.leading_coefficient()
            num, den = num / lead, den / lead
        self.num, self.den = num, den
        self._key: tuple[object, ...] | None = None

    def _lift(self, other: object) -> Fraction:
        if isinstance(other, Fraction):
            return other
        one = self.den.context().constant(1)
        return Fraction(one * other, one)

    def __add__(self, other: object) -> Fraction:
        other = self._lift(other)
        if self.den == other.den:
            return Fraction(self.num + other.num, self.den)
        return Fraction(self.num * other.den + other.num * self.den, self.den * other.den)

    def __neg__(self) -> Fraction:
        return Fraction(-self.num, self.den)

    def __sub__(self, other: object) -> Fraction:
        return self + (-self._lift(other))

    def __mul__(self, other: object) -> Fraction:
        other = self._lift(other)
        return Fraction(self.num * other.num, self.den * other.den)

    def __truediv__(self, other: object) -> Fraction:
        other = self._lift(other)
        return Fraction(self.num * other.den, self.den * other.num)

    __radd__ = __add__
    __rmul__ = __mul__

    def __bool__(self) -> bool:
        return not self.num.is_zero()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Fraction):
            other = self._lift(other)
        return bool(self.num == other.num and self.den == other.den)

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def key(self) -> tuple[object, ...]:
        """A hashable spelling of the function, the same for equal functions."""
        if self._key is None:
            self._key = tuple(tuple(sorted(_integer_terms(p))) for p in (self.num, self.den))
        return self._key

    @property
    def denominator(self) -> Fraction:
        return Fraction(self.den, self.den.context().constant(1))

    def at(self, point: Sequence[Rational]) -> Rational:
        """The value at rational parameters; ZeroDivisionError at a pole."""
        return flint.fmpq(self.num(*point)) / flint.fmpq(self.den(*point))

    def __repr__(self) -> str:
        return f"({self.num})/({self.den})"


def _integer_terms(poly: Polynomial) -> list[tuple[tuple[int, ...], int, int]]:
    return [(tuple(map(int, m)), int(c.p), int(c.q)) for m, c in poly.to_dict().items()]


class Field:
    """Q(parameters); ``read`` takes sympy expressions in, ``show`` gives them back."""

    def __init__(self, parameters: Sequence[sp.Symbol]) -> None:
        self.parameters = tuple(parameters)
        names = tuple(f"p{i}" for i in range(len(self.parameters)))
        self.context = flint.fmpq_mpoly_ctx.get(names, "lex")

    @cached_property
    def zero(self) -> Fraction:
        return self.constant(0)

    @cached_property
    def one(self) -> Fraction:
        return self.constant(1)

    def constant(self, value: Rational) -> Fraction:
        return Fraction(self.context.constant(value), self.context.constant(1))

    def read(self, expr: sp.Expr) -> Fraction:
        """The element equal to ``expr``; `NotRational` where there is none."""
        if expr.is_Rational:
            return self.constant(flint.fmpq(int(expr.p), int(expr.q)))
        if expr in self.parameters:
            generator = self.context.gens()[self.parameters.index(expr)]
            return Fraction(generator, self.context.constant(1))
        if expr.is_Add or expr.is_Mul:
            total = self.zero if expr.is_Add else self.one
            for arg in expr.args:
                total = total + self.read(arg) if expr.is_Add else total * self.read(arg)
            return total
        if expr.is_Pow and expr.exp.is_Integer:
            base = self.read(expr.base)
            power = self.one
            for _ in range(abs(int(expr.exp))):
                power = power * base
            return power if expr.exp >= 0 else self.one / power
        raise NotRational(f"{expr} is no rational function of {', '.join(map(str, self.parameters)) or 'Q'}")

    def show(self, element: Fraction) -> sp.Expr:
        """The element as a sympy expression, numerator and denominator factored."""
        return sp.factor(self.show_polynomial(element.num) / self.show_polynomial(element.den))

    def show_polynomial(self, poly: Polynomial) -> sp.Expr:
        terms = [
            sp.Rational(p, q) * sp.Mul(*(s**e for s, e in zip(self.parameters, m, strict=True)))
            for m, p, q in _integer_terms(poly)
        ]
        return sp.Add(*terms)
