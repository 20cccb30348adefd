"""The value of a formula at a point: a float for use, a ball that is certain to hold the true value.

``x log x`` is 0 at 0, as everywhere in `theory`. Both walk the formula; they share no arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from theory.errors import MoelawsError

At = Mapping[sp.Symbol, Any]
BITS = 160


def number(formula: sp.Expr, at: At) -> float:
    """The formula at ``at`` (numbers for its symbols) in double precision; ValueError outside its domain."""
    return float(_Walk(_Floats(), {s: float(sp.Rational(v)) for s, v in at.items()})(sp.sympify(formula)))


def ball(formula: sp.Expr, at: At, bits: int = BITS) -> Any:
    """The formula at exact ``at`` as a ``flint.arb`` that holds its true value; not finite outside its domain."""
    from flint import arb, ctx, fmpq

    before = ctx.prec
    ctx.prec = bits
    try:
        exact = {s: Fraction(int(v.p), int(v.q)) for s, v in ((s, sp.Rational(x)) for s, x in at.items())}
        balls = {s: arb(fmpq(v.numerator, v.denominator)) for s, v in exact.items()}
        return arb(_Walk(_Balls(exact), balls)(sp.sympify(formula)))
    finally:
        ctx.prec = before


class _Floats:
    """Python's own double precision."""

    pi, e = math.pi, math.e
    log, exp, erf, ceiling = math.log, math.exp, math.erf, math.ceil

    def rational(self, value: Fraction) -> float:
        return float(value)

    def exactly(self, expr: sp.Expr) -> Fraction | None:
        return None

    def is_zero(self, value: float) -> bool:
        return value == 0

    def power(self, base: float, exponent: float) -> float:
        return float(base**exponent)

    def log_gamma(self, value: float) -> float:
        return math.lgamma(value)

    def largest(self, one: float, other: float) -> float:
        return max(one, other)

    def smallest(self, one: float, other: float) -> float:
        return min(one, other)


class _Balls:
    """flint's balls."""

    def __init__(self, exact: Mapping[sp.Symbol, Fraction]) -> None:
        from flint import arb

        self.known = exact
        self.pi, self.e = arb.pi(), arb(1).exp()

    def rational(self, value: Fraction) -> Any:
        from flint import arb, fmpq

        return arb(fmpq(value.numerator, value.denominator))

    def exactly(self, expr: sp.Expr) -> Fraction | None:
        """What is rational, exactly: a ball around 0 is not known to be 0, and 0 log 0 hangs on that."""
        if expr.is_Rational:
            return Fraction(int(expr.p), int(expr.q))
        if expr.is_Symbol:
            return self.known.get(expr)
        if not (expr.is_Add or expr.is_Mul or (expr.is_Pow and expr.exp.is_Integer)):
            return None
        if expr.is_Pow:
            base = self.exactly(expr.base)
            return None if base is None or (base == 0 and expr.exp < 0) else base ** int(expr.exp)
        total = Fraction(0 if expr.is_Add else 1)
        for arg in expr.args:
            part = self.exactly(arg)
            if part is None:
                return None
            total = total + part if expr.is_Add else total * part
        return total

    def is_zero(self, value: Any) -> bool:
        return bool(value.is_zero())

    def power(self, base: Any, exponent: Any) -> Any:
        return base**exponent

    def log(self, value: Any) -> Any:
        return value.log()

    def exp(self, value: Any) -> Any:
        return value.exp()

    def erf(self, value: Any) -> Any:
        return value.erf()

    def ceiling(self, value: Any) -> Any:
        return value.ceil()

    def log_gamma(self, value: Any) -> Any:
        return value.lgamma()

    def largest(self, one: Any, other: Any) -> Any:
        return one.max(other)

    def smallest(self, one: Any, other: Any) -> Any:
        return one.min(other)


class _Walk:
    """Evaluates an expression from its leaves upwards in one arithmetic."""

    def __init__(self, arithmetic: Any, at: Mapping[sp.Symbol, Any]) -> None:
        self.arithmetic, self.at = arithmetic, at

    def __call__(self, expr: sp.Expr) -> Any:
        do = self.arithmetic
        exact = do.exactly(expr)
        if exact is not None:
            return do.rational(exact)
        if expr.is_Rational:
            return do.rational(Fraction(int(expr.p), int(expr.q)))
        if expr in (sp.pi, sp.E):
            return do.pi if expr is sp.pi else do.e
        if expr.is_Symbol:
            if expr not in self.at:
                raise MoelawsError(f"no value for {expr}; give one for each symbol of the formula")
            return self.at[expr]
        if isinstance(expr, sp.log) and isinstance(expr.args[0], (sp.binomial, sp.factorial)):
            return self._log_count(expr.args[0])
        if expr.is_Mul:
            return self._product(expr)
        parts = [self(arg) for arg in expr.args]
        if expr.is_Add:
            return sum(parts[1:], parts[0])
        if expr.is_Pow:
            return do.power(*parts)
        if isinstance(expr, sp.factorial):
            return do.exp(self._log_count(expr))
        if isinstance(expr, (sp.Max, sp.Min)):
            best = parts[0]
            for part in parts[1:]:
                best = (do.largest if isinstance(expr, sp.Max) else do.smallest)(best, part)
            return best
        known = {
            sp.log: do.log,
            sp.exp: do.exp,
            sp.erf: do.erf,
            sp.ceiling: do.ceiling,
            sp.loggamma: do.log_gamma,
        }
        if expr.func not in known:
            raise MoelawsError(
                f"{expr.func.__name__} in {expr} has no value here; expected powers, log, exp, Max, Min"
            )
        return known[expr.func](*parts)

    def _product(self, expr: sp.Expr) -> Any:
        """Factors without a logarithm first: where they vanish the product does, whatever the rest."""
        plain = [self(arg) for arg in expr.args if not arg.has(sp.log)]
        total = self.arithmetic.rational(Fraction(1))
        for part in plain:
            total = total * part
        if self.arithmetic.is_zero(total):
            return total
        for arg in expr.args:
            total = total * self(arg) if arg.has(sp.log) else total
        return total

    def _log_count(self, count: sp.Expr) -> Any:
        """log n! or log C(n, k), through the gamma function."""
        one = self.arithmetic.rational(Fraction(1))
        logs = [self.arithmetic.log_gamma(self(arg) + one) for arg in count.args]
        if isinstance(count, sp.factorial):
            return logs[0]
        return logs[0] - logs[1] - self.arithmetic.log_gamma(self(count.args[0] - count.args[1]) + one)
