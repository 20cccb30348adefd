"""Which of many conventions reproduces the printed numbers, and could one have done so by luck?"""

from __future__ import annotations

__all__ = ["ConventionSearch"]

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational

from verify.checks import arguments
from verify.checks.base import Budget, Check
from verify.details import Details, as_json
from verify.errors import InputError
from verify.printed.intervals import Interval
from verify.printed.numerals import ROUNDED, Rounding
from verify.printed.tables import Cell
from verify.verdicts import Evidence, Grade, Verdict


@dataclass(frozen=True)
class ClosestConvention:
    """The convention that misses the fewest targets, and what it misses."""

    convention: str
    misses: str


@dataclass(frozen=True)
class ConventionFits(Details):
    """How many conventions were tried, which fit, and by what chance a wrong one would."""

    tried: int
    distinct_predictions: int
    fits: Sequence[str]
    mode: str
    chance_bound: str
    targets: Sequence[str]
    closest: ClosestConvention


@dataclass(frozen=True)
class ConventionSearch(Check):
    """Some convention of an enumerated ``family`` explains every target under one rounding mode.

    ``family`` maps the name of each convention to its exact predictions, one per
    target. The price of having tried many is paid openly: a wrong convention
    is modelled as uniform over twice the interquartile range of the family's own
    predictions (which no single outlier can stretch), so it hits one target, under
    any of the modes tried, by luck with the chance width/range; the union bound
    multiplies by the number of distinct predictions tried. Targets that are
    ``independent`` multiply their chances, otherwise only the hardest counts.
    SUPPORTED needs a fit and a bound of at most ``level``.
    """

    targets: Sequence[Cell]
    family: Mapping[str, Sequence[int | Fraction]]
    modes: Sequence[Rounding] = ROUNDED
    independent: bool = False
    level: Fraction = Fraction(1, 100)

    def validate(self) -> None:
        arguments.each_is("ConventionSearch: targets", self.targets, Cell, arguments.A_CELL)
        arguments.modes("ConventionSearch: modes", self.modes)
        if not isinstance(self.family, Mapping):
            raise arguments.refuse("ConventionSearch: family", self.family, "{'convention': its predictions}")
        if not (self.targets and self.family):
            raise InputError("ConventionSearch: expected at least one target and one convention")
        for name, predictions in self.family.items():
            exact = "an int or a Fraction, one a target"
            where = f"ConventionSearch: family[{name!r}]"
            for i, value in enumerate(arguments.several(where, predictions, exact)):
                if not isinstance(value, Rational):
                    raise arguments.refuse(f"{where}[{i}]", value, exact)
            if len(predictions) != len(self.targets):
                raise InputError(
                    f"ConventionSearch: convention {name!r} predicts {len(predictions)} values "
                    f"for {len(self.targets)} targets"
                )

    def evidence(self, budget: Budget) -> Iterable[Evidence]:
        fits = {mode: self._fits(mode) for mode in self.modes}
        mode = max(self.modes, key=lambda m: len(fits[m]))
        names = fits[mode]
        distinct = len({tuple(map(Fraction, p)) for p in self.family.values()})
        chance = min(Fraction(1), self._chance(mode) * distinct)
        closest = self._closest(mode)
        details = ConventionFits(
            tried=len(self.family),
            distinct_predictions=distinct,
            fits=names,
            mode=mode.value,
            chance_bound=_percent(chance),
            targets=[f"{cell.text} ({cell.where})" for cell in self.targets],
            closest=closest,
        )
        if not names:
            yield Evidence(
                Verdict.REFUTED,
                Grade.EXACT,
                f"none of {len(self.family)} conventions reproduces all {len(self.targets)} values; "
                f"the closest, {closest.convention}, misses {closest.misses}",
                details,
                witness=as_json(closest),
                confirmed_by="decimal rounding of every prediction" if self._none_by_decimal() else "",
            )
            return
        explained = len({tuple(map(Fraction, self.family[n])) for n in names})
        finding = (
            f"{len(names)} of {len(self.family)} conventions tried reproduce all {len(self.targets)} values "
            f"({mode.value}): {'; or '.join(names[:3])}{'; ...' if len(names) > 3 else ''}. "
            f"{explained} distinct set{'' if explained == 1 else 's'} of predictions; a wrong one would fit "
            f"by luck with chance at most {_percent(chance)}"
        )
        verdict = Verdict.SUPPORTED if chance <= self.level else Verdict.INCONCLUSIVE
        yield Evidence(verdict, Grade.EXACT, finding, details)

    def _intervals(self, mode: Rounding) -> list[Interval]:
        return [cell.interval(mode) for cell in self.targets]

    def _fits(self, mode: Rounding) -> list[str]:
        intervals = self._intervals(mode)
        return [
            name
            for name, predictions in self.family.items()
            if all(Fraction(p) in i for p, i in zip(predictions, intervals, strict=True))
        ]

    def _chance(self, mode: Rounding) -> Fraction:
        chances = []
        for position, cell in enumerate(self.targets):
            values = [Fraction(p[position]) for p in self.family.values()]
            spread = 2 * _interquartile_range(values)
            readings = {mode: cell.interval(mode) for mode in self.modes}
            width = _union_width(list(readings.values()), cell.printed.last_digit)
            chances.append(min(Fraction(1), width / spread) if spread else Fraction(1))
        if not self.independent:
            return min(chances)
        product = Fraction(1)
        for chance in chances:
            product *= chance
        return product

    def _closest(self, mode: Rounding) -> ClosestConvention:
        intervals = self._intervals(mode)

        def missed(name: str) -> list[int]:
            predictions = self.family[name]
            return [i for i, t in enumerate(intervals) if Fraction(predictions[i]) not in t]

        best = min(self.family, key=lambda name: (len(missed(name)), name))
        misses = (
            f"{self.targets[i].text} ({self.targets[i].where}) against {_text(self.family[best][i])}"
            for i in missed(best)
        )
        return ClosestConvention(best, "; ".join(misses))

    def _none_by_decimal(self) -> bool:
        """Second evaluator: no convention's predictions print as the targets do."""
        from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal

        rules = {
            Rounding.HALF_UP: ROUND_HALF_UP,
            Rounding.HALF_EVEN: ROUND_HALF_EVEN,
            Rounding.TRUNCATED: ROUND_DOWN,
            Rounding.EXACT: ROUND_HALF_EVEN,
        }
        context = Context(prec=60)

        def prints_as(value: int | Fraction, cell: Cell, mode: Rounding) -> bool:
            exact, printed = Fraction(value), cell.printed
            units = exact / printed.last_digit
            as_decimal = context.divide(Decimal(units.numerator), Decimal(units.denominator))
            rounded = as_decimal.to_integral_value(rounding=rules[cell.read_as(mode)])
            return Fraction(rounded) == printed.value / printed.last_digit

        return not any(
            all(prints_as(p, cell, mode) for p, cell in zip(predictions, self.targets, strict=True))
            for mode in self.modes
            for predictions in self.family.values()
        )


def _interquartile_range(values: Sequence[Fraction]) -> Fraction:
    """The range of the middle half of the distinct values; 0 for a single value."""
    distinct = sorted(set(values))
    if len(distinct) < 8:  # too few for a quartile that one outlier cannot move
        gaps = sorted(b - a for a, b in itertools.pairwise(distinct))
        return gaps[(len(gaps) - 1) // 2] * len(gaps) / 2 if gaps else Fraction(0)
    last = len(distinct) - 1
    return distinct[last - last // 4] - distinct[last // 4]


def _union_width(intervals: Sequence[Interval], last_digit: Fraction) -> Fraction:
    """Width of all values that print as a cell under any mode; one unit for an exact count."""
    ends = [interval.bounds for interval in intervals]
    return max(max(high for _, high in ends) - min(low for low, _ in ends), last_digit)


def _percent(chance: Fraction) -> str:
    return f"{float(chance):.1e}"


def _text(value: int | Fraction) -> str:
    exact = Fraction(value)
    return f"{exact.numerator:,}" if exact.denominator == 1 else f"{float(exact):.6g}"
