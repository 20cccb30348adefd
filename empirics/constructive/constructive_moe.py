"""The Mixture of Experts of the approximation theorem: a partition of unity, top-k gating, polynomial experts.

Its experts are local polynomials, fitted exactly by least squares, so a measured exponent is one of the class and
not of an optimiser. For a target of smoothness beta the theorem takes degree ceil(beta) - 1.

What its error does not say: how fast a *trained* network gets there, or that a router could learn the cells.
"""

from __future__ import annotations

__all__ = ["ConstructiveMoE", "FittedMoE"]

from dataclasses import dataclass, replace
from math import comb

import numpy as np
import numpy.typing as npt

from empirics.constructive.cell_gate import CellGate
from empirics.constructive.fit_certificate import FitCertificate, certify_cells
from empirics.constructive.gate import Gate
from empirics.constructive.local_polynomials import features, fit_cells
from theory.errors import MoelawsError

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ConstructiveMoE:
    """A gate with M experts, each a polynomial of total degree ``degree`` in d variables.

    ``clip`` bounds the output, ``|prediction| <= clip``, as the class of the risk bounds does; None leaves it.
    Points are rows of x (n, d) in [0, 1)^d; ``gate.from_box`` brings others there.
    """

    gate: Gate
    degree: int = 0
    clip: float | None = None

    def __post_init__(self) -> None:
        if self.degree < 0:
            raise MoelawsError(f"ConstructiveMoE(degree={self.degree}): expected at least 0")
        if self.clip is not None and not self.clip > 0:
            raise MoelawsError(f"ConstructiveMoE(clip={self.clip}): expected a positive bound, or None")

    @classmethod
    def for_smoothness(
        cls, d: int, beta: float, per_axis: int, *, order: int = 1, clip: float | None = None
    ) -> ConstructiveMoE:
        """Experts of degree ceil(beta) - 1, as the theorem takes them, on per_axis^d cells."""
        if not beta > 0:
            raise MoelawsError(f"ConstructiveMoE.for_smoothness(beta={beta}): expected a positive smoothness")
        return cls(CellGate(d, per_axis, order), int(np.ceil(beta)) - 1, clip)

    @property
    def coefficients_per_expert(self) -> int:
        """P = binomial(d + degree, d)."""
        return comb(self.gate.d + self.degree, self.gate.d)

    @property
    def total_parameters(self) -> int:
        """M P: all coefficients; the gate is fixed and has none."""
        return self.gate.experts * self.coefficients_per_expert

    @property
    def active_parameters(self) -> int:
        """k P: the coefficients that one point uses."""
        return self.gate.active * self.coefficients_per_expert

    def fit(self, x: Floats, y: Floats, *, certify: bool = False) -> FittedMoE:
        """The least-squares fit to points (n, d) and values (n,).

        Disjoint cells are solved directly, and are certified on request (several more passes over the data);
        overlapping ones by conjugate gradients on one sparse system, always certified.
        """
        x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
        if x.ndim != 2 or x.shape[1] != self.gate.d or y.shape != x.shape[:1] or not len(y):
            raise MoelawsError(
                f"ConstructiveMoE.fit: x has shape {x.shape} and y {y.shape}; expected (n, {self.gate.d}) and (n,)"
            )
        largest = float(np.abs(y).max())
        if not largest < np.inf:
            bad = int(np.argmin(np.isfinite(y)))
            raise MoelawsError(
                f"ConstructiveMoE.fit: y[{bad}] is {y[bad]}; expected finite values, leave out the others"
            )
        binary = int(np.frexp(largest)[1])
        y = np.ldexp(y, -binary)  # at most 1: squares neither overflow nor vanish, and no digit changes
        if isinstance(self.gate, CellGate) and self.gate.overlap > 1:
            from empirics.constructive.overlapping import fit_overlapping

            coefficients, certificate = fit_overlapping(self.gate, self.degree, x, y)
            return FittedMoE(self, np.ldexp(coefficients, binary), certificate)
        cell, local = self.gate.hard(x)
        coefficients = fit_cells(cell, local, y, self.gate.experts, self.degree)
        fitted = FittedMoE(self, np.ldexp(coefficients, binary), None)
        if not certify:
            return fitted
        residual = y - FittedMoE(self, coefficients, None).predict_without_clip(x)
        return replace(
            fitted, certificate=certify_cells(cell, local, y, residual, self.gate.experts, self.degree)
        )


@dataclass(frozen=True)
class FittedMoE:
    """A constructive MoE with its coefficients (M, P); ``certificate`` where one was made."""

    model: ConstructiveMoE
    coefficients: Floats
    certificate: FitCertificate | None

    def predict(self, x: Floats) -> Floats:
        """Values (n,) at points (n, d), clipped where the model says so."""
        value = self.predict_without_clip(x)
        clip = self.model.clip
        return value if clip is None else np.clip(value, -clip, clip)

    def predict_without_clip(self, x: Floats) -> Floats:
        """The sum over selected experts of weight times polynomial."""
        gate, degree = self.model.gate, self.model.degree
        if not isinstance(gate, CellGate) or gate.overlap == 1:
            cell, local = gate.hard(x)
            value = np.zeros(len(x))
            for p, column in enumerate(features(local, degree)):
                value += column * self.coefficients[cell, p]
            return value
        expert, weight, local_nKd = gate.route(x)
        n, k = expert.shape
        flat = local_nKd.reshape(n * k, gate.d).T
        total = np.zeros(n * k)
        for p, column in enumerate(features(flat, degree)):
            total += column * self.coefficients[expert.ravel(), p]
        return np.asarray((weight * total.reshape(n, k)).sum(axis=1))
