"""What a run prints: on a terminal the findings on one screen, in a pipe a tab-separated line per claim."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from verify.judging.papers import THEORY
from verify.judging.severity import Origin
from verify.reports.findings import Finding, counts, findings, said_of, told
from verify.text import one_line
from verify.verdicts import Verdict

LINES = 58
"""The most that the findings of a run take on a terminal; with the place of the page it stays on one screen."""
_COLOUR = {
    "PROVED": "green", "ARGUED": "cyan", "SUPPORTED": "green", "INCONCLUSIVE": "yellow",
    "NOT_TESTABLE": "dim", "REFUTED": "red", "ERROR": "bold red",
}  # fmt: skip
Line = tuple[str, str]
"""A style of rich, and a line of text."""


def print_verdicts(report: Mapping[str, Any], *, everything: bool = False) -> None:
    """Print what was found to standard output; ``everything``: on a terminal every claim, and not the findings alone."""
    if not sys.stdout.isatty():
        _for_a_pipe(report)
    elif everything:
        _every_claim(report)
    else:
        from rich.console import Console
        from rich.text import Text

        console = Console()
        for style, text in screen(report, console.width):
            console.print(Text(text, style), no_wrap=True, overflow="ellipsis", highlight=False)
    if report["mutation"]:
        print(mutation_summary(report["mutation"]))


def screen(report: Mapping[str, Any], width: int) -> Iterator[Line]:
    """One line a paper, then what is not as expected, then the findings, most severe first: at most `LINES` lines.

    Only what is said before any verdict is wrapped; a line of another kind that is wider is for the terminal to cut.
    """
    above = [*_papers(report, width)]
    lines = [*_not_as_expected(report), *_sections(findings(report))]
    room = LINES - len(above) - 3
    yield from above
    yield from lines[:room]
    if len(lines) > room:
        yield "dim", f"  and {len(lines) - room} lines more: --all, or the page"
    yield "", ""
    yield "bold", _closing(report)


def _papers(report: Mapping[str, Any], width: int) -> Iterator[Line]:
    """A paper a line, the toolkit's own mathematics last, and what has to be known before any verdict."""
    for paper, of_paper in sorted(counts(report).items(), key=lambda item: item[0] == THEORY):
        yield "", f"{paper}: {told(of_paper)}"
    for paper in report["papers"]:
        for line in textwrap.wrap(one_line(paper["caveat"]), width):
            yield "italic", line


def _closing(report: Mapping[str, Any]) -> str:
    unexpected = len(report["summary"]["unexpected"])
    found = (
        f"{unexpected} NOT AS EXPECTED"
        if unexpected
        else "nothing has changed; every refutation was already known"
    )
    return f"{said_of(report['summary']['claims'], 'claim')}{_beside(report)}: {found}"


def _not_as_expected(report: Mapping[str, Any]) -> Iterator[Line]:
    wrong = [entry for entry in report["claims"] if not entry["as_expected"]]
    if wrong:
        yield "bold red", "Not as expected"
    for entry in wrong:
        yield (
            _COLOUR[entry["verdict"]],
            f"  {entry['id']}: {entry['verdict']}, expected {entry['expected']}: {one_line(entry['finding'])}",
        )


def _sections(found: list[Finding]) -> Iterator[Line]:
    """A heading for each severity of each paper, or for tests of our own, and a line for each finding."""
    several = len({finding.paper for finding in found}) > 1
    above = ""
    for finding in found:
        own = not finding.origin.of_the_paper
        value = (Origin.OWN_TEST if own else finding.severity).value + f" ({finding.paper})" * several
        heading = f"{value[0].upper()}{value[1:]}"
        if heading != above:
            yield "bold", heading
        above = heading
        yield "dim" if own else "", f"  {finding.headline}"


def _for_a_pipe(report: Mapping[str, Any]) -> None:
    for entry in report["claims"]:
        expected = "as-expected" if entry["as_expected"] else f"expected-{entry['expected']}"
        print(entry["verdict"], expected, entry["id"], one_line(entry["finding"]), sep="\t")
    print(_summary(report))


def _every_claim(report: Mapping[str, Any]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console()
    for paper in report["papers"]:
        entries = [e for e in report["claims"] if e["id"].split("/")[0] == paper["id"]]
        if not entries:
            continue
        table = Table(
            title=escape(one_line(f"{paper['id']}: {paper['title']}")),
            title_justify="left",
            box=None,
            pad_edge=False,
        )
        table.add_column("verdict", no_wrap=True)
        table.add_column("claim", overflow="fold")
        table.add_column("finding", ratio=1)
        for entry in entries:
            verdict = Verdict[entry["verdict"]]
            colour = _COLOUR[verdict.name]
            mark = "" if entry["as_expected"] else f"\n[bold red]expected {entry['expected']}[/]"
            slug = entry["id"].partition("/")[2]
            table.add_row(
                f"[{colour}]{verdict.glyph} {verdict.name}[/]{mark}",
                escape(slug),
                escape(_shorten(one_line(_remark(entry)))),
            )
        console.print(table)
        console.print()
    console.print(_summary(report), highlight=False, markup=False)


def _remark(entry: Mapping[str, Any]) -> str:
    """A known erratum is told in the words written for a reader, anything else by what was found."""
    return str(entry["because"] if entry["because"] and entry["as_expected"] else entry["finding"])


def _summary(report: Mapping[str, Any]) -> str:
    summary = report["summary"]
    judged = ", ".join(f"{count} {name}" for name, count in summary["verdicts"].items() if count)
    unexpected = len(summary["unexpected"])
    tail = (
        "all as expected"
        if not unexpected
        else f"{unexpected} NOT AS EXPECTED: {', '.join(summary['unexpected'])}"
    )
    missing = len(summary["missing_inputs"])
    lacking = f"; {missing} lack an optional input" if missing else ""
    return (
        f"{said_of(summary['claims'], 'claim')}: {judged or 'none judged'}{_beside(report)}; {tail}{lacking}"
    )


def _beside(report: Mapping[str, Any]) -> str:
    controls = report["summary"]["controls"]
    return f"; {said_of(controls, 'control')} besides" if controls else ""


def mutation_summary(mutation: Mapping[str, Any]) -> str:
    """The mutation score in one line."""
    scores = [score for item in mutation["cells"] for score in item["scores"].values()]
    free = sum(len(item["unconstrained"]) for item in mutation["cells"])
    cells = sum(item["size"] for item in mutation["cells"])
    readings = [r for column in mutation["columns"] for r in column["readings"]]
    at_maximum = sum(r["noticed"] == r["maximum"] for r in readings)
    kinds = mutation["claims"]["by_kind"].values()
    return (
        f"mutation score: {sum(n for n, _ in scores)} of {sum(m for _, m in scores)} misprints noticed ({free} of {cells} "
        f"cells are constrained by no claim); derived columns reach their maximum under {at_maximum} of {len(readings)} readings; "
        f"{sum(n for n, _ in kinds)} of {sum(m for _, m in kinds)} falsified claims rejected"
    )


def _shorten(text: str, limit: int = 220) -> str:
    return text if len(text) <= limit else text[: limit - 1].rsplit(" ", 1)[0] + " …"
