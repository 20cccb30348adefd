"""From a claim to its judgement: evidence, mutants, repairs, and what was expected."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from theory.statement import Kind
from verify.checks.base import Check, Formula
from verify.details import as_json
from verify.errors import InputError
from verify.judging.claims import Claim
from verify.verdicts import UNDEFINED, Evidence, Grade, Verdict

Evaluate = Callable[[Check], Evidence]


@dataclass(frozen=True)
class Variant:
    """What became of a mutant or a repair."""

    kind: str
    name: str
    verdict: Verdict
    finding: str
    as_it_should: bool


@dataclass(frozen=True)
class Judgement:
    """The verdict on one claim and whether it is the expected one.

    ``fault`` says why the check itself is not to be trusted (a vacuous check
    passed a mutant, or failed a repair); the verdict is then ERROR. ``formulas``
    are the relations that the check claims, each as text and as LaTeX.
    """

    claim_id: str
    verdict: Verdict
    grade: Grade
    finding: str
    evidence: Mapping[str, Any]
    variants: tuple[Variant, ...]
    fault: str
    as_expected: bool
    missing: str
    formulas: tuple[Formula, ...] = ()

    @property
    def unexpected(self) -> bool:
        return not self.as_expected


def judge(claim: Claim, evaluate: Evaluate) -> Judgement:
    """Evaluate a claim and all its variants."""
    if claim.check is None:
        return Judgement(
            claim.id, Verdict.NOT_TESTABLE, Grade.EXACT, claim.not_testable, {}, (), "", True, ""
        )
    found = _with_its_argument(claim, evaluate(claim.check))
    variants: tuple[Variant, ...] = ()
    fault = ""
    untested = found.verdict is Verdict.NOT_TESTABLE and claim.expect is not Verdict.NOT_TESTABLE
    if not found.missing and not untested and found.verdict is not Verdict.ERROR:
        variants, lacking = _variants(claim, evaluate)
        fault = "; ".join(_complaint(v) for v in variants if not v.as_it_should)
        if lacking:  # without all of its variants a check has not shown that it tells true from false
            found, variants, fault = lacking, (), ""
    verdict = Verdict.ERROR if fault else found.verdict
    as_foreseen = verdict.holds if claim.expected is None else verdict is claim.expected
    expected = bool(found.missing) or as_foreseen
    return Judgement(
        claim_id=claim.id,
        verdict=verdict,
        grade=found.grade,
        finding=f"the check is not to be trusted: {fault}" if fault else found.finding,
        evidence=evidence_record(found),
        variants=variants,
        fault=fault,
        as_expected=expected and not fault,
        missing=found.missing,
    )


def _with_its_argument(claim: Claim, found: Evidence) -> Evidence:
    """The evidence for the steps as evidence for the conclusion, which words join to them where it is argued."""
    if claim.proves is None or claim.proves.kind is not Kind.ARGUED or found.verdict is not Verdict.PROVED:
        return found
    finding = (
        f"{found.finding}; words join these steps to the conclusion; to be proved by {claim.proves.to_prove}"
    )
    return replace(found, verdict=Verdict.ARGUED, finding=finding)


def _variants(claim: Claim, evaluate: Evaluate) -> tuple[tuple[Variant, ...], Evidence | None]:
    """The claim's variants, judged, and the evidence of the first one that lacks an optional input, if one does."""
    assert claim.check is not None
    judged = []
    changed = [("mutant", *each) for each in claim.mutants.items()]
    changed += [("repair", *each) for each in claim.repairs.items()]
    for kind, name, changes in changed:
        found = evaluate(claim.check.changed(changes))
        if found.missing:
            return (), replace(found, finding=f"its {kind} {name!r}: {found.finding}")
        if kind == "mutant":  # without a value nothing was compared, so nothing rejected
            as_it_should = found.verdict in claim.check.rejects_with and not found.details.get(UNDEFINED)
        else:
            as_it_should = found.verdict.holds
        judged.append(Variant(kind, name, found.verdict, found.finding, as_it_should))
    return tuple(judged), None


def _complaint(variant: Variant) -> str:
    wanted = "rejected" if variant.kind == "mutant" else "accepted"
    return f"its {variant.kind} {variant.name!r} should be {wanted} but came out {variant.verdict.name} ({variant.finding})"


def evidence_record(found: Evidence) -> dict[str, Any]:
    """Evidence as JSON values."""
    record = {field.name: as_json(getattr(found, field.name)) for field in fields(found)}
    record["verdict"] = found.verdict.name
    record["grade"] = found.grade.name.lower()
    return record


def evidence_from_record(record: Mapping[str, Any]) -> Evidence:
    """The inverse of `evidence_record`; KeyError, TypeError, AttributeError or InputError for what is no such record."""
    found = Evidence(
        **{**record, "verdict": Verdict[record["verdict"]], "grade": Grade[record["grade"].upper()]}
    )
    texts = (
        isinstance(found.finding, str)
        and isinstance(found.confirmed_by, str)
        and isinstance(found.missing, str)
    )
    if not (texts and isinstance(found.details, Mapping) and isinstance(found.witness, Mapping | None)):
        raise InputError("an entry of the evidence is of another type")
    return found
