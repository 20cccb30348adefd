"""The search for proofs of polynomial inequalities in one variable; `verify.square_certificates` re-checks them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from theory.statement import Relation
from verify.means import polynomial_above


def prove_by_squares(relation: Relation, domain: Sequence[Relation]) -> dict[str, Any] | None:
    """A certificate, or None: the gap is a square, a power of the variable, and a rest without a root above the bound."""
    polynomial = polynomial_above(relation, domain)
    if polynomial is None or len(polynomial.gens) != 1 or polynomial.is_zero:
        return None
    [t] = polynomial.gens
    constant, factors = polynomial.sqf_list()
    one = sp.Poly(1, t)
    square, rest, shift = one, one.mul_ground(constant), 0
    for factor, times in factors:
        if factor.eval(0) == 0:  # square-free, so t divides it once
            factor, shift = factor.quo(sp.Poly(t, t)), shift + times
        square, rest = square * factor ** (times // 2), rest * factor ** (times % 2)
    if rest.eval(0) <= 0 or rest.count_roots(0, sp.oo):
        return None
    return {
        "rule": "sturm",
        "domain": [[c.lhs.name, str(c.rhs)] for c in domain],
        "open": [c.lhs.name for c in domain if c.op == ">"],
        "square": [str(c) for c in reversed(square.all_coeffs())],
        "shift": shift,
        "rest": [str(c) for c in reversed(rest.all_coeffs())],
    }
