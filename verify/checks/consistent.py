"""Do printed numbers agree with each other? Places of one paper, or of two, held to relations."""

from __future__ import annotations

__all__ = ["Consistent"]

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar

import sympy as sp

from theory.numbers.arithmetic import OutsideDomain
from theory.relation import Relation
from theory.statement import Statement
from verify.checks import arguments
from verify.checks.base import Budget, Check, noticed
from verify.details import Details, as_json
from verify.errors import InputError
from verify.printed.intervals import Interval, decimal, told_apart
from verify.printed.numerals import ROUNDED, Rounding
from verify.printed.rounding_readings import either
from verify.printed.tables import Cell
from verify.search.domains import Values
from verify.search.enclosure import Range, enclose, grade_of, reaches
from verify.search.second_opinion import NAME, digits_for, sampled_values, sign
from verify.verdicts import Evidence, Verdict

_TARGETS = {
    "==": Interval.point(0),
    "<=": Interval(None, Fraction(0)),
    "<": Interval(None, Fraction(0), True, False),
    ">=": Interval(Fraction(0), None),
    ">": Interval(Fraction(0), None, False, True),
}


@dataclass(frozen=True)
class Sides:
    """Both sides of a relation as intervals under the first mode tried; without ends where one has no value."""

    relation: str
    op: str
    left: Sequence[str] | None = None
    right: Sequence[str] | None = None


@dataclass(frozen=True)
class Violation:
    """A relation that fails for all values that print as given under a mode, in words and with both sides."""

    relation: str
    says: str
    left: str
    right: str
    mode: str


@dataclass(frozen=True)
class RelationSides(Details):
    """The relations, the places they read, and under which modes they hold or fail."""

    figure: ClassVar[str] = "sides"

    relations: Sequence[str]
    places: Mapping[str, str]
    explained_by: Sequence[str]
    violated: Mapping[str, Sequence[Violation]]
    sides: Sequence[Sides]
    power: str | None = None
    undefined: Sequence[str] | None = None
    units: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Consistent(Check):
    """Each relation can hold for some unrounded values behind the printed numbers.

    ``places`` binds symbols to printed cells. ``relations`` are judged one by
    one, not jointly; a cell marked exact stands for itself, the others for every value that
    prints as they do. One rounding mode of ``modes`` must serve all relations.
    REFUTED means that no unrounded values at all satisfy a relation, be it exactly on a tie, which may print either way.
    ``uses`` names the statements the relations come from.
    """

    changes = "relations"
    holds_too = "the printed digits leave room for it as well"

    places: Mapping[sp.Symbol, Cell]
    relations: Sequence[Relation]
    modes: Sequence[Rounding] = ROUNDED
    uses: tuple[Statement, ...] = field(default=())

    def validate(self) -> None:
        arguments.cells("Consistent: places", self.places)
        arguments.relations("Consistent: relations", self.relations)
        arguments.modes("Consistent: modes", self.modes)
        for relation in self.relations:
            if self.places and not (relation.lhs - relation.rhs).free_symbols:
                raise InputError(
                    f"Consistent: {relation} reads none of the places, so it would check nothing"
                )
            unbound = (relation.lhs.free_symbols | relation.rhs.free_symbols) - set(self.places)
            if unbound:
                raise InputError(
                    f"Consistent: {relation} has no place for {', '.join(sorted(map(str, unbound)))}"
                    + (arguments.namesakes(unbound, self.places) or "; bind each symbol to a cell in places")
                )

    def values(self) -> Iterable[Values]:
        for symbol, cell in self.places.items():
            yield from arguments.printed_values(symbol, [cell])

    def claimed(self) -> Sequence[Relation]:
        return self.relations

    def mistakable(self) -> list[sp.Symbol]:
        return list(self.places)

    def claiming(self, relations: Sequence[Relation]) -> Consistent:
        return replace(self, relations=tuple(relations))

    def relevant(self) -> Consistent:
        """This check with the places that its relations read, so that no other cell matters to it."""
        read: set[sp.Symbol] = set()
        for relation in self.relations:
            read |= relation.lhs.free_symbols | relation.rhs.free_symbols
        return replace(self, places={s: cell for s, cell in self.places.items() if s in read})

    def evidence(self, budget: Budget) -> Iterable[Evidence]:
        modes = self.modes
        answered = self._answers(modes, budget)
        if all(False in answers for answers in answered.values()):  # a refutation may not rest on a tie
            tied = self._answers(dict.fromkeys(mode.either_way for mode in modes), budget)
            if any(
                [a is False for a in answers] != [a is False for a in tied[mode.either_way]]
                for mode, answers in answered.items()
            ):
                modes, answered = tuple(tied), tied
        failures: dict[Rounding, list[Violation]] = {}
        undecided: dict[Rounding, list[str]] = {}
        for mode in modes:
            answers = list(zip(self.relations, answered[mode], strict=True))
            failures[mode] = [self._describe(r, mode, budget) for r, ok in answers if ok is False]
            undecided[mode] = [str(r) for r, ok in answers if ok is None]
        undefined = [str(r) for r in self.relations if not self._is_defined(r)]
        grade = grade_of(side for r in self.relations for side in (r.lhs, r.rhs))
        explains = [m for m in modes if not failures[m] and not undecided[m]]
        details = RelationSides(
            relations=[str(r) for r in self.relations],
            places={s.name: f"{c.text} ({c.where})" for s, c in self.relevant().places.items()},
            units={s.name: c.unit for s, c in self.relevant().places.items() if c.unit} or None,
            explained_by=[m.value for m in explains],
            violated={m.value: rows for m, rows in failures.items() if rows},
            sides=[self._sides(r, budget) for r in self.relations],
        )
        if explains:
            power = self._power(budget)
            if len(explains) == len(tuple(modes)):
                reading = "under every rounding mode"
            else:
                reading = f"if {either([m.value for m in explains])}"
            finding = f"{_count(self.relations)} {'holds' if len(self.relations) == 1 else 'hold'} {reading}"
            if power:
                finding += f"; {noticed(power)}"
            yield Evidence(Verdict.SUPPORTED, grade, finding, replace(details, power=power))
            return
        open_modes = [m for m in modes if not failures[m]]
        if open_modes:
            tie = " (equal only where unrounded values stand exactly on a tie, which may print either way)"
            yield Evidence(
                Verdict.INCONCLUSIVE,
                grade,
                f"undecided: {'; '.join(undecided[open_modes[0]])}"
                + (tie if modes is not self.modes else ""),
                replace(details, undefined=undefined or None),
            )
            return
        best = min(modes, key=lambda m: len(failures[m]))
        worst = failures[best]
        which = "the relation" if len(self.relations) == 1 else f"{len(worst)} of {_count(self.relations)}"
        finding = (
            f"{which} cannot hold"
            + (
                " for any values that print as given: "
                if self.places
                else ", and no printed number stands in it: "
            )
            + "; ".join(row.says for row in worst[:2])
            + (f"; and {len(worst) - 2} more" if len(worst) > 2 else "")
        )
        confirmed = all(self._sampled_outside(r, best) for r in self.relations if self._named(r, worst))
        yield Evidence(
            Verdict.REFUTED,
            grade,
            finding,
            details,
            witness=as_json(worst[0]),
            confirmed_by=NAME if confirmed else "",
        )

    def _named(self, relation: Relation, rows: list[Violation]) -> bool:
        return any(row.relation == str(relation) for row in rows)

    def _box(
        self, relation: Relation, places: Mapping[sp.Symbol, Cell], mode: Rounding
    ) -> dict[sp.Symbol, Interval]:
        symbols = (relation.lhs - relation.rhs).free_symbols | relation.lhs.free_symbols
        return {s: places[s].interval(mode) for s in symbols}

    def _answers(self, modes: Iterable[Rounding], budget: Budget) -> dict[Rounding, list[bool | None]]:
        """Whether each relation can hold, by mode."""
        return {m: [self._holds(r, self.places, m, budget) for r in self.relations] for m in modes}

    def _holds(
        self, relation: Relation, places: Mapping[sp.Symbol, Cell], mode: Rounding, budget: Budget
    ) -> bool | None:
        difference = relation.lhs - relation.rhs
        box = self._box(relation, places, mode)
        try:
            if relation.op == "!=":
                return _can_differ(enclose(difference, box, budget=budget.boxes))
            answer = reaches(difference, box, _TARGETS[relation.op], budget=budget.boxes)
            if answer and mode.either_way is mode:
                inside = {symbol: side.interior() for symbol, side in box.items()}
                return reaches(difference, inside, _TARGETS[relation.op], budget=budget.boxes) or None
            return answer
        except OutsideDomain:
            return None

    def _is_defined(self, relation: Relation) -> bool:
        """Whether both sides have a value at the printed numbers themselves."""
        at = {
            s: Interval.point(self.places[s].printed.value)
            for s in self._box(relation, self.places, self.modes[0])
        }
        try:
            for side in (relation.lhs, relation.rhs):
                enclose(side, at, budget=1)
        except OutsideDomain:
            return False
        return True

    def _describe(self, relation: Relation, mode: Rounding, budget: Budget) -> Violation:
        symbols = sorted(relation.lhs.free_symbols | relation.rhs.free_symbols, key=lambda s: s.name)
        printed = [f"{s.name} = {self.places[s].text} ({self.places[s].where})" for s in symbols]
        box = self._box(relation, self.places, mode)
        ends = told_apart(
            *(
                enclose(side, box, budget=min(200, budget.boxes)).outer
                for side in (relation.lhs, relation.rhs)
            )
        )
        where = f" with {', '.join(printed)}" if printed else ""
        says = f"{relation} fails: {ends[0]} against {ends[1]}{where}"
        return Violation(str(relation), says, ends[0], ends[1], mode.value)

    def _sides(self, relation: Relation, budget: Budget) -> Sides:
        """Both sides of a relation as intervals, under the first mode tried, for a picture."""
        box = self._box(relation, self.places, self.modes[0])
        try:
            found = [
                enclose(side, box, budget=min(200, budget.boxes)).outer
                for side in (relation.lhs, relation.rhs)
            ]
        except OutsideDomain:
            return Sides(str(relation), relation.op)
        left, right = ([decimal(end, 8) for end in side.bounds] for side in found)
        return Sides(str(relation), relation.op, left, right)

    def _sampled_outside(self, relation: Relation, mode: Rounding) -> bool:
        """Second evaluator: nowhere in the box does mpmath see the relation hold, or change sides."""
        box = self._box(relation, self.places, mode)
        symbols = relation.lhs.free_symbols | relation.rhs.free_symbols
        digits = digits_for(*box.values())
        sides = (sampled_values(e, box, symbols, digits=digits) for e in (relation.lhs, relation.rhs))
        signs = {
            sign(left - right, abs(left) + abs(right), digits) for left, right in zip(*sides, strict=True)
        }
        if relation.op == "==":
            return signs in ({1}, {-1})
        return not signs & {"!=": {1, -1}, "<=": {-1, 0}, "<": {-1}, ">=": {1, 0}, ">": {1}}[relation.op]

    def _power(self, budget: Budget) -> str:
        """How often one wrong last digit of a cell would be refuted; empty where no cell is used."""
        caught = tried = 0
        for symbol, cell in self.places.items():
            touching = [r for r in self.relations if symbol in (r.lhs - r.rhs).free_symbols]
            if not touching:
                continue
            for other in cell.printed.other_last_digits():
                places = {**self.places, symbol: replace(cell, text=other.text, decimal_comma=False)}
                verdicts = [
                    all(self._holds(r, places, m, budget) is not False for r in touching) for m in self.modes
                ]
                tried += 1
                caught += not any(verdicts)
        return f"{round(100 * caught / tried)}%" if tried else ""


def _can_differ(difference: Range) -> bool | None:
    """Whether a difference can be other than zero: yes, no, or undecided."""
    zero = Fraction(0)
    if zero not in difference.outer or (difference.inner is not None and difference.inner.width > 0):
        return True
    return False if difference.outer.is_point else None


def _count(relations: Sequence[Relation]) -> str:
    return f"{len(relations)} relation{'' if len(relations) == 1 else 's'}"
