"""How sure a fit is: bootstrap over training runs, profile likelihood, and in words which coefficients are identified."""

from __future__ import annotations

__all__ = ["Bootstrap", "Interval", "bootstrap", "identified", "over_identification", "profile"]

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from empirics.fitting.certificate import derivatives
from empirics.fitting.descent import descend
from empirics.fitting.fit import Fit
from empirics.fitting.objective import Floats
from theory.errors import MoelawsError
from theory.laws.law import Law

_STARTS = 7
"""Starts of the refit that tests an end of a profile."""
_FARTHEST = 8.0
"""How far from the fit an end of a profile is sought."""


class Interval(NamedTuple):
    """From ``low`` to ``high``; an end that the data do not bound is infinite, or 0 for a coefficient with a sign."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"[{self.low:.5g}, {self.high:.5g}]"


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """Coefficients (samples, P) fitted to resampled runs."""

    fit: Fit
    samples: Floats

    def standard_deviations(self) -> dict[str, float]:
        """Of each coefficient, by name."""
        return dict(zip(self.fit.coefficients(), map(float, self.samples.std(axis=0)), strict=True))

    def interval(self, of: str | Callable[[Law], float], level: float = 0.95) -> Interval:
        """The percentile interval of a coefficient, or of any function of the law."""
        names = list(self.fit.coefficients())
        if callable(of):
            kind = type(self.fit.law)
            values = np.array(
                [of(kind(**dict(zip(names, map(float, s), strict=True)))) for s in self.samples]
            )
        elif of in names:
            values = self.samples[:, names.index(of)]
        else:
            raise MoelawsError(f"Bootstrap.interval: no coefficient {of!r}; the law has {', '.join(names)}")
        low, high = np.percentile(values, [50 * (1 - level), 50 * (1 + level)])
        return Interval(float(low), float(high))


def bootstrap(found: Fit, samples: int = 4000, *, seed: int = 0) -> Bootstrap:
    """Refit to ``samples`` tables drawn with replacement, whole clusters at a time, each from the fitted coefficients.

    Samples whose law has no value or runs away are kept: they are what the data allow.
    """
    if samples < 1:
        raise MoelawsError(f"bootstrap: samples={samples}; expected at least 1")
    runs = found.observations
    labels = list(range(len(runs))) if runs.clusters is None else list(runs.clusters)
    distinct = {label: i for i, label in enumerate(dict.fromkeys(labels))}
    if len(distinct) < 2:
        raise MoelawsError("bootstrap: one training run; resampling needs at least two clusters")
    of_row = np.array([distinct[label] for label in labels])
    count = len(distinct)
    draws = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=samples)
    weights = draws[:, of_row] * runs.weight
    start = np.repeat(found.at[None], samples, axis=0)
    surface = found.surface
    ends = descend(surface, start, runs.loss, weights, found.objective, tolerance=1e-9, most=500)
    return Bootstrap(found, surface.coefficients(ends.at))


def profile(found: Fit, name: str, level: float = 0.95) -> Interval:
    """The values of a coefficient at which refitting all others costs less than a chi-squared of one degree allows.

    Each end is enclosed by bisection, and tested by a refit from places around the published coefficients. One that is not
    found within e^8-fold of the fit (8 units where the coefficient has no sign) is reported as not bounded. MoelawsError for an unknown name, or without rows to spare.
    """
    from scipy.stats import chi2

    surface, runs = found.surface, found.observations
    if name not in surface.names:
        raise MoelawsError(f"profile: no coefficient {name!r}; the law has {', '.join(surface.names)}")
    if len(runs) <= len(surface.names):
        raise MoelawsError(
            f"profile: {len(runs)} rows for {len(surface.names)} coefficients leave nothing to judge by"
        )
    i = surface.names.index(name)
    variance = found.objective.variance(found.residuals(), runs.weight, len(surface.names))
    allowed = found.value + variance * float(chi2.ppf(level, 1)) / 2

    elsewhere = surface.starts(runs.loss, _STARTS, 0) if surface.published else found.at[None]

    def cost(near: Floats, moved: float) -> tuple[float, Floats]:
        start = np.array(near)
        start[:, i] = moved
        held = np.zeros_like(start)
        held[:, i] = 1
        ends = descend(surface, start, runs.loss, runs.weight, found.objective, held=held, tolerance=1e-10)
        best = int(ends.value.argmin())
        return float(ends.value[best]), ends.at[best]

    def reach(side: float, others: Floats) -> float:
        """How far the coefficient may go; each refit starts from its neighbour and from ``others``."""
        inside, at, outside, step = 0.0, found.at, math.inf, first
        while step < _FARTHEST and outside == math.inf:
            value, there = cost(np.vstack([at, others]), found.at[i] + side * step)
            if value > allowed:
                outside = step
            else:
                inside, at, step = step, there, 1.6 * step
        if outside == math.inf:
            return math.inf
        while outside - inside > 1e-4 * outside:
            middle = (inside + outside) / 2
            value, there = cost(np.vstack([at, others]), found.at[i] + side * middle)
            inside, at, outside = (middle, there, outside) if value <= allowed else (inside, at, middle)
        # the neighbours may all lie at an edge of the law: one refit from elsewhere tells
        if not len(others) and cost(elsewhere, found.at[i] + side * outside)[0] <= allowed:
            return reach(side, elsewhere)
        return inside

    _, hessian = derivatives(surface, found.at, runs.loss, runs.weight, found.objective)
    first = math.sqrt(variance / max(abs(hessian[i, i]), 1e-300))
    ends = [found.at[i] + side * reach(side, np.empty((0, len(found.at)))) for side in (-1.0, 1.0)]
    sign = surface.signs[i]
    values = [sign * math.exp(e) if sign else e for e in ends]
    return Interval(float(min(values)), float(max(values)))


def identified(found: Fit, name: str, interval: Interval) -> str:
    """In words whether the data bound a coefficient: empty where they do."""
    words = next(q.words for q in found.law.coefficients() if q.name == name)
    sign = found.surface.signs[found.surface.names.index(name)]
    runs = len(found.observations)
    if not (math.isfinite(interval.low) and math.isfinite(interval.high)) or (sign and 0 in interval):
        return f"{name} ({words}) is not identified by {runs} runs: its interval is {interval}"
    least = float(found.observations.loss.min())
    if name in ("floor", "c") and words.startswith("loss") and interval.low <= 0:
        return f"the asymptote {name} is not identified by {runs} runs: {interval} holds 0 (least loss {least:.4g})"
    return ""


def over_identification(samples: Bootstrap, level: float = 0.95) -> tuple[float, Interval]:
    """alpha_D over alpha_N/(1 + alpha_N) of a separable law, which the theory says is 1, and its bootstrap interval."""
    from theory.laws.separable import SeparableLaw

    if type(samples.fit.law) is not SeparableLaw:
        raise MoelawsError(
            f"over_identification: expected a SeparableLaw, got a {type(samples.fit.law).__name__}"
        )

    def ratio(law: Law) -> float:
        assert isinstance(law, SeparableLaw)
        return float(law.v * (1 + law.u) / law.u)

    return ratio(samples.fit.law), samples.interval(ratio, level)
