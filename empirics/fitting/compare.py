"""Two laws on the same runs: which predicts the largest runs better, and whether more coefficients pay."""

from __future__ import annotations

__all__ = ["Comparison", "compare"]

import math
from dataclasses import dataclass

import numpy as np

from empirics.fitting.fit import Fit, fit
from empirics.fitting.objective import Floats, Mask
from theory.errors import MoelawsError


@dataclass(frozen=True)
class Comparison:
    """The first law against the second: rms of log loss on the runs of most compute, fitted to the others.

    ``difference`` is the mean difference of their squared errors there (negative where the first is better) and
    ``standard_error`` its standard error over runs. ``p_value`` is that of the smaller law where it is nested in the larger:
    the probability of so large a gain by chance; None where the laws are not nested.
    """

    held_out: tuple[float, float]
    rows: int
    difference: float
    standard_error: float
    p_value: float | None

    def __str__(self) -> str:
        first, second = self.held_out
        said = f"on the {self.rows} runs of most compute, fitted without them, the first law misses by {first:.3g}, the second by {second:.3g}"
        clear = self.rows > 1 and abs(self.difference) > 2 * self.standard_error
        said += (
            ""
            if clear
            else "; the difference is within two standard errors, so neither is shown to be better"
        )
        if self.p_value is not None:
            said += f"; the gain of the larger law over the smaller has p = {self.p_value:.2g}"
        return said


def compare(first: Fit, second: Fit, *, nested: bool = False, share: float = 0.1) -> Comparison:
    """Compare two fits to the same losses with the same objective; say ``nested`` where one law contains the other.

    The largest ``share`` of runs by the first law's compute is held out. The p-value is that of twice the objective's gain, over its
    variance under the larger law, as a chi-squared. MoelawsError for fits of different runs or objectives.
    """
    if (
        not np.array_equal(first.observations.loss, second.observations.loss)
        or first.objective != second.objective
    ):
        raise MoelawsError(
            "compare: the fits have different runs or objectives; fit both laws to the same rows"
        )
    small, large = sorted((first, second), key=lambda found: len(found.at))
    if nested and len(small.at) == len(large.at):
        raise MoelawsError("compare: laws of as many coefficients are not nested; leave nested out")
    if nested and large.value > small.value * (1 + 1e-6):
        raise MoelawsError(
            "compare: the larger law fits worse than the one it contains, so its fit did not arrive; give it more starts"
        )
    held = first.observations.largest(share)
    errors = [_squares(found, held) for found in (first, second)]
    gap = errors[0] - errors[1]
    p_value = None
    if nested:
        from scipy.stats import chi2

        variance = large.objective.variance(large.residuals(), large.observations.weight, len(large.at))
        p_value = float(
            chi2.sf(2 * max(small.value - large.value, 0) / variance, len(large.at) - len(small.at))
        )
    error = float(gap.std(ddof=1) / math.sqrt(len(gap))) if len(gap) > 1 else math.inf
    rms = tuple(float(np.sqrt(each.mean())) for each in errors)
    return Comparison((rms[0], rms[1]), int(held.sum()), float(gap.mean()), error, p_value)


def _squares(found: Fit, held: Mask) -> Floats:
    """Squared errors of log loss on the rows held out, fitted to the others."""
    rest = fit(found.observations.take(~held), objective=found.objective, start=found.law)
    out = found.observations.take(held)
    predicted = np.asarray(rest.law.loss(**out.inputs), float)
    return np.asarray(np.log(predicted / out.loss) ** 2)
