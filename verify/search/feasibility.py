"""Can one choice of unrounded inputs explain several printed values at once? Decided with proof.

A node of the search is a box of inputs. A linear program at its centre either
proposes a point, which is then verified exactly, or multipliers y >= 0, which
are verified rigorously: the weighted sum of the violated constraints, bounded
over the whole box by its mean-value form in ball arithmetic, stays positive
(a nonlinear Farkas certificate). Boxes that are neither are split, with a
counted budget. Floats only ever propose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp
from flint import arb

from theory.numbers.arithmetic import OutsideDomain
from theory.numbers.balls import BALLS, from_rational, hull
from theory.numbers.expression import CompiledExpression, Unevaluable
from verify.printed.intervals import Interval
from verify.search.enclosure import Box

_LINEARISATIONS = 6


@dataclass(frozen=True)
class Constraint:
    """``expr`` must take a value in ``target``; ``label`` names it in a finding."""

    label: str
    expr: sp.Expr
    target: Interval


@dataclass(frozen=True)
class Feasibility:
    """The answer: a verified ``point``, or proof that there is none, or neither within the budget.

    ``conflict`` names the constraints of the largest multipliers, most weight first.
    """

    feasible: bool | None
    point: Mapping[str, Fraction]
    conflict: tuple[str, ...]
    boxes: int


def jointly_feasible(constraints: Sequence[Constraint], box: Box, *, budget: int = 200) -> Feasibility:
    """Whether some point of ``box`` satisfies every constraint; ``budget`` counts boxes."""
    used = set().union(*(c.expr.free_symbols for c in constraints)) if constraints else set()
    symbols = tuple(sorted(used, key=lambda s: s.name))
    system = _System(constraints, symbols)
    pending = [tuple(box[s] for s in symbols)]
    conflicts: dict[str, float] = {}
    boxes = 0
    with BALLS.working():
        while pending:
            if boxes >= budget:
                return Feasibility(None, {}, (), boxes)
            boxes += 1
            sides = pending.pop()
            node = system.examine(sides)
            if node.point is not None:
                found = {s.name: x for s, x in zip(symbols, node.point, strict=True)}
                return Feasibility(True, found, (), boxes)
            if node.infeasible:
                for label, weight in node.multipliers.items():
                    conflicts[label] = conflicts.get(label, 0.0) + weight
                continue
            varying = [i for i, side in enumerate(sides) if not side.is_point]
            if not varying:
                return Feasibility(None, {}, (), boxes)
            split = max(varying, key=lambda i: node.curvature[i])
            pending += [(*sides[:split], h, *sides[split + 1 :]) for h in sides[split].halves()]
    ranked = sorted(conflicts, key=lambda label: -conflicts[label])
    return Feasibility(False, {}, tuple(ranked), boxes)


@dataclass
class _Node:
    point: tuple[Fraction, ...] | None = None
    infeasible: bool = False
    multipliers: Mapping[str, float] = None  # type: ignore[assignment]
    curvature: Sequence[float] = ()


@lru_cache(maxsize=256)
def _compiled(
    exprs: tuple[sp.Expr, ...], symbols: tuple[sp.Symbol, ...]
) -> tuple[CompiledExpression, CompiledExpression | None]:
    values = CompiledExpression(exprs, symbols)
    try:
        return values, CompiledExpression([sp.diff(e, s) for e in exprs for s in symbols], symbols)
    except Unevaluable:  # kinks and jumps
        return values, None


class _System:
    def __init__(self, constraints: Sequence[Constraint], symbols: tuple[sp.Symbol, ...]) -> None:
        self.constraints = constraints
        self.symbols = symbols
        self.values, self.slopes = _compiled(tuple(c.expr for c in constraints), symbols)

    def examine(self, sides: tuple[Interval, ...]) -> _Node:
        centre = tuple(side.midpoint for side in sides)
        if self.satisfied(centre):
            return _Node(point=centre)
        radii = [side.width / 2 for side in sides]
        balls = [hull(*side.bounds) for side in sides]
        if self.slopes is None:
            return self._examine_without_slopes(balls, radii)
        at_centre = self.values(BALLS, [from_rational(x) for x in centre])
        flat = self.slopes(BALLS, balls)
        count = len(self.symbols)
        slopes = [flat[i * count : (i + 1) * count] for i in range(len(self.constraints))]
        if not all(v.is_finite() for v in [*at_centre, *flat]):
            return _Node(curvature=[float(r) for r in radii])
        curvature = [float(r) * max(float(row[i].rad()) for row in slopes) for i, r in enumerate(radii)]
        candidate, multipliers = self._propose(centre, at_centre, slopes, radii)
        if candidate is not None:
            return _Node(point=candidate)
        for y in [multipliers, *np.eye(2 * len(self.constraints))]:
            if y is not None and self._certified(y, at_centre, slopes, radii):
                half = len(self.constraints)
                weights = {
                    c.label: float(y[i] + y[half + i])
                    for i, c in enumerate(self.constraints)
                    if y[i] + y[half + i] > 1e-9
                }
                return _Node(infeasible=True, multipliers=weights)
        return _Node(curvature=curvature)

    def _examine_without_slopes(self, balls: Sequence[arb], radii: Sequence[Fraction]) -> _Node:
        """Kinks (Max, Min) have no slope everywhere: drop the box where one constraint alone fails on it."""
        for value, constraint in zip(self.values(BALLS, balls), self.constraints, strict=True):
            lo, hi = constraint.target.lo, constraint.target.hi
            if (hi is not None and value > from_rational(hi)) or (
                lo is not None and value < from_rational(lo)
            ):
                return _Node(infeasible=True, multipliers={constraint.label: 1.0})
        return _Node(curvature=[float(r) for r in radii])

    def satisfied(self, point: Sequence[Fraction]) -> bool:
        """Whether an exact point satisfies every constraint, decided without floats."""
        try:
            exact = self.values.rational(point)
        except OutsideDomain:
            return False
        if exact is not None:
            return all(v in c.target for v, c in zip(exact, self.constraints, strict=True))
        for value, constraint in zip(
            self.values(BALLS, [from_rational(x) for x in point]), self.constraints, strict=True
        ):
            lo, hi = constraint.target.lo, constraint.target.hi
            above = lo is None or value > from_rational(lo)
            below = hi is None or value < from_rational(hi)
            if not (above and below):
                return False
        return True

    def _propose(
        self,
        centre: tuple[Fraction, ...],
        at_centre: Sequence[arb],
        slopes: Sequence[Sequence[arb]],
        radii: Sequence[Fraction],
    ) -> tuple[tuple[Fraction, ...] | None, Any]:
        """A verified point (by successive linear programs), and the multipliers of the first one."""
        assert self.slopes is not None
        first_multipliers = None
        steps = [Fraction(0)] * len(radii)
        values, gradients = at_centre, slopes
        for attempt in range(_LINEARISATIONS):
            move, multipliers = self._linear_program(values, gradients, radii, [float(t) for t in steps])
            if attempt == 0:
                first_multipliers = multipliers
            if move is None:
                break
            steps = [
                max(Fraction(-1), min(Fraction(1), t + Fraction(float(m)).limit_denominator(10**9)))
                for t, m in zip(steps, move, strict=True)
            ]
            point = tuple(c + r * t for c, r, t in zip(centre, radii, steps, strict=True))
            if self.satisfied(point):
                return point, first_multipliers
            balls = [from_rational(x) for x in point]
            flat = self.slopes(BALLS, balls)
            values = self.values(BALLS, balls)
            gradients = [flat[i * len(radii) : (i + 1) * len(radii)] for i in range(len(self.constraints))]
            if not all(v.is_finite() for v in [*values, *flat]):
                break
        return None, first_multipliers

    def _linear_program(
        self,
        values: Sequence[arb],
        slopes: Sequence[Sequence[arb]],
        radii: Sequence[Fraction],
        steps: Sequence[float],
    ) -> tuple[Any, Any]:
        """Maximise the least relative slack over moves that stay in the box; (move, multipliers)."""
        from scipy.optimize import linprog

        rows, limits = [], []
        for sign in (1, -1):
            for value, slope, constraint in zip(values, slopes, self.constraints, strict=True):
                end = constraint.target.hi if sign > 0 else constraint.target.lo
                scale = _scale(constraint.target, value)
                gradient = [
                    sign * float(g.mid()) * float(r) / scale for g, r in zip(slope, radii, strict=True)
                ]
                rows.append([*gradient, 1.0])
                limits.append(
                    1e9 if end is None else sign * float((from_rational(end) - value).mid()) / scale
                )
        cost = np.zeros(len(radii) + 1)
        cost[-1] = -1.0
        inside = 1 - 1e-9  # open ends of the box are not attained
        bounds = [(-inside - t, inside - t) if r else (0.0, 0.0) for t, r in zip(steps, radii, strict=True)]
        answer = linprog(
            cost, A_ub=np.array(rows), b_ub=np.array(limits), bounds=[*bounds, (None, 1e6)], method="highs"
        )
        if not answer.success:
            return None, None
        return answer.x[:-1], np.maximum(-answer.ineqlin.marginals, 0.0)

    def _certified(
        self,
        multipliers: Any,
        at_centre: Sequence[arb],
        slopes: Sequence[Sequence[arb]],
        radii: Sequence[Fraction],
    ) -> bool:
        """Whether the weighted sum of violations is positive on the whole box (rigorous)."""
        half = len(self.constraints)
        total = arb(0)
        gradient = [arb(0)] * len(radii)
        for i, constraint in enumerate(self.constraints):
            scale = from_rational(Fraction(1) / Fraction(_scale(constraint.target, at_centre[i])))
            for sign, weight, end in (
                (1, multipliers[i], constraint.target.hi),
                (-1, multipliers[half + i], constraint.target.lo),
            ):
                if weight <= 0:
                    continue
                if end is None:
                    return False
                w = from_rational(Fraction(float(weight))) * scale * sign
                total += w * (at_centre[i] - from_rational(end))
                gradient = [g + w * s for g, s in zip(gradient, slopes[i], strict=True)]
        for g, r in zip(gradient, radii, strict=True):
            total -= abs(g) * from_rational(r)
        return bool(total > 0)


def _scale(target: Interval, value: arb) -> float:
    if target.lo is not None and target.hi is not None and target.hi > target.lo:
        return float(target.width) / 2
    return max(abs(float(value.mid())), 1e-12)
