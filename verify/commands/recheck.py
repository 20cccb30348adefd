"""``moelaws recheck``: every certificate of a report read again, without a search and without sympy."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from verify.errors import InputError
from verify.text import one_line

if TYPE_CHECKING:
    from verify.recheck.report import Rereading


ReportGiven = Annotated[
    Path | None,
    typer.Argument(
        metavar="[REPORT]",
        help="A report.json or the folder that holds it. Default: the one under moelaws-report written last.",
        show_default=False,
    ),
]


def recheck(
    source: ReportGiven = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON to standard output.")] = False,
) -> int:
    """Read every certificate of a report again, without a search; exit status 1 where one fails."""
    from verify.recheck.report import reread_report
    from verify.recheck.sealed import NotAReport, latest, read_file

    try:
        record = read_file(source or latest())
    except NotAReport as problem:
        raise InputError(str(problem)) from None
    found = reread_report(record)
    print(_json(found) if as_json else "\n".join(_lines(found)))
    return 0 if found.holds else 1


def _json(found: Rereading) -> str:
    record = {
        "holds": found.holds,
        "proved_by_certificate": dict(sorted(found.held.items())),
        "parts": dict(sorted(found.parts.items())),
        "failures": [{"claim": claim, "reason": reason} for claim, reason in found.failures],
        "partly": [{"claim": claim, "reason": reason} for claim, reason in found.partly],
        "without_certificate": [
            {"check": check, "reason": reason, "claims": count}
            for (check, reason), count in sorted(found.without.items())
        ],
        "not_compared": dict(sorted(found.not_compared.items())),
        "given_from_elsewhere": sorted(found.elsewhere),
        "argued": found.argued,
        "not_proved": found.others,
    }
    return json.dumps(record, indent=1, ensure_ascii=False)


def _lines(found: Rereading) -> Iterator[str]:
    for claim, reason in found.failures:
        yield f"FAILS  {one_line(f'{claim}: {reason}')}"
    yield f"{_claims(found.held.total())} proved by a certificate that holds{_by_kind(found.held)}"
    if found.partly:
        yield f"{_claims(len(found.partly))} in part, the rest being beyond the reader:"
        yield from (f"  {one_line(f'{claim}: {reason}')}" for claim, reason in found.partly)
    if found.without:
        yield f"{_claims(found.without.total())} PROVED without a certificate:"
        for (check, reason), count in sorted(found.without.items()):
            yield f"  {one_line(f'{count} by {check}: {reason}')}"
    if found.parts:
        yield f"{found.parts.total()} certificates of parts of an argument hold{_by_kind(found.parts)}"
    for kind, count in sorted(found.not_compared.items()):
        yield f"{count} certificates of kind {kind} are not compared with what the card shows"
    if found.elsewhere:
        yield f"given, and neither proved nor assumed in this report: {', '.join(sorted(found.elsewhere))}"
    if found.argued:
        yield f"{_claims(found.argued)} ARGUED: the certificates of the steps hold, words join them to the conclusion"
    if found.others:
        yield f"{_claims(found.others)} not PROVED, so without a certificate"
    yield "every certificate holds" if found.holds else f"{len(found.failures)} of these fail"


def _claims(count: int) -> str:
    return f"{count} claim{'' if count == 1 else 's'}"


def _by_kind(counts: Counter[str]) -> str:
    listed = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
    return f": {listed}" if listed else ""
