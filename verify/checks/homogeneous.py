"""Are several printed means one number, up to their printed intervals?"""

from __future__ import annotations

__all__ = ["Homogeneous"]

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational
from typing import ClassVar

import numpy as np

from verify.checks import arguments
from verify.checks.base import Budget, Check
from verify.details import Details
from verify.errors import InputError
from verify.measured.pooling import homogeneity, homogeneity_power
from verify.printed.intervals import decimal
from verify.printed.tables import Cell, UnreadableCell
from verify.verdicts import Evidence, Grade, Verdict

_SMALL = Fraction(10) ** -140
"""Squares of numbers from here to its inverse are floats."""


@dataclass(frozen=True)
class PrintedMean:
    """A printed mean with the ends of its interval as printed."""

    label: str
    printed: str
    low: str
    value: str
    high: str


@dataclass(frozen=True)
class PooledMeans(Details):
    """Cochran's Q of printed means, the power of the test, and the intervals over the ``band`` of the pooled mean."""

    figure: ClassVar[str] = "intervals"

    means: Sequence[str]
    half_widths_read_as: str
    Q: str
    degrees: int
    p: str
    p_over_rounding: Sequence[str]
    pooled: str
    rival: str
    power: str
    disjoint_intervals: Sequence[str]
    intervals: Sequence[PrintedMean]
    band: Sequence[str]


@dataclass(frozen=True)
class Homogeneous(Check):
    """Printed means (cells ``mean ± half-width``) are equal up to sampling error.

    ``coverage`` is how the half-widths are read: 0.95 for 95% intervals, None for
    one standard error. ``rival_ratio`` is a named alternative, pre-stated: the
    means drift evenly (in the log) by this ratio from first to last.
    REFUTED: Cochran's Q rejects equality at 5% for every choice of unrounded
    values. SUPPORTED: it does not, although it would reject the rival with a
    power of at least ``least_power``. Otherwise INCONCLUSIVE: a non-rejection
    alone shows nothing.
    """

    rejects_with: ClassVar[tuple[Verdict, ...]] = (Verdict.REFUTED,)

    means: Sequence[Cell]
    rival_ratio: Fraction
    rival: str
    coverage: Fraction | None = Fraction(95, 100)
    least_power: Fraction = Fraction(8, 10)

    def validate(self) -> None:
        arguments.each_is("Homogeneous: means", self.means, Cell, arguments.A_CELL)
        if len(self.means) < 2:
            raise InputError("Homogeneous: expected at least two means")
        if not isinstance(self.rival_ratio, Rational) or self.rival_ratio <= 1:
            raise InputError(
                f"Homogeneous: rival_ratio={self.rival_ratio!r}, expected a Fraction of more than 1, such as Fraction(6, 5)"
            )
        for name in ("coverage", "least_power"):
            share = getattr(self, name)
            if not (isinstance(share, Rational) and 0 < Fraction(share) < 1) and (share, name) != (
                None,
                "coverage",
            ):
                raise InputError(
                    f"Homogeneous: {name}={share!r}, expected a Fraction between 0 and 1, such as Fraction(9, 10)"
                )

    def evidence(self, budget: Budget) -> Iterable[Evidence]:
        from scipy.stats import norm

        unit = self._unit()
        per_error = 1.0 if self.coverage is None else float(norm.ppf(0.5 + float(self.coverage) / 2))
        centres = [float(c.printed.value / unit) for c in self.means]
        halves = [float(c.spread.printed.value / unit) for c in self.means]
        errors = [h / per_error for h in halves]
        test = homogeneity(centres, errors)
        least_p, greatest_p = self._p_range(per_error, test.pooled)
        power = homogeneity_power(self._rival_means(test.pooled), errors)
        disjoint = self._disjoint()
        half = test.pooled_error * per_error
        details = PooledMeans(
            means=[f"{c.text} ({c.where})" for c in self.means],
            half_widths_read_as="one standard error"
            if self.coverage is None
            else f"{float(self.coverage):.0%} intervals",
            Q=f"{test.q:.4g}",
            degrees=test.degrees,
            p=f"{test.p_value:.2g}",
            p_over_rounding=[f"{least_p:.2g}", f"{greatest_p:.2g}"],
            pooled=f"{test.pooled:.4g} ± {half:.2g}" + ("" if unit == 1 else f" in units of {decimal(unit)}"),
            rival=self.rival,
            power=f"{power:.2f}",
            disjoint_intervals=disjoint,
            intervals=[
                PrintedMean(c.where, c.text, f"{m - h:.6g}", f"{m:.6g}", f"{m + h:.6g}")
                for c, m, h in zip(self.means, centres, halves, strict=True)
            ],
            band=[f"{test.pooled - half:.6g}", f"{test.pooled + half:.6g}"],
        )
        statistic = f"Q = {test.q:.3g} on {test.degrees} degrees of freedom, p = {test.p_value:.2g}"
        if greatest_p < 0.05:
            apart = f"; the printed intervals of {disjoint[0]} are disjoint" if disjoint else ""
            yield Evidence(
                Verdict.REFUTED,
                Grade.STATISTICAL,
                f"the means differ by more than their intervals allow: {statistic}{apart}",
                details,
                witness={"p": details.p, "most_favourable_p": f"{greatest_p:.2g}"},
                confirmed_by=self._confirmed(centres, errors),
            )
        elif least_p >= 0.05 and power >= self.least_power:
            yield Evidence(
                Verdict.SUPPORTED,
                Grade.STATISTICAL,
                f"no difference beyond the intervals ({statistic}), and a drift of the size of {self.rival} "
                f"would have been noticed with probability {power:.2f}",
                details,
            )
        else:
            yield Evidence(
                Verdict.INCONCLUSIVE,
                Grade.STATISTICAL,
                f"{statistic} (over rounding p is {least_p:.2g} to {greatest_p:.2g}); a drift of the "
                f"size of {self.rival} would be noticed only with probability {power:.2f}",
                details,
            )

    def _unit(self) -> Fraction:
        """The unit that the statistics are computed in: 1, or a power of ten where the means are out of the range of floats."""
        for cell in self.means:
            if not cell.spread.printed.value:
                raise UnreadableCell(
                    f"{cell.spread.where}: a half-width of 0 weighs its mean infinitely; expected a positive one"
                )
        least, *_, greatest = sorted(
            x for c in self.means for x in (c.spread.printed.value, abs(c.printed.value)) if x
        )
        if least > _SMALL and greatest < 1 / _SMALL:
            return Fraction(1)
        return Fraction(10) ** (len(str(int(greatest))) - len(str(int(1 / greatest))))

    def _rival_means(self, pooled: float) -> list[float]:
        last = len(self.means) - 1
        return [pooled * math.exp(math.log(self.rival_ratio) * (i / last - 0.5)) for i in range(last + 1)]

    def _p_range(self, per_error: float, pooled: float) -> tuple[float, float]:
        """(least, greatest) p over all unrounded means and half-widths.

        Q = min over mu of sum ((m_i - mu)/s_i)^2 falls in every s_i; for given mu the
        best m_i moves towards mu by its slack and the worst away from it. The
        greatest p is attained (a convex problem in mu); the least is a bound, at the
        pooled mean.
        """
        from scipy.optimize import minimize_scalar
        from scipy.stats import chi2

        unit = self._unit()
        means = np.array([float(c.printed.value / unit) for c in self.means])
        slack = np.array([float(c.printed.last_digit / unit) / 2 for c in self.means])
        halves = np.array([float(c.spread.printed.value / unit) for c in self.means])
        half_slack = np.array([float(c.spread.printed.last_digit / unit) / 2 for c in self.means])
        widest, narrowest = (halves + half_slack) / per_error, (halves - half_slack) / per_error

        def least_q(mu: float) -> float:
            return float(np.sum((np.maximum(np.abs(means - mu) - slack, 0) / widest) ** 2))

        spread = float(np.ptp(means)) or 1.0  # the unit of the means must not matter
        low = minimize_scalar(
            lambda t: least_q(float(means.min()) + t * spread),
            bounds=(0, 1),
            method="bounded",
            options={"xatol": 1e-9},
        ).fun
        high = float(np.sum(((np.abs(means - pooled) + slack) / np.maximum(narrowest, 1e-300)) ** 2))
        degrees = len(means) - 1
        return float(chi2.sf(high, degrees)), float(chi2.sf(low, degrees))

    def _disjoint(self) -> list[str]:
        """Pairs whose printed intervals share no point, exactly and even if unrounded."""
        pairs = []
        for a, b in itertools.combinations(self.means, 2):
            gap = abs(a.printed.value - b.printed.value) - a.spread.printed.value - b.spread.printed.value
            slack = (a.printed.last_digit + b.printed.last_digit
                     + a.spread.printed.last_digit + b.spread.printed.last_digit) / 2  # fmt: skip
            if gap > slack:
                pairs.append(f"{a.text} ({a.where}) and {b.text} ({b.where})")
        return pairs

    def _confirmed(self, centres: list[float], errors: list[float]) -> str:
        """Second evaluator: a seeded simulation of Q under equality rarely reaches the observed one."""
        rng = np.random.default_rng(20260409)
        sigma = np.asarray(errors)
        weights = sigma**-2

        def q_of(values: np.ndarray) -> np.ndarray:
            pooled = (values * weights).sum(axis=-1, keepdims=True) / weights.sum()
            return np.asarray((weights * (values - pooled) ** 2).sum(axis=-1))

        observed = q_of(np.asarray([centres]))[0]
        simulated = q_of(rng.normal(size=(100_000, len(sigma))) * sigma)
        share = float((simulated >= observed).mean())
        return f"100,000 simulated data sets: {share:.1g} reach the observed Q" if share < 0.05 else ""
