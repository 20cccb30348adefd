"""How far a fit is from the least-squares one, judged from the data and not from the system that was solved.

The columns of a design may be nearly dependent, as those of a polynomial are on points that crowd a corner of a cell. Then
a small gradient shows little: along a direction whose columns nearly cancel it is small whatever the error. What counts
is the projection of the residual on the span of the columns, which is the distance of the fitted values from the best ones.

Shapes: n points, d coordinates, M cells; m cells with c points each, P polynomials.
"""

from __future__ import annotations

__all__ = ["FitCertificate"]

from dataclasses import dataclass
from math import comb

import numpy as np

from empirics.constructive.local_polynomials import Cells, Floats, cells_of_one_size, features


@dataclass(frozen=True)
class FitCertificate:
    """What shows that a fit is the least-squares one.

    ``distance`` is that of the fitted values from the best ones, over ``|y|``: its square is how much of the sum of
    squares ``|y|^2`` a better fit would save. For disjoint cells it is computed; for overlapping experts it is an
    estimate, infinite where their columns are too nearly dependent for one.
    ``iterations`` is 0 for a direct solution. ``undetermined`` counts cells (or, where experts overlap, columns) that no
    data reach or that, to rounding of the coordinates, more than one polynomial fits equally well.
    """

    distance: float
    iterations: int
    undetermined: int

    @property
    def converged(self) -> bool:
        """Whether the distance is below 1e-6, that is, the sum of squares within 1e-12 ``|y|^2`` of its minimum.

        It need not be where rounding of the coefficients alone costs more, as on points within 1e-6 of one another.
        """
        return self.distance < 1e-6


def certify_cells(
    cell: Cells, local: Floats, y: Floats, residual: Floats, cells: int, degree: int
) -> FitCertificate:
    """The certificate of a fit of one polynomial in each of M disjoint cells, from its residual (n,).

    ``cell`` (n,) and ``local`` (d, n) are as for `fit_cells`. An affine map of the coordinates changes no space of
    polynomials, so each cell's points are centred and scaled to their own axes before an orthonormal basis is made.
    """
    rounding = 8 * np.finfo(float).eps * cells ** (1 / len(local))
    coefficients = comb(len(local) + degree, degree)
    square, determined = 0.0, 0
    for _, points in cells_of_one_size(cell):
        scaled, blur = _own_axes(np.moveaxis(local[:, points], 0, 2), rounding)
        columns = features(scaled.reshape(len(scaled), -1), degree)
        design = np.stack([column.reshape(points.shape) for column in columns], axis=-1)
        span, values, _ = np.linalg.svd(design, full_matrices=False)
        kept = values > blur[:, None] * values[:, :1]
        square += float((np.einsum("mcr,mc->mr", span, residual[points])[kept] ** 2).sum())
        determined += int((kept.sum(axis=1) == coefficients).sum())
    size = float(np.linalg.norm(y)) or 1.0
    return FitCertificate(float(np.sqrt(square)) / size, 0, cells - determined)


def _own_axes(points: Floats, rounding: float) -> tuple[Floats, Floats]:
    """Coordinates (r, m, c) in [-1, 1] of m clouds (m, c, d) along their principal axes, and how blurred (m,) they are.

    ``rounding`` is the error of the coordinates given. An axis along which a cloud is no wider than that is 0.
    """
    axes, spread, _ = np.linalg.svd(points - points.mean(axis=1, keepdims=True), full_matrices=False)
    spread /= points.shape[1] ** 0.5  # the standard deviation along each axis
    seen = spread > 100 * rounding
    axes = np.where(seen[:, None, :], axes, 0.0)
    largest = np.abs(axes).max(axis=1, keepdims=True)
    axes /= np.where(largest > 0, largest, 1.0)
    blur = 10 * rounding / np.min(spread, axis=1, where=seen, initial=1.0)
    return np.moveaxis(axes, 2, 0), blur
