"""Rates up to constants as a lattice: the smallest, over alternatives, of the largest monomial.

Sums are maxima here, so products, sums, minima, maxima and powers of known sign
stay in the form ``min over alternatives of max over monomials``. The maximum of
nothing is 0 and the minimum of nothing is infinity, and both come out right.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from theory.rates.growth import Monomial, Scalar

Rate = frozenset[frozenset[Monomial]]

ZERO: Rate = frozenset({frozenset()})
INFINITY: Rate = frozenset()


def rate_of(monomial: Monomial) -> Rate:
    return frozenset({frozenset({monomial})})


def smallest(rates: Iterable[Rate]) -> Rate:
    return _without_dominated(alternative for rate in rates for alternative in rate)


def largest(rates: Iterable[Rate]) -> Rate:
    """Max and sum alike: one alternative of each rate, their monomials together."""
    return _without_dominated(frozenset().union(*choice) for choice in itertools.product(*rates))


def product(left: Rate, right: Rate) -> Rate:
    return _without_dominated(frozenset(p * q for p in one for q in other) for one in left for other in right)


def power(rate: Rate, exponent: Scalar, sign: int) -> Rate:
    """``rate ** exponent`` for a positive or a negative exponent, the sign told apart by the caller."""
    if sign > 0:
        return frozenset(frozenset(m**exponent for m in alternative) for alternative in rate)
    # 1/min max = max min of the inverses = min over ways to pick one monomial from each alternative
    return _without_dominated(frozenset(m**exponent for m in choice) for choice in itertools.product(*rate))


def _without_dominated(alternatives: Iterable[frozenset[Monomial]]) -> Rate:
    """Drop every alternative that contains another one: its maximum is never the smaller."""
    distinct = set(alternatives)
    return frozenset(a for a in distinct if not any(b < a for b in distinct))
