"""What a reading can say: the dimensions of known clouds that read alike with as many points.

Every estimator reads curved or bounded clouds too low, by a third at 30 dimensions, whatever its interval says. So the
readings of a ball, a Gaussian and a sphere of each dimension are computed at the same number of points, and every dimension counts as
compatible that lies between the least and the greatest that read so, up to the sampling error of both readings.
"""

from __future__ import annotations

__all__ = ["Compatible", "compatible_dimensions"]

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from empirics.base.randomness import named_generator
from empirics.dimension.estimator import DimensionEstimator
from empirics.dimension.neighbours import nearest_neighbours
from empirics.worlds.manifolds import Ball, Gaussian, Manifold, Sphere

CLOUDS: tuple[type[Manifold], ...] = (Ball, Gaussian, Sphere)
MOST_POINTS = 2000
_WIDEST = 4
"""Dimensions up to so many times the reading are looked at."""


@dataclass(frozen=True)
class Compatible:
    """Dimensions of known clouds that read as ``reading`` does with so many ``points``; ``open_above`` where higher ones may too."""

    low: float
    high: float
    reading: float
    points: int
    open_above: bool = False

    def __str__(self) -> str:
        ends = f"{self.low:.1f} and more" if self.open_above else f"{self.low:.1f} to {self.high:.1f}"
        return f"balls, Gaussians and spheres that read {self.reading:.2f} on {self.points} points have dimension {ends}"


def compatible_dimensions(
    estimator: DimensionEstimator, by_points: Mapping[int, float], error: float = 0.0, seed: int = 0
) -> Compatible | None:
    """The range of dimensions whose clouds read alike, at the largest number of points up to 2,000; None below 50 points.

    ``error`` is the relative sampling error of a reading at 95%: both this cloud and the known ones have it.
    """
    sizes = [n for n in by_points if n <= MOST_POINTS]
    if not sizes or max(sizes) < 50:
        return None
    points = max(sizes)
    reading = by_points[points]
    least, most = (reading * (1 + sign * np.sqrt(2) * error) for sign in (-1, 1))
    dimensions, readings = [], []
    d = max(1, int(reading / 2))
    while d <= max(2, _WIDEST * reading):
        dimensions.append(d)
        readings.append([_reading(estimator, cloud(d), points, seed) for cloud in CLOUDS])
        if min(readings[-1]) > most:
            break
        d += max(1, round(d / 8))
    lowest, highest = (np.array([end(row) for row in readings]) for end in (min, max))
    open_above = bool(lowest[-1] <= most)
    low = _crossing(dimensions, highest, least, first=True)
    high = float(dimensions[-1]) if open_above else _crossing(dimensions, lowest, most, first=False)
    return Compatible(low, max(low, high), reading, points, open_above)


def _crossing(dimensions: list[int], readings: np.ndarray, level: float, *, first: bool) -> float:
    """Where readings, joined by lines, cross a level: the first dimension to reach it, or the last still below it."""
    pairs = list(zip(dimensions, dimensions[1:], readings, readings[1:], strict=False))
    for d, e, at_d, at_e in pairs if first else reversed(pairs):
        if at_d <= level <= at_e and at_d < at_e:
            return float(d + (e - d) * (level - at_d) / (at_e - at_d))
    return float(dimensions[0] if first or readings[0] > level else dimensions[-1])


@lru_cache(maxsize=512)
def _reading(estimator: DimensionEstimator, cloud: Manifold, points: int, seed: int) -> float:
    rng = named_generator(f"dimension calibration {type(cloud).__name__}", cloud.d, points, seed)
    return estimator.estimate(nearest_neighbours(cloud.sample(points, rng), estimator.neighbours_needed))
