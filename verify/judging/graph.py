"""What rests on what: claims, the statements they use, and the assumptions at the bottom."""

from __future__ import annotations

import graphlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from theory.statement import Kind, Statement, statements
from verify.checks.base import Budget
from verify.checks.theorem import derivation
from verify.errors import InputError
from verify.judging.claims import Claim
from verify.judging.judge import Judgement
from verify.verdicts import Verdict, combine


@dataclass(frozen=True)
class Standing:
    """Whether all a claim rests on is settled.

    ``closed``: it holds by its own verdict, and everything it uses is proved here or is a named assumption;
    ``given`` names those assumptions, ``argued`` the statements with an argument in prose, ``open`` what is none of these.
    """

    closed: bool
    given: tuple[str, ...]
    argued: tuple[str, ...]
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

    def steps_hold(statement: Statement) -> bool:
        if of_theory.get(statement.name) is not statement:
            return _steps_hold(statement)  # a paper's own, whatever it is called
        name = statement.name
        return judged_here[name] if name in judged_here else _provable(name)

    def of_statement(statement: Statement, below: _Below) -> None:
        if statement.kind is Kind.ASSUMPTION:
            below.given.add(statement.name)
        elif statement.kind is not Kind.DEFINITION and not steps_hold(statement):
            below.open.add(statement.name)
        elif statement.kind is Kind.ARGUED:
            below.argued.add(statement.name)
        for used in statement.uses:
            of_statement(used, below)

    def of_claim(claim_id: str) -> Standing:
        if claim_id in memo:
            return memo[claim_id]
        claim = by_id[claim_id]
        below = _Below()
        for statement in claim.statements():
            of_statement(statement, below)
        for used in claim.uses:
            standing = of_claim(used)
            below.given.update(standing.given)
            below.argued.update(standing.argued)
            below.open.update(standing.open)
            judged = judgements.get(used)
            if judged is not None and judged.verdict is Verdict.ARGUED:
                below.argued.add(used)
            elif judged is None or judged.verdict is not Verdict.PROVED:
                below.open.add(used)
        own = judgements.get(claim_id)
        holds = own is not None and own.verdict.holds
        memo[claim_id] = Standing(
            holds and not below.open and not below.argued,
            *(tuple(sorted(names)) for names in (below.given, below.argued, below.open)),
        )
        return memo[claim_id]

    return {claim.id: of_claim(claim.id) for claim in claims if claim.id in judgements}


@dataclass
class _Below:
    """The names of what a claim rests on, as they are gathered; see `Standing`."""

    given: set[str] = field(default_factory=set)
    argued: set[str] = field(default_factory=set)
    open: set[str] = field(default_factory=set)


def _judged_statements(claims: Sequence[Claim], judgements: Mapping[str, Judgement]) -> dict[str, bool]:
    """Statement name -> whether the steps of its derivation were proved, for the theory's claims of this run."""
    return {
        c.proves.name: judgements[c.id].verdict in (Verdict.PROVED, Verdict.ARGUED)
        for c in claims
        if c.proves is not None and c.id in judgements
    }


@cache
def _provable(name: str) -> bool:
    """Whether the steps of a statement's derivation are proved, for a run that did not select its claim."""
    return _steps_hold(statements()[name])


def _steps_hold(statement: Statement) -> bool:
    """Whether the check of the statement's own derivation proves its steps."""
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
