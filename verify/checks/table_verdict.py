"""From the fit of a printed table to its verdict: which readings explain each column, or all of it, in words and records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from verify.checks.base import noticed
from verify.details import Details, as_json
from verify.printed.derived import DerivedTable
from verify.printed.intervals import Interval, decimal
from verify.printed.numerals import Printed
from verify.printed.rounding_readings import Reading, describe_readings, either_way, output_modes
from verify.search.enclosure import grade_of
from verify.search.second_opinion import NAME
from verify.search.table_fit import Place, TableFit
from verify.verdicts import Evidence, Grade, Verdict


@dataclass(frozen=True)
class InLastDigits:
    """Where the recomputed value lies around the printed one, in units of the last printed digit or steps of the column.

    ``value`` is from the inputs as printed, ``range`` from inputs free within their
    rounding (under the first such reading); what no reading tried is left out.
    """

    value: str | None = None
    range: Sequence[str] | None = None


@dataclass(frozen=True)
class ComparedCell:
    """A derived cell, what its formula gives, and the rounding modes of the output that explain it."""

    row: str
    column: str
    printed: str
    recomputed: str
    explained_by: Sequence[str]
    readings: str
    in_last_digits: InLastDigits


@dataclass(frozen=True)
class UnexplainedCell:
    """A derived cell that a reading does not explain: the values it stands for, and those of its formula."""

    row: str
    column: str
    printed: str
    stands_for: str
    recomputed: str

    def __str__(self) -> str:
        return f"{self.column} at {self.row} is printed {self.printed}, recomputed {self.recomputed}"


@dataclass(frozen=True)
class ColumnFound:
    """The readings that explain one column by itself, and the cells that the others leave unexplained."""

    explained_by: Sequence[str]
    modes: Sequence[str]
    unexplained_under: Mapping[str, Sequence[UnexplainedCell]]


@dataclass(frozen=True)
class TableCells(Details):
    """All compared cells of a table, and what was found of the readings tried."""

    figure: ClassVar[str] = "cells"

    formulas: Mapping[str, str]
    cells: Sequence[ComparedCell]
    left_out: int | None = None
    columns: Mapping[str, ColumnFound] | None = None
    explained_by: Sequence[str] | None = None
    unexplained_under: Mapping[str, Sequence[UnexplainedCell]] | None = None
    jointly_infeasible_under: Mapping[str, Sequence[str]] | None = None
    power: str | None = None
    closest_reading: str | None = None
    unexplained_cells: Sequence[UnexplainedCell] | None = None
    undefined: Sequence[str] | None = None
    units: Mapping[str, str] | None = None


def table_verdict(derived: DerivedTable, readings: Sequence[Reading], scope: str, boxes: int) -> Evidence:
    """The verdict on a table, or on each of its columns.

    Before anything is refuted, ties are read either way: what rests on a tie alone is not refuted.
    """
    judged = by_column if scope == "column" else by_table
    fit = TableFit(derived, readings, boxes)
    found = judged(fit)
    if found.verdict is not Verdict.REFUTED:
        return found
    tied = fit.with_ties_either_way()
    return found if tied is None else judged(tied)


def by_column(fit: TableFit) -> Evidence:
    """The verdict where each column may have a reading of its own."""
    columns, readings = list(fit.derived.formulas), fit.readings
    explains = {column: [r for r in readings if not fit.misfits(r, [column])] for column in columns}
    lost = [column for column in columns if not explains[column]]
    found = {
        column: ColumnFound(
            [str(r) for r in explains[column]],
            output_modes(explains[column]),
            _unexplained(fit, [r for r in readings if r not in explains[column]], [column]),
        )
        for column in columns
    }
    details = replace(_details(fit), columns=found)
    if lost:
        refuted = [c for c in lost if all(fit.excluded(r, [c]) for r in readings)]
        return _refuted(fit, refuted, details, "these columns") if refuted else _undecided(fit, details)
    parts = "; ".join(f"{column}: {describe_readings(explains[column], readings)}" for column in columns)
    power = fit.power(lambda column: [column])
    thanks = sum(fit.only_by_rounding(explains[column], [column]) for column in columns)
    finding = (
        f"every column of {fit.derived.table.name} follows under one mode per column ({parts}); "
        f"{noticed(power)}{_by_rounding(thanks)}{_left_out(fit)}"
    )
    return Evidence(Verdict.SUPPORTED, _grade(fit), finding, replace(details, power=power))


def by_table(fit: TableFit) -> Evidence:
    """The verdict where one reading must explain the whole table, rows jointly."""
    columns = list(fit.derived.formulas)
    explains = []
    joint: dict[str, Sequence[str]] = {}
    undecided = False
    for reading in fit.readings:
        if fit.excluded(reading, columns):
            continue
        answer = fit.jointly(reading)
        if answer.feasible is False:
            joint[str(reading)] = list(answer.conflict)
        elif answer.feasible and not fit.misfits(reading, columns):
            explains.append(reading)
        else:
            undecided = True
    details = replace(
        _details(fit),
        explained_by=[str(r) for r in explains],
        unexplained_under=_unexplained(
            fit, [r for r in fit.readings if r not in explains and fit.misfits(r, columns)], columns
        ),
        jointly_infeasible_under=joint or None,
    )
    if explains:
        power = fit.power(lambda column: columns)
        count = len(fit.places(columns))
        thanks = fit.only_by_rounding(explains, columns)
        finding = (
            f"{_cells(count)} of {fit.derived.table.name} {'follows' if count == 1 else 'follow'} from the formulas "
            f"({describe_readings(explains, fit.readings)}); {noticed(power)}{_by_rounding(thanks)}{_left_out(fit)}"
        )
        return Evidence(Verdict.SUPPORTED, _grade(fit), finding, replace(details, power=power))
    return _undecided(fit, details) if undecided else _refuted(fit, columns, details, "the table", joint)


def _undecided(fit: TableFit, details: TableCells) -> Evidence:
    undefined = _undefined(fit)
    if undefined:
        says = f"a formula has no value: {'; '.join(undefined)}"
    elif tuple(fit.readings) == either_way(fit.readings):
        says = "the printed numbers agree only if some unrounded value stands exactly on a tie, which may print either way"
    else:
        says = "a reading could be neither confirmed nor excluded within the budget"
    return Evidence(Verdict.INCONCLUSIVE, _grade(fit), says, replace(details, undefined=undefined or None))


def _undefined(fit: TableFit) -> list[str]:
    return [
        f"{column} at {fit.derived.table.label(row)} ({why})" for (row, column), why in fit.undefined.items()
    ]


def _refuted(
    fit: TableFit,
    columns: Sequence[str],
    details: TableCells,
    what: str,
    joint: Mapping[str, Sequence[str]] | None = None,
) -> Evidence:
    """The refutation under the reading that excludes the fewest cells; ``joint`` names the conflicts of rows."""
    reading = min(fit.readings, key=lambda r: len(fit.excluded(r, columns)))
    places = fit.excluded(reading, columns)
    cells = [_describe(fit, place, reading) for place in places]
    details = replace(details, closest_reading=str(reading), unexplained_cells=cells)
    if not cells:  # every cell fits alone; some row does not fit jointly
        conflict = list((joint or {})[str(reading)])
        return Evidence(
            Verdict.REFUTED,
            Grade.BALL,
            f"each cell of {fit.derived.table.name} fits by itself ({reading}), but no single choice of "
            f"unrounded inputs gives all of them: {'; '.join(conflict[:4])}{_not_compared(fit)}",
            details,
            witness={"reading": str(reading), "conflict": conflict},
            confirmed_by=fit.confirmed_jointly(reading),
        )
    shown = "; ".join(map(str, cells[:8])) + (f"; and {len(cells) - 8} more" if len(cells) > 8 else "")
    follow = "does not follow" if len(cells) == 1 else "do not follow"
    confirmed = all(fit.confirmed_outside(reading, place) for place in places)
    return Evidence(
        Verdict.REFUTED,
        _grade(fit),
        f"no reading explains {what}; under the closest ({reading}) {len(cells)} of {_count(fit, columns)} "
        f"{follow}: {shown}{_not_compared(fit)}",
        details,
        witness=as_json(cells[0]),
        confirmed_by=NAME if confirmed else "",
    )


def _grade(fit: TableFit) -> Grade:
    return grade_of(fit.derived.formulas.values())


def _details(fit: TableFit) -> TableCells:
    return TableCells(
        {column: f"{column} = {expr}" for column, expr in fit.derived.formulas.items()},
        [_compared(fit, place) for place in fit.derived.compared],
        fit.derived.left_out or None,
        units={column: fit.derived.table.column(column).unit for column in fit.derived.formulas},
    )


def _compared(fit: TableFit, place: Place) -> ComparedCell:
    row, column = place
    fitting = [r for r in fit.readings if fit.fits[r, row, column]]
    return ComparedCell(
        fit.derived.table.label(row),
        column,
        fit.derived.cell(row, column).text,
        _recomputed(fit, place, (fitting or fit.readings)[0]),
        output_modes(fitting),
        f"{len(fitting)} of {len(fit.readings)}",
        _in_last_digits(fit, place),
    )


def _in_last_digits(fit: TableFit, place: Place) -> InLastDigits:
    printed = fit.derived.cell(*place).printed
    values: list[str] = []
    ranges: list[list[str]] = []
    for mode in fit.input_modes:
        found = fit.range(mode, *place)
        if found is None:
            continue
        outer = found.outer
        ends = [decimal((end - printed.value) / printed.unit, 4) for end in outer.bounds]
        if outer.is_point:
            values.append(ends[0])
        else:
            ranges.append(ends)
    return InLastDigits(next(iter(values), None), next(iter(ranges), None))


def _recomputed(fit: TableFit, place: Place, reading: Reading) -> str:
    """The values of the formula under this reading of its inputs: a range, or a number where it has no width."""
    found = fit.range(reading.inputs, *place)
    if found is None:
        return "no value"
    printed = fit.derived.cell(*place).printed
    for digits in (10, 15, 20, 30, 40):  # until it does not look like the printed number
        lo, hi = (_shown(end, printed, digits) for end in found.outer.bounds)
        if not lo == hi == _shown(printed.value, printed, digits) or found.outer == Interval.point(
            printed.value
        ):
            break
    return lo if lo == hi else _interval(found.outer, printed)


def _shown(value: Fraction, printed: Printed, digits: int) -> str:
    """A value in the unit of a printed number: in percent where that has a percent sign."""
    return f"{decimal(100 * value, digits)}%" if "%" in printed.text else decimal(value, digits)


def _interval(found: Interval, printed: Printed) -> str:
    """The same of an interval."""
    if "%" not in printed.text:
        return str(found)
    lo, hi = found.bounds
    return f"{Interval(100 * lo, 100 * hi, found.lo_closed, found.hi_closed)}%"


def _describe(fit: TableFit, place: Place, reading: Reading) -> UnexplainedCell:
    row, column = place
    cell = fit.derived.cell(row, column)
    return UnexplainedCell(
        fit.derived.table.label(row),
        column,
        cell.text,
        _interval(cell.interval(reading.outputs), cell.printed),
        _recomputed(fit, place, reading),
    )


def _unexplained(
    fit: TableFit, readings: Sequence[Reading], columns: Sequence[str]
) -> dict[str, list[UnexplainedCell]]:
    return {str(r): [_describe(fit, place, r) for place in fit.misfits(r, columns)] for r in readings}


def _left_out(fit: TableFit) -> str:
    """The words for cells that are not compared, as a dash stands there or in their inputs."""
    count = fit.derived.left_out
    return f"; left out: {_cells(count)} without a printed number or printed inputs" if count else ""


def _not_compared(fit: TableFit) -> str:
    """The words for cells whose formula has no value, and for those left out."""
    undefined = _undefined(fit)
    return (f"; no value: {'; '.join(undefined)}" if undefined else "") + _left_out(fit)


def _by_rounding(count: int) -> str:
    """The words for cells that no input as printed gives."""
    return f"; {_cells(count)} only thanks to rounded inputs" if count else ""


def _count(fit: TableFit, columns: Sequence[str]) -> str:
    return _cells(len(fit.places(columns)))


def _cells(count: int) -> str:
    return f"{count} {'cell' if count == 1 else 'cells'}"
