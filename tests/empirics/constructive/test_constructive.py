"""The constructive MoE: gates, exact least squares, certificates, and the same forward pass as a routed network."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from empirics.base.randomness import named_generator
from empirics.constructive.cell_gate import CellGate, bspline_weights
from empirics.constructive.constructive_moe import ConstructiveMoE, FittedMoE
from empirics.constructive.fit_certificate import FitCertificate
from empirics.constructive.local_polynomials import features, fit_cells, multi_indices
from empirics.worlds.manifolds import FlatTorus, torus_grid

gates = st.integers(1, 3).flatmap(
    lambda d: st.integers(1, 3).flatmap(
        lambda order: st.builds(
            CellGate,
            st.just(d),
            st.integers(max(order, 2), 5),
            st.just(order),
            st.one_of(st.none(), st.integers(1, max(order, 2) ** d)),
        )
    )
)


def points(n, d, seed=0):
    return named_generator("points of a test", n, d, seed).random((n, d))


def design(model, x):
    """The dense design, column by column through `predict`."""
    size = model.coefficients_per_expert
    units = np.eye(model.total_parameters).reshape(-1, model.gate.experts, size)
    return np.column_stack([FittedMoE(model, unit, None).predict(x) for unit in units])


@settings(deadline=None, max_examples=40)
@given(gates)
def test_gate_weights_are_a_sparse_partition_of_unity(gate):
    expert, weight, local = gate.route(points(60, gate.d))
    assert expert.shape == weight.shape == (60, min(gate.active, gate.overlap))
    assert weight.min() >= 0
    np.testing.assert_allclose(weight.sum(axis=1), 1, atol=1e-12)
    assert all(len(set(row)) == expert.shape[1] for row in expert)
    assert expert.max() < gate.experts
    assert np.abs(local).max() <= 1 + 1e-12


@settings(deadline=None, max_examples=25)
@given(gates, st.integers(0, 2))
def test_a_fit_is_the_least_squares_fit(gate, degree):
    model = ConstructiveMoE(gate, degree)
    assume(model.total_parameters <= 300)  # the dense design is solved beside it
    x = np.concatenate([points(40 + 2 * min(model.total_parameters, 150), gate.d), torus_grid(gate.d, 4)])
    y = named_generator("values of a test").standard_normal(len(x))
    fitted = model.fit(x, y, certify=True)
    assert fitted.certificate.converged or gate.overlap > 1
    matrix = design(model, x)
    best = matrix @ np.linalg.lstsq(matrix, y, rcond=None)[0]
    residual, least = np.sum((y - fitted.predict(x)) ** 2), np.sum((y - best) ** 2)
    assert residual <= least + (1e-11 if fitted.certificate.converged else 1e-4) * np.sum(y**2)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize(("d", "degree"), [(1, 0), (1, 3), (1, 12), (2, 2), (3, 1)])
def test_polynomials_of_the_experts_degree_are_reproduced(d, degree, order):
    x = points(4000, d)
    # Not periodic: the cube is scaled so that no expert is shared between opposite faces.
    x *= 1 - (order - 1) / 3
    rng = named_generator("coefficients of a test", d, degree)
    y = sum(rng.standard_normal() * np.prod(x**index, axis=1) for index in multi_indices(d, degree))
    fitted = ConstructiveMoE(CellGate(d, 3, order), degree).fit(x, y)
    # Overlapping polynomials of degree 12 are nearly dependent: the certificate says so.
    np.testing.assert_allclose(fitted.predict(x), y, atol=2e-7 if order == 1 else 5e-6)


def test_sparse_cells_get_the_least_norm_and_empty_ones_zero():
    x = np.array([[0.1], [0.1], [0.6], [0.7], [0.9]])
    y = np.array([1.0, 3.0, 2.0, 3.0, 5.0])
    fitted = ConstructiveMoE(CellGate(1, 3), 1).fit(x, y, certify=True)
    assert fitted.certificate.undetermined == 2
    np.testing.assert_allclose(fitted.predict(x)[[0, 1]], 2)
    # Basis 1 and sqrt(3) z on the cell [-1, 1]. One point (mean y at z) gives y b/|b|^2, two points their line.
    at = np.array([[1, -0.4 * 3**0.5], [1, 0.6 * 3**0.5]])
    least = 2 * at / (at**2).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(fitted.coefficients, [*least, [13 / 3, 5 / 3 / 3**0.5]], atol=1e-12)
    assert np.all(ConstructiveMoE(CellGate(1, 4), 1).fit(x, y).coefficients[1] == 0)


@pytest.mark.parametrize("degree", [1, 2, 5])
def test_cells_are_solved_whatever_their_number_of_points(degree):
    rng = named_generator("cells of every size", degree)
    cell = np.repeat(np.arange(30), np.arange(30))
    local, y = rng.uniform(-1, 1, (2, len(cell))), rng.standard_normal(len(cell))
    local[:, cell == 29] = local[:, cell == 28][:, [0]]  # one point, 29 times
    found = fit_cells(cell, local, y, 31, degree)
    design = np.array(list(features(local, degree))).T
    for j in range(31):
        wanted = np.linalg.lstsq(design[cell == j], y[cell == j], rcond=1e-12)[0]
        np.testing.assert_allclose(found[j], wanted, atol=1e-6 * (1 + np.abs(wanted).max()))


def crowded(width, *, cells=16, each=40):
    """Points (n, 1) that keep to one place in each cell, to within this share of the cell."""
    rng = named_generator("crowded points", cells)
    return ((np.arange(cells)[:, None] + width * rng.random((cells, each))) / cells).reshape(-1, 1)


def distance_from_best(x, residual, width, degree, cells=16):
    """Norm of what polynomials in each cell could still explain, from coordinates of the crowds' own."""
    own = np.polynomial.legendre.legvander((x[:, 0] * cells % 1) / width * 2 - 1, degree)
    spans = np.linalg.qr(own.reshape(cells, -1, degree + 1))[0]
    return np.linalg.norm(np.einsum("jcp,jc->jp", spans, residual.reshape(cells, -1)))


@pytest.mark.parametrize(
    ("width", "degree"), [(1e-2, 3), (1e-4, 2), (1e-5, 1), (1e-5, 2), (1e-6, 2), (1e-4, 3), (1e-7, 1)]
)
def test_a_certificate_says_how_far_from_the_minimum_a_fit_to_crowded_points_is(width, degree):
    x = crowded(width)
    model = ConstructiveMoE(CellGate(1, 16), degree)
    exact = model.fit(x, x[:, 0] ** degree, certify=True)
    np.testing.assert_allclose(exact.predict(x), x[:, 0] ** degree, atol=1e-9)
    assert exact.certificate.converged
    assert exact.certificate.undetermined == 0
    y = x[:, 0] ** 2 + 0.1 * named_generator("noise of a test").standard_normal(len(x))
    noisy = model.fit(x, y, certify=True)
    distance = distance_from_best(x, y - noisy.predict(x), width, degree) / np.linalg.norm(y)
    assert noisy.certificate.distance == pytest.approx(distance, rel=1e-3, abs=1e-10)
    assert noisy.certificate.converged or width**degree < 1e-9  # beyond, coefficients have too few digits


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize(("width", "degree"), [(1e-2, 1), (1e-2, 2), (1e-4, 1), (1e-4, 2), (1e-6, 1)])
def test_overlapping_experts_on_crowded_points_do_not_seem_to_converge(order, width, degree):
    x = crowded(width, cells=8)
    y = x[:, 0] ** 2 + 0.1 * named_generator("noise of a test").standard_normal(len(x))
    model = ConstructiveMoE(CellGate(1, 8, order), degree)
    fitted = model.fit(x, y)
    matrix = design(model, x)
    left = np.linalg.svd(matrix / np.linalg.norm(matrix, axis=0), full_matrices=False)[0]
    rank = np.linalg.matrix_rank(
        design(model, points(500, 1))
    )  # splines times polynomials are dependent as such
    distance = np.linalg.norm(left[:, :rank].T @ (y - fitted.predict(x))) / np.linalg.norm(y)
    assert distance < 1e-6 or not fitted.certificate.converged


def test_points_on_a_line_and_repeated_points_are_certified_as_what_they_are():
    t = named_generator("line").random(4000)
    line = np.stack([t, (t + 0.3) % 1], axis=1)
    repeated = points(50, 2)[np.arange(4000) % 50]
    for x, undetermined in ((line, 100), (repeated, 100)):
        found = ConstructiveMoE(CellGate(2, 10), 2).fit(x, np.sin(40 * t), certify=True).certificate
        assert found.converged
        assert found.undetermined == undetermined


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("binary", [-600, 600])
def test_a_fit_does_not_depend_on_the_unit_of_its_values(order, binary):
    x = points(400, 1)
    y = np.sin(7 * x[:, 0])
    model = ConstructiveMoE(CellGate(1, 8, order), 1)
    small, large = (model.fit(x, v, certify=True) for v in (y, np.ldexp(y, binary)))
    assert small.certificate == large.certificate
    assert small.certificate.converged
    np.testing.assert_array_equal(large.coefficients, np.ldexp(small.coefficients, binary))


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_values_that_are_not_finite_are_refused(order, bad):
    y = np.zeros(50)
    y[7] = bad
    with pytest.raises(ValueError, match=r"y\[7\] is .*expected finite values"):
        ConstructiveMoE(CellGate(1, 4, order)).fit(points(50, 1), y)


@pytest.mark.parametrize("distance", [np.nan, np.inf, 1e-5])
def test_what_is_far_or_unknown_has_not_converged(distance):
    assert not FitCertificate(distance, 0, 0).converged


def test_zeros_are_fitted_by_zero():
    for order in (1, 2):
        fitted = ConstructiveMoE(CellGate(1, 4, order), 1).fit(points(50, 1), np.zeros(50), certify=True)
        assert fitted.certificate.distance == 0
        assert not fitted.coefficients.any()


def test_clipping_and_the_count_of_parameters():
    model = ConstructiveMoE.for_smoothness(2, 1.5, 4, order=2, clip=0.5)
    assert (model.degree, model.active_parameters, model.total_parameters) == (1, 12, 48)
    assert [ConstructiveMoE.for_smoothness(1, b, 4).degree for b in (0.5, 1, 1.5, 2, 2.1)] == [0, 0, 1, 1, 2]
    x = points(200, 2)
    assert np.abs(model.fit(x, 9 * x[:, 0]).predict(x)).max() == 0.5


def test_bsplines_are_the_textbook_ones():
    u = np.linspace(0, 0.99, 34)
    wanted = np.stack([(1 - u) ** 2 / 2, (1 + 2 * u - 2 * u**2) / 2, u**2 / 2], axis=1)
    np.testing.assert_allclose(bspline_weights(u, 3), wanted, atol=1e-15)


@pytest.mark.parametrize(
    "call",
    [
        lambda: CellGate(0, 3),
        lambda: CellGate(2, 2, 3),
        lambda: CellGate(2, 4, 2, 17),
        lambda: CellGate(2, 4, 2, 0),
        lambda: ConstructiveMoE(CellGate(1, 2), -1),
        lambda: ConstructiveMoE(CellGate(1, 2), clip=0),
        lambda: ConstructiveMoE(CellGate(2, 2)).fit(np.zeros((4, 1)), np.zeros(4)),
    ],
)
def test_bad_arguments_are_named(call):
    with pytest.raises(ValueError, match="expected"):
        call()


@pytest.mark.parametrize("where", [1.0, -0.1, np.nan])
def test_points_outside_the_cube_are_refused(where):
    with pytest.raises(ValueError, match=r"leaves \[0, 1\)"):
        CellGate(1, 4).hard(np.array([[0.5], [where]]))


@pytest.mark.parametrize("order", [1, 2, 3])
def test_data_of_a_box_are_fitted_after_scaling_also_at_its_faces(order):
    low, high = np.array([-3.0, 10.0]), np.array([5.0, 11.0])
    x = np.concatenate([low + (high - low) * points(600, 2), [low, high]])
    y = 3 * x[:, 0] - 2 * x[:, 1]
    model = ConstructiveMoE(CellGate(2, 4, order), 1)
    with pytest.raises(ValueError, match=r"coordinate 0 leaves \[0, 1\): it runs from -3 to 5.*from_box"):
        model.fit(x, y)
    inside = model.gate.from_box(x, low, high)
    np.testing.assert_allclose(model.fit(inside, y).predict(inside), y, atol=1e-6)


@pytest.mark.parametrize(("low", "high"), [(0.2, 1), (0, 0.5), (1, 0), (0, np.nan)])
def test_points_outside_their_box_are_refused(low, high):
    with pytest.raises(ValueError, match="expected low < high and all points between"):
        CellGate(1, 4).from_box(points(50, 1), low, high)


def test_the_last_number_below_one_has_a_cell():
    cell, _ = CellGate(1, 47).hard(np.array([[np.nextafter(1, 0)]]))
    assert cell[0] == 46


# The same network in torch


def routed_network(logits_NM, top_k, coefficients_MP, basis_NMP):
    """A routed network as it is trained: logits, top-k, softmax over the selected, weighted expert outputs."""
    import torch

    from empirics import route

    class Routed(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.experts_MP = torch.nn.Parameter(torch.from_numpy(coefficients_MP))

        def forward(self, logits_NM, basis_NMP):
            chosen = route(logits_NM, top_k)
            outputs_NM = (basis_NMP * self.experts_MP).sum(dim=2)
            return (chosen.weights_TK * outputs_NM.gather(1, chosen.ids_TK)).sum(dim=1)

    out_of_reach = -1e4  # where a weight is zero; its exponential is 0, too
    with torch.no_grad():
        logits = torch.from_numpy(np.maximum(logits_NM, out_of_reach))
        return Routed()(logits, torch.from_numpy(basis_NMP)).numpy()


@pytest.mark.parametrize(
    "gate",
    [
        CellGate(2, 3),
        CellGate(2, 3, top_k=4),
        CellGate(1, 5, 2),
        CellGate(2, 3, 2),
        CellGate(2, 3, 2, 9),
        CellGate(2, 4, 2, 1),
        CellGate(2, 4, 2, 2),
        CellGate(2, 4, 2, 3),
        CellGate(1, 6, 3, 2),
        CellGate(3, 3, 2, 3),
        CellGate(3, 3, 3, 10),
    ],
    ids=repr,
)
def test_the_forward_pass_is_that_of_a_top_k_routed_network_also_at_ties(gate):
    x = np.concatenate([points(300, gate.d), torus_grid(gate.d, 16 if gate.d < 3 else 6)])
    fitted = ConstructiveMoE(gate, 1).fit(x, np.sin(7 * x).sum(axis=1))
    # The affine basis of each expert about the middle of its support, for every expert and point.
    middle = np.stack(np.unravel_index(np.arange(gate.experts), (gate.per_axis,) * gate.d), axis=1)
    middle = (middle + 1 - gate.order / 2) / gate.per_axis
    away = (x[:, None] - middle[None] + 0.5) % 1 - 0.5
    affine = away * 2 * gate.per_axis / gate.order * 3**0.5
    basis = np.concatenate([np.ones((*affine.shape[:2], 1)), affine[:, :, ::-1]], axis=2)
    found = routed_network(gate.logits(x), gate.active, fitted.coefficients, basis)
    np.testing.assert_allclose(found, fitted.predict(x), atol=1e-11)


@pytest.mark.parametrize("order", [1, 2])
def test_more_active_experts_than_overlap_change_nothing(order):
    x = points(400, 2)
    exact, more = (
        ConstructiveMoE(CellGate(2, 4, order, k), 1).fit(x, np.sin(7 * x).sum(axis=1)) for k in (None, 16)
    )
    np.testing.assert_array_equal(more.coefficients, exact.coefficients)
    np.testing.assert_array_equal(more.predict(x), exact.predict(x))
    assert more.model.active_parameters == more.model.total_parameters


def test_hard_cells_are_a_linear_router_on_the_embedded_torus():
    gate, torus = CellGate(2, 5), FlatTorus(2)
    x = points(500, 2)
    centres = (np.stack(np.unravel_index(np.arange(25), (5, 5)), axis=1) + 0.5) / 5
    logits = torus.embed(x) @ torus.embed(centres).T
    np.testing.assert_array_equal(logits.argmax(axis=1), gate.hard(x)[0])
