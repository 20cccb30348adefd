"""The table of nearest neighbours that every estimator reads: exact, with exact duplicates taken out and counted.

Distances by ``|x|^2 + |y|^2 - 2 x.y`` cancel where points share a large offset, as the states of language models do. So points are
centred, a few candidates more than asked for are taken that way, and their distances are computed again from differences. Where
rounding could hide a nearer point among those left out, differences to all points decide.
"""

from __future__ import annotations

__all__ = ["METRICS", "Neighbours", "nearest_neighbours"]

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from theory.errors import MoelawsError

Floats = npt.NDArray[np.float64]
METRICS = ("euclidean", "cosine", "angular")
"""``cosine`` is 1 - cos of the angle, about half of its square: a dimension read from it is half of that read from ``angular``."""
_DIGITS = 12
"""Directions that agree to so many digits are one: dividing by a norm changes the last."""
_LARGEST = 1e150
"""The square of more than this is no number in double precision."""
_SPARE = 8
_ROUNDING = 2 * float(np.finfo(np.float64).eps)
_BLOCK = 1 << 25
"""Entries of a block of distances: 256 MB in double precision."""


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Distances to the k nearest other points, ascending, shape (n, k), and which points these are.

    ``points`` are the n distinct points that the table is of, shape (n, D); ``dropped`` exact duplicates were left out,
    ``constant`` coordinates never change. ``rows`` are the places of the points among those that were given.
    """

    points: Floats
    distances: Floats
    indices: npt.NDArray[np.intp]
    rows: npt.NDArray[np.intp]
    metric: str
    dropped: int
    constant: int

    @property
    def count(self) -> int:
        """n, the number of distinct points."""
        return len(self.distances)

    @property
    def k(self) -> int:
        """Neighbours in the table."""
        return int(self.distances.shape[1])

    def first(self, k: int, who: str) -> Floats:
        """The distances to the first k neighbours; MoelawsError where the table has fewer."""
        if not 1 <= k <= self.k:
            raise MoelawsError(
                f"{who} needs {k} neighbours of each point and the table of {self.count} distinct points has {self.k}; "
                "give more points, or a smaller k"
            )
        return self.distances[:, :k]


def nearest_neighbours(points: Any, k: int = 100, *, metric: str = "euclidean") -> Neighbours:
    """The table of a cloud of shape (n, D), with at most k neighbours and fewer where there are not so many points.

    MoelawsError for anything but a table of finite numbers with at least three distinct points, and for an unknown metric.
    """
    cloud = _checked(points)
    if metric not in METRICS:
        raise MoelawsError(f"metric={metric!r}: expected one of {', '.join(METRICS)}")
    if isinstance(k, bool) or not isinstance(k, int) or k < 2:
        raise MoelawsError(f"k={k!r}: expected at least 2 neighbours")
    if metric != "euclidean":
        norms = np.linalg.norm(cloud, axis=1)
        if not norms.all():
            raise MoelawsError(
                f"metric={metric!r}: row {int(np.argmin(norms))} is 0 and has no direction; leave it out"
            )
        cloud = cloud / norms[:, None]
    alike = cloud if metric == "euclidean" else np.round(cloud, _DIGITS) + 0.0
    kept = np.sort(np.unique(alike, axis=0, return_index=True)[1])
    distinct = cloud[kept]
    if len(distinct) < 3:
        raise MoelawsError(
            f"{len(cloud)} points of which {len(distinct)} {'is' if len(distinct) == 1 else 'are'} distinct: a dimension needs at least 3"
        )
    distances, indices = _table(distinct, min(k, len(distinct) - 1))
    if not distances.all():
        raise MoelawsError(
            f"points: row {int(kept[np.argmin(distances[:, 0])])} and another are closer than double precision can square; "
            "scale the points, or make them one"
        )
    if metric == "angular":
        distances = 2 * np.arcsin(np.minimum(distances / 2, 1))
    elif metric == "cosine":
        distances = distances**2 / 2
    constant = int(np.sum(np.ptp(distinct, axis=0) == 0))
    return Neighbours(distinct, distances, indices, kept, metric, len(cloud) - len(distinct), constant)


def _checked(points: Any) -> Floats:
    if np.iscomplexobj(points):
        raise MoelawsError(
            "points: expected real numbers, got complex ones; give real and imaginary parts as coordinates"
        )
    try:
        cloud = np.asarray(points, dtype=np.float64)
    except (TypeError, ValueError) as fault:
        raise MoelawsError(
            f"points: expected a table of numbers of shape (points, coordinates): {fault}"
        ) from None
    if cloud.ndim != 2 or 0 in cloud.shape:
        raise MoelawsError(
            f"points: expected a table of shape (points, coordinates), got shape {cloud.shape}"
        )
    if not np.isfinite(cloud).all():
        row, column = np.argwhere(~np.isfinite(cloud))[0]
        raise MoelawsError(
            f"points: entry ({row}, {column}) is {cloud[row, column]}; expected finite numbers"
        )
    if np.abs(cloud).max() > _LARGEST:
        raise MoelawsError(
            f"points: an entry is {np.abs(cloud).max():.3g} in size, whose square is no number; scale the points"
        )
    return cloud


def _table(points: Floats, k: int) -> tuple[Floats, npt.NDArray[np.intp]]:
    n = len(points)
    centred = points - points.mean(axis=0)
    scale = np.abs(centred).max()
    centred /= scale
    squares = np.einsum("ij,ij->i", centred, centred)
    candidates = min(k + _SPARE, n - 1)
    distances, indices = np.empty((n, k)), np.empty((n, k), dtype=np.intp)
    step = max(1, _BLOCK // max(n, candidates * points.shape[1]))
    for start in range(0, n, step):
        rows = np.arange(start, min(start + step, n))
        near = squares[rows, None] + squares - 2 * centred[rows] @ centred.T
        near[np.arange(len(rows)), rows] = np.inf
        found = np.argpartition(near, candidates - 1, axis=1)[:, :candidates]
        last = np.take_along_axis(near, found, axis=1).max(axis=1)
        exact = np.linalg.norm(centred[found] - centred[rows, None], axis=2)
        order = np.argsort(exact, axis=1, kind="stable")[:, :k]
        indices[rows] = np.take_along_axis(found, order, axis=1)
        distances[rows] = np.take_along_axis(exact, order, axis=1)
        rounding = _ROUNDING * (points.shape[1] + 4) * (squares[rows] + squares.max())
        for row in rows[
            distances[rows, -1] ** 2 > last - rounding
        ]:  # a point left out may be nearer than it seemed
            indices[row], distances[row] = _by_differences(centred, row, k)
    return distances * scale, indices


def _by_differences(points: Floats, row: int, k: int) -> tuple[npt.NDArray[np.intp], Floats]:
    """The k nearest to one point, from its differences to all."""
    away = np.linalg.norm(points - points[row], axis=1)
    away[row] = np.inf
    nearest = np.argsort(away, kind="stable")[:k]
    return nearest, away[nearest]
