"""Local PCA: how many directions hold most of the variance among a point's neighbours."""

from __future__ import annotations

__all__ = ["LocalPCA"]

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from empirics.dimension.estimator import DimensionEstimator, at_least
from empirics.dimension.neighbours import Floats, Neighbours
from theory.errors import MoelawsError


@dataclass(frozen=True)
class LocalPCA(DimensionEstimator):
    """The least number of principal directions of k neighbours with a ``share`` of their variance, the mean over points.

    It counts whole directions, and never more than k - 1. Up to ``points`` points are looked at, evenly spread over the table.
    """

    name: ClassVar[str] = "local-pca"

    k: int = 50
    share: float = 0.95
    points: int = 500

    def __post_init__(self) -> None:
        at_least(self.k, 3, "k")
        at_least(self.points, 1, "points")
        if not 0 < self.share < 1:
            raise MoelawsError(f"share={self.share!r}: expected a share between 0 and 1")

    @property
    def neighbours_needed(self) -> int:
        return self.k

    def local(self, table: Neighbours) -> Floats:
        table.first(self.k, self.name)
        rows = np.unique(np.linspace(0, table.count - 1, min(self.points, table.count)).astype(int))
        return np.array(
            [self._directions(table.points[table.indices[i, : self.k]]) for i in rows], dtype=float
        )

    def _directions(self, cloud: Floats) -> int:
        spread = np.linalg.svd(cloud - cloud.mean(axis=0), compute_uv=False) ** 2
        return int(np.searchsorted(np.cumsum(spread), self.share * spread.sum()) + 1)

    def pooled(self, local: Floats) -> float:
        return float(np.mean(local))
