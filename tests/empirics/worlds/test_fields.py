"""Random fields and Weierstrass sums: exact values, exact spectra, sup norms and smoothness."""

from __future__ import annotations

import numpy as np
import pytest

from empirics.base.randomness import named_generator
from empirics.worlds.manifolds import Ball, FlatTorus, Gaussian, Sphere, SwissRoll, torus_grid
from empirics.worlds.matern import (
    cholesky_factor,
    cholesky_field,
    folded_spectrum,
    matern_covariance,
    torus_grid_field,
    torus_series,
)
from empirics.worlds.targets import (
    additive_weierstrass_problem,
    matern_problem,
    matern_problem_on,
    tensor_weierstrass_problem,
)
from empirics.worlds.weierstrass import AdditiveWeierstrass, TensorWeierstrass


@pytest.mark.parametrize(("d", "side"), [(1, 7), (1, 40), (2, 6), (3, 5)])
def test_a_series_has_the_same_values_by_fft_and_by_direct_sums(d, side):
    series = torus_series(d, 0.7, 5, named_generator("series", d))
    direct = series.at(torus_grid(d, side), block=1000)
    np.testing.assert_allclose(series.on_grid(side).ravel(), direct, atol=1e-12)
    assert np.abs(direct).max() <= series.sup_bound


def test_a_series_holds_one_of_each_pair_of_frequencies_and_has_unit_variance():
    rng = named_generator("pairs")
    series = torus_series(2, 1.0, 4, rng)
    found = {tuple(j) for j in series.frequencies}
    assert not found & {tuple(-j) for j in series.frequencies}
    assert len(found) == sum(0 < i * i + j * j <= 16 for i in range(-4, 5) for j in range(-4, 5)) / 2
    values = [torus_series(2, 1.0, 4, rng).at(np.zeros((1, 2)))[0] for _ in range(2000)]
    assert np.var(values) == pytest.approx(1, abs=0.13)  # 4 standard errors


@pytest.mark.parametrize(("d", "nu", "side", "reach"), [(1, 0.5, 16, 4000), (2, 1.5, 8, 60), (3, 2.0, 6, 16)])
def test_the_folded_spectrum_is_the_sum_over_aliases(d, nu, side, reach):
    line = np.arange(-reach * side, reach * side)
    square = sum(np.meshgrid(*[line.astype(float) ** 2] * d, indexing="ij"))
    power = (1 + square) ** -(nu + d / 2)
    power[(reach * side,) * d] = 0
    folded = power.reshape([2 * reach, side] * d).sum(axis=tuple(range(0, 2 * d, 2)))
    np.testing.assert_allclose(folded_spectrum(d, nu, side), folded / folded.sum(), rtol=1e-3)
    assert folded_spectrum(d, nu, side).sum() == pytest.approx(1, abs=1e-12)


def test_the_spectrum_decays_with_exponent_twice_nu_plus_d():
    for d, nu, side in ((1, 0.5, 4096), (2, 1.5, 512), (3, 0.7, 96)):
        spectrum = folded_spectrum(d, nu, side)
        first, second = (spectrum[(j, *[0] * (d - 1))] for j in (8, 16))
        assert np.log2(first / second) == pytest.approx(2 * nu + d, abs=0.06)


@pytest.mark.parametrize("nu", [0.3, 0.5, 0.7])
def test_increments_show_the_critical_smoothness(nu):
    """E (f(x + h) - f(x))^2 ~ h^(2 nu) for nu < 1, here for lags from 2^-12 to 2^-8 of the circle."""
    slopes = []
    for seed in range(8):
        f = torus_grid_field(1, nu, 2**16, named_generator("increments", seed))
        lags = 2 ** np.arange(4, 9)
        squares = [np.mean((np.roll(f, lag) - f) ** 2) for lag in lags]
        slopes.append(np.polyfit(np.log(lags), np.log(squares), 1)[0] / 2)
    assert np.mean(slopes) == pytest.approx(nu, abs=0.03)


def test_a_field_on_a_sphere_has_the_kernel_as_its_covariance():
    points = Sphere(2).sample(3, named_generator("three points"))
    draws = np.array([cholesky_field(points, 1.5, named_generator("draws", s)) for s in range(4000)])
    r = np.linalg.norm(points[:, None] - points[None], axis=2)
    closed = (1 + np.sqrt(3) * r) * np.exp(-np.sqrt(3) * r)
    np.testing.assert_allclose(matern_covariance(r, 1.5, 1.0), closed, atol=1e-12)
    np.testing.assert_allclose(np.cov(draws.T), closed, atol=0.1)


def test_weierstrass_sums_agree_on_axes_and_points_and_keep_their_bound():
    rng = named_generator("weierstrass test")
    target = TensorWeierstrass.random(2, 0.7, rng)
    axes = [rng.random(30), rng.random(20)]
    points = np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)
    np.testing.assert_allclose(target.on_axes(axes).ravel(), target.at(points), atol=1e-12)
    assert np.abs(target.at(points)).max() <= target.sup_bound
    additive = AdditiveWeierstrass(2, 0.7, target.phases)
    base = np.array([[0.1, 0.2], [0.1, 0.9], [0.6, 0.2], [0.6, 0.9]])
    a, b, c, e = additive.at(base)
    assert a - b - c + e == pytest.approx(0, abs=1e-12)  # no interaction between coordinates
    with pytest.raises(ValueError, match="beta=1"):
        TensorWeierstrass.random(2, 1, rng)


@pytest.mark.parametrize(
    "problem",
    [
        matern_problem(2, 0.7, 32, 1),
        tensor_weierstrass_problem(2, 0.7, 32, 1),
        additive_weierstrass_problem(2, 0.7, 999, 1),
        matern_problem_on(Sphere(2), 0.7, 99, 1),
    ],
    ids=["matern", "tensor", "additive", "sphere"],
)
def test_a_problem_knows_its_sup_norm_and_measures_errors_exactly(problem):
    assert np.abs(problem.values).max() <= problem.truth.sup_norm
    assert problem.squared_error(problem.values + 0.5) == pytest.approx(0.25)
    assert problem.largest_error(problem.values - 0.5) == pytest.approx(0.5)
    x, y = problem.sample(50, 0.0, named_generator("sample"))
    known = {tuple(point): value for point, value in zip(problem.x, problem.values, strict=True)}
    assert all(known[tuple(point)] == value for point, value in zip(x, y, strict=True))
    assert problem.truth.model_exponent() == pytest.approx(1.4 / problem.truth.effective_d)


@pytest.mark.parametrize("kind", [FlatTorus, Sphere, SwissRoll, Ball, Gaussian])
def test_a_problem_on_a_manifold_knows_its_dimension_and_turns_rigidly(kind):
    manifold = kind(2)
    flat, turned = (matern_problem_on(manifold, 0.7, 60, 1, ambient=a, noise=0.5) for a in (None, 7))
    assert (flat.truth.d, flat.truth.beta, flat.x.shape) == (2, 0.7, (60, manifold.ambient))
    assert turned.x.shape == (60, 7)
    assert manifold.why in flat.truth.why
    np.testing.assert_array_equal(turned.values, flat.values)
    apart = [np.linalg.norm(p.x[:, None] - p.x[None], axis=2) for p in (flat, turned)]
    np.testing.assert_allclose(*apart, atol=1e-12)
    assert not np.array_equal(matern_problem_on(manifold, 0.7, 60, 2).values, flat.values)


def test_a_problem_has_its_own_noise():
    problem = matern_problem_on(Sphere(2), 0.7, 30, 1, noise=0.5)
    exact, noisy = (problem.sample(4000, noise, named_generator("own noise"))[1] for noise in (0.0, None))
    assert np.std(noisy - exact) == pytest.approx(0.5, abs=0.03)  # 5 standard errors


@pytest.mark.parametrize(("nu", "lowest", "highest"), [(0.3, 0.2, 0.4), (0.8, 0.65, 0.95)])
def test_increments_on_a_sphere_grow_with_the_chord_to_the_power_nu(nu, lowest, highest):
    slopes = []
    for seed in range(4):
        problem = matern_problem_on(Sphere(1), nu, 1200, seed)
        chord = np.linalg.norm(problem.x[:, None] - problem.x[None], axis=2)
        square = (problem.values[:, None] - problem.values[None]) ** 2
        near, far = (square[(chord > r / 1.2) & (chord < r * 1.2)].mean() for r in (0.02, 0.08))
        slopes.append(np.log(far / near) / np.log(4) / 2)
    assert lowest < np.mean(slopes) < highest


@pytest.mark.parametrize(("nu", "n"), [(0.5, 1500), (1.5, 1500), (2.5, 1500), (3.5, 600)])
def test_increments_on_a_circle_show_the_smoothness_down_to_its_neighbours(nu, n):
    """E (increment of order 5 over lag h)^2 ~ h^(2 nu): white noise beside the field would flatten the smallest lags."""
    angle = 2 * np.pi * np.arange(n) / n
    factor, jitter = cholesky_factor(np.stack([np.cos(angle), np.sin(angle)], axis=1), nu)
    assert jitter < 1e-13
    f = factor @ named_generator("circle").standard_normal((n, 20))
    squares = []
    for lag in (1, 2, 4, 8):
        terms = [w * np.roll(f, j * lag, axis=0) for j, w in enumerate((1, -5, 10, -10, 5, -1))]
        squares.append(np.mean(sum(terms) ** 2))
    np.testing.assert_allclose(np.diff(np.log2(squares)) / 2, nu, atol=0.1)


def test_the_kernel_is_finite_at_every_distance():
    for nu in (0.1, 0.5, 1.5, 10):
        values = matern_covariance(np.array([0, 5e-324, 1e-200, 1e-30, 1e-9, 1, 30, 1e5]), nu, 1.0)
        assert np.all(np.diff(values) <= 1e-15)
        assert (values[0], values[-1]) == (1, 0)


@pytest.mark.parametrize(("nu", "n"), [(2.5, 5), (0.3, 300)])
def test_a_problem_says_which_noise_its_values_carry(nu, n):
    assert (
        "exact to rounding and white noise of variance 0" in matern_problem_on(Sphere(1), nu, n, 1).truth.why
    )


def test_smoothness_that_rounding_would_hide_is_refused():
    with pytest.raises(ValueError, match=r"nu=3.5, scale=1.0 at 3000 points.*take fewer points .*smaller nu"):
        matern_problem_on(Sphere(1), 3.5, 3000, 1)
    with pytest.raises(ValueError, match="at 400 points"):
        matern_problem_on(Sphere(1), 5, 400, 1)
    with pytest.raises(ValueError, match="smaller scale"):
        matern_problem_on(Sphere(1), 0.9, 300, 1, scale=1e12)


def test_points_that_repeat_take_the_least_jitter():
    points = np.repeat(Sphere(2).sample(30, named_generator("pairs")), 2, axis=0)
    with pytest.raises(ValueError, match="increments between neighbours"):
        cholesky_factor(points, 0.5)
    _, jitter = cholesky_factor(np.concatenate([points[::2], points[:1]]), 0.5)
    assert 0 < jitter < 1e-13


def test_bad_fields_are_refused():
    rng = named_generator("bad")
    for call in (
        lambda: torus_series(0, 1, 4, rng),
        lambda: torus_series(3, 1, 200, rng),
        lambda: torus_grid_field(1, 0, 8, rng),
        lambda: folded_spectrum(1, 0.5, 1),
        lambda: cholesky_field(np.zeros((12_001, 1)), 1, rng),
        lambda: matern_problem(1, 1, 8, 0).sample(0, 1, rng),
        lambda: matern_problem_on(Sphere(2), 0.7, 0),
        lambda: matern_problem_on(Sphere(2), 100, 5),
        lambda: matern_problem_on(Sphere(2), 0, 5),
        *(lambda s=s: matern_problem_on(Sphere(2), 0.7, 5, scale=s) for s in (0, -1, np.nan, np.inf)),
        lambda: matern_problem_on(Sphere(2), 0.7, 5, noise=-1),
    ):
        with pytest.raises(ValueError, match="expected"):
            call()
