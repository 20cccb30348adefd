"""A table's numbers with their intervals, as the search sees them: one row a case, one column a quantity."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from verify.printed.cells import CellMeaning, cell_meaning
from verify.printed.intervals import Interval
from verify.printed.numerals import Printed
from verify.printed.readers.grid import GridCell
from verify.printed.readers.structure import SourceTable
from verify.printed.tables import decimal_commas

_SCALES = (
    (re.compile(r"%|\bper ?cent\b|\bpoints?\b|\bpp\b", re.IGNORECASE), Fraction(1, 100)),
    (re.compile(r"[(\[,]\s*(?:K|in thousands|thousands)\s*[)\]]"), Fraction(10**3)),
    (re.compile(r"[(\[,]\s*(?:M|in millions|millions)\s*[)\]]|^M$"), Fraction(10**6)),
    (re.compile(r"[(\[,]\s*(?:B|in billions|billions)\s*[)\]]|^B$"), Fraction(10**9)),
    (re.compile(r"[(\[,]\s*(?:T|in trillions|trillions)\s*[)\]]|^T$"), Fraction(10**12)),
)
_POWER = re.compile(r"[(\[×]\s*10\^([+-]?\d{1,3})\b")
_OWN_SCALE = re.compile(r"[%‰KkMBT]$|lion$|thousand$")
_MANTISSA = re.compile(r"([+-]?(?:\d{1,3}(?:[,' ]\d{3})+(?!\d)|\d+))([.,]\d+)?")
_COUNT = re.compile(r"\d{1,5}")


@dataclass(frozen=True)
class Number:
    """A number of a table and where it stands; ``count`` where it may be exact (a plain whole number)."""

    printed: Printed
    text: str
    line: int
    count: bool = False

    def reading(self, value: Fraction) -> str:
        """The nearest number to ``value`` with this one's last digit, printed as this one is."""
        mantissa = _MANTISSA.search(self.text)
        if not mantissa:
            return ""
        comma = bool(mantissa[2]) and mantissa[2][0] == ","
        decimals = len(mantissa[2] or ".") - 1
        scale = self.printed.last_digit * 10**decimals
        units = round(value / self.printed.unit) * self.printed.unit / scale
        shown = f"{Decimal(units.numerator) / Decimal(units.denominator):.{decimals}f}"
        sign = "+" if self.text.startswith("+") and units > 0 else ""
        shown = sign + (shown.replace(".", ",") if comma else shown)
        return self.text[: mantissa.start()] + shown + self.text[mantissa.end() :]

    @property
    def interval(self) -> Interval:
        """Every value that may have been printed so: rounded to nearest either way on ties, or truncated."""
        value, unit = self.printed.value, self.printed.unit
        return Interval(value - (unit / 2 if value > 0 else unit), value + (unit if value >= 0 else unit / 2))


@dataclass(frozen=True)
class NumberTable:
    """``cells[row][column]`` is None where no plain number stands; ``groups`` are the row's group names.

    ``texts`` are the cells as printed, in the same order: a part of a cell has the text of the whole cell.
    """

    name: str
    file: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    cells: tuple[tuple[Number | None, ...], ...]
    texts: tuple[tuple[str, ...], ...]
    caption: str = ""
    line: int = 0
    decimal_comma: bool = False

    def number(self, place: tuple[int, int]) -> Number:
        """The number that stands at a row and a column."""
        found = self.cells[place[0]][place[1]]
        assert found is not None, place
        return found

    def where(self, row: int, column: int) -> str:
        return ", ".join(part for part in (self.name, self.rows[row], self.columns[column]) if part)


def number_table(table: SourceTable) -> NumberTable | None:
    """The numbers of a table, quantities in columns; None where fewer than two rows or columns hold any."""
    comma = decimal_commas([cell.text for row in table.rows for cell in row.cells])
    rows = [row for row in table.rows if row.interval_of is None]
    names = [" ".join(path) for path in table.columns]
    labels = [" ".join(row.path[-1:]) for row in rows]
    first = 0 if table.labels == 1 and any(_COUNT.match(row.cells[0].text) for row in rows) else table.labels
    quantities: list[tuple[str, list[Number | None], list[str]]] = []
    if table.by_rows:
        groups = [tuple(path[:-1]) for path in table.columns[table.labels :]]
        labels, heads = names[table.labels :], [" ".join(row.path[-1:]) for row in rows]
        columns = [(head, row.cells[table.labels :]) for head, row in zip(heads, rows, strict=True)]
    else:
        groups = [tuple(row.path[:-1]) for row in rows]
        columns = [(names[c], tuple(row.cells[c] for row in rows)) for c in range(first, len(names))]
    for name, cells in columns:
        texts = [cell.text for cell in cells]
        quantities += [(part, numbers, texts) for part, numbers in _quantity(name, cells, comma)]
    kept = [quantity for quantity in quantities if any(quantity[1])]
    if not kept or len(labels) < 2:
        return None
    return NumberTable(
        table.name,
        table.file,
        tuple(name for name, *_ in kept),
        tuple(labels),
        tuple(groups),
        tuple(zip(*(numbers for _, numbers, _ in kept), strict=True)),
        tuple(zip(*(texts for *_, texts in kept), strict=True)),
        table.caption,
        table.line,
        comma,
    )


def _quantity(name: str, cells: Sequence[GridCell], comma: bool) -> list[tuple[str, list[Number | None]]]:
    """The numbers of a column, or of each part of a column of pairs."""
    meanings = [
        CellMeaning("blank") if cell.spanned or cell.problem else cell_meaning(cell.text, decimal_comma=comma)
        for cell in cells
    ]
    parts = max((len(m.parts) for m in meanings), default=0)
    if not parts:
        return [(name, _numbers(name, meanings, cells))]
    pieces = [piece.strip() for piece in re.sub(r"\(([^()]*/[^()]*)\)", r"/ \1", name).split("/")][-parts:]
    found = []
    for i in range(parts):
        own = [m.parts[i] if len(m.parts) == parts else CellMeaning("blank") for m in meanings]
        found.append(
            (pieces[i] if len(pieces) == parts else f"{name}, part {i + 1}", _numbers(name, own, cells))
        )
    return found


def _numbers(name: str, meanings: Sequence[CellMeaning], cells: Sequence[GridCell]) -> list[Number | None]:
    scale = _scale(name)
    found: list[Number | None] = []
    for meaning, cell in zip(meanings, cells, strict=True):
        plain = meaning.number
        if plain is None or meaning.approximate or meaning.bound:
            found.append(None)
            continue
        bare = cell.text.strip().replace("{,}", "")
        times = Fraction(1) if _OWN_SCALE.search(plain.text) else scale
        printed = Printed(plain.text, plain.value * times, plain.last_digit * times)
        found.append(Number(printed, plain.text, cell.line, bool(_COUNT.fullmatch(bare)) and times == 1))
    return _stepped(found)


def _scale(name: str) -> Fraction:
    """What a header says its numbers are to be multiplied by."""
    if power := _POWER.search(name):
        return Fraction(10) ** int(power[1])
    return next(
        (scale for pattern, scale in _SCALES if any(map(pattern.search, (name, name.split(" ")[-1])))),
        Fraction(1),
    )


def _stepped(numbers: list[Number | None]) -> list[Number | None]:
    """Whole numbers that all end in zeros may have been rounded to them."""
    values = [n.printed.value for n in numbers if n]
    if len(values) < 2 or any(n.printed.last_digit != 1 for n in numbers if n) or not any(values):
        return numbers
    step = 1
    while all(value % (step * 10) == 0 for value in values):
        step *= 10
    if step == 1:
        return numbers
    return [n and replace(n, printed=replace(n.printed, step=Fraction(step))) for n in numbers]
