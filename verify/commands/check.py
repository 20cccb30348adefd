"""``moelaws check PAPER``: the tables of a paper read from its source, relations found, cells that break them."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from verify.commands.progress import ProgressBar
from verify.errors import InputError
from verify.text import one_line

if TYPE_CHECKING:
    from verify.commands.suspects import Told
    from verify.search.relations.find import Findings

FAILS = ("suspect", "refuted", "never")


def check(
    paper: Annotated[
        Path, typer.Argument(help="A .tex, .html, .md or .csv file, or a folder of them.", show_default=False)
    ],
    every: Annotated[
        bool,
        typer.Option("--all", help="Show relations found, known errata and what could not be read, too."),
    ] = False,
    style: Annotated[str, typer.Option("--format", help="text, markdown, latex or github.")] = "text",
    cite: Annotated[str, typer.Option(help="The paper's key in a bibliography, for --format latex.")] = "",
    known: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Errata that are known (TOML); they fail nothing.", show_default=False
        ),
    ] = None,
    fail_on: Annotated[
        str,
        typer.Option(help="Exit with 1 on a suspect, only on a refuted one (judged as a claim), or never."),
    ] = "suspect",
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
    write it as a claim to have it judged. Exit status 1 where there is one that is not known.
    """
    from verify.commands.known_errata import read_errata, with_known
    from verify.commands.suspects import FORMATS, told
    from verify.commands.write_paper import confirmed_relations, write_paper
    from verify.printed.readers.reader import read_paper
    from verify.search.relations.find import find
    from verify.search.relations.numbers import number_table

    if style not in FORMATS:
        raise InputError(f"--format {style}: expected {', '.join([*FORMATS][:-1])} or {[*FORMATS][-1]}")
    if fail_on not in FAILS:
        raise InputError(f"--fail-on {fail_on}: expected {', '.join(FAILS[:-1])} or {FAILS[-1]}")
    key = cite or re.sub(r"[^A-Za-z0-9:._-]", "", paper.resolve().stem)
    if not re.fullmatch(r"[A-Za-z0-9:._-]+", key):
        raise InputError(f"--cite {cite!r}: expected letters, digits and :._- only, such as clark2022")
    errata = read_errata(known) if known else []
    found = []
    with ProgressBar("looking for relations") as progress:
        read = read_paper(paper)
        tables = [table for table in map(number_table, read.tables) if table is not None]
        for done, table in enumerate(tables):
            progress(done, len(tables))
            found.append(find(table))
    written = write_paper(write, paper, read, found) if write else None
    pairs = [(findings, suspect) for findings in found for suspect in findings.suspects]
    suspects, gone = with_known([told(*pair) for pair in pairs], errata)
    failing = [not suspect.known for suspect in suspects]
    if fail_on == "refuted":
        confirmed = written.confirmed if written else confirmed_relations(paper, read, found)
        failing = [
            fails and pair[1].relation in confirmed for fails, pair in zip(failing, pairs, strict=True)
        ]
    status = 1 if any(failing) and fail_on != "never" else 0
    if as_json:
        typer.echo(
            json.dumps(_record(found, suspects, read.unread), ensure_ascii=False, indent=2, sort_keys=True)
        )
        return status
    new = [suspect for suspect in suspects if not suspect.known]
    if style == "github":  # which looks for the file from where the command runs
        folder = paper if paper.is_dir() else paper.parent
        new = [replace(suspect, file=(folder / suspect.file).as_posix()) for suspect in new]
    for line in FORMATS[style](new, key):
        typer.echo(line)
    aside = [f"known: {s.sentence} ({s.known})" for s in suspects if s.known] if every else []
    aside += [_relation(findings, relation) for findings in found for relation in findings.relations if every]
    aside += [f"not read: {left_out}" for left_out in read.unread if every]
    aside += [f"no longer a suspect: {e.place}, printed {e.printed}; take it out of {known}" for e in gone]
    relations = sum(len(findings.relations) for findings in found)
    aside.append(
        f"read: {_counted(len(read.tables), 'table')}, {_counted(len(read.unread), 'part')} not read; "
        f"found: {_counted(relations, 'relation')}, {_counted(len(new), 'suspect')}"
        + (f", {len(suspects) - len(new)} known" if known else "")
    )
    if written and write:
        aside += [f"wrote {path}" for path in written.files]
        aside.append(f"next: moelaws verify {shlex.quote(str(write))}")
    for line in aside:
        typer.echo(one_line(line), err=style != "text")
    return status


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _relation(findings: Findings, relation: Any) -> str:
    shown = f"{findings.table.name}: {relation.words}, {relation.fits} of {len(relation.instances)}"
    return f"{shown}; by chance at most {relation.chance:.1g}"


def _record(found: Sequence[Findings], suspects: Sequence[Told], unread: Sequence[object]) -> dict[str, Any]:
    """What was found, as JSON: the suspects of a table are the next so many of all."""
    waiting = iter(suspects)
    return {
        "tables": [
            {
                "table": findings.table.name,
                "file": findings.table.file,
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
                "suspects": [_suspect(next(waiting), s.relation.words) for s in findings.suspects],
            }
            for findings in found
        ],
        "unread": [str(left_out) for left_out in unread],
    }


def _suspect(suspect: Told, relation: str) -> dict[str, Any]:
    record = asdict(suspect)
    return {"where": record.pop("place"), "relation": relation, **record}
