"""Approximation constants against real functions and real mixtures: never exceeded, and attained where they say."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.results.approximation import cells, taylor, top_k
from theory.results.approximation.cells import cells_per_axis, polynomial_degree
from theory.vocabulary import H_beta, L_f, M, beta, d, g, h, k, m


def value(formula: sp.Expr, **at: object) -> float:
    symbols = {"H_beta": H_beta, "L_f": L_f, "M": M, "beta": beta, "d": d, "g": g, "h": h, "k": k, "m": m}
    return float(formula.subs({symbols[name]: sp.sympify(x) for name, x in at.items()}).doit())


def cube(dimension: int, points: int, *, low: float = 0.0, high: float = 1.0) -> np.ndarray:
    """Grid points of a cube, its corners among them, of shape (points^dimension, dimension)."""
    axis = np.linspace(low, high, points)
    return np.stack(np.meshgrid(*[axis] * dimension, indexing="ij"), -1).reshape(-1, dimension)


@settings(deadline=None)
@given(st.integers(1, 10**12), st.integers(1, 12))
def test_cells_per_axis_is_the_exact_root(experts, dimension):
    root = cells_per_axis(experts, dimension)
    assert root**dimension <= experts < (root + 1) ** dimension


@pytest.mark.parametrize(
    ("smoothness", "degree"), [("0.5", 0), (1, 0), ("1.01", 1), (2, 1), ("2.5", 2), (3, 2)]
)
def test_the_degree_is_the_largest_integer_below_the_smoothness(smoothness, degree):
    assert polynomial_degree(smoothness) == degree


@pytest.mark.parametrize("bad", [0, -1, True, 2.0])
def test_counts_that_are_none_are_refused(bad):
    with pytest.raises(ValueError, match="experts="):
        cells_per_axis(bad, 2)


@pytest.mark.parametrize("dimension", [1, 2, 3])
@pytest.mark.parametrize("smoothness", ["0.5", "1", "1.5", "2", "2.7", "3"])
def test_taylor_s_remainder_of_a_power_of_the_sum_attains_the_sharp_constant(dimension, smoothness):
    """(y_1 + ... + y_d)^beta at 0 has the Taylor polynomial 0 of degree m, and this seminorm on the positive orthant."""
    order, degree, side = float(smoothness), polynomial_degree(smoothness), 0.3
    falling = math.prod(order - i for i in range(degree))
    seminorm = falling * dimension ** (order - degree)
    points = cube(dimension, 6, high=side)
    slopes = falling * points.sum(-1) ** (order - degree)  # every derivative of order m
    apart = np.abs(points[:, None] - points).max(-1)
    assert np.all(np.abs(slopes[:, None] - slopes) <= seminorm * apart ** (order - degree) + 1e-12)
    remainder = (points.sum(-1) ** order).max()
    bound = value(taylor.taylor_bound, d=dimension, m=degree, H_beta=seminorm, h=side, beta=smoothness)
    sharper = math.prod((i + 1) / (order - degree + i + 1) for i in range(degree))
    assert remainder == pytest.approx(bound * sharper, rel=1e-12)
    assert remainder <= bound * (1 + 1e-12)


@pytest.mark.parametrize("dimension", [1, 2, 5])
@pytest.mark.parametrize("smoothness", ["0.5", "1.5", "2.7"])
def test_within_a_euclidean_radius_the_root_of_the_dimension_is_enough(dimension, smoothness):
    """The same power of the sum, whose Euclidean seminorm has sqrt(d) for d, at the end of the diagonal."""
    order, degree, radius = float(smoothness), polynomial_degree(smoothness), 0.3
    falling = math.prod(order - i for i in range(degree))
    seminorm = falling * dimension ** ((order - degree) / 2)
    remainder = (math.sqrt(dimension) * radius) ** order
    bound = value(
        taylor.euclidean_taylor_bound, d=dimension, m=degree, H_beta=seminorm, h=radius, beta=smoothness
    )
    sharper = math.prod((i + 1) / (order - degree + i + 1) for i in range(degree))
    assert remainder == pytest.approx(bound * sharper, rel=1e-12)


def test_taylor_with_mixed_norms_is_false():
    """A seminorm in the Euclidean norm with a radius in sup-norm: x_1 + ... + x_d, beta = 1, d = 4 breaks it."""
    dimension, side = 4, 0.25
    lipschitz = math.sqrt(dimension)  # of the sum, in the Euclidean norm
    assert dimension * side > value(taylor.taylor_bound, d=dimension, m=0, H_beta=lipschitz, h=side, beta=1)


@pytest.mark.parametrize(("experts", "dimension"), [(1, 1), (5, 1), (16, 2), (20, 2), (27, 3)])
@pytest.mark.parametrize("smoothness", ["1", "1.5", "2", "2.5"])
def test_local_polynomials_stay_below_both_bounds(experts, dimension, smoothness):
    """The target sin(x_1 + ... + x_d): its derivatives are at most 1 and d-Lipschitz in sup-norm."""
    degree, order = polynomial_degree(smoothness), float(smoothness)
    per_axis = cells_per_axis(experts, dimension)
    # on the unit cube |D^a f(x) - D^a f(y)| <= min(2, d r) <= 2^(1 - gamma) (d r)^gamma
    seminorm = 2 ** (1 - (order - degree)) * dimension ** (order - degree)
    x = cube(dimension, 6 * per_axis + 1)
    centre = (np.minimum(np.floor(x * per_axis), per_axis - 1) + 0.5) / per_axis
    at, step = centre.sum(-1), (x - centre).sum(-1)
    polynomial = sum(np.sin(at + i * math.pi / 2) * step**i / math.factorial(i) for i in range(degree + 1))
    error = np.abs(np.sin(x.sum(-1)) - polynomial).max()
    sizes = {"d": dimension, "m": degree, "H_beta": seminorm, "beta": smoothness}
    bound = value(cells.local_polynomial_error, g=per_axis, **sizes)
    assert error <= bound * (1 + 1e-12)
    assert bound**2 <= value(cells.local_polynomial_squared_error, M=experts, **sizes) * (1 + 1e-12)


@pytest.mark.parametrize(("experts", "dimension"), [(1, 1), (7, 1), (9, 2), (30, 3)])
@pytest.mark.parametrize("smoothness", ["0.3", "0.5", "1"])
def test_a_power_of_one_feature_attains_the_constant_experts_bound(experts, dimension, smoothness):
    per_axis, order = cells_per_axis(experts, dimension), float(smoothness)
    x = cube(dimension, 4 * per_axis + 1)
    target = 3 * x[:, 0] ** order
    error = 0.0
    for corner in itertools.product(range(per_axis), repeat=dimension):
        inside = np.all(
            (x >= np.array(corner) / per_axis - 1e-9) & (x <= (np.array(corner) + 1) / per_axis + 1e-9), -1
        )
        error = max(error, np.ptp(target[inside]) / 2)  # of the best constant
    bound = value(cells.constant_expert_error, g=per_axis, H_beta=3, beta=smoothness)
    assert error == pytest.approx(bound, rel=1e-9)
    if order == 1:
        whole = value(cells.local_polynomial_error, d=dimension, m=0, g=per_axis, H_beta=3, beta=1)
        assert error == pytest.approx(whole, rel=1e-9)


@pytest.mark.parametrize(("experts", "active", "dimension"), [(8, 2, 1), (9, 2, 2), (54, 2, 3)])
def test_copies_of_constant_experts_attain_their_bound_on_a_plane(experts, active, dimension):
    """A top-k mixture of constants: router logits are minus squared distances to the cell's centre, k copies of each."""
    per_axis = cells_per_axis(experts // active, dimension)
    centres = np.repeat(cube(dimension, per_axis, low=0.5 / per_axis, high=1 - 0.5 / per_axis), active, 0)
    assert len(centres) <= experts
    x = cube(dimension, 4 * per_axis + 1)
    target = lambda y: 2 * y.sum(-1) / math.sqrt(dimension)  # noqa: E731
    logits = -((x[:, None] - centres) ** 2).sum(-1)
    chosen = np.argsort(-logits, axis=1, kind="stable")[:, :active]
    error = np.abs(target(x) - target(centres)[chosen].mean(1)).max()
    assert error == pytest.approx(value(top_k.copies_error, L_f=2, d=dimension, g=per_axis), rel=1e-9)


@pytest.mark.parametrize(("experts", "active"), [(2, 2), (5, 2), (9, 3), (12, 5)])
def test_windows_of_constant_experts_attain_a_bound_in_m_not_in_m_over_k(experts, active):
    """In exact arithmetic: linear logits, the k largest active with equal weights, the target f(x) = x."""
    windows = experts - active + 1
    points = [Fraction(2 * j - active, 2 * windows) for j in range(1, experts + 1)]
    middles = [Fraction(2 * i + 1, 2 * windows) for i in range(windows)]
    constants = [middles[0]] * active
    for i in range(1, windows):
        constants.append(constants[i - 1] + active * (middles[i] - middles[i - 1]))
    error, seen = Fraction(0), set()
    for x in (Fraction(i, 24 * windows) for i in range(24 * windows + 1)):
        logits = [2 * a * x - a * a for a in points]
        chosen = sorted(range(experts), key=lambda j: (-logits[j], j))[:active]
        seen.add(tuple(sorted(chosen)))
        error = max(error, abs(x - sum(constants[j] for j in chosen) / active))
    assert len(seen) == windows
    assert error == Fraction(1, 2 * windows)
    assert float(error) == value(top_k.windows_error, L_f=1, M=experts, k=active)
    by_copies = value(top_k.copies_error, L_f=1, d=1, g=cells_per_axis(experts // active, 1))
    assert float(error) <= by_copies
    assert (float(error) < by_copies) == (experts > active)
