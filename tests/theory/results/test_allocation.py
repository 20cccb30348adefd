"""Optimal sizes under each reading of compute, against numeric minimisation that shares no code with the derivation."""

from __future__ import annotations

import math

import pytest
import sympy as sp
from scipy.optimize import minimize_scalar

from theory import (
    A,
    B,
    C,
    N,
    N_scores,
    a,
    alpha_C,
    compute_exponent,
    ell,
    minimise_posynomial,
    sparsity,
    statements,
)
from theory.results import allocation

AT = {A: 3, B: 5, a: sp.Rational(2, 3), ell: 7, sparsity: 4, N_scores: 10**4}
RATE = 2 / 3


def argmin(bound):
    found = minimize_scalar(
        lambda x: math.log(bound(math.exp(x))), bounds=(0, 60), method="bounded", options={"xatol": 1e-11}
    )
    return math.exp(found.x)


def least(bound):
    return bound(argmin(bound))


def test_tokens_are_what_the_best_size_leaves():
    best = argmin(lambda size: 3 * size**-RATE + 5 * size * 7 / (1e18 / (6 * size)))
    tokens = float(allocation.compute_optimal_tokens.formula.subs({**AT, C: 10**18}))
    assert tokens == pytest.approx(1e18 / (6 * best), rel=1e-4)


def test_compute_counted_on_total_parameters():
    def bound(size):
        total = 4 * size
        return 3 * size**-RATE + 5 * total * 7 / (1e18 / (6 * total))

    size = float(allocation.compute_optimal_size_on_total.formula.subs({**AT, C: 10**18}))
    assert size == pytest.approx(argmin(bound), rel=1e-4)


def test_free_experts_under_active_compute_want_the_smallest_active_size():
    def risk(active, compute):
        return least(lambda total: 3 * total**-RATE + 5 * total * 7 * 6 * active / compute)

    assert risk(1, 1e18) < risk(2, 1e18) < risk(10, 1e18)
    slope = -math.log(risk(1, 1e20) / risk(1, 1e18)) / math.log(100)
    assert slope == pytest.approx(RATE / (1 + RATE), rel=1e-6)
    assert slope > RATE / (2 + RATE)


def test_attention_scores_shift_the_optimum_to_a_root_of_its_equation():
    found = minimise_posynomial(allocation._with_scores, over=N, at={**AT, C: 10**15})
    assert found.check()
    size = float(found.argmin[N])
    assert size == pytest.approx(argmin(lambda m: 3 * m**-RATE + 6 * 5 * 7 * m * (m + 1e4) / 1e15), rel=1e-4)
    falls, rises = 3 * RATE * size**-RATE, 6 * 5 * 7 * (2 * size**2 + 1e4 * size) / 1e15
    assert falls == pytest.approx(rises, rel=1e-8)


def test_a_separable_law_shares_the_exponents_in_one_case_only():
    u, v = sp.symbols("u v", positive=True)
    own = u * v / (u + v)
    assert sp.simplify(own.subs(v, u / (1 + u)) - u / (2 + u)) == 0
    assert sp.solve(sp.numer(sp.together(own - u / (2 + u))), v) == [u / (u + 1)]


def test_what_compute_counts_is_said_wherever_its_exponent_is_stated():
    stated = [s for s in statements().values() if s.conclusion.lhs == alpha_C]
    assert compute_exponent in stated
    for statement in stated:
        assert "M/k fixed, or compute counted on total parameters" in statement.reading, statement.name
