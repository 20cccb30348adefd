"""What one would send to the authors of a paper: its findings in words, each with its reason and the command that repeats it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from verify.judging.severity import Severity
from verify.reports.findings import Finding, findings, said_of
from verify.text import one_line

_SENT = (Severity.CONTRADICTS, Severity.WRONG_NUMBER, Severity.ROUNDING)


def brief(report: Mapping[str, Any], width: int = 80) -> str:
    """The findings on each paper, gravest first, wrapped to ``width``; remarks and tests of our own are counted and left out."""
    found = findings(report)
    parts = [
        "\n".join(_paper(paper, [f for f in found if f.paper == paper["id"]], width))
        for paper in report["papers"]
        if any(f.paper == paper["id"] and f.origin.of_the_paper for f in found)
    ]
    return "\n\n\n".join(parts) or "Nothing that a paper prints or implies was refuted."


def _paper(paper: Mapping[str, Any], found: list[Finding], width: int) -> Iterator[str]:
    sent = [f for f in found if f.origin.of_the_paper and f.severity in _SENT]
    yield from textwrap.wrap(one_line(f"{paper['authors']}: {paper['title']} ({paper['reference']})"), width)
    if paper["caveat"]:
        yield from textwrap.wrap(one_line(paper["caveat"]), width)
    severity = None
    for number, finding in enumerate(sent, 1):
        if finding.severity is not severity:
            severity = finding.severity
            yield from ("", severity.value.capitalize())
        yield from ("", *_numbered(number, finding, width))
    if len(sent) < len(found):
        left_out = [f for f in found if f not in sent]
        own = sum(not f.origin.of_the_paper for f in left_out)
        yield ""
        yield f"Left out: {said_of(len(left_out) - own, 'remark')} and {said_of(own, 'test')} of our own."


def _numbered(number: int, finding: Finding, width: int) -> Iterator[str]:
    indent = " " * 4
    yield from textwrap.wrap(
        finding.headline, width, initial_indent=f"{number:>2}. ", subsequent_indent=indent
    )
    for reason in finding.reasons:
        yield from textwrap.wrap(reason, width, initial_indent=indent, subsequent_indent=indent)
    for claim in finding.claims:
        yield f"{indent}{one_line(claim['rerun'])}"
