"""Which readings of a printed table let its derived cells follow from its formulas: each cell by itself, and rows jointly."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

import sympy as sp

from theory.numbers.arithmetic import OutsideDomain
from verify.printed.derived import DerivedTable
from verify.printed.intervals import Interval
from verify.printed.numerals import Printed, Rounding
from verify.printed.rounding_readings import Reading, either_way
from verify.search.enclosure import Range, enclose, reaches
from verify.search.feasibility import Constraint, Feasibility, jointly_feasible
from verify.search.global_search import global_search
from verify.search.second_opinion import as_float, digits_for, sampled_values, sign

Place = tuple[int, str]
"""A derived cell: its row, counted from 0, and its column."""


def joint_system(
    derived: DerivedTable, reading: Reading, rows: Sequence[int], leaving_out: Collection[Place] = ()
) -> tuple[list[Constraint], dict[sp.Symbol, Interval]]:
    """The derived cells of these rows as constraints on the unrounded inputs, and the box of those."""
    constraints: list[Constraint] = []
    box: dict[sp.Symbol, Interval] = {}
    for row, column in sorted(derived.compared, key=lambda place: place[0]):
        if row not in rows or (row, column) in leaving_out:
            continue
        sides = derived.box(row, column, reading.inputs)
        own = {
            symbol: symbol
            if symbol in derived.shared
            else sp.Symbol(f"{symbol.name}@{row}", **symbol.assumptions0)
            for symbol in sides
        }
        box |= {own[symbol]: side for symbol, side in sides.items()}
        label = f"{column} ({derived.table.label(row)})"
        target = derived.cell(row, column).interval(reading.outputs)
        constraints.append(Constraint(label, derived.formulas[column].xreplace(own), target))
    return constraints, box


class TableFit:
    """Every compared cell under every reading, computed once; ``boxes`` is the budget of each enclosure.

    ``undefined`` says why a formula has no value at a cell, under some reading of its inputs; whether that cell fits is not known.
    """

    def __init__(self, derived: DerivedTable, readings: Sequence[Reading], boxes: int) -> None:
        self.derived, self.readings, self.boxes = derived, readings, boxes
        self.input_modes = list(dict.fromkeys(reading.inputs for reading in readings))
        self.undefined: dict[Place, str] = {}
        self._ranges: dict[tuple[Rounding, int, str], Range | None] = {}
        self.fits = {
            (reading, *place): self._fits(reading, place, derived.cell(*place).printed)
            for reading in readings
            for place in derived.compared
        }

    def range(self, mode: Rounding, row: int, column: str) -> Range | None:
        """The values of a cell's formula with its inputs read in this mode; None where it has no value."""
        key = mode, row, column
        if key not in self._ranges:
            box = self.derived.box(row, column, mode)
            try:
                self._ranges[key] = enclose(self.derived.formulas[column], box, budget=self.boxes)
            except OutsideDomain as problem:
                self._ranges[key] = None
                self.undefined.setdefault((row, column), str(problem))
        return self._ranges[key]

    def with_ties_either_way(self) -> TableFit | None:
        """The same cells where ties may print either way; None where that explains no cell that is not explained already."""
        tied = TableFit(self.derived, either_way(self.readings), self.boxes)
        everything = list(self.derived.formulas)
        same = all(
            self.excluded(r, everything) == tied.excluded(r.either_way, everything) for r in self.readings
        )
        return None if same else tied

    def only_by_rounding(self, readings: Sequence[Reading], columns: Sequence[str]) -> int:
        """How many cells, under the kindest of these readings, follow from no input as printed."""
        return min(
            sum(
                self._fits(Reading(Rounding.EXACT, r.outputs), place, self.derived.cell(*place).printed)
                is False
                for place in self.places(columns)
            )
            for r in readings
        )

    def places(self, columns: Sequence[str]) -> list[Place]:
        """The compared cells of these columns."""
        return [place for place in self.derived.compared if place[1] in columns]

    def excluded(self, reading: Reading, columns: Sequence[str]) -> list[Place]:
        """The cells that this reading certainly cannot explain."""
        return [place for place in self.places(columns) if self.fits[reading, *place] is False]

    def misfits(self, reading: Reading, columns: Sequence[str]) -> list[Place]:
        """The cells that this reading is not known to explain."""
        return [place for place in self.places(columns) if self.fits[reading, *place] is not True]

    def jointly(self, reading: Reading) -> Feasibility:
        """Whether every group of rows has one choice of unrounded inputs that gives all its cells."""
        boxes = 0
        undecided = False
        for constraints, box in self._systems(reading):
            if len(constraints) == 1 or all(side.is_point for side in box.values()):
                continue  # nothing to choose jointly: the cells by themselves have decided
            answer = jointly_feasible(constraints, box, budget=max(20, self.boxes // 10))
            boxes += answer.boxes
            if answer.feasible is False:
                return answer
            undecided |= answer.feasible is None
        return Feasibility(None if undecided else True, {}, (), boxes)

    def power(self, together: Callable[[str], Sequence[str]]) -> str:
        """How often a wrong last digit of one derived cell would leave no reading that explains the claim.

        ``together`` gives the columns that one reading must explain along with a column. Cell by cell, so a lower bound where
        rows are explained jointly.
        """
        caught = tried = 0
        for column in self.derived.formulas:
            others = together(column)
            for place in self.places([column]):
                candidates = [r for r in self.readings if all(c == place for c in self.misfits(r, others))]
                for other in self.derived.cell(*place).printed.other_last_digits():
                    tried += 1
                    caught += not any(
                        self._fits(r, place, other) is not False or self._fits(r.either_way, place, other)
                        for r in candidates
                    )
        return f"{round(100 * caught / tried)}%"

    def confirmed_outside(self, reading: Reading, place: Place) -> bool:
        """Second evaluator: no sampled value of the formula prints as the cell does."""
        row, column = place
        target = self.derived.cell(row, column).interval(reading.outputs)
        box = self.derived.box(row, column, reading.inputs)
        digits = digits_for(target, *box.values())
        lo, hi = (as_float(x, digits + 10) for x in target.bounds)
        values = list(sampled_values(self.derived.formulas[column], box, digits=digits))
        above = all(sign(v - hi, abs(v) + abs(hi), digits) >= target.hi_closed for v in values)
        below = all(sign(lo - v, abs(v) + abs(lo), digits) >= target.lo_closed for v in values)
        return above or below

    def confirmed_jointly(self, reading: Reading) -> str:
        """Second evaluator: a multistart search finds no point that satisfies all cells."""
        found = (global_search(*system) for system in self._systems(reading))
        return next((words for words in found if words), "")

    def _fits(self, reading: Reading, place: Place, printed: Printed) -> bool | None:
        """Whether the formula can print as this cell: yes, no or undecided."""
        row, column = place
        target = printed.interval(self.derived.cell(row, column).read_as(reading.outputs))
        found = self.range(reading.inputs, row, column)
        if found is None:
            return None
        answer = found.meets(target)
        if answer is None:
            box = self.derived.box(row, column, reading.inputs)
            answer = reaches(self.derived.formulas[column], box, target, budget=self.boxes)
        if not answer or reading.outputs.either_way is not reading.outputs:
            return answer
        value = found.outer.lo if found.outer.is_point else None
        if value is not None and reading.outputs is Rounding.NEAREST:
            return True
        inner = found.inner.interior() if found.inner else None
        if Range(found.outer, inner, 0).meets(target.interior()):
            return True
        if value is not None and value.denominator.bit_count() == 1:  # a binary float holds it exactly
            return value == printed.value
        return None  # an end alone shows nothing

    def _systems(self, reading: Reading) -> Iterator[tuple[list[Constraint], dict[sp.Symbol, Interval]]]:
        systems = (
            joint_system(self.derived, reading, rows, self.undefined) for rows in self.derived.row_groups()
        )
        return (system for system in systems if system[0])
