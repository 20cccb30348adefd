"""Is a derived column of a printed table what its formula gives, under one rounding mode?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import sympy as sp

from theory.statement import Statement
from verify.checks.base import Budget, Check
from verify.enclosure import OutsideDomain, Range, enclose
from verify.errors import InputError, suggest
from verify.feasibility import Constraint, jointly_feasible
from verify.global_search import global_search
from verify.intervals import Interval, decimal
from verify.printed import ROUNDED, Printed, Rounding
from verify.second_opinion import NAME, as_float, sampled_values, sign
from verify.tables import Cell, Table
from verify.verdicts import Evidence, Grade, Verdict


class Reading(NamedTuple):
    """How to read a table: its inputs as printed or as rounded/truncated values, its outputs as digits of a mode."""

    inputs: Rounding
    outputs: Rounding

    def __str__(self) -> str:
        inputs = "inputs as printed" if self.inputs is Rounding.EXACT else f"inputs {self.inputs.value}"
        return f"{inputs}, outputs {self.outputs.value}"


EVERY_READING = tuple(Reading(i, o) for i in Rounding for o in ROUNDED)


@dataclass(frozen=True)
class PrintedTable(Check):
    """Derived columns agree with their formulas under one reading of the table.

    ``formulas`` maps a column to an expression (or a statement, whose formula is
    meant) in symbols named after other columns, after ``names`` (symbol name ->
    column) or after ``shared`` printed constants. ``exact`` columns are counts
    that were never rounded. One of ``readings`` must explain the whole table
    (``scope="table"``, rows jointly: one choice of unrounded inputs per row
    gives every derived cell of that row) or each column by itself
    (``scope="column"``). Cells never choose their own mode.

    With ``shared`` constants, all rows are explained jointly by one choice of
    the constants.
    """

    table: Table
    formulas: Mapping[str, sp.Expr | Statement]
    names: Mapping[str, str] = field(default_factory=dict)
    exact: Sequence[str] = ()
    shared: Mapping[sp.Symbol, Cell] = field(default_factory=dict)
    readings: Sequence[Reading] = EVERY_READING
    scope: Literal["table", "column"] = "table"

    def __post_init__(self) -> None:
        if not self.formulas:
            raise InputError("PrintedTable: formulas is empty, so nothing would be checked")
        for name in self._columns_read:
            if name not in self.table.names:
                raise InputError(
                    f"PrintedTable: {self.table.name} has no column {name!r}; it has "
                    f"{', '.join(self.table.names)}.{suggest(name, self.table.names)}"
                )

    def relevant(self) -> PrintedTable:
        """This check on the columns it reads, so that no other digit of the table matters to it."""
        return replace(self, table=self.table.select(*self._columns_read))

    @cached_property
    def expressions(self) -> dict[str, sp.Expr]:
        """The formula of each derived column as an expression."""
        return {c: f.formula if isinstance(f, Statement) else sp.sympify(f) for c, f in self.formulas.items()}

    @cached_property
    def _symbols(self) -> tuple[sp.Symbol, ...]:
        free = set().union(*(e.free_symbols for e in self.expressions.values()))
        return tuple(sorted(free, key=lambda s: s.name))

    @property
    def _columns_read(self) -> list[str]:
        inputs = {self._column_of(s) for s in self._symbols if s not in self.shared}
        return sorted(set(self.formulas) | inputs)

    def _column_of(self, symbol: sp.Symbol) -> str:
        return self.names.get(symbol.name, symbol.name)

    def _cell(self, row: int, column: str) -> Cell:
        return self.table.cell(row, column, exact=column in self.exact)

    def _box(self, row: int, mode: Rounding) -> dict[sp.Symbol, Interval]:
        box = {}
        for symbol in self._symbols:
            cell = self.shared.get(symbol) or self._cell(row, self._column_of(symbol))
            box[symbol] = cell.printed.interval(cell.modes(mode))
        return box

    def evidence(self, budget: Budget) -> Iterable[Evidence]:
        try:
            survey = _Survey(self, budget)
        except OutsideDomain as problem:
            yield Evidence(Verdict.INCONCLUSIVE, Grade.EXACT, f"a formula has no value: {problem}")
            return
        yield survey.by_column() if self.scope == "column" else survey.by_table()


class _Survey:
    """Every cell under every reading, computed once."""

    def __init__(self, check: PrintedTable, budget: Budget) -> None:
        self.check, self.budget = check, budget
        self.rows = range(len(check.table))
        self.columns = list(check.formulas)
        self.ranges: dict[tuple[Rounding, int, str], Range] = {}
        for mode in dict.fromkeys(reading.inputs for reading in check.readings):
            for row in self.rows:
                box = check._box(row, mode)
                for column in self.columns:
                    self.ranges[mode, row, column] = enclose(
                        check.expressions[column], box, budget=budget.boxes
                    )
        self.fits = {
            (reading, row, column): self.fit(reading, row, column, check._cell(row, column).printed)
            for reading in check.readings
            for row in self.rows
            for column in self.columns
        }

    def fit(self, reading: Reading, row: int, column: str, printed: Printed) -> bool | None:
        """Whether the formula can print as this cell: yes, no or undecided."""
        mode = self.check._cell(row, column).modes(reading.outputs)
        return self.ranges[reading.inputs, row, column].meets(printed.interval(mode))

    def misfits(self, reading: Reading, columns: Sequence[str]) -> list[tuple[int, str]]:
        return [(r, c) for c in columns for r in self.rows if self.fits[reading, r, c] is not True]

    # Verdicts

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
                "modes": _modes(explains[column]),
                "unexplained_under": {
                    str(r): [self.describe(*cell, r) for cell in self.misfits(r, [column])]
                    for r in self.check.readings
                    if r not in explains[column]
                },
            }
            for column in self.columns
        }
        if lost:
            return self.refuted(lost, details)
        parts = [f"{column}: {_summary(explains[column], self.check.readings)}" for column in self.columns]
        details["power"] = self.power(lambda column: [column])
        finding = (
            f"every column of {self.check.table.name} follows under one mode per column ("
            + "; ".join(parts)
            + f"); a wrong last digit would be noticed {details['power']} of the time"
        )
        return Evidence(Verdict.SUPPORTED, Grade.EXACT, finding, details)

    def by_table(self) -> Evidence:
        explains = []
        joint: dict[str, Any] = {}
        undecided = False
        for reading in self.check.readings:
            misfits = self.misfits(reading, self.columns)
            if misfits:
                undecided |= all(self.fits[(reading, *cell)] is None for cell in misfits)
                continue
            conflict = self.joint_conflict(reading)
            if conflict is None:
                explains.append(reading)
            elif conflict:
                joint[str(reading)] = conflict
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
                f"({_summary(explains, self.check.readings)}); a wrong last digit would be noticed {details['power']} of the time"
            )
            return Evidence(Verdict.SUPPORTED, Grade.EXACT, finding, details)
        if undecided:
            return Evidence(
                Verdict.INCONCLUSIVE,
                Grade.EXACT,
                "a reading could be neither confirmed nor excluded within the budget",
                details,
            )
        return self.refuted(self.columns, details, joint)

    def refuted(
        self, columns: Sequence[str], details: dict[str, Any], joint: Mapping[str, Any] | None = None
    ) -> Evidence:
        reading = min(self.check.readings, key=lambda r: len(self.misfits(r, columns)))
        cells = self.misfits(reading, columns)
        details["closest_reading"] = str(reading)
        details["unexplained_cells"] = [self.describe(*cell, reading) for cell in cells]
        if not cells:  # every cell fits alone; some row does not fit jointly
            conflict = (joint or {})[str(reading)]
            return Evidence(
                Verdict.REFUTED,
                Grade.BALL,
                f"each cell of {self.check.table.name} fits by itself ({reading}), but no single choice of "
                f"unrounded inputs gives all of them: {'; '.join(conflict[:4])}",
                details,
                witness={"reading": str(reading), "conflict": conflict},
                confirmed_by=self.confirm_joint(reading),
            )
        shown = "; ".join(_say(self.describe(*cell, reading)) for cell in cells[:8])
        more = f"; and {len(cells) - 8} more" if len(cells) > 8 else ""
        finding = (
            f"no reading explains {'these columns' if self.check.scope == 'column' else 'the table'}; "
            f"under the closest ({reading}) {len(cells)} of {self._size(columns)} do not follow: {shown}{more}"
        )
        confirmed = all(self.confirmed_outside(reading, *cell) for cell in cells)
        return Evidence(
            Verdict.REFUTED,
            Grade.EXACT,
            finding,
            details,
            witness=self.describe(*cells[0], reading),
            confirmed_by=NAME if confirmed else "",
        )

    # Parts

    def joint_conflict(self, reading: Reading) -> list[str] | None:
        """None if every row is jointly feasible; the conflicting cells if one is not; [] if undecided."""
        groups = [list(self.rows)] if self.check.shared else [[row] for row in self.rows]
        for rows in groups:
            constraints, box = self.system(reading, rows)
            if all(side.is_point for side in box.values()):
                continue
            answer = jointly_feasible(constraints, box, budget=max(20, self.budget.boxes // 10))
            if answer.feasible is None:
                return []
            if not answer.feasible:
                return list(answer.conflict)
        return None

    def system(
        self, reading: Reading, rows: Sequence[int]
    ) -> tuple[list[Constraint], dict[sp.Symbol, Interval]]:
        """All cells of these rows as constraints; inputs of different rows are different symbols."""
        constraints: list[Constraint] = []
        box: dict[sp.Symbol, Interval] = {}
        for row in rows:
            local = {}
            for symbol, side in self.check._box(row, reading.inputs).items():
                own = (
                    symbol
                    if symbol in self.check.shared
                    else sp.Symbol(f"{symbol.name}_{row}", positive=symbol.is_positive)
                )
                local[symbol] = own
                box[own] = side
            for column in self.columns:
                cell = self.check._cell(row, column)
                constraints.append(
                    Constraint(
                        f"{column} ({self.check.table.label(row)})",
                        self.check.expressions[column].xreplace(local),
                        cell.printed.interval(cell.modes(reading.outputs)),
                    )
                )
        return constraints, box

    def power(self, together: Any) -> str:
        """How often a wrong last digit of one derived cell would leave no reading that explains the claim."""
        caught = tried = 0
        for column in self.columns:
            others = together(column)
            for row in self.rows:
                candidates = [
                    r
                    for r in self.check.readings
                    if all(cell == (row, column) for cell in self.misfits(r, others))
                ]
                for other in self.check._cell(row, column).printed.other_last_digits():
                    tried += 1
                    caught += not any(self.fit(r, row, column, other) is not False for r in candidates)
        return f"{round(100 * caught / tried)}%"

    def confirmed_outside(self, reading: Reading, row: int, column: str) -> bool:
        """Second evaluator: no sampled value of the formula prints as the cell does."""
        cell = self.check._cell(row, column)
        target = cell.printed.interval(cell.modes(reading.outputs))
        lo, hi = (as_float(x) for x in target.bounds)
        values = list(sampled_values(self.check.expressions[column], self.check._box(row, reading.inputs)))
        above = all(sign(v - hi) >= target.hi_closed for v in values)
        below = all(sign(lo - v) >= target.lo_closed for v in values)
        return above or below

    def confirm_joint(self, reading: Reading) -> str:
        """Second evaluator: a multistart search finds no point that satisfies all cells."""
        groups = [list(self.rows)] if self.check.shared else [[row] for row in self.rows]
        found = (global_search(*self.system(reading, rows)) for rows in groups)
        return next((words for words in found if words), "")

    def details(self) -> dict[str, Any]:
        return {
            "formulas": {c: f"{c} = {e}" for c, e in self.check.expressions.items()},
            "cells": list(self.cell_rows()),
        }

    def cell_rows(self) -> Iterator[dict[str, Any]]:
        for column in self.columns:
            for row in self.rows:
                shown = next(r.inputs for r in self.check.readings)
                fitting = [r for r in self.check.readings if self.fits[r, row, column]]
                yield {
                    "row": self.check.table.label(row),
                    "column": column,
                    "printed": self.check._cell(row, column).text,
                    "recomputed": str(self.ranges[shown, row, column].outer),
                    "explained_by": _modes(fitting),
                    "readings": f"{len(fitting)} of {len(self.check.readings)}",
                }

    def describe(self, row: int, column: str, reading: Reading) -> dict[str, str]:
        cell = self.check._cell(row, column)
        found = self.ranges[reading.inputs, row, column].outer
        target = cell.printed.interval(cell.modes(reading.outputs))
        return {
            "row": self.check.table.label(row),
            "column": column,
            "printed": cell.text,
            "stands_for": str(target),
            "recomputed": decimal(found.lo, 10) if found.is_point else str(found),
        }

    def _size(self, columns: Sequence[str] | None = None) -> str:
        count = len(self.columns if columns is None else columns) * len(self.rows)
        return f"{count} cells"


def _say(row: Mapping[str, str]) -> str:
    return f"{row['column']} at {row['row']} is printed {row['printed']}, recomputed {row['recomputed']}"


def _modes(readings: Sequence[Reading]) -> list[str]:
    return list(dict.fromkeys(r.outputs.value for r in readings))


def _summary(explains: Sequence[Reading], tried: Sequence[Reading]) -> str:
    if len(explains) == len(tried):
        return "under every reading tried"
    modes = _modes(explains)
    by_mode = {m: [r.inputs.value for r in explains if r.outputs.value == m] for m in modes}
    every_input = list(dict.fromkeys(r.inputs.value for r in tried))
    return "; or ".join(f"{mode}{_inputs_phrase(inputs, every_input)}" for mode, inputs in by_mode.items())


def _inputs_phrase(inputs: Sequence[str], tried: Sequence[str]) -> str:
    if list(inputs) == list(tried) or len(tried) == 1:
        return ""
    if Rounding.EXACT.value not in inputs and len(inputs) == len(tried) - 1:
        return " if the inputs carried more digits than printed"
    return f" with inputs {' or '.join(inputs)}"
