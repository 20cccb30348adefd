"""The errata of the papers as a table: what is printed where, what was recomputed, and how to take the table elsewhere."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from verify.judging.severity import Severity
from verify.reports.figures.base import Erratum, figure_of
from verify.reports.findings import findings
from verify.text import one_line

COLUMNS = ("paper", "place", "printed", "recomputed", "unit", "severity")


@dataclass(frozen=True)
class Row:
    """An erratum of a paper, the claim that shows it and how much it matters."""

    claim: str
    severity: Severity
    erratum: Erratum

    @property
    def texts(self) -> tuple[str, ...]:
        """The cells of the row, in the order of `COLUMNS`."""
        found = self.erratum
        cells = (self.claim.split("/")[0], found.place, found.printed, found.recomputed, found.unit)
        return (*map(one_line, cells), self.severity.value)


def errata(report: Mapping[str, Any]) -> list[Row]:
    """Every printed number that a claim of the papers refutes, in the order of the findings; remarks are none."""
    found = []
    for finding in findings(report):
        if not finding.origin.of_the_paper or finding.severity is Severity.REMARK:
            continue
        for claim in finding.claims:
            details = claim["evidence"]["details"] if claim["evidence"] else {}
            figure = figure_of(details)
            rows = figure.errata(claim) if figure else ()
            found += [Row(claim["id"], finding.severity, erratum) for erratum in rows]
    return found


def as_csv(rows: Sequence[Row]) -> str:
    """Comma-separated values with a header; a cell that a spreadsheet would take for a formula has an apostrophe before it."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([COLUMNS, *(map(_plain, row.texts) for row in rows)])
    return text.getvalue()


def as_markdown(rows: Sequence[Row]) -> str:
    """A table of a code host."""
    lines = [
        COLUMNS,
        ["---"] * len(COLUMNS),
        *([_escaped(cell, _MARKDOWN) for cell in row.texts] for row in rows),
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def as_latex(rows: Sequence[Row]) -> str:
    """A tabular for a referee's report; it needs no package."""
    lines = [COLUMNS, *([_escaped(cell, _LATEX) for cell in row.texts] for row in rows)]
    body = "".join(f"{' & '.join(line)} \\\\\n" + "\\hline\n" * (n == 0) for n, line in enumerate(lines))
    return f"\\begin{{tabular}}{{{'l' * len(COLUMNS)}}}\n{body}\\end{{tabular}}\n"


_MARKDOWN = {char: f"\\{char}" for char in "\\`*_{}[]#|"} | {"<": "&lt;", ">": "&gt;"}
_LATEX = {char: f"\\{char}" for char in "&%$#_{}"} | {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": "$<$", ">": "$>$",
    "±": r"$\pm$", "×": r"$\times$", "…": r"\dots{}",
}  # fmt: skip


def for_markdown(text: str) -> str:
    """A text as it is shown in Markdown."""
    return _escaped(text, _MARKDOWN)


def for_latex(text: str) -> str:
    """A text as it is shown in LaTeX."""
    return _escaped(text, _LATEX)


def _escaped(text: str, table: Mapping[str, str]) -> str:
    return "".join(table.get(char, char) for char in text)


def _plain(cell: str) -> str:
    dangerous = cell[:1] in ("=", "+", "@", "-") and not cell[1:2].isdigit() and cell[1:2] != "."
    return f"'{cell}" if dangerous else cell
