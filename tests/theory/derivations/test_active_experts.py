"""Stationary points in k: none is missed, each is what it is said to be, and the minimiser is the least of all."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import mpmath
import pytest
import sympy as sp

from theory import RoutingPrice, optimal_active_experts
from theory.derivations.active_experts import Shape

SETTINGS = 60


def setting(seed):
    """Sizes over which the optimum moves: few to many samples, narrow to wide experts, short to long sequences."""
    rng = random.Random(f"active experts {seed}")
    return {
        "experts": rng.choice([8, 16, 64, 256]),
        "samples": 10 ** rng.randint(3, 14),
        "attention": 10 ** rng.randint(2, 7),
        "expert": 10 ** rng.randint(2, 7),
        "exponent": sp.Rational(rng.randint(1, 40), 20),
        "tokens": 2 ** rng.randint(4, 17),
        "layers": rng.choice([1, 12, 48]),
        "approximation_constant": 10 ** rng.randint(0, 4),
    }


def bound(s, price):
    """The bound by mpmath, written out again."""

    def charge(x):
        if price is RoutingPrice.K_LOG:
            return x * mpmath.log(mpmath.e * s["experts"] / x)
        if price is RoutingPrice.LOG_CHOOSE:
            return mpmath.log(mpmath.binomial(s["experts"], x))
        p = mpmath.mpf(x) / s["experts"]
        return s["experts"] * (-p * mpmath.log(p) - ((1 - p) * mpmath.log(1 - p) if p < 1 else 0))

    def value(x):
        size = s["layers"] * (s["attention"] + x * s["expert"])
        routing = s["layers"] * s["tokens"] * charge(mpmath.mpf(x))
        return s["approximation_constant"] * mpmath.power(size, -mpmath.mpf(int(s["exponent"].p)) / int(s["exponent"].q)) + (size + routing) / s["samples"]  # fmt: skip

    return value


@pytest.mark.parametrize("seed", range(0, SETTINGS, 4))
@pytest.mark.parametrize("price", RoutingPrice)
def test_the_least_whole_number_is_found(seed, price):
    s = setting(seed)
    found = optimal_active_experts(**s, price=price)
    value = bound(s, price)
    with mpmath.workdps(30):
        values = {i: value(i) for i in range(1, s["experts"] + 1)}
    least = min(values.values())
    assert [c.low for c in found.best_integer] == [i for i, v in values.items() if v == least]
    assert float(min(c.lower for c in found.best)) <= float(least) * (1 + 1e-12)


@pytest.mark.parametrize("seed", range(0, SETTINGS, 4))
@pytest.mark.parametrize("price", [RoutingPrice.K_LOG, RoutingPrice.LOG_CHOOSE])
def test_no_turn_of_the_bound_on_a_fine_grid_is_missed(seed, price):
    s = setting(seed)
    found = optimal_active_experts(**s, price=price)
    assert found.complete
    value = bound(s, price)
    with mpmath.workdps(30):
        grid = [mpmath.mpf(s["experts"]) ** (mpmath.mpf(i) / 400) for i in range(401)]
        steps = [value(b) > value(a) for a, b in itertools.pairwise(grid)]
    turns = sum(a != b for a, b in itertools.pairwise(steps))
    assert (
        turns == len(found.stationary) or turns == len(found.stationary) - 2
    )  # two within one cell of the grid
    for point in found.stationary:
        assert point.high - point.low < sp.Rational(1, 10**6)


def test_what_the_statements_say_about_the_slope_holds_at_random_settings():
    """At most three stationary points, at most one of them a minimum; the number is that of sign changes at the ends."""
    for seed in range(SETTINGS):
        found = optimal_active_experts(**setting(seed))
        assert found.complete
        shapes = [p.shape for p in found.stationary]
        assert len(shapes) <= 3
        assert shapes.count(Shape.MINIMUM) <= 1
        assert all(a is not b for a, b in itertools.pairwise(shapes))


def test_endpoints_are_the_rule_and_roots_the_exception():
    """Most settings have no stationary point inside, a good deal one, few two: a property of the bound over these ranges."""
    counts = Counter(len(optimal_active_experts(**setting(seed)).stationary) for seed in range(300))
    assert counts[0] > 4 * counts[1] > 0
    assert counts[1] > counts[2]


def test_a_setting_with_a_minimum_and_a_maximum_inside():
    found = optimal_active_experts(
        experts=16, samples=10**7, attention=100, expert=100, exponent=sp.Rational(9, 10), tokens=2**15,
        layers=48, approximation_constant=10**4,
    )  # fmt: skip
    assert [p.shape for p in found.stationary] == [Shape.MINIMUM, Shape.MAXIMUM]
    assert [c.low for c in found.best_integer] == [4]
    assert found.best[0] == found.stationary[0]


def test_the_entropy_never_prefers_to_stop_short_of_all_experts():
    """M H(k/M) has slope minus infinity at k = M, so k = M is a local minimum, and cheaper than under k log(eM/k)."""
    for seed in range(12):
        s = setting(seed)
        sharp = optimal_active_experts(**s, price=RoutingPrice.ENTROPY)
        usual = optimal_active_experts(**s)
        assert sharp.endpoints[1].upper < usual.endpoints[1].lower
        assert not sharp.stationary or sharp.stationary[-1].shape is Shape.MAXIMUM


def test_advice_that_rests_on_the_loose_price():
    """Long sequences: k log(eM/k) charges k = M the most and says k = 1; the true price of k = M is nothing."""
    s = {"experts": 8, "samples": 10**6, "attention": 1, "expert": 10, "exponent": 1, "tokens": 10**4, "approximation_constant": sp.Rational(1, 4)}  # fmt: skip
    assert [c.low for c in optimal_active_experts(**s).best_integer] == [1]
    assert [c.low for c in optimal_active_experts(**s, price=RoutingPrice.LOG_CHOOSE).best_integer] == [8]


def test_one_expert_leaves_no_choice():
    found = optimal_active_experts(experts=1, samples=10, attention=1, expert=1, exponent=1, tokens=1)
    assert found.stationary == ()
    assert [c.low for c in found.best] == [1]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"experts": 0}, "experts=0.*whole number"),
        ({"experts": True}, "whole number"),
        ({"samples": -1}, "samples=-1.*positive"),
        ({"exponent": 0.5}, r"exponent=0\.5.*Rational"),
        ({"tokens": sp.Symbol("x", positive=True)}, "exact number"),
    ],
)
def test_arguments_out_of_range_are_named(changed, words):
    with pytest.raises(ValueError, match=words):
        optimal_active_experts(**{**setting(0), **changed})
