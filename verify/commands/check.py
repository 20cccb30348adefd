"""``moelaws check PAPER``: the tables of a paper read from its source, relations found, cells that break them."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from verify.text import one_line

if TYPE_CHECKING:
    from verify.search.relations.find import Findings, Suspect


def check(
    paper: Annotated[
        Path, typer.Argument(help="A .tex, .html, .md or .csv file, or a folder of them.", show_default=False)
    ],
    every: Annotated[
        bool, typer.Option("--all", help="Show the relations that were found, and what could not be read.")
    ] = False,
    write: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Also leave a paper's folder for 'moelaws verify DIR'.", show_default=False
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON to standard output.")] = False,
) -> int:
    """Read every table of a paper and name the cells that break what the others satisfy.

    A relation counts only where the cells that satisfy it could not do so by chance, corrected for all that were tried.
    Nothing of the paper is executed, and no network is used. A suspect is a question to the authors, not a verdict:
    write it as a claim to have it judged. Exit status 1 where there is one.
    """
    from verify.printed.readers.reader import read_paper
    from verify.search.relations.find import find
    from verify.search.relations.numbers import number_table

    read = read_paper(paper)
    tables = [table for table in map(number_table, read.tables) if table is not None]
    found = [find(table) for table in tables]
    suspects = sum(len(findings.suspects) for findings in found)
    written: list[Path] = []
    if write:
        from verify.commands.write_paper import write_paper

        written = write_paper(write, paper, read, found)
    if as_json:
        record = {
            "tables": [_record(findings) for findings in found],
            "unread": [str(left_out) for left_out in read.unread],
        }
        typer.echo(json.dumps(record, ensure_ascii=False, indent=2, sort_keys=True))
        return 1 if suspects else 0
    for findings in found:
        for suspect in findings.suspects:
            typer.echo(one_line(_sentence(findings, suspect)))
        if every:
            for relation in findings.relations:
                shown = (
                    f"{findings.table.name}: {relation.words}, {relation.fits} of {len(relation.instances)}"
                )
                typer.echo(one_line(f"{shown}; by chance at most {relation.chance:.1g}"))
    if every:
        for left_out in read.unread:
            typer.echo(one_line(f"not read: {left_out}"))
    relations = sum(len(findings.relations) for findings in found)
    typer.echo(
        f"read: {_counted(len(read.tables), 'table')}, {_counted(len(read.unread), 'part')} not read; "
        f"found: {_counted(relations, 'relation')}, {_counted(suspects, 'suspect')}"
    )
    if write:
        for path in written:
            typer.echo(f"wrote {one_line(str(path))}")
        typer.echo(f"next: moelaws verify {shlex.quote(str(write))}")
    return 1 if suspects else 0


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _sentence(findings: Findings, suspect: Suspect) -> str:
    """Place, what is printed, what would fit, and the relation that says so."""
    table, relation = findings.table, suspect.relation
    where = f"{table.file}:{suspect.number.line}: {table.where(*suspect.place)}"
    instead = f", where {suspect.repair} would fit" if suspect.repair else ""
    others = [table.where(*place) for place in suspect.also]
    also = f"; or else {' or '.join(others)} is wrong" if others else ""
    return (
        f"{where}: printed {suspect.number.text}{instead}: {relation.words} holds in "
        f"{relation.fits} of {len(relation.instances)} places{also}"
    )


def _record(findings: Findings) -> dict[str, Any]:
    table = findings.table
    return {
        "table": table.name,
        "file": table.file,
        "relations": [
            {
                "words": r.words,
                "holds": r.fits,
                "places": len(r.instances),
                "chance": r.chance,
                "tried": r.tried,
            }
            for r in findings.relations
        ],
        "suspects": [
            {
                "where": table.where(*s.place),
                "line": s.number.line,
                "printed": s.number.text,
                "would_fit": s.repair,
                "relation": s.relation.words,
                "or_else": [table.where(*place) for place in s.also],
            }
            for s in findings.suspects
        ],
    }
