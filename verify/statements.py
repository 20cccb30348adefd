"""Claims that the statements of `theory` make about themselves: every derivation is checked."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from theory.statement import Kind, Statement, statements
from verify.checks.derivation import DerivationHolds, derivation
from verify.checks.identity import Identity
from verify.claims import Claim, Paper
from verify.theory_claims.paper import claims_on_theory
from verify.theory_claims.paper import theory as own_claims


def theory_paper() -> Paper:
    """The project's own theory as a paper: the claims of its statements, and those of `verify.theory_claims`."""
    derived = [derivation_claim(s) for s in statements().values() if s.kind is Kind.THEOREM]
    return dataclasses.replace(own_claims, claims={c.id: c for c in derived} | claims_on_theory())


def derivation_claim(statement: Statement) -> Claim:
    """The claim that every step of a statement's derivation holds."""
    check = derivation(statement)
    return Claim(
        id=f"theory/{statement.name.replace('_', '-')}",
        words=statement.words,
        where=f"{statement.name}: {statement.conclusion}",
        check=check,
        reading=statement.reading,
        mutants=dict(_mutants(check)),
        proves=statement,
        source=str(statement.source),
    )


_REVERSED = {"<=": ">=", ">=": "<="}


def _mutants(check: Identity | DerivationHolds) -> Iterator[tuple[str, dict[str, object]]]:
    """Each step made false: an equality between sides not 0 doubled on one side, an inequality turned round."""
    for i, relation in enumerate(check.claimed()):
        if relation.op != "==":
            changed, how = dataclasses.replace(relation, op=_REVERSED[relation.op]), "turned round"
        elif relation.rhs == 0:
            changed, how = dataclasses.replace(relation, rhs=relation.rhs + 1), "with 1 added on the right"
        else:
            changed, how = (
                dataclasses.replace(relation, rhs=2 * relation.rhs),
                "with its right-hand side doubled",
            )
        relations = [*check.claimed()[:i], changed, *check.claimed()[i + 1 :]]
        mutant = check.claiming(relations)
        field = "relations" if isinstance(mutant, Identity) else "steps"
        yield f"step {i + 1} {how}", {field: getattr(mutant, field)}
