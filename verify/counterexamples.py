"""Points at which an inequality fails, found on a grid of a domain and confirmed by a second evaluator."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence

import sympy as sp
from flint import arb

from theory.statement import Relation
from verify.program import BITS, OutsideDomain, Program, precision
from verify.second_opinion import DIGITS
from verify.verdicts import Evidence, Grade, Verdict

_PI = sp.Symbol("pi", positive=True)
_STEPS = (0, 1, 2, 3, 5, 10, 30, 100)
_FRACTIONS = (sp.Rational(1, 100), sp.Rational(1, 2))


def counterexample(relation: Relation, domain: Sequence[Relation], points: int) -> Evidence | None:
    """A refutation at one of the first ``points`` points of a grid, or None."""
    return first_failure(relation, itertools.islice(_grid(domain), points))


def first_failure(relation: Relation, points: Iterable[Mapping[sp.Symbol, sp.Expr]]) -> Evidence | None:
    """A refutation at the first of the exact points at which Arb and mpmath both see the relation fail."""
    difference = relation.rhs - relation.lhs if relation.op == "<=" else relation.lhs - relation.rhs
    for point in points:
        gap = _at(difference, point)
        try:
            with precision(BITS):
                [ball] = Program([gap.xreplace({sp.pi: _PI})], (_PI,)).balls([arb.pi()])
                fails = bool(ball < 0)
        except (OutsideDomain, ZeroDivisionError, TypeError):
            continue
        if fails and gap.evalf(DIGITS) < 0:
            values = {"left": _at(relation.lhs, point), "right": _at(relation.rhs, point)}
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
    return None


def _grid(domain: Sequence[Relation]) -> Iterator[dict[sp.Symbol, sp.Expr]]:
    """Points of the domain, those closest to its corner first."""
    choices = [sorted([*_STEPS] if c.lhs.is_integer else [*_STEPS, *_FRACTIONS]) for c in domain]
    for steps in _by_sum(choices):
        point: dict[sp.Symbol, sp.Expr] = {}
        for condition, step in zip(domain, steps, strict=True):
            point[condition.lhs] = sp.Rational(condition.rhs.subs(point) + step)
        yield point


def _by_sum(choices: Sequence[Sequence[sp.Expr]]) -> Iterator[tuple[sp.Expr, ...]]:
    """One of each rising list, by their sum and then in lexical order; found as they are asked for, not all at first."""

    def entry(indices: tuple[int, ...]) -> tuple[sp.Expr, tuple[sp.Expr, ...], tuple[int, ...]]:
        steps = tuple(chosen[i] for chosen, i in zip(choices, indices, strict=True))
        return sum(steps), steps, indices

    waiting = [entry((0,) * len(choices))]
    while waiting:
        _, steps, indices = heapq.heappop(waiting)
        yield steps
        last = max((place for place, i in enumerate(indices) if i), default=0)
        for place in range(last, len(indices)):  # so that each is reached from one neighbour only
            if indices[place] + 1 < len(choices[place]):
                raised = (*indices[:place], indices[place] + 1, *indices[place + 1 :])
                heapq.heappush(waiting, entry(raised))


def _at(expr: sp.Expr, point: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
    return expr.subs(point, simultaneous=True)
