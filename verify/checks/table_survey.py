"""What is found about a table and its formulas: each cell under each reading, and the verdict of them all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from verify.checks.base import Budget, noticed
from verify.printed.intervals import decimal
from verify.printed.numerals import Printed, Rounding
from verify.printed.rounding_readings import Reading, describe_readings, output_modes
from verify.search.enclosure import Range, enclose, grade_of, reaches
from verify.search.feasibility import Feasibility, jointly_feasible
from verify.search.global_search import global_search
from verify.search.second_opinion import NAME, as_float, sampled_values, sign
from verify.verdicts import Evidence, Grade, Verdict

if TYPE_CHECKING:
    from verify.checks.printed_table import PrintedTable


class Survey:
    """Every cell under every reading, computed once."""

    def __init__(self, check: PrintedTable, budget: Budget) -> None:
        self.check, self.budget = check, budget
        self.columns = list(check.formulas)
        self.ranges: dict[tuple[Rounding, int, str], Range] = {}
        for mode in dict.fromkeys(reading.inputs for reading in check.readings):
            for row, column in check.compared:
                self.ranges[mode, row, column] = enclose(
                    check.expressions[column], check.box(row, column, mode), budget=budget.boxes
                )
        self.fits = {
            (reading, row, column): self.fit(reading, row, column, check.cell(row, column).printed)
            for reading in check.readings
            for row, column in check.compared
        }

    def cells(self, columns: Sequence[str]) -> list[tuple[int, str]]:
        """The compared cells of these columns, as (row, column)."""
        return [(row, column) for row, column in self.check.compared if column in columns]

    def fit(self, reading: Reading, row: int, column: str, printed: Printed) -> bool | None:
        """Whether the formula can print as this cell: yes, no or undecided."""
        target = printed.interval(self.check.cell(row, column).read_as(reading.outputs))
        answer = self.ranges[reading.inputs, row, column].meets(target)
        if answer is not None:
            return answer
        box = self.check.box(row, column, reading.inputs)
        return reaches(self.check.expressions[column], box, target, budget=self.budget.boxes)

    def excluded(self, reading: Reading, columns: Sequence[str]) -> list[tuple[int, str]]:
        """The cells that this reading certainly cannot explain."""
        return [cell for cell in self.cells(columns) if self.fits[reading, *cell] is False]

    def misfits(self, reading: Reading, columns: Sequence[str]) -> list[tuple[int, str]]:
        """The cells that this reading is not known to explain."""
        return [cell for cell in self.cells(columns) if self.fits[reading, *cell] is not True]

    # Verdicts

    def grade(self) -> Grade:
        return grade_of(self.check.expressions[column] for column in self.columns)

    def by_column(self) -> Evidence:
        explains = {
            column: [r for r in self.check.readings if not self.misfits(r, [column])]
            for column in self.columns
        }
        lost = [column for column in self.columns if not explains[column]]
        details = self.details()
        details["columns"] = {
            column: {
                "explained_by": [str(r) for r in explains[column]],
                "modes": output_modes(explains[column]),
                "unexplained_under": {
                    str(r): [self.describe(*cell, r) for cell in self.misfits(r, [column])]
                    for r in self.check.readings
                    if r not in explains[column]
                },
            }
            for column in self.columns
        }
        if lost:
            refuted = [c for c in lost if all(self.excluded(r, [c]) for r in self.check.readings)]
            return self.refuted(refuted, details) if refuted else self.undecided(details)
        parts = [
            f"{column}: {describe_readings(explains[column], self.check.readings)}" for column in self.columns
        ]
        details["power"] = self.power(lambda column: [column])
        finding = (
            f"every column of {self.check.table.name} follows under one mode per column ("
            + "; ".join(parts)
            + f"); {noticed(details['power'])}{self.left_out()}"
        )
        return Evidence(Verdict.SUPPORTED, self.grade(), finding, details)

    def by_table(self) -> Evidence:
        explains = []
        joint: dict[str, Any] = {}
        undecided = False
        for reading in self.check.readings:
            if self.excluded(reading, self.columns):
                continue
            answer = self.jointly(reading)
            if answer.feasible is False:
                joint[str(reading)] = list(answer.conflict)
            elif answer.feasible and not self.misfits(reading, self.columns):
                explains.append(reading)
            else:
                undecided = True
        details = self.details()
        details["explained_by"] = [str(r) for r in explains]
        details["unexplained_under"] = {
            str(r): [self.describe(*cell, r) for cell in self.misfits(r, self.columns)]
            for r in self.check.readings
            if r not in explains and self.misfits(r, self.columns)
        }
        if joint:
            details["jointly_infeasible_under"] = joint
        if explains:
            details["power"] = self.power(lambda column: self.columns)
            finding = (
                f"{self._size()} of {self.check.table.name} follow from the formulas "
                f"({describe_readings(explains, self.check.readings)}); {noticed(details['power'])}{self.left_out()}"
            )
            return Evidence(Verdict.SUPPORTED, self.grade(), finding, details)
        if undecided:
            return self.undecided(details)
        return self.refuted(self.columns, details, joint)

    def undecided(self, details: dict[str, Any]) -> Evidence:
        says = "a reading could be neither confirmed nor excluded within the budget"
        return Evidence(Verdict.INCONCLUSIVE, self.grade(), says, details)

    def refuted(
        self, columns: Sequence[str], details: dict[str, Any], joint: Mapping[str, Any] | None = None
    ) -> Evidence:
        reading = min(self.check.readings, key=lambda r: len(self.excluded(r, columns)))
        cells = self.excluded(reading, columns)
        details["closest_reading"] = str(reading)
        details["unexplained_cells"] = [self.describe(*cell, reading) for cell in cells]
        if not cells:  # every cell fits alone; some row does not fit jointly
            conflict = (joint or {})[str(reading)]
            return Evidence(
                Verdict.REFUTED,
                Grade.BALL,
                f"each cell of {self.check.table.name} fits by itself ({reading}), but no single choice of "
                f"unrounded inputs gives all of them: {'; '.join(conflict[:4])}{self.left_out()}",
                details,
                witness={"reading": str(reading), "conflict": conflict},
                confirmed_by=self.confirm_joint(reading),
            )
        shown = "; ".join(_say(self.describe(*cell, reading)) for cell in cells[:8])
        more = f"; and {len(cells) - 8} more" if len(cells) > 8 else ""
        finding = (
            f"no reading explains {'these columns' if self.check.scope == 'column' else 'the table'}; "
            f"under the closest ({reading}) {len(cells)} of {self._size(columns)} do not follow: {shown}{more}{self.left_out()}"
        )
        confirmed = all(self.confirmed_outside(reading, *cell) for cell in cells)
        return Evidence(
            Verdict.REFUTED,
            self.grade(),
            finding,
            details,
            witness=self.describe(*cells[0], reading),
            confirmed_by=NAME if confirmed else "",
        )

    # Parts

    def jointly(self, reading: Reading) -> Feasibility:
        """Whether every group of rows has one choice of unrounded inputs that gives all its cells."""
        boxes = 0
        undecided = False
        for rows in self.check.row_groups():
            constraints, box = self.check.system(reading, rows)
            if len(constraints) == 1 or all(side.is_point for side in box.values()):
                continue  # nothing to choose jointly: the cells by themselves have decided
            answer = jointly_feasible(constraints, box, budget=max(20, self.budget.boxes // 10))
            boxes += answer.boxes
            if answer.feasible is False:
                return answer
            undecided |= answer.feasible is None
        return Feasibility(None if undecided else True, {}, (), boxes)

    def power(self, together: Any) -> str:
        """How often a wrong last digit of one derived cell would leave no reading that explains the claim.

        Cell by cell, so a lower bound where rows are explained jointly.
        """
        caught = tried = 0
        for column in self.columns:
            others = together(column)
            for row, _ in self.cells([column]):
                candidates = [
                    r
                    for r in self.check.readings
                    if all(cell == (row, column) for cell in self.misfits(r, others))
                ]
                for other in self.check.cell(row, column).printed.other_last_digits():
                    tried += 1
                    caught += not any(self.fit(r, row, column, other) is not False for r in candidates)
        return f"{round(100 * caught / tried)}%"

    def confirmed_outside(self, reading: Reading, row: int, column: str) -> bool:
        """Second evaluator: no sampled value of the formula prints as the cell does."""
        cell = self.check.cell(row, column)
        target = cell.interval(reading.outputs)
        lo, hi = (as_float(x) for x in target.bounds)
        values = list(
            sampled_values(self.check.expressions[column], self.check.box(row, column, reading.inputs))
        )
        above = all(sign(v - hi, abs(v) + abs(hi)) >= target.hi_closed for v in values)
        below = all(sign(lo - v, abs(v) + abs(lo)) >= target.lo_closed for v in values)
        return above or below

    def confirm_joint(self, reading: Reading) -> str:
        """Second evaluator: a multistart search finds no point that satisfies all cells."""
        found = (global_search(*self.check.system(reading, rows)) for rows in self.check.row_groups())
        return next((words for words in found if words), "")

    def details(self) -> dict[str, Any]:
        return {
            "formulas": {c: f"{c} = {e}" for c, e in self.check.expressions.items()},
            "cells": list(self.cell_rows()),
        } | ({"left_out": self.check.left_out} if self.check.left_out else {})

    def cell_rows(self) -> Iterator[dict[str, Any]]:
        for row, column in self.check.compared:
            fitting = [r for r in self.check.readings if self.fits[r, row, column]]
            shown = (fitting or self.check.readings)[0]
            yield {
                "row": self.check.table.label(row),
                "column": column,
                "printed": self.check.cell(row, column).text,
                "recomputed": self.recomputed(row, column, shown),
                "explained_by": output_modes(fitting),
                "readings": f"{len(fitting)} of {len(self.check.readings)}",
                "in_last_digits": self.in_last_digits(row, column),
            }

    def in_last_digits(self, row: int, column: str) -> dict[str, Any]:
        """Where the recomputed value lies around the printed one, in units of the last printed digit.

        ``value`` is from the inputs as printed, ``range`` from inputs free within their
        rounding (under the first such reading); what no reading tried is left out.
        """
        printed = self.check.cell(row, column).printed
        found: dict[str, Any] = {}
        for mode in dict.fromkeys(reading.inputs for reading in self.check.readings):
            outer = self.ranges[mode, row, column].outer
            ends = [decimal((end - printed.value) / printed.last_digit, 4) for end in outer.bounds]
            if outer.is_point:
                found.setdefault("value", ends[0])
            else:
                found.setdefault("range", ends)
        return found

    def recomputed(self, row: int, column: str, reading: Reading) -> str:
        """The values of the formula under this reading of its inputs: a range, or a number where it has no width."""
        found = self.ranges[reading.inputs, row, column].outer
        lo, hi = (decimal(end, 10) for end in found.bounds)
        return lo if lo == hi else str(found)

    def describe(self, row: int, column: str, reading: Reading) -> dict[str, str]:
        cell = self.check.cell(row, column)
        target = cell.interval(reading.outputs)
        return {
            "row": self.check.table.label(row),
            "column": column,
            "printed": cell.text,
            "stands_for": str(target),
            "recomputed": self.recomputed(row, column, reading),
        }

    def left_out(self) -> str:
        """The words for cells that are not compared, as a dash stands there or in their inputs."""
        count = self.check.left_out
        return f"; left out: {_cells(count)} without a printed number or printed inputs" if count else ""

    def _size(self, columns: Sequence[str] | None = None) -> str:
        return _cells(len(self.cells(self.columns if columns is None else columns)))


def _cells(count: int) -> str:
    return f"{count} {'cell' if count == 1 else 'cells'}"


def _say(row: Mapping[str, str]) -> str:
    return f"{row['column']} at {row['row']} is printed {row['printed']}, recomputed {row['recomputed']}"
