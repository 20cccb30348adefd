"""The table of neighbours: exact, also where single precision or cancellation would not be."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import cKDTree

from empirics.base.randomness import named_generator
from empirics.dimension import neighbours as module
from empirics.dimension.neighbours import nearest_neighbours
from theory.errors import MoelawsError


@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("block", [1, 1 << 25])
def test_the_table_is_that_of_a_tree(offset, block, monkeypatch):
    monkeypatch.setattr(module, "_BLOCK", block)
    cloud = named_generator("tree", 4).normal(size=(300, 4)) + offset
    found = nearest_neighbours(cloud, 10)
    distances, indices = cKDTree(cloud).query(cloud, 11)
    assert np.allclose(found.distances, distances[:, 1:], rtol=1e-9)
    assert (found.indices == indices[:, 1:]).mean() > 0.999


def test_points_that_single_precision_cannot_tell_apart():
    """A direction of size 1e4 shared by all, as some layers of language models have."""
    rng = named_generator("massive", 5)
    cloud = rng.normal(size=(400, 5)) * 1e-3
    cloud[:, 0] += 1e4
    apart = nearest_neighbours(cloud - cloud.mean(axis=0), 5)
    assert np.allclose(nearest_neighbours(cloud, 5).distances, apart.distances, rtol=1e-6)


def far_and_near():
    """Eight clusters of a hundred points, a billion times closer to each other than the clusters are."""
    rng = named_generator("far and near", 8)
    return np.repeat(rng.normal(size=(8, 6)) * 1e6, 100, axis=0) + rng.normal(size=(800, 6)) * 1e-3


def test_where_rounding_hides_neighbours_differences_decide():
    cloud = far_and_near()
    away = np.linalg.norm(cloud[:, None] - cloud, axis=2)
    assert np.allclose(nearest_neighbours(cloud, 10).distances, np.sort(away, axis=1)[:, 1:11], rtol=1e-6)


def test_without_the_bound_on_rounding_neighbours_would_be_missed(monkeypatch):
    right = nearest_neighbours(far_and_near(), 10).distances
    monkeypatch.setattr(module, "_ROUNDING", -np.inf)
    wrong = nearest_neighbours(far_and_near(), 10).distances
    assert (wrong > 1.5 * right).mean() > 0.05


def test_collisions_of_single_precision_are_duplicates_and_counted():
    rng = named_generator("collisions", 6)
    cloud = rng.normal(size=(1000, 16)).astype(np.float32)
    cloud[:348] = cloud[348:696]
    found = nearest_neighbours(cloud)
    assert (found.dropped, found.count) == (348, 652)
    assert (found.distances > 0).all()
    assert sorted(set(range(1000)) - set(found.rows)) != []


def test_metrics_of_directions():
    rng = named_generator("metrics", 7)
    cloud = rng.normal(size=(200, 6))
    unit = cloud / np.linalg.norm(cloud, axis=1)[:, None]
    cosines = np.sort(1 - unit @ unit.T, axis=1)[:, 1:6]
    assert np.allclose(nearest_neighbours(cloud, 5, metric="cosine").distances, cosines)
    assert np.allclose(nearest_neighbours(cloud, 5, metric="angular").distances, np.arccos(1 - cosines))
    assert nearest_neighbours(np.vstack([cloud, 3 * cloud[:20]]), 5, metric="angular").count == 200


@pytest.mark.parametrize(
    ("points", "what"),
    [
        ([1.0, 2.0], "expected a table of shape"),
        (np.zeros((0, 3)), "expected a table of shape"),
        ([["a"]], "expected a table of numbers"),
        ([[1.0, np.nan], [0, 1], [2, 2]], r"entry \(0, 1\) is nan"),
        ([[1.0, np.inf], [0, 1], [2, 2]], r"entry \(0, 1\) is inf"),
        ([[1.0, 2.0]], "1 points of which 1 is distinct"),
        (np.ones((50, 3)), "50 points of which 1 is distinct"),
        (np.eye(4) * 1j, "got complex ones"),
        (np.eye(4) * 4e307, "whose square is no number"),
        ([[0.0], [5e-324], [1.0], [2.0]], "closer than double precision can square"),
    ],
)
def test_what_is_no_cloud_is_told(points, what):
    with pytest.raises(MoelawsError, match=what):
        nearest_neighbours(points)


def test_wrong_settings_are_told():
    cloud = np.eye(5)
    with pytest.raises(MoelawsError, match="metric='manhattan'"):
        nearest_neighbours(cloud, metric="manhattan")
    with pytest.raises(MoelawsError, match="k=1"):
        nearest_neighbours(cloud, 1)
    with pytest.raises(MoelawsError, match="row 2 is 0 and has no direction"):
        nearest_neighbours(np.array([[1.0, 0], [0, 1], [0, 0], [1, 1]]), metric="cosine")
    assert nearest_neighbours(cloud, 100).k == 4
