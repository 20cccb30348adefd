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

Floats = npt.NDArray[np.float64]
Cells = npt.NDArray[np.intp]

FEW_COEFFICIENTS = 8
"""Up to here sums over cells are weighted counts, one for each pair of coefficients; beyond, one product for each cell."""
SINGULAR = 1e-10
"""A direction whose share of a cell's normal matrix is below this is not determined by the cell's points."""


def multi_indices(d: int, degree: int) -> list[tuple[int, ...]]:
    """Exponents (d of them) of total degree at most ``degree``, constants first; binomial(d + degree, d) of them."""
    if d < 1 or degree < 0:
        raise ValueError(f"multi_indices(d={d}, degree={degree}): expected d >= 1 and degree >= 0")
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


def fit_cells(cell: Cells, local: Floats, y: Floats, cells: int, degree: int) -> tuple[Floats, int]:
    """Least-squares coefficients (M, P) of a polynomial in each cell, and how many cells did not determine theirs.

    A cell with too few points gets the solution of least norm (zero if it is empty).
    """
    if degree == 0:
        count = np.bincount(cell, minlength=cells)
        total = np.bincount(cell, weights=y, minlength=cells)
        return (total / np.maximum(count, 1))[:, None], int((count == 0).sum())
    basis = list(features(local, degree))
    assemble = _by_counting if len(basis) <= FEW_COEFFICIENTS else _by_cell
    matrix, right = assemble(cell, basis, y, cells)
    return solve_cells(matrix, right)


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


def solve_cells(matrix: Floats, right: Floats) -> tuple[Floats, int]:
    """Solutions (M, P) of M symmetric systems, given as (P, P, M) and (P, M); singular ones by least norm.

    A Cholesky factorisation over all cells at once: P^2/2 operations on arrays of length M, which for small P is
    several times faster than M calls of a library routine.
    """
    size, cells = right.shape
    factor = matrix.copy()
    scale = np.maximum(matrix[np.arange(size), np.arange(size)].max(axis=0), 1e-300)
    singular = np.zeros(cells, dtype=bool)
    for j in range(size):
        for k in range(j):
            factor[j:, j] -= factor[j:, k] * factor[j, k]
        bad = factor[j, j] <= SINGULAR * scale
        singular |= bad
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
    where = np.flatnonzero(singular)
    if len(where):
        solution[:, where] = _least_norm(matrix[:, :, where], right[:, where])
    return np.ascontiguousarray(solution.T), len(where)


def _least_norm(matrix: Floats, right: Floats) -> Floats:
    values, vectors = np.linalg.eigh(np.moveaxis(matrix, 2, 0))
    kept = values > SINGULAR * np.maximum(values[:, -1:], 1e-300)
    inverse = np.where(kept, 1 / np.where(kept, values, 1.0), 0.0)
    parts = inverse * np.einsum("mji,jm->mi", vectors, right)
    return np.asarray(np.einsum("mij,mj->im", vectors, parts))
