"""What to train: the sizes that spend a budget best by a law, within limits, beside the dense model, and how sure that is."""

from __future__ import annotations

__all__ = ["Plan", "budget_for_loss", "plan"]

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from empirics.fitting.intervals import Bootstrap, Interval
from empirics.fitting.observations import Observations
from theory.errors import MoelawsError
from theory.laws.law import Law


@dataclass(frozen=True)
class Plan:
    """``flops`` of training spent on ``parameters`` (active ones) and ``tokens``, the law's other inputs ``given``.

    ``loss`` in nats per token is the law's, ``interval`` what resampled runs allow for it (None without runs). ``limited`` says
    which limit, if any, keeps the sizes from the law's optimum; ``remarks`` what else the reader must know.
    """

    flops: float
    parameters: float
    tokens: float
    given: dict[str, float]
    loss: float
    interval: Interval | None = None
    limited: str = ""
    remarks: tuple[str, ...] = ()

    def record(self) -> dict[str, Any]:
        """In plain data."""
        return {**asdict(self), "interval": list(self.interval) if self.interval else None}


def plan(
    law: Law,
    flops: float,
    *,
    given: dict[str, float] | None = None,
    most_parameters: float = math.inf,
    most_tokens: float = math.inf,
    samples: Bootstrap | None = None,
    runs: Observations | None = None,
) -> Plan:
    """The best use of ``flops`` with at most so many (active) parameters and tokens.

    Every law of the catalogue has one minimum along log N at fixed compute, so a limit that the optimum breaks is where
    the best model within it lies. MoelawsError for a law that allocates nothing, a budget that is not positive, or limits that
    leave no size.
    """
    others = [q.name for q in law.inputs[2:]]
    given = dict(given or {})
    if sorted(given) != sorted(others):
        expected = ", ".join(others) or "none"
        raise MoelawsError(
            f"plan: {type(law).__name__} needs given {expected}, got {', '.join(given) or 'none'}"
        )
    for name, value in (("flops", flops), ("most_parameters", most_parameters), ("most_tokens", most_tokens)):
        if not value > 0 or (name == "flops" and not math.isfinite(value)):
            raise MoelawsError(f"plan({name}={value:g}): expected a positive number")
    best = law.compute_optimal(flops, **given)
    size_name, tokens_name = (q.name for q in law.inputs[:2])
    each = law.flops(**{size_name: 1.0, tokens_name: 1.0, **given})
    size, limited = best.parameters, ""
    if size > most_parameters:
        size, limited = most_parameters, "parameters"
    if flops / each / size > most_tokens:
        size, limited = flops / each / most_tokens, "tokens"
        if size > most_parameters:
            raise MoelawsError(
                f"plan: {most_parameters:.4g} parameters on {most_tokens:.4g} tokens use "
                f"{each * most_parameters * most_tokens:.4g} FLOPs, less than {flops:.4g}; raise a limit"
            )
    at = {size_name: float(size), tokens_name: float(flops / each / size), **given}
    loss = float(law.loss(**at))
    interval = None
    if samples is not None:
        interval = samples.interval(lambda other: float(other.loss(**at)))
    return Plan(
        flops, at[size_name], at[tokens_name], given, loss, interval, limited, tuple(_beyond(at, runs))
    )


def _beyond(at: dict[str, float], runs: Observations | None) -> list[str]:
    if runs is None:
        return ["no runs given, so how sure the loss is cannot be said"]
    said = []
    for name, value in at.items():
        low, high = float(np.min(runs.inputs[name])), float(np.max(runs.inputs[name]))
        if value > high * (1 + 1e-9):
            said.append(f"extrapolates: {name} is {value / high:.3g} times the largest of the runs")
        elif value < low * (1 - 1e-9):
            said.append(f"extrapolates: {name} is {low / value:.3g} times below the least of the runs")
    return said


def budget_for_loss(law: Law, loss: float, *, given: dict[str, float] | None = None) -> float:
    """The least FLOPs with which the law's optimum reaches ``loss``, by bisection to a part in 10^9; MoelawsError where 10^40 do not."""
    low, high = 0.0, 40 * math.log(10)
    if not law.compute_optimal(math.exp(high), **(given or {})).loss <= loss:
        raise MoelawsError(
            f"budget_for_loss(loss={loss:g}): the law does not fall so low, whatever the compute"
        )
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (
            (low, middle)
            if law.compute_optimal(math.exp(middle), **(given or {})).loss <= loss
            else (middle, high)
        )
    return math.exp(high)
