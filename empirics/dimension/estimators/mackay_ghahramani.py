"""Levina and Bickel's likelihood with one dimension for all points, as MacKay and Ghahramani pool it."""

from __future__ import annotations

__all__ = ["MacKayGhahramani"]

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from empirics.dimension.estimator import DimensionEstimator, at_least
from empirics.dimension.estimators.levina_bickel import log_ratios
from empirics.dimension.neighbours import Floats, Neighbours


@dataclass(frozen=True)
class MacKayGhahramani(DimensionEstimator):
    """(n (k-1) - 1)/sum_i sum_(j<k) log(T_k/T_j): inverses are averaged and not dimensions, so outliers count for little.

    Without the -1 it is the maximum likelihood estimate, too high by the factor n(k-1)/(n(k-1)-1).
    (MacKay and Ghahramani 2005, comments on Levina and Bickel 2004.)
    """

    name: ClassVar[str] = "mackay-ghahramani"

    k: int = 20

    def __post_init__(self) -> None:
        at_least(self.k, 2, "k")

    @property
    def neighbours_needed(self) -> int:
        return self.k

    def local(self, table: Neighbours) -> Floats:
        return log_ratios(table, self.k, self.name)

    def pooled(self, local: Floats) -> float:
        total = float(np.sum(local))
        return (len(local) * (self.k - 1) - 1) / total if total else np.inf
