"""Many small fits at once: damped Gauss-Newton steps on reweighted residuals, one step of all problems in one array call.

S problems share the runs and differ in weights, starts or a coordinate that is held. A step that does not lower a
problem's objective is not taken and its damping grows; all tests are relative, so the objective's scale is of no matter.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from empirics.fitting.objective import FitObjective, Floats
from empirics.fitting.surface import Surface

REACH = 30.0
"""How far a coefficient with a sign may go from its start, in logarithms: e^30-fold is as good as to 0 or infinity."""


class Descent(NamedTuple):
    """Where S problems ended: ``at`` (S, P), objective (S,), and the steps of the longest."""

    at: Floats
    value: Floats
    steps: int


def residual(loss: Floats, measured: Floats, objective: FitObjective) -> Floats:
    """Residuals of predicted losses, nan where a logarithm has no value."""
    with np.errstate(all="ignore"):
        return np.asarray(np.log(loss / measured) if objective.log else loss - measured)


def totals(
    surface: Surface, at_SP: Floats, measured: Floats, weights: Floats, objective: FitObjective
) -> Floats:
    """The objective of each problem; infinite where the law has no value. ``weights`` are (n,) or (S, n)."""
    value = (weights * objective.value(residual(surface.loss(at_SP), measured, objective))).sum(axis=1)
    return np.where(np.isfinite(value), value, np.inf)


def gradients(
    surface: Surface, at_SP: Floats, measured: Floats, weights: Floats, objective: FitObjective
) -> tuple[Floats, Floats]:
    """The objective's gradient (S, P), and its Gauss-Newton matrix (S, P, P)."""
    loss, slopes = surface.loss_and_slopes(at_SP)
    off = residual(loss, measured, objective)
    if objective.log:
        with np.errstate(all="ignore"):
            slopes /= loss[:, :, None]
    gradient = np.matmul((weights * objective.slope(off))[:, None, :], slopes)[:, 0]
    matrix = np.matmul(slopes.transpose(0, 2, 1), slopes * (weights * objective.weight(off))[:, :, None])
    return gradient, matrix


def descend(
    surface: Surface,
    start_SP: Floats,
    measured: Floats,
    weights: Floats,
    objective: FitObjective,
    *,
    held: Floats | None = None,
    tolerance: float = 1e-12,
    most: int = 300,
) -> Descent:
    """Descend from each start until a step promises less than ``tolerance`` of the objective, or ``most`` steps.

    ``held`` (S, P) is true for coordinates that stay. Those of coefficients with a sign stay within `REACH` of their start.
    """
    at = np.array(start_SP)
    reach = np.where(surface.signs == 0, np.inf, REACH)
    low, high = at - reach, at + reach
    may_move = np.ones(at.shape) if held is None else 1.0 - held
    value = totals(surface, at, measured, weights, objective)
    rounding = np.broadcast_to(objective.rounding(measured, weights), value.shape)
    damping = np.full(len(at), 1e-3)
    going = np.flatnonzero(np.isfinite(value))
    eye = np.eye(at.shape[1])
    steps = 0
    while going.size and steps < most:
        steps += 1
        mine = weights[going] if weights.ndim == 2 else weights
        gradient, matrix = gradients(surface, at[going], measured, mine, objective)
        at_bound = (at[going] <= low[going]) & (gradient > 0) | (at[going] >= high[going]) & (gradient < 0)
        free = may_move[going] * ~at_bound
        gradient *= free
        scale = np.sqrt(np.maximum(np.einsum("spp->sp", matrix), 1e-300))
        scaled = matrix / scale[:, :, None] / scale[:, None, :]
        scaled *= free[:, :, None] * free[:, None, :]
        scaled += eye * ((damping[going] + 1e-14)[:, None] + (1 - free))[:, :, None]
        good = np.isfinite(scaled).all(axis=(1, 2)) & np.isfinite(gradient).all(axis=1)
        scaled[~good], gradient[~good] = eye, 0
        step = -np.linalg.solve(scaled, (gradient / scale)[:, :, None])[:, :, 0] / scale
        promised = -(gradient * step).sum(axis=1) / 2
        moved = np.clip(at[going] + step, low[going], high[going])
        there = totals(surface, moved, measured, mine, objective)
        lower = there < value[going]
        at[going[lower]] = moved[lower]
        gained = value[going] - there
        finished = ~good | (promised <= tolerance * value[going] + rounding[going]) | (damping[going] > 1e12)
        finished &= ~(lower & (gained > 1e3 * tolerance * value[going] + rounding[going]))
        value[going[lower]] = there[lower]
        damping[going] *= np.where(lower, np.where(gained > 0.7 * promised, 0.1, 0.5), 8.0)
        np.maximum(damping, 1e-12, out=damping)
        going = going[~finished]
    return Descent(at, value, steps)
