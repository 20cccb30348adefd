"""What an estimator of dimension is: a local statistic of each point, and one number from all of them."""

from __future__ import annotations

__all__ = ["DimensionEstimator", "dimension_estimators"]

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np

from empirics.dimension.neighbours import Floats, Neighbours
from theory.defined import modules_of
from theory.errors import MoelawsError, suggest


@dataclass(frozen=True)
class DimensionEstimator(ABC):
    """Subclasses are frozen records of their settings; ``local`` and ``pooled`` say what they estimate.

    A resample of points is one of rows of the local statistic, never of the points themselves, whose copies would be
    neighbours at distance 0. ``name`` is what a command calls it.
    """

    name: ClassVar[str]

    @property
    @abstractmethod
    def neighbours_needed(self) -> int:
        """How many neighbours of each point it reads."""

    @abstractmethod
    def local(self, table: Neighbours) -> Floats:
        """The statistic of each point, shape (n,) or (n, m)."""

    @abstractmethod
    def pooled(self, local: Floats) -> float:
        """The dimension from the statistics of some points."""

    def at_other_scales(self) -> Iterator[DimensionEstimator]:
        """The same with other numbers of neighbours, where it has a k."""
        if "k" in self.get_params():
            for k in sorted({5, 10, 20, 50, 100, self.get_params()["k"]}):
                yield self.with_params(k=k)

    def estimate(self, table: Neighbours) -> float:
        """The dimension read off a table of neighbours."""
        found = self.pooled(self.local(table))
        if not (np.isfinite(found) and found > 0):
            raise MoelawsError(
                f"{self.name}: no dimension can be read off {table.count} points whose neighbours are at equal distances; "
                "data on a grid, such as whole numbers, have none"
            )
        return found

    def fit(self, points: Any, y: Any = None) -> DimensionEstimator:
        """scikit-learn's convention: reads the dimension of a cloud of shape (n, D) into ``dimension_``."""
        from empirics.dimension.neighbours import nearest_neighbours

        object.__setattr__(
            self, "dimension_", self.estimate(nearest_neighbours(points, self.neighbours_needed))
        )
        return self

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def with_params(self, **settings: Any) -> DimensionEstimator:
        """The same estimator with other settings; MoelawsError for a name that it does not have."""
        for name in settings:
            if name not in self.get_params():
                known = list(self.get_params())
                raise MoelawsError(
                    f"{self.name} has no setting {name!r}; expected {', '.join(known)}.{suggest(name, known)}"
                )
        return replace(self, **settings)


def dimension_estimators() -> Mapping[str, type[DimensionEstimator]]:
    """Every estimator by its name; defining one in a module of ``empirics.dimension.estimators`` registers it."""
    for _ in modules_of("empirics.dimension.estimators"):
        pass
    found: dict[str, type[DimensionEstimator]] = {}
    waiting = [DimensionEstimator]
    while waiting:
        for kind in waiting.pop().__subclasses__():
            waiting.append(kind)
            found[kind.name] = kind
    return dict(sorted(found.items()))


def at_least(value: int, least: int, what: str) -> None:
    """MoelawsError unless a setting is a whole number of at least so much."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise MoelawsError(f"{what}={value!r}: expected a whole number of at least {least}")
