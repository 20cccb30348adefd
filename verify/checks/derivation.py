"""The derivation of a statement: its equalities as identities, its inequalities by the gap rule."""

from __future__ import annotations

__all__ = ["DerivationHolds"]

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from theory.optima import Optimum
from theory.relation import Relation
from theory.statement import Statement, Step
from verify.checks.base import Budget, Check
from verify.checks.gap_rule import GapRule
from verify.checks.identity import Identity
from verify.checks.optimum import closed_form
from verify.checks.stated import relation_texts, where
from verify.errors import InputError
from verify.recheck import derivation as rereading
from verify.search.counterexamples import counterexample
from verify.search.domains import Values, values_of
from verify.verdicts import Evidence, Verdict, combine


@dataclass(frozen=True)
class DerivationHolds(Check):
    """Every step holds: inequalities on ``domain``, equalities wherever both sides are defined, or there.

    PROVED at the grade of the weakest step; REFUTED by a step that is false; cheap ones are looked at first.
    ``uses`` names the statements that the steps rest on.
    """

    changes = "inequalities"

    steps: tuple[Step, ...]
    domain: tuple[Relation, ...]
    uses: tuple[Statement, ...] = field(default=())

    def validate(self) -> None:
        if not self.steps:
            raise InputError("DerivationHolds: steps is empty, so nothing would be checked")
        for step in self.steps:
            if step.relation.op != "==":
                self._inequality(step)

    def values(self) -> Iterable[Values]:
        return values_of(self.domain)

    def claimed(self) -> tuple[Relation, ...]:
        return tuple(step.relation for step in self.steps)

    def claiming(self, relations: Sequence[Relation]) -> DerivationHolds:
        pairs = zip(self.steps, relations, strict=True)
        return replace(self, steps=tuple(replace(step, relation=relation) for step, relation in pairs))

    def where(self) -> str:
        return where(self.domain)

    def evidence(self, budget: Budget) -> Iterable[Evidence]:
        refuted = next(filter(None, (self._refuted(step, budget) for step in self.steps)), None)
        if refuted is not None:  # seen at a point, before any proof is looked for
            yield refuted
            return
        judged: dict[int, Evidence] = {}
        for i in sorted(range(len(self.steps)), key=lambda i: self.steps[i].relation.op != "=="):
            judged[i] = self._judged(self.steps[i], budget)
            if judged[i].verdict is not Verdict.PROVED:
                yield judged[i]
                return
        found = [judged[i] for i in range(len(self.steps))]
        yield Evidence(
            Verdict.PROVED,
            min(piece.grade for piece in found),
            "; ".join(piece.finding for piece in found),
            {
                "certificate": {
                    "kind": rereading.KIND,
                    "steps": [piece.details["certificate"] for piece in found],
                },
                "rechecked_by": rereading.__name__,
            },
        )

    def _refuted(self, step: Step, budget: Budget) -> Evidence | None:
        """A point of the domain at which an inequality fails."""
        if step.relation.op == "==":
            return None
        return counterexample(step.relation, self.domain, budget.samples)

    def _judged(self, step: Step, budget: Budget) -> Evidence:
        if step.relation.op != "==":
            return combine(self._inequality(step).evidence(budget))
        if isinstance(step.relation.lhs, Optimum):
            return closed_form(step.relation, budget)
        as_identity = combine(Identity((step.relation,)).evidence(budget))
        if as_identity.verdict is not Verdict.INCONCLUSIVE or not self._covers(step.relation):
            return as_identity
        pieces = [combine(check.evidence(budget)) for check in self._both_ways(step)]
        undecided = next((piece for piece in pieces if piece.verdict is not Verdict.PROVED), None)
        if undecided is not None:
            return undecided
        one, other = (piece.details["certificate"] for piece in pieces)
        return Evidence(
            Verdict.PROVED,
            min(piece.grade for piece in pieces),
            f"{step.relation} proved for all {', '.join(map(str, self.domain))}",
            {
                "certificate": {
                    **one,
                    "relation": relation_texts(step.relation),
                    "proof": [one["proof"], other["proof"]],
                }
            },
        )

    def _covers(self, relation: Relation) -> bool:
        used = relation.lhs.free_symbols | relation.rhs.free_symbols
        return bool(used) and used <= {condition.lhs for condition in self.domain}

    def _both_ways(self, step: Step) -> Iterator[GapRule]:
        for op in ("<=", ">="):
            yield self._inequality(replace(step, relation=replace(step.relation, op=op)))

    def _inequality(self, step: Step) -> GapRule:
        return GapRule(step.relation, self.domain, step.on, step.given)
