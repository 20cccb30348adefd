"""Fit a law to measured runs."""

from __future__ import annotations

__all__ = ["Fit", "fit"]

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirics.fitting.certificate import Certificate, certify
from empirics.fitting.descent import descend, residual
from empirics.fitting.objective import FitObjective, Floats
from empirics.fitting.observations import Observations
from empirics.fitting.surface import Surface
from theory.errors import MoelawsError
from theory.laws.law import Law


@dataclass(frozen=True, eq=False)
class Fit:
    """A law with fitted coefficients, what it was fitted to and how, and the `Certificate` of its optimum.

    ``at`` are its free coordinates (`Surface`), ``value`` the objective.
    """

    law: Law
    observations: Observations
    objective: FitObjective
    at: Floats
    value: float
    certificate: Certificate

    @property
    def surface(self) -> Surface:
        """The law's losses at the runs."""
        return Surface(type(self.law), dict(self.observations.inputs))

    def coefficients(self) -> dict[str, float]:
        """The fitted coefficients by name."""
        return {q.name: float(getattr(self.law, q.name)) for q in self.law.coefficients()}

    def residuals(self, observations: Observations | None = None) -> Floats:
        """Of these or other runs, as the objective counts them."""
        runs = observations or self.observations
        predicted = Surface(type(self.law), dict(runs.inputs)).loss(self.at[None])[0]
        return residual(predicted, runs.loss, self.objective)

    def rms(self, observations: Observations | None = None) -> float:
        """Root mean square of log(predicted) - log(measured)."""
        runs = observations or self.observations
        predicted = Surface(type(self.law), dict(runs.inputs)).loss(self.at[None])[0]
        return float(np.sqrt(np.mean(np.log(predicted / runs.loss) ** 2)))

    def held_out(self, share: float = 0.1) -> float:
        """The rms on the ``share`` of runs with most compute, when fitted to the others."""
        rest, largest = self.observations.without_largest(share)
        return fit(rest, objective=self.objective, start=self.law).rms(largest)

    def record(self) -> dict[str, Any]:
        """In plain data."""
        return {
            "law": type(self.law).__name__,
            "rows": len(self.observations),
            "objective": {**self.objective.record(), "value": self.value},
            "coefficients": self.coefficients(),
            "rms": self.rms(),
            "certificate": self.certificate.record(),
            "remarks": self.observations.remarks(),
        }


def fit(
    observations: Observations,
    *,
    objective: FitObjective | None = None,
    start: Law | None = None,
    starts: int = 32,
    seed: int = 0,
) -> Fit:
    """The coefficients that minimise ``objective`` (log-Huber of 1e-3 by default), from many ``starts`` at once.

    Starts lie around published coefficients of that kind of law, or with ``start`` around that law's, its own among them.
    MoelawsError where the law has fewer rows than coefficients, or no start gives a finite loss.
    """
    objective = objective or FitObjective()
    surface = Surface(observations.kind, dict(observations.inputs))
    if len(observations) < len(surface.names):
        raise MoelawsError(
            f"fit: {len(observations)} rows for the {len(surface.names)} coefficients of {observations.kind.__name__}; "
            "the law is not identified by fewer rows than coefficients: add runs or take a law of fewer"
        )
    if start is not None:
        if type(start) is not observations.kind:
            raise MoelawsError(
                f"fit: start is a {type(start).__name__}; expected a {observations.kind.__name__}"
            )
        surface.published = [np.array([float(getattr(start, name)) for name in surface.names])]
    if starts < 1:
        raise MoelawsError(f"fit: starts={starts}; expected at least 1")
    begin = surface.starts(observations.loss, starts, seed)
    found = descend(surface, begin, observations.loss, observations.weight, objective)
    best = int(found.value.argmin())
    if not np.isfinite(found.value[best]):
        raise MoelawsError(
            f"fit: {observations.kind.__name__} has no finite loss at these runs from any of {starts} starts; "
            "look at the units of the columns, or give start=(a law)"
        )
    certificate = certify(surface, begin, found, observations.loss, observations.weight, objective)
    values = surface.coefficients(found.at[best])
    law = observations.kind(**dict(zip(surface.names, map(float, values), strict=True)))
    return Fit(law, observations, objective, found.at[best], float(found.value[best]), certificate)
