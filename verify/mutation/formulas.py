"""Change what a claim says, one sign, exponent, inequality, index, constant or term at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sympy as sp

from theory.relation import Relation, eq
from verify.checks.base import Check
from verify.checks.identity import is_identity
from verify.judging.claims import Claim

_TURNED = {"<=": ">=", ">=": "<="}
_OTHER_WAY = {"==": ("<", ">"), "<=": (">",), "<": (">",), ">=": ("<",), ">": ("<",), "!=": ("==",)}


@dataclass(frozen=True)
class Falsified:
    """A claim with one of its relations changed, and the kind of change."""

    kind: str
    relation: Relation
    place: int


def falsified(claim: Claim) -> Iterator[Falsified]:
    """Every change of one sign, exponent, inequality or index in what a claim says; of an inequality, of its
    direction, of a constant (a side halved, doubled, or moved by 1) or of a term (left out).

    Changes that say the same again (a squared 1, a sign under an even power) are
    left out, as far as that can be proved.
    """
    check = claim.check
    if check is None or not check.changes:
        return
    if check.changes == "inequalities":
        yield from _falsified_inequalities(check)
        return
    derived = check.changes == "formulas"
    others = check.mistakable()
    for place, relation in enumerate(check.claimed()):
        seen = {relation}
        for kind, other in _changes(relation, others, derived):
            if other not in seen and not _says_the_same(relation, other):
                seen.add(other)
                yield Falsified(kind, other, place)


def _falsified_inequalities(check: Check) -> Iterator[Falsified]:
    """The changes that ask for more than an inequality says; an equality among them is doubled on one side."""
    for place, relation in enumerate(check.claimed()):
        if relation.op == "==":
            if relation.rhs != 0:
                yield Falsified("constant", Relation(relation.lhs, "==", 2 * relation.rhs), place)
            continue
        seen = {relation}
        for kind, other in _asking_for_more(relation):
            if other not in seen:
                seen.add(other)
                yield Falsified(kind, other, place)


def _asking_for_more(relation: Relation) -> Iterator[tuple[str, Relation]]:
    """Changes of an inequality: turned round, its slack cut by a constant, or one of its terms gone."""
    lhs, op, rhs = relation.lhs, relation.op, relation.rhs
    yield "inequality", Relation(lhs, _TURNED[op], rhs)
    less, more = (
        (rhs, lhs) if op == "<=" else (lhs, rhs)
    )  # the side that has to be the larger one comes first
    for kind, larger, smaller in (
        ("constant", less / 2, more),
        ("constant", less - 1, more),
        ("constant", less, 2 * more),
        ("constant", less, more + 1),
        *(("term", less - term, more) for term in sp.Add.make_args(sp.expand(less)) if term != less),
        *(("term", less, more - term) for term in sp.Add.make_args(sp.expand(more)) if term != more),
    ):
        yield kind, Relation(smaller, op, larger) if op == "<=" else Relation(larger, op, smaller)


def _changes(
    relation: Relation, others: Sequence[sp.Symbol], derived: bool
) -> Iterator[tuple[str, Relation]]:
    for expr in _signs(relation.rhs):
        yield "sign", Relation(relation.lhs, relation.op, expr)
    for expr in _exponents(relation.rhs):
        yield "exponent", Relation(relation.lhs, relation.op, expr)
    if not derived:
        for op in _OTHER_WAY[relation.op]:
            yield "inequality", Relation(relation.lhs, op, relation.rhs)
        for expr in _replaced(relation.lhs, others):
            yield "index", Relation(expr, relation.op, relation.rhs)
    for expr in _replaced(relation.rhs, others):
        yield "index", Relation(relation.lhs, relation.op, expr)


def _signs(expr: sp.Expr) -> Iterator[sp.Expr]:
    """The expression with one term of one sum negated, or as a whole."""
    if expr != 0:
        yield -expr
    for part in sp.preorder_traversal(expr):
        if isinstance(part, sp.Add):
            for term in part.args:
                yield expr.xreplace({part: part - 2 * term})


def _exponents(expr: sp.Expr) -> Iterator[sp.Expr]:
    """The expression with one power raised by one or turned over, or one symbol squared."""
    for part in sp.preorder_traversal(expr):
        if isinstance(part, sp.Pow):
            yield expr.xreplace({part: part.base ** (part.exp + 1)})
            yield expr.xreplace({part: part.base ** (-part.exp)})
    for symbol in sorted(expr.free_symbols, key=lambda s: s.name):
        yield expr.xreplace({symbol: symbol**2})


def _replaced(expr: sp.Expr, others: Sequence[sp.Symbol]) -> Iterator[sp.Expr]:
    """The expression with one symbol replaced by the next of its kind."""
    for symbol in sorted(expr.free_symbols, key=lambda s: s.name):
        kin = [s for s in others if _head(s) == _head(symbol)]
        if len(kin) < 2:
            kin = list(others)
        if symbol in kin and len(kin) > 1:
            yield expr.xreplace({symbol: kin[(kin.index(symbol) + 1) % len(kin)]})


def _head(symbol: sp.Symbol) -> str:
    return str(symbol.name).partition("[")[0]


def _says_the_same(relation: Relation, other: Relation) -> bool:
    if relation.op != other.op:
        return False
    return is_identity(eq(relation.lhs - relation.rhs, other.lhs - other.rhs))
