"""Tables of others: a CSV file becomes runs by a mapping that says which column is which field."""

from __future__ import annotations

import csv
import io
import itertools
import json
import sys
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from empirics.runs.exchange import dotted, leaves, read_text
from empirics.runs.record import Run, RunError, read_run

_ABSENT = ("", "nan", "NaN", "NA", "None", "null", "-")
Place = tuple[str, ...]


def read_table(path: Path, mapping: Path) -> list[Run]:
    """The runs of somebody else's CSV file, one a row, by a mapping in TOML.

    ``[constant]`` gives fields of `Run` that are the same for every row, ``[columns]`` those that a column
    holds: ``budgets.tokens = "D"`` or ``{ column = "tokens_B", times = 1e9 }``. An empty cell, ``-`` or ``nan`` leaves
    its field absent. RunError says which line, which field and what was expected.
    """
    constant, columns = _read_mapping(mapping)
    rows = csv.DictReader(io.StringIO(read_text(path)))
    found = []
    try:
        lacking = sorted({column for column, _ in columns.values()} - set(rows.fieldnames or ()))
        if lacking:
            raise RunError(
                f"{path}: no column {', '.join(map(repr, lacking))} (named in {mapping}); "
                f"it has {', '.join(rows.fieldnames or ()) or 'none'}"
            )
        for row in rows:
            values = dict(constant)
            for place, (column, times) in columns.items():
                text = (row[column] or "").strip()
                if text not in _ABSENT:
                    values[place] = _value(text, times)
            record = json.dumps(_nested(values), default=lambda moment: moment.isoformat())
            found.append(read_run(record, f"{path}, line {rows.line_num}"))
    except csv.Error as problem:
        raise RunError(f"{path}, line {rows.reader.line_num}: not valid CSV: {problem}") from None
    return found


def _read_mapping(path: Path) -> tuple[dict[Place, Any], dict[Place, tuple[str, float]]]:
    text = read_text(path)
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as problem:
        raise RunError(f"{path}: not valid TOML: {problem}") from None
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
    for one, other in itertools.pairwise(sorted([*constant, *columns])):
        if one == other:
            raise RunError(f"{path}: {dotted(one)} is both a constant and a column")
        if one == other[: len(one)]:
            raise RunError(f"{path}: {dotted(one)} is given as a whole and in part ({dotted(other)})")
    return constant, columns


def _column(given: Any, where: str) -> tuple[str, float]:
    """The name of a column, and what its numbers are multiplied by."""
    parts = {"column": given} if isinstance(given, str) else given
    if isinstance(parts, dict) and set(parts) <= {"column", "times"}:
        column, times = parts.get("column"), parts.get("times", 1)
        if isinstance(column, str) and type(times) in (int, float) and 0 < abs(times) <= sys.float_info.max:
            return column, times
    raise RunError(f'{where} = {given!r}; expected "column" or {{ column = "name", times = 1e9 }}')


def _value(text: str, times: float) -> Any:
    """A cell as a number where it is one: an integer stays one, also when written 64.0."""
    with suppress(ValueError):
        if times == 1:
            return int(text)
    try:
        number = float(text) * times
    except ValueError:
        return text
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _nested(values: Mapping[Place, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for (*above, last), value in values.items():
        part = found
        for name in above:
            part = part.setdefault(name, {})
        part[last] = value
    return found
