"""The cells of a table where the eye sees them: spans laid out, no cell moved into its neighbour."""

from __future__ import annotations

__all__ = ["GridCell"]

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from verify.errors import InputError

WIDEST, LONGEST, MOST_CELLS = 500, 20_000, 500_000
"""Columns, rows and cells of the largest table that is read."""


@dataclass(frozen=True)
class Text:
    """What the eye sees of a piece of source; ``marks`` are bold, italic, underline and footnote.

    ``problem`` says why it could not be read: its text must then not be used.
    """

    text: str = ""
    marks: frozenset[str] = frozenset()
    problem: str = ""


@dataclass(frozen=True)
class GridCell:
    """A cell as printed; ``spanned`` where it is seen again because another one reaches here."""

    text: str = ""
    marks: frozenset[str] = frozenset()
    problem: str = ""
    line: int = 0
    spanned: bool = False


@dataclass(frozen=True)
class SpanCell:
    """A cell as written, with the columns and rows it covers."""

    shown: Text
    line: int
    columns: int = 1
    rows: int = 1

    def placed(self, spanned: bool) -> GridCell:
        return GridCell(self.shown.text, self.shown.marks, self.shown.problem, self.line, spanned)


@dataclass(frozen=True)
class SpanRow:
    """A row as written; ``rule`` where a line across the whole table stands above it, ``head`` where its format says so."""

    cells: tuple[SpanCell, ...]
    line: int
    rule: bool = False
    head: bool = False


@dataclass(frozen=True)
class GridRow:
    """A row of the grid: one cell a column."""

    cells: tuple[GridCell, ...]
    line: int
    rule: bool = False
    head: bool = False

    @property
    def is_blank(self) -> bool:
        return not any(cell.text or cell.problem for cell in self.cells)


@dataclass(frozen=True)
class Grid:
    """A table before its headers are told from its numbers; ``blanks_continue`` where a blank header cell means its neighbour's."""

    rows: tuple[GridRow, ...]
    caption: str = ""
    label: str = ""
    file: str = ""
    line: int = 0
    part: int | None = None
    blanks_continue: bool = False
    notes: tuple[str, ...] = field(default=())


def lay_out(rows: Sequence[SpanRow], where: str, *, placeholders: bool = False) -> tuple[GridRow, ...]:
    """The rectangular grid of rows with spans.

    With ``placeholders`` (LaTeX) a row has a blank cell of its own below a cell that reaches down, and one that is not
    blank keeps what it says. InputError for a table beyond every printed page.
    """
    if len(rows) > LONGEST:
        raise InputError(f"{where}: a table of {len(rows)} rows; at most {LONGEST} are read")
    left = MOST_CELLS
    reached: dict[tuple[int, int], GridCell] = {}  # places that a cell above reaches
    placed: list[dict[int, GridCell]] = []
    for r, row in enumerate(rows):
        here: dict[int, GridCell] = {}
        column = 0
        for cell in row.cells:
            while not placeholders and (r, column) in reached:
                column += 1
            if column + cell.columns > WIDEST:
                raise InputError(
                    f"{where}: a table of more than {WIDEST} columns; a span of {cell.columns} is not read"
                )
            down = range(min(cell.rows, len(rows) - r)) if cell.rows > 0 else range(max(cell.rows, -r) + 1, 1)
            left -= cell.columns * len(down)
            if left < 0:
                raise InputError(f"{where}: a table whose spans cover more than {MOST_CELLS:,} cells")
            for across in range(cell.columns):
                here[column + across] = cell.placed(spanned=across > 0)
                reached |= {(r + d, column + across): cell.placed(spanned=True) for d in down if d}
            column += cell.columns
        placed.append(here)
    columns = [column for here in placed for column in here] + [column for _, column in reached]
    width = max(columns, default=-1) + 1
    return tuple(
        GridRow(
            tuple(_seen(here.get(column), reached.get((r, column)), row.line) for column in range(width)),
            row.line,
            row.rule,
            row.head,
        )
        for r, (row, here) in enumerate(zip(rows, placed, strict=True))
    )


def _seen(own: GridCell | None, above: GridCell | None, line: int) -> GridCell:
    if own and (own.text or own.problem or not above):
        return own
    return replace(above, line=line) if above else GridCell(line=line)
