"""The cells of a printed table, each with its recomputed value on a strip in units of the last printed digit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NotRequired

from markupsafe import Markup
from typing_extensions import TypedDict

from verify.printed.numerals import ROUNDED, Rounding
from verify.reports.figures.base import Drawn, Erratum, Figure, Number, Pair, Values
from verify.reports.strips import Strip

_MARKDOWN_CELLS = 60
_BANDS = {
    Rounding.HALF_UP.value: (-0.5, 0.5),
    Rounding.HALF_EVEN.value: (-0.5, 0.5),
    Rounding.NEAREST.value: (-0.5, 0.5),
    Rounding.TRUNCATED.value: (0.0, 1.0),
    Rounding.TRUNCATED_EITHER_WAY.value: (0.0, 1.0),
}


class _Offset(TypedDict):
    value: NotRequired[Number]
    range: NotRequired[Pair[Number]]


class _Cell(TypedDict):
    row: str
    column: str
    printed: str
    recomputed: str
    explained_by: list[str]
    in_last_digits: _Offset


class _Unexplained(TypedDict):
    row: str
    column: str
    printed: str
    recomputed: str


class _Details(TypedDict):
    cells: list[_Cell]
    unexplained_cells: NotRequired[list[_Unexplained]]
    units: NotRequired[dict[str, str]]


class Cells(Figure):
    """A row a cell; the cells that the fewest readings explain are shown first of all."""

    name = "cells"
    shape = _Details

    def drawn(self, entry: Values, *, cells_shown: int, formulas_shown: int) -> Drawn:
        cells = entry["evidence"]["details"]["cells"]
        hardest = sorted(range(len(cells)), key=lambda i: len(cells[i]["explained_by"]))[:cells_shown]
        rows = [
            {**cells[i], "strip": strip_of(cells[i]), "modes": _modes(cells[i]["explained_by"])}
            for i in sorted(hardest)
        ]
        return Drawn({"rows": rows, "left_out": len(cells) - len(rows)})

    def errata(self, entry: Values) -> Iterator[Erratum]:
        """A row a cell; one for all where none of several follows, since then it is the formula that is wrong."""
        details = entry["evidence"]["details"]
        cells, units = details.get("unexplained_cells", []), details.get("units", {})
        every = len(cells) == len(details["cells"]) > 1
        for cell in cells[:1] if every else cells:
            place = f"{entry['where']}, {cell['row']}, {cell['column']}"
            others = "the other one" if len(cells) == 2 else f"all {len(cells) - 1} others"
            more = f" and {others}" if every else ""
            yield Erratum(place + more, cell["printed"], cell["recomputed"], units.get(cell["column"], ""))

    def thumbnail(self, entry: Values) -> Markup:
        broken = [cell for cell in entry["evidence"]["details"]["cells"] if not cell["explained_by"]]
        return strip_of(broken[0]) if broken else Markup("")

    def markdown(self, details: Values, escape: Callable[[str], str]) -> Iterator[str]:
        cells = details["cells"]
        yield "| row | column | printed | recomputed | explained by |"
        yield "|---|---|---|---|---|"
        for cell in cells[:_MARKDOWN_CELLS]:
            texts = " | ".join(escape(cell[name]) for name in ("row", "column", "printed", "recomputed"))
            yield f"| {texts} | {', '.join(cell['explained_by']) or '**nothing**'} |"
        if len(cells) > _MARKDOWN_CELLS:
            yield f"| ... | {len(cells) - _MARKDOWN_CELLS} more cells in report.json | | | |"
        yield ""


def strip_of(cell: Values) -> Markup:
    """Where the recomputed value lies around the printed one, from -3 to 3 units of the last printed digit."""
    found = cell["in_last_digits"]
    shown = found.get("range") or ([found["value"]] * 2 if "value" in found else None)
    if shown is None:
        return Markup("")
    low, high = map(float, shown)
    kind = "good" if cell["explained_by"] else "bad"
    bands = {_BANDS[mode] for mode in cell["explained_by"] if mode in _BANDS} or {(-0.5, 0.5)}
    bars = [(low, high, kind)]
    if "range" in found and "value" in found:
        value = float(found["value"])
        bars.append((value, value, kind))
    return Strip(-3, 3, sorted(bands), bars, ticks=(0.0,)).svg()


def _modes(explained_by: Sequence[str]) -> str:
    every = {mode.value for mode in ROUNDED}
    return "every rounding mode" if set(explained_by) == every else ", ".join(explained_by) or "nothing"
