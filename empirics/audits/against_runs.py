"""Printed coefficients and intervals against the runs that they are said to fit."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from empirics.audits.allocation import size_exponent
from empirics.audits.publication import Audit, Finding, Publication, Weight
from empirics.fitting.intervals import bootstrap
from theory.laws.clark import ClarkLaw
from theory.laws.law import Law

_SAMPLES = 1000


def _rms(law: Law, publication: Publication) -> float:
    assert publication.runs is not None
    predicted = np.asarray(law.loss(**publication.runs.inputs), float)
    return float(np.sqrt(np.mean(np.log(predicted / publication.runs.loss) ** 2)))


def _find_rounding(publication: Publication) -> Iterator[Finding]:
    if publication.refit is None:
        return
    printed, best = _rms(publication.law, publication), publication.refit.rms()
    if printed > 1.5 * best:
        reach = min(_rms(law, publication) for law in publication.corners())
        cause = (
            "rounding explains part of it"
            if reach < 0.9 * printed
            else "no corner of what was rounded does better"
        )
        yield Finding(
            "residuals", Weight.CONTRADICTION if reach > 1.5 * best else Weight.SUSPICION,
            f"the printed coefficients leave an rms of log loss of {printed:.3g}, a fit of the same law to the same runs {best:.3g}, "
            f"{printed / best:.2g} times less; {cause} (best corner {reach:.3g})",
        )  # fmt: skip


def _find_intervals(publication: Publication) -> Iterator[Finding]:
    if publication.refit is None or not publication.intervals:
        return
    samples = bootstrap(publication.refit, _SAMPLES)
    for name, (low, high) in publication.intervals.items():
        wide = samples.interval(
            name if name != "size_exponent" else lambda law: size_exponent(law, dict(publication.others))
        )
        ratio = (wide.high - wide.low) / max(high - low, 1e-300)
        if ratio > 2:
            yield Finding(
                "narrow-interval", Weight.CONTRADICTION,
                f"{name} is printed as [{low:g}, {high:g}]; {len(publication.runs or ())} runs resampled {_SAMPLES} times give "
                f"{wide}, {ratio:.3g} times as wide",
            )  # fmt: skip


def _find_log_base(publication: Publication) -> Iterator[Finding]:
    if publication.runs is None or publication.kind is not ClarkLaw:
        return
    printed = {name: number.value for name, number in publication.printed.items()}
    errors = {base: _rms(_from_base(printed, base), publication) for base in (math.e, 10.0, 2.0)}
    best = min(errors, key=errors.__getitem__)
    names = {math.e: "e", 10.0: "10", 2.0: "2"}
    others = ", ".join(f"{names[base]} {error:.3g}" for base, error in errors.items() if base != best)
    yield Finding(
        "log-base", Weight.NOTE if best == math.e else Weight.SUSPICION,
        f"with logarithms to base {names[best]} the coefficients fit the runs (rms of log loss {errors[best]:.3g}; with {others})",
    )  # fmt: skip


def _from_base(printed: dict[str, float], base: float) -> ClarkLaw:
    return ClarkLaw(**{**printed, "c": printed["c"] / math.log(base), "d": printed["d"] * math.log(base)})


residuals = Audit(
    "residuals", "do the printed coefficients fit the runs as well as a fit does?", _find_rounding
)
narrow_interval = Audit(
    "narrow-interval", "are printed intervals as wide as the runs require?", _find_intervals
)
log_base = Audit("log-base", "to which base are the logarithms of Clark's law?", _find_log_base)
