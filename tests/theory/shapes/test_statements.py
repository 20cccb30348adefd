"""What the rules say of every statement's bound, against values of the bound."""

from __future__ import annotations

import random

import mpmath
import pytest
import sympy as sp
from flint import arb, ctx
from shape_sampling import contradictions, draw

from theory.numbers.values import ball, number
from theory.statement import statements
from theory.vocabulary import M, beta, d, k, tau

BOUNDS = {name: s for name, s in statements().items() if s.is_bound and not s.bound.has(sp.Sum)}
SEED = 20260409
POINTS = 8


@pytest.mark.parametrize("statement", BOUNDS.values(), ids=lambda s: s.name)
def test_no_value_contradicts_what_is_inferred_of_a_bound(statement):
    for shape in statement.shapes().values():
        assert contradictions(shape, statement.conditions, SEED) == []


def test_most_is_decided_and_what_is_known_to_turn_is_not():
    shapes = [shape for s in BOUNDS.values() for shape in s.shapes().values()]
    decided = sum(s.direction != "unknown" for s in shapes) + sum(s.curvature != "unknown" for s in shapes)
    assert decided / (2 * len(shapes)) > 0.79
    assert BOUNDS["k_log_ratio_le_log_choose"].shapes()[k].direction == "unknown"
    assert BOUNDS["bound_as_stated"].shapes()[sp.Symbol("N_act", positive=True)].direction == "unknown"


@pytest.mark.parametrize("statement", BOUNDS.values(), ids=lambda s: s.name)
def test_float_40_digits_and_ball_agree_on_every_bound(statement):
    """At 8 random points; relative to the largest summand, to 1e-9 and 1e-30."""
    rng = random.Random(SEED)
    symbols = sorted(statement.bound.free_symbols, key=str)
    by_mpmath = sp.lambdify(symbols, statement.bound, "mpmath")
    for _ in range(POINTS):
        point = draw(statement.domain, rng, whole=True)
        enclosed = ball(statement.bound, point)
        assert enclosed.is_finite(), point
        size = max((abs(ball(t, point)) for t in sp.Add.make_args(sp.expand(statement.bound))), key=float)
        with mpmath.workdps(40):
            precise = by_mpmath(*(mpmath.mpf(int(point[s].p)) / int(point[s].q) for s in symbols))
            digits = mpmath.nstr(precise, 40)
        with ctx.workprec(160):
            assert abs(enclosed - arb(digits)) <= size * arb("1e-30"), point
            assert abs(enclosed - number(statement.bound, point)) <= size * arb("1e-9"), point


def test_the_shape_is_part_of_the_explanation():
    said = statements()["data_exponent"].explain()
    assert "shape: increasing in beta; decreasing in d; convex in d; concave in beta" in said
    open_in = statements()["risk_bound"].explain()
    assert "direction unknown in N, a" in open_in
    assert "stated: increasing in M" in statements()["log_choose_le_stirling"].explain()


def test_a_symbol_that_a_hypothesis_defines_moves_with_its_formula():
    """In the bound touched = L_T (Pi_attn + min(M, k ell) Pi_exp) has a name; more blocks touch more parameters."""
    statement = statements()["fixed_pattern_bound"]
    [ell] = [s for s in statement.bound.free_symbols if s.name == "ell"]
    assert "min" in str(statement.shapes()[ell].node.formula).lower()
    assert statement.shapes()[ell].curvature == "concave"


def test_tau_between_0_and_1_is_a_hypothesis_that_the_rules_use():
    assert statements()["net_oracle"].shapes()[tau].convex
    assert all(
        s.direction == "increasing"
        for x, s in statements()["net_oracle"].shapes().items()
        if x.name in "sigma W"
    )


def test_what_is_no_bound_has_no_shapes():
    assert statements()["routing_patterns"].shapes() == {}
    assert set(statements()["data_exponent"].shapes()) == {beta, d}
    assert M in statements()["log_choose_le_k_log"].shapes()
