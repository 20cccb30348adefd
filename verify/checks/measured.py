"""Does a measured quantity follow the claimed exponent, or lie at the claimed level?"""

from __future__ import annotations

__all__ = ["Measured", "MeasuredExponent", "MeasuredLevel"]

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import sympy as sp

from empirics.experiments.experiment import Design
from verify.checks.base import Check
from verify.checks.from_runs import FromRuns, not_testable
from verify.errors import InputError
from verify.measured import statistics
from verify.measured.records import (
    DesignPower,
    ExactValue,
    MeasuredSeries,
    Measurements,
    NextTerm,
    RivalValue,
)
from verify.measured.rivals import RELATIONS, Number, exact, excluded, shown, tolerance
from verify.measured.statistics import Coefficient, Floats
from verify.verdicts import Evidence, Grade, Verdict

if TYPE_CHECKING:
    from theory.statement import Statement


@dataclass(frozen=True)
class Measured(FromRuns):
    """A claim about a number that an experiment measures; each subclass says which number.

    R is the predicted value ± the tolerance (`tolerance`: half the distance to the nearest named rival; a stricter
    one may be given with its reason), or a half-line from there where ``relation`` is "at least" or "at most".
    SUPPORTED: the 90% interval lies inside R. REFUTED: the 95% interval has no point in R, and randomisation tests
    agree. INCONCLUSIVE: anything else, with the power of the design, and wherever the measured points do not have the
    claimed form (a power law, a level). The error comes from two sides, seed to seed and size to size, and a verdict has to
    stand whether or not all sizes scatter alike: see ``verify.measured.statistics``. Design and rivals are stated before the run;
    one look is taken.

    ``theory`` names the statements that the
    predicted value comes from. A variant that predicts another value has the original among its rivals.
    """

    rejects_with: ClassVar[tuple[Verdict, ...]] = (Verdict.REFUTED,)
    gives_p: ClassVar[bool] = True
    degree: ClassVar[int]
    noun: ClassVar[str]
    not_this_form: ClassVar[str]
    least_sizes: ClassVar[int]
    least_seeds: ClassVar[int]

    predicted: Number
    _: KW_ONLY
    rivals: Mapping[str, Number]
    relation: str = "equals"
    stricter: Number | None = None
    stricter_because: str = ""
    theory: tuple[Statement, ...] = ()

    def validate(self) -> None:
        super().validate()
        name = type(self).__name__
        if self.relation not in RELATIONS:
            raise InputError(f"{name}: relation={self.relation!r}, expected one of {', '.join(RELATIONS)}")
        widest = tolerance(self.predicted, self.rivals, relation=self.relation)
        if self.stricter is not None:
            if not self.stricter_because.strip():
                raise InputError(f"{name}: stricter={self.stricter} needs stricter_because='the reason'")
            if not 0 < exact(self.stricter, "stricter") <= widest:
                raise InputError(
                    f"{name}: stricter={self.stricter}, expected more than 0 and at most {widest}, "
                    "half the distance to the nearest rival"
                )

    def relevant(self) -> Check:
        return replace(self, theory=())

    def changed(self, changes: Mapping[str, Any]) -> Check:
        if "predicted" not in changes or "rivals" in changes:
            return super().changed(changes)
        new = exact(changes["predicted"], "predicted")
        relation = changes.get("relation", self.relation)
        rivals = {"the claim": self.predicted, **self.rivals}
        kept = {name: value for name, value in rivals.items() if excluded(value, new, relation)}
        return super().changed({"rivals": kept, "stricter": None, "stricter_because": "", **changes})

    @property
    def tolerance(self) -> sp.Expr:
        """How far from the claimed value still counts as it."""
        if self.stricter is not None:
            return exact(self.stricter, "stricter")
        return tolerance(self.predicted, self.rivals, relation=self.relation)

    @property
    def accepted(self) -> tuple[float, float]:
        """R, the values that the claim allows."""
        value, around = float(exact(self.predicted, "predicted")), float(self.tolerance)
        low = -math.inf if self.relation == "at most" else value - around
        high = math.inf if self.relation == "at least" else value + around
        return low, high

    def too_few(self, design: Design) -> str:
        for what, least in (("sizes", self.least_sizes), ("seeds", self.least_seeds)):
            count = len(getattr(design, what))
            if count < least:
                return f"{count} {what}: {self.noun} needs at least {least} to show its own error"
        return ""

    def judged(self, design: Design, values_SN: Floats) -> Evidence:
        x_N = np.log(np.array(design.sizes, dtype=float))
        y_SN = self._read(values_SN)
        if not np.all(np.isfinite(y_SN)):
            return not_testable(f"some values are not positive, so {self.noun} has no meaning")
        found, uneven = (statistics.coefficient(x_N, y_SN, self.degree, uneven=u) for u in (False, True))
        low, high = self.accepted
        bend = self._bend(x_N, y_SN)
        details = self._details(design, values_SN, found, uneven, bend)
        words = self._words(found, design)
        if bend is not None and statistics.bends(*bend, self._allowed_bend(found)):
            moved = abs(float(bend[0].value) * bend[1])
            finding = f"{self.not_this_form}: {words}, but at an end of the range it differs by {_short(moved)}, against {self._range()}"
            return Evidence(Verdict.INCONCLUSIVE, Grade.STATISTICAL, finding, details)
        either = (found, uneven)
        if all(statistics.supported(f, low, high) for f in either):
            within = f"{words}, all of it {'within ' if self.relation == 'equals' else ''}{self._range()}"
            finding = "; ".join((within, *self._remarks(found, bend)))
            return Evidence(Verdict.SUPPORTED, Grade.STATISTICAL, finding, details)
        open_as = []
        if all(statistics.refuted(f, low, high) for f in either):
            left, right = found.interval(0.95)
            confirmed = self._confirmed(x_N, y_SN, high if found.value > high else low)
            if confirmed:
                witness = {
                    "interval_95": [_g(left), _g(right)],
                    "allowed": self._range(),
                    "p": details.p_refute,
                }
                apart = f"{words}; even the 95% interval, {_short(left)} to {_short(right)}, has no value in common with {self._range()}"
                return Evidence(Verdict.REFUTED, Grade.STATISTICAL, apart, details, witness, confirmed)
            open_as.append("the 95% interval lies outside, but randomisation tests do not agree")
        elif statistics.supported(found, low, high) or statistics.refuted(found, low, high):
            level = 0.9 if statistics.supported(found, low, high) else 0.95
            left, right = uneven.interval(level)
            open_as.append(
                f"where sizes may scatter unevenly the {level:.0%} interval is {_short(left)} to {_short(right)}, "
                "which decides nothing"
            )
        open_as.append(f"this design supports a true claim with probability {details.power.support}")
        finding = f"{words}, against {self._range()}; {'; '.join(open_as)}"
        return Evidence(Verdict.INCONCLUSIVE, Grade.STATISTICAL, finding, details)

    @abstractmethod
    def _read(self, values: Floats) -> Floats:
        """The measured values on the scale where the claim is about a coefficient."""

    @abstractmethod
    def _direction(self) -> str:
        """How the quantity goes with the size: it "falls", it "grows", or it stays at a "level"."""

    def _bend(self, x_N: Floats, y_SN: Floats) -> tuple[Coefficient, float] | None:
        """The next coefficient, and how much one unit of it moves the predicted quantity at an end of the range."""
        if len(x_N) < self.degree + 3:
            return None
        span = float(np.ptp(x_N)) * (1.0 if self.degree else 0.5)
        return statistics.coefficient(x_N, y_SN, self.degree + 1), span

    def _remarks(self, found: Coefficient, bend: tuple[Coefficient, float] | None) -> list[str]:
        """What a supported claim still leaves to explain."""
        remarks = []
        left, right = found.interval(0.95)
        if self.relation == "equals" and not left <= float(exact(self.predicted, "predicted")) <= right:
            remarks.append(
                f"the predicted value itself lies outside the 95% interval, {_short(left)} to {_short(right)}"
            )
        if bend is not None and statistics.bends(*bend, 0.0):
            moved = abs(float(bend[0].value) * bend[1])
            remarks.append(f"a significant bend moves it by {_short(moved)} at an end of the range")
        return remarks

    def _allowed_bend(self, found: Coefficient) -> float:
        """How far an end of the range may be from the mean: the tolerance, or up to the edge of a half-line."""
        if self.relation == "equals":
            return float(self.tolerance)
        [edge] = (end for end in self.accepted if math.isfinite(end))
        return abs(float(found.value) - edge)

    def _words(self, found: Coefficient, design: Design) -> str:
        left, right = found.interval(0.9)
        return (
            f"{self.noun} is {_short(found.value)} (90% interval {_short(left)} to {_short(right)}, "
            f"{len(design.sizes)} sizes × {len(design.seeds)} seeds)"
        )

    def _range(self) -> str:
        value, around = shown(exact(self.predicted, "predicted")), shown(self.tolerance)
        if self.relation == "equals":
            return f"{value} ± {around}"
        return f"{self.relation} {value}, to a tolerance of {around}"

    def _details(
        self,
        design: Design,
        values_SN: Floats,
        found: Coefficient,
        uneven: Coefficient,
        bend: tuple[Coefficient, float] | None,
    ) -> Measurements:
        low, high = self.accepted
        value = float(exact(self.predicted, "predicted"))
        rivals = {name: float(exact(rival, name)) for name, rival in self.rivals.items()}
        nearest = min(rivals, key=lambda name: abs(rivals[name] - value))
        p_support = max(float(f.p_outside(low, high)) for f in (found, uneven))
        p_refute = max(float(f.p_inside(low, high)) for f in (found, uneven))
        support, refute = statistics.power(found, low, high, truth=value, rival=rivals[nearest])
        series = MeasuredSeries(
            direction=self._direction(),
            quantity=self.experiment.quantity,
            size=self.experiment.size,
            sizes=list(design.sizes),
            seeds=list(design.seeds),
            values=[[_g(v) for v in row] for row in values_SN.T],
            **self.runs_used(design),
            estimate=_g(found.value),
            error=_g(found.error),
            degrees=f"{float(found.degrees):.3g}",
            interval_90=[_g(end) for end in found.interval(0.9)],
            interval_95=[_g(end) for end in found.interval(0.95)],
            uneven_90=[_g(end) for end in uneven.interval(0.9)],
            uneven_95=[_g(end) for end in uneven.interval(0.95)],
            by_seed=[_g(v) for v in found.by_seed],
            predicted=_exact_value(exact(self.predicted, "predicted")),
            relation=self.relation,
            tolerance=_exact_value(self.tolerance),
            allowed=[_g(low), _g(high)],
            rivals=[
                RivalValue(name, shown(value), _g(value))
                for name, value in ((name, exact(rival, name)) for name, rival in self.rivals.items())
            ],
            next_term=None if bend is None else self._next_term(*bend),
        )
        power = DesignPower(f"{support:.2f}", f"{refute:.2f}", nearest)
        return Measurements(f"{p_support:.2g}", f"{p_refute:.2g}", power, series)

    def _next_term(self, found: Coefficient, span: float) -> NextTerm:
        return NextTerm(_g(found.value), [_g(end) for end in found.interval(0.95)], _g(found.value * span))

    def _confirmed(self, x_N: Floats, y_SN: Floats, edge: float) -> str:
        shares = statistics.randomised(x_N, y_SN, edge, degree=self.degree)
        if not shares or max(shares.values()) > 0.05:
            return ""
        halves = [self._half_refutes(x_N, y_SN[half]) for half in statistics.halves(len(y_SN))]
        replicated = "; each half of the seeds refutes it by itself" if all(halves) else ""
        kinds = {"signs": "sign patterns of the seeds", "orders": "orders of the sizes"}
        return (
            "randomisation at the edge of the claim: "
            + ", ".join(
                f"{share:.2g} of the {kinds[kind]} lie as far beyond it" for kind, share in shares.items()
            )
            + replicated
        )

    def _half_refutes(self, x_N: Floats, y_SN: Floats) -> bool:
        if len(y_SN) < self.least_seeds:
            return False
        return all(
            statistics.refuted(statistics.coefficient(x_N, y_SN, self.degree, uneven=uneven), *self.accepted)
            for uneven in (False, True)
        )


@dataclass(frozen=True)
class MeasuredExponent(Measured):
    """The quantity falls as size^-predicted; with ``grows`` it grows as size^predicted.

    The exponent is the slope of the log of the quantity (mean over seeds of the log, so of the geometric mean)
    against the log of the size, over the sizes of the design only: nothing is said beyond them.
    NOT_TESTABLE below 5 sizes, below 3 seeds, where the largest size is less than 4 times the smallest, or where a
    value is not positive. "no power law shown in this range"
    is INCONCLUSIVE: a quadratic term is significant at 5%, and the local exponent at an end of the range differs
    from the mean one by more than the tolerance (of a one-sided claim: lies on the other side of its edge).
    """

    degree = 1
    least_sizes = statistics.LEAST_SIZES
    least_seeds = statistics.LEAST_SEEDS
    noun: ClassVar[str] = "the exponent"
    not_this_form: ClassVar[str] = "no power law shown in this range"

    grows: bool = False

    def too_few(self, design: Design) -> str:
        span = max(design.sizes) / min(design.sizes)
        if span < statistics.LEAST_SPAN:
            return f"the largest size is {_short(span)} times the smallest: to show a power law takes {statistics.LEAST_SPAN}"
        return super().too_few(design)

    def _read(self, values: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.log(values) * (1.0 if self.grows else -1.0))

    def _direction(self) -> str:
        return "grows" if self.grows else "falls"


@dataclass(frozen=True)
class MeasuredLevel(Measured):
    """The quantity itself is the predicted value at all sizes of the design, such as a ratio of two errors or a dimension.

    The level is the mean over seeds and sizes. NOT_TESTABLE below 5 seeds. A significant trend in log size that
    carries an end of the range away from the level by more than the tolerance is INCONCLUSIVE.
    """

    degree = 0
    least_sizes = 1
    least_seeds = 5
    noun: ClassVar[str] = "the level"
    not_this_form: ClassVar[str] = "no constant level shown in this range"

    def _read(self, values: Floats) -> Floats:
        return values

    def _direction(self) -> str:
        return "level"


def _g(value: Any) -> str:
    return f"{float(value):.6g}"


def _exact_value(value: sp.Expr) -> ExactValue:
    return ExactValue(shown(value), _g(value))


def _short(value: Any) -> str:
    return f"{float(value):.3g}"
