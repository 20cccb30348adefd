"""A paper's table: printed strings with column units, a row key and its source.

On disk a table is a CSV file. Lines that begin with ``#`` before the header
hold ``key: value`` pairs (title, source, caption, key); a header cell is
``name [unit]``; every other cell is the string as printed.

Three more pairs say what digits alone do not: ``# step: N = 100000`` that a column is rounded to that step (the nearest
5, or a last digit that is 0 in every row), ``# rounded up: pages`` that it prints a ceiling, and ``# decimal comma: yes``
that 3,142 is a little more than 3, where no cell shows it (0,34 would).
"""

from __future__ import annotations

__all__ = ["Cell", "Table", "quoted"]

import csv
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from theory.errors import suggest
from verify.errors import InputError
from verify.printed.intervals import Interval
from verify.printed.numerals import Printed, Rounding, parse_printed

_HEADER = re.compile(r"(?P<name>[^\[\]]+?)\s*(?:\[(?P<unit>[^\[\]]*)\])?")
_KNOWN_KEYS = {"name", "title", "source", "caption", "key", "note", "step", "rounded up", "decimal comma"}
_ONLY_A_DECIMAL_COMMA = re.compile(r"[-+−]?(0,\d+|\d+,(\d{1,2}|\d{4,})|\d{4,},\d+)%?")
_DECIMAL_POINT = re.compile(r"[-+−]?(\d*\.(\d{1,2}|\d{4,})|0?\.\d+|\d{4,}\.\d+)%?")
_BLANK = {"-", "–", "—", "−"}


class UnreadableCell(InputError):
    """A cell does not hold the number that a check asks for; it says which cell, and costs that check alone."""


@dataclass(frozen=True)
class Cell:
    """One printed number and where it stands; ``exact`` marks a count that was never rounded.

    ``step``, ``ceiling`` and ``unit`` are those of its column, ``decimal_comma`` is the habit of its table.
    """

    text: str
    where: str
    exact: bool = False
    step: Fraction | None = None
    ceiling: bool = False
    decimal_comma: bool = False
    unit: str = ""

    @property
    def is_blank(self) -> bool:
        """Whether the paper prints a dash here, and no number."""
        return self.text in _BLANK

    @property
    def printed(self) -> Printed:
        try:
            found = replace(parse_printed(self.text, decimal_comma=self.decimal_comma), step=self.step)
        except ValueError as problem:
            raise UnreadableCell(f"{self.where}: {problem}") from None
        if self.step and found.value % self.step:
            raise UnreadableCell(f"{self.where} is {self.text}, no multiple of the column's step {self.step}")
        return found

    @property
    def spread(self) -> Cell:
        """The number after the plus-minus sign."""
        spread = self.printed.spread
        if spread is None:
            raise UnreadableCell(f"{self.where}: {self.text!r} has no ± part; expected e.g. 22.9 ± 2.9")
        return Cell(
            spread.text, f"{self.where}, after ±", self.exact, unit=self.unit
        )  # its text has decimal points by now

    def interval(self, mode: Rounding) -> Interval:
        """Every value that prints as this cell under ``mode``; a count stands for itself."""
        return self.printed.interval(self.read_as(mode))

    def read_as(self, mode: Rounding) -> Rounding:
        """EXACT for a count, a ceiling for what its column rounds up, else ``mode``."""
        if self.exact or mode is Rounding.EXACT:
            return Rounding.EXACT
        if not self.ceiling:
            return mode
        return Rounding.CEILING_EITHER_WAY if mode.either_way is mode else Rounding.CEILING


def quoted(text: str, where: str, *, exact: bool = False) -> Cell:
    """A number quoted in a sentence or caption, as a cell of its own."""
    for name, value in (("text", text), ("where", where)):
        if not isinstance(value, str):
            raise InputError(
                f"quoted({name}={value!r}): expected a text; write it in quotes, digits as printed"
            )
    cell = Cell(text, where, exact)
    _ = cell.printed
    return cell


@dataclass(frozen=True)
class Column:
    """A named column: its unit and its cells as printed.

    ``step`` is what its numbers are multiples of, where that is not the last digit; ``ceiling`` says that they are rounded up.
    """

    name: str
    unit: str
    cells: tuple[str, ...]
    step: Fraction | None = None
    ceiling: bool = False


@dataclass(frozen=True)
class Table:
    """A table as printed. Columns keep their order; ``key`` names the columns that label a row."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    title: str = ""
    source: str = ""
    caption: str = ""
    decimal_comma: bool = False

    def __len__(self) -> int:
        return len(self.columns[0].cells)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        raise InputError(
            f"{self.name}: no column {name!r}; it has {', '.join(self.names)}."
            + suggest(str(name), self.names)
        )

    def label(self, row: int) -> str:
        """A row's label, such as ``E=8`` or ``L_T=2, d_ff=256``."""
        return ", ".join(f"{name}={self.column(name).cells[row]}" for name in self.key)

    def where(self, row: int, column: str) -> str:
        return f"{self.name}, {self.label(row)}, {column}"

    def cell(self, row: int, column: str, *, exact: bool = False) -> Cell:
        """The cell of a row (counted from 0) and column."""
        if row not in range(len(self)):
            raise InputError(f"{self.name}: no row {row!r}; its rows count from 0 to {len(self) - 1}")
        found = self.column(column)
        return Cell(
            found.cells[row],
            self.where(row, column),
            exact,
            found.step,
            found.ceiling,
            self.decimal_comma,
            found.unit,
        )

    def cells(self, column: str, *, exact: bool = False) -> tuple[Cell, ...]:
        """A whole column, top to bottom."""
        return tuple(self.cell(row, column, exact=exact) for row in range(len(self)))

    def select(self, *names: str) -> Table:
        """Only these columns (and the key), so that a claim depends on no other digit."""
        wanted = set(names) | set(self.key)
        for name in names:
            self.column(name)
        return replace(self, columns=tuple(c for c in self.columns if c.name in wanted), caption="")

    def only_row(self, row: int) -> Table:
        """The table with this row alone."""
        return replace(self, columns=tuple(replace(c, cells=(c.cells[row],)) for c in self.columns))

    def joined(self, other: Table) -> Table:
        """The rows of both tables side by side; both must have the same key and row labels."""
        labels = [[t.label(row) for row in range(len(t))] for t in (self, other)]
        if labels[0] != labels[1]:
            raise InputError(f"{self.name} and {other.name} have different rows: {labels[0]} and {labels[1]}")
        extra = [c for c in other.columns if c.name not in self.key]
        for column in extra:
            if column.name in self.names:
                raise InputError(f"{self.name} and {other.name} both have a column {column.name!r}")
        return replace(self, name=f"{self.name} with {other.name}", columns=(*self.columns, *extra))

    def with_cell(self, row: int, column: str, text: str) -> Table:
        """A copy with one cell changed."""
        self.column(column)
        return replace(
            self,
            columns=tuple(
                replace(c, cells=(*c.cells[:row], text, *c.cells[row + 1 :])) if c.name == column else c
                for c in self.columns
            ),
        )


@dataclass(frozen=True)
class Misprint:
    """One cell of a table file with other digits in it; rows count from 0."""

    path: Path
    row: int
    column: str
    text: str


_misprint: ContextVar[Misprint | None] = ContextVar("misprint", default=None)
_opened: ContextVar[set[Path] | None] = ContextVar("opened", default=None)


@contextmanager
def misprinted(misprint: Misprint) -> Iterator[None]:
    """While this lasts, the table of that file reads as if one cell had been printed otherwise."""
    token = _misprint.set(misprint)
    try:
        yield
    finally:
        _misprint.reset(token)


@contextmanager
def recording_tables() -> Iterator[set[Path]]:
    """The set that collects the table files read while this lasts."""
    paths: set[Path] = set()
    token = _opened.set(paths)
    try:
        yield paths
    finally:
        _opened.reset(token)


def read_table(path: Path) -> Table:
    """Read a table from a CSV file; InputError names the file, row and column of any fault."""
    table = _read_table(path)
    opened, changed = _opened.get(), _misprint.get()
    if opened is not None:
        opened.add(path.resolve())
    if changed is not None and changed.path == path.resolve():
        return table.with_cell(changed.row, changed.column, changed.text)
    return table


def _read_table(path: Path) -> Table:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        reason = getattr(problem, "strerror", None) or "it is not UTF-8 text"
        raise InputError(f"{path}: the table cannot be read: {reason}") from None
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    offset = next(
        (i for i, line in enumerate(lines) if line.strip() and not line.startswith("#")), len(lines)
    )
    meta = dict(_metadata(path, [line for line in lines[:offset] if line.strip()]))
    offset += 1  # line numbers count from 1
    rows = []
    for number, line in enumerate(lines[offset - 1 :], offset):
        if line.strip():
            try:
                rows.append([cell.strip() for cell in next(csv.reader([line], strict=True))])
            except csv.Error as problem:
                raise InputError(
                    f"{path}, line {number}: {problem}; close every quote on its own line"
                ) from None
    if len(rows) < 2:
        raise InputError(f"{path}: expected a header line and at least one row of cells")
    columns = [_header(path, offset, i, cell) for i, cell in enumerate(rows[0], 1)]
    names = [name for name, _ in columns]
    steps = dict(_steps(path, meta.get("step", ""), names))
    raised = [name.strip() for name in meta.get("rounded up", "").split(",") if name.strip()]
    for name in raised:
        if name not in names:
            raise InputError(
                f"{path}: '# rounded up' names {name!r}, which is not in the header.{suggest(name, names)}"
            )
    for name in _repeated(names):
        raise InputError(f"{path}, line {offset}: two columns are named {name!r}; rename one")
    for number, row in enumerate(rows[1:], 1):
        _check_row(path, offset + number, number, names, row)
    key = tuple(part.strip() for part in meta.get("key", names[0]).split(","))
    for name in key:
        if name not in names:
            raise InputError(f"{path}: key column {name!r} is not in the header.{suggest(name, names)}")
    table = Table(
        name=meta.get("name", path.stem),
        columns=tuple(
            Column(name, unit, tuple(row[i] for row in rows[1:]), steps.get(name), name in raised)
            for i, (name, unit) in enumerate(columns)
        ),
        key=key,
        title=meta.get("title", path.stem),
        source=meta.get("source", ""),
        caption=meta.get("caption", ""),
        decimal_comma=_decimal_commas(
            path, meta.get("decimal comma", ""), [cell for row in rows[1:] for cell in row]
        ),
    )
    _check_steps(path, table)
    for label in _repeated(table.label(row) for row in range(len(table))):
        raise InputError(
            f"{path}: two rows are labelled {label!r}; name the columns that tell them apart "
            "in a line '# key: column, column'"
        )
    return table


def _repeated(names: Iterable[str]) -> Iterator[str]:
    """Each name that stood before."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            yield name
        seen.add(name)


def _metadata(path: Path, comments: list[str]) -> Iterator[tuple[str, str]]:
    for line in comments:
        name, colon, value = line.lstrip("# ").partition(":")
        if not colon or name.strip() not in _KNOWN_KEYS:
            raise InputError(
                f"{path}: the line {line!r} is not understood; expected '# key: value' with one of "
                f"{', '.join(sorted(_KNOWN_KEYS))}"
            )
        yield name.strip(), value.strip()


def _steps(path: Path, text: str, names: list[str]) -> Iterator[tuple[str, Fraction]]:
    """The pairs of ``N = 100000, share = 0.05``."""
    for part in filter(str.strip, text.split(",")):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or name not in names:
            raise InputError(
                f"{path}: '# step' says {part.strip()!r}; expected 'column = step' with one of {', '.join(names)}"
            )
        try:
            step = parse_printed(value).value
        except ValueError:
            step = Fraction(0)
        if step <= 0:
            raise InputError(
                f"{path}: the step of {name!r} is {value!r}; expected a positive number such as 5 or 100000"
            )
        yield name, step


def _check_steps(path: Path, table: Table) -> None:
    """InputError for a number that is no multiple of its column's step."""
    for column in table.columns:
        for cell in table.cells(column.name) if column.step else ():
            try:
                _ = None if cell.is_blank else cell.printed
            except UnreadableCell as problem:
                raise InputError(f"{path}: {problem}") from None


def _decimal_commas(path: Path, stated: str, cells: list[str]) -> bool:
    """Whether a table writes 0,34 for 0.34: it says so, or some cell can be read in no other way and none has a point."""
    if stated not in ("", "yes", "no"):
        raise InputError(f"{path}: '# decimal comma' says {stated!r}; expected yes or no")
    if stated:
        return stated == "yes"
    return decimal_commas(cells)


def decimal_commas(cells: list[str]) -> bool:
    """Whether some cell can be read in no other way than with a decimal comma, and none has a decimal point."""
    return any(map(_ONLY_A_DECIMAL_COMMA.fullmatch, cells)) and not any(map(_DECIMAL_POINT.fullmatch, cells))


def _header(path: Path, line: int, position: int, cell: str) -> tuple[str, str]:
    match = _HEADER.fullmatch(cell)
    if not match:
        raise InputError(f"{path}, line {line}, column {position}: header {cell!r} is not 'name [unit]'")
    return match["name"], match["unit"] or ""


def _check_row(path: Path, line: int, number: int, names: list[str], row: list[str]) -> None:
    if len(row) != len(names):
        raise InputError(
            f"{path}, line {line} (row {number}): {len(row)} cells where the header has {len(names)}; "
            "quote a cell that contains a comma"
        )
    for name, cell in zip(names, row, strict=True):
        if not cell:
            raise InputError(
                f"{path}, line {line} (row {number}), column {name!r}: the cell is empty; "
                "write '-' where the paper prints nothing"
            )
