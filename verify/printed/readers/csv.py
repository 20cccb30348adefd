"""CSV: cells as the file has them, header rows and a title line before them."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from verify.printed.readers.grid import Grid, SpanCell, SpanRow, Text, lay_out
from verify.printed.readers.plain import one_spelling
from verify.printed.readers.reader import Reader, Unread, source_text


class CsvReader(Reader):
    """One table a file; lines that begin with ``#`` are notes, a line of one cell before the header is its title."""

    name = "CSV"
    suffixes = (".csv", ".tsv")
    example = "size,loss,change\nsmall,3.10,–\nlarge,2.95,−0.15\n"

    def read(self, path: Path) -> Iterator[Grid | Unread]:
        text = source_text(path)
        caption, line = "", 0
        rows: list[SpanRow] = []
        lines = csv.reader(text.splitlines(keepends=True), delimiter=_delimiter(path, text), strict=True)
        try:
            for cells in lines:
                first, line = line + 1, lines.line_num
                filled = [cell for cell in cells if cell.strip()]
                if cells and cells[0].startswith("#"):
                    key, _, value = ",".join(cells).lstrip("# ").partition(":")
                    caption = value.strip() if key in ("title", "caption") else caption
                elif not rows and len(filled) == 1 and not caption:
                    caption = filled[0].strip()
                elif filled or rows:
                    rows.append(SpanRow(tuple(SpanCell(_text(cell), first) for cell in cells), first))
        except csv.Error as problem:
            yield Unread(path.name, lines.line_num, f"{problem}; the lines from here on are not read")
        yield Grid(lay_out(rows, path.name), caption, "", path.name, 1, blanks_continue=True)


csv_reader = CsvReader()


def _text(cell: str) -> Text:
    shown, dropped = one_spelling(cell)
    return Text(shown, frozenset({"footnote"}) if dropped else frozenset())


def _delimiter(path: Path, text: str) -> str:
    if path.suffix.lower() == ".tsv":
        return "\t"
    head = text[:5000]
    return ";" if head.count(";") > head.count(",") else ","
