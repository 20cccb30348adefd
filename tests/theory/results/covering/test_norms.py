"""The vector inequalities behind the Lipschitz constants, as vectors: never exceeded, attained where they say."""

from __future__ import annotations

import numpy as np
import pytest

rng = np.random.default_rng(20260409)


def softmax(x):
    weights = np.exp(x - x.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


@pytest.mark.parametrize("size", [2, 3, 10])
def test_the_softmax_halves_distances(size):
    x = rng.standard_normal((2000, size)) * rng.choice([0.1, 1, 5], (2000, 1))
    y = x + rng.standard_normal((2000, size)) * rng.choice([1e-3, 1, 5], (2000, 1))
    ratio = np.linalg.norm(softmax(x) - softmax(y), axis=-1) / np.linalg.norm(x - y, axis=-1)
    assert ratio.max() <= 0.5
    pair = np.zeros((2, 2))
    pair[1] = 1e-4, -1e-4
    assert np.linalg.norm(np.diff(softmax(pair), axis=0)) / np.linalg.norm(pair[1]) > 0.4999999


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (3, 5), (8, 2)])
def test_bounded_entries_bound_the_spectral_norm(rows, columns):
    bound = 0.7 * np.sqrt(rows * columns)
    matrices = rng.uniform(-0.7, 0.7, (500, rows, columns))
    assert np.linalg.norm(matrices, ord=2, axis=(-2, -1)).max() <= bound
    assert np.linalg.norm(np.full((rows, columns), 0.7), ord=2) == pytest.approx(bound, rel=1e-14)


def test_sums_of_sizes_and_inner_products():
    u, v = rng.standard_normal((2, 1000, 7))
    norms = np.linalg.norm(u, axis=-1)
    assert np.all(np.abs(u).sum(-1) <= np.sqrt(7) * norms)
    assert np.all(np.abs((u * v).sum(-1)) <= norms * np.linalg.norm(v, axis=-1))


def test_variance_and_covariance():
    p = softmax(rng.standard_normal((1000, 6)))
    c, x = rng.uniform(-1, 1, (2, 1000, 6))
    mean, other = (p * c).sum(-1), (p * x).sum(-1)
    variance = (p * c**2).sum(-1) - mean**2
    high, low = c.max(-1), c.min(-1)
    assert np.all(variance <= (high - mean) * (mean - low) + 1e-15)
    assert np.all((high - mean) * (mean - low) <= (high - low) ** 2 / 4 + 1e-15)
    spread = np.sqrt(variance * ((p * x**2).sum(-1) - other**2))
    assert np.all(np.abs((p * c * x).sum(-1) - mean * other) <= spread + 1e-15)


def test_projection_moves_no_two_points_apart():
    x, y = rng.standard_normal((2, 4000, 3)) * rng.choice([0.3, 1, 4], (2, 4000, 1))
    px, py = (z / np.maximum(1, np.linalg.norm(z, axis=-1, keepdims=True)) for z in (x, y))
    assert np.all(np.linalg.norm(px - py, axis=-1) <= np.linalg.norm(x - y, axis=-1) + 1e-15)
