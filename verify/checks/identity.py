"""Identities between expressions: a decision procedure for what it proves, sampling for what it refutes."""

from __future__ import annotations

__all__ = ["Identity"]

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import sympy as sp

from theory.numbers.balls import BALLS, from_rational
from theory.numbers.expression import CompiledExpression, Unevaluable
from theory.relation import Relation, eq
from theory.statement import Statement
from verify.checks import arguments
from verify.checks.base import Budget, Check
from verify.checks.stated import relation_texts
from verify.errors import InputError
from verify.recheck import identity as rereading
from verify.recheck.rejected import Rejected
from verify.search.calculus import NotTrusted, carried_out
from verify.search.domains import Values
from verify.search.second_opinion import DIGITS, as_float
from verify.verdicts import Evidence, Grade, Verdict

_LARGEST_PRIME = 2**15
"""Up to which numbers are factored: those of hundreds of digits are not in any time."""


@dataclass(frozen=True)
class Identity(Check):
    """Every relation is an equality that holds wherever both sides are defined, for positive symbols.

    PROVED: the difference is a rational function that vanishes identically, or
    both sides are products of powers whose logarithms differ by one (powers,
    logs and exponentials count as independent atoms, so this can fail to see
    an identity but never sees a false one); limits and derivatives are carried out by ``verify.search.calculus``,
    which trusts neither to the algebra system alone. REFUTED: some exact point gives
    different values in ball arithmetic, and mpmath agrees. A failed
    simplification alone refutes nothing. ``uses`` names the statements that the
    relations come from, so that a report can say what they rest on.
    """

    rejects_with: ClassVar[tuple[Verdict, ...]] = (Verdict.REFUTED,)
    changes = "relations"
    holds_too = "not told apart: neither proved nor refuted"

    relations: tuple[Relation, ...]
    uses: tuple[Statement, ...] = ()
    seed: int = 20260409

    def validate(self) -> None:
        arguments.relations("Identity: relations", self.relations)
        for relation in self.relations:
            for symbol in relation.lhs.free_symbols | relation.rhs.free_symbols:
                if not symbol.is_positive:
                    raise InputError(
                        f"Identity: {symbol} in {relation} is not declared positive, and only positive symbols are "
                        f"proved for; write Symbol({symbol.name!r}, positive=True), and where {symbol} may be "
                        f"negative claim the identity with -{symbol} in its place too"
                    )
                if symbol.name == "e" and (relation.lhs.has(sp.E) or relation.rhs.has(sp.E)):
                    raise InputError(
                        f"Identity: {relation} has a symbol called e beside Euler's number, and their texts are alike; "
                        "give the symbol another name"
                    )
            if relation.op != "==":
                raise InputError(f"Identity: expected equalities, got {relation}")

    def values(self) -> Iterable[Values]:
        symbols = {s for r in self.relations for s in r.lhs.free_symbols | r.rhs.free_symbols}
        return (Values(symbol, sp.S.Zero, None, integers=True) for symbol in symbols)

    def claimed(self) -> tuple[Relation, ...]:
        return self.relations

    def claiming(self, relations: Sequence[Relation]) -> Identity:
        return replace(self, relations=tuple(relations))

    @classmethod
    def of(cls, statement: Statement) -> Identity:
        """The identities of a statement's derivation."""
        return cls(tuple(step.relation for step in statement.steps), uses=statement.uses)

    def evidence(self, budget: Budget) -> Iterable[Evidence]:
        unproved = []
        for relation in self.relations:
            try:
                sides = [carried_out(side, _draw, self.seed) for side in (relation.lhs, relation.rhs)]
            except NotTrusted as problem:
                unproved.append(f"{relation} ({problem})")
                continue
            evaluated = eq(*sides)
            defined, refutation = _sample(evaluated, str(relation), random.Random(self.seed), budget.samples)
            if refutation is not None:
                yield refutation
            if not defined:
                unproved.append(f"{relation} (no sampled point at which both sides could be evaluated)")
                continue
            if is_identity(evaluated):
                continue
            unproved.append(str(relation))
        if not unproved:
            shown = [str(relation) for relation in self.relations]
            yield Evidence(
                Verdict.PROVED,
                Grade.EXACT,
                f"{len(shown)} identit{'y' if len(shown) == 1 else 'ies'} proved for all positive values at which both sides are defined",
                {"identities": shown, **self._certified()},
            )
        else:
            yield Evidence(
                Verdict.INCONCLUSIVE,
                Grade.SAMPLED,
                f"not proved: {'; '.join(unproved)}",
                {"unproved": unproved, "points": budget.samples},
            )

    def _certified(self) -> dict[str, Any]:
        """The certificate, which is the text of the relations, and how many of them a second reading decides again."""
        relations = [[lhs, rhs] for lhs, _, rhs in map(relation_texts, self.relations)]
        symbols = sorted({s.name for r in self.relations for s in r.lhs.free_symbols | r.rhs.free_symbols})
        symbols = [name for name in symbols if name.isidentifier()]
        unread = {}
        for i, (lhs, rhs) in enumerate(relations):
            try:
                rereading.check_equal(lhs, rhs, symbols)
            except Rejected as problem:
                unread[str(i)] = str(problem)
        again = f", {len(relations) - len(unread)} of {len(relations)} relations" if unread else ""
        certificate = {
            "kind": rereading.KIND,
            "relations": relations,
            "symbols": symbols,
            "unread": unread,
        }
        return {"certificate": certificate, "rechecked_by": rereading.__name__ + again}


def is_identity(relation: Relation) -> bool:
    """Whether an equality is proved for all positive values of its symbols."""
    return _vanishes(relation.lhs - relation.rhs) or _equal_logs(relation.lhs, relation.rhs)


def _vanishes(expr: sp.Expr) -> bool:
    """A rational function of its atoms vanishes iff its numerator expands to zero."""
    expr = expr.replace(sp.log, lambda x: _log(x) if x.is_positive else sp.log(x))
    numerator = sp.fraction(sp.together(sp.powsimp(sp.expand_power_exp(expr))))[0]
    return bool(sp.expand(numerator) == 0)


def _equal_logs(lhs: sp.Expr, rhs: sp.Expr) -> bool:
    """Both sides positive, with logarithms that agree as rational functions of log atoms."""
    return bool(lhs.is_positive and rhs.is_positive) and _vanishes(_log(lhs) - _log(rhs))


def _log(expr: sp.Expr) -> sp.Expr:
    """log of a positive expression, split over products, powers and prime factors as far as it goes."""
    if expr.is_Pow:
        return expr.exp * _log(expr.base) if expr.base.is_positive else sp.log(expr)
    if expr.is_Rational:
        primes = sp.factorrat(expr, limit=_LARGEST_PRIME)  # what is left is a factor like any other
        return sp.Add(*(power * sp.log(prime) for prime, power in primes.items()))
    factored = sp.factor(sp.together(expr))
    if factored.is_Mul and all(arg.is_positive for arg in factored.args):
        return sp.Add(*(_log(arg) for arg in factored.args))
    if factored.is_Pow:
        return _log(factored)
    return sp.log(factored)


def _sample(
    relation: Relation, shown: str, rng: random.Random, points: int
) -> tuple[int | None, Evidence | None]:
    """(sampled points where both sides are defined, a refutation at one of them).

    The count is None where the expressions cannot be evaluated in ball arithmetic.
    """
    difference = relation.lhs - relation.rhs
    symbols = tuple(sorted(relation.lhs.free_symbols | relation.rhs.free_symbols, key=lambda s: s.name))
    try:
        compiled = CompiledExpression([difference, relation.lhs, relation.rhs], symbols)
    except Unevaluable:
        return None, None
    defined = 0
    with BALLS.working():
        for _ in range(points if symbols else 1):
            point = [_draw(symbol, rng) for symbol in symbols]
            value, *sides = compiled(BALLS, [from_rational(x) for x in point])
            if not all(side.is_finite() for side in (value, *sides)):
                continue
            defined += 1
            if value.contains(0):
                continue
            where = {s: as_float(x) for s, x in zip(symbols, point, strict=True)}
            left, right = (side.evalf(DIGITS, subs=where) for side in (relation.lhs, relation.rhs))
            if abs(left - right) > sp.Float(10) ** -20 * (abs(left) + abs(right)):
                values = {s.name: str(x) for s, x in zip(symbols, point, strict=True)}
                at = ", ".join(f"{name} = {x}" for name, x in values.items())
                return defined, Evidence(
                    Verdict.REFUTED,
                    Grade.BALL,
                    f"{shown} is false at {at or 'its own constants'}: {sp.N(left, 6)} against {sp.N(right, 6)}",
                    witness={**values, "left": str(sp.N(left, 15)), "right": str(sp.N(right, 15))},
                    confirmed_by="mpmath at 40 digits (the first evaluator is Arb)",
                )
    return defined, None


def _draw(symbol: sp.Symbol, rng: random.Random) -> Fraction:
    if symbol.is_integer:
        return Fraction(rng.randint(1, 12))
    return Fraction(rng.randint(1, 64), rng.randint(1, 16))
