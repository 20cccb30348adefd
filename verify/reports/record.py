"""report.json: the truth of a run, the same bytes for the same inputs.

Everything that may differ between two equal runs (dates, seconds, hardware,
what came from the cache) lives in ``run.json`` beside it. ``digest`` in the
report is the SHA-256 of its other content.
"""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from empirics.base.provenance import version_of
from theory.statement import Kind
from verify.checks.stated import where
from verify.errors import InputError
from verify.judging.claims import Claim
from verify.judging.graph import Standing, edges, standings
from verify.judging.holm import family_records
from verify.judging.judge import Judgement
from verify.judging.papers import THEORY, installed_folders
from verify.judging.runner import Run, available_cores
from verify.recheck.sealed import SCHEMA, NotAReport, is_sealed, read_file, seal
from verify.reports.schema import check_form
from verify.verdicts import Verdict

Record = dict[str, Any]


def report_record(run: Run, *, require_all: bool = False, mutation: Record | None = None) -> Record:
    """The report as JSON values; ``mutation`` is the score of `verify.mutation`, where it was asked for."""
    everything = [claim for paper in run.papers for claim in paper.claims.values()]
    known = standings(run.claims, run.judgements, everything)
    own = {paper.id for paper in run.papers} - {THEORY, *installed_folders()}
    families = family_records(everything, run.judgements)
    entries = [
        _entry(claim, run.judgements[claim.id], known[claim.id], _rerun(claim.id, own), require_all)
        | {"family": families[claim.id]}
        for claim in run.claims
        if claim.id in run.judgements
    ]
    content: Record = {
        "schema": SCHEMA,
        "version": version_of("moelaws"),
        "profile": run.profile,
        "complete": run.complete,
        "not_run": [claim.id for claim in run.claims if claim.id not in run.judgements],
        "papers": [
            {
                "id": p.id,
                "title": p.title,
                "authors": p.authors,
                "year": p.year,
                "reference": p.reference,
                "caveat": p.caveat,
            }
            for p in run.papers
        ],
        "summary": _summary(entries),
        "claims": entries,
        "assumptions": _assumptions(known, everything),
        "mutation": mutation,
        "edges": [list(pair) for pair in edges(run.claims)],
    }
    return {**content, "digest": seal(content)}


def run_record(run: Run) -> Record:
    """What may differ between equal runs: when, where, how long, what was reused."""
    return {
        "finished": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "seconds": {name: round(value, 3) for name, value in sorted(run.seconds.items())},
        "reused": sorted(run.reused),
        "machine": {
            "system": platform.system(),
            "architecture": platform.machine(),
            "cores": available_cores(),
            "python": platform.python_version(),
        },
        "packages": {
            name: version_of(name) for name in ("sympy", "mpmath", "numpy", "scipy", "python-flint")
        },
    }


def to_json(record: Mapping[str, Any]) -> str:
    """Canonical text of a report."""
    return json.dumps(record, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def read_report(path: Path) -> Record:
    """Load a report.json (or the one in a folder) and check that it is whole; InputError where it is not."""
    try:
        record = read_file(path)
    except NotAReport as problem:
        raise InputError(str(problem)) from None
    if not is_sealed(record):
        raise InputError(
            f"{path}: its digest does not match its content; it was changed after it was written"
        )
    check_form(record, path)
    return record


def _entry(claim: Claim, judged: Judgement, standing: Standing, rerun: str, require_all: bool) -> Record:
    expected = "holds" if claim.expected is None else claim.expected.name
    as_expected = judged.as_expected and not (require_all and judged.missing)
    refuted = judged.verdict is Verdict.REFUTED
    return {
        "id": claim.id,
        "words": claim.words,
        "where": claim.where,
        "source": claim.source,
        "conclusion": _conclusion(claim),
        "quote": claim.quote,
        "reading": claim.reading,
        "check": type(claim.check).__name__ if claim.check else "",
        "formulas": list(judged.formulas),
        "verdict": judged.verdict.name,
        "expected": expected,
        "because": claim.because,
        "control": claim.control,
        "headline": claim.headline if refuted else "",
        "origin": claim.whose.value,
        "severity": claim.weighed(judged.evidence["details"]).value if refuted else "",
        "as_expected": as_expected,
        "grade": judged.grade.name.lower(),
        "finding": judged.finding,
        "fault": judged.fault,
        "missing": judged.missing,
        "evidence": judged.evidence,
        "variants": [
            {
                "kind": v.kind,
                "name": v.name,
                "verdict": v.verdict.name,
                "finding": v.finding,
                "as_it_should": v.as_it_should,
            }
            for v in judged.variants
        ],
        "closed": standing.closed and judged.verdict.holds,
        "given": list(standing.given),
        "argued": list(standing.argued),
        "open": list(standing.open),
        "rerun": rerun,
    }


def _conclusion(claim: Claim) -> Record | None:
    """What a claim on a statement concludes, and where: a proof has to make just this."""
    if claim.proves is None:
        return None
    relation = claim.proves.conclusion
    assert claim.check is not None
    return {"text": str(relation), "latex": relation.latex(), "where": claim.check.where()}


def _rerun(claim_id: str, own: set[str]) -> str:
    """The command that repeats a verdict; a paper that is not installed is named by its folder."""
    paper_id = claim_id.split("/")[0]
    where = f"PATH/TO/{paper_id} " if paper_id in own else ""
    return f"moelaws verify {where}{claim_id}"


def _summary(entries: list[Record]) -> Record:
    counts = {verdict.name: 0 for verdict in Verdict}
    counted = [entry for entry in entries if not entry["control"]]
    for entry in counted:
        counts[entry["verdict"]] += 1
    return {
        "claims": len(counted),
        "controls": len(entries) - len(counted),
        "verdicts": counts,
        "unexpected": [entry["id"] for entry in entries if not entry["as_expected"]],
        "missing_inputs": [entry["id"] for entry in entries if entry["missing"]],
    }


def _assumptions(known: Mapping[str, Standing], claims: Sequence[Claim]) -> list[Record]:
    statements = {
        assumed.name: assumed
        for claim in claims
        for used in claim.statements()
        for assumed in (used, *used.assumptions())
        if assumed.kind is Kind.ASSUMPTION
    }
    names = sorted({name for standing in known.values() for name in standing.given})
    return [
        {
            "name": name,
            "words": statement.words,
            "formula": str(statement.conclusion),
            "latex": statement.conclusion.latex(),
            "where": where(statement.conditions),
            "source": str(statement.source),
            "hypotheses": [f"{h.name}: {h.words}" for h in statement.hypotheses],
            "reading": statement.reading,
            "used_by": sorted(claim for claim, standing in known.items() if name in standing.given),
        }
        for name, statement in ((n, statements[n]) for n in names)
    ]
