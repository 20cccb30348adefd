"""The mutation score of a derived column under each reading, beside the most that the reading allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from verify.checks.base import Budget
from verify.checks.printed_table import PrintedTable
from verify.judging.claims import Claim
from verify.mutation.digits import misprints
from verify.mutation.maximum import printable
from verify.printed.numerals import parse_printed
from verify.printed.rounding_readings import EVERY_READING, Reading
from verify.printed.tables import UnreadableCell
from verify.verdicts import combine


@dataclass(frozen=True)
class Column:
    """A derived column: the table it stands in, its formula, and the check that reads it alone."""

    paper: str
    table: str
    name: str
    formula: sp.Expr
    check: PrintedTable


def derived_columns(claims: Sequence[Claim], holding: set[str]) -> list[Column]:
    """Every column that a holding claim derives from others of its table, each formula once.

    Columns that rest on shared constants are left out: their cells are explained
    jointly, and what a joint reading could notice has no closed form.
    """
    found: dict[tuple[str, str, sp.Expr], Column] = {}
    for claim in claims:
        check = claim.check
        if claim.id not in holding or not isinstance(check, PrintedTable) or check.shared:
            continue
        for name, formula in check.expressions.items():
            paper = claim.id.split("/")[0]
            alone = replace(check, formulas={name: formula}, readings=EVERY_READING, scope="table")
            found.setdefault(
                (check.table.name, name, formula), Column(paper, check.table.name, name, formula, alone)
            )
    return list(found.values())


def column_score(column: Column, budget: Budget) -> dict[str, Any]:
    """Misprints noticed, misprints made and misprints that can be noticed, for every reading.

    A reading that the column as printed already contradicts notices nothing by
    itself and is listed as excluded.
    """
    return {
        "paper": column.paper,
        "table": column.table,
        "column": column.name,
        "formula": {"text": f"{column.name} = {column.formula}", "latex": column.check.claimed()[0].latex()},
        "readings": [_under(column, reading, budget) for reading in _distinct(column)],
    }


def _distinct(column: Column) -> Iterator[Reading]:
    """The readings that differ for this column: with counts as inputs all input modes are one."""
    seen = set()
    derived = column.check.derived
    for reading in EVERY_READING:
        boxes = [derived.box(row, name, reading.inputs) for row, name in derived.compared]
        key = (str(boxes), reading.outputs)
        if key not in seen:
            seen.add(key)
            yield reading


def _under(column: Column, reading: Reading, budget: Budget) -> dict[str, Any]:
    check, table = column.check, column.check.table
    made = noticed = possible = 0
    known = True
    excluded, survivors = [], []
    for row, _ in check.derived.compared:
        alone = replace(check, table=table.only_row(row), readings=(reading,))
        if not _holds(alone, budget):
            excluded.append(table.label(row))
            continue
        cell = table.cell(row, column.name, exact=column.name in check.exact)
        limits = printable(
            column.formula,
            check.derived.box(row, column.name, reading.inputs),
            cell.printed.unit,
            cell.read_as(reading.outputs),
        )
        for other in misprints(cell.text, decimal_comma=cell.decimal_comma):
            made += 1
            seen = not _holds(replace(alone, table=alone.table.with_cell(0, column.name, other.text)), budget)
            noticed += seen
            if limits is None:
                known = False
                continue
            printed = parse_printed(other.text, decimal_comma=cell.decimal_comma)
            units = printed.value / cell.printed.unit
            possible += units.denominator > 1 or limits.excludes(int(units))
            if not seen:
                survivors.append(f"{other.text} at {table.label(row)}")
    return {
        "inputs": reading.inputs.value,
        "outputs": reading.outputs.value,
        "mutants": made,
        "noticed": noticed,
        "maximum": possible if known else None,
        "excluded": excluded,
        "survivors": survivors,
    }


def _holds(check: PrintedTable, budget: Budget) -> bool:
    try:
        return combine(check.relevant().evidence(budget)).verdict.holds
    except UnreadableCell:  # a misprint that is no multiple of its column's step
        return False
