"""Claims that the statements of `theory` make about themselves: every derivation is checked."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import sympy as sp

import theory
from theory.statement import Kind, Relation, Statement, statements
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
    last = check.relations[-1]
    return Claim(
        id=f"theory/{statement.name.replace('_', '-')}",
        words=statement.words,
        where=f"{statement.name}: {statement.conclusion}",
        check=check,
        reading=statement.reading,
        mutants={
            f"step {i + 1} with its right-hand side {how}": {
                "relations": (*check.relations[:i], false, *check.relations[i + 1 :])
            }
            for i, relation in enumerate(check.relations)
            for how, false in _falsified(relation)
            if relation is not last or how != "doubled" or len(check.relations) == 1
        },
        proves=statement,
        source=str(statement.source),
    )


def _falsified(relation: Relation) -> list[tuple[str, Relation]]:
    """False variants of an equality: the right-hand side doubled, and with its first symbol doubled."""
    variants = [("doubled", dataclasses.replace(relation, rhs=2 * relation.rhs))]
    for symbol in sorted(relation.rhs.free_symbols, key=lambda s: s.name)[:1]:
        changed = relation.rhs.xreplace({symbol: 2 * symbol})
        if sp.simplify(changed - relation.rhs) != 0:
            variants.append((f"at twice {symbol}", dataclasses.replace(relation, rhs=changed)))
    return variants
