"""A search for counterexamples that can refute an inequality and never establish one."""

from __future__ import annotations

__all__ = ["Falsifier"]

import itertools
import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import sympy as sp

from theory.numbers.expression import CompiledExpression, Unevaluable
from theory.numbers.floats import Floats
from verify.checks.ball_inequality import Side, box_values, check_box, gap_of
from verify.checks.base import Budget, OneRelation
from verify.errors import InputError
from verify.search.counterexamples import Point, fails_at, is_false_at
from verify.search.domains import Values
from verify.verdicts import Evidence, Grade, Verdict

_STARTS = 8
_EXAMPLES = 4
"""Examples of hypothesis for each random point."""
_PARTS = 60
"""Into how many parts examples divide a side: a number with many divisors gives simple fractions."""
_DENOMINATORS = (1, 10, 1000, 10**9)
_NOWHERE = 1e300
"""What a descent sees where the gap has no value."""


@dataclass(frozen=True)
class Falsifier(OneRelation):
    """Looks for a point of ``box`` at which the inequality fails, and for the simplest such point.

    Two searches: examples of hypothesis on a grid, which likes corners and shrinks what fails towards the lowest one; then, if none
    fails, random points with a descent from the best of them (multistart), which finds thin violations. REFUTED: at
    the point given, an exact one, Arb and mpmath both see the inequality fail. Otherwise INCONCLUSIVE, however long it
    searched.
    """

    only_refutes: ClassVar[bool] = True
    rejects_with: ClassVar[tuple[Verdict, ...]] = (Verdict.REFUTED,)

    box: tuple[Side, ...]
    seed: int = 20260409

    def validate(self) -> None:
        super().validate()
        check_box("Falsifier", self.relation, self.box)
        for side in self.box:
            low, high = _ends(side)
            if low > high:
                raise InputError(
                    f"Falsifier: the side of {side[0]}, {side[1]} to {side[2]}, holds no integer"
                )

    def values(self) -> Iterable[Values]:
        return box_values(self.box, integers=True)

    def evidence(self, budget: Budget) -> Iterable[Evidence]:
        try:
            compiled = CompiledExpression([gap_of(self.relation)], [symbol for symbol, _, _ in self.box])
        except Unevaluable as problem:
            yield Evidence(Verdict.INCONCLUSIVE, Grade.SAMPLED, f"nothing was searched: {problem}")
            return
        fails = fails_at(self.relation)
        examples = _EXAMPLES * budget.samples
        simple = self._example(examples, is_false_at(self.relation))
        points = itertools.chain([simple] if simple else [], self._descents(compiled, budget.samples))
        yield next((found for point in points if (found := fails(point))), None) or Evidence(
            Verdict.INCONCLUSIVE,
            Grade.SAMPLED,
            f"no counterexample to {self.relation} among {examples} examples of hypothesis, {budget.samples} random "
            f"points and {_STARTS} descents",
            {"seed": self.seed, "examples": examples, "samples": budget.samples, "starts": _STARTS},
        )

    def _descents(self, compiled: CompiledExpression, samples: int) -> Iterator[Point]:
        """The best of random points and where a descent from each ends, roundings first."""

        def gap(point: Sequence[float]) -> float:
            try:
                [value] = compiled(floats, [float(x) for x in point])
            except OverflowError:
                return _NOWHERE
            return float(value) if floats.is_finite(value) else _NOWHERE

        from scipy.optimize import minimize

        floats, rng = Floats(), random.Random(self.seed)
        points = [[rng.uniform(float(low), float(high)) for _, low, high in self.box] for _ in range(samples)]
        points.sort(key=gap)
        bounds = [(float(low), float(high)) for _, low, high in self.box]
        yield from self._roundings(points[:_STARTS])
        for point in points[:_STARTS]:
            best = minimize(
                gap, point, method="Nelder-Mead", bounds=bounds, options={"xatol": 1e-12, "fatol": 1e-14}
            )
            yield from self._roundings([best.x])

    def _roundings(self, points: Sequence[Sequence[float]]) -> Iterator[Point]:
        """Exact points of the box close to float ones, those with the smallest denominators first."""
        for largest in _DENOMINATORS:
            for point in points:
                near = {
                    side: Fraction(float(x)).limit_denominator(1 if side[0].is_integer else largest)
                    for side, x in zip(self.box, point, strict=True)
                }
                ends = {side: _ends(side) for side in near}
                yield _exact({side[0]: min(max(x, ends[side][0]), ends[side][1]) for side, x in near.items()})

    def _example(self, examples: int, fails: Callable[[Point], bool]) -> Point | None:
        """The simplest failing point that hypothesis finds, if it finds any."""
        from hypothesis import find, settings
        from hypothesis import strategies as st
        from hypothesis.errors import NoSuchExample

        places = st.tuples(*(st.integers(0, _places(side)) for side in self.box))
        try:
            return find(
                places.map(self._at),
                fails,
                settings=settings(max_examples=examples, database=None, deadline=None),
                random=random.Random(self.seed),
            )
        except NoSuchExample:
            return None

    def _at(self, places: Sequence[int]) -> Point:
        """The point of the grid at these places."""
        point = {}
        for side, place in zip(self.box, places, strict=True):
            low, high = _ends(side)
            point[side[0]] = low + (high - low) * place / max(1, _places(side))
        return _exact(point)


def _ends(side: Side) -> tuple[Fraction, Fraction]:
    """The least and the largest value of a side's symbol."""
    symbol, low, high = side
    return (Fraction(math.ceil(low)), Fraction(math.floor(high))) if symbol.is_integer else (low, high)


def _places(side: Side) -> int:
    """How many steps a side has on the grid of examples: all its integers, or parts of it."""
    low, high = _ends(side)
    return int(high - low) if side[0].is_integer else _PARTS


def _exact(point: Mapping[sp.Symbol, int | Fraction]) -> Point:
    return {s: sp.Rational(Fraction(x).numerator, Fraction(x).denominator) for s, x in point.items()}
