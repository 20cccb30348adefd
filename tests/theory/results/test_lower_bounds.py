"""The packing of the Hölder ball, pair by pair in small cases, and what its constant says of real classes."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.rates import minimise
from theory.relation import eq
from theory.results.lower_bounds import (
    SignedBumps,
    approximating_class_entropy,
    holder_entropy_bound,
    holder_packing,
    minimax_exponent,
)
from theory.vocabulary import H_beta, beta, d, eps, g, n

HALF = Fraction(1, 2)


def apart(x, y):
    return max(abs(a - b) for a, b in zip(x, y, strict=True))


def grid(points, dimension):
    return list(itertools.product([Fraction(i, points) for i in range(points + 1)], repeat=dimension))


@pytest.mark.parametrize(("cells", "dimension"), [(1, 1), (2, 1), (3, 1), (5, 1), (2, 2), (1, 3)])
@pytest.mark.parametrize("smoothness", [1, HALF])
def test_all_pairs_of_the_packing_are_as_far_apart_as_stated(cells, dimension, smoothness):
    functions = list(SignedBumps.packing(cells, dimension, smoothness=smoothness, seminorm=3))
    assert (
        len(functions)
        == 2 ** (cells**dimension)
        == round(sp.exp(holder_packing.formula.subs({g: cells, d: dimension})))
    )
    centres = [
        tuple(Fraction(2 * i + 1, 2 * cells) for i in index)
        for index in itertools.product(range(cells), repeat=dimension)
    ]
    values = [[f(c) for c in centres] for f in functions]
    stated = 3 * Fraction(1, cells) if smoothness == 1 else 3 * float(cells) ** -float(smoothness)
    for one, two in itertools.combinations(values, 2):
        assert max(abs(p - q) for p, q in zip(one, two, strict=True)) == pytest.approx(stated, rel=1e-14)
        assert smoothness != 1 or max(abs(p - q) for p, q in zip(one, two, strict=True)) == stated


@pytest.mark.parametrize(("cells", "dimension", "points"), [(2, 1, 24), (3, 1, 24), (2, 2, 8)])
@pytest.mark.parametrize("smoothness", [1, HALF, Fraction(1, 3)])
def test_every_function_of_the_packing_is_in_the_ball_on_a_grid(cells, dimension, points, smoothness):
    pairs = [
        (x, y, float(apart(x, y)) ** float(smoothness))
        for x, y in itertools.combinations(grid(points, dimension), 2)
    ]
    largest = 0.0
    for f in SignedBumps.packing(cells, dimension, smoothness=smoothness):
        values = {x: float(f(x)) for x in grid(points, dimension)}
        largest = max(largest, *(abs(values[x] - values[y]) / distance for x, y, distance in pairs))
    assert largest == pytest.approx(1, rel=1e-12)  # attained between opposite points of neighbouring cells


@settings(deadline=None)
@given(st.fractions(0, 1), st.fractions(0, 1), st.integers(0, 2**9 - 1))
def test_the_seminorm_holds_at_random_exact_points(x, y, code):
    f = SignedBumps(tuple(1 if code >> i & 1 else -1 for i in range(9)), 9, seminorm=2)
    assert abs(f((x,)) - f((y,))) <= 2 * abs(x - y)


@settings(deadline=None)
@given(
    st.fractions(Fraction(1, 1000), Fraction(499, 1000)),
    st.integers(1, 4),
    st.sampled_from([1, HALF, Fraction(1, 4)]),
)
def test_the_closed_form_is_below_the_count_of_the_packing(radius, dimension, order):
    """g is the largest integer with g^(-beta) > 2 eps, in exact arithmetic."""
    power = int(1 / Fraction(order))
    cells = math.ceil((1 / (2 * radius)) ** power) - 1
    assert cells >= 1
    assert Fraction(1, cells) > (2 * radius) ** power
    stated = holder_entropy_bound.subs(
        {beta: sp.Rational(order), d: dimension, eps: sp.Rational(radius), H_beta: 1}
    )
    assert float(stated) <= cells**dimension * math.log(2) * (1 + 1e-12)


def test_constant_experts_pay_the_entropy_that_their_accuracy_costs():
    """M constant experts approximate to H/(2 M) for d = beta = 1; M log ceil(1/eps) must exceed the bound."""
    for experts in (1, 3, 10, 100):
        accuracy = sp.Rational(1, 2 * experts)
        needed = approximating_class_entropy.formula.subs({beta: 1, d: 1, H_beta: 1, eps: accuracy})
        assert float(needed) <= experts * math.log(math.ceil(1 / accuracy))


def test_the_minimax_exponent_is_the_balance_that_the_calculus_of_rates_finds():
    found = minimise(eps**2 + eps ** (-d / beta) / n, (eps,), given=n, small=(eps,))
    assert sp.simplify(found.pieces[0].power + minimax_exponent.formula) == 0
    assert minimax_exponent.steps[-1].relation == eq(minimax_exponent.formula, 2 * beta / (2 * beta + d))


@pytest.mark.parametrize("bad", [{"smoothness": 2}, {"smoothness": 0}, {"signs": (1, 0)}])
def test_functions_outside_the_construction_are_refused(bad):
    with pytest.raises(ValueError, match="SignedBumps"):
        SignedBumps(**({"signs": (1, -1), "cells_per_axis": 2} | bad))
