"""Which of many conventions reproduces the printed numbers, and could one have done so by luck?"""

from __future__ import annotations

__all__ = ["ConventionSearch"]

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
    """The convention that misses the fewest targets, and these by least, with what it misses; and those ``equally_close``."""

    convention: str
    misses: str
    equally_close: Sequence[str] | None = None

    def __str__(self) -> str:
        names = [self.convention, *(self.equally_close or ())]
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        return f"{'; or '.join(names[:3])}{more}, {'misses' if len(names) == 1 else 'miss'} {self.misses}"


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
    target, and is stated before looking at which one fits. The price of having tried many is paid openly. How often a wrong
    convention hits one target, under any of the modes tried, is taken from how densely the family's wrong predictions lie
    around it, and is at least what values spread evenly from 0 to twice the target would do: so conventions that are
    far off never make luck smaller. The union bound multiplies by the number of distinct predictions tried.
    Targets that are ``independent`` multiply their chances, otherwise only the hardest counts.
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
        if not any(fits.values()):  # a refutation may not rest on a tie
            fits = {mode: self._fits(mode) for mode in dict.fromkeys(m.either_way for m in self.modes)}
        mode = max(fits, key=lambda m: len(fits[m]))
        names = fits[mode]
        distinct = len({tuple(map(Fraction, p)) for p in self.family.values()})
        chance = min(Fraction(1), self._chance(names, distinct) * distinct)
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
                f"the closest, {closest}",
                details,
                witness=as_json(closest),
                confirmed_by="decimal rounding of every prediction" if self._none_by_decimal() else "",
            )
            return
        explained = len({tuple(map(Fraction, self.family[n])) for n in names})
        finding = (
            f"{len(names)} of {len(self.family)} conventions tried {'reproduces' if len(names) == 1 else 'reproduce'} all {len(self.targets)} values "
            f"({mode.value}): {'; or '.join(names[:3])}{f'; and {len(names) - 3} more' if len(names) > 3 else ''}. "
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

    def _chance(self, fits: Sequence[str], distinct: int) -> Fraction:
        """How often a wrong convention hits the targets by luck."""
        chances = []
        for position, cell in enumerate(self.targets):
            width = _union_width([cell.interval(mode) for mode in self.modes], cell.printed.last_digit)
            right = {self.family[name][position] for name in fits}
            wrong = {p[position] for p in self.family.values()} - right
            size = abs(cell.printed.value)
            away = sorted(abs(Fraction(value) - cell.printed.value) for value in wrong)
            densest = max((Fraction(j) / max(d, width) for j, d in enumerate(away, 1)), default=Fraction(0))
            evenly = 1 / size if size else Fraction(1) / width
            chances.append(min(Fraction(1), width / 2 * max(evenly, densest / distinct)))
        if not self.independent:
            return min(chances)
        product = Fraction(1)
        for chance in chances:
            product *= chance
        return product

    def _closest(self, mode: Rounding) -> ClosestConvention:
        """The conventions that miss the fewest targets, and among these by the fewest last digits."""
        intervals = self._intervals(mode)

        def missed(name: str) -> list[int]:
            predictions = self.family[name]
            return [i for i, t in enumerate(intervals) if Fraction(predictions[i]) not in t]

        def distance(name: str) -> tuple[int, Fraction]:
            return len(missed(name)), sum(
                (
                    abs(self.family[name][i] - cell.printed.value) / cell.printed.last_digit
                    for i, cell in enumerate(self.targets)
                ),
                Fraction(0),
            )

        by_distance = {name: distance(name) for name in self.family}
        best, *equal = [name for name, d in by_distance.items() if d == min(by_distance.values())]
        misses = (
            f"{self.targets[i].text} ({self.targets[i].where}) against {_text(self.family[best][i])}"
            for i in missed(best)
        )
        return ClosestConvention(best, "; ".join(misses), equal or None)

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


def _union_width(intervals: Sequence[Interval], last_digit: Fraction) -> Fraction:
    """Width of all values that print as a cell under any mode; one unit for an exact count."""
    ends = [interval.bounds for interval in intervals]
    return max(max(high for _, high in ends) - min(low for low, _ in ends), last_digit)


def _percent(chance: Fraction) -> str:
    return f"{float(chance):.1e}"


def _text(value: int | Fraction) -> str:
    exact = Fraction(value)
    return f"{exact.numerator:,}" if exact.denominator == 1 else f"{float(exact):.6g}"
