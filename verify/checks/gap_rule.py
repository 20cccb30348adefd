"""Inequalities on a half-line or a cone, proved by the gap rule: zero at one end, and away from it."""

from __future__ import annotations

__all__ = ["GapRule"]

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from theory.relation import Relation
from theory.statement import Instance
from theory.vocabulary import as_text
from verify.checks.base import Budget, OneRelation, cannot_evaluate
from verify.checks.stated import stated, where
from verify.errors import InputError
from verify.recheck import gap_rule
from verify.recheck.certificates import ask
from verify.recheck.rejected import Rejected
from verify.recheck.texts import Unreadable
from verify.search.counterexamples import counterexample
from verify.search.domains import Values, check_domain, parameter, places, values_of
from verify.search.gap_rule import (
    Form,
    Node,
    NotElementary,
    Search,
    at_end,
    less,
    normal_form,
    without_factorials,
)
from verify.verdicts import Evidence, Grade, Verdict

RECHECKED_BY = "verify.recheck.gap_rule"


@dataclass(frozen=True)
class GapRule(OneRelation):
    """An inequality that holds for all values of a domain, with ``x log x = 0`` at 0.

    ``domain`` bounds the symbols from below in turn: ``(k >= 1, M >= k)``; where a bound is strict
    (``x > 0``), neither side needs a value there. ``on``
    names an integer symbol to induct on, from its lower bound upwards; the gap
    between the sides then has to be nonnegative at the start and never to shrink. ``given``
    are instances of other statements: their gaps are subtracted before the proof, and
    their conditions are proved too.

    PROVED: a tree of sign conditions was found, and re-checked by separate code.
    REFUTED: the inequality fails at an exact point of a grid, by Arb and by mpmath.
    INCONCLUSIVE says nothing about the inequality. Both sides need a value on all of the domain: what is divided by
    has to be seen to be nonzero there, in a logarithm only up to the edge.
    """

    changes = "inequalities"

    domain: tuple[Relation, ...]
    on: sp.Symbol | None = None
    given: tuple[Instance, ...] = field(default=())

    def validate(self) -> None:
        super().validate()
        if self.relation.op not in ("<=", ">="):
            raise InputError(f"GapRule: expected <= or >=, got {self.relation}")
        check_domain(self.domain, self.relation.lhs.free_symbols | self.relation.rhs.free_symbols, "GapRule")
        counted = {s for side in (self.relation.lhs, self.relation.rhs) for s in _counted(side)}
        counted |= {c.lhs for c in self.domain} if self.on is not None else set()
        for symbol in sorted(counted, key=str):
            if not symbol.is_integer:
                raise InputError(f"GapRule: {symbol} counts something here; declare it an integer")
        if self.on is not None and self.on not in [c.lhs for c in self.domain if c.op == ">="]:
            raise InputError(f"GapRule(on={self.on}): expected a symbol of the domain, bounded by >=")
        if self.on is not None and self.given:
            raise InputError(
                "GapRule: an induction takes no given statements; prove the sum in a step of its own"
            )
        for instance in self.given:
            conclusion = instance.statement.conclusion
            if conclusion.op not in ("<=", ">="):
                raise InputError(f"GapRule: {instance} is no inequality")
            used = conclusion.lhs.free_symbols | conclusion.rhs.free_symbols
            check_domain(instance.statement.conditions, used, f"GapRule: given {instance.statement.name}")
            for symbol, value in instance.replaced:
                if symbol.is_integer and not value.is_integer:
                    raise InputError(f"GapRule: {instance} puts {value}, not seen to be an integer, for one")

    def values(self) -> Iterable[Values]:
        yield from values_of(self.domain)
        for instance in self.given:
            yield from values_of(instance.statement.conditions)

    def where(self) -> str:
        return where(self.domain)

    def evidence(self, budget: Budget) -> Iterable[Evidence]:
        refutation = counterexample(self.relation, self.domain, budget.samples)
        if refutation is not None:
            yield refutation
        else:
            yield self.proof(budget)

    def proof(self, budget: Budget) -> Evidence:
        """PROVED with its certificates, or INCONCLUSIVE: the search alone, without a look for counterexamples."""
        try:
            certificate = self._certificate(budget)
        except NotElementary as problem:
            return cannot_evaluate(f"not in the class of the gap rule: {problem}")
        except _NoProof as problem:
            return Evidence(Verdict.INCONCLUSIVE, Grade.SAMPLED, f"the gap rule finds no proof of {problem}")
        try:
            gap_rule.reread(certificate)
        except Unreadable as problem:
            return beyond(self.relation, problem)
        except Rejected as problem:
            return Evidence(Verdict.ERROR, Grade.EXACT, f"the certificate was rejected: {problem}")
        how = f" by induction on {self.on}" if self.on is not None else ""
        lemmas = f", given {', '.join(map(str, self.given))}" if self.given else ""
        domain = ", ".join(map(str, self.domain))
        return Evidence(
            Verdict.PROVED,
            Grade.BALL if _uses_numbers(certificate) else Grade.EXACT,
            f"{self.relation} proved{how} for all {domain}{lemmas}",
            {"certificate": certificate, "rechecked_by": RECHECKED_BY},
        )

    def _certificate(self, budget: Budget) -> dict[str, Any]:
        proof = self._proof(budget)
        given = [_given(instance, self.domain, budget) for instance in self.given]
        return {"kind": gap_rule.KIND, **stated(self.relation, self.domain), "given": given, "proof": proof}

    def _proof(self, budget: Budget) -> dict[str, Any]:
        """A tree for the gap, or for the base and the step of an induction."""
        here = places(self.domain)
        gap = _gap(self.relation, here)
        if self.on is None:
            for instance in self.given:
                gap = less(gap, _gap(instance.relation, here))
            return {"gap": _tree(gap, self.relation, budget)}
        start = at_end(gap, parameter(self.on), "0")
        if start is None:
            raise _NoProof(self.relation)
        before = places(self.domain, beyond=self.on)
        after = {**before, self.on: before[self.on] + 1}
        step = less(_gap(self.relation, after), _gap(self.relation, before))
        return {
            "on": self.on.name,
            "base": _tree(start, self.relation, budget),
            "step": _tree(step, self.relation, budget),
        }


class _NoProof(Exception):
    """The search ended without a proof of the relation that it names."""


def _tree(gap: Form, relation: Relation, budget: Budget) -> Node:
    tree = Search(budget.boxes).prove(without_factorials(gap))
    if tree is None:
        raise _NoProof(relation)
    return tree


def _given(instance: Instance, domain: Sequence[Relation], budget: Budget) -> dict[str, Any]:
    """An instance of a statement as a certificate holds it, with a proof of each of its conditions."""
    statement, here = instance.statement, places(domain)
    return {
        "statement": statement.name,
        **stated(statement.conclusion, statement.conditions),
        "at": {symbol.name: as_text(value) for symbol, value in instance.replaced},
        "conditions": [_tree(_gap(c, here), c, budget) for c in instance.conditions],
    }


def recheck_relation(relation: Relation, domain: Sequence[Relation], certificate: Mapping[str, Any]) -> None:
    """Raise `Rejected` unless a certificate is for this relation on this domain, and proves it."""
    if ask(certificate, "shown") != [(str(relation), where(domain))]:
        raise Rejected(f"the certificate is not for {relation} on {where(domain)}")
    ask(certificate, "reread")


def beyond(relation: Relation, why: Unreadable) -> Evidence:
    """INCONCLUSIVE: a proof was found, of a relation that the second checker does not cover."""
    return cannot_evaluate(f"{relation} is not decided: {why}")


def strict_names(domain: Sequence[Relation]) -> list[str]:
    """The symbols whose lower bound is not part of the domain."""
    return [condition.lhs.name for condition in domain if condition.op == ">"]


def _gap(relation: Relation, where: dict[sp.Symbol, sp.Expr]) -> Form:
    low, high = (relation.lhs, relation.rhs) if relation.op == "<=" else (relation.rhs, relation.lhs)
    return normal_form(high.xreplace(where) - low.xreplace(where))


def _counted(expr: sp.Expr) -> set[sp.Symbol]:
    found: set[sp.Symbol] = set()
    return found.union(*(part.free_symbols for part in expr.atoms(sp.binomial, sp.factorial)))


def _uses_numbers(node: object) -> bool:
    if isinstance(node, list):
        return any(map(_uses_numbers, node))
    if not isinstance(node, dict):
        return False
    return node.get("rule") == "number" or any(map(_uses_numbers, node.values()))
