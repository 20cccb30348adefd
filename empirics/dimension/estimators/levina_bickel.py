"""Levina and Bickel's estimator: a maximum likelihood estimate at each point, averaged."""

from __future__ import annotations

__all__ = ["LevinaBickel"]

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from empirics.dimension.estimator import DimensionEstimator, at_least
from empirics.dimension.neighbours import Floats, Neighbours
from theory.errors import MoelawsError


@dataclass(frozen=True)
class LevinaBickel(DimensionEstimator):
    """((k - 2)/sum_(j<k) log(T_k/T_j)) at each point, T_j the distance to its j-th neighbour; the mean, or the median.

    ``unbiased=False`` has k - 1 in place of k - 2, as the paper first writes it, which reads (k-1)/(k-2) too high.
    (Levina and Bickel 2004, Eq. 8 and the remark after it.)
    """

    name: ClassVar[str] = "levina-bickel"

    k: int = 20
    centre: Literal["mean", "median"] = "mean"
    unbiased: bool = True

    def __post_init__(self) -> None:
        at_least(self.k, 3, "k")
        if self.centre not in ("mean", "median"):
            raise MoelawsError(f"centre={self.centre!r}: expected 'mean' or 'median'")

    @property
    def neighbours_needed(self) -> int:
        return self.k

    def local(self, table: Neighbours) -> Floats:
        total = log_ratios(table, self.k, self.name)
        with np.errstate(divide="ignore"):
            return np.asarray((self.k - (2 if self.unbiased else 1)) / total)

    def pooled(self, local: Floats) -> float:
        finite = local[np.isfinite(local)]
        if not len(finite):
            return np.inf
        return float(np.mean(finite) if self.centre == "mean" else np.median(finite))


def log_ratios(table: Neighbours, k: int, who: str) -> Floats:
    """sum_(j<k) log(T_k/T_j) at each point, shape (n,); 0 where all k are at one distance."""
    logs = np.log(table.first(k, who))
    return np.asarray((logs[:, -1:] - logs[:, :-1]).sum(axis=1))
