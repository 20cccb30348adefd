"""A top-d MoE that routes by single coordinates: for each coordinate one constant expert of m, with equal weights.

M = d m experts, k = d active. It represents sums of functions of one variable with m bins each, so on an additive
target it needs a number of experts that does not grow with d as m^d.
"""

from __future__ import annotations

__all__ = ["AxisMoE"]

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from empirics.constructive.cell_gate import CellGate

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class AxisMoE:
    """d routers, one for each coordinate, of ``per_axis`` hard cells; the output is the mean of the d experts, clipped."""

    d: int
    per_axis: int
    clip: float | None = None

    @property
    def experts(self) -> int:
        """M = d m."""
        return self.d * self.per_axis

    def fit(self, x: Floats, y: Floats) -> FittedAxisMoE:
        """Least squares by the dense normal equations (M unknowns), the solution of least norm.

        The d - 1 constants that can be moved from one coordinate to another make the system singular.
        """
        from scipy.linalg import lstsq

        index = self.selected(x)
        matrix = np.zeros((self.experts, self.experts))
        right = np.zeros(self.experts)
        for a in range(self.d):
            right += np.bincount(index[a], weights=y, minlength=self.experts) / self.d
            for b in range(self.d):
                pair = np.bincount(index[a] * self.experts + index[b], minlength=self.experts**2)
                matrix += pair.reshape(matrix.shape) / self.d**2
        return FittedAxisMoE(self, np.asarray(lstsq(matrix, right, cond=1e-10)[0]))

    def selected(self, x: Floats) -> npt.NDArray[np.intp]:
        """The d experts of each point, shape (d, n)."""
        gate = CellGate(1, self.per_axis)
        return np.stack([gate.hard(x[:, [a]])[0] + a * self.per_axis for a in range(self.d)])


@dataclass(frozen=True)
class FittedAxisMoE:
    """An `AxisMoE` with its constants (M,)."""

    model: AxisMoE
    constants: Floats

    def predict(self, x: Floats) -> Floats:
        """Values (n,) at points (n, d)."""
        value = self.constants[self.model.selected(x)].mean(axis=0)
        clip = self.model.clip
        return np.asarray(value if clip is None else np.clip(value, -clip, clip))
