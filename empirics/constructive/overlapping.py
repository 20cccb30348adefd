"""Least squares for experts that overlap: one sparse system, solved by conjugate gradients, certified by its residual.

Within a cell the same K = order^d experts are at work, so the normal matrix is assembled from one small matrix for
each cell, as finite elements are: sums over points are weighted counts, and after them no step depends on n. The
system is scaled to a unit diagonal (experts differ in how many points they see). The certificate goes back to the
data: with g the gradient at the solution, from the residuals of the points, the fitted values are at most
|g|/sqrt(lambda) from the best ones, where lambda is the least eigenvalue of the scaled system but 0 (splines times
polynomials are dependent as such). The conjugate gradients estimate lambda by their own least Ritz value.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigvalsh_tridiagonal
from scipy.sparse import coo_array, csr_array

from empirics.constructive.cell_gate import CellGate, bspline_weights, largest
from empirics.constructive.fit_certificate import FitCertificate
from empirics.constructive.local_polynomials import features, multi_indices

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.intp]

TOLERANCE = 1e-11
MOST_ITERATIONS = 5000
RESOLVED = 1e-7
"""Of points that crowd one place the slope has such an eigenvalue and the curvature its square, which rounding hides. So
where the least eigenvalue met is below this, others may be hidden, and the distance from the best fit is unknown."""


def fit_overlapping(gate: CellGate, degree: int, x: Floats, y: Floats) -> tuple[Floats, FitCertificate]:
    """Least-squares coefficients (M, P) and the certificate. Columns that no point reaches stay zero."""
    size = len(multi_indices(gate.d, degree))
    experts = _experts(gate)
    cell, columns = _columns(gate, degree, x, experts)
    owners = [expert * size + p for expert in experts for p in range(size)]
    unknowns = gate.experts * size
    matrix, right = _assemble(cell, columns, owners, y, unknowns)
    diagonal = matrix.diagonal()
    reached = diagonal > 0
    scale = np.where(reached, 1 / np.sqrt(np.where(reached, diagonal, 1.0)), 0.0)
    matrix.data *= np.repeat(scale, np.diff(matrix.indptr)) * scale[matrix.indices]
    norm = float(np.linalg.norm(y)) or 1.0
    solution, iterations, least = _conjugate_gradients(matrix, scale * right, TOLERANCE * norm)
    coefficients = scale * solution
    residual = y.copy()
    for column, owner in zip(columns, owners, strict=True):
        residual -= column * coefficients[owner][cell]
    gradient = np.zeros(unknowns)
    for column, owner in zip(columns, owners, strict=True):
        gradient[owner] += np.bincount(cell, weights=column * residual, minlength=gate.experts)
    distance = float(np.linalg.norm(scale * gradient)) / least**0.5 if least > RESOLVED else math.inf
    certificate = FitCertificate(distance / norm, iterations, int((~reached).sum()))
    return coefficients.reshape(gate.experts, size), certificate


def _columns(gate: CellGate, degree: int, x: Floats, experts: Integers) -> tuple[Integers, list[Floats]]:
    """The cell of each point, and gate weight times basis for each of the K experts of a cell and each polynomial."""
    where, inside = gate.cells(x)
    s = gate.order
    splines = [bspline_weights(u, s).T for u in inside]
    corners = list(itertools.product(range(s), repeat=gate.d))
    weights = [
        np.prod([spline[j] for spline, j in zip(splines, corner, strict=True)], axis=0) for corner in corners
    ]
    cell = where[0]
    for axis in where[1:]:
        cell = cell * gate.per_axis + axis
    if gate.active < gate.overlap:
        weights = list(_keep_largest(np.array(weights), experts[:, cell], gate.active))
    if degree == 0:
        return cell, weights
    columns = []
    for corner, weight in zip(corners, weights, strict=True):
        local = np.array([(u + (s - 1 - j) - s / 2) / (s / 2) for u, j in zip(inside, corner, strict=True)])
        columns += [weight * column for column in features(local, degree)]
    return cell, columns


def _keep_largest(weights: Floats, experts: Integers, k: int) -> Floats:
    """All but the k largest of each point's weights (K, n) set to zero, the others renormalised."""
    kept = largest(weights.T, experts.T, k).T
    chosen = np.zeros_like(weights)
    np.put_along_axis(chosen, kept, np.take_along_axis(weights, kept, axis=0), axis=0)
    return np.asarray(chosen / chosen.sum(axis=0))


def _experts(gate: CellGate) -> Integers:
    """The expert at each of the K corners of each cell, in the order of `_columns`, shape (K, M)."""
    axes = np.unravel_index(np.arange(gate.experts), (gate.per_axis,) * gate.d)
    corners = itertools.product(range(gate.order), repeat=gate.d)
    moved = [[(a + j) % gate.per_axis for a, j in zip(axes, corner, strict=True)] for corner in corners]
    return np.array([np.ravel_multi_index(tuple(axis), (gate.per_axis,) * gate.d) for axis in moved])


def _assemble(
    cell: Integers, columns: list[Floats], owners: list[Integers], y: Floats, unknowns: int
) -> tuple[csr_array, Floats]:
    cells = len(owners[0])
    right = np.zeros(unknowns)
    rows, places, entries = [], [], []
    for a, (column, owner) in enumerate(zip(columns, owners, strict=True)):
        right[owner] += np.bincount(cell, weights=column * y, minlength=cells)
        for b in range(a, len(columns)):
            entry = np.bincount(cell, weights=column * columns[b], minlength=cells)
            rows.append(owner)
            places.append(owners[b])
            entries.append(entry if b > a else entry / 2)  # the transpose is added below
    kind = np.int32 if unknowns < 2**31 else np.int64
    upper = coo_array(
        (np.concatenate(entries), (np.concatenate(rows).astype(kind), np.concatenate(places).astype(kind))),
        shape=(unknowns, unknowns),
    ).tocsr()
    return csr_array(upper + upper.T), right


def _conjugate_gradients(matrix: csr_array, right: Floats, tolerance: float) -> tuple[Floats, int, float]:
    """Solve a positive semidefinite consistent system until no entry of the residual exceeds ``tolerance``.

    Also the number of iterations, and the least eigenvalue on the space that they explored.
    """
    solution, residual = np.zeros_like(right), right.copy()
    direction, square = residual.copy(), float(residual @ residual)
    steps, ratios = [], []
    for _ in range(MOST_ITERATIONS):
        if np.max(np.abs(residual)) <= tolerance:
            break
        image = matrix @ direction
        curvature = float(direction @ image)
        if curvature <= 0:  # rounding: the direction is in the null space
            break
        steps.append(square / curvature)
        solution += steps[-1] * direction
        residual -= steps[-1] * image
        square, before = float(residual @ residual), square
        ratios.append(square / before)
        direction = residual + ratios[-1] * direction
    return solution, len(steps), _least_eigenvalue(np.array(steps), np.array(ratios))


def _least_eigenvalue(steps: Floats, ratios: Floats) -> float:
    """Of the tridiagonal matrix that conjugate gradients with these coefficients have made of theirs; 1 before any step."""
    if not len(steps):
        return 1.0
    diagonal = 1 / steps
    diagonal[1:] += ratios[:-1] / steps[:-1]
    values = eigvalsh_tridiagonal(diagonal, ratios[:-1] ** 0.5 / steps[:-1], select="i", select_range=(0, 0))
    return float(values[0])
