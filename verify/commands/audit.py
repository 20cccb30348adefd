"""``moelaws audit``: what often goes wrong in a published law, asked of one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from verify.errors import InputError
from verify.text import one_line


def audit(
    publication: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", help="A law as printed, in TOML; see the page on fitting.", show_default=False
        ),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the audits: what each asks.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON to standard output.")] = False,
) -> int:
    """Look for what often goes wrong in a published law; exit status 1 where printed things contradict each other or the runs."""
    from empirics.audits.publication import AUDITS, Weight, read_publication
    from empirics.runs.exchange import read_toml

    if listed:
        for kind in AUDITS.values():
            print(f"{kind.name:<20}  {one_line(kind.words)}")
        return 0
    if publication is None:
        raise InputError("audit: give a law as printed, in a TOML file, or --list")
    found = read_publication(read_toml(publication), str(publication), publication.parent).audit()
    contradictions = sum(finding.weight is Weight.CONTRADICTION for finding in found)
    if as_json:
        records = [{"audit": f.audit, "weight": f.weight.name, "text": f.text} for f in found]
        print(json.dumps(records, indent=1, ensure_ascii=False))
    else:
        for finding in found:
            print(f"{finding.weight.name:<13}  {finding.audit:<20}  {one_line(finding.text)}")
        print(
            f"{len(AUDITS)} audits: {contradictions} contradiction{'s' * (contradictions != 1)}, {len(found) - contradictions} other findings"
        )
    return 1 if contradictions else 0
