"""Statements that Coq proves in their words' full generality, by the record of the build that compiled them."""

from __future__ import annotations

__all__ = ["ProvedInCoq"]

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from theory.proofs import sources
from theory.relation import Relation
from theory.statement import Statement, Step
from verify.checks.base import Budget, Check
from verify.checks.derivation import DerivationHolds
from verify.search.domains import Values
from verify.verdicts import Evidence, Grade, Verdict, combine


@dataclass(frozen=True)
class ProvedInCoq(Check):
    """``theorem`` was proved by Coq from the sources of today, and the ``steps`` that show its heart in scalars hold.

    ``now`` is the digest of its sources as they are, ``built`` that of the build that Coq accepted, empty where there was none.
    PROVED where they agree; the finding says that nothing was compiled again. INCONCLUSIVE where they do not.
    """

    changes = "inequalities"

    theorem: str
    proposition: str
    now: str
    built: str
    coq: str
    axioms: tuple[str, ...]
    steps: tuple[Step, ...]
    domain: tuple[Relation, ...] = ()
    uses: tuple[Statement, ...] = field(default=())

    @classmethod
    def of(cls, statement: Statement) -> ProvedInCoq:
        """The check of a statement that names its theorem."""
        theorem, recorded = statement.proved_in, sources.record()
        entry = recorded["theorems"].get(theorem, {"sources": "", "axioms": []})
        return cls(
            theorem,
            sources.proposition(theorem),
            sources.digest(theorem),
            entry["sources"],
            recorded["coq"],
            tuple(entry["axioms"]),
            statement.steps,
            tuple(c for c in statement.conditions if c.op in (">=", ">")),
            statement.uses,
        )

    @cached_property
    def _derivation(self) -> DerivationHolds:
        return DerivationHolds(self.steps, self.domain, self.uses)

    def validate(self) -> None:
        self._derivation.validate()

    def values(self) -> Iterable[Values]:
        return self._derivation.values()

    def claimed(self) -> tuple[Relation, ...]:
        return self._derivation.claimed()

    def claiming(self, relations: Sequence[Relation]) -> ProvedInCoq:
        return replace(self, steps=self._derivation.claiming(relations).steps)

    def where(self) -> str:
        return self._derivation.where()

    def evidence(self, budget: Budget) -> Iterable[Evidence]:
        of_steps = combine(self._derivation.evidence(budget))
        if of_steps.verdict is not Verdict.PROVED:
            yield of_steps
            return
        details = {"formal": self.proposition, "steps": of_steps.details}
        if self.now != self.built:
            what = "was changed since" if self.built else "was never compiled by"
            finding = f"{self.theorem} {what} the build that is on record; make proofs compiles it"
            yield Evidence(Verdict.INCONCLUSIVE, Grade.EXACT, finding, details)
            return
        axioms = ", ".join(axiom.rpartition(".")[2] for axiom in self.axioms) or "no axiom"
        yield Evidence(
            Verdict.PROVED,
            Grade.PROOF_ASSISTANT,
            f"proved by Coq {self.coq} when this was built, not compiled again here: {self.proposition} "
            f"({self.theorem}, on {axioms}); its scalar steps: {of_steps.finding}",
            details,
        )
