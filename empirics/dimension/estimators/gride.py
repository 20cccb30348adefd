"""GRIDE: the likelihood of a ratio of distances to two neighbours, at any scale."""

from __future__ import annotations

__all__ = ["Gride"]

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.optimize import brentq

from empirics.dimension.estimator import DimensionEstimator, at_least
from empirics.dimension.neighbours import Floats, Neighbours


@dataclass(frozen=True)
class Gride(DimensionEstimator):
    """The maximum likelihood of mu = T_(2 near)/T_near, whose density is d (mu^d - 1)^(near-1)/(B(near, near) mu^((2 near - 1) d + 1)).

    ``near=1`` is TwoNN; doubling it moves to larger scales, where noise no longer counts as dimensions.
    (Denti, Doimo, Laio and Mira 2022, Eq. 5.)
    """

    name: ClassVar[str] = "gride"

    near: int = 2

    def __post_init__(self) -> None:
        at_least(self.near, 1, "near")

    @property
    def neighbours_needed(self) -> int:
        return 2 * self.near

    def at_other_scales(self) -> Iterator[DimensionEstimator]:
        for near in sorted({1, 2, 4, 8, 16, 32, self.near}):
            yield self.with_params(near=near)

    def local(self, table: Neighbours) -> Floats:
        distances = table.first(self.neighbours_needed, self.name)
        return np.asarray(np.log(distances[:, -1] / distances[:, self.near - 1]))

    def pooled(self, local: Floats) -> float:
        logs = local[local > 0]
        if not len(logs):
            return np.inf
        n, near = len(logs), self.near

        def slope(d: float) -> float:
            """Of the log likelihood, in d; it falls."""
            return (
                n / d
                + (near - 1) * float(np.sum(logs / -np.expm1(-d * logs)))
                - (2 * near - 1) * float(np.sum(logs))
            )

        high = 1.0
        while slope(high) > 0:
            high *= 2
        low = high / 2
        while slope(low) < 0:
            low /= 2
        return float(brentq(slope, low, high, xtol=1e-12, rtol=1e-13))
