"""An inequality on a compact box, by halving it until ball arithmetic decides every part."""

from __future__ import annotations

__all__ = ["BallInequality"]

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp
from flint import arb

from theory.numbers.balls import BALLS, from_rational, hull
from theory.numbers.expression import CompiledExpression, Unevaluable
from theory.relation import Relation
from verify.checks.base import Budget, OneRelation, cannot_evaluate
from verify.checks.stated import relation_texts
from verify.errors import InputError
from verify.printed.intervals import Interval
from verify.recheck.boxes import KIND, box_text, count_boxes
from verify.recheck.rejected import Rejected
from verify.recheck.texts import Unreadable
from verify.search.counterexamples import first_failure
from verify.search.domains import Values, check_names
from verify.verdicts import Evidence, Grade, Verdict

RECHECKED_BY = "verify.recheck.boxes"
Side = tuple[sp.Symbol, Fraction, Fraction]
_MARGIN = Fraction(1, 10**20)
_NARROWEST = Fraction(1, 2**60)
"""Where the sides of an inequality touch, halving goes on for ever; here it stops."""


def check_box(who: str, relation: Relation, box: Sequence[Side]) -> None:
    """InputError unless the relation is an inequality and each of its symbols has one finite side."""
    if relation.op not in ("<=", ">="):
        raise InputError(f"{who}: expected <= or >=, got {relation}")
    symbols = [symbol for symbol, _, _ in box]
    missing = (relation.lhs.free_symbols | relation.rhs.free_symbols) - set(symbols)
    if missing or not box or len(set(symbols)) < len(symbols):
        raise InputError(
            f"{who}: expected one side (symbol, low, high) a symbol, got {', '.join(map(str, symbols))}"
        )
    check_names(symbols, who)
    for symbol, low, high in box:
        if not (isinstance(low, (int, Fraction)) and isinstance(high, (int, Fraction)) and low <= high):
            raise InputError(
                f"{who}: the side of {symbol} runs from {low!r} to {high!r}; write Fractions, low <= high"
            )


def box_values(box: Sequence[Side], *, integers: bool = False) -> Iterator[Values]:
    """What the symbols of a box stand for; ``integers``, where a check takes only those of an integer symbol."""
    for symbol, low, high in box:
        yield Values(symbol, sp.Rational(Fraction(low)), sp.Rational(Fraction(high)), integers)


def gap_of(relation: Relation) -> sp.Expr:
    """What has to be nonnegative."""
    return relation.rhs - relation.lhs if relation.op == "<=" else relation.lhs - relation.rhs


@dataclass(frozen=True)
class BallInequality(OneRelation):
    """An inequality with slack, for all real values in ``box``: (symbol, low, high) a symbol.

    PROVED: a tree of halvings whose parts are each decided by the mean value form,
    re-checked by a separate evaluator. Where the sides touch, no budget suffices: factor
    the touching zero out, or use `GapRule`.
    """

    changes = "inequalities"

    box: tuple[Side, ...]

    def validate(self) -> None:
        super().validate()
        check_box("BallInequality", self.relation, self.box)

    def values(self) -> Iterable[Values]:
        return box_values(self.box)

    def evidence(self, budget: Budget) -> Iterable[Evidence]:
        refutation = first_failure(self.relation, itertools.islice(self._corners(), budget.samples))
        if refutation is not None:
            yield refutation
            return
        gap = gap_of(self.relation)
        try:
            search = _Halving(gap, [symbol for symbol, _, _ in self.box], budget.boxes)
        except Unevaluable as problem:
            yield cannot_evaluate(str(problem))
            return
        sides = [(Fraction(low), Fraction(high)) for _, low, high in self.box]
        with BALLS.working():
            tree = search.tree(tuple(Interval(low, high) for low, high in sides))
        where = self.where()
        if tree is None:
            yield Evidence(
                Verdict.INCONCLUSIVE, Grade.SAMPLED, f"not decided on {where} within {budget.boxes} boxes"
            )
            return
        certificate = {
            "kind": KIND,
            "relation": relation_texts(self.relation),
            "box": self._box_texts(),
            "tree": tree,
        }
        try:
            boxes = count_boxes(certificate)
        except Unreadable as problem:
            yield cannot_evaluate(
                f"{self.relation} holds for all {where} by balls, but {problem}, so no second checker confirms it"
            )
            return
        except Rejected as problem:
            yield Evidence(Verdict.ERROR, Grade.EXACT, f"the certificate was rejected: {problem}")
            return
        yield Evidence(
            Verdict.PROVED,
            Grade.BALL,
            f"{self.relation} proved for all {where}, in {boxes} box{'es' if boxes > 1 else ''}",
            {"boxes": boxes, "certificate": certificate, "rechecked_by": RECHECKED_BY},
        )

    def where(self) -> str:
        return box_text(self._box_texts())

    def _box_texts(self) -> list[list[str]]:
        return [[symbol.name, str(low), str(high)] for symbol, low, high in self.box]

    def _corners(self) -> Iterator[dict[sp.Symbol, sp.Expr]]:
        choices = [(low, high, (Fraction(low) + Fraction(high)) / 2) for _, low, high in self.box]
        for point in itertools.product(*choices):
            yield {s: sp.Rational(Fraction(x)) for (s, _, _), x in zip(self.box, point, strict=True)}


class _Halving:
    """Halves a box where needed, along the side that contributes most to the width of the mean value form."""

    def __init__(self, gap: sp.Expr, symbols: Sequence[sp.Symbol], budget: int) -> None:
        self._value = CompiledExpression([gap], symbols)
        self._slopes = CompiledExpression([sp.diff(gap, symbol) for symbol in symbols], symbols)
        self._left = budget

    def tree(self, sides: tuple[Interval, ...]) -> Any:
        """The certificate, or None where the budget ran out or a part is seen to fail."""
        self._left -= 1
        if self._left < 0:
            return None
        lowest, spreads = self._lower_end(sides)
        if lowest is not None and lowest > from_rational(_MARGIN):
            return "."
        axis = max(range(len(sides)), key=lambda i: (spreads[i], sides[i].width))
        if sides[axis].width < _NARROWEST:
            return None
        halves = []
        for half in sides[axis].halves():
            part = self.tree((*sides[:axis], half, *sides[axis + 1 :]))
            if part is None:
                return None
            halves.append(part)
        return [axis, *halves]

    def _lower_end(self, sides: tuple[Interval, ...]) -> tuple[arb | None, list[float]]:
        boxes = [hull(*side.bounds) for side in sides]
        [plain], slopes = self._value(BALLS, boxes), self._slopes(BALLS, boxes)
        [centre] = self._value(BALLS, [from_rational(side.midpoint) for side in sides])
        spreads = []
        for slope, side in zip(slopes, sides, strict=True):
            spread = abs(slope) * from_rational(side.width / 2)
            centre -= spread
            spreads.append(float(spread.upper()) if spread.is_finite() else float("inf"))
        ends = [end.lower() for end in (plain, centre) if end.is_finite()]
        return (None if not ends else max(ends, key=float)), spreads
