"""Counts of routings and every bound on them, against exact integers, mpmath and Arb."""

from __future__ import annotations

import math

import mpmath
import pytest
import sympy as sp
from flint import arb, fmpz
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.results import routing
from theory.results.routing import number_of_routings, routing_entropy
from theory.statement import Kind, Statement
from theory.vocabulary import M, k

INEQUALITIES = [
    s
    for s in vars(routing).values()
    if isinstance(s, Statement) and s.kind is Kind.THEOREM and s.conclusion.op != "=="
]
sizes = st.integers(1, 4096).flatmap(lambda m: st.tuples(st.just(m), st.integers(1, m)))


@settings(max_examples=100, deadline=None)
@given(sizes)
def test_routing_entropy_agrees_with_mpmath_and_arb(size):
    experts, active = size
    found = routing_entropy(experts, active)
    with mpmath.workdps(40):
        other = mpmath.log(mpmath.binomial(experts, active))
        assert abs(found - other) <= 4e-16 * abs(other)
    enclosed = arb(fmpz(math.comb(experts, active))).log()
    assert abs(found - float(enclosed.mid())) <= 4e-16 * abs(found)
    assert number_of_routings(experts, active) == math.comb(experts, active)


def test_layers_and_tokens_multiply_the_exponent():
    assert number_of_routings(8, 2, layers=2, tokens=3) == 28**6
    assert routing_entropy(8, 2, layers=32, tokens=4096) == 32 * 4096 * math.log(28)


@pytest.mark.parametrize(("size", "named"), [((0, 1), "M"), ((4, 5), "k"), ((4, 1.0), "k"), ((True, 1), "M")])
def test_counts_that_are_none_are_refused(size, named):
    with pytest.raises(ValueError, match=rf"^{named}="):
        routing_entropy(*size)


@pytest.mark.parametrize("statement", INEQUALITIES, ids=lambda s: s.name)
def test_bounds_hold_at_every_small_size(statement):
    """An oracle apart from the proofs: 50-digit values for every k < M <= 24."""
    conclusion = statement.conclusion
    least_first = (
        (conclusion.lhs, conclusion.rhs) if conclusion.op == "<=" else (conclusion.rhs, conclusion.lhs)
    )
    sides = [sp.lambdify((M, k), side, "mpmath") for side in least_first]
    with mpmath.workdps(50):
        for m in range(2, 25):
            for active in range(1, m):
                low, high = (side(mpmath.mpf(m), mpmath.mpf(active)) for side in sides)
                assert low <= high + mpmath.mpf(10) ** -40, (m, active)


@pytest.mark.parametrize(
    ("statement", "size", "slack"),
    [
        (routing.log_choose_add_one_le_k_log, (37, 1), 0),
        (routing.log_choose_le_k_log, (37, 1), 1),
        (routing.eighth_entropy_le_log_choose, (2, 1), 0),
        (routing.k_log_ratio_le_log_choose, (37, 1), 0),
        (routing.k_log_ratio_le_log_choose, (9, 9), 0),
    ],
)
def test_bounds_are_tight_where_they_say(statement, size, slack):
    assert statement.tight_at
    at = dict(zip((M, k), size, strict=True))
    gap = (statement.conclusion.rhs - statement.conclusion.lhs).subs(at)
    assert sp.simplify(sp.expand_log(gap, force=True) - slack) == 0
