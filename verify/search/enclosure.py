"""Rigorous ranges of sympy expressions over boxes of exact intervals.

Where the partial derivatives of an expression have one sign over the box, its
range is the pair of corner values, exact for rational expressions; elsewhere
the box is split, with a counted budget. Rounding ties are decided only by
exact arithmetic, never by floats.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import sympy as sp
from flint import arb

from theory.numbers.balls import BALLS, ends, from_rational, hull
from theory.numbers.expression import CompiledExpression, Unevaluable
from verify.printed.intervals import Interval
from verify.verdicts import Grade

_RESOLUTION = Fraction(1, 2**100)
Box = Mapping[sp.Symbol, Interval]


@dataclass(frozen=True)
class Range:
    """Values of an expression over a box: ``outer`` contains them all, every point of ``inner`` is one.

    For rational expressions, monotone over the box, both are the exact range.
    ``boxes`` counts the work.
    """

    outer: Interval
    inner: Interval | None
    boxes: int

    def meets(self, target: Interval) -> bool | None:
        """Whether some value lies in ``target``: True, False, or None where undecided."""
        if not self.outer.meets(target):
            return False
        if self.inner is not None and self.inner.meets(target):
            return True
        return True if self.outer in target else None


@lru_cache(maxsize=4096)
def _compiled(
    expr: sp.Expr, symbols: tuple[sp.Symbol, ...]
) -> tuple[CompiledExpression, CompiledExpression | None]:
    """The expression, and its partial derivatives unless it has kinks or jumps."""
    value = CompiledExpression([expr], symbols)
    slopes = [sp.diff(expr, symbol) for symbol in symbols]
    try:
        return value, CompiledExpression(slopes, symbols)
    except Unevaluable:
        return value, None


def enclose(expr: sp.Expr, box: Box, *, budget: int = 2000) -> Range:
    """The range of ``expr`` over ``box``; ``budget`` bounds the number of sub-boxes.

    Raises OutsideDomain where the expression has no finite value on the box.
    """
    symbols = tuple(sorted(expr.free_symbols, key=lambda s: s.name))
    missing = [s.name for s in symbols if s not in box]
    if missing:
        raise Unevaluable(f"no interval for {', '.join(missing)} in {expr}")
    value, slopes = _compiled(expr, symbols)
    with BALLS.working():
        pending = deque([tuple(box[s] for s in symbols)])  # breadth first: the budget refines evenly
        outer: Interval | None = None
        inner: Interval | None = None
        boxes = 0
        while pending:
            boxes += 1
            part = _examine(value, slopes, pending.popleft())
            if part.split is not None and boxes + len(pending) < budget:
                pending += part.halves()
                continue
            outer = part.outer if outer is None else outer.hull(part.outer)
            if part.inner is not None:
                inner = part.inner if inner is None else inner.hull(part.inner)
    assert outer is not None
    return Range(outer, inner, boxes)


def grade_of(expressions: Iterable[sp.Expr]) -> Grade:
    """EXACT where every expression is rational (or a Min or Max of such), so that its range is; else BALL."""
    exact = all(
        not e.atoms(sp.Function) - e.atoms(sp.Min, sp.Max) and _integer_powers(e) for e in expressions
    )
    return Grade.EXACT if exact else Grade.BALL


def _integer_powers(expr: sp.Expr) -> bool:
    return all(power.exp.is_Integer for power in expr.atoms(sp.Pow)) and not expr.has(sp.E, sp.pi)


def reaches(expr: sp.Expr, box: Box, target: Interval, *, budget: int = 2000) -> bool | None:
    """Whether ``expr`` takes a value in ``target`` somewhere on the box; None where undecided.

    Sub-boxes that cannot reach the target are dropped, so this needs far fewer
    boxes than the whole range does.
    """
    symbols = tuple(sorted(expr.free_symbols, key=lambda s: s.name))
    value, slopes = _compiled(expr, symbols)
    undecided = False
    with BALLS.working():
        pending: list[tuple[Interval, ...]] = [tuple(box[s] for s in symbols)]
        boxes = 0
        while pending:
            boxes += 1
            part = _examine(value, slopes, pending.pop())
            answer = Range(part.outer, part.inner, 1).meets(target)
            if answer:
                return True
            if answer is None and part.split is not None and boxes + len(pending) < budget:
                pending += part.halves()
            else:
                undecided |= answer is None
    return None if undecided else False


@dataclass(frozen=True)
class _Part:
    """A sub-box: bounds of the values on it, and the side to split where they are not yet sharp."""

    sides: tuple[Interval, ...]
    outer: Interval
    inner: Interval | None
    split: int | None

    def halves(self) -> list[tuple[Interval, ...]]:
        assert self.split is not None
        before, after = self.sides[: self.split], self.sides[self.split + 1 :]
        return [(*before, half, *after) for half in self.sides[self.split].halves()]


def _examine(
    value: CompiledExpression, slopes: CompiledExpression | None, sides: tuple[Interval, ...]
) -> _Part:
    tilts = _slopes(slopes, sides)
    varying = [i for i, side in enumerate(sides) if not side.is_point]
    undecided = [i for i in varying if tilts is None or _sign(tilts[i]) is None]
    outer, inner = _natural(value, sides) if tilts is None else _monotone(value, sides, tilts)
    settled = not undecided or (tilts is not None and _negligible(outer, inner))
    widest = None if settled else max(undecided, key=lambda i: sides[i].width)
    return _Part(sides, outer, inner, widest)


def _slopes(slopes: CompiledExpression | None, sides: tuple[Interval, ...]) -> list[arb] | None:
    """Enclosures of the partial derivatives over the box; None where one is missing or unbounded."""
    if slopes is None:
        return None
    values = slopes(BALLS, [hull(*side.bounds) for side in sides])
    return values if all(v.is_finite() for v in values) else None


def _sign(slope: arb) -> int | None:
    """1 or -1 where the slope never changes sign, None where that is not known."""
    return 1 if slope >= 0 else -1 if slope <= 0 else None


def _monotone(
    value: CompiledExpression, sides: tuple[Interval, ...], slopes: Sequence[arb]
) -> tuple[Interval, Interval | None]:
    """The range from two opposite corners, over the variables whose slope has one sign.

    Variables of unknown sign stay at the centre; by the mean value theorem they
    widen the outer range by at most |slope| times their radius.
    """
    low: list[Fraction] = []
    high: list[Fraction] = []
    low_closed = high_closed = True
    spread = arb(0)
    for side, slope in zip(sides, slopes, strict=True):
        lo, hi = side.bounds
        sign = _sign(slope)
        if sign is None and not side.is_point:
            spread += abs(slope) * from_rational(side.width / 2)
            low.append(side.midpoint)
            high.append(side.midpoint)
            continue
        rising = side.is_point or sign == 1
        low.append(lo if rising else hi)
        high.append(hi if rising else lo)
        if slope.is_zero():
            continue  # no influence, so its open ends do not matter
        low_closed &= side.lo_closed if rising else side.hi_closed
        high_closed &= side.hi_closed if rising else side.lo_closed
    _, widening = ends(spread)
    exact_low, exact_high = value.rational(low), value.rational(high)
    if exact_low is not None and exact_high is not None:
        found = Interval(exact_low[0], exact_high[0], low_closed, high_closed)
        outer = found if not widening else Interval(exact_low[0] - widening, exact_high[0] + widening)
        return outer, found
    low_lo, low_hi = ends(value(BALLS, [from_rational(x) for x in low])[0])
    high_lo, high_hi = ends(value(BALLS, [from_rational(x) for x in high])[0])
    outer = Interval(min(low_lo, high_lo) - widening, max(low_hi, high_hi) + widening)
    if low_hi > high_lo:  # a point, or narrower than the arithmetic
        return outer, None
    return outer, Interval(low_hi, high_lo, low_closed, high_closed)


def _negligible(outer: Interval, inner: Interval | None) -> bool:
    """Whether outer and inner range differ by no more than the arithmetic's own resolution."""
    if inner is None:
        return outer.width <= _RESOLUTION * max(abs(x) for x in outer.bounds)
    return outer.width - inner.width <= _RESOLUTION * max(abs(x) for x in outer.bounds)


def _natural(value: CompiledExpression, sides: tuple[Interval, ...]) -> tuple[Interval, Interval | None]:
    """The natural ball extension and, where it is rational, the value at the centre."""
    lo, hi = ends(value(BALLS, [hull(*side.bounds) for side in sides])[0])
    centre = value.rational([side.midpoint for side in sides])
    return Interval(lo, hi), None if centre is None else Interval.point(centre[0])
