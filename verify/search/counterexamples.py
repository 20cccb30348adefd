"""Points at which an inequality fails, found on a grid of a domain and confirmed by a second evaluator."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

import sympy as sp

from theory.numbers.balls import BALLS
from theory.numbers.expression import CompiledExpression, Unevaluable
from theory.relation import Relation
from verify.search.second_opinion import DIGITS, as_float
from verify.verdicts import Evidence, Grade, Verdict

Point = Mapping[sp.Symbol, sp.Expr]
_STEPS = (0, 1, 2, 3, 5, 10, 30, 100)
_NOISE = sp.Float(10) ** -30
"""What the second evaluator's 40 digits cannot tell from 0, relative to the sides."""
_INSIDE = (1, 2, 5)
_FRACTIONS = (Fraction(1, 100), Fraction(1, 2))


def counterexample(
    relation: Relation, domain: Sequence[Relation], points: int, *, inside: bool = False
) -> Evidence | None:
    """A refutation at one of the first ``points`` points of a grid, or None.

    ``inside`` tries points well inside the domain first: at its edge a side may have no value as it is written.
    """
    first = [_above(domain, [step] * len(domain)) for step in map(Fraction, _INSIDE)] if inside else []
    start = (point for point in first if point is not None)
    tried = itertools.chain(start, itertools.islice(_grid(domain), points))
    return first_failure(relation, tried)


def first_failure(relation: Relation, points: Iterable[Point]) -> Evidence | None:
    """A refutation at the first of the exact points, of those that the symbols admit, at which the relation fails."""
    fails = fails_at(relation)
    return next(
        (found for point in filter(_is_admitted, points) if (found := fails(point)) is not None), None
    )


def _is_admitted(point: Point) -> bool:
    """Whether every value is one that its symbol may have: sides simplified for others mean nothing there."""
    return not any(
        (symbol.is_positive and value < 0) or (symbol.is_integer and not value.is_integer)
        for symbol, value in point.items()
    )


def fails_at(relation: Relation) -> Callable[[Point], Evidence | None]:
    """A function of an exact point: the refutation there, where Arb and mpmath both see the relation fail, else None."""
    negative = is_false_at(relation)

    def refutation(point: Point) -> Evidence | None:
        if not negative(point):
            return None
        values = {"left": negative.second(relation.lhs, point), "right": negative.second(relation.rhs, point)}
        gap = (values["right"] - values["left"]) * (1 if relation.op == "<=" else -1)
        if not gap < -_NOISE * (abs(values["left"]) + abs(values["right"])):
            return None
        witness = {s.name: str(x) for s, x in point.items()}
        at = ", ".join(f"{name} = {x}" for name, x in witness.items()) or "its own constants"
        sides = {name: str(sp.N(value, 15)) for name, value in values.items()}
        return Evidence(
            Verdict.REFUTED,
            Grade.BALL,
            f"{relation} is false at {at}: {sp.N(values['left'], 6)} against {sp.N(values['right'], 6)}",
            witness={**witness, **sides},
            confirmed_by="mpmath at 40 digits (the first evaluator is Arb)",
        )

    return refutation


def is_false_at(relation: Relation) -> Sign:
    """A function of an exact point: whether Arb sees the relation fail there."""
    return Sign(relation.rhs - relation.lhs if relation.op == "<=" else relation.lhs - relation.rhs)


class Sign:
    """Whether an expression is seen to be negative at a point, compiled once where that is possible."""

    def __init__(self, expr: sp.Expr) -> None:
        self.expr = expr
        self.symbols = sorted(expr.free_symbols, key=lambda s: str(s.name))
        try:
            self.compiled: CompiledExpression | None = CompiledExpression(
                [expr], self.symbols, exact=self.symbols
            )
        except Unevaluable:  # a function that may still have a value at each point
            self.compiled = None

    def second(self, expr: sp.Expr, point: Point) -> sp.Expr:
        """A value by mpmath; what was compiled is evaluated at multiprecision floats, as exact powers may be huge."""
        if self.compiled is None:
            return _at(expr, point).evalf(DIGITS)
        at = {s: as_float(Fraction(int(x.p), int(x.q))) for s, x in point.items()}
        return expr.evalf(DIGITS, subs={s: x for s, x in at.items() if s in expr.free_symbols})

    def __call__(self, point: Point) -> bool:
        try:
            compiled = self.compiled or CompiledExpression([_at(self.expr, point)], ())
        except Unevaluable:
            return False
        values = [Fraction(int(point[s].p), int(point[s].q)) for s in compiled.symbols]
        with BALLS.working():
            return bool(compiled(BALLS, values)[0] < 0)


def _grid(domain: Sequence[Relation]) -> Iterator[dict[sp.Symbol, sp.Expr]]:
    """Points of the domain, those closest to its corner first."""
    for steps in _closest_first([_offsets(condition) for condition in domain]):
        point = _above(domain, steps)
        if point is None:
            return
        yield point


def _above(domain: Sequence[Relation], steps: Sequence[Fraction]) -> dict[sp.Symbol, sp.Expr] | None:
    """The point at these distances from the lower bounds; None where a bound is irrational and so has none exactly.

    An integer symbol starts at the integer next to its bound.
    """
    values: list[Fraction] = []
    for condition, bound, step in zip(domain, _bounds(tuple(domain)), steps, strict=True):
        found = bound.rational(values)
        if found is None:
            return None
        [low] = found
        if condition.lhs.is_integer:
            low = Fraction(math.ceil(low) if condition.op == ">=" else math.floor(low))
        values.append(low + step)
    return {c.lhs: sp.Rational(x.numerator, x.denominator) for c, x in zip(domain, values, strict=True)}


@lru_cache(maxsize=256)
def _bounds(domain: tuple[Relation, ...]) -> list[CompiledExpression]:
    """The lower bounds, each over the symbols bounded before."""
    return [CompiledExpression([c.rhs], [before.lhs for before in domain[:i]]) for i, c in enumerate(domain)]


def _offsets(condition: Relation) -> list[Fraction]:
    """Distances from a lower bound, least first."""
    fractions = () if condition.lhs.is_integer else _FRACTIONS
    steps = sorted([*map(Fraction, _STEPS), *fractions])
    return [step for step in steps if step > 0 or condition.op == ">="]


def _closest_first(choices: Sequence[Sequence[Fraction]]) -> Iterator[tuple[Fraction, ...]]:
    """The product of sorted choices by increasing sum, without ever forming it."""

    def entry(places: tuple[int, ...]) -> tuple[Fraction, tuple[Fraction, ...], tuple[int, ...]]:
        steps = tuple(choice[i] for choice, i in zip(choices, places, strict=True))
        return sum(steps, Fraction(0)), steps, places

    waiting = [entry((0,) * len(choices))]
    while waiting:
        _, steps, places = heapq.heappop(waiting)
        yield steps
        last = max((i for i, place in enumerate(places) if place), default=0)
        for i in range(last, len(choices)):  # only from the last one moved on, so that none comes twice
            if places[i] + 1 < len(choices[i]):
                heapq.heappush(waiting, entry((*places[:i], places[i] + 1, *places[i + 1 :])))


def _at(expr: sp.Expr, point: Point) -> sp.Expr:
    return expr.xreplace(dict(point))
