"""A table of runs as columns of texts: CSV, JSON, Parquet, or a run store."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from theory.errors import MoelawsError

Table = dict[str, list[str]]


def read_columns(path: Path) -> Table:
    """The columns of ``path`` by name; its suffix says how to read it.

    ``.csv`` (also ``.csv.gz``) with a header, ``.json`` an array of objects, ``.parquet`` (the extra ``parquet``), ``.db`` a run
    store, whose columns are the fields of a run joined by dots, such as ``budgets.tokens``. MoelawsError for what cannot be read.
    """
    readers = {".csv": _csv, ".csv.gz": _csv, ".json": _json, ".parquet": _parquet, ".db": _store}
    for suffix, reader in readers.items():
        if path.name.endswith(suffix):
            return reader(path)
    raise MoelawsError(f"{path}: expected a name that ends in {', '.join(readers)}")


_CONDITION = re.compile(r"(.+?)(<=|>=|=|<|>)(.*)", re.DOTALL)
_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}


def rows_where(table: Table, condition: str) -> Table:
    """The rows that meet COLUMN=TEXT, or COLUMN<NUMBER (also <=, >=, >), in which a cell that is no number is no match."""
    parts = _CONDITION.fullmatch(condition)
    if parts is None or parts[1] not in table:
        raise MoelawsError(
            f"condition {condition!r}: expected COLUMN=TEXT or COLUMN<NUMBER; columns are {', '.join(table)}"
        )
    name, sign, wanted = parts.groups()
    if sign == "=":
        keep = [cell == wanted for cell in table[name]]
    else:
        bound = _number(wanted)
        if math.isnan(bound):
            raise MoelawsError(f"condition {condition!r}: {wanted!r} is no number; {sign} compares numbers")
        keep = [_COMPARISONS[sign](_number(cell), bound) for cell in table[name]]
    return {
        column: [cell for cell, kept in zip(cells, keep, strict=True) if kept]
        for column, cells in table.items()
    }


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _csv(path: Path) -> Table:
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8-sig")
    except (UnicodeDecodeError, gzip.BadGzipFile, EOFError) as problem:
        raise MoelawsError(f"{path}: cannot be read as text: {problem}") from None
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(reader, [])
        if doubled := sorted({name for name in header if header.count(name) > 1}):
            raise MoelawsError(f"{path}, line 1: two columns are named {doubled[0]!r}; rename one")
        table: Table = {name: [] for name in header}
        for row in reader:
            if row and len(row) != len(header):
                raise MoelawsError(
                    f"{path}, line {reader.line_num}: {len(row)} cells where the header has {len(header)}"
                )
            for name, cell in zip(header, row, strict=False):
                table[name].append(cell)
    except csv.Error as problem:
        raise MoelawsError(f"{path}, line {reader.line_num}: not valid CSV: {problem}") from None
    return table


def _json(path: Path) -> Table:
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as problem:
        raise MoelawsError(f"{path}: not valid JSON: {problem}") from None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise MoelawsError(f"{path}: expected an array of objects, one a run")
    return _columns(rows)


def _parquet(path: Path) -> Table:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        raise MoelawsError(f"{path}: reading Parquet needs pip install 'moelaws[parquet]'") from None
    try:
        return _columns(pq.read_table(path).to_pylist())
    except pa.ArrowInvalid as problem:
        raise MoelawsError(f"{path}: not valid Parquet: {problem}") from None


def _store(path: Path) -> Table:
    from empirics.runs.exchange import flat
    from empirics.runs.store import RunStore

    return _columns(flat(RunStore(path, create=False).runs()))


def _columns(rows: Iterable[Mapping[str, Any]]) -> Table:
    found = list(rows)
    names = dict.fromkeys(name for row in found for name in row)
    return {name: ["" if row.get(name) is None else str(row[name]) for row in found] for name in names}
