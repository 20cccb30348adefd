"""A measurement says what it hangs on: sampling, neighbours, points, metric, and clouds of known dimension."""

from __future__ import annotations

import numpy as np
import pytest

from empirics.base.randomness import named_generator
from empirics.dimension.estimators.gride import Gride
from empirics.dimension.estimators.levina_bickel import LevinaBickel
from empirics.dimension.estimators.two_nn import TwoNN
from empirics.dimension.measure import measure_dimension
from empirics.worlds.manifolds import Ball, Gaussian, Sphere
from theory.errors import MoelawsError


def cloud(manifold, n=800, seed=0):
    return manifold.sample(n, named_generator(f"measured {type(manifold).__name__}", manifold.d, n, seed))


def test_the_same_command_gives_the_same_reading():
    one, other = (str(measure_dimension(cloud(Gaussian(4)), calibrate=False)) for _ in range(2))
    assert one == other
    assert one != str(measure_dimension(cloud(Gaussian(4)), calibrate=False, seed=1))


def test_a_reading_is_shown_at_other_numbers_of_neighbours_and_of_points():
    found = measure_dimension(cloud(Sphere(12)), calibrate=False)
    assert list(found.by_neighbours) == [5, 10, 20, 50, 100]
    assert list(found.by_points) == [200, 400, 800]
    assert found.by_neighbours[20] == found.by_points[800] == found.value
    assert found.by_neighbours[5] > found.by_neighbours[100], (
        "curvature reads low, the more the larger the scale"
    )
    assert list(measure_dimension(cloud(Sphere(12)), Gride(), calibrate=False).by_neighbours) == [
        2,
        4,
        8,
        16,
        32,
        64,
    ]
    assert measure_dimension(cloud(Sphere(12)), TwoNN(), calibrate=False).by_neighbours == {}


def test_the_interval_is_of_sampling_alone_and_wider_for_clusters():
    points = cloud(Gaussian(5))
    found = measure_dimension(points, calibrate=False)
    assert found.interval[0] < found.value < found.interval[1]
    rng = named_generator("clusters", 1)
    spread = (
        np.repeat(rng.uniform(0.2, 5, 40), 20)[:, None] * rng.normal(size=(800, 5))
        + np.repeat(np.arange(40), 20)[:, None] * 100
    )
    groups = np.repeat(np.arange(40), 20)
    free, clustered = (
        measure_dimension(spread, LevinaBickel(5), groups=g, calibrate=False).interval for g in (None, groups)
    )
    assert clustered[1] - clustered[0] > 0.8 * (free[1] - free[0])
    with pytest.raises(MoelawsError, match="one number for each of the 800 points"):
        measure_dimension(spread, groups=[1, 2])


def test_cosine_reads_half_of_the_dimension_by_angle():
    points = cloud(Sphere(3), 1500)
    by_cosine, by_angle = (
        measure_dimension(points, metric=m, calibrate=False) for m in ("cosine", "angular")
    )
    assert by_cosine.value / by_angle.value == pytest.approx(0.5, abs=0.01)
    assert any("half of the dimension" in w for w in by_cosine.warnings)
    assert measure_dimension(points[:200], metric="cosine").compatible is None


def test_what_may_be_wrong_is_said():
    points = cloud(Gaussian(3))
    doubled = measure_dimension(np.vstack([points, points[:5]]), calibrate=False)
    assert doubled.dropped == 5
    assert any("5 exact duplicates" in w for w in doubled.warnings)
    assert any(
        "2 of 5 coordinates never change" in w
        for w in measure_dimension(np.hstack([points, np.ones((800, 2))]), calibrate=False).warnings
    )
    grid = np.array(np.meshgrid(*[np.arange(6.0)] * 3)).reshape(3, -1).T
    assert any("as on a grid" in w for w in measure_dimension(grid, Gride(8), calibrate=False).warnings)
    rng = named_generator("noisy line", 1)
    noisy = np.hstack([rng.uniform(0, 100, (800, 1)), rng.normal(size=(800, 9)) * 0.05])
    assert any(
        "not one manifold" in w for w in measure_dimension(noisy, LevinaBickel(100), calibrate=False).warnings
    )
    assert any("fills its space" in w for w in measure_dimension(points, calibrate=False).warnings)


@pytest.mark.parametrize("manifold", [Ball(6), Gaussian(10), Sphere(20), Gaussian(25), Ball(15)], ids=str)
def test_compatible_dimensions_hold_the_true_one_where_the_interval_does_not(manifold):
    found = measure_dimension(cloud(manifold, 1500, seed=7))
    low, high = found.compatible.low, found.compatible.high
    assert low * 0.95 <= manifold.d <= high * 1.05, str(found)
    assert manifold.d > found.interval[1], "every reading is too low here, by far more than sampling"
    assert found.value <= high


def test_compatible_dimensions_are_open_above_where_nothing_reads_so_high():
    from empirics.dimension.calibration import compatible_dimensions

    found = compatible_dimensions(LevinaBickel(), {200: 60.0})
    assert found.open_above or found.high > 60
    assert compatible_dimensions(LevinaBickel(), {40: 3.0}) is None
    assert compatible_dimensions(LevinaBickel(), {200: 2.0}).low <= 2.2


def test_no_reading_is_nan_or_says_more_than_it_knows():
    with pytest.raises(MoelawsError, match="give more points"):
        measure_dimension(np.arange(4.0)[:, None], TwoNN(), calibrate=False)
    far = np.vstack([cloud(Gaussian(10), 300), np.full((1, 10), 1e9)])
    assert any("far above the 10 coordinates" in w for w in measure_dimension(far, calibrate=False).warnings)
    with pytest.raises(MoelawsError, match="at least two different"):
        measure_dimension(far, groups=[1] * 301)
    high = measure_dimension(named_generator("high", 60).normal(size=(60, 60)))
    assert high.compatible.open_above
    assert high.implied_exponents(1)["alpha_N"][1] == 0, (
        "no upper end of the dimension, no lower end of the exponent"
    )
    with pytest.raises(MoelawsError, match="beta=inf"):
        high.implied_exponents(np.inf)


def test_exponents_are_implied_with_their_range():
    found = measure_dimension(cloud(Gaussian(6), 600))
    exponents = found.implied_exponents(1.5)
    at, low, high = exponents["alpha_N"]
    assert at == pytest.approx(3 / found.value)
    assert low <= 3 / found.compatible.high + 1e-12
    assert low <= at <= high
    assert exponents["alpha_D"][0] == pytest.approx(3 / (3 + found.value))
    with pytest.raises(MoelawsError, match="beta=0"):
        found.implied_exponents(0)
