"""What was inferred of a formula against its values: exact points of a domain, and balls that hold the true values."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

import sympy as sp
from flint import ctx

from theory.numbers.values import ball
from theory.relation import Relation
from theory.shapes.infer import InferredShape
from theory.shapes.signs import domain_of

Point = dict[sp.Symbol, sp.Rational]
_HOLDS = {">=": lambda a, b: a >= b, ">": lambda a, b: a > b, "<": lambda a, b: a < b}


def bounds(formula: sp.Expr, conditions: Iterable[Relation]) -> tuple[Relation, ...]:
    """The domain of a formula; a symbol without lower bound, which is none here, begins at -3."""
    found = domain_of(formula, conditions)
    low = {c.lhs for c in found if c.op != "<"}
    free = sorted(formula.free_symbols - low, key=str)
    return (*(Relation(s, ">=", -3) for s in free), *found)


def draw(domain: tuple[Relation, ...], rng: random.Random, *, whole: bool = False) -> Point:
    """A point of the domain: each symbol some way above its lower bound, and below its upper one."""
    point: Point = {}
    waiting = [c for c in domain if c.op != "<"]
    above = {c.lhs: c.rhs for c in domain if c.op == "<"}
    while waiting:
        c = next(c for c in waiting if c.rhs.free_symbols <= set(point))
        waiting.remove(c)
        low = sp.Rational(c.rhs.subs(point))
        if c.lhs in above:
            high = sp.Rational(above[c.lhs].subs(point))
            point[c.lhs] = low + (high - low) * sp.Rational(rng.randint(1, 15), 16)
        elif whole and c.lhs.is_integer:
            point[c.lhs] = sp.ceiling(low) + rng.randint(1, 12)
        else:
            point[c.lhs] = low + sp.Rational(
                rng.randint(0 if c.op == ">=" else 1, 48), rng.choice((1, 4, 16, 32))
            )
    return point


def inside(domain: tuple[Relation, ...], point: Point) -> bool:
    return all(_HOLDS[c.op](sp.Rational(point[c.lhs]), sp.Rational(c.rhs.subs(point))) for c in domain)


def chords(
    domain: tuple[Relation, ...], variable: sp.Symbol, rng: random.Random, count: int
) -> Iterator[tuple[Point, Point, Point]]:
    """Three points of the domain at equal steps of the variable, other symbols fixed."""
    made = 0
    for _ in range(40 * count):
        start = draw(domain, rng)
        step = sp.Rational(rng.randint(1, 24), rng.choice((1, 4, 16, 64)))
        one, two, three = ({**start, variable: start[variable] + i * step} for i in range(3))
        if inside(domain, two) and inside(domain, three):
            yield one, two, three
            made += 1
        if made == count:
            return


def contradictions(
    shape: InferredShape, conditions: Iterable[Relation], seed: int, count: int = 4
) -> list[str]:
    """Where values of the formula certainly contradict what was inferred; ValueError where no point could be drawn."""
    formula, variable = shape.node.formula, shape.variable
    domain = bounds(formula, conditions)
    found, drawn = [], 0
    for points in chords(domain, variable, random.Random(seed), count):
        drawn += 1
        values = [ball(formula, point) for point in points]
        if not all(value.is_finite() for value in values):
            continue
        a, b, c = values
        sign = shape.node.sign
        with ctx.workprec(160):
            false = {
                "increasing": shape.increasing and b < a,
                "decreasing": shape.decreasing and b > a,
                "convex": shape.convex and a + c < 2 * b,
                "concave": shape.concave and a + c > 2 * b,
                "nonnegative": sign.nonnegative and a < 0,
                "nonpositive": sign.nonpositive and a > 0,
                "nonzero": sign.nonzero and a == 0,
            }
        found += [f"not {name} from {points[0]} on" for name, wrong in false.items() if wrong]
    if not drawn:
        raise ValueError(f"no three points of {domain} on a line in {variable}")
    return found
