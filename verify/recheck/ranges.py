"""A small checker of inequalities on finite integer ranges; it counts and evaluates in its own way.

A certificate cuts the points, in order, into chunks: how many there are, which comes closest, and by how much. The checker
walks the points again from the texts of the ranges; its values are a rational plus rational multiples of logarithms
of exact rationals, binomials by Pascal's neighbours, where the search has the gamma function.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import arb, ctx

from verify.recheck.balls import exact_ball, middle
from verify.recheck.means import read_fraction
from verify.recheck.rejected import Rejected
from verify.recheck.stated import expect_entries, expect_list, relation_text
from verify.recheck.texts import (
    CONSTANTS,
    Unreadable,
    arguments,
    bounded,
    called,
    difference,
    has_log,
    parse,
    the_claim,
)

KIND = "integer range"
CHECKS = ("IntegerRange",)
CHUNK = 256
ALL_POINTS = 20_000
"""Up to so many points every chunk is evaluated again, beyond it every second one, every third one, ..."""
TIE = Fraction(1, 10**9)
"""Margins this close, relative to 1 or to themselves, count as equal; the first point is then the closest."""
_PRECISION = 100
Form = tuple[Fraction, dict[Fraction, Fraction]]


def reread(certificate: Mapping[str, Any]) -> None:
    """Raise `Rejected` unless the relation holds at every point of the ranges that is evaluated again."""
    count_points(certificate)


def shown(certificate: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What is proved, and where, as a card shows it."""
    return [(relation_text(*certificate["relation"]), range_text(certificate["ranges"]))]


def range_text(ranges: Sequence[Sequence[str]]) -> str:
    """The ranges in a line."""
    return ", ".join(f"{name} in {first}..{last}" for name, first, last in ranges)


def count_points(certificate: Mapping[str, Any]) -> int:
    """How many points were evaluated again; `Rejected` unless the certificate shows the gap nonnegative at each."""
    expect_entries(certificate, "kind", "relation", "ranges", "points", "chunks")
    lhs, op, rhs = certificate["relation"]
    if op not in ("<=", ">="):
        raise Rejected(f"{op} is not handled")
    names = [name for name, _, _ in expect_list(certificate["ranges"], "ranges")]
    if len(set(names)) < len(names) or set(names) & set(CONSTANTS):
        raise Rejected("a range stands twice, or has the name of a constant")
    with the_claim():
        evaluate = _Evaluator(difference(rhs, lhs) if op == "<=" else difference(lhs, rhs), names)
        bounds = [(parse(low), parse(high)) for _, low, high in certificate["ranges"]]
    stride = 1 + (certificate["points"] - 1) // ALL_POINTS if type(certificate["points"]) is int else 1
    points = _points(bounds, names, {})
    evaluated = total = 0
    before, ctx.prec = ctx.prec, _PRECISION
    try:
        for i, chunk in enumerate(expect_list(certificate["chunks"], "chunks")):
            mine = [point for _, point in zip(range(CHUNK), points, strict=False)]
            total += len(mine)
            if set(chunk) != {"first", "points", "closest", "margin"} or not mine:
                raise Rejected(
                    "expected chunks with first, points, closest, margin, and no more than there are points"
                )
            if list(mine[0]) != chunk["first"] or len(mine) != chunk["points"]:
                raise Rejected(f"the chunk from {chunk['first']} does not hold what it says")
            if tuple(chunk["closest"]) not in mine:
                raise Rejected(f"{chunk['closest']} is not a point of its chunk")
            kept = mine if i % stride == 0 else [tuple(chunk["closest"])]
            _check(chunk, kept, evaluate)
            evaluated += len(kept)
        if next(points, None) is not None or total != certificate["points"]:
            raise Rejected(f"the certificate counts {certificate['points']} points, and there are others")
    finally:
        ctx.prec = before
    return evaluated


def _check(chunk: Mapping[str, Any], points: Sequence[tuple[int, ...]], evaluate: _Evaluator) -> None:
    best: tuple[Fraction, tuple[int, ...]] | None = None
    for point in points:
        margin = evaluate.margin(point)
        if margin < 0:
            raise Rejected(f"the inequality fails at {point}")
        if best is None or margin < best[0] - TIE * max(Fraction(1), best[0]):
            best = (margin, point)
    assert best is not None
    said = read_fraction(chunk["margin"])
    if best[1] != tuple(chunk["closest"]) or abs(said - best[0]) > TIE * max(Fraction(1), best[0]):
        raise Rejected(f"in the chunk from {chunk['first']} {best[1]} comes closest, by {float(best[0])}")


def _points(
    bounds: Sequence[tuple[ast.expr, ast.expr]], names: Sequence[str], at: dict[str, int]
) -> Iterator[tuple[int, ...]]:
    depth = len(at)
    if depth == len(bounds):
        yield tuple(at.values())
        return
    low, high = (_rational(node, at) for node in bounds[depth])
    for value in range(math.ceil(low), math.floor(high) + 1):
        yield from _points(bounds, names, {**at, names[depth]: value})


class _Evaluator:
    """Margins of one gap: exact where they are 0, else the middle of a ball known to be on one side of 0."""

    def __init__(self, gap: ast.expr, names: Sequence[str]) -> None:
        self.gap, self.names = gap, names
        self.last: tuple[int, int, int] = (0, 0, 1)

    def margin(self, point: tuple[int, ...]) -> Fraction:
        with the_claim():
            constant, logs = self._form(self.gap, dict(zip(self.names, point, strict=True)))
        ball = exact_ball(constant)
        for base, factor in logs.items():
            ball += exact_ball(factor) * (arb.pi().log() if base == 0 else exact_ball(base).log())
        if not ball.contains(0):
            return middle(ball)
        if constant == 0 and 0 not in logs and self._product(logs) == 1:
            return Fraction(0)
        raise Unreadable(f"the gap at {point} is not told from 0")

    def _product(self, logs: Mapping[Fraction, Fraction]) -> Fraction:
        scale = math.lcm(*(factor.denominator for factor in logs.values()))
        total = Fraction(1)
        for base, factor in logs.items():
            total *= base ** int(factor * scale)
        return total

    def _form(self, node: ast.expr, at: Mapping[str, int], times: Fraction = Fraction(1)) -> Form:
        """A part of the gap that stands ``times`` a factor; if that is 0, it may hold the log of 0."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return _times(self._form(node.operand, at, times), Fraction(-1))
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
            right = self._form(node.right, at, times)
            return _sum(
                self._form(node.left, at, times),
                right if isinstance(node.op, ast.Add) else _times(right, Fraction(-1)),
            )
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            one, other = (node.left, node.right) if has_log(node.right) else (node.right, node.left)
            factor = _rational(one, at)
            return _times(self._form(other, at, times * factor), factor)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            below = _rational(node.right, at)
            if below == 0:
                raise Rejected("division by zero")
            return _times(self._form(node.left, at, times), 1 / below)
        if called(node) == "log":
            [argument] = arguments(node)
            return self._log(argument, at, times)
        return _rational(node, at), {}

    def _log(self, node: ast.expr, at: Mapping[str, int], times: Fraction) -> Form:
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
            right = self._log(node.right, at, times)
            return _sum(
                self._log(node.left, at, times),
                right if isinstance(node.op, ast.Mult) else _times(right, Fraction(-1)),
            )
        if isinstance(node, ast.Name) and node.id == "e":
            return Fraction(1), {}
        if isinstance(node, ast.Name) and node.id == "pi":
            return Fraction(0), {Fraction(0): Fraction(1)}  # the base 0 stands for pi
        if called(node) in ("binomial", "factorial"):
            counts = [_count(_rational(argument, at)) for argument in arguments(node)]
            count = self._choose(*counts) if len(counts) == 2 else math.factorial(counts[0])
            value = Fraction(count)
        else:
            value = _rational(node, at)
        if value == 0 == times:
            return Fraction(0), {}
        if value <= 0:
            raise Rejected(f"log({value}) is not real")
        return Fraction(0), {value: Fraction(1)}

    def _choose(self, top: int, below: int) -> int:
        """C(top, below), from the one asked for last where that is its left or upper neighbour."""
        before, k, value = self.last
        if before == top and k + 1 == below <= top:
            value = value * (top - k) // below
        elif before + 1 == top and k == below <= before:
            value = value * top // (top - below)
        elif not (before == top and k == below):
            value = math.comb(top, below)
        self.last = (top, below, value)
        return value


def _rational(node: ast.expr, at: Mapping[str, int]) -> Fraction:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return Fraction(node.value)
    if isinstance(node, ast.Name) and node.id in at:
        return Fraction(at[node.id])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_rational(node.operand, at)
    if isinstance(node, ast.BinOp):
        left, right = _rational(node.left, at), _rational(node.right, at)
        if isinstance(node.op, ast.Add):
            return left + right
        if isinstance(node.op, ast.Sub):
            return left - right
        if isinstance(node.op, ast.Mult):
            return left * right
        if isinstance(node.op, ast.Div) and right != 0:
            return left / right
        if isinstance(node.op, ast.Pow) and right.denominator == 1 and (left != 0 or right > 0):
            return Fraction(left ** bounded(int(right)))
    raise Unreadable(f"{ast.unparse(node)} is not a rational number at each point")


def _times(form: Form, factor: Fraction) -> Form:
    return form[0] * factor, {base: c * factor for base, c in form[1].items() if factor}


def _sum(one: Form, other: Form) -> Form:
    logs = dict(one[1])
    for base, c in other[1].items():
        logs[base] = logs.get(base, Fraction(0)) + c
    return one[0] + other[0], {base: c for base, c in logs.items() if c}


def _count(value: Fraction) -> int:
    if value.denominator != 1 or value < 0:
        raise Rejected(f"{value} is no count")
    return int(value)
