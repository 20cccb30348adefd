"""Claimed logs held against the true minimum over a grid, for n from 1e6 to 1e320.

The logarithm of (true minimum / claim) stays bounded where the claim is right
and drifts where a power of log n is wrong. Everything is computed from the
logarithms of the sizes, so that no number overflows.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
import sympy as sp
from sympy import E, Max, Min, log

from theory import M, N, k, minimise, n

DECADES = (6, 10, 20, 40, 80, 160, 320)

CASES = [
    ("log on the estimation term", 1 / N + N * log(n) / n, N, ()),
    ("log on the approximation term", log(n) / N + N / n, N, ()),
    ("log of the size", 1 / N**2 + N * log(N) / n, N, ()),
    ("min with active entropy", Min(1 / k, 1 / M) + (k + k * log(E * M / k)) / n, (k, M), ()),
    ("max with active entropy", Max(1 / k, 1 / M) + (k + k * log(E * M / k)) / n, (k, M), ()),
    ("min with total entropy", Min(1 / k, 1 / M) + (M + k * log(E * M / k)) / n, (k, M), ()),
    ("a constraint with a log", 1 / N, N, (N * log(E * N) <= n,)),
    ("log of one plus a ratio", 1 / M + k * log(1 + M / k) / n, (k, M), ()),
    ("log of a sum", 1 / N + N * log(N + M) / n, (N, M), (M >= N,)),
    ("square of a log", 1 / N + N * log(E * N) ** 2 / n, N, ()),
    ("log in a denominator", 1 / N + N / log(E * N) / n, N, ()),
]


def log_of(expr, at):
    """The logarithm of a positive expression, from the logarithms of its symbols."""
    if expr.is_Symbol:
        return at[expr]
    if expr.is_Add:
        return np.logaddexp.reduce([np.broadcast_to(log_of(a, at), at["shape"]) for a in expr.args])
    if expr.is_Mul:
        return sum(log_of(a, at) for a in expr.args)
    if isinstance(expr, sp.exp) or expr.is_number:
        return np.log(float(expr))
    if expr.is_Pow:
        return float(expr.exp) * log_of(expr.base, at)
    if isinstance(expr, log):
        argument = expr.args[0]
        if argument.is_Add and argument.args[0] == 1:  # log(1 + x) loses its digits where x is small
            x = log_of(argument - 1, at)
            return np.where(x < -30, x, np.log(np.log1p(np.exp(np.clip(x, -30, 30))) + np.maximum(x - 30, 0)))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.log(log_of(argument, at))
    join = np.minimum if isinstance(expr, Min) else np.maximum
    return join.reduce([np.broadcast_to(log_of(a, at), at["shape"]) for a in expr.args])


def true_minimum(rate, over, relations, log_n):
    """The minimum over sizes from 1 to n^3, on a grid of their logarithms refined five times."""
    sizes = over if isinstance(over, tuple) else (over,)
    low, high = np.zeros(len(sizes)), np.full(len(sizes), 3 * log_n)
    points = 2001 if len(sizes) == 1 else 201
    for _ in range(6):
        axes = [np.linspace(lo, hi, points) for lo, hi in zip(low, high, strict=True)]
        grid = np.meshgrid(*axes, indexing="ij")
        at = {**dict(zip(sizes, grid, strict=True)), n: log_n, "shape": grid[0].shape}
        with np.errstate(invalid="ignore"):
            values = np.broadcast_to(log_of(rate, at), grid[0].shape).copy()
        for relation in relations:
            smaller, larger = sorted((relation.lhs, relation.rhs), key=lambda side: side != relation.lts)
            values[~(log_of(smaller, at) <= log_of(larger, at) + 1e-9)] = np.inf
        values[np.isnan(values)] = np.inf  # outside the domain of a logarithm
        best = np.unravel_index(np.argmin(values), values.shape)
        width = [20 * (axis[1] - axis[0]) for axis in axes]
        low = np.array([max(axis[i] - w, 0) for axis, i, w in zip(axes, best, width, strict=True)])
        high = np.array([axis[i] + w for axis, i, w in zip(axes, best, width, strict=True)])
    return values.min()


def gaps(rate, over, relations, power, logs):
    """log(true minimum / n^power (log n)^logs) for each n."""
    scales = [decades * np.log(10) for decades in DECADES]
    return [
        true_minimum(rate, over, relations, x) - float(power) * x - float(logs) * np.log(x) for x in scales
    ]


@pytest.mark.parametrize(("name", "rate", "over", "relations"), CASES, ids=[c[0] for c in CASES])
def test_the_claim_stays_with_the_true_minimum(name, rate, over, relations):
    found = minimise(rate, over=over, given=n, subject_to=relations)
    right = gaps(rate, over, relations, found.power, found.log_power)
    assert abs(right[-1] - right[-2]) < 0.05, right
    assert max(right) - min(right) < 0.8, right
    for wrong in (found.log_power + 1, found.log_power - 1):
        drift = gaps(rate, over, relations, found.power, wrong)
        assert abs(drift[-1] - drift[0]) > 3, drift


def test_without_polylog_sizes_the_claim_would_drift():
    rate, over = log(n) ** 3 / M / n + log(E * M) / n, M
    found = minimise(rate, over=over, given=n)
    assert (found.power, found.log_power) == (-1, 0)
    up_to_loglog = [
        g - np.log(np.log(x * np.log(10))) for g, x in zip(gaps(rate, over, (), -1, 0), DECADES, strict=True)
    ]
    assert max(up_to_loglog) - min(up_to_loglog) < 0.8, up_to_loglog
    drift = gaps(rate, over, (), -1, 1)
    assert drift[-1] - drift[0] < -2, drift


def random_rate(rng, depth=2):
    """A rate in N, M and n with sums, minima, powers and logs in arbitrary places."""
    if not depth:
        powers = [rng.choice([-2, -1, 0, 1, sp.Rational(1, 2), sp.Rational(-1, 2)]) for _ in range(2)]
        return (
            N ** powers[0] * M ** powers[1] * n ** rng.choice([-1, 0]) * log(n) ** rng.choice([0, 0, 1, -1])
        )
    first, second = random_rate(rng, depth - 1), random_rate(rng, depth - 1)
    argument = rng.choice([E * N, E * M, M + N, 1 + M / N, 2 + N / M])
    power = rng.choice([1, 2, sp.Rational(1, 2), -1])
    return rng.choice([first + second, Min(first, second), Max(first, second), first * second,
                       first**power, first * log(argument) ** power])  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_rates_made_at_random_stay_with_the_true_minimum(seed):
    rng = random.Random(seed)
    rate = random_rate(rng) + N * M / n ** rng.choice([1, 2])
    relations = rng.choice([(), (N <= M,), (n >= M * N,), (N * log(E * M) <= n,)])
    found = minimise(rate, over=(M, N), given=n, subject_to=relations)
    audit = found.check()
    assert audit, str(audit)
    (piece,) = found.pieces
    assert piece.growth.is_resolved
    claimed = gaps(rate, (M, N), relations, piece.power, piece.log_power)
    allowed = 1.5 if piece.drops_loglog else 0.4
    assert abs(claimed[-1] - claimed[-3]) < allowed, (rate, relations, found, claimed)
