"""The oracle inequality against simulated least squares, and its parts against numbers."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theory.results.oracle import ESTIMATION, RESOLUTION, finite_class_oracle, net_oracle
from theory.statement import Kind
from theory.vocabulary import W, delta, n, sigma, tau

POINTS = 64  # inputs are uniform on so many points, so that every L2(Q) norm is exact


def best(approximation: float, estimation: float) -> float:
    """(sqrt(A + B) + sqrt(B))^2."""
    return (math.sqrt(approximation + estimation) + math.sqrt(estimation)) ** 2


def least_squares(functions, target, *, samples, noise, repeats, seed):
    """Mean risk and mean risk on the sample of least squares over the rows of ``functions``."""
    rng = np.random.default_rng(seed)
    risks, on_sample = [], []
    for _ in range(repeats):
        x = rng.integers(0, POINTS, samples)
        y = target[x] + noise * rng.standard_normal(samples)
        chosen = functions[np.argmin(((functions[:, x] - y) ** 2).mean(axis=1))]
        risks.append(((chosen - target) ** 2).mean())
        on_sample.append(((chosen - target)[x] ** 2).mean())
    return float(np.mean(risks)), float(np.mean(on_sample))


def classes(seed: int):
    """Classes of values in [0, 1]: coarse cells with independent levels, and small steps away from the target."""
    rng = np.random.default_rng(seed)
    target = 0.5 + 0.3 * np.sin(np.linspace(0, 2 * np.pi, POINTS))
    levels = np.linspace(0, 1, 5)
    cells = np.array([np.repeat(v, POINTS // 4) for v in itertools.product(levels, repeat=4)])
    near = np.clip(target + 0.05 * rng.choice([-1, 1], (256, POINTS)), 0, 1)
    return {"cells": (cells, target), "target and neighbours": (np.vstack([target, near]), target)}


@pytest.mark.parametrize("name", classes(0))
@pytest.mark.parametrize("noise", [0.1, 1.0])
@pytest.mark.parametrize("samples", [20, 200, 2000])
def test_the_risk_of_least_squares_stays_below_the_bound(name, noise, samples):
    functions, target = classes(0)[name]
    approximation = float(((functions - target) ** 2).mean(axis=1).min())
    risk, on_sample = least_squares(
        functions, target, samples=samples, noise=noise, repeats=60, seed=20260409
    )
    price = math.log(len(functions)) / samples
    bound = best(approximation, (2 * noise**2 + 0.5) * price)
    bound_on_sample = best(approximation, 2 * noise**2 * price)
    print(
        f"{name}, sigma={noise}, n={samples}: {risk:.3g} <= {bound:.3g}, on the sample {on_sample:.3g} <= {bound_on_sample:.3g}"
    )
    assert risk <= bound
    assert on_sample <= bound_on_sample


def test_the_bound_is_not_absurdly_loose():
    rng = np.random.default_rng(20260409)
    target = np.full(POINTS, 0.5)
    functions = np.vstack([target, target + 0.5 * rng.choice([-1, 1], (1023, POINTS))])
    risk, on_sample = least_squares(functions, target, samples=20, noise=1.0, repeats=200, seed=20260409)
    price = math.log(len(functions)) / 20
    print(f"bound/risk {best(0, 2.5 * price) / risk:.1f}, on the sample {best(0, 2 * price) / on_sample:.1f}")
    assert best(0, 2.5 * price) / risk < 20
    assert best(0, 2 * price) / on_sample < 20


positive = st.floats(1e-3, 1e3)


@given(positive, positive, st.floats(0.01, 0.99))
def test_no_tau_is_better_than_the_best_one(approximation, estimation, split):
    value = (approximation + estimation / split) / (1 - split)
    assert value >= best(approximation, estimation) * (1 - 1e-12)
    at = math.sqrt(estimation) / (math.sqrt(approximation + estimation) + math.sqrt(estimation))
    assert (approximation + estimation / at) / (1 - at) == pytest.approx(best(approximation, estimation))


@given(st.floats(0.01, 1), st.integers(3, 10**9), st.integers(1, 10**9), st.floats(1, 10), st.floats(1e-6, 1))
def test_it_is_sharper_than_the_inequality_with_constants_18_72_and_32(
    epsilon, functions, samples, top, radius
):
    """R <= (1 + eps)^2 (A + F^2 (18 log N + 72)/(n eps) + 32 delta F) for noise of variance 1 and values in [0, F], F >= 1."""
    theirs = (1 + epsilon) ** 2 * (
        top**2 * (18 * math.log(functions) + 72) / (samples * epsilon) + 32 * radius * top
    )
    split = 1 - (1 + epsilon) ** -2
    values = {sigma: 1, W: top, n: samples, delta: radius, tau: split}
    values |= {s: math.log(functions) for s in ESTIMATION.free_symbols if s.name == "log_N"}
    values |= {s: 0 for s in net_oracle.formula.free_symbols if s.name == "approximation"}
    assert float(net_oracle.formula.subs(values)) <= theirs


def test_what_the_inequality_rests_on_is_named():
    assert [s.name for s in net_oracle.assumptions()] == ["exponential_inequality"]
    assert "finite_class_oracle" in [s.name for s in net_oracle.argued()]
    assert finite_class_oracle.kind is net_oracle.kind is Kind.ARGUED
    assert RESOLUTION.free_symbols == {delta, sigma, W}
