"""The corners of a pair of bounds that the sizes of the calculus do not reach by themselves.

The calculus takes sizes polynomial in the scale and logarithms of something at
least 2. Two kinds of choice lie outside, and a pair can break there alone: sizes
that are exponential in the accuracy, which pay where the error falls with their
logarithm, and logarithms in the entropy that vanish, as log(M/k) does at M = k.
Each corner takes some of either kind, and is the same pair, written so that the
calculus reaches it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

import sympy as sp

from theory.rates.exponential_sizes import in_logarithms
from theory.rates.problem import RateError
from theory.relation import Relation


@dataclass(frozen=True)
class Corner:
    """A pair of bounds as it stands at a corner, and where that is, in words; empty for the whole.

    ``fault`` says why a corner cannot be written for the calculus; then the pair is the whole. ``eased`` says that
    a logarithm of two exponentially large sizes was read as a constant in the entropy, the least that it can be: what
    does not break there is not broken, and no more is known. ``beyond`` are the sizes that are the logarithms of
    exponentially large ones, above every multiple of the scale's logarithm.
    """

    error: sp.Expr
    entropy: sp.Expr
    over: tuple[sp.Symbol, ...]
    subject_to: tuple[object, ...]
    small: tuple[sp.Symbol, ...]
    words: str = ""
    fault: str = ""
    eased: bool = False
    beyond: tuple[sp.Symbol, ...] = ()


def corners(whole: Corner) -> Iterator[Corner]:
    """Every corner of a pair that was read without fault, those of the fewest choices first."""
    vanishing = [
        argument
        for argument in _vanishing_logs(whole.entropy, set(whole.over))
        if not any(_keeps_above_one(argument, relation) for relation in whole.subject_to)
    ]
    for logs, sizes in sorted(product(_subsets(vanishing), _subsets(_growing(whole))), key=_count):
        corner = _at(whole, logs, sizes) if logs or sizes else None
        if corner is not None and not _has_negative_log(corner):
            yield corner


def _subsets(items: Sequence[sp.Expr]) -> list[tuple[sp.Expr, ...]]:
    return [chosen for count in range(len(items) + 1) for chosen in combinations(items, count)]


def _count(choices: tuple[Sequence[sp.Expr], Sequence[sp.Expr]]) -> int:
    return sum(map(len, choices))


def _at(whole: Corner, logs: Sequence[sp.Expr], sizes: Sequence[sp.Symbol]) -> Corner | None:
    """The corner where the logarithms of ``logs`` vanish and ``sizes`` are exponential."""
    corner = _vanished(whole, logs)
    large = _are([s for s in sizes if s not in whole.small], "exponentially large")
    small = _are([s for s in sizes if s in whole.small], "exponentially small")
    where = f"where {' and '.join(filter(None, (corner.words, large, small)))}"
    try:
        found = _exponential(corner, sizes)
    except RateError as fault:
        return replace(whole, words=where, fault=str(fault))
    return found and replace(found, words=where)


def _are(subjects: Sequence[object], what: str) -> str:
    return (
        f"{', '.join(map(str, subjects))} {'is' if len(subjects) == 1 else 'are'} {what}" if subjects else ""
    )


def _growing(whole: Corner) -> list[sp.Symbol]:
    """The sizes that may be exponential: those the error falls with the logarithm of, and what constraints tie to them."""
    found = {s for s in whole.over if any(log.has(s) for log in whole.error.atoms(sp.log))}
    ties = [_symbols(relation) & set(whole.over) for relation in whole.subject_to]
    while more := set().union(*(tie for tie in ties if tie & found)) - found:
        found |= more
    return [s for s in whole.over if s in found]


def _vanished(whole: Corner, arguments: Sequence[sp.Expr]) -> Corner:
    if not arguments:
        return whole
    return replace(
        whole,
        entropy=whole.entropy.xreplace({sp.log(argument): sp.Integer(0) for argument in arguments}),
        subject_to=(*whole.subject_to, *(Relation(a, "<=", sp.Integer(1)) for a in arguments)),
        words=f"{' and '.join(f'log({a})' for a in arguments)} {'vanishes' if len(arguments) == 1 else 'vanish'}",
    )


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


def _exponential(corner: Corner, sizes: Sequence[sp.Symbol]) -> Corner | None:
    """The pair where these sizes are exp of sizes above every multiple of the scale's logarithm; None: nowhere.

    A small size is exp of minus such a one. Raises `RateError` where the constraints cannot be told.
    """
    if not sizes:
        return corner
    logs = {size: sp.Symbol(f"log {size}", positive=True) for size in sizes}
    swap = {size: sp.exp(-log if size in corner.small else log) for size, log in logs.items()}
    relations = in_logarithms(
        [_swapped(relation, swap) for relation in corner.subject_to], set(logs.values())
    )
    if relations is None:
        return None
    mixed = {log: sp.Integer(1) for log in corner.entropy.atoms(sp.log) if _is_quotient(log.args[0], swap)}
    error, entropy = corner.error.subs(swap), corner.entropy.xreplace(mixed).subs(swap)
    used = error.free_symbols.union(entropy.free_symbols, *map(_symbols, relations))
    over = tuple(size for size in (logs.get(size, size) for size in corner.over) if size in used)
    small = tuple(size for size in corner.small if size in over)
    return Corner(error, entropy, over, relations, small, eased=bool(mixed), beyond=tuple(logs.values()))


def _is_quotient(argument: sp.Expr, swap: dict[sp.Symbol, sp.Expr]) -> bool:
    """Whether both something exponentially large and something exponentially small are factors."""
    powers = sp.expand(argument).as_powers_dict()
    signs = {
        (power * (-1 if swap[base].exp.could_extract_minus_sign() else 1)).is_positive
        for base, power in powers.items()
        if base in swap
    }
    return len(signs) > 1


def _swapped(relation: object, swap: dict[sp.Symbol, sp.Expr]) -> object:
    if isinstance(relation, Relation):
        return Relation(relation.lhs.subs(swap), relation.op, relation.rhs.subs(swap))
    return relation.subs(swap) if isinstance(relation, sp.Basic) else relation


def _symbols(relation: object) -> set[sp.Symbol]:
    return set().union(*(sp.sympify(getattr(relation, side, 0)).free_symbols for side in ("lhs", "rhs")))
