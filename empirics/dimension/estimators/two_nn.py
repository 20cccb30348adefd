"""TwoNN: the ratio of the distances to the second and the first neighbour."""

from __future__ import annotations

__all__ = ["TwoNN"]

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from empirics.dimension.estimator import DimensionEstimator
from empirics.dimension.neighbours import Floats, Neighbours
from theory.errors import MoelawsError


@dataclass(frozen=True)
class TwoNN(DimensionEstimator):
    """log(T_2/T_1) is exponential with mean 1/d: (n - 1)/sum log(T_2/T_1), or a line through the origin.

    ``linear`` fits -log(1 - F) against log(T_2/T_1), F the empirical distribution, without the ``discard`` share of
    largest ratios. (Facco, d'Errico, Rodriguez and Laio 2017.)
    """

    name: ClassVar[str] = "two-nn"

    method: Literal["likelihood", "linear"] = "likelihood"
    discard: float = 0.1

    def __post_init__(self) -> None:
        if self.method not in ("likelihood", "linear"):
            raise MoelawsError(f"method={self.method!r}: expected 'likelihood' or 'linear'")
        if not 0 <= self.discard < 1:
            raise MoelawsError(f"discard={self.discard!r}: expected a share of at least 0 and below 1")

    @property
    def neighbours_needed(self) -> int:
        return 2

    def local(self, table: Neighbours) -> Floats:
        logs = np.log(table.first(2, self.name))
        return np.asarray(logs[:, 1] - logs[:, 0])

    def pooled(self, local: Floats) -> float:
        total = float(np.sum(local))
        if not total:
            return np.inf
        if self.method == "likelihood":
            return (len(local) - 1) / total
        ratios = np.sort(local)
        kept = ratios[: max(1, int(len(ratios) * (1 - self.discard)))]
        heights = -np.log1p(-np.arange(len(kept)) / len(ratios))
        square = float(kept @ kept)
        return float(kept @ heights) / square if square else np.inf
