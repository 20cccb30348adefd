"""What a report.json holds: the one check of a report that was read, so that nothing behind it meets what it does not know.

Entries that are not named here may stand in a report and are passed on. What the details of a claim hold is said by the
figure that shows them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Annotated, Any, NotRequired

from pydantic import AfterValidator, TypeAdapter
from pydantic_core import PydanticCustomError
from typing_extensions import TypedDict

from empirics.runs.record import RunError, refused_in_a_line
from verify.errors import InputError
from verify.judging.severity import Origin, Severity
from verify.reports.figures.base import Pair, figure_of
from verify.verdicts import Verdict


def check_form(record: Mapping[str, Any], path: Path) -> None:
    """InputError where a report lacks an entry, or holds one of another type; the first is named."""
    try:
        with refused_in_a_line(f"{path}: not a report of this version"):
            TypeAdapter(_Report).validate_python(record, strict=True)
    except RunError as problem:
        raise InputError(str(problem)) from None


def _one_of(*known: str) -> Callable[[str], str]:
    def checked(text: str) -> str:
        if text not in known:
            raise PydanticCustomError(
                "form", "expected one of {known}", {"known": ", ".join(filter(None, known))}
            )
        return text

    return checked


def _every_verdict(counts: dict[str, int]) -> dict[str, int]:
    if counts.keys() != Verdict.__members__.keys():
        raise PydanticCustomError(
            "form", "expected a count of each of {known}", {"known": ", ".join(Verdict.__members__)}
        )
    return counts


def _without_circle(edges: list[list[str]]) -> list[list[str]]:
    uses: dict[str, set[str]] = {}
    for user, used in edges:
        uses.setdefault(user, set()).add(used)
    try:
        TopologicalSorter(uses).prepare()
    except CycleError as problem:
        raise PydanticCustomError(
            "form", "they go in a circle: {places}", {"places": " -> ".join(problem.args[1])}
        ) from None
    return edges


def _each_once(claims: list[Any]) -> list[Any]:
    if len({claim["id"] for claim in claims}) < len(claims):
        raise PydanticCustomError("form", "two claims have one id")
    return claims


def _with_evidence_of_its_check(claim: Any) -> Any:
    if bool(claim["check"]) != bool(claim["evidence"]):
        raise PydanticCustomError(
            "form", "expected evidence where there is a check, and none where there is none"
        )
    return claim


def _as_its_figure_shows(details: Any) -> Any:
    certificate = details.get("certificate")
    if certificate is not None and not (
        isinstance(certificate, dict)
        and isinstance(certificate.get("kind"), str)
        and all(isinstance(certificate.get(name, []), list) for name in ("steps", "relations"))
    ):
        raise PydanticCustomError("form", "expected a certificate that says its kind")
    figure = figure_of(details)
    return details if figure is None else TypeAdapter(figure.shape).validate_python(details, strict=True)


def _of_a_check(evidence: Any) -> Any:
    """Nothing at all where a claim has no check."""
    return evidence and TypeAdapter(_Evidence).validate_python(evidence, strict=True)


VerdictName = Annotated[str, AfterValidator(_one_of(*Verdict.__members__))]


class _Paper(TypedDict):
    id: str
    title: str
    authors: str
    year: int
    reference: str
    caveat: str


class _Formula(TypedDict):
    text: str
    latex: str
    where: NotRequired[str]


class _Evidence(TypedDict):
    verdict: VerdictName
    grade: str
    finding: str
    confirmed_by: str
    details: Annotated[dict[str, Any], AfterValidator(_as_its_figure_shows)]


class _Variant(TypedDict):
    kind: str
    name: str
    verdict: VerdictName
    finding: str
    as_it_should: bool


class _Family(TypedDict):
    name: str
    members: int
    p: str
    adjusted_p: str | None


class _Claim(TypedDict):
    id: str
    words: str
    where: str
    source: str
    quote: str
    reading: str
    check: str
    formulas: list[_Formula]
    conclusion: _Formula | None
    verdict: VerdictName
    expected: str
    because: str
    control: bool
    headline: str
    origin: Annotated[str, AfterValidator(_one_of(*(origin.value for origin in Origin)))]
    severity: Annotated[str, AfterValidator(_one_of("", *(severity.value for severity in Severity)))]
    as_expected: bool
    grade: str
    finding: str
    fault: str
    missing: str
    evidence: Annotated[dict[str, Any], AfterValidator(_of_a_check)]
    variants: list[_Variant]
    closed: bool
    given: list[str]
    open: list[str]
    argued: list[str]
    rerun: str
    family: _Family | None


class _Summary(TypedDict):
    claims: int
    controls: int
    verdicts: Annotated[dict[str, int], AfterValidator(_every_verdict)]
    unexpected: list[str]
    missing_inputs: list[str]


class _Assumption(TypedDict):
    name: str
    words: str
    formula: str
    latex: str
    where: str
    source: str
    hypotheses: list[str]
    reading: str
    used_by: list[str]


class _Misprint(TypedDict):
    row: str
    printed: str
    misprint: str
    why: str


class _MutatedColumn(TypedDict):
    paper: str
    table: str
    column: str
    size: int
    scores: dict[str, Pair[int]]
    unconstrained: list[str]
    survivors: list[_Misprint]


class _Reading(TypedDict):
    inputs: str
    outputs: str
    mutants: int
    noticed: int
    maximum: int | None
    excluded: list[str]


class _DerivedColumn(TypedDict):
    table: str
    column: str
    readings: list[_Reading]


class _Falsified(TypedDict):
    kind: str
    says: str
    why: str


class _FalsifiedClaim(TypedDict):
    claim: str
    survivors: list[_Falsified]


class _FalsifiedClaims(TypedDict):
    by_kind: dict[str, Pair[int]]
    claims: list[_FalsifiedClaim]


class _Mutation(TypedDict):
    cells: list[_MutatedColumn]
    columns: list[_DerivedColumn]
    claims: _FalsifiedClaims


class _Report(TypedDict):
    schema: int
    version: str
    profile: str
    complete: bool
    not_run: list[str]
    papers: list[_Paper]
    summary: _Summary
    claims: Annotated[
        list[Annotated[_Claim, AfterValidator(_with_evidence_of_its_check)]], AfterValidator(_each_once)
    ]
    assumptions: list[_Assumption]
    mutation: _Mutation | None
    edges: Annotated[list[Pair[str]], AfterValidator(_without_circle)]
    digest: str
