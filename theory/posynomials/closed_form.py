"""Degree of difficulty zero: one choice of weights balances the terms, and it gives minimum and point in closed form.

With as many terms as sizes plus one, weighted AM-GM has a single choice of
weights that cancels the sizes. It is attained where every term is its weight
times the value, which is a linear system in the logarithms of the sizes.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from theory.posynomials.certificate import Certificate, PosynomialOutcome
from theory.posynomials.program import CALLER, GeometricProgram, PosynomialTerm
from theory.rates.certificate import WeightedBound
from theory.rates.elimination import echelon
from theory.rates.field import Fraction
from theory.rates.problem import RateError

Column = tuple[PosynomialTerm, int, int]
"""A term, the limit it stands in (-1: the objective), and the limit that states the inverse (-1: none)."""


def degree_of_difficulty(program: GeometricProgram) -> int:
    """Terms less what the balance of sizes and the sum of weights determine; at 0 there is a closed form."""
    columns = _columns(program)
    return len(columns) - echelon(_balance(program, columns), program.problem.field.zero).rank


def solve_closed_form(program: GeometricProgram) -> tuple[Certificate, bool]:
    """The certificate, and whether its point is the only one; `RateError` where a weight is not positive."""
    field = program.problem.field
    columns = _columns(program)
    matrix = _balance(program, columns)
    rhs = [field.one, *(field.zero for _ in program.sizes)]
    reduced = echelon([[*row, b] for row, b in zip(matrix, rhs, strict=True)], field.zero)
    if len(columns) in reduced.pivots:
        raise RateError(
            f"{CALLER}: no weights balance the terms, so there is no minimum at positive sizes; "
            "with numbers, at={...}, the ray along which the objective falls is named"
        )
    weights = [reduced.rows[i][-1] for i in range(len(columns))]
    placed = [_signed(program, column, weight) for column, weight in zip(columns, weights, strict=True)]
    objective = [(t, w) for t, i, w in placed if i < 0]
    limited = [(t, i, w) for t, i, w in placed if i >= 0]
    bound = WeightedBound(
        tuple((t.monomial, w) for t, w in objective), tuple((t.monomial, w) for t, _, w in limited)
    )
    groups = {i: sum((w for _, j, w in limited if j == i), start=field.zero) for _, i, _ in limited}
    shares = [(t.constant, field.one / w, w) for t, w in objective]
    shares += [(t.constant, groups[i] / w, w) for t, i, w in limited]
    value = sp.Mul(*((c * field.show(s)) ** field.show(w) for c, s, w in shares))
    point, unique = _point(program, objective, [(t, w / groups[i]) for t, i, w in limited])
    limits = tuple(i for _, i, _ in limited)
    return Certificate(program.problem, PosynomialOutcome.CLOSED_FORM, bound, limits, value, point), unique


def _columns(program: GeometricProgram) -> list[Column]:
    found: list[Column] = [(term, -1, -1) for term in program.objective]
    found += [(term, i, -1) for i in program.inequalities for term in program.limits[i]]
    return found + [(program.limits[i][0], i, j) for i, j in program.equalities]


def _balance(program: GeometricProgram, columns: Sequence[Column]) -> list[list[Fraction]]:
    """Rows: the weights of the objective add up to 1, and each size cancels."""
    field = program.problem.field
    sums = [field.one if limit < 0 else field.zero for _, limit, _ in columns]
    return [
        sums,
        *([t.monomial.powers[i] for t, _, _ in columns] for i in range(len(program.sizes))),
    ]


def _signed(
    program: GeometricProgram, column: Column, weight: Fraction
) -> tuple[PosynomialTerm, int, Fraction]:
    """The term with a positive weight; an equality may be used from either side."""
    term, limit, inverse = column
    sign = program.domain.sign(weight)
    if sign == -1 and inverse >= 0:
        return program.limits[inverse][0], inverse, -weight
    if sign == 1:
        return term, limit, weight
    field = program.problem.field
    shown = term.constant * sp.Mul(
        *(s ** field.show(p) for s, p in zip(program.sizes, term.monomial.powers, strict=True))
    )
    where = "the objective" if limit < 0 else "a constraint"
    what = f"is {field.show(weight)}, not positive for all parameters"
    raise RateError(
        f"{CALLER}: the weight of the term {shown} of {where} {what}; without opposite signs of the exponents there is "
        "no interior minimum. State the sign in subject_to, drop a constraint that does not bind, or give numbers, at={...}"
    )


def _point(
    program: GeometricProgram,
    objective: Sequence[tuple[PosynomialTerm, Fraction]],
    limited: Sequence[tuple[PosynomialTerm, Fraction]],
) -> tuple[tuple[sp.Expr, ...], bool]:
    """Sizes at which every term has its share; sizes that this leaves open are set to 1."""
    field = program.problem.field
    rows: list[list[Fraction]] = []
    sides: list[sp.Expr] = []
    (first, weight), *others = objective
    for term, share in limited:
        rows.append(list(term.monomial.powers))
        sides.append(field.show(share) / term.constant)
    for term, other in others:
        powers = zip(first.monomial.powers, term.monomial.powers, strict=True)
        rows.append([p - q for p, q in powers])
        sides.append(field.show(weight / other) * term.constant / first.constant)
    reduced = echelon(rows, field.zero) if rows else None
    found = dict.fromkeys(program.sizes, sp.Integer(1))
    for i, pivot in enumerate(reduced.pivots if reduced else ()):
        assert reduced is not None
        moved = [(s, field.show(m)) for s, m in zip(sides, reduced.moves[i], strict=True) if m]
        found[program.sizes[pivot]] = _gathered(moved)
    rank = reduced.rank if reduced else 0
    return tuple(found.values()), rank == len(program.sizes)


def _gathered(powers: Sequence[tuple[sp.Expr, sp.Expr]]) -> sp.Expr:
    """A product of powers, those of one exponent under one base."""
    bases: dict[sp.Expr, sp.Expr] = {}
    for base, power in powers:
        flip = bool(sp.sympify(power).could_extract_minus_sign())
        key = -power if flip else power
        bases[key] = bases.get(key, sp.Integer(1)) * (1 / base if flip else base)
    return sp.Mul(*(base**power for power, base in bases.items()))
