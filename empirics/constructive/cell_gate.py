"""Routing by position: a partition of unity on [0, 1)^d whose weights are a top-k softmax of router logits.

Along each axis the weights are uniform B-splines of order s: s = 1 gives hard cells, s = 2 hats, s = 3 quadratic
splines. They are non-negative and sum to one, and at each point s of them are not zero along each axis, so the
overlap is s_0 = s^d and top-k gating with k >= s_0 loses nothing. With logits ``log weight`` the network's
"top-k, then softmax over the selected" computes these weights exactly; of equal logits it takes the smallest index
first, as `empirics.route` does (``torch.topk`` leaves ties open, and on a grid there are many).

Shapes: n points, d coordinates, M experts, K selected experts.
"""

from __future__ import annotations

__all__ = ["CellGate"]

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from empirics.constructive.gate import Floats, Gate
from theory.errors import MoelawsError

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class CellGate(Gate):
    """M = per_axis^d experts, one for each B-spline of order ``order`` on the torus [0, 1)^d.

    ``top_k`` keeps the k largest weights, ties to the smallest index, and renormalises them (as a network with too
    small a k must); None keeps all s_0, and so does any k from s_0 to M: the other experts have weight 0.
    `from_box` brings data of other boxes, which are not periodic, to the part of the torus where that does no harm.
    """

    d: int
    per_axis: int
    order: int = 1
    top_k: int | None = None

    def __post_init__(self) -> None:
        if self.d < 1 or self.per_axis < 1 or self.order < 1:
            raise MoelawsError(
                f"CellGate(d={self.d}, per_axis={self.per_axis}, order={self.order}): expected all at least 1"
            )
        if self.order > 1 and self.per_axis < self.order:
            raise MoelawsError(
                f"CellGate(per_axis={self.per_axis}, order={self.order}): splines would overlap themselves; "
                "expected per_axis >= order"
            )
        if self.top_k is not None and not 1 <= self.top_k <= self.experts:
            raise MoelawsError(
                f"CellGate(top_k={self.top_k}): expected 1 to the number of experts {self.experts}"
            )

    @classmethod
    def of_size(cls, d: int, experts: int) -> CellGate:
        """Hard cells, the largest power per_axis^d that is at most ``experts``."""
        per_axis = 1
        while (per_axis + 1) ** d <= experts:
            per_axis += 1
        return cls(d, per_axis)

    @property
    def experts(self) -> int:
        """M, the number of experts."""
        return int(self.per_axis**self.d)

    @property
    def overlap(self) -> int:
        """s_0, the number of weights that are not zero at a point."""
        return int(self.order**self.d)

    @property
    def active(self) -> int:
        """k, the number of experts that a point uses (with weight 0 those beyond the overlap)."""
        return self.overlap if self.top_k is None else self.top_k

    def from_box(self, x: Floats, low: npt.ArrayLike, high: npt.ArrayLike) -> Floats:
        """Points (n, d) of the box low <= x <= high, scaled linearly into the cube that this gate takes.

        ``low`` and ``high`` are numbers or (d,), the same for the points of a fit and those of a prediction. The image is
        [0, 1 - (order - 1)/per_axis)^d, where no expert is shared between opposite faces. ValueError outside the box.
        """
        x, low, high = np.asarray(x, dtype=float), np.asarray(low, dtype=float), np.asarray(high, dtype=float)
        if not (np.all(low < high) and np.all((low <= x) & (x <= high))):
            raise MoelawsError(
                f"CellGate.from_box(low={low}, high={high}): expected low < high and all points between; take "
                "bounds of all the data, or clip the points to them"
            )
        width = 1 - (self.order - 1) / self.per_axis
        return np.asarray(np.minimum((x - low) / (high - low), np.nextafter(1.0, 0.0)) * width)

    def cells(self, x: Floats) -> tuple[list[npt.NDArray[np.intp]], Floats]:
        """For each axis the cell of each point, and the position (d, n) in it, in [0, 1)."""
        where, inside = [], np.empty((self.d, len(x)))
        for axis in range(self.d):
            if len(x) and not (x[:, axis].min() >= 0 and x[:, axis].max() < 1):
                low, high = x[:, axis].min(), x[:, axis].max()
                raise MoelawsError(
                    f"CellGate: coordinate {axis} leaves [0, 1): it runs from {low:g} to {high:g}; expected points of the "
                    "unit torus: scale others by gate.from_box(x, low, high), or take periodic ones modulo 1"
                )
            scaled = x[:, axis] * self.per_axis
            cell = scaled.astype(np.intp)
            np.minimum(cell, self.per_axis - 1, out=cell)  # the product can round up to per_axis
            np.subtract(scaled, cell, out=inside[axis])
            where.append(cell)
        return where, inside

    def hard(self, x: Floats) -> tuple[npt.NDArray[np.intp], Floats]:
        """For order 1: the expert of each point (n,) and its local coordinates (d, n) in [-1, 1)."""
        where, inside = self.cells(x)
        expert = where[0]
        for axis in range(1, self.d):
            expert *= self.per_axis
            expert += where[axis]
        inside *= 2
        inside -= 1
        return expert, inside

    def route(self, x: Floats) -> tuple[Integers, Floats, Floats]:
        """Experts (n, K), weights (n, K) and local coordinates (n, K, d) in [-1, 1] of each selected expert.

        K is the smaller of k and s_0: experts that have no weight anyway are left out.
        """
        where, inside = self.cells(x)
        s = self.order
        expert = np.zeros((len(x), 1), dtype=np.int64)
        weight = np.ones((len(x), 1))
        local = np.empty((len(x), 1, 0))
        for axis in range(self.d):
            u = inside[axis]
            index = (where[axis][:, None] + np.arange(s)) % self.per_axis
            spline = bspline_weights(u, s)
            position = (u[:, None] + (s - 1 - np.arange(s)) - s / 2) / (s / 2)
            expert = (expert[:, :, None] * self.per_axis + index[:, None, :]).reshape(len(x), -1)
            weight = (weight[:, :, None] * spline[:, None, :]).reshape(len(x), -1)
            wide = np.broadcast_to(local[:, :, None, :], (*local.shape[:2], s, axis))
            new = np.broadcast_to(position[:, None, :, None], (*local.shape[:2], s, 1))
            local = np.concatenate([wide, new], axis=3).reshape(len(x), -1, axis + 1)
        if self.active < self.overlap:
            kept = largest(weight, expert, self.active)
            expert = np.take_along_axis(expert, kept, axis=1)
            weight = np.take_along_axis(weight, kept, axis=1)
            weight /= weight.sum(axis=1, keepdims=True)
            local = np.take_along_axis(local, kept[:, :, None], axis=1)
        return expert, weight, local

    def logits(self, x: Floats) -> Floats:
        """Router logits (n, M): the logarithm of each weight, minus infinity where it is zero.

        `empirics.route` takes no infinities; ``np.maximum(logits, -1e4)`` has the same softmax to the last digit.
        """
        whole = CellGate(self.d, self.per_axis, self.order)
        expert, weight, _ = whole.route(x)
        logits = np.full((len(x), self.experts), -math.inf)
        np.put_along_axis(logits, expert, _log(weight), axis=1)
        return logits


def largest(weight: Floats, expert: Integers, k: int) -> npt.NDArray[np.intp]:
    """Columns (n, k) of the k largest of each point's weights (n, K), largest first, ties to the smallest expert.

    Their logarithms are compared, as in a network: weights that differ by rounding can have one logarithm.
    """
    return np.lexsort((expert, -_log(weight)), axis=1)[:, :k]


def _log(weight: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(weight))


def bspline_weights(u: Floats, order: int) -> Floats:
    """The ``order`` uniform B-splines that are not zero at position u in [0, 1) of a knot interval, shape (n, order)."""
    weights = np.ones((len(u), 1))
    for s in range(2, order + 1):
        j = np.arange(s - 1)
        rising = (u[:, None] + (s - 2 - j)) / (s - 1)  # where in its support of length s - 1 each one is
        wider = np.zeros((len(u), s))
        wider[:, :-1] += weights * (1 - rising)
        wider[:, 1:] += weights * rising
        weights = wider
    return weights
