"""Claims that the statements of `theory` make about themselves: derivations, cases of equality, stated shapes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import sympy as sp

from theory.relation import Relation, eq
from theory.statement import Statement, Step, statements
from theory.vocabulary import as_formula, as_text
from verify.checks.base import Check
from verify.checks.derivation import DerivationHolds
from verify.checks.formal import ProvedInCoq
from verify.checks.identity import Identity
from verify.checks.shape import Shape
from verify.checks.theorem import TheoremHolds, derivation
from verify.judging.claims import Claim, Paper
from verify.judging.theory_claims.paper import claims_on_theory
from verify.judging.theory_claims.paper import theory as own_claims


def theory_paper() -> Paper:
    """The project's own theory as a paper: the claims of its statements, and those of `verify.judging.theory_claims`."""
    claims: dict[str, Claim] = {}
    for statement in statements().values():
        derived = [derivation_claim(statement)] if statement.steps else []
        claims.update({claim.id: claim for claim in (*derived, *bound_claims(statement))})
    return dataclasses.replace(own_claims, claims=claims | claims_on_theory())


def derivation_claim(statement: Statement) -> Claim:
    """The claim that every step of a statement's derivation holds, the conclusion of a theorem among them."""
    check = derivation(statement)
    return Claim(
        id=_id(statement),
        words=statement.words,
        where=f"{statement.name}: {statement.conclusion}",
        check=check,
        reading=statement.reading,
        mutants=dict(_mutants(check)),
        proves=statement,
        source=str(statement.source),
    )


def bound_claims(statement: Statement) -> Iterator[Claim]:
    """One claim for each case of equality and each stated shape of a bound, with a mutant each.

    They are about formulas alone, so they rest on nothing: that a bound rises with M does not say that it holds.
    """
    for name, symbol in statement.stated:
        shape = Shape(statement.bound, symbol, name, statement.domain)
        yield _about_the_bound(
            statement,
            f"{name}-in-{symbol.name}",
            f"its bound is {name} in {symbol}",
            shape,
            {"the opposite": shape.opposite()},
        )
    for i, case in enumerate(statement.attained_at):
        check, wrong = _attained(statement, case)
        slug = "attained" if len(statement.attained_at) == 1 else f"attained-{i + 1}"
        where = str(case) if isinstance(case, Relation) else ", ".join(f"{s} = {v}" for s, v in case.items())
        words = "equality" if isinstance(case, Relation) else "its bound is attained"
        yield _about_the_bound(statement, slug, f"{words}: {where}", check, wrong)


def _about_the_bound(
    statement: Statement, slug: str, words: str, check: Check, mutants: Mapping[str, Mapping[str, Any]]
) -> Claim:
    return Claim(
        id=f"{_id(statement)}/{slug}",
        words=f"{statement.name}: {words}",
        where=f"{statement.name}: {as_text(statement.bound)}",
        check=check,
        mutants=mutants,
        source=str(statement.source),
    )


def _id(statement: Statement) -> str:
    return f"theory/{statement.name.replace('_', '-')}"


def _attained(
    statement: Statement, case: Mapping[sp.Symbol, sp.Expr] | Relation
) -> tuple[Check, dict[str, dict[str, object]]]:
    """The check of a case of equality, that the case lies in the domain included, and another case as its mutant."""
    if isinstance(case, Relation):
        doubled = dataclasses.replace(case, rhs=2 * case.rhs)
        return Identity((case,)), {"with its right-hand side doubled": {"relations": (doubled,)}}
    right = _at_case(statement, case)
    last = list(case)[-1]
    wrong = _at_case(statement, {**case, last: case[last] + 1})
    return right, {f"at {last} = {case[last] + 1} instead": {"steps": wrong.steps, "domain": wrong.domain}}


def _at_case(statement: Statement, case: Mapping[sp.Symbol, sp.Expr]) -> DerivationHolds:
    values = {symbol: as_formula(value, f"{statement.name}: {symbol}") for symbol, value in case.items()}
    instance = statement.at(values)
    bounds = [c for c in instance.conditions if c.op == ">="]
    kept = [c for c in bounds if c.lhs.is_Symbol and c.lhs not in values and c.lhs not in c.rhs.free_symbols]
    duties = [c for c in bounds if c not in kept]
    sides = (_with_zeros(side, values) for side in (statement.conclusion.lhs, statement.conclusion.rhs))
    steps = [Step("equality", eq(*sides)), *(Step("the case is in the domain", duty) for duty in duties)]
    return DerivationHolds(tuple(steps), tuple(kept))


def _with_zeros(expr: sp.Expr, values: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
    """An expression at a case, with 0 log 0 = 0: a factor that vanishes takes its logarithm with it."""
    if expr.is_Add:
        return sp.Add(*(_with_zeros(term, values) for term in expr.args))
    if expr.is_Mul:
        plain = sp.Mul(*(factor for factor in expr.args if not factor.has(sp.log)))
        if sp.expand(plain.subs(values, simultaneous=True)) == 0:
            return sp.Integer(0)
        return sp.Mul(*(_with_zeros(factor, values) for factor in expr.args))
    return expr.subs(values, simultaneous=True)


_REVERSED = {"<=": ">=", ">=": "<="}


def _mutants(
    check: Identity | DerivationHolds | TheoremHolds | ProvedInCoq,
) -> Iterator[tuple[str, dict[str, object]]]:
    """Each step, and the conclusion, made false: an equality between sides not 0 doubled on one side, an inequality turned round."""
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
        replaced = {
            name: getattr(mutant, name)
            for name in ("relations", "steps", "conclusion")
            if hasattr(mutant, name)
        }
        which = (
            "the conclusion" if isinstance(check, TheoremHolds) and i == len(check.steps) else f"step {i + 1}"
        )
        yield f"{which} {how}", replaced
    if isinstance(check, ProvedInCoq):
        yield "its sources changed after the build", {"now": check.now[::-1]}
