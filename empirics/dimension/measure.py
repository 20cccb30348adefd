"""A dimension with what it hangs on: sampling error, the number of neighbours and of points, and clouds of known dimension."""

from __future__ import annotations

__all__ = ["DimensionMeasurement", "measure_dimension"]

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from empirics.base.randomness import named_generator
from empirics.dimension.calibration import MOST_POINTS, Compatible, compatible_dimensions
from empirics.dimension.estimator import DimensionEstimator
from empirics.dimension.estimators.levina_bickel import LevinaBickel
from empirics.dimension.estimators.two_nn import TwoNN
from empirics.dimension.neighbours import Floats, Neighbours, nearest_neighbours
from theory.errors import MoelawsError

RESAMPLES, LEVEL = 400, 0.95
_TIES = 0.02
_APART = 0.2
"""By how much of each other two estimators at different scales may differ on one manifold."""


@dataclass(frozen=True, eq=False)
class DimensionMeasurement:
    """A reading and what it hangs on.

    ``interval`` is of sampling alone, at 95%, by resampling the local statistics (or whole ``groups``, such as documents).
    ``by_neighbours`` and ``by_points`` are the readings at other k and with fewer points. ``compatible`` are the dimensions of
    clouds that read alike at this number of points: what the reading can say. ``warnings`` name what may be wrong with it.
    """

    estimator: DimensionEstimator
    value: float
    interval: tuple[float, float]
    points: int
    ambient: int
    metric: str
    dropped: int
    by_neighbours: dict[int, float]
    by_points: dict[int, float]
    compatible: Compatible | None
    warnings: tuple[str, ...]
    local: Floats = field(repr=False)

    def implied_exponents(self, beta: float) -> dict[str, tuple[float, float, float]]:
        """alpha_N = 2 beta/d and alpha_D = 2 beta/(2 beta + d) at the reading, with ends from ``compatible`` dimensions."""
        if not 0 < beta < np.inf:
            raise MoelawsError(f"beta={beta!r}: expected a positive smoothness")
        low, high = (
            self.interval
            if self.compatible is None
            else (
                self.compatible.low,
                np.inf if self.compatible.open_above else self.compatible.high,
            )
        )
        ends = self.value, max(high, self.value), min(low, self.value)
        alpha_N, alpha_D = ([2 * beta / (of * beta + d) for d in ends] for of in (0, 2))
        return {
            "alpha_N": (alpha_N[0], alpha_N[1], alpha_N[2]),
            "alpha_D": (alpha_D[0], alpha_D[1], alpha_D[2]),
        }

    def __str__(self) -> str:
        low, high = self.interval
        lines = [
            f"{self.value:.2f} by {self.estimator.name} on {self.points} points in {self.ambient} coordinates, {self.metric}",
            f"  sampling alone: {low:.2f} to {high:.2f} (95%)",
            f"  by neighbours: {', '.join(f'{k}: {v:.2f}' for k, v in self.by_neighbours.items())}"
            if self.by_neighbours
            else "  by neighbours: its number of neighbours is fixed",
            f"  by points: {', '.join(f'{n}: {v:.2f}' for n, v in self.by_points.items())}",
        ]
        if self.compatible is not None:
            lines.append(f"  {self.compatible}")
        return "\n".join([*lines, *(f"  note: {warning}" for warning in self.warnings)])


def measure_dimension(
    points: Any,
    estimator: DimensionEstimator | None = None,
    *,
    metric: str = "euclidean",
    groups: Sequence[int] | None = None,
    calibrate: bool = True,
    seed: int = 0,
) -> DimensionMeasurement:
    """The intrinsic dimension of a cloud of shape (n, D), by Levina and Bickel at 20 neighbours where nothing else is said.

    ``groups`` gives each point the number of its cluster (document, sequence): intervals then resample clusters. MoelawsError
    for what is no cloud, and where no dimension can be read off it.
    """
    chosen = LevinaBickel() if estimator is None else estimator
    table = nearest_neighbours(points, max(100, chosen.neighbours_needed), metric=metric)
    local = chosen.local(table)
    value = chosen.estimate(table)
    labels = None if groups is None else _labels(groups, len(np.asarray(points)))[table.rows]
    interval = _resampled(chosen, local, labels, seed)
    by_neighbours = {
        other.neighbours_needed: other.estimate(table)
        for other in chosen.at_other_scales()
        if other.neighbours_needed <= table.k
    }
    by_points = _by_points(table, chosen, seed)
    by_points[table.count] = value
    compatible = None
    if calibrate and metric != "cosine":
        calibrated = min(table.count, MOST_POINTS)
        error = (interval[1] - interval[0]) / (2 * value) * np.sqrt(table.count / calibrated)
        compatible = compatible_dimensions(chosen, by_points, float(error), seed)
    return DimensionMeasurement(
        chosen, value, interval, table.count, table.points.shape[1], metric, table.dropped,
        by_neighbours, by_points, compatible, tuple(_warnings(table, chosen, local, value)), local,
    )  # fmt: skip


def _labels(groups: Sequence[int], count: int) -> Any:
    labels = np.asarray(groups)
    if labels.shape != (count,):
        raise MoelawsError(
            f"groups: expected one number for each of the {count} points, got shape {labels.shape}"
        )
    if len(set(labels.tolist())) < 2 or labels.dtype.kind not in "iu":
        raise MoelawsError("groups: expected whole numbers, and at least two different ones")
    return np.unique(labels, return_inverse=True)[1]


def _resampled(estimator: DimensionEstimator, local: Floats, labels: Any, seed: int) -> tuple[float, float]:
    """The middle 95% of readings on resampled statistics."""
    rng = named_generator("dimension bootstrap", len(local), seed)
    members = None
    if labels is not None and len(labels) == len(local):
        members = [np.flatnonzero(labels == g) for g in range(int(labels.max()) + 1)]
        members = [rows for rows in members if len(rows)]
    found = []
    for _ in range(RESAMPLES):
        if members is None:
            rows = rng.integers(0, len(local), len(local))
        else:
            rows = np.concatenate([members[g] for g in rng.integers(0, len(members), len(members))])
        found.append(estimator.pooled(local[rows]))
    if not np.isfinite(found).all():
        raise MoelawsError(
            f"{estimator.name}: some of the {len(local)} points say nothing of a dimension, and a resample had no others; "
            "give more points"
        )
    low, high = np.quantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def _by_points(table: Neighbours, estimator: DimensionEstimator, seed: int) -> dict[int, float]:
    """Readings on a half and on a quarter of the points, and on at most 2,000 of them."""
    n = table.count
    rng = named_generator("dimension subsample", n, seed)
    found = {}
    for size in sorted({n // 4, n // 2, min(n, MOST_POINTS)} - {n}):
        if size > estimator.neighbours_needed + 2:
            rows = np.sort(rng.choice(n, size, replace=False))
            fewer = nearest_neighbours(table.points[rows], estimator.neighbours_needed, metric=table.metric)
            found[size] = estimator.estimate(fewer)
    return found


def _warnings(table: Neighbours, estimator: DimensionEstimator, local: Floats, value: float) -> Iterator[str]:
    if table.dropped:
        yield f"{table.dropped} exact duplicates were left out; with them distances of 0 make a dimension of 0"
    if table.constant:
        yield f"{table.constant} of {table.points.shape[1]} coordinates never change"
    if table.metric == "cosine":
        yield (
            f"1 - cos is about half of the squared angle, so this is half of the dimension: by angle it is about {2 * value:.2f}"
        )
    if value > 1.5 * table.points.shape[1]:
        yield f"this is far above the {table.points.shape[1]} coordinates: one far point or ties can do so to a mean; try mackay-ghahramani"
    elif value > 0.9 * table.points.shape[1]:
        yield "the cloud fills its space, where edges make every estimator read too low"
    ties = int(np.sum(table.distances[:, 0] == table.distances[:, 1]))
    if ties > _TIES * table.count:
        yield f"{ties} points have two nearest neighbours at one distance, as on a grid; the nearest neighbours say little there"
        return
    silent = int(np.sum(~np.isfinite(local)))
    if silent:
        yield f"{silent} points have all their neighbours at one distance and were left out"
    nearest = TwoNN().estimate(table)
    if not isinstance(estimator, TwoNN) and abs(nearest - value) > _APART * max(nearest, value):
        yield (
            f"TwoNN reads {nearest:.2f} off the two nearest neighbours: more than 20% apart, so this is not one manifold at all scales"
        )
