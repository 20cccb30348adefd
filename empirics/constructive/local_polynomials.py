"""Least squares for one polynomial in each of many cells at once, without a loop over cells.

Shapes: n points, d coordinates, M cells, P coefficients of a polynomial. The basis is the tensor Legendre basis of
total degree at most p, orthonormal under the uniform distribution on [-1, 1]^d, so that the normal equations of a
well-filled cell are close to the identity.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from theory.errors import MoelawsError

Floats = npt.NDArray[np.float64]
Cells = npt.NDArray[np.intp]

FEW_COEFFICIENTS = 8
"""Up to here sums over cells are weighted counts, one for each pair of coefficients; beyond, one product for each cell."""
DOUBTFUL = 1e-8
"""A pivot below this share of a cell's normal matrix: squaring the design has cost half the digits, so it is solved itself."""
RESOLVED = 1e-12
"""A direction whose share of a cell's design is below this is rounding of the coordinates, and gets no coefficient."""


def multi_indices(d: int, degree: int) -> list[tuple[int, ...]]:
    """Exponents (d of them) of total degree at most ``degree``, constants first; binomial(d + degree, d) of them."""
    if d < 1 or degree < 0:
        raise MoelawsError(f"multi_indices(d={d}, degree={degree}): expected d >= 1 and degree >= 0")
    every = itertools.product(range(degree + 1), repeat=d)
    return sorted((index for index in every if sum(index) <= degree), key=lambda index: (sum(index), index))


def features(local: Floats, degree: int) -> Iterator[Floats]:
    """The basis at local coordinates (d, n), one array (n,) after the other, in the order of `multi_indices`."""
    axes = [list(_legendre(coordinate, degree)) for coordinate in local]
    for index in multi_indices(len(local), degree):
        value = np.ones(local.shape[1])
        for axis, power in zip(axes, index, strict=True):
            if power:
                value = value * axis[power]
        yield value


def _legendre(z: Floats, degree: int) -> Iterator[Floats]:
    before, now = np.zeros_like(z), np.ones_like(z)
    for k in range(degree + 1):
        yield now * (2 * k + 1) ** 0.5
        before, now = now, ((2 * k + 1) * z * now - k * before) / (k + 1)


def fit_cells(cell: Cells, local: Floats, y: Floats, cells: int, degree: int) -> Floats:
    """Least-squares coefficients (M, P) of a polynomial in each cell, from points in cell (n,) at local (d, n).

    Normal equations where a cell's points determine its polynomial well; elsewhere the singular values of its design,
    and of all solutions the one of least norm (zero in an empty cell).
    """
    if degree == 0:
        count = np.bincount(cell, minlength=cells)
        total = np.bincount(cell, weights=y, minlength=cells)
        return np.asarray((total / np.maximum(count, 1))[:, None])
    basis = list(features(local, degree))
    assemble = _by_counting if len(basis) <= FEW_COEFFICIENTS else _by_cell
    matrix, right = assemble(cell, basis, y, cells)
    coefficients, doubtful = solve_cells(matrix, right)
    coefficients[doubtful] = 0
    for which, points in cells_of_one_size(cell, doubtful):
        design = np.stack([column[points] for column in basis], axis=-1)
        coefficients[which] = _least_norm(design, y[points])
    return coefficients


def cells_of_one_size(
    cell: Cells, wanted: npt.NDArray[np.bool_] | None = None
) -> Iterator[tuple[Cells, Cells]]:
    """The wanted ones (M,) of the cells, those with equally many points together: cells (m,) and their points (m, c).

    What numpy does to stacks of matrices then takes no loop over cells. Empty cells are left out.
    """
    points = np.arange(len(cell)) if wanted is None else np.flatnonzero(wanted[cell])
    points = points[np.argsort(cell[points], kind="stable")]
    which, start, count = np.unique(cell[points], return_index=True, return_counts=True)
    for c in np.unique(count):
        same = count == c
        yield which[same], points[start[same][:, None] + np.arange(c)]


def _by_counting(cell: Cells, basis: list[Floats], y: Floats, cells: int) -> tuple[Floats, Floats]:
    size = len(basis)
    matrix, right = np.empty((size, size, cells)), np.empty((size, cells))
    for i, j in itertools.combinations_with_replacement(range(size), 2):
        product = basis[j] if i == 0 else basis[i] * basis[j]  # the first one is constant
        matrix[i, j] = matrix[j, i] = np.bincount(cell, weights=product, minlength=cells)
    for i in range(size):
        right[i] = np.bincount(cell, weights=y if i == 0 else basis[i] * y, minlength=cells)
    return matrix, right


def _by_cell(cell: Cells, basis: list[Floats], y: Floats, cells: int) -> tuple[Floats, Floats]:
    order = np.argsort(cell, kind="stable")
    ends = np.cumsum(np.bincount(cell, minlength=cells))
    sorted_basis, sorted_y = np.array(basis)[:, order], y[order]
    matrix, right = np.zeros((len(basis), len(basis), cells)), np.zeros((len(basis), cells))
    for j, end in enumerate(ends):
        here = slice(ends[j - 1] if j else 0, end)
        matrix[:, :, j] = sorted_basis[:, here] @ sorted_basis[:, here].T
        right[:, j] = sorted_basis[:, here] @ sorted_y[here]
    return matrix, right


def solve_cells(matrix: Floats, right: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Solutions (M, P) of M positive definite systems, given as (P, P, M) and (P, M), and which (M,) are in doubt.

    A Cholesky factorisation over all cells at once: P^2/2 operations on arrays of length M, which for small P is
    several times faster than M calls of a library routine. Where a pivot is nearly zero the solution means nothing.
    """
    size, cells = right.shape
    factor = matrix.copy()
    scale = np.maximum(matrix[np.arange(size), np.arange(size)].max(axis=0), 1e-300)
    doubtful = np.zeros(cells, dtype=bool)
    for j in range(size):
        for k in range(j):
            factor[j:, j] -= factor[j:, k] * factor[j, k]
        bad = factor[j, j] <= DOUBTFUL * scale
        doubtful |= bad
        factor[j, j][bad] = 1.0
        np.sqrt(factor[j, j], out=factor[j, j])
        factor[j + 1 :, j] /= factor[j, j]
    solution = right.copy()
    for j in range(size):
        for k in range(j):
            solution[j] -= factor[j, k] * solution[k]
        solution[j] /= factor[j, j]
    for j in reversed(range(size)):
        for k in range(j + 1, size):
            solution[j] -= factor[k, j] * solution[k]
        solution[j] /= factor[j, j]
    return np.ascontiguousarray(solution.T), doubtful


def _least_norm(design: Floats, y: Floats) -> Floats:
    """Least-squares coefficients (m, P) of least norm, for m designs (m, c, P) and values (m, c)."""
    left, values, right = np.linalg.svd(design, full_matrices=False)
    kept = values > RESOLVED * values[:, :1]
    parts = np.einsum("mcr,mc->mr", left, y) / np.where(kept, values, np.inf)
    return np.asarray(np.einsum("mr,mrp->mp", parts, right))
