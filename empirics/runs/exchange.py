"""Runs to and from files: JSON (whole records), CSV and Parquet (one row a run). Tables of others: `empirics.runs.tables`."""

from __future__ import annotations

import csv
import gzip
import io
import json
import tomllib
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from empirics.base.files import replacing, write_atomically
from empirics.runs.record import Run, RunError, read_sealed_run
from empirics.runs.store import Stored

_DEEPEST = 20
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What a formula begins with, in the wide forms too, which some programs take for the same."""


def export(stored: Sequence[Stored], path: Path, *, formulas_as_text: bool = False) -> None:
    """Write runs to ``path``; its suffix says how.

    ``.jsonl`` (one a line) and ``.json`` (an array) hold whole records, each with a digest; ``.csv`` and ``.parquet`` no curves.
    A program for spreadsheets may take a cell of a CSV file that begins with ``=``, ``+``, ``-`` or ``@`` for a formula and run
    it: with ``formulas_as_text`` such a text (not a number) begins with an apostrophe.
    """
    if formulas_as_text and path.suffix != ".csv":
        raise RunError(
            f"{path}: only a .csv file has cells that may be taken for formulas; leave the option out"
        )
    if path.suffix == ".jsonl":
        write_atomically(path, "".join(f"{item.run.sealed_text()}\n" for item in stored))
    elif path.suffix == ".json":
        write_atomically(path, "[" + ",".join(f"\n{item.run.sealed_text()}" for item in stored) + "\n]\n")
    elif path.suffix == ".csv":
        rows = flat(stored)
        write_atomically(path, _csv([_as_text(row) for row in rows] if formulas_as_text else rows))
    elif path.suffix == ".parquet":
        _write_parquet(flat(stored), path)
    else:
        raise RunError(f"{path}: expected a name that ends in .jsonl, .json, .csv or .parquet")


def flat(stored: Iterable[Stored]) -> list[dict[str, Any]]:
    """One mapping a run: field names joined by dots (`dotted`), without curves, its number and the run it repeats."""
    return [
        {
            "number": item.number,
            "rerun_of": item.rerun_of,
            **{dotted(place): value for place, value in leaves(json.loads(item.run.text()))},
        }
        for item in stored
    ]


def read_records(path: Path, *, unsealed_too: bool = True) -> list[Run]:
    """The runs of a ``.jsonl`` or ``.json`` file that `export` wrote; either may be compressed (``.gz``).

    RunError names the record that is wrong or altered; ``unsealed_too=False`` refuses one without a digest.
    """
    text = read_text(path)
    if kind_of(path) == ".json":
        records = [
            (f"{path}, record {i}", json.dumps(record))
            for i, record in enumerate(_array(text, path), start=1)
        ]
    else:  # lines end with "\n" and at no other character that ends lines: texts may hold them
        records = [
            (f"{path}, line {i}", line) for i, line in enumerate(text.split("\n"), start=1) if line.strip()
        ]
    return [read_sealed_run(record, where, unsealed_too=unsealed_too) for where, record in records]


def repeats(runs: Iterable[Run]) -> dict[int, int]:
    """The runs that say what an earlier one of them says, circumstances apart: number -> number, both from 1."""
    first: dict[tuple[str, str], int] = {}
    earlier = {i: first.setdefault((run.identity, run.outcome), i) for i, run in enumerate(runs, start=1)}
    return {number: other for number, other in earlier.items() if other != number}


def kind_of(path: Path) -> str:
    """The suffix of a file's name, below ``.gz``."""
    return Path(path.stem).suffix if path.suffix == ".gz" else path.suffix


def leaves(
    values: Mapping[str, Any], whole: Collection[str] = (), above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """(names, value) of nested mappings, curves left out; a mapping with a key of ``whole`` is a value itself."""
    for name, value in values.items():
        place = (*above, name)
        if isinstance(value, Mapping) and value and not any(key in value for key in whole):
            yield from leaves(value, whole, place)
        elif place != ("curve",):
            yield place, value


def dotted(place: Iterable[str]) -> str:
    """Names joined by dots; a dot within one is escaped, so that no two places are written alike."""
    return ".".join(name.replace("\\", "\\\\").replace(".", "\\.") for name in place)


def read_text(path: Path) -> str:
    """A file's text, unpacked where its name ends in ``.gz``."""
    try:
        data = path.read_bytes()
        return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8-sig")
    except FileNotFoundError:
        raise RunError(f"{path}: not found") from None
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as problem:
        raise RunError(f"{path}: cannot be read: {problem}") from None


def read_toml(path: Path) -> dict[str, Any]:
    """What a TOML file holds; RunError where it cannot be read, or nests deeper than anybody writes by hand."""
    text = read_text(path)
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as problem:  # also an integer of too many digits
        raise RunError(f"{path}: not valid TOML: {problem}") from None
    level: list[Any] = [data]
    for _ in range(_DEEPEST):
        inner = [value.values() if isinstance(value, dict) else value for value in level]
        level = [part for parts in inner for part in parts if isinstance(part, (dict, list))]
        if not level:
            return data
    raise RunError(
        f"{path}: more than {_DEEPEST} tables and arrays stand inside one another; write it flatter"
    )


def _array(text: str, path: Path) -> list[Any]:
    try:
        records = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise RunError(f"{path}: not valid JSON: {problem}") from None
    if not isinstance(records, list):
        raise RunError(f"{path}: expected an array of records, as 'moelaws runs export FILE.json' writes it")
    return records


def _as_text(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with an apostrophe before every text and name that a spreadsheet could run."""

    def safe(value: Any) -> Any:
        return f"'{value}" if isinstance(value, str) and value.lstrip().startswith(_FORMULA) else value

    return {safe(name): safe(value) for name, value in row.items()}


def _csv(rows: Sequence[Mapping[str, Any]], quoting: Literal[0, 1] = csv.QUOTE_MINIMAL) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, _columns(rows), lineterminator="\n", quoting=quoting)
    writer.writeheader()
    writer.writerows(rows)
    if "\r" in text.getvalue() and quoting == csv.QUOTE_MINIMAL:
        return _csv(
            rows, csv.QUOTE_ALL
        )  # a lone \r stays unquoted before Python 3.13, and no reader takes it then
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
    """A column as it is where its values are all texts, all truth values or numbers that one type holds, else as JSON."""
    kinds = {type(value) for value in values} - {type(None)}
    whole = [value for value in values if type(value) is int]
    if kinds <= {str} or kinds <= {bool} or (kinds <= {int} and all(-(2**63) <= n < 2**63 for n in whole)):
        return list(values)
    if kinds <= {int, float} and all(abs(n) <= 2**53 for n in whole):
        return [None if value is None else float(value) for value in values]
    return [None if value is None else json.dumps(value, sort_keys=True) for value in values]


def _columns(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))
