"""What shows that a fit arrived: the gradient, the curvature, how far each coefficient moved, and where other starts ended."""

from __future__ import annotations

__all__ = ["Certificate"]

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from empirics.fitting.descent import REACH, Descent, gradients
from empirics.fitting.objective import FitObjective, Floats
from empirics.fitting.surface import Surface


@dataclass(frozen=True)
class Certificate:
    """``promise`` is the part of the objective that a Newton step would still gain, ``curvature`` the least eigenvalue of the
    Hessian scaled to a diagonal of ones (a minimum has a positive one; near 0 a direction is not identified).

    ``moved`` is the distance of each coefficient from its start, in logarithms where it has a sign; ``stuck`` names those that
    did not move, ``vanishing`` those that went e^30-fold, as far as they may, so to 0 or infinity. ``optima`` are the distinct objectives of the starts, each with
    how many ended there.
    """

    promise: float
    curvature: float
    moved: dict[str, float]
    stuck: tuple[str, ...]
    vanishing: tuple[str, ...]
    optima: tuple[tuple[float, int], ...]

    @property
    def converged(self) -> bool:
        """A minimum that is stationary to 1e-6 of its value and that no coefficient sits out."""
        return self.promise <= 1e-6 and self.curvature > 0 and not self.stuck and not self.vanishing

    def __str__(self) -> str:
        value, times = self.optima[0]
        total = sum(count for _, count in self.optima)
        said = f"a Newton step would gain {self.promise:.1g} of the objective; {times} of {total} starts end at the least, {value:.8g}"
        if len(self.optima) > 1:
            said += f", others at {', '.join(f'{v:.6g} ({c})' for v, c in self.optima[1:4])}"
        if self.curvature <= 0:
            said += "; it curves down in some direction, so it is no minimum"
        elif self.curvature < 1e-8:
            said += "; it is flat in some direction, so not every coefficient is identified"
        if self.stuck:
            said += f"; {', '.join(self.stuck)} did not move from the start"
        if self.vanishing:
            said += f"; {', '.join(self.vanishing)} runs to 0 or to infinity"
        return f"{'converged' if self.converged else 'NOT CONVERGED'}: {said}"

    def record(self) -> dict[str, Any]:
        """In plain data."""
        return {"converged": self.converged, **asdict(self)}


def certify(
    surface: Surface,
    starts: Floats,
    found: Descent,
    measured: Floats,
    weights: Floats,
    objective: FitObjective,
) -> Certificate:
    """The certificate of the best of several descents; its Hessian is a central difference of analytic gradients."""
    best = int(found.value.argmin())
    at, rounding = found.at[best], float(objective.rounding(measured, weights))
    value = max(float(found.value[best]), rounding)
    gradient, hessian = derivatives(surface, at, measured, weights, objective)
    promise, curvature = _newton(gradient, hessian)
    exact = found.value[best] <= rounding
    moved = at - starts[best]
    names = surface.names
    return Certificate(
        0.0 if exact else promise / value,
        curvature,
        dict(zip(names, map(float, moved), strict=True)),
        tuple(n for n, m in zip(names, moved, strict=True) if m == 0),
        tuple(
            n
            for n, x, s in zip(names, moved, surface.signs, strict=True)
            if s and abs(x) >= REACH * (1 - 1e-12)
        ),
        _distinct(found.value, rounding),
    )


def _newton(gradient: Floats, hessian: Floats) -> tuple[float, float]:
    """What a Newton step promises, and the least eigenvalue of the Hessian scaled to ones on its diagonal."""
    scale = np.sqrt(np.maximum(np.abs(np.diag(hessian)), 1e-300))
    scaled, slope = hessian / np.outer(scale, scale), gradient / scale
    if not (np.isfinite(scaled).all() and np.isfinite(slope).all()):
        return np.inf, 0.0
    eigenvalues, vectors = np.linalg.eigh(scaled)
    along = vectors.T @ slope
    # an eigenvalue below a millionth is noise of the difference quotient
    return float((along**2 / np.maximum(np.abs(eigenvalues), 1e-6)).sum() / 2), float(eigenvalues[0])


def derivatives(
    surface: Surface,
    at: Floats,
    measured: Floats,
    weights: Floats,
    objective: FitObjective,
    step: float = 1e-6,
) -> tuple[Floats, Floats]:
    """The objective's gradient (P,) and Hessian (P, P) in the free coordinates."""
    size = len(at)
    probes = np.concatenate([at[None], at + step * np.eye(size), at - step * np.eye(size)])
    slopes, _ = gradients(surface, probes, measured, weights, objective)
    hessian = (slopes[1 : size + 1] - slopes[size + 1 :]) / (2 * step)
    return slopes[0], (hessian + hessian.T) / 2


def _distinct(values: Floats, rounding: float) -> tuple[tuple[float, int], ...]:
    """Objectives that differ by more than a millionth and by more than rounding, least first, with how many descents ended at each."""
    found: list[tuple[float, int]] = []
    for value in np.sort(values):
        if found and value <= found[-1][0] * (1 + 1e-6) + 2 * rounding:
            found[-1] = (found[-1][0], found[-1][1] + 1)
        else:
            found.append((float(value), 1))
    return tuple(found)
