"""Manifolds: where their points lie, that embeddings are isometries, and that streams are named."""

from __future__ import annotations

import numpy as np
import pytest

from empirics.base.randomness import named_generator
from empirics.worlds.manifolds import Ball, FlatTorus, Gaussian, Sphere, SwissRoll, rotated_into, torus_grid

EVERY = [kind(d) for kind in (Ball, FlatTorus, Gaussian, Sphere, SwissRoll) for d in (1, 2, 5)]


@pytest.mark.parametrize("manifold", EVERY, ids=repr)
def test_points_have_the_ambient_dimension_and_repeat_with_the_stream(manifold):
    points = manifold.sample(50, named_generator("test"))
    assert points.shape == (50, manifold.ambient)
    np.testing.assert_array_equal(points, manifold.sample(50, named_generator("test")))
    assert manifold.why.startswith("proof")


def test_each_kind_satisfies_its_equation():
    rng = named_generator("equations")
    assert np.allclose(np.linalg.norm(Sphere(3).sample(100, rng), axis=1), 1)
    radius = np.linalg.norm(Ball(3).sample(20_000, rng), axis=1)
    assert radius.max() <= 1
    assert np.mean(radius**3) == pytest.approx(0.5, abs=0.01)  # r^d is uniform
    assert np.abs(Ball(1).sample(20_000, rng)).mean() == pytest.approx(0.5, abs=0.01)
    torus = FlatTorus(2).sample(100, rng).reshape(100, 2, 2)
    assert np.allclose(np.linalg.norm(torus, axis=2), 1 / (2 * np.pi))
    roll = SwissRoll(2).sample(100, rng)
    t = np.hypot(roll[:, 0], roll[:, 1])
    assert np.allclose(roll[:, 0], t * np.cos(t))


def test_the_torus_is_embedded_isometrically_at_small_distances():
    x = named_generator("isometry").random((100, 3))
    step = 1e-5 * named_generator("steps").standard_normal((100, 3))
    moved = np.linalg.norm(FlatTorus(3).embed(x + step) - FlatTorus(3).embed(x), axis=1)
    np.testing.assert_allclose(moved, np.linalg.norm(step, axis=1), rtol=1e-6)


def test_a_rotation_keeps_all_distances():
    points = FlatTorus(2).sample(20, named_generator("rotation test"))
    turned = rotated_into(points, 9, seed=3)
    assert turned.shape == (20, 9)
    np.testing.assert_allclose(turned @ turned.T, points @ points.T, atol=1e-12)
    with pytest.raises(ValueError, match="ambient=3"):
        rotated_into(points, 3, seed=0)


def test_streams_differ_by_name_and_by_index():
    draws = [named_generator(*key).random() for key in (("a",), ("b",), ("a", 1), ("a", 1, 0), ("a", 0))]
    assert len(set(draws)) == len(draws)
    for key in (("",), ("a", -1)):
        with pytest.raises(ValueError, match="named_generator"):
            named_generator(*key)


def test_bad_sizes_are_refused():
    for call in (lambda: Sphere(0), lambda: torus_grid(0, 4), lambda: torus_grid(8, 100)):
        with pytest.raises(ValueError, match="expected"):
            call()
