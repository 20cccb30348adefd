"""Sums of monomials with their constants kept: slopes, and the minimum of a falling and a rising term.

A falling monomial plus a rising one is a geometric program of degree of
difficulty zero: weighted AM-GM gives its minimum in closed form, and the
weights themselves are the proof that nothing lies below it
(Boyd, Kim, Vandenberghe, Hassibi, "A tutorial on geometric programming", 2007).
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp


def log_slope(expr: sp.Expr, var: sp.Symbol) -> sp.Expr:
    """d log(expr) / d log(var), left unevaluated so that a derivation shows what is claimed.

    It is the exponent of ``var`` where ``expr`` is a monomial in it.
    """
    return var * sp.Derivative(expr, var) / expr


def exponent(term: sp.Expr, var: sp.Symbol) -> sp.Expr:
    """The exponent of ``var`` in a monomial; ValueError where ``term`` is not one."""
    found = sp.powsimp(sp.expand_power_base(term)).as_independent(var, as_Add=False)[1]
    base, power = found.as_base_exp()
    if found == 1:
        return sp.Integer(0)
    if base != var or power.has(var):
        raise ValueError(f"exponent({term}): expected a monomial in {var}")
    return power


@dataclass(frozen=True)
class Minimum:
    """The minimum of ``falling + rising`` over one variable.

    ``weights`` are the AM-GM weights of the two terms: at every point
    ``falling + rising >= (falling/w_0)**w_0 * (rising/w_1)**w_1 = value``.
    """

    argmin: sp.Expr
    value: sp.Expr
    weights: tuple[sp.Expr, sp.Expr]


def minimise_two_terms(falling: sp.Expr, rising: sp.Expr, over: sp.Symbol) -> Minimum:
    """Minimise ``falling + rising`` over ``over > 0``, both monomials with positive constants.

    Raises ValueError where a term is not a monomial in ``over`` or where their
    exponents do not have opposite signs (no interior minimum).
    """
    p, q = -exponent(falling, over), exponent(rising, over)
    if not (p.is_positive and q.is_positive):
        raise ValueError(
            f"minimise_two_terms: expected a falling and a rising term in {over}, "
            f"got exponents {-p} and {q}; without opposite signs there is no interior minimum"
        )
    falling_constant, rising_constant = falling * over**p, rising / over**q
    argmin = (p * falling_constant / (q * rising_constant)) ** (1 / (p + q))
    weights = (q / (p + q), p / (p + q))
    value = (falling_constant / weights[0]) ** weights[0] * (rising_constant / weights[1]) ** (weights[1])
    return Minimum(argmin, value, weights)
