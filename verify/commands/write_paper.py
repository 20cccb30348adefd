"""``moelaws check --write DIR``: what was found in a paper, left as a paper's folder that ``moelaws verify DIR`` judges."""

from __future__ import annotations

import json
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from verify.commands.new_paper import fresh_folder
from verify.commands.written_claims import WrittenClaim, claims_source, written_claims
from verify.commands.written_tables import WrittenTable, written_tables
from verify.files import save
from verify.printed.readers.reader import PaperRead
from verify.search.relations.evaluation import Relation
from verify.search.relations.find import Findings
from verify.text import one_line

PAPER = """\
# Fill in what the paper says of itself.
title = {title}
authors = "unknown"
year = 0
reference = {title}
"""

README = """\
# What was read in {title}

    moelaws verify {folder}

Each CSV file is a table as printed. `claims.py` has a claim for each relation that was found: say in your own words those you
keep, and write `on=False` in those that the paper does not mean. A claim that one rounding for all its cells cannot explain
is switched off already. `paper.toml` waits for authors and year.

"""


@dataclass(frozen=True)
class Written:
    """The files of a folder, in the order in which a person looks at them, and the relations judged as they were found."""

    files: tuple[Path, ...]
    confirmed: tuple[Relation, ...]


def write_paper(folder: Path, source: Path, read: PaperRead, found: Sequence[Findings]) -> Written:
    """Write a paper's folder.

    Every claim is judged once: one whose verdict is not what the search says of its cells is switched off.
    InputError where the folder already holds something.
    """
    fresh_folder(folder)
    tables = written_tables([findings.table for findings in found])
    claims = _claims(tables, found)
    title = one_line(source.resolve().name)
    lists = [f"- not read: {one_line(str(unread))}\n" for unread in read.unread]
    files = {
        "README.md": README.format(title=title, folder=shlex.quote(str(folder))) + "".join(lists),
        "paper.toml": PAPER.format(title=json.dumps(title, ensure_ascii=False)),
        **{f"{table.stem}.csv": table.text for table in tables},
        "claims.py": claims_source(tables, claims),
    }
    for name, text in files.items():
        save(folder / name, text)
    off = unconfirmed(folder) if claims else {}
    if off:
        save(folder / "claims.py", claims_source(tables, _claims(tables, found, off)))
    confirmed = tuple(claim.relation for claim in claims if claim.slug not in off)
    return Written(tuple(folder / name for name in files), confirmed)


def confirmed_relations(source: Path, read: PaperRead, found: Sequence[Findings]) -> tuple[Relation, ...]:
    """The relations whose claims are judged as the search says, in a folder that is not kept."""
    with tempfile.TemporaryDirectory() as kept:
        return write_paper(Path(kept) / "paper", source, read, found).confirmed


def _claims(
    tables: Sequence[WrittenTable], found: Sequence[Findings], off: Mapping[str, str] | None = None
) -> list[WrittenClaim]:
    pairs = zip(tables, found, strict=True)
    return [claim for table, findings in pairs for claim in written_claims(table, findings, off)]


def unconfirmed(folder: Path) -> dict[str, str]:
    """The claims of a written folder that are not judged as the search says of their cells, each with its verdict."""
    from verify.judging.papers import load_paper
    from verify.judging.runner import run_claims

    paper = load_paper(folder)
    judged = run_claims([paper], list(paper.claims.values())).judgements
    return {
        claim_id.partition("/")[2]: f"judged {judgement.verdict.name}"
        for claim_id, judgement in judged.items()
        if judgement.unexpected
    }
