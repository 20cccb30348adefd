"""Claims that the statements of `theory` make about themselves: every derivation is checked."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import theory
from theory.statement import Kind, Statement, statements
from verify.checks.identity import Identity
from verify.claims import Claim, Paper


def theory_paper() -> Paper:
    """The project's own theory as a paper whose claims are generated from its statements."""
    paper = Paper(
        id="theory",
        title="Statements derived in the theory package",
        authors="moelaws",
        year=2026,
        reference="moelaws theory",
        folder=Path(theory.__file__).parent,
    )
    for statement in statements().values():
        if statement.kind is Kind.THEOREM:
            claim = derivation_claim(statement)
            paper.claims[claim.id] = claim
    return paper


def derivation_claim(statement: Statement) -> Claim:
    """The claim that every step of a statement's derivation is an identity."""
    check = Identity.of(statement)
    return Claim(
        id=f"theory/{statement.name.replace('_', '-')}",
        words=statement.words,
        where=f"{statement.name}: {statement.conclusion}",
        check=check,
        reading=statement.reading,
        mutants={
            f"step {i + 1} with its right-hand side doubled": {
                "relations": (
                    *check.relations[:i],
                    dataclasses.replace(relation, rhs=2 * relation.rhs),
                    *check.relations[i + 1 :],
                )
            }
            for i, relation in enumerate(check.relations)
        },
        proves=statement,
        source=str(statement.source),
    )
