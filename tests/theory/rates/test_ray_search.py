"""The numeric search against known answers, and every labelled pair against the search and plain arithmetic."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp
from labelled_pairs import PAIRS, beta, d
from ray_search import search
from scipy.optimize import linprog
from sympy import log

SEED_LINEAR, SEED_SIZES = 8, 9
W, L, k, M = sp.symbols("W L k M", positive=True)
BY_NAME = [pytest.param(row, id=row.name) for row in PAIRS]


def at(row, smooth, dim):
    """Error, entropy, constraints and d/beta with numbers for beta and d."""
    values = {beta: smooth, d: dim}
    rules = [rule.subs(values) for rule in row.constraints]
    return row.error.subs(values), row.entropy.subs(values), rules, dim / smooth


@pytest.mark.parametrize("row", BY_NAME)
def test_label_slack_and_log_power_agree_with_the_search(row):
    for smooth, dim in row.points:
        error, entropy, rules, exponent = at(row, smooth, dim)
        found = search(error, entropy, row.sizes, exponent=exponent, constraints=rules)
        values = {beta: smooth, d: dim}
        assert found.verdict == row.label, (smooth, dim, found)
        assert found.slack == pytest.approx(float(row.slack.subs(values)), abs=1e-6), (smooth, dim, found)
        assert found.logarithmic == row.logarithmic, (smooth, dim, found)
        assert (found.log_power is None) == (row.log_power is None), (smooth, dim, found)
        if row.log_power is not None:
            assert found.log_power == pytest.approx(float(row.log_power.subs(values)), abs=1e-6), (
                smooth,
                dim,
            )
            assert not found.log_power_error > 0.5


@pytest.mark.parametrize("row", [p for p in BY_NAME if p.values[0].label == "CONSISTENT"])
def test_consistent_pairs_pay_at_random_finite_sizes(row):
    """No logarithmic coordinates here: floats, sizes up to e^30, the entropy within e^7 of what is asked for."""
    rng = np.random.default_rng(SEED_SIZES)
    shape = (len(row.sizes), 12_000)
    logs = np.exp(rng.uniform(-3, math.log(30), shape)) * (rng.random(shape) < 0.9)
    logs = np.where(rng.random(shape) < 0.3, logs[rng.integers(len(logs))], logs)  # ties
    for smooth, dim in row.points:
        error, entropy, rules, exponent = at(row, smooth, dim)
        with np.errstate(all="ignore"):
            sizes = np.exp(logs)
            keep = np.ones(sizes.shape[1], dtype=bool)
            for rule in rules:
                keep &= np.asarray(sp.lambdify(row.sizes, rule, "numpy")(*sizes), dtype=bool)
            err, ent = (
                np.broadcast_to(sp.lambdify(row.sizes, f, "numpy")(*sizes), keep.shape)
                for f in (error, entropy)
            )
            keep &= (err < 1) & (err > 1e-300) & np.isfinite(ent)
            paid = np.log(ent[keep]) + float(exponent) * np.log(err[keep])
        assert keep.sum() > 50
        assert paid.min() > -7, (smooth, dim)


def test_the_table_is_balanced_and_its_names_are_unique():
    names = [row.name for row in PAIRS]
    broken = [row for row in PAIRS if row.label == "BROKEN"]
    assert len(set(names)) == len(names) >= 70
    assert 0.4 < len(broken) / len(names) < 0.6
    assert sum(row.logarithmic for row in PAIRS) >= 15
    assert sum(row.exponential for row in PAIRS) >= 8
    assert sum(row.iterated_log for row in PAIRS) >= 4
    assert sum(row.source == "citation" for row in PAIRS) >= 20


@pytest.mark.parametrize("row", BY_NAME)
def test_rows_are_complete(row):
    free = sp.Tuple(row.error, row.entropy, *row.constraints).free_symbols
    assert free - {beta, d} == set(row.sizes)
    assert len(row.points) >= 2
    assert all(value.is_Rational for point in row.points for value in point)
    signs = {sp.sign(row.slack.subs({beta: x, d: y})) for x, y in row.points}
    powers = {
        sp.sign(row.log_power.subs({beta: x, d: y})) for x, y in row.points if row.log_power is not None
    }
    if row.label == "CONSISTENT":
        assert signs in ({0}, {1})
        assert powers <= {0, 1}
    else:
        assert signs == {-1} or (signs == {0} and powers <= {0, -1})


def random_posynomials(rng, sizes):
    """error = sum of 1/monomials, entropy = 1 + sum of monomials, and the least exponent by linear programming."""
    rates = rng.integers(0, 8, size=(rng.integers(1, 4), sizes))
    rates[rates.sum(axis=1) == 0, 0] = 1
    costs = rng.integers(0, 8, size=(rng.integers(1, 4), sizes))
    denominator = int(rng.integers(1, 8))
    x = sp.symbols(f"x:{sizes}", positive=True)

    def total(rows, q):
        powers = [[sp.Rational(int(v), q) for v in row] for row in rows]
        return sum(sp.prod([s**p for s, p in zip(x, row, strict=True)]) for row in powers)

    upper = [
        np.hstack([costs, -np.ones((len(costs), 1))]),
        np.hstack([-rates / denominator, np.zeros((len(rates), 1))]),
    ]
    bound = np.concatenate([np.zeros(len(costs)), -np.ones(len(rates))])
    least = linprog([0.0] * sizes + [1.0], A_ub=np.vstack(upper), b_ub=bound).fun
    return total(-rates, denominator), 1 + total(costs, 1), x, least


def test_slack_of_random_posynomials_is_the_linear_programme_s():
    rng = np.random.default_rng(SEED_LINEAR)
    decided = exact = 0
    for trial in range(24):
        error, entropy, sizes, least = random_posynomials(rng, 2 + trial % 3)
        exponent = max(least, 0.5) * (1, 0.9, 1.1)[trial % 3 if trial % 2 else 0]
        found = search(error, entropy, sizes, exponent=exponent)
        if found.verdict != "UNDECIDED":
            decided += 1
            exact += found.slack == pytest.approx(least - exponent, abs=1e-6)
            assert found.slack > least - exponent - 1e-6  # what a path shows is never below the least
            assert found.verdict == ("BROKEN" if least - exponent < -1e-9 else "CONSISTENT")
    assert decided >= 21
    assert exact >= 21


KNOWN = {
    "the same power": (1 / W, W, (), "CONSISTENT", 0, 0),
    "a log short": (1 / (W * log(sp.E * W)), W, (), "BROKEN", 0, -1),
    "a root of log short": (1 / W, W / sp.sqrt(log(sp.E * W)), (), "BROKEN", 0, -0.5),
    "only log log short": (1 / (W * log(log(16 * W))), W, (), "BROKEN", 0, 0),
    "one size exponential in another": (1 / M, k * log(sp.E * M), (k >= log(M),), "BROKEN", -1, None),
    "error only logarithmic": (1 / log(sp.E * W), log(sp.E * W), (), "CONSISTENT", 0, 0),
    "error only iterated logarithmic": (
        1 / log(log(16 * W)),
        log(log(16 * W)) ** 2,
        (),
        "CONSISTENT",
        1,
        None,
    ),
    "entropy exponential": (1 / W, 2**W, (), "CONSISTENT", sp.oo, None),
    "error exponential": (2**-W, W**7, (), "BROKEN", -1, None),
    "both exponential": (2**-W, 3**W, (), "CONSISTENT", math.log(3) / math.log(2) - 1, None),
    "constraint off": (1 / (W * L), W, (), "BROKEN", -1, None),
    "constraint at a constant": (1 / (W * L), W, (L <= 5,), "CONSISTENT", 0, 0),
    "constraint of another power": (1 / (W * L), W, (L**2 <= W,), "BROKEN", -sp.Rational(1, 3), None),
    "constraint above": (1 / (W * L), W, (L**2 >= W,), "BROKEN", -1, None),
    "odd ratio": (
        k ** -sp.Rational(13, 17) + 1 / M,
        k**2 + M ** sp.Rational(34, 13),
        (),
        "CONSISTENT",
        21 / 13,
        None,
    ),
    "tie with a log": (1 / M, k, (k * log(sp.E * k) ** 3 >= M,), "BROKEN", 0, -3),
    "entropy nought": (1 / k, k * log(M / k), (k <= M,), "BROKEN", -sp.oo, None),
    "vanishing ratio": (1 / W, W**2 * log(1 + 1 / W), (), "CONSISTENT", 0, 0),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_answers(name):
    error, entropy, rules, verdict, slack, power = KNOWN[name]
    sizes = sorted(sp.Tuple(error, entropy, *rules).free_symbols, key=str)
    found = search(error, entropy, sizes, exponent=1, constraints=rules)
    assert (found.verdict, found.log_power) == (verdict, power if power is None else pytest.approx(power))
    assert found.slack == pytest.approx(float(slack))
    assert found.logarithmic == (verdict == "BROKEN" and slack == 0)


UNDECIDED = {
    "another function": (1 / W, sp.floor(W), (), "cannot evaluate floor(W)"),
    "error that stays": (1 + 1 / W, W, (), "no sampled path has a vanishing error"),
    "error that grows": (W, W, (), "no sampled path has a vanishing error"),
    "constraints that exclude each other": (
        1 / W,
        W,
        (W <= 2, W >= 3),
        "no sampled path has a vanishing error",
    ),
    "exponent next to nought": (W ** -(1 + sp.Rational(1, 10**6)), W, (), "too small to tell from rounding"),
    "a fifth logarithm": (1 / W, W / log(log(log(log(W + 10**9)))), (), "beyond log log log log"),
    "between the scales": (1 / W, W * sp.exp(-sp.sqrt(log(W))), (), "the scales can hold"),
    "a difference that cancels": (1 / k, 1 + M - k, (k <= M,), "lost its digits"),
}


@pytest.mark.parametrize("name", UNDECIDED)
def test_it_says_undecided_where_it_cannot_tell(name):
    error, entropy, rules, reason = UNDECIDED[name]
    sizes = sorted(sp.Tuple(error, entropy, *rules).free_symbols, key=str)
    found = search(error, entropy, sizes, exponent=1, constraints=rules)
    assert found.verdict == "UNDECIDED"
    assert reason in found.reason


def test_the_witness_shows_the_break_and_keeps_the_constraints():
    """M up to k^2 at the price of k log(e M/k): M = k^2."""
    found = search(1 / M, k * log(sp.E * M / k), [M, k], exponent=1, constraints=[k <= M, k**2 >= M])
    assert found.verdict == "BROKEN"
    (fast, *_), (slow, *_) = found.witness["M"], found.witness["k"]
    assert fast == pytest.approx(2 * slow)
    assert found.slack == pytest.approx(-0.5)
    assert found.slack_error < 1e-6  # evaluated by mpmath with M near exp(10^12)
    assert "M = exp(1 t)" in found.path()


def test_the_search_is_deterministic():
    one, two = (search((W * L) ** -1, W + L, [W, L], exponent=1) for _ in range(2))
    assert one == two or one.witness == two.witness


def test_arguments_are_checked():
    with pytest.raises(ValueError, match="expected inequalities"):
        search(1 / W, L, [W, L], exponent=1, constraints=[sp.Eq(W, L)])
    with pytest.raises(ValueError, match="free"):
        search(1 / W, L, [W], exponent=1)
