"""Tables of others: a CSV file becomes runs by a mapping that says which column is which field."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from pathlib import Path
from typing import Any

from empirics.runs.exchange import dotted, leaves, read_text, read_toml
from empirics.runs.record import Run, RunError, read_run

_ABSENT = ("", "nan", "NaN", "NA", "None", "null", "-")
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,9})?", re.ASCII)
_LOSS = ("loss",)
_LONGEST = 400
"""Digits of a number that are kept; more than any float has."""
Place = tuple[str, ...]


@dataclass(frozen=True)
class _Column:
    """Where a field is found: the column, what its numbers are multiplied by, and whether they are rounded then."""

    name: str
    times: Decimal = Decimal(1)
    round: bool = False


def read_table(path: Path, mapping: Path, *, skip: Callable[[RunError], None] | None = None) -> list[Run]:
    """The runs of somebody else's CSV file, one a row, by a mapping in TOML.

    ``[constant]`` gives fields of `Run` that are the same for every row, ``[columns]`` those that a column
    holds: ``budgets.tokens = "D"`` or ``{ column = "tokens_B", times = 1e9, round = true }``. An empty cell, ``-`` or
    ``nan`` leaves its field absent; a loss of ``nan`` or ``inf`` is that of a run that diverged. RunError says which line,
    which field and what was expected; where ``skip`` is given, it is called with that of each row that is no run.
    """
    constant, columns = _read_mapping(mapping)
    rows = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    found = []
    try:
        header = next(rows, [])
        _check_header(header, columns, path, mapping)
        for row in rows:
            if not row:
                continue
            where = f"{path}, line {rows.line_num}"
            try:
                if len(row) != len(header):
                    raise RunError(
                        f"{where}: {len(row)} cells where the header has {len(header)}; "
                        "quote a cell that holds a comma"
                    )
                found.append(_run(dict(zip(header, row, strict=True)), constant, columns, where))
            except RunError as problem:
                if skip is None:
                    raise
                skip(problem)
    except csv.Error as problem:
        raise RunError(f"{path}, line {rows.line_num}: not valid CSV: {problem}") from None
    return found


def _check_header(header: list[str], columns: Mapping[Place, _Column], path: Path, mapping: Path) -> None:
    for name, times in Counter(header).items():
        if times > 1:
            raise RunError(f"{path}, line 1: {times} columns are named {name!r}; rename all but one")
    if lacking := sorted({column.name for column in columns.values()} - set(header)):
        raise RunError(
            f"{path}: no column {', '.join(map(repr, lacking))} (named in {mapping}); "
            f"it has {', '.join(header) or 'none'}"
        )


def _run(
    row: Mapping[str, str], constant: Mapping[Place, Any], columns: Mapping[Place, _Column], where: str
) -> Run:
    values = dict(constant)
    for place, column in columns.items():
        text = row[column.name].strip()
        if place == _LOSS and _NOT_FINITE.fullmatch(text):
            values[("not_finite",)] = True
        elif text not in _ABSENT:
            values[place] = _value(text, column)
    return read_run(json.dumps(_nested(values), default=lambda moment: moment.isoformat()), where)


def _read_mapping(path: Path) -> tuple[dict[Place, Any], dict[Place, _Column]]:
    data = read_toml(path)
    if unknown := sorted(set(data) - {"constant", "columns"}):
        raise RunError(f"{path}: unknown [{unknown[0]}]; expected [constant] and [columns]")
    for name, table in data.items():
        if not isinstance(table, dict):
            raise RunError(f"{path}: {name} = {table!r}; expected a table [{name}]")
    constant = dict(leaves(data.get("constant", {})))
    columns = {
        place: _column(given, f"{path}: {dotted(place)}")
        for place, given in leaves(data.get("columns", {}), whole={"column"})
    }
    for first, *_ in (*constant, *columns):
        if "." in first:
            raise RunError(f"{path}: {json.dumps(first)} is one name; write {first} without quotes")
    for one, other in itertools.pairwise(sorted([*constant, *columns])):
        if one == other:
            raise RunError(f"{path}: {dotted(one)} is both a constant and a column")
        if one == other[: len(one)]:
            raise RunError(f"{path}: {dotted(one)} is given as a whole and in part ({dotted(other)})")
    return constant, columns


def _column(given: Any, where: str) -> _Column:
    parts = {"column": given} if isinstance(given, str) else given
    if isinstance(parts, dict) and set(parts) <= {"column", "times", "round"}:
        column, times, rounded = parts.get("column"), parts.get("times", 1), parts.get("round", False)
        factor = times if type(times) in (int, float) else 0
        if isinstance(column, str) and type(rounded) is bool and 0 < abs(factor) <= sys.float_info.max:
            return _Column(column, Decimal(repr(factor)), rounded)
    raise RunError(
        f'{where} = {given!r}; expected "column" or {{ column = "name", times = 1e9 }}, and round = true to round'
    )


def _value(text: str, column: _Column) -> Any:
    """A cell as a number where it is one: an integer stays one, also when written 64.0 or 0.3 with times = 1e9."""
    if _NOT_FINITE.fullmatch(text):
        return float(text)  # the record says which field may not be so
    if not _NUMBER.fullmatch(text):
        return text
    if column.times == 1 and text.lstrip("+-").isdigit() and len(text) < _LONGEST:
        return int(text)
    with localcontext(
        prec=_LONGEST, Emax=MAX_EMAX, Emin=MIN_EMIN
    ):  # times 1e9 is exact, so a count stays one
        number = Decimal(text) * column.times
        number = number.to_integral_value() if column.round else number
    whole = abs(number) < 2**53 and number == number.to_integral_value()
    return int(number) if whole else float(number)


def _nested(values: Mapping[Place, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for (*above, last), value in values.items():
        part = found
        for name in above:
            part = part.setdefault(name, {})
        part[last] = value
    return found
