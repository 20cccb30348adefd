"""A grid told into headers, groups, blocks and numbers: where each number stands, and under which names."""

from __future__ import annotations

__all__ = ["SourceRow", "SourceTable"]

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from verify.printed.readers.grid import Grid, GridCell, GridRow

_DIGIT_FIRST = re.compile(r"[-+~≈<>≤≥±($\[]*\.?\d")
_INTERVAL = re.compile(r"[(\[]\s*[-+]?[\d.,]*\d\s*[;,–]\s*[-+]?[\d.,]*\d\s*[)\]]%?")
_DEEPEST_HEADER = 6


@dataclass(frozen=True)
class SourceRow:
    """A row of numbers: the names it stands under (its group, then its labels) and one cell a column.

    ``interval_of`` is the row above that this one gives intervals for.
    """

    path: tuple[str, ...]
    cells: tuple[GridCell, ...]
    line: int
    interval_of: int | None = None


@dataclass(frozen=True)
class SourceTable:
    """One block of numbers; ``columns`` holds each column's headers from top to bottom."""

    caption: str
    label: str
    file: str
    line: int
    part: int | None
    columns: tuple[tuple[str, ...], ...]
    rows: tuple[SourceRow, ...]
    labels: int = 1
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What a report calls it: its label or where it stands, and its part."""
        shown = self.label or f"table at line {self.line}"
        return shown if self.part is None else f"{shown}, part {self.part}"

    @property
    def by_rows(self) -> bool:
        """Whether quantities are rows: two columns of labels and none of their headers."""
        return self.labels > 1 and not any(self.columns[: self.labels])


def tables_of(grid: Grid) -> Iterator[SourceTable]:
    """The blocks of a grid, top to bottom, and left to right where its header repeats; none of a table without numbers."""
    blocks = [half for block in _stacked(_whole(grid)) for half in _side_by_side(*block)]
    made = [table for header, body in blocks if (table := _table(grid, header, body))]
    several = len(made) > 1
    for number, table in enumerate(made, 1):
        yield replace(table, part=number) if several else table


def _whole(grid: Grid) -> list[GridRow]:
    """The rows that say something; an empty row is a rule."""
    kept, rule = [], False
    for row in grid.rows:
        if row.is_blank:
            rule = True
        else:
            kept.append(replace(row, rule=row.rule or rule))
            rule = False
    if kept and grid.blanks_continue:
        kept = _continued(kept)
    return kept


def _stacked(rows: list[GridRow]) -> Iterator[tuple[list[GridRow], list[GridRow]]]:
    """Header and body of each block; a header stands between rules, and has no numbers in it."""
    count = _header_length(rows)
    header = rows[:count]
    body: list[GridRow] = []
    sections = _sections(rows[count:])
    for number, section in enumerate(sections):
        between = 0 < number < len(sections) - 1 and len(section) < _DEEPEST_HEADER
        if (
            between
            and not any(_is_number(c.text) for row in section for c in row.cells)
            and not any(map(_is_group, section))
        ):
            yield header, body
            header, body = section, []
        else:
            body += section
    yield header, body


def _sections(rows: Sequence[GridRow]) -> list[list[GridRow]]:
    found: list[list[GridRow]] = []
    for row in rows:
        if row.rule or not found:
            found.append([])
        found[-1].append(row)
    return found


def _header_length(rows: Sequence[GridRow]) -> int:
    marked = next((i for i, row in enumerate(rows) if not row.head), len(rows))
    if marked:
        return marked
    ruled = next((i for i, row in enumerate(rows) if i and row.rule), 0)
    if 0 < ruled <= _DEEPEST_HEADER and ruled < len(rows) and (rows[0].rule or not _has_numbers(rows[0])):
        return ruled
    count = next((i for i, row in enumerate(rows) if _has_numbers(row)), 0)
    return min(count, _DEEPEST_HEADER)


def _has_numbers(row: GridRow) -> bool:
    return any(_is_number(cell.text) for cell in row.cells[1:])


def _is_number(text: str) -> bool:
    return bool(_DIGIT_FIRST.match(text.replace(" ", "")))


def _is_group(row: GridRow) -> bool:
    """A row that only names those below it."""
    first, rest = row.cells[0], row.cells[1:]
    return bool(first.text and rest) and (
        all(cell.spanned and cell.text == first.text for cell in rest)
        or not any(cell.text or cell.problem for cell in rest)
    )


def _side_by_side(
    header: list[GridRow], body: list[GridRow]
) -> Iterator[tuple[list[GridRow], list[GridRow]]]:
    """The parts of a list that continues to its right under the same names."""
    width = len(body[0].cells) if body else 0
    names = [tuple(row.cells[column].text for row in header) for column in range(width)]
    for period in range(2, width // 2 + 1):
        if width % period == 0 and names == names[:period] * (width // period) and any(any(n) for n in names):
            for start in range(0, width, period):
                yield tuple(  # type: ignore[misc]
                    [replace(row, cells=row.cells[start : start + period]) for row in rows]
                    for rows in (header, body)
                )
            return
    yield header, body


def _table(grid: Grid, header: list[GridRow], body: list[GridRow]) -> SourceTable | None:
    if not any(_is_number(cell.text) for row in body for cell in row.cells[1:]):
        return None
    notes = [*grid.notes, *(row.cells[0].text for row in header if _is_group(row) and len(header) > 1)]
    header = [row for row in header if not _is_group(row)] if len(header) > 1 else header
    while body and _is_group(body[-1]):
        notes.append(body.pop().cells[0].text)
    columns = tuple(_path(row.cells[c].text for row in header) for c in range(len(body[0].cells)))
    labels = _label_columns(body)
    rows: list[SourceRow] = []
    group: tuple[str, ...] = ()
    for row in body:
        if row.rule:
            group = ()
        if _is_group(row):
            group = (row.cells[0].text,)
        elif rows and _is_interval_row(row, labels):
            above = rows[-1].interval_of
            rows.append(
                SourceRow(rows[-1].path, row.cells, row.line, len(rows) - 1 if above is None else above)
            )
        else:
            rows.append(SourceRow(group + _path(c.text for c in row.cells[:labels]), row.cells, row.line))
    return SourceTable(
        grid.caption, grid.label, grid.file, grid.line, grid.part, columns, tuple(rows), labels, tuple(notes)
    )


def _path(texts: Iterator[str]) -> tuple[str, ...]:
    """The names from top to bottom, a spanned one once."""
    found: list[str] = []
    for text in texts:
        if text and (not found or found[-1] != text):
            found.append(text)
    return tuple(found)


def _label_columns(body: Sequence[GridRow]) -> int:
    """How many columns at the left name a row: the first, and those after it that never hold a number or a blank."""
    width = len(body[0].cells)
    rows = [row for row in body if not _is_group(row)]
    count = 1
    while count < width - 1 and all(
        row.cells[count].text and not _is_number(row.cells[count].text) for row in rows
    ):
        count += 1
    return count


def _is_interval_row(row: GridRow, labels: int) -> bool:
    if any(cell.text for cell in row.cells[:labels]):
        return False
    return all(_INTERVAL.fullmatch(cell.text) for cell in row.cells if cell.text)


def _continued(rows: list[GridRow]) -> list[GridRow]:
    """Header rows of a format without spans: a blank above a name means what its left neighbour says."""
    count = _header_length(rows)
    while count > 1 and _is_group(rows[0]):
        rows, count = rows[1:], count - 1
    for r in range(count - 1):
        cells = list(rows[r].cells)
        for column in range(1, len(cells)):
            together = not r or rows[r - 1].cells[column].text == rows[r - 1].cells[column - 1].text
            if (
                together
                and not cells[column].text
                and rows[r + 1].cells[column].text
                and cells[column - 1].text
            ):
                cells[column] = replace(cells[column - 1], spanned=True)
        rows[r] = replace(rows[r], cells=tuple(cells))
    return rows
