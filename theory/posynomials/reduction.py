"""A program with numbers, made ready for Newton's method by exact steps: equalities, rays, idle sizes.

In logarithms y of the sizes a term is exp(log c + powers . y). Equalities are
solved for some of the sizes. A *ray* is a direction in which no term grows; terms
that fall along it can be had for nothing in the limit, so they are dropped, and
the infimum of what is left is the infimum. Sizes on which nothing depends any
more are set to 1. What remains attains its minimum, at one point.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp
from flint import fmpq

from theory.posynomials.products import combine, log_form, vanishes
from theory.posynomials.program import GeometricProgram
from theory.rates.elimination import Echelon, combination, echelon, solve
from theory.rates.field import Fraction
from theory.rates.simplex import Basis, maximise

ZERO, ONE = fmpq(0), fmpq(1)
Row = tuple[Any, ...]  # of flint.fmpq


@dataclass(frozen=True)
class Piece:
    """A term: where it came from (block, place in it), its exponents and its constant."""

    block: int
    place: int
    powers: Row
    constant: sp.Expr


Blocks = list[list[Piece]]
"""The objective, then the inequalities, each as its terms."""


@dataclass(frozen=True)
class Reduced:
    """What is left to do numerically, and how to read the answer in the sizes of the statement.

    ``kept`` are the sizes that vary, by index; ``equalities`` eliminates; ``ray`` is the direction of the terms
    that were dropped, in all sizes, or None; ``contradiction`` are multipliers of equalities that no point meets.
    """

    program: GeometricProgram
    blocks: Blocks
    kept: tuple[int, ...]
    equalities: Echelon
    constants: tuple[sp.Expr, ...]
    ray: tuple[fmpq, ...] | None
    contradiction: tuple[fmpq, ...] = ()

    @property
    def is_unbounded(self) -> bool:
        """Whether every term of the objective falls along the ray."""
        return not self.blocks[0]

    def point(self, values: Sequence[sp.Rational], along: int = 0) -> tuple[sp.Expr, ...]:
        """All sizes from those that vary, moved by the factor 2^along along the ray."""
        found: list[sp.Expr] = [sp.Integer(1)] * len(self.program.sizes)
        for i, value in zip(self.kept, values, strict=True):
            found[i] = value
        free = [i for i in range(len(found)) if i not in self.equalities.pivots]
        if self.ray is not None and along:
            found = [x * sp.Integer(2) ** (along * rational(r)) for x, r in zip(found, self.ray, strict=True)]
        for row, moves, pivot in zip(
            self.equalities.rows, self.equalities.moves, self.equalities.pivots, strict=False
        ):
            factors = [found[i] ** -rational(row[i]) for i in free if row[i]]
            factors += [c ** -rational(m) for c, m in zip(self.constants, moves, strict=True) if m]
            found[pivot] = sp.Mul(*factors)
        return tuple(found)


def reduce(program: GeometricProgram) -> Reduced:
    """Eliminate equalities, drop what falls along rays, set idle sizes to 1."""
    equalities = [program.limits[i][0] for i, _ in program.equalities]
    solved = echelon([_powers(t.monomial.powers) for t in equalities], ZERO)
    constants = tuple(t.constant for t in equalities)
    blocks = _blocks(program, solved, constants)
    contradiction = next((m for m in solved.moves[solved.rank :] if not _is_one(program, constants, m)), ())
    free = [i for i in range(len(program.sizes)) if i not in solved.pivots]
    blocks, kept, ray = without_rays(blocks, free)
    full = None if ray is None else _in_all(ray, solved, free)
    return Reduced(program, blocks, kept, solved, constants, full, tuple(contradiction))


def without_rays(blocks: Blocks, free: Sequence[int]) -> tuple[Blocks, tuple[int, ...], list[fmpq] | None]:
    """The terms that are left in the limit, the sizes they determine, and the direction of that limit."""
    left, ray = blocks, None
    while (found := _ray(left, free)) is not None:
        ray = found if ray is None else _behind(ray, found, blocks)
        left = [[p for p in block if not _slope(p, found)] for block in left]
    terms = [p.powers for block in left for p in block]
    kept = tuple(sorted(echelon(terms, ZERO, free).pivots)) if terms else ()
    return left, kept, None if ray is None else _whole(ray)


def _whole(ray: Sequence[fmpq]) -> list[fmpq]:
    """The same direction in integers."""
    common = math.lcm(*(int(r.q) for r in ray))
    return [r * common for r in ray]


def rational(value: fmpq) -> sp.Rational:
    """The same number as sympy's."""
    return sp.Rational(int(value.p), int(value.q))


def _powers(powers: Sequence[Fraction]) -> Row:
    return tuple(number(p) for p in powers)


def number(element: Fraction) -> Any:
    """The rational that an element of the field without parameters is."""
    return fmpq(element.num.to_dict().get((), 0)) / fmpq(element.den.to_dict().get((), 0))


def _is_one(program: GeometricProgram, constants: Sequence[sp.Expr], moves: Sequence[fmpq]) -> bool:
    field = program.problem.field
    forms = [(log_form(c, field), field.constant(m)) for c, m in zip(constants, moves, strict=True)]
    return vanishes(combine(*forms))


def _blocks(program: GeometricProgram, solved: Echelon, constants: Sequence[sp.Expr]) -> Blocks:
    parts = [program.objective, *(program.limits[i] for i in program.inequalities)]
    found: Blocks = []
    for b, part in enumerate(parts):
        pieces = []
        for place, term in enumerate(part):
            powers, constant = list(_powers(term.monomial.powers)), term.constant
            for row, moves, pivot in zip(solved.rows, solved.moves, solved.pivots, strict=False):
                factor = powers[pivot]
                powers = [p - factor * r for p, r in zip(powers, row, strict=True)]
                if factor:
                    constant = constant * sp.Mul(
                        *(c ** -rational(factor * m) for c, m in zip(constants, moves, strict=True))
                    )
            pieces.append(Piece(b, place, tuple(powers), constant))
        found.append(pieces)
    return found


def _slope(piece: Piece, ray: Sequence[fmpq]) -> Any:
    return combination(piece.powers, ray, ZERO)


def _ray(blocks: Blocks, free: Sequence[int]) -> list[fmpq] | None:
    """A direction in which no term grows and as many as possible fall; None where none falls."""
    pieces = [p for block in blocks for p in block]
    if not pieces or not free:
        return None
    height = len(pieces)
    columns: list[list[fmpq]] = []
    for sign in (1, -1):
        columns += [[p.powers[i] * sign for p in pieces] + [ZERO] * height for i in free]
    unit = [[ONE if r == j else ZERO for r in range(height)] for j in range(height)]
    columns += [u + u for u in unit]  # how fast a term falls, at most 1
    columns += [u + [ZERO] * height for u in unit]  # and beyond
    columns += [[ZERO] * height + u for u in unit]
    costs = [(ZERO,)] * (2 * len(free)) + [(ONE,)] * height + [(ZERO,)] * (2 * height)
    rhs = [ZERO] * height + [ONE] * height
    answer = maximise(columns, costs, rhs)
    assert isinstance(answer, Basis)
    height *= 2
    unit = [[ONE if r == j else ZERO for r in range(height)] for j in range(height)]
    basis = [(columns + unit)[j] for j in answer.columns]
    values = dict(
        zip(answer.columns, solve([list(row) for row in zip(*basis, strict=True)], rhs), strict=True)
    )
    ray = [ZERO] * len(pieces[0].powers)
    for j, i in enumerate(free):
        ray[i] = values.get(j, ZERO) - values.get(j + len(free), ZERO)
    return ray if any(_slope(p, ray) for p in pieces) else None


def _behind(first: Sequence[fmpq], then: Sequence[fmpq], blocks: Blocks) -> list[fmpq]:
    """A multiple of the first ray plus the second, along which what fell along the first still falls."""
    times = ONE
    for piece in (p for block in blocks for p in block):
        fall = -_slope(piece, first)
        if fall > 0:
            times = max(times, 1 + _slope(piece, then) / fall)
    return [times * a + b for a, b in zip(first, then, strict=True)]


def _in_all(ray: Sequence[fmpq], solved: Echelon, free: Sequence[int]) -> tuple[fmpq, ...]:
    """The ray with the sizes that equalities determine."""
    found = list(ray)
    for row, pivot in zip(solved.rows, solved.pivots, strict=False):
        found[pivot] = -combination([row[i] for i in free], [ray[i] for i in free], ZERO)
    return tuple(found)
