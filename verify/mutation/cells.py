"""Misprint one cell of a paper's tables, load the paper again, and see whether some claim's verdict changes."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from verify.checks.base import Budget, Check
from verify.errors import InputError
from verify.judging.cache import Cache
from verify.judging.claims import Claim, Paper
from verify.judging.papers import load_paper
from verify.judging.runner import kept_evidence
from verify.mutation.digits import misprints
from verify.printed.tables import Misprint, Table, misprinted, read_table, recording_tables
from verify.verdicts import Evidence


@dataclass
class Baseline:
    """The papers as printed: their claims, and which table files each one reads."""

    papers: Mapping[Path, Paper]
    reads: Mapping[Path, set[Path]]
    budget: Budget
    cache: Cache | None
    seconds: dict[str, float] = field(default_factory=dict)
    known: dict[str, Evidence] = field(default_factory=dict)

    @classmethod
    def of(cls, folders: Sequence[Path], budget: Budget, cache: Cache | None) -> Baseline:
        papers, reads = {}, {}
        for folder in folders:
            _forget(folders)
            with recording_tables() as opened:
                papers[folder] = load_paper(folder)
            reads[folder] = opened
        return cls(papers, reads, budget, cache)

    def tables(self, folder: Path) -> list[tuple[Path, Table]]:
        """The tables in a paper's own folder."""
        return [
            (path, read_table(path)) for path in sorted(self.reads[folder]) if path.parent == folder.resolve()
        ]

    def evidence(self, check: Check) -> Evidence:
        """A check's evidence, kept in the cache like any other."""
        return kept_evidence(check, self.budget, self.cache)

    def printed_evidence(self, claim: Claim) -> Evidence:
        """The evidence for a claim with the table as printed."""
        assert claim.check is not None
        if claim.id not in self.known:
            self.known[claim.id] = self.evidence(claim.check)
        return self.known[claim.id]


def cell_mutants(table: Table) -> Iterator[tuple[int, str]]:
    """The cells of the columns that hold numbers, as (row, column): those that cannot be read among them."""
    for column in table.columns:
        if any(misprints(text, decimal_comma=table.decimal_comma) for text in column.cells):
            for row, cell in enumerate(table.cells(column.name)):
                if not cell.is_blank:
                    yield row, column.name


def judge_cell(baseline: Baseline, path: Path, row: int, column: str, chosen: set[str]) -> dict[str, Any]:
    """What became of every misprint of one cell, judged by the ``chosen`` claims that read it.

    A misprint is noticed when the verdict of some claim changes, or when the paper's
    own claims can no longer be built from the table.
    """
    table = read_table(path)
    text = table.cell(row, column).text
    outcomes = [
        {"text": other.text, "kind": other.kind}
        | _judge(baseline, Misprint(path, row, column, other.text), chosen)
        for other in misprints(text, decimal_comma=table.decimal_comma)
    ]
    return {
        "row": table.label(row),
        "column": column,
        "printed": text,
        "read": any(outcome["readers"] or outcome["noticed_by"] for outcome in outcomes),
        "misprints": outcomes,
    }


def _judge(baseline: Baseline, misprint: Misprint, chosen: set[str]) -> dict[str, Any]:
    changed: list[tuple[Claim, Claim]] = []
    for folder, paper in baseline.papers.items():
        if misprint.path not in baseline.reads[folder]:
            continue
        _forget(list(baseline.papers))
        try:
            with misprinted(misprint):
                other = load_paper(folder)
        except InputError as problem:
            return {"noticed_by": f"the claims of {paper.id} cannot be built: {problem}", "readers": []}
        if set(other.claims) != set(paper.claims):
            return {"noticed_by": f"the claims of {paper.id} are no longer the same ones", "readers": []}
        changed += [
            (claim, other.claims[name])
            for name, claim in paper.claims.items()
            if name in chosen and _differ(claim.check, other.claims[name].check)
        ]
    changed.sort(key=lambda pair: baseline.seconds.get(pair[0].id, 0.0))
    kept = []
    for before, after in changed:
        assert after.check is not None
        start = time.perf_counter()
        found = baseline.evidence(after.check)
        baseline.seconds[before.id] = time.perf_counter() - start
        if found.verdict is not baseline.printed_evidence(before).verdict:
            return {"noticed_by": before.id, "readers": [c.id for c, _ in changed]}
        kept.append(f"{before.id} stays {found.verdict.name}")
    return {"noticed_by": "", "readers": [c.id for c, _ in changed], "kept": kept}


def _differ(before: Check | None, after: Check | None) -> bool:
    if before is None or after is None:
        return before is not after
    return before.relevant() != after.relevant()


def _forget(folders: Sequence[Path]) -> None:
    """Drop the modules of these papers, so that loading one reads every table again."""
    homes = {folder.resolve() for folder in folders}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and Path(file).parent in homes:
            del sys.modules[name]
