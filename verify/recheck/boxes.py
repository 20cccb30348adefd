"""A small checker of proofs by subdivision: its own reader, its own slopes, no reasoning shared with the search.

A certificate is a tree: ``[axis, low, high]`` halves a box along an axis, and ``"."`` says that
the mean value form shows the expression to be nonnegative on the box that is left. Since only
halvings lead to the leaves, the leaves cover the box.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import arb, ctx

from verify.recheck.balls import exact_ball, whole_power
from verify.recheck.means import read_fraction
from verify.recheck.rejected import Rejected
from verify.recheck.stated import expect_entries, expect_list, relation_text
from verify.recheck.texts import CONSTANTS, Unreadable, arguments, called, difference, names

KIND = "box"
CHECKS = ("BallInequality",)
Sides = Sequence[tuple[Fraction, Fraction]]
_PRECISION = 120


def reread(certificate: Mapping[str, Any]) -> None:
    """Raise `Rejected` unless the tree proves the relation on the box."""
    count_boxes(certificate)


def shown(certificate: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What is proved, and where, as a card shows it."""
    return [(relation_text(*certificate["relation"]), box_text(certificate["box"]))]


def box_text(box: Sequence[Sequence[str]]) -> str:
    """The sides of a box in a line."""
    return ", ".join(f"{name} in [{low}, {high}]" for name, low, high in box)


def count_boxes(certificate: Mapping[str, Any]) -> int:
    """The number of boxes of the tree; `Rejected` unless it proves the relation on all of them."""
    expect_entries(certificate, "kind", "relation", "box", "tree")
    lhs, op, rhs = certificate["relation"]
    if op not in ("<=", ">="):
        raise Rejected(f"{op} is not handled")
    gap = difference(rhs, lhs) if op == "<=" else difference(lhs, rhs)
    known = [name for name, _, _ in expect_list(certificate["box"], "sides")]
    sides = [(read_fraction(low), read_fraction(high)) for _, low, high in certificate["box"]]
    if len(set(known)) < len(known) or set(known) & set(CONSTANTS) or any(low > high for low, high in sides):
        raise Rejected("the box has a side twice, or one that ends before it begins")
    if not known or names(gap) - {*known, *CONSTANTS}:
        raise Rejected("the box has no side for a symbol")
    before = ctx.prec
    ctx.prec = _PRECISION
    try:
        return _recheck(gap, known, sides, certificate["tree"])
    finally:
        ctx.prec = before


def _recheck(gap: ast.expr, names: list[str], sides: list[tuple[Fraction, Fraction]], tree: Any) -> int:
    if tree == ".":
        if not _lower_end(gap, names, sides) >= 0:
            raise Rejected(f"not seen to be nonnegative on {sides}")
        return 1
    if not (isinstance(tree, list) and len(tree) == 3 and type(tree[0]) is int and 0 <= tree[0] < len(sides)):
        raise Rejected(f"expected '.' or [axis, low, high], got {tree!r}")
    axis, low, high = tree
    lo, hi = sides[axis]
    middle = (lo + hi) / 2
    below, above = list(sides), list(sides)
    below[axis], above[axis] = (lo, middle), (middle, hi)
    return _recheck(gap, names, below, low) + _recheck(gap, names, above, high)


def _lower_end(gap: ast.expr, names: list[str], sides: list[tuple[Fraction, Fraction]]) -> arb:
    """The lower end of the mean value form and of the plain one, whichever is higher."""
    boxes = [exact_ball(lo).union(exact_ball(hi)) for lo, hi in sides]
    centres = [exact_ball((lo + hi) / 2) for lo, hi in sides]
    unit = [[arb(i == j) for j in range(len(sides))] for i in range(len(sides))]
    value, slopes = _dual(gap, {n: (b, u) for n, b, u in zip(names, boxes, unit, strict=True)})
    centre, _ = _dual(gap, {n: (c, u) for n, c, u in zip(names, centres, unit, strict=True)})
    for slope, box, middle in zip(slopes, boxes, centres, strict=True):
        centre += slope * (box - middle)
    ends = [end.lower() for end in (value, centre) if end.is_finite()]
    if not ends:
        raise Rejected(f"no finite value seen on {sides}")
    return ends[0] if len(ends) == 1 else ends[0].max(ends[1])


Dual = tuple[arb, list[arb]]


def _dual(node: ast.expr, at: Mapping[str, Dual]) -> Dual:
    """A value and its slopes, by the rules of differentiation."""
    width = len(next(iter(at.values()))[1])
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return arb(node.value), [arb(0)] * width
    if isinstance(node, ast.Name) and node.id in at:
        return at[node.id]
    if isinstance(node, ast.Name) and node.id in CONSTANTS:
        return (arb.pi() if node.id == "pi" else arb(1).exp()), [arb(0)] * width
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value, slopes = _dual(node.operand, at)
        return -value, [-s for s in slopes]
    if isinstance(node, ast.BinOp):
        (u, du), (v, dv) = _dual(node.left, at), _dual(node.right, at)
        pairs = list(zip(du, dv, strict=True))
        if isinstance(node.op, ast.Add):
            return u + v, [p + q for p, q in pairs]
        if isinstance(node.op, ast.Sub):
            return u - v, [p - q for p, q in pairs]
        if isinstance(node.op, ast.Mult):
            return u * v, [p * v + u * q for p, q in pairs]
        if isinstance(node.op, ast.Div):
            return u / v, [(p * v - u * q) / (v * v) for p, q in pairs]
        if isinstance(node.op, ast.Pow):
            return _power(node.right, u, du, v, dv)
    function = called(node)
    if function in ("log", "exp", "sqrt", "loggamma"):
        [argument] = arguments(node)
        u, du = _dual(argument, at)
        if function == "log":
            return u.log(), [p / u for p in du]
        if function == "exp":
            return u.exp(), [p * u.exp() for p in du]
        if function == "sqrt":
            return u.sqrt(), [p / (2 * u.sqrt()) for p in du]
        return u.lgamma(), [p * u.digamma() for p in du]
    raise Unreadable(f"{ast.unparse(node)} is not read here")


def _power(exponent: ast.expr, u: arb, du: list[arb], v: arb, dv: list[arb]) -> Dual:
    if isinstance(exponent, ast.Constant) and type(exponent.value) is int:
        whole = exponent.value
        return whole_power(u, whole), [whole * whole_power(u, whole - 1) * p for p in du]
    value = (u.log() * v).exp()
    return value, [value * (q * u.log() + v * p / u) for p, q in zip(du, dv, strict=True)]
