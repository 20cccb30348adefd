"""Numbers of any degree: two certified ends, which scipy's optimum lies between; rays; nothing to choose from."""

from __future__ import annotations

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from random_programs import SIZES, by_scipy, random_program

from theory import minimise_posynomial
from theory.posynomials import PosynomialOutcome
from theory.rates import RateError
from verify.strategies import posynomials

x, y, z, w = SIZES
GOAL = sp.Rational(1, 10**12)


@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
@pytest.mark.parametrize("seed", range(24))
def test_the_ends_enclose_what_scipy_finds(seed):
    objective, sizes, limits = random_program(seed, limits=seed % 3 > 0)
    found = minimise_posynomial(objective, over=sizes, subject_to=limits, at={})
    assert found.outcome is PosynomialOutcome.BRACKETED
    assert found.gap < GOAL
    assert found.check(), str(found.check())
    assert 0 < found.lower <= objective.subs(found.argmin)
    numeric = by_scipy(objective, sizes, limits)
    assert numeric is not None
    assert float(found.lower) * (1 - 1e-7) <= numeric <= float(found.upper) * (1 + 1e-5)


@settings(max_examples=30, deadline=None, derandomize=True, database=None)
@given(posynomials(), st.integers(-8, 8), st.integers(-8, 8))
def test_any_posynomial_held_from_both_sides_is_enclosed(objective, first, second):
    """Its certificate holds, the gap is small, and the lower end lies below the value at any point."""
    sizes = tuple(sorted(sp.sympify(objective).free_symbols, key=str))
    found = minimise_posynomial(objective, over=sizes, at={})
    assert found.outcome is PosynomialOutcome.BRACKETED
    assert found.check(), str(found.check())
    assert found.gap < GOAL
    there = {s: sp.Rational(2) ** i for s, i in zip(sizes, (first, second), strict=False)}
    assert found.lower <= sp.N(objective.subs(there), 60)


def test_a_constant_is_its_own_minimum():
    value = sp.Rational(49, 60)
    found = minimise_posynomial(value, over=(), at={})
    assert found.lower <= value <= found.upper
    assert found.check()
    assert minimise_posynomial(value, over=()).check()


def test_the_weights_are_the_shares_of_the_terms_at_the_minimum():
    objective = 2 * x + 3 / x + x**2 * y + 5 / y
    found = minimise_posynomial(objective, over=(x, y), at={})
    shares = sorted(float(term.subs(found.argmin) / found.upper) for term in objective.args)
    assert sorted(map(float, found.weights)) == pytest.approx(shares, rel=1e-10)
    assert sum(found.weights) == 1


def test_a_multiplier_is_the_price_of_its_constraint():
    def least(limit):
        return minimise_posynomial(1 / x + 2 / y, over=(x, y), subject_to=[x + y**2 + x * y <= limit], at={})

    at, above = least(3), least(sp.Rational(30003, 10000))
    slope = float(sp.log(at.upper / above.upper) / sp.log(sp.Rational(10001, 10000)))
    assert float(at.multipliers[0]) == pytest.approx(slope, rel=1e-3)


def test_an_infimum_that_no_point_attains_is_enclosed_and_said_so():
    found = minimise_posynomial(1 / x + y + 1 / y, over=(x, y), at={})
    assert found.outcome is PosynomialOutcome.APPROACHED
    assert found.lower <= 2 <= found.upper
    assert found.gap < GOAL
    assert found.ray[x] > 0
    assert found.ray[y] == 0
    assert found.check()
    assert "no point attains it" in repr(found)


def test_a_ray_behind_a_ray():
    """Once 1/x is gone, nothing holds y: only then can y/x + 1/(x y) + 1/y + 1 fall to 1."""
    found = minimise_posynomial(y / x + 1 / y + 1, over=(x, y), at={})
    assert found.outcome is PosynomialOutcome.APPROACHED
    assert found.lower <= 1 <= found.upper
    assert found.gap < GOAL
    assert found.check()


@pytest.mark.parametrize(
    ("objective", "limits"),
    [
        (1 / x + 1 / y, []),
        (x**2 + y, []),
        (1 / x + 1 / y, [x / y <= 3]),
        (x * y, [1 / x + 1 / y <= 1, sp.Eq(z * x, 2), sp.Eq(y**2 * z, 5)][:0]),
        (1 / (x * y), [x + 1 / y <= 2]),
    ],
)
def test_an_objective_that_falls_to_nothing_names_its_ray(objective, limits):
    found = minimise_posynomial(objective, over=(x, y), subject_to=limits, at={})
    assert found.outcome is PosynomialOutcome.UNBOUNDED
    assert found.value == 0
    assert found.check(), str(found.check())
    here = objective.subs({s: sp.Rational(2) ** (10 * r) for s, r in found.ray.items()})
    assert here < objective.subs({x: 1, y: 1})
    with pytest.raises(ValueError, match="falls to 0"):
        _ = found.upper


@pytest.mark.parametrize(
    "limits",
    [
        [x * y <= 5, x * y >= 7],
        [x + y <= 1, x * y >= 7],
        [sp.Eq(x * y, 5), sp.Eq(x**2 * y**2, 7)],
        [1 / x + 3 / y <= 2, x * y <= 2],
        [x <= 2, x >= 3, y <= 4],
        [x + 1 / x <= sp.Rational(199, 100)],
    ],
)
def test_constraints_that_no_point_meets_are_refuted_by_weights(limits):
    found = minimise_posynomial(1 / x + 1 / y, over=(x, y), subject_to=limits, at={})
    assert found.outcome is PosynomialOutcome.INFEASIBLE
    assert found.value is sp.oo
    assert found.certificate.lower > 1
    assert found.check(), str(found.check())
    assert ">=" in found.explain()


def test_redundant_equalities_are_no_contradiction():
    root = sp.sqrt(5)
    found = minimise_posynomial(x + y, over=(x, y), subject_to=[sp.Eq(x * y, 5), sp.Eq(sp.sqrt(x * y), root)], at={})  # fmt: skip
    assert found.lower <= 2 * root <= found.upper
    assert found.check()


def test_two_inequalities_that_meet_are_an_equality():
    found = minimise_posynomial(x + 4 / y, over=(x, y), subject_to=[x * y <= 9, x * y >= 9], at={})
    assert found.check()
    assert found.outcome is PosynomialOutcome.BRACKETED or found.outcome is PosynomialOutcome.UNBOUNDED


def test_constraints_without_an_interior_are_refused():
    with pytest.raises(RateError, match="no interior"):
        minimise_posynomial(x + y, over=(x, y), subject_to=[x + 1 / x <= 2], at={})


def test_scales_of_real_training_runs():
    N, D = sp.symbols("N D", positive=True)
    objective = sp.Rational("406.4") * N ** -sp.Rational("0.34") + sp.Rational("410.7") * D ** -sp.Rational(
        "0.28"
    )
    found = minimise_posynomial(objective, over=(N, D), subject_to=[sp.Eq(6 * N * D, 10**24)], at={})
    assert found.gap < GOAL
    assert found.check()
    assert float(found.argmin[N]) == pytest.approx((0.34 * 406.4 / (0.28 * 410.7)) ** (1 / 0.62) * (1e24 / 6) ** (0.28 / 0.62), rel=1e-9)  # fmt: skip


def test_the_same_program_gives_the_same_certificate():
    def once():
        return minimise_posynomial(x + 1 / x + x**2 * y + 1 / y, over=(x, y), at={}).certificate

    assert once() == once()
