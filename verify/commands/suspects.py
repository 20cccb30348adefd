"""Suspects as one says them to the authors: as text, Markdown, LaTeX, and as warnings of a build server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from verify.reports.errata import for_latex, for_markdown
from verify.search.relations.find import Findings, Suspect
from verify.text import one_line


@dataclass(frozen=True)
class Told:
    """A suspect in words: where it stands, what is printed, what would fit, and why; ``known`` is the erratum's reason."""

    file: str
    line: int
    place: str
    printed: str
    would_fit: str
    why: str
    or_else: tuple[str, ...]
    known: str = ""

    @property
    def sentence(self) -> str:
        """Place, what is printed, what would fit, and the relation that says so."""
        instead = f", where {self.would_fit} would fit" if self.would_fit else ""
        also = f"; or else {' or '.join(self.or_else)} is wrong" if self.or_else else ""
        return f"{self.place}: printed {self.printed}{instead}: {self.why}{also}"


def told(findings: Findings, suspect: Suspect) -> Told:
    """A suspect of a table in words."""
    table, relation = findings.table, suspect.relation
    return Told(
        table.file,
        suspect.number.line,
        table.where(*suspect.place),
        suspect.number.text,
        suspect.repair,
        f"{relation.words} holds in {relation.fits} of {len(relation.instances)} places",
        tuple(table.where(*place) for place in suspect.also),
    )


def as_text(suspects: Sequence[Told], key: str) -> list[str]:
    """A line a suspect."""
    return [one_line(f"{suspect.file}:{suspect.line}: {suspect.sentence}") for suspect in suspects]


def as_markdown(suspects: Sequence[Told], key: str) -> list[str]:
    """A table of a code host."""
    rows = [(s.place, s.printed, s.would_fit or "?", s.why) for s in suspects]
    lines = ["| place | printed | would fit | why |", "| --- | --- | --- | --- |"]
    return [*lines, *(f"| {' | '.join(for_markdown(one_line(cell)) for cell in row)} |" for row in rows)]


def as_latex(suspects: Sequence[Told], key: str) -> list[str]:
    """A list for a referee's report, each item with the paper's key in the bibliography."""
    items = [rf"  \item \cite{{{key}}}, {for_latex(one_line(suspect.sentence))}." for suspect in suspects]
    return [r"\begin{itemize}", *items, r"\end{itemize}"] if items else []


def as_github(suspects: Sequence[Told], key: str) -> list[str]:
    """Workflow commands that mark the line of the source."""
    return [
        f"::warning file={_property(s.file)},line={s.line},title=moelaws check::{_data(one_line(s.sentence))}"
        for s in suspects
    ]


FORMATS = {"text": as_text, "markdown": as_markdown, "latex": as_latex, "github": as_github}


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(one_line(text)).replace(":", "%3A").replace(",", "%2C")
