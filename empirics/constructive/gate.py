"""What a gate of the constructive MoE is: a fixed partition of [0, 1)^d into the cells of its experts.

A gate is a frozen dataclass derived from `Gate`, in a file of this package; one test holds every one that is defined to
what is said here. `empirics.constructive.cell_gate.CellGate` alone has experts that overlap.

Shapes: n points, d coordinates, M experts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class Gate(ABC):
    """Sends each point of [0, 1)^d to one of M experts. It has no parameters."""

    d: int

    @classmethod
    @abstractmethod
    def of_size(cls, d: int, experts: int) -> Self:
        """A gate in d dimensions with at most so many experts, 1 or more; as many as this kind allows."""

    @property
    @abstractmethod
    def experts(self) -> int:
        """M, the number of experts."""

    @property
    def overlap(self) -> int:
        """How many experts have a weight at a point."""
        return 1

    @property
    def active(self) -> int:
        """k, the number of experts that a point uses."""
        return 1

    @abstractmethod
    def hard(self, x: Floats) -> tuple[npt.NDArray[np.intp], Floats]:
        """The expert of each point (n,), from 0 to M - 1, and its place (d, n) in the expert's cell, in [-1, 1].

        Within a cell the place is an affine function of the point, so that polynomials of it are polynomials. ValueError
        for a point outside [0, 1)^d.
        """
