"""The verdict table and the progress bar: readable on a terminal, one tab-separated line per claim in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from verify.text import one_line
from verify.verdicts import Verdict

_COLOUR = {
    "PROVED": "green", "ARGUED": "cyan", "SUPPORTED": "green", "INCONCLUSIVE": "yellow",
    "NOT_TESTABLE": "dim", "REFUTED": "red", "ERROR": "bold red",
}  # fmt: skip


def print_verdicts(report: Mapping[str, Any]) -> None:
    """Print every verdict and a summary to standard output."""
    if sys.stdout.isatty():
        _for_a_terminal(report)
    else:
        _for_a_pipe(report)
    if report["mutation"]:
        print(mutation_summary(report["mutation"]))


def _for_a_pipe(report: Mapping[str, Any]) -> None:
    for entry in report["claims"]:
        expected = "as-expected" if entry["as_expected"] else f"expected-{entry['expected']}"
        print(entry["verdict"], expected, entry["id"], one_line(entry["finding"]), sep="\t")
    print(_summary(report))


def _for_a_terminal(report: Mapping[str, Any]) -> None:
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
    counts = ", ".join(f"{count} {name}" for name, count in summary["verdicts"].items() if count)
    unexpected = len(summary["unexpected"])
    tail = (
        "all as expected"
        if not unexpected
        else f"{unexpected} NOT AS EXPECTED: {', '.join(summary['unexpected'])}"
    )
    missing = len(summary["missing_inputs"])
    lacking = f"; {missing} lack an optional input" if missing else ""
    count, controls = summary["claims"], summary["controls"]
    beside = f"; {controls} control{'' if controls == 1 else 's'} besides" if controls else ""
    return f"{count} claim{'' if count == 1 else 's'}: {counts or 'none judged'}{beside}; {tail}{lacking}"


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


class ProgressBar:
    """A bar on standard error while a terminal watches; nothing otherwise."""

    def __init__(self, words: str) -> None:
        self._words = words

    def __enter__(self) -> Callable[[int, int], None]:
        self._bar: Any = None
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import Progress

            self._bar = Progress(console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task(self._words, total=None)
        return self._update

    def _update(self, done: int, total: int) -> None:
        if self._bar is not None:
            self._bar.update(self._task, completed=done, total=total)

    def __exit__(self, *stopped: object) -> None:
        if self._bar is not None:
            self._bar.stop()
