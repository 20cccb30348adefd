"""Slopes and exponents of monomials, as a derivation shows them."""

from __future__ import annotations

__all__ = ["log_slope"]

import sympy as sp

from theory.errors import MoelawsError


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
        raise MoelawsError(f"exponent({term}): expected a monomial in {var}")
    return power
