"""Which run to make next: the one that narrows a predicted loss most, by the law's derivatives at the fit."""

from __future__ import annotations

__all__ = ["NextRun", "next_run"]

from typing import NamedTuple

import numpy as np

from empirics.fitting.certificate import derivatives
from empirics.fitting.fit import Fit
from empirics.fitting.objective import Floats
from empirics.fitting.surface import Surface
from theory.errors import MoelawsError


class NextRun(NamedTuple):
    """Inputs of a run, and the standard error (of the log loss) of the prediction before and after it."""

    inputs: dict[str, float]
    before: float
    after: float


def next_run(found: Fit, target: dict[str, float], flops: float, *, sizes: int = 61) -> NextRun:
    """The run of at most ``flops``, with the other inputs of ``target``, that narrows the loss predicted at ``target`` most.

    Candidates are ``sizes`` model sizes and a tenth, a third and all of the budget, on token counts between the least of
    the runs and the larger of their most and the target's. To first order a run with derivatives s
    adds s s^T / variance to the information, so it lowers the variance g^T V g of the prediction by
    (g^T V s)^2 / (variance + s^T V s). MoelawsError where the fit leaves nothing to judge by, or a
    direction unidentified.
    """
    runs = found.observations
    surface = found.surface
    if not flops > 0:
        raise MoelawsError(f"next_run(flops={flops:g}): expected a positive number")
    if len(runs) <= len(surface.names):
        raise MoelawsError("next_run: as many coefficients as runs leave nothing to judge by")
    variance = found.objective.variance(found.residuals(), runs.weight, len(surface.names)) / float(
        runs.weight.mean()
    )
    _, hessian = derivatives(surface, found.at, runs.loss, runs.weight, found.objective)
    eigenvalues = np.linalg.eigvalsh(hessian)
    if not eigenvalues[0] > 1e-12 * eigenvalues[-1]:
        raise MoelawsError(
            "next_run: the runs leave a direction of the coefficients unidentified; vary another input first"
        )
    covariance = variance * np.linalg.inv(hessian)
    kind, law = type(found.law), found.law
    size_name, tokens_name, *others = (q.name for q in law.inputs)
    given = {name: target[name] for name in others}
    each = law.flops(**{size_name: 1.0, tokens_name: 1.0, **given})
    low, high = (f(runs.inputs[size_name]) for f in (np.min, np.max))
    size = np.tile(np.geomspace(low, max(high, target[size_name]), sizes), 3)
    spent = np.repeat([flops / 10, flops / 3, flops], sizes)
    inputs = {size_name: size, tokens_name: spent / each / size} | {
        k: np.full(size.shape, v) for k, v in given.items()
    }

    seen = runs.inputs[tokens_name]
    known = (inputs[tokens_name] >= seen.min()) & (
        inputs[tokens_name] <= max(seen.max(), target[tokens_name])
    )
    if not known.any():
        raise MoelawsError(
            f"next_run(flops={flops:g}): no run of so much compute has sizes and tokens like the runs or the target"
        )
    inputs = {name: values[known] for name, values in inputs.items()}

    def slopes(at: dict[str, Floats]) -> Floats:
        loss, slope = Surface(kind, at).loss_and_slopes(found.at[None])
        return np.asarray(slope[0] / loss[0][:, None] if found.objective.log else slope[0])

    wanted = slopes({name: np.array([float(target[name])]) for name in inputs})[0]
    rows = slopes(inputs)
    gain = (rows @ covariance @ wanted) ** 2 / (variance + np.einsum("ip,pq,iq->i", rows, covariance, rows))
    best = int(np.argmax(gain))
    before = float(wanted @ covariance @ wanted)
    return NextRun(
        {name: float(values[best]) for name, values in inputs.items()},
        float(np.sqrt(before)),
        float(np.sqrt(max(before - gain[best], 0))),
    )
