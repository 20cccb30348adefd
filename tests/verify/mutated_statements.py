"""Mutants of a theorem: each says something else, or leaves out what its proof needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import sympy as sp

from theory.relation import Relation, eq
from theory.statement import Statement, Step

TAUTOLOGY = Step("a tautology", eq(sp.Integer(1), sp.Integer(1)))
_TURNED = {"<=": ">=", ">=": "<="}


def other_conclusions(statement: Statement) -> Iterator[tuple[str, Relation]]:
    """The conclusion with a factor dropped, divided by 1,000, an exponent changed, a symbol removed, or turned."""
    said = statement.conclusion
    changed = [("divided by 1,000", said.rhs / 1000)]
    for term in sp.Add.make_args(said.rhs):
        changed += [
            (f"{factor} dropped", said.rhs - term + term / factor) for factor in sp.Mul.make_args(term)
        ]
    changed += [
        (f"exponent of {power} doubled", said.rhs.xreplace({power: power.base ** (2 * power.exp)}))
        for power in sorted(said.rhs.atoms(sp.Pow), key=str)
    ]
    changed += [
        (f"{symbol} removed", said.rhs.xreplace({symbol: sp.Integer(1)}))
        for symbol in sorted(said.rhs.free_symbols, key=str)
    ]
    for what, rhs in changed:
        if rhs != said.rhs:
            yield what, replace(said, rhs=rhs)
    if said.op in _TURNED:
        yield "turned", replace(said, op=_TURNED[said.op])


def with_its_step(statement: Statement, conclusion: Relation) -> Statement:
    """The statement with another conclusion, and with the step that made it changed alike."""
    steps = tuple(
        replace(step, relation=conclusion) if step.relation == statement.conclusion else step
        for step in statement.steps
    )
    return replace(statement, conclusion=conclusion, steps=steps)


def with_less(statement: Statement) -> Iterator[tuple[str, Statement]]:
    """The statement without one of its hypotheses, and without one of the statements that it uses."""
    for dropped in statement.hypotheses:
        rest = tuple(h for h in statement.hypotheses if h is not dropped)
        yield f"without {dropped.name}", replace(statement, hypotheses=rest)
    for used in statement.uses:
        steps = tuple(
            replace(step, given=tuple(i for i in step.given if i.statement is not used))
            for step in statement.steps
        )
        uses = tuple(s for s in statement.uses if s is not used)
        yield f"without {used.name}", replace(statement, steps=steps, uses=uses)
