"""A theorem: its steps hold, and the kernel makes its conclusion from them and from what it uses."""

from __future__ import annotations

__all__ = ["TheoremHolds"]

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from theory.optima import Optimum
from theory.relation import Relation
from theory.statement import Kind, Statement, Step
from theory.vocabulary import as_text
from verify.checks.base import Budget, Check
from verify.checks.derivation import DerivationHolds
from verify.checks.formal import ProvedInCoq
from verify.checks.identity import Identity
from verify.checks.stated import stated, where
from verify.recheck import theorem as rereading
from verify.recheck import theorems as kernel
from verify.recheck.rejected import Rejected
from verify.search.chaining import Chain
from verify.search.domains import Values
from verify.verdicts import Evidence, Grade, Verdict, combine


@dataclass(frozen=True)
class TheoremHolds(Check):
    """``conclusion`` follows, on ``domain``, from ``steps`` that hold and from the statements that it ``uses``.

    PROVED: every step is, and the kernel's rules make the conclusion from the steps, from identities, and from the
    conclusions and definitions of ``uses``, each of which it needs. REFUTED by a step that is false.
    """

    changes = "inequalities"

    conclusion: Relation
    steps: tuple[Step, ...]
    domain: tuple[Relation, ...] = ()
    uses: tuple[Statement, ...] = field(default=())

    @cached_property
    def _derivation(self) -> DerivationHolds:
        return DerivationHolds(self.steps, self.domain, self.uses)

    def validate(self) -> None:
        self._derivation.validate()

    def values(self) -> Iterable[Values]:
        return self._derivation.values()

    def claimed(self) -> tuple[Relation, ...]:
        of_steps = self._derivation.claimed()
        return of_steps if self._is_step else (*of_steps, self.conclusion)

    @property
    def _is_step(self) -> bool:
        return str(self.conclusion) in [str(step.relation) for step in self.steps]

    def claiming(self, relations: Sequence[Relation]) -> TheoremHolds:
        count = len(self.steps)
        steps = self._derivation.claiming(relations[:count]).steps
        return replace(self, steps=steps, conclusion=self._concluded(relations))

    def _concluded(self, relations: Sequence[Relation]) -> Relation:
        """The conclusion among the claimed relations: the last one, or the step that it is."""
        if not self._is_step:
            return relations[-1]
        return relations[[str(step.relation) for step in self.steps].index(str(self.conclusion))]

    def where(self) -> str:
        return where(self.domain)

    def evidence(self, budget: Budget) -> Iterable[Evidence]:
        yield self.concluded(combine(self._derivation.evidence(budget)))

    def concluded(self, of_steps: Evidence) -> Evidence:
        """The evidence for the conclusion, by that for the steps."""
        if of_steps.verdict is not Verdict.PROVED:
            return of_steps
        certificate = self._certificate(of_steps.details["certificate"]["steps"])
        if certificate is None:
            what = f"its steps hold, and {self.conclusion} does not follow from them"
            return Evidence(Verdict.INCONCLUSIVE, Grade.SAMPLED, what)
        if idle := self._idle(certificate):
            what = f"its conclusion does not need {', '.join(idle)}, which it is said to use; leave it out of uses"
            return Evidence(Verdict.INCONCLUSIVE, Grade.SAMPLED, what)
        try:
            rereading.reread(certificate)
        except Rejected as problem:
            return Evidence(Verdict.ERROR, Grade.EXACT, f"the certificate was rejected: {problem}")
        details = {"certificate": certificate, "rechecked_by": rereading.__name__}
        return Evidence(Verdict.PROVED, of_steps.grade, self._finding(of_steps.finding, certificate), details)

    def _idle(self, certificate: dict[str, Any]) -> list[str]:
        """What it is said to use and no line needs."""
        given = {name for name, *_ in rereading.lemmas(certificate)}
        symbols = {symbol for symbol, _ in certificate["definitions"]}
        return [
            s.name
            for s in self.uses
            if s.name not in given and (s.kind is not Kind.DEFINITION or s.conclusion.lhs.name not in symbols)
        ]

    def _finding(self, of_steps: str, certificate: dict[str, Any]) -> str:
        if self._is_step:
            return of_steps
        sources = [f"the definition of {symbol}" for symbol, _ in certificate["definitions"]]
        sources += [record["statement"] for record in certificate["given"]]
        of_what = f", with {', '.join(sources)}" if sources else ""
        return f"{of_steps}; {self.conclusion} is made from that{of_what}"

    def _certificate(self, steps: list[Any]) -> dict[str, Any] | None:
        facts = [kernel.facts(step) for step in steps]
        definitions = [(s.conclusion.lhs.name, as_text(s.bound)) for s in self._definitions]
        given = [
            {"statement": s.name, **stated(s.conclusion, s.conditions)}
            for s in self.uses
            if s.kind is not Kind.DEFINITION and s.conclusion.op in ("==", "<=", ">=")
        ]
        chain = Chain(facts, definitions, given)
        claim = stated(self.conclusion, self.domain)
        if not chain.made_of(*claim["relation"]):
            return None
        of = {
            part: sorted({line[part] for line in chain.lines if part in line})
            for part in ("definition", "given")
        }
        lines = [
            {key: of[key].index(value) if key in of else value for key, value in line.items()}
            for line in chain.lines
        ]
        return {
            "kind": rereading.KIND,
            **claim,
            "symbols": kernel.asked_positive(chain.made[-1], [tuple(bound) for bound in claim["domain"]]),
            "definitions": [list(definitions[i]) for i in of["definition"]],
            "given": [given[i] for i in of["given"]],
            "steps": steps,
            "lines": lines,
        }

    @property
    def _definitions(self) -> list[Statement]:
        return [s for s in self.uses if s.kind is Kind.DEFINITION]


def derivation(statement: Statement) -> Identity | DerivationHolds | TheoremHolds | ProvedInCoq:
    """The check of a statement: of a theorem that its conclusion is made or Coq proves it, of an argued one that its steps hold.

    Equalities with no domain are identities.
    """
    if statement.proved_in:
        return ProvedInCoq.of(statement)
    if statement.kind is Kind.THEOREM:
        return TheoremHolds(statement.conclusion, statement.steps, statement.conditions, statement.uses)
    optima = any(isinstance(step.relation.lhs, Optimum) for step in statement.steps)
    if (
        not optima
        and all(s.relation.op == "==" for s in statement.steps)
        and not _is_domain(statement.conditions)
    ):
        return Identity.of(statement)
    return DerivationHolds(statement.steps, statement.conditions, statement.uses)


def _is_domain(conditions: Sequence[Relation]) -> bool:
    return bool(conditions) and all(condition.op == ">=" for condition in conditions)
