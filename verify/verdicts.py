"""The seven verdicts, the grades of evidence, and how pieces of evidence combine."""

from __future__ import annotations

__all__ = ["Evidence", "Grade", "Verdict"]

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


class Verdict(enum.Enum):
    """What is known of a claim; a member's value is its message to a reader."""

    PROVED = "exact or rigorous over the whole stated domain"
    ARGUED = "the steps are proved, and words join them to the conclusion"
    SUPPORTED = "printed numbers are consistent, or the pre-stated statistical rule passed"
    INCONCLUSIVE = "not decided by the evidence or within the budget"
    NOT_TESTABLE = "something that a test needs is missing"
    REFUTED = "false, with a witness that a second evaluator confirmed"
    ERROR = "the check failed, or its evidence contradicts itself"

    @property
    def holds(self) -> bool:
        return self in (Verdict.PROVED, Verdict.SUPPORTED)

    @property
    def glyph(self) -> str:
        return {"PROVED": "■", "ARGUED": "□", "SUPPORTED": "✓", "INCONCLUSIVE": "?", "NOT_TESTABLE": "–",
                "REFUTED": "✗", "ERROR": "!"}[self.name]  # fmt: skip


UNDEFINED = "undefined"
"""The entry of ``details`` that says what could not be evaluated or read, so that nothing was decided for or against."""


class Grade(enum.IntEnum):
    """How strong evidence is; a higher grade outranks a lower one."""

    SAMPLED = 1
    STATISTICAL = 2
    SMT = 3
    BALL = 4
    EXACT = 5
    PROOF_ASSISTANT = 6


@dataclass(frozen=True)
class Evidence:
    """One checker's answer.

    ``finding`` is a sentence a referee could use. A refutation carries the
    ``witness`` it rests on and ``confirmed_by``, the second evaluator that
    reached it independently. ``missing`` names an optional input that was
    not there. ``details`` are JSON values for the report.
    """

    verdict: Verdict
    grade: Grade
    finding: str
    details: Mapping[str, Any] = field(default_factory=dict)
    witness: Mapping[str, Any] | None = None
    confirmed_by: str = ""
    missing: str = ""


def combine(pieces: Iterable[Evidence]) -> Evidence:
    """The evidence that decides: the highest grade, with contradictions turned into ERROR.

    A refutation without a confirmed witness, sampling that claims to prove,
    PROVED beside REFUTED, and two decided answers that clash at the same grade
    are all errors of the check, never a verdict on the claim.
    """
    evidence = list(pieces)
    if not evidence:
        return _error("the check returned no evidence")
    for piece in evidence:
        if piece.verdict is Verdict.REFUTED and not (piece.witness and piece.confirmed_by):
            return _error(f"a refutation without a confirmed witness: {piece.finding}")
        if piece.grade is Grade.SAMPLED and piece.verdict.holds:
            return _error(f"sampling alone cannot establish a claim: {piece.finding}")
        if piece.verdict is Verdict.PROVED and piece.grade < Grade.BALL:
            return _error(f"{piece.grade.name.lower()} evidence cannot prove: {piece.finding}")
        if piece.missing and piece.verdict is not Verdict.NOT_TESTABLE:
            return _error(f"{piece.verdict.name} although {piece.missing} is missing: {piece.finding}")
        if piece.verdict is Verdict.NOT_TESTABLE and not piece.finding:
            return _error("NOT_TESTABLE needs a reason")
    errors = [piece for piece in evidence if piece.verdict is Verdict.ERROR]
    if errors:
        return errors[0]
    decided = [p for p in evidence if p.verdict.holds or p.verdict is Verdict.REFUTED]
    if not decided:
        return max(evidence, key=lambda piece: piece.grade)
    proved = next((p for p in decided if p.verdict is Verdict.PROVED), None)
    refuted = next((p for p in decided if p.verdict is Verdict.REFUTED), None)
    if proved and refuted:
        return _error(f"contradiction: proved ({proved.finding}) and refuted ({refuted.finding})")
    best = max(p.grade for p in decided)
    top = [p for p in decided if p.grade == best]
    if any(p.verdict.holds for p in top) and any(p.verdict is Verdict.REFUTED for p in top):
        return _error("contradiction at the same grade: " + "; ".join(p.finding for p in top))
    return top[0]


def _error(message: str) -> Evidence:
    return Evidence(Verdict.ERROR, Grade.EXACT, message)
