"""The mutation score of a run: every printed digit and every holding claim, changed and judged again, in parallel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from empirics.base.workers import in_workers
from verify.checks.base import Budget, Check
from verify.checks.printed_table import PrintedTable
from verify.errors import InputError
from verify.judging.cache import Cache
from verify.judging.claims import Claim
from verify.judging.papers import THEORY
from verify.judging.runner import Run
from verify.judging.statement_claims import theory_paper
from verify.mutation.cells import Baseline, cell_mutants, judge_cell
from verify.mutation.columns import column_score, derived_columns
from verify.mutation.digits import LAST_DIGIT, TENTH
from verify.mutation.formulas import falsified
from verify.verdicts import Verdict


def mutation_record(
    run: Run,
    *,
    cache: Cache | None,
    jobs: int,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """The ``mutation`` part of report.json: scores by cell, by column and reading, and by claim.

    ``cells``: each printed number changed by one unit in its last digit and by 10%;
    noticed when the verdict of a claim of the run changes. ``columns``: each derived
    column by itself under each reading, beside the most that reading allows.
    ``claims``: one sign, exponent, inequality or index changed in each claim that holds, or whose steps do.
    """
    folders = [paper.folder for paper in run.papers if paper.id != THEORY]
    judged = {c.id: run.judgements[c.id].verdict for c in run.claims if c.id in run.judgements}
    holding = {name for name, verdict in judged.items() if verdict.holds or verdict is Verdict.ARGUED}
    tasks = list(_tasks(run, folders, holding))
    setting = (folders, run.profile, cache.folder if cache else None, {c.id for c in run.claims}, holding)
    done: dict[int, dict[str, Any]] = {}
    progress(0, len(tasks))
    for number, answer in _answers(tasks, setting, jobs):
        done[number] = answer
        progress(len(done), len(tasks))
    answers: dict[str, list[dict[str, Any]]] = {"cell": [], "column": [], "claim": []}
    for number, task in enumerate(tasks):
        answers[task[0]].append(done[number])
    return {
        "cells": _cells(answers["cell"]),
        "columns": answers["column"],
        "claims": _claims(answers["claim"]),
    }


Task = tuple[Any, ...]


def _tasks(run: Run, folders: Sequence[Path], holding: set[str]) -> Iterator[Task]:
    baseline = Baseline.of(folders, Budget.of_profile(run.profile), None)
    for folder in folders:
        for path, table in baseline.tables(folder):
            for row, column in cell_mutants(table):
                yield "cell", baseline.papers[folder].id, path, row, column
    for number, _ in enumerate(derived_columns(_chosen(baseline, {c.id for c in run.claims}), holding)):
        yield "column", number
    for claim in run.claims:
        if claim.id in holding:
            yield "claim", claim.id


def _chosen(baseline: Baseline, chosen: set[str]) -> list[Claim]:
    return [c for paper in baseline.papers.values() for c in paper.claims.values() if c.id in chosen]


def _answers(
    tasks: Sequence[Task], setting: tuple[Any, ...], jobs: int
) -> Iterator[tuple[int, dict[str, Any]]]:
    if jobs <= 1:
        answer = _start(*setting)
        yield from ((number, answer(task)) for number, task in enumerate(tasks))
    else:
        for finished in in_workers(_start, setting, tasks, workers=jobs):
            yield finished.number, finished.result()


class Worker:
    """One process's share: the papers as printed, loaded once."""

    def __init__(
        self, folders: Sequence[Path], profile: str, cache: Path | None, chosen: set[str], holding: set[str]
    ) -> None:
        self.chosen, self.holding = chosen, holding
        self.budget = Budget.of_profile(profile)
        self.baseline = Baseline.of(folders, self.budget, Cache(cache) if cache else None)
        self.claims = {c.id: c for c in _chosen(self.baseline, chosen)} | theory_paper().claims
        self.columns = derived_columns(_chosen(self.baseline, chosen), holding)

    def answer(self, task: Task) -> dict[str, Any]:
        kind = task[0]
        if kind == "cell":
            _, paper, path, row, column = task
            found = judge_cell(self.baseline, path, row, column, self.chosen)
            return {
                "paper": paper,
                "table": path.stem,
                **found,
                "misprints": [self._told(m) for m in found["misprints"]],
            }
        if kind == "column":
            return column_score(self.columns[task[1]], self.budget)
        return self._claim(self.claims[task[1]])

    def _told(self, misprint: dict[str, Any]) -> dict[str, Any]:
        """A misprint with the reason why it was not noticed, if it was not."""
        told = {"text": misprint["text"], "kind": misprint["kind"], "noticed_by": misprint["noticed_by"]}
        if misprint["noticed_by"]:
            return told
        if not misprint["readers"]:
            return told | {"why": "no claim reads this cell"}
        refuted = [
            text.partition(" stays ")[0] for text in misprint["kept"] if text.endswith(Verdict.REFUTED.name)
        ]
        held = [
            text.partition(" stays ")[0]
            for text in misprint["kept"]
            if not text.endswith(Verdict.REFUTED.name)
        ]
        parts = []
        if held:
            loose = [name for name in held if not isinstance(self.claims[name].check, PrintedTable)]
            derived = [name for name in held if name not in loose]
            if derived:
                parts.append(f"rounding leaves room for it in {', '.join(derived)}")
            if loose:
                parts.append(f"it also satisfies {', '.join(loose)}")
        if refuted:
            parts.append(f"{', '.join(refuted)} {'is' if len(refuted) == 1 else 'are'} refuted either way")
        return told | {"why": "; ".join(parts)}

    def _claim(self, claim: Claim) -> dict[str, Any]:
        assert claim.check is not None
        made = 0
        by_kind: dict[str, list[int]] = {}
        survivors = []
        for false in falsified(claim):
            relations = list(claim.check.claimed())
            relations[false.place] = false.relation
            try:
                changed = claim.check.claiming(relations)
            except InputError:
                continue  # not a claim any more: it reads nothing, or itself
            verdict = self._verdict(changed, false.place)
            made += 1
            score = by_kind.setdefault(false.kind, [0, 0])
            score[1] += 1
            score[0] += not verdict.holds
            if verdict.holds:
                survivors.append(
                    {
                        "kind": false.kind,
                        "says": str(false.relation),
                        "verdict": verdict.name,
                        "why": changed.holds_too,
                    }
                )
        return {"claim": claim.id, "mutants": made, "by_kind": by_kind, "survivors": survivors}

    def _verdict(self, check: Check, place: int) -> Verdict:
        """The verdict on a changed check; the changed column of a table alone, where that decides it already."""
        if isinstance(check, PrintedTable) and len(check.formulas) > 1:
            column = list(check.formulas)[place]
            alone = replace(check, formulas={column: check.formulas[column]})
            verdict = self.baseline.evidence(alone).verdict
            if verdict is Verdict.REFUTED:
                return verdict
        return self.baseline.evidence(check).verdict


def _start(*setting: Any) -> Callable[[Task], dict[str, Any]]:
    return Worker(*setting).answer


def _cells(cells: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The score of every column of every table, with its survivors and the cells nothing constrains."""
    columns: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for cell in cells:
        columns.setdefault((cell["paper"], cell["table"], cell["column"]), []).append(cell)
    return [
        {
            "paper": paper,
            "table": table,
            "column": column,
            "size": len(members),
            "scores": {kind: _score(members, kind) for kind in (LAST_DIGIT, TENTH)},
            "unread": [cell["row"] for cell in members if not cell["read"]],
            "unconstrained": [
                _unconstrained(c) for c in members if not any(m["noticed_by"] for m in c["misprints"])
            ],
            "survivors": [
                {
                    "row": cell["row"],
                    "printed": cell["printed"],
                    "misprint": m["text"],
                    "kind": m["kind"],
                    "why": m["why"],
                }
                for cell in members
                for m in cell["misprints"]
                if not m["noticed_by"] and cell["read"]
            ],
        }
        for (paper, table, column), members in columns.items()
    ]


def _unconstrained(cell: Mapping[str, Any]) -> str:
    """The row of a cell, and why nothing was changed in it, where it holds no number."""
    return cell["row"] if cell["misprints"] else f"{cell['row']} (not a number: {cell['printed']})"


def _score(cells: Sequence[Mapping[str, Any]], kind: str) -> list[int]:
    """[noticed, made] of one kind of misprint."""
    made = [m for cell in cells for m in cell["misprints"] if m["kind"] == kind]
    return [sum(1 for m in made if m["noticed_by"]), len(made)]


def _claims(claims: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    kinds: dict[str, list[int]] = {}
    for claim in claims:
        for kind, (noticed, made) in claim["by_kind"].items():
            score = kinds.setdefault(kind, [0, 0])
            score[0] += noticed
            score[1] += made
    return {
        "by_kind": kinds,
        "claims": [
            {key: claim[key] for key in ("claim", "mutants", "survivors")}
            for claim in claims
            if claim["mutants"]
        ],
    }
