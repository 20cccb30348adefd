"""Two certified ends of a geometric program with numbers: an exact point above, exactly balanced weights below."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp
from flint import arb, fmpq

from theory.numbers.balls import Ball, Balls, centre, rounded
from theory.numbers.expression import Unevaluable
from theory.numbers.values import constant_ball as ball
from theory.posynomials.barrier import LogSumExp, Vector, follow, inside
from theory.posynomials.certificate import Certificate, PosynomialOutcome
from theory.posynomials.program import CALLER, GeometricProgram, Posynomial
from theory.posynomials.reduction import (
    ONE,
    ZERO,
    Blocks,
    Piece,
    Reduced,
    number,
    rational,
    reduce,
    without_rays,
)
from theory.rates.certificate import WeightedBound
from theory.rates.elimination import combination, echelon
from theory.rates.problem import RateError

_POINT_DIGITS = 40
_CLOSE = sp.Rational(1, 10**15)
_LONGEST = 2**14
BALLS = Balls(320)
Weighted = list[tuple[Piece, fmpq]]


def solve_numbers(program: GeometricProgram) -> tuple[Certificate, bool]:
    """The certificate, and whether only one choice of sizes comes near the infimum."""
    with BALLS.working():
        try:
            return _solve(program, reduce(program))
        except Unevaluable as fault:
            raise RateError(f"{CALLER}: a constant cannot be evaluated: {fault}") from None


def _solve(program: GeometricProgram, reduced: Reduced) -> tuple[Certificate, bool]:
    if reduced.contradiction:
        return _infeasible(program, reduced, []), False
    objective, *limits = [_log_sum_exp(block, reduced.kept) for block in reduced.blocks]
    limits = [g for g in limits if g.powers]
    start, is_inside = inside(limits, _balanced_start(reduced.blocks, reduced.kept))
    if not is_inside:
        if max((g.value(start) for g in limits), key=float) < arb(2) ** -30:
            raise RateError(
                f"{CALLER}(subject_to): the constraints leave no interior that numbers can tell; "
                "write two inequalities that hold with equality as one Eq"
            )
        return _infeasible(program, reduced, _weights_of_emptiness(program, reduced)), False
    if reduced.is_unbounded:
        return _unbounded(program, reduced, start), False
    y, times = follow(objective, limits, start)
    point, upper = _upper(program, reduced, y)
    bound, where = _bound(program, reduced, _balanced(reduced.blocks, reduced.kept, y, times))
    lower = _lower(program, bound, where)
    outcome = PosynomialOutcome.BRACKETED if reduced.ray is None else PosynomialOutcome.APPROACHED
    ray = () if reduced.ray is None else tuple(rational(r) for r in reduced.ray)
    certificate = Certificate(program.problem, outcome, bound, where, None, point, lower, upper, ray)
    free = len(program.sizes) - reduced.equalities.rank
    return certificate, len(reduced.kept) == free and reduced.ray is None


def _log_sum_exp(block: Sequence[Piece], kept: Sequence[int]) -> LogSumExp:
    return LogSumExp(
        [[arb(p.powers[i]) for i in kept] for p in block], [ball(p.constant).log().mid() for p in block]
    )


def _balanced_start(blocks: Blocks, kept: Sequence[int]) -> Vector:
    """Logarithms of the sizes at which the terms are as equal as least squares make them."""
    import numpy as np

    if not kept:
        return []
    pieces = [p for block in blocks for p in block]
    powers = np.array([[float(p.powers[i].p) / float(p.powers[i].q) for i in kept] for p in pieces])
    heights = np.array([float(ball(p.constant).log()) for p in pieces])
    top = [np.mean([h for p, h in zip(pieces, heights, strict=True) if p.block == 0] or [0.0])]
    goal = np.array([top[0] if p.block == 0 else 0.0 for p in pieces]) - heights
    found, *_ = np.linalg.lstsq(powers, goal, rcond=None)
    return [arb(float(x)) for x in found]


# The point


def _upper(program: GeometricProgram, reduced: Reduced, y: Vector) -> tuple[tuple[sp.Expr, ...], sp.Rational]:
    values = [rounded(x.exp(), up=False, digits=_POINT_DIGITS) for x in y]
    if reduced.ray is None:
        point = reduced.point(values)
        return point, rounded(_value(program.objective, point), up=True)
    left = {(p.block, p.place) for block in reduced.blocks for p in block}
    objective = tuple(t for place, t in enumerate(program.objective) if (0, place) in left)
    along = 1
    while along < _LONGEST:
        point = reduced.point(values, along)
        value, aim = _value(program.objective, point), _value(objective, point)
        if _meets(program, point) and (not objective or value <= aim * (1 + arb(10) ** -15)):
            return point, rounded(value, up=True)
        along *= 2
    raise RateError(
        f"{CALLER}: the infimum is approached too slowly along a ray to be enclosed; rescale the sizes"
    )


def _unbounded(program: GeometricProgram, reduced: Reduced, start: Vector) -> Certificate:
    assert reduced.ray is not None
    point, upper = _upper(program, reduced, start)
    ray = tuple(rational(r) for r in reduced.ray)
    return Certificate(program.problem, PosynomialOutcome.UNBOUNDED, point=point, upper=upper, ray=ray)


def _value(terms: Posynomial, point: Sequence[sp.Expr]) -> Ball:
    logs = [ball(x).log() for x in point]
    heights = [combination([arb(number(p)) for p in t.monomial.powers], logs, arb(0)) for t in terms]
    return sum((ball(t.constant) * h.exp() for t, h in zip(terms, heights, strict=True)), start=arb(0))


def _meets(program: GeometricProgram, point: Sequence[sp.Expr]) -> bool:
    return all(_value(program.limits[i], point) <= 1 for i in program.inequalities)


# The weights


def _balanced(blocks: Blocks, kept: Sequence[int], y: Vector, times: Ball) -> Weighted:
    """Exact weights near those of the central path: shares of the objective add up to 1, every size cancels."""
    pieces, weights = [], []
    for block in blocks:
        if not block:
            continue
        height, shares = _log_sum_exp(block, kept).shares(y)
        scale = arb(1) if block[0].block == 0 else -1 / (height * times)
        pieces += block
        weights += [s * scale for s in shares]
    for least in (arb(2) ** -60, arb(0)):
        chosen = [(p, w) for p, w in zip(pieces, weights, strict=True) if w > least]
        found = _exact(chosen, kept)
        if found is not None:
            return found
    raise RateError(
        f"{CALLER}: no exactly balanced weights were found near the numeric ones; rescale the sizes"
    )


def _exact(chosen: list[tuple[Piece, Ball]], kept: Sequence[int]) -> Weighted | None:
    rows = [[ONE if p.block == 0 else ZERO for p, _ in chosen] + [ONE]]
    rows += [[p.powers[i] for p, _ in chosen] + [ZERO] for i in kept]
    order = sorted(range(len(chosen)), key=lambda j: -float(chosen[j][1]))
    reduced = echelon(rows, ZERO, order)
    if any(row[-1] for row in reduced.rows[reduced.rank :]):
        return None
    weights = [_rounded_weight(w) for _, w in chosen]
    free = [j for j in order if j not in reduced.pivots]
    for row, pivot in zip(reduced.rows, reduced.pivots, strict=False):
        weights[pivot] = row[-1] - combination([row[j] for j in free], [weights[j] for j in free], ZERO)
    if any(w <= 0 for w in weights):
        return None
    return [(p, w) for (p, _), w in zip(chosen, weights, strict=True)]


def _rounded_weight(weight: Ball) -> fmpq:
    short = sp.Rational(centre(weight))
    bits = 140 + max(0, int(short.q).bit_length() - int(short.p).bit_length())
    return fmpq(int(sp.floor(short * 2**bits)), 2**bits)


def _bound(
    program: GeometricProgram, reduced: Reduced, weighted: Weighted
) -> tuple[WeightedBound, tuple[int, ...]]:
    """The weights on the statement's own terms, with those of the equalities that cancel the rest."""
    field = program.problem.field
    weights, multipliers, where = [], [], []
    rest = [ZERO] * len(program.sizes)
    for piece, weight in weighted:
        limit = program.inequalities[piece.block - 1] if piece.block else -1
        term = (program.objective if limit < 0 else program.limits[limit])[piece.place]
        rest = [r + weight * number(p) for r, p in zip(rest, term.monomial.powers, strict=True)]
        entry = (term.monomial, field.constant(weight))
        if limit < 0:
            weights.append(entry)
        else:
            multipliers.append(entry)
            where.append(limit)
    solved = reduced.equalities
    shares = [
        -combination([rest[p] for p in solved.pivots], [m[e] for m in solved.moves[: solved.rank]], ZERO)
        for e in range(len(program.equalities))
    ]
    if reduced.contradiction and not weighted:
        shares = _contradicting(reduced)
    for (one, inverse), share in zip(program.equalities, shares, strict=True):
        if share:
            limit = one if share > 0 else inverse
            [term] = program.limits[limit]
            multipliers.append((term.monomial, field.constant(abs(share))))
            where.append(limit)
    return WeightedBound(tuple(weights), tuple(multipliers)), tuple(where)


def _lower(program: GeometricProgram, bound: WeightedBound, where: Sequence[int]) -> sp.Rational:
    totals: dict[int, fmpq] = {}
    for (_, w), i in zip(bound.multipliers, where, strict=True):
        totals[i] = totals.get(i, ZERO) + number(w)
    shares = [(number(w), ONE) for _, w in bound.weights]
    shares += [(number(w), totals[i]) for (_, w), i in zip(bound.multipliers, where, strict=True)]
    total = arb(0)
    for constant, (weight, whole) in zip(program.constants(bound, where), shares, strict=True):
        total += (ball(constant) * arb(whole / weight)).log() * arb(weight)
    return rounded(total.exp(), up=False)


# No point at all


def _weights_of_emptiness(program: GeometricProgram, reduced: Reduced) -> Weighted:
    """Multipliers, of sum 1, that show the constraints to be above 1 together: the dual of least height."""
    size = len(program.sizes)
    height = Piece(0, 0, (*[ZERO] * size, ONE), sp.Integer(1))
    lifted = [
        [Piece(p.block, p.place, (*p.powers, -ONE), p.constant) for p in block]
        for block in reduced.blocks[1:]
    ]
    free = [i for i in range(size + 1) if i not in reduced.equalities.pivots]
    blocks, kept, _ = without_rays([[height], *lifted], free)
    start = [arb(0)] * (len(kept) - 1)
    limits = [_log_sum_exp(block, kept) for block in blocks[1:] if block]
    top = max((g.value([*start, arb(0)]) for g in limits), key=float)
    y, times = follow(_log_sum_exp(blocks[0], kept), limits, [*start, top + 1])
    return [(p, w) for p, w in _balanced(blocks, kept, y, times) if p.block]


def _contradicting(reduced: Reduced) -> list[fmpq]:
    total = arb(0)
    for constant, move in zip(reduced.constants, reduced.contradiction, strict=True):
        total += ball(constant).log() * arb(move)
    sign = 1 if total > 0 else -1
    return [sign * m for m in reduced.contradiction]


def _infeasible(program: GeometricProgram, reduced: Reduced, weighted: Weighted) -> Certificate:
    bound, where = _bound(program, reduced, weighted)
    total = sum((w for _, w in bound.multipliers), start=program.problem.field.zero)
    scaled = WeightedBound((), tuple((m, w / total) for m, w in bound.multipliers))
    lower = _lower(program, scaled, where)
    if lower <= 1:
        raise RateError(f"{CALLER}(subject_to): it could not be told whether any point meets the constraints")
    return Certificate(program.problem, PosynomialOutcome.INFEASIBLE, scaled, where, lower=lower)
