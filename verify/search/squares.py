"""The search for proofs of polynomial inequalities that touch zero; `verify.recheck.squares` re-checks them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from theory.relation import Relation
from verify.search.means import polynomial_above


def prove_by_squares(relation: Relation, domain: Sequence[Relation]) -> dict[str, Any] | None:
    """A certificate, or None: the gap is a square times a rest that is seen not to be negative above the bounds.

    In one variable the rest is, once its roots at the bound are taken out, positive there and without a root above;
    in several its coefficients are not negative.
    """
    polynomial = polynomial_above(relation, domain)
    if polynomial is None or polynomial.is_zero:
        return None
    one = sp.Poly(1, *polynomial.gens)
    constant, factors = polynomial.sqf_list()
    square, rest = one, one.mul_ground(constant)
    for factor, times in factors:
        square, rest = square * factor ** (times // 2), rest * factor ** (times % 2)
    if not _is_nonnegative(rest):
        return None
    return {"square": _terms(square), "rest": _terms(rest)}


def _is_nonnegative(rest: sp.Poly) -> bool:
    if all(c >= 0 for c in rest.coeffs()):
        return True
    if len(rest.gens) > 1:
        return False
    t = sp.Poly(rest.gens[0], *rest.gens)
    while rest.eval(0) == 0:
        rest = rest.quo(t)
    return bool(rest.eval(0) > 0 and not rest.count_roots(0, sp.oo))


def _terms(polynomial: sp.Poly) -> list[list[Any]]:
    """Powers, with that of pi at the end, and coefficient of each term."""
    return [[[*map(int, powers), 0], str(c)] for powers, c in polynomial.terms()]
