"""Runs to and from files: JSON lines (whole records), CSV and Parquet (one row a run), CSV of others by a mapping."""

from __future__ import annotations

import csv
import gzip
import io
import json
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from empirics.files import replacing, write_atomically
from empirics.runs.record import Run, RunError, read_run
from empirics.runs.store import Stored

_ABSENT = ("", "nan", "NaN", "NA", "None", "null", "-")


def export(stored: Sequence[Stored], path: Path) -> None:
    """Write runs to ``path``; its suffix says how: ``.jsonl`` (whole records), ``.csv`` or ``.parquet`` (no curves)."""
    if path.suffix == ".jsonl":
        write_atomically(path, "".join(f"{item.run.text()}\n" for item in stored))
    elif path.suffix == ".csv":
        write_atomically(path, _csv(flat(stored)))
    elif path.suffix == ".parquet":
        _write_parquet(flat(stored), path)
    else:
        raise RunError(f"{path}: expected a name that ends in .jsonl, .csv or .parquet")


def flat(stored: Iterable[Stored]) -> list[dict[str, Any]]:
    """One mapping a run: dotted field names without curves, plus its number and the run it repeats."""
    return [
        {"number": item.number, "rerun_of": item.rerun_of, **dict(_leaves(json.loads(item.run.text())))}
        for item in stored
    ]


def read_records(path: Path) -> list[Run]:
    """The runs of a ``.jsonl`` file that `export` wrote."""
    lines = _text(path).splitlines()
    return [read_run(line, f"{path}, line {i}") for i, line in enumerate(lines, start=1) if line.strip()]


def read_table(path: Path, mapping: Path) -> list[Run]:
    """The runs of somebody else's CSV file, one a row, by a mapping in TOML.

    ``[constant]`` gives fields of `Run` that are the same for every row, ``[columns]`` those that a column
    holds: ``budgets.tokens = "D"`` or ``{ column = "tokens_B", times = 1e9 }``. An empty cell, ``-`` or ``nan`` leaves
    its field absent.
    """
    constant, columns = _read_mapping(mapping)
    rows = csv.DictReader(io.StringIO(_text(path)))
    lacking = sorted({column for column, _ in columns.values()} - set(rows.fieldnames or ()))
    if lacking:
        raise RunError(
            f"{path}: no column {', '.join(map(repr, lacking))} (named in {mapping}); it has {', '.join(rows.fieldnames or ())}"
        )
    found = []
    for number, row in enumerate(rows, start=2):
        values = dict(constant)
        for field, (column, times) in columns.items():
            text = (row[column] or "").strip()
            if text not in _ABSENT:
                values[field] = _value(text, times)
        found.append(read_run(json.dumps(_nested(values)), f"{path}, line {number}"))
    return found


def _read_mapping(path: Path) -> tuple[dict[str, Any], dict[str, tuple[str, float]]]:
    try:
        data = tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError as problem:
        raise RunError(f"{path}: not valid TOML: {problem}") from None
    if unknown := sorted(set(data) - {"constant", "columns"}):
        raise RunError(f"{path}: unknown [{unknown[0]}]; expected [constant] and [columns]")
    constant = dict(_leaves(data.get("constant", {})))
    columns: dict[str, tuple[str, float]] = {}
    for field, given in _leaves(data.get("columns", {}), whole={"column"}):
        if isinstance(given, str):
            columns[field] = (given, 1.0)
        elif (
            isinstance(given, dict) and set(given) <= {"column", "times"} and isinstance(given["column"], str)
        ):
            columns[field] = (given["column"], float(given.get("times", 1)))
        else:
            raise RunError(
                f'{path}: {field} = {given!r}; expected "column" or {{ column = "name", times = 1e9 }}'
            )
    if both := sorted(set(constant) & set(columns)):
        raise RunError(f"{path}: {both[0]} is both a constant and a column")
    return constant, columns


def _value(text: str, times: float) -> Any:
    """A cell as a number where it is one: an integer stays one, also when written 64.0."""
    try:
        number = float(text) * times
    except ValueError:
        return text
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _leaves(
    values: Mapping[str, Any], head: str = "", whole: Collection[str] = ()
) -> Iterator[tuple[str, Any]]:
    """(dotted name, value) of nested mappings, curves left out; a mapping with a key of ``whole`` is a value itself."""
    for name, value in values.items():
        if isinstance(value, Mapping) and not any(key in value for key in whole):
            yield from _leaves(value, f"{head}{name}.", whole)
        elif f"{head}{name}" != "curve":
            yield f"{head}{name}", value


def _nested(values: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in values.items():
        *above, last = name.split(".")
        place = found
        for part in above:
            place = place.setdefault(part, {})
        place[last] = value
    return found


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, _columns(rows), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _write_parquet(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise RunError(
            f"{path}: Parquet needs pyarrow; run: python -m pip install 'moelaws[parquet]', or export .csv or .jsonl"
        ) from None
    table = pyarrow.table({name: _of_one_type([row.get(name) for row in rows]) for name in _columns(rows)})
    with replacing(path) as temporary:
        pyarrow.parquet.write_table(table, temporary)


def _of_one_type(values: Sequence[Any]) -> list[Any]:
    """A column as it is where its values are all texts, all numbers or all truth values, else each as JSON."""
    for kind in (str, bool, (int, float)):
        if all(value is None or isinstance(value, kind) for value in values):
            return list(values)
    return [None if value is None else json.dumps(value, sort_keys=True) for value in values]


def _columns(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
        return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8-sig")
    except FileNotFoundError:
        raise RunError(f"{path}: not found") from None
    except (OSError, EOFError, UnicodeDecodeError) as problem:
        raise RunError(f"{path}: cannot be read: {problem}") from None
