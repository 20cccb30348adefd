"""Inequalities on a half-line or a cone, proved by the gap rule: zero at one end, and away from it."""

from __future__ import annotations

__all__ = ["GapRule"]

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from theory.relation import Relation
from theory.statement import Instance
from verify.checks.base import Budget, OneRelation
from verify.errors import InputError
from verify.recheck.forms import Rejected, Unreadable
from verify.recheck.gap_rule import recheck
from verify.search.counterexamples import counterexample
from verify.search.domains import check_domain, parameter, places
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

    def __post_init__(self) -> None:
        super().__post_init__()
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
            if instance.relation.op not in ("<=", ">="):
                raise InputError(f"GapRule: {instance} is no inequality")
            for symbol, value in instance.replaced:
                if symbol.is_integer and not value.is_integer:
                    raise InputError(f"GapRule: {instance} puts {value}, not seen to be an integer, for one")

    def evidence(self, budget: Budget) -> Iterable[Evidence]:
        refutation = counterexample(self.relation, self.domain, budget.samples)
        if refutation is not None:
            yield refutation
        else:
            yield self.proof(budget)

    def proof(self, budget: Budget) -> Evidence:
        """PROVED with its certificates, or INCONCLUSIVE: the search alone, without a look for counterexamples."""
        try:
            proofs = list(self._proofs(budget))
        except NotElementary as problem:
            return Evidence(
                Verdict.INCONCLUSIVE, Grade.SAMPLED, f"not in the class of the gap rule: {problem}"
            )
        for relation, certificate in proofs:
            if certificate is None:
                return Evidence(
                    Verdict.INCONCLUSIVE, Grade.SAMPLED, f"the gap rule finds no proof of {relation}"
                )
            try:
                given = self.given if relation == self.relation else ()
                recheck_relation(relation, self.domain, certificate, given)
            except Unreadable as problem:
                return beyond(relation, problem)
            except Rejected as problem:
                return Evidence(Verdict.ERROR, Grade.EXACT, f"the certificate was rejected: {problem}")
        balls = any(_uses_numbers(certificate) for _, certificate in proofs)
        how = f" by induction on {self.on}" if self.on is not None else ""
        lemmas = f", given {', '.join(map(str, self.given))}" if self.given else ""
        where = ", ".join(map(str, self.domain))
        return Evidence(
            Verdict.PROVED,
            Grade.BALL if balls else Grade.EXACT,
            f"{self.relation} proved{how} for all {where}{lemmas}",
            {
                "certificates": [{"proves": str(relation), **(cert or {})} for relation, cert in proofs],
                "rechecked_by": RECHECKED_BY,
            },
        )

    def _proofs(self, budget: Budget) -> Iterable[tuple[Relation, Node | None]]:
        yield self.relation, self._proof(self.relation, self.given, self.on, budget)
        for instance in self.given:
            for condition in instance.conditions:
                yield condition, self._proof(condition, (), None, budget)

    def _proof(
        self, relation: Relation, given: Sequence[Instance], on: sp.Symbol | None, budget: Budget
    ) -> Node | None:
        certificate: Node = {"domain": [[c.lhs.name, str(c.rhs)] for c in self.domain]}
        if strict := strict_names(self.domain):
            certificate["open"] = strict
        here = places(self.domain)
        gap = _gap(relation, here)
        if on is None:
            for instance in given:
                gap = less(gap, _gap(instance.relation, here))
            parts = {"gap": gap}
        else:
            start = at_end(gap, parameter(on), "0")
            before = places(self.domain, beyond=on)
            after = {**before, on: before[on] + 1}
            if start is None:
                return None
            certificate["on"] = on.name
            parts = {"base": start, "step": less(_gap(relation, after), _gap(relation, before))}
        for name, form in parts.items():
            tree = Search(budget.boxes).prove(without_factorials(form))
            if tree is None:
                return None
            certificate[name] = tree
        return certificate


def recheck_relation(
    relation: Relation, domain: Sequence[Relation], certificate: Node, given: Sequence[Instance] = ()
) -> None:
    """Raise `Rejected` unless a certificate proves a relation on a domain from the given ones."""
    recheck(
        _texts(relation),
        [(condition.lhs.name, str(condition.rhs)) for condition in domain],
        certificate,
        given=[_texts(instance.relation) for instance in given],
        strict=strict_names(domain),
    )


def without_title(relation: Relation, certificate: Mapping[str, Any]) -> dict[str, Any]:
    """A certificate as it was found; `Rejected` where a report keeps it under another relation."""
    if certificate.get("proves") != str(relation):
        raise Rejected(f"the certificate is for {certificate.get('proves')}, not for {relation}")
    return {name: value for name, value in certificate.items() if name != "proves"}


def beyond(relation: Relation, why: Unreadable) -> Evidence:
    """INCONCLUSIVE: a proof was found, of a relation that the second checker does not cover."""
    return Evidence(Verdict.INCONCLUSIVE, Grade.SAMPLED, f"{relation} is not decided: {why}")


def strict_names(domain: Sequence[Relation]) -> list[str]:
    """The symbols whose lower bound is not part of the domain."""
    return [condition.lhs.name for condition in domain if condition.op == ">"]


def _texts(relation: Relation) -> tuple[str, str, str]:
    return str(relation.lhs), relation.op, str(relation.rhs)


def _gap(relation: Relation, where: dict[sp.Symbol, sp.Expr]) -> Form:
    low, high = (relation.lhs, relation.rhs) if relation.op == "<=" else (relation.rhs, relation.lhs)
    return normal_form(high.xreplace(where) - low.xreplace(where))


def _counted(expr: sp.Expr) -> set[sp.Symbol]:
    found: set[sp.Symbol] = set()
    return found.union(*(part.free_symbols for part in expr.atoms(sp.binomial, sp.factorial)))


def _uses_numbers(node: object) -> bool:
    if not isinstance(node, dict):
        return False
    return node.get("rule") == "number" or any(map(_uses_numbers, node.values()))
