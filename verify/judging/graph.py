"""What rests on what: claims, the statements they use, and the assumptions at the bottom."""

from __future__ import annotations

import graphlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from theory.statement import Kind, Statement, statements
from verify.checks.base import Budget
from verify.checks.derivation import derivation
from verify.errors import InputError
from verify.judging.claims import Claim
from verify.judging.judge import Judgement
from verify.verdicts import Verdict, combine


@dataclass(frozen=True)
class Standing:
    """Whether all a claim rests on is settled.

    ``closed``: it holds by its own verdict, and everything it uses is proved here or is a named assumption;
    ``given`` names those assumptions, ``open`` what is neither.
    """

    closed: bool
    given: tuple[str, ...]
    open: tuple[str, ...]


def check_acyclic(claims: Sequence[Claim]) -> None:
    """InputError for a claim that uses an unknown claim, or itself in a circle."""
    known = {claim.id for claim in claims}
    for claim in claims:
        for used in claim.uses:
            if used not in known:
                raise InputError(f"claim {claim.id!r} uses {used!r}, which is not a claim of this paper")
    try:
        graphlib.TopologicalSorter({c.id: set(c.uses) for c in claims}).prepare()
    except graphlib.CycleError as problem:
        raise InputError(
            f"claims use each other in a circle: {' -> '.join(reversed(problem.args[1]))}"
        ) from None


def standings(
    claims: Sequence[Claim], judgements: Mapping[str, Judgement], known: Sequence[Claim] = ()
) -> dict[str, Standing]:
    """The standing of every judged claim; ``known`` are further claims that these may use."""
    judged_here = _judged_statements(claims, judgements)
    by_id = {claim.id: claim for claim in (*known, *claims)}
    of_theory = statements()
    memo: dict[str, Standing] = {}

    def is_proved(statement: Statement) -> bool:
        if of_theory.get(statement.name) is not statement:
            return _all_identities(statement)  # a paper's own, whatever it is called
        name = statement.name
        return judged_here[name] if name in judged_here else _provable(name)

    def of_statement(statement: Statement) -> tuple[set[str], set[str]]:
        given: set[str] = set()
        open_: set[str] = set()
        if statement.kind is Kind.ASSUMPTION:
            given.add(statement.name)
        elif statement.kind is Kind.THEOREM and not is_proved(statement):
            open_.add(statement.name)
        for used in statement.uses:
            more_given, more_open = of_statement(used)
            given |= more_given
            open_ |= more_open
        return given, open_

    def of_claim(claim_id: str) -> Standing:
        if claim_id in memo:
            return memo[claim_id]
        claim = by_id[claim_id]
        given: set[str] = set()
        open_: set[str] = set()
        for statement in claim.statements():
            more_given, more_open = of_statement(statement)
            given |= more_given
            open_ |= more_open
        for used in claim.uses:
            below = of_claim(used)
            given |= set(below.given)
            open_ |= set(below.open)
            judged = judgements.get(used)
            if judged is None or judged.verdict is not Verdict.PROVED:
                open_.add(used)
        own = judgements.get(claim_id)
        holds = own is not None and own.verdict.holds
        memo[claim_id] = Standing(holds and not open_, tuple(sorted(given)), tuple(sorted(open_)))
        return memo[claim_id]

    return {claim.id: of_claim(claim.id) for claim in claims if claim.id in judgements}


def _judged_statements(claims: Sequence[Claim], judgements: Mapping[str, Judgement]) -> dict[str, bool]:
    """Statement name -> whether its derivation was proved, for the theory's claims of this run."""
    return {
        c.proves.name: judgements[c.id].verdict is Verdict.PROVED
        for c in claims
        if c.proves is not None and c.id in judgements
    }


@cache
def _provable(name: str) -> bool:
    """Whether a statement's derivation is proved, for a run that did not select its claim."""
    return _all_identities(statements()[name])


def _all_identities(statement: Statement) -> bool:
    """Whether the check of the statement's own derivation proves it."""
    if not statement.steps:
        return False
    return combine(derivation(statement).evidence(Budget())).verdict is Verdict.PROVED


def edges(claims: Sequence[Claim]) -> list[tuple[str, str]]:
    """(user, used) pairs among claims and statements, for a picture of the dependencies."""
    found: list[tuple[str, str]] = []

    def add(pair: tuple[str, str]) -> None:
        if pair not in found:
            found.append(pair)

    def below(statement: Statement) -> None:
        for used in statement.uses:
            add((statement.name, used.name))
            below(used)

    for claim in claims:
        for name in claim.uses:
            add((claim.id, name))
        if claim.proves is not None:
            below(claim.proves)
            continue
        for statement in claim.statements():
            add((claim.id, statement.name))
            below(statement)
    return found
