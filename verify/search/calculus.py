"""Limits and derivatives carried out where the result is not taken on trust from the computer algebra.

sympy gives limits with parameters that hold for some of their values only, so a limit is taken here by the leading
coefficients of polynomials, and a derivative is compared with difference quotients of the function as it is written.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction

import sympy as sp

from verify.search.second_opinion import as_float

Draw = Callable[[sp.Symbol, random.Random], Fraction]
_TRIES = 12
_DIGITS = 100
_STEP = sp.Rational(1, 10**12)
_TOLERANCE = sp.Rational(1, 10**9)
_WEIGHTS = {1: ((1, sp.Rational(1, 2)), (-1, -sp.Rational(1, 2))), 2: ((1, 1), (0, -2), (-1, 1))}
"""The differences that a first and a second derivative are the limit of: (steps, weight)."""


class NotTrusted(Exception):
    """An operation whose result is not established here; the text says which, and why."""


def carried_out(expr: sp.Expr, draw: Draw, seed: int) -> sp.Expr:
    """The expression without limits, derivatives and substitutions; `NotTrusted` where one is not established."""
    if unknown := expr.atoms(sp.Sum, sp.Product, sp.Integral):
        raise NotTrusted(f"{min(unknown, key=str)}: sums, products and integrals are not proved here")
    while limits := [limit for limit in expr.atoms(sp.Limit) if not limit.args[0].has(sp.Limit)]:
        expr = expr.xreplace({limit: _limit(limit) for limit in limits})
    for derivative in sorted(expr.atoms(sp.Derivative), key=str):
        _compare_with_quotients(derivative, draw, random.Random(seed))
    return expr.doit()


def _limit(limit: sp.Limit) -> sp.Expr:
    """The limit at infinity of a rational function: by degrees, where no leading coefficient vanishes."""
    inside, x, end, _ = limit.args
    parts = sp.fraction(sp.cancel(sp.together(inside.doit())))
    if end is not sp.oo or not all(part.is_polynomial(x) for part in parts):
        raise NotTrusted(f"{limit}: only limits at infinity of rational functions are proved here")
    above, below = (sp.Poly(part, x) for part in parts)
    if above.degree() > below.degree() or not sp.factor(below.LC()).is_nonzero:
        raise NotTrusted(f"{limit}: it is not seen to be finite")
    return sp.cancel(above.LC() / below.LC()) if above.degree() == below.degree() else sp.S.Zero


def _compare_with_quotients(derivative: sp.Derivative, draw: Draw, rng: random.Random) -> None:
    """Raise unless sympy's derivative is, at drawn points, what differences of the function over the step are."""
    function, found = derivative.expr, derivative.doit()
    if len(derivative.variable_count) != 1 or derivative.variable_count[0][1] not in _WEIGHTS:
        raise NotTrusted(f"{derivative}: only first and second derivatives in one variable are proved here")
    [(x, order)] = derivative.variable_count
    compared = 0
    for _ in range(_TRIES):
        at = {s: as_float(draw(s, rng), _DIGITS) for s in sorted(function.free_symbols | {x}, key=str)}
        step = at[x] * _STEP
        values = [w * function.evalf(_DIGITS, subs={**at, x: at[x] + i * step}) for i, w in _WEIGHTS[order]]
        quotient, exact = sp.Add(*values) / step**order, found.evalf(_DIGITS, subs=at)
        if not (quotient.is_Float or quotient == 0) or not exact.is_number or exact.is_real is False:
            continue  # outside of where the function has a value
        if not abs(quotient - exact) <= _TOLERANCE * (1 + abs(exact)):
            break
        compared += 1
    if compared < _TRIES // 4:
        raise NotTrusted(f"{derivative}: differences of the function do not confirm that it is {found}")
