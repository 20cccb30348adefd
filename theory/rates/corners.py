"""The corners of a pair of bounds that the sizes of the calculus do not reach by themselves.

The calculus takes sizes polynomial in the scale and logarithms of something at
least 2. Two kinds of choice lie outside, and a pair can break there alone: a
size that is exponential in the accuracy, which pays where the error falls with
its logarithm, and a logarithm in the entropy that vanishes, as log(M/k) does at
M = k. Each corner is the same pair, written so that the calculus reaches it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import sympy as sp

from theory.statement import Relation


@dataclass(frozen=True)
class Corner:
    """A pair of bounds as it stands at a corner, and where that is, in words; empty for the whole."""

    error: sp.Expr
    entropy: sp.Expr
    over: object
    subject_to: tuple[object, ...]
    words: str


def corners(whole: Corner) -> Iterator[Corner]:
    """Every corner of a pair that was read without fault."""
    for argument in _vanishing_logs(whole.entropy, set(_sizes(whole.over))):
        if any(_keeps_above_one(argument, relation) for relation in whole.subject_to):
            continue
        entropy = whole.entropy.xreplace({sp.log(argument): sp.Integer(0)})
        yield replace(
            whole,
            entropy=sp.Integer(1) if entropy == 0 else entropy,
            subject_to=(*whole.subject_to, Relation(argument, "<=", sp.Integer(1))),
            words=f"where log({argument}) vanishes",
        )
    sizes = [s for s in _sizes(whole.over) if any(log.has(s) for log in whole.error.atoms(sp.log))]
    for count in range(1, len(sizes) + 1):
        for chosen in combinations(sizes, count):
            corner = _exponential(whole, chosen)
            if not _has_negative_log(corner):
                yield corner


def _vanishing_logs(entropy: sp.Expr, sizes: set[sp.Symbol]) -> list[sp.Expr]:
    """The arguments of logarithms that can be 1: products of sizes without a larger constant before them.

    A parameter before them counts as large enough, as e does in log(e M/k).
    """
    found = []
    for logarithm in sorted(entropy.atoms(sp.log), key=sp.default_sort_key):
        argument = sp.expand(logarithm.args[0])
        coefficient, rest = argument.as_coeff_Mul()
        constant = coefficient * sp.Mul(*(f for f in sp.Mul.make_args(rest) if f.is_number))
        plain = not argument.is_Add and not argument.has(sp.log, sp.exp) and argument.free_symbols <= sizes
        if plain and constant <= 1:
            found.append(logarithm.args[0])
    return found


def _keeps_above_one(argument: sp.Expr, relation: object) -> bool:
    """Whether a constraint such as M >= 2k says that this argument, here M/k, is above 1."""
    op = getattr(relation, "op", None) or getattr(relation, "rel_op", "")
    if op not in ("<=", "<", ">=", ">", "=="):
        return False
    lhs, rhs = relation.lhs, relation.rhs  # type: ignore[attr-defined]
    least = sp.simplify(lhs / rhs * argument if op in ("<=", "<", "==") else rhs / lhs * argument)
    return bool(least.is_number and least > 1)


def _has_negative_log(corner: Corner) -> bool:
    """Whether some logarithm is taken of something exponentially small, so that the corner is not allowed."""
    for logarithm in corner.error.atoms(sp.log) | corner.entropy.atoms(sp.log):
        exponents = [e.exp for e in logarithm.args[0].atoms(sp.exp)]
        if (
            exponents
            and not logarithm.args[0].is_Add
            and all(e.could_extract_minus_sign() for e in exponents)
        ):
            return True
    return False


def _exponential(whole: Corner, chosen: tuple[sp.Symbol, ...]) -> Corner:
    logs = {size: sp.Symbol(f"log {size}", positive=True) for size in chosen}
    swap = {size: sp.exp(log) for size, log in logs.items()}
    return Corner(
        whole.error.subs(swap),
        whole.entropy.subs(swap),
        tuple(logs.get(size, size) for size in _sizes(whole.over)),
        tuple(_swapped(relation, swap) for relation in whole.subject_to),
        f"where {', '.join(map(str, chosen))} {'is' if len(chosen) == 1 else 'are'} exponentially large",
    )


def _swapped(relation: object, swap: dict[sp.Symbol, sp.Expr]) -> object:
    if isinstance(relation, Relation):
        return Relation(relation.lhs.subs(swap), relation.op, relation.rhs.subs(swap))
    return relation.subs(swap) if isinstance(relation, sp.Basic) else relation


def _sizes(over: object) -> tuple[sp.Symbol, ...]:
    return tuple(over) if isinstance(over, (tuple, list)) else (over,)
