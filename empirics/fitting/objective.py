"""What a fit minimises: a sum over runs of a function of the residual."""

from __future__ import annotations

__all__ = ["FitObjective"]

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from theory.errors import MoelawsError

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class FitObjective:
    """Huber's function of residuals, squared up to ``delta`` and linear beyond; ``delta=inf`` is least squares.

    With ``log`` a residual is log(predicted) - log(measured), otherwise a difference in nats. The sum over runs is
    minimised; that of Hoffmann et al. 2022 (arXiv 2203.15556) is the default. MoelawsError for delta <= 0.
    """

    delta: float = 1e-3
    log: bool = True

    def __post_init__(self) -> None:
        if not self.delta > 0:
            raise MoelawsError(
                f"FitObjective(delta={self.delta}): expected a positive number, or inf for least squares"
            )

    @classmethod
    def squared(cls, *, log: bool = True) -> FitObjective:
        """Half the sum of squared residuals."""
        return cls(math.inf, log)

    def value(self, residual: Floats) -> Floats:
        """The function itself, element by element; nan of a residual that is not finite."""
        size = np.abs(residual)
        inside = np.minimum(size, self.delta)
        with np.errstate(invalid="ignore", over="ignore"):
            return np.asarray(inside * (size - inside / 2))

    def slope(self, residual: Floats) -> Floats:
        """Its derivative."""
        return np.clip(residual, -self.delta, self.delta)

    def weight(self, residual: Floats) -> Floats:
        """Slope over residual: the weight that makes least squares of it (1 for small residuals)."""
        return np.asarray(
            self.delta / np.maximum(np.abs(residual), self.delta)
            if self.delta < math.inf
            else np.ones_like(residual)
        )

    def variance(self, residual: Floats, weights: Floats, coefficients: int) -> float:
        """By what 2 (f - f*) exceeds a chi-squared: mean squared slope over mean curvature (Huber 1981, section 7.6)."""
        free = 1 - min(coefficients, residual.size - 1) / residual.size
        squares = float((weights * self.slope(residual) ** 2).sum() / weights.sum()) / free
        share_inside = float((weights * (np.abs(residual) <= self.delta)).sum() / weights.sum())
        mean_weight = float(weights.mean())
        return mean_weight * squares / max(share_inside, 1 / residual.size)

    def rounding(self, loss: Floats, weights: Floats) -> Any:
        """An objective that is nothing but the rounding of floats; (S,) for weights (S, n)."""
        size = 1.0 if self.log else loss
        return (weights * (16 * np.finfo(float).eps * size) ** 2).sum(axis=-1)

    def record(self) -> dict[str, Any]:
        """In plain data."""
        return {"delta": self.delta if self.delta < math.inf else None, "log": self.log}
