"""The answer to a minimisation: formulas with their regions, and the certificate behind them."""

from __future__ import annotations

__all__ = ["OptimalRate"]

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import sympy as sp

from theory.errors import MoelawsError
from theory.rates import real_solver
from theory.rates.certificate import Cell, Certificate, RateOutcome
from theory.rates.conditions import Condition, Point, cleared
from theory.rates.domain import Domain
from theory.rates.export import Audit, audited, exported
from theory.rates.growth import Growth
from theory.rates.notation import (
    condition_expression,
    growth_expression,
    growth_text,
    name,
    region_text,
    text,
)
from theory.rates.pieces import Region
from theory.rates.problem import RateProblem
from theory.rates.proof import proof
from theory.vocabulary import to_latex
from verify.recheck.rates import reread


@dataclass(frozen=True)
class Piece:
    """One formula and the parameters it holds for.

    ``unique`` is true where it is proved that no other choice of sizes attains
    the value; otherwise ``argmin`` is the choice with the least product of sizes
    among those of one branch. ``drops_loglog`` says that a factor log log of the
    scale was too small for the calculus to see.
    """

    problem: RateProblem
    cells: tuple[Cell, ...]
    region: Region
    unique: bool
    drops_loglog: bool

    @property
    def outcome(self) -> RateOutcome:
        return self.cells[0].outcome

    @property
    def growth(self) -> Growth:
        """The exponent of the minimum in the ordered field; ValueError where there is no minimum."""
        growth = self.cells[0].value
        if growth is None:
            raise MoelawsError(f"{self!r}: {self.outcome.value}, so the minimum has no exponent here")
        return growth

    @property
    def value(self) -> sp.Expr:
        """The minimum up to constants: 0 where the rate is unbounded, infinity where nothing is admissible."""
        if self.outcome is RateOutcome.ATTAINED:
            return growth_expression(self.problem.field, self.growth, self.problem.scale)
        return sp.Integer(0) if self.outcome is RateOutcome.UNBOUNDED else sp.oo

    @property
    def power(self) -> sp.Expr:
        """The exponent of the scale."""
        return self.problem.field.show(self.growth.power)

    @property
    def log_power(self) -> sp.Expr:
        """The exponent of the scale's logarithm."""
        return self.problem.field.show(self.growth.logs)

    @property
    def argmin(self) -> dict[sp.Symbol, sp.Expr]:
        """Each size at the minimum, up to constants; empty where there is no minimum."""
        if self.outcome is not RateOutcome.ATTAINED:
            return {}
        field, scale = self.problem.field, self.problem.scale
        return {s: growth_expression(field, g, scale) for s, g in self._point()}

    @property
    def written_argmin(self) -> dict[sp.Symbol, sp.Expr]:
        """The same for the sizes as they were written: h where `argmin` has 2^h, as a multiple of a logarithm."""
        bases = dict(self.problem.bases)
        written = (self.problem.written or self.problem).sizes
        values = zip(written, self.argmin.values(), strict=False)
        return {s: sp.expand_log(sp.log(v)) / sp.log(bases[s]) if s in bases else v for s, v in values}

    @property
    def ray(self) -> dict[sp.Symbol, sp.Expr]:
        """Where the rate is unbounded, the exponents of a direction along which it falls for ever."""
        ray = self.cells[0].ray or ()
        return {s: self.problem.field.show(x) for s, x in zip(self.problem.sizes, ray, strict=False)}

    @property
    def condition(self) -> sp.Basic:
        """The region as a sympy condition on the parameters."""
        field = self.problem.field
        return sp.Or(*(sp.And(*(condition_expression(field, c) for c in r)) for r in self.region))

    @property
    def region_text(self) -> str:
        return region_text(self.problem.field, self.region)

    @property
    def value_text(self) -> str:
        if self.outcome is RateOutcome.ATTAINED:
            return growth_text(self.problem.field, self.growth, name(self.problem.scale))
        return "0" if self.outcome is RateOutcome.UNBOUNDED else "infinity"

    @property
    def argmin_text(self) -> str:
        if self.outcome is RateOutcome.UNBOUNDED:
            along = ", ".join(f"{name(s)} = T^({text(x)})" for s, x in self.ray.items() if x != 0)
            return f"{self.outcome.value}{f', along {along} for ever larger T' if along else ''}"
        if self.outcome is RateOutcome.INFEASIBLE:
            return str(self.outcome.value)
        field, scale = self.problem.field, name(self.problem.scale)
        return ", ".join(f"{name(s)} = {growth_text(field, g, scale)}" for s, g in self._point())

    def _point(self) -> list[tuple[sp.Symbol, Growth]]:
        return list(zip(self.problem.sizes, self.cells[0].point or (), strict=True))

    def __repr__(self) -> str:
        attained = self.outcome is RateOutcome.ATTAINED
        joint = "" if not self.problem.sizes else "  at  " if attained else "  "
        several = "" if self.unique or not attained else "  (least choice)"
        where = f"    where {self.region_text}" if any(self.region) else ""
        return f"{self.value_text}{joint}{self.argmin_text}{several}{where}"


@dataclass(frozen=True)
class OptimalRate:
    """The minimum of a rate up to constants, for every admissible parameter.

    ``complete`` is true where the pieces are proved to cover all parameters.
    What it does not mean: constants and factors of log log n are not resolved,
    and the sizes are taken polynomial in the scale (write ``exp(m)`` for more).
    """

    pieces: tuple[Piece, ...]
    certificate: Certificate
    domain: Domain
    elsewhere: tuple[OptimalRate, ...] = ()
    """The least rates in the other ranges of sizes that stand in an exponent."""
    unread: tuple[str, ...] = ()
    """Why a range could not be read; then nothing is said of it."""
    shrinks: bool = False
    """Whether sizes were taken at most 1 because the rate vanishes only so."""

    @property
    def written(self) -> RateProblem:
        """The problem as it was written."""
        return self.certificate.problem.written or self.certificate.problem

    @property
    def vanishes(self) -> bool:
        """Whether the minimum is proved to tend to 0 for all parameters, and not faster than every power."""
        return all(
            piece.outcome is RateOutcome.ATTAINED
            and piece.growth
            and all(
                self.domain.restricted(*region).implies(
                    Condition(cleared((-piece.growth).levels), strict=True)
                )
                for region in piece.region
            )
            for piece in self.pieces
        )

    @cached_property
    def is_least(self) -> bool:
        """Whether it is proved that no other range of the sizes does better, for any parameters."""
        return not self.unread and all(self.at_most(other) for other in self.elsewhere)

    def at_most(self, other: OptimalRate) -> bool:
        """Whether this minimum is proved to be of no larger order than another of the same parameters."""
        if not (self.certificate.complete and other.certificate.complete):
            return False
        return all(
            self._at_most(one, another, region)
            for one in self.pieces
            for another in other.pieces
            for region in ((*a, *b) for a in one.region for b in another.region)
        )

    def _at_most(self, piece: Piece, other: Piece, region: Sequence[Condition]) -> bool:
        ranks = [_RANKS.index(p.outcome) for p in (piece, other)]
        if ranks[0] < ranks[1] or ranks[0] == ranks[1] != _RANKS.index(RateOutcome.ATTAINED):
            return True
        here = self.domain.restricted(*region)
        if here.is_empty():
            return True
        if ranks[0] > ranks[1]:
            return False
        gap = cleared((other.growth - piece.growth).levels)
        return not gap or here.implies(Condition(gap, strict=False))

    @property
    def complete(self) -> bool:
        """Whether the pieces are proved to cover all parameters, and every range of the sizes."""
        return self.certificate.complete and self.is_least

    @property
    def unique(self) -> bool:
        """Whether every piece's choice of sizes is proved to be the only one that attains the minimum."""
        return all(piece.unique for piece in self.pieces)

    @property
    def value(self) -> sp.Expr:
        """The minimum up to constants, as a maximum or minimum of formulas, or piecewise."""
        if self.envelope:
            joined = {"max": sp.Max, "min": sp.Min}[self.envelope]
            return joined(*(piece.value for piece in self.pieces), evaluate=False)
        return self._piecewise([piece.value for piece in self.pieces])

    @property
    def power(self) -> sp.Expr:
        """The exponent of the scale in the minimum."""
        return self._piecewise([piece.power for piece in self.pieces])

    @property
    def log_power(self) -> sp.Expr:
        """The exponent of the scale's logarithm in the minimum."""
        return self._piecewise([piece.log_power for piece in self.pieces])

    @property
    def argmin(self) -> dict[sp.Symbol, sp.Expr]:
        """The sizes at the minimum, up to constants; see ``unique``."""
        if any(piece.outcome is not RateOutcome.ATTAINED for piece in self.pieces):
            return {}
        sizes = self.certificate.problem.sizes
        return {s: self._piecewise([piece.argmin[s] for piece in self.pieces]) for s in sizes}

    @cached_property
    def envelope(self) -> str:
        """ "max" or "min" where the value is that of all the formulas everywhere, proved; else empty."""
        attained = all(piece.outcome is RateOutcome.ATTAINED for piece in self.pieces)
        if not attained or not self.complete or len({p.growth for p in self.pieces}) < 2:
            return ""
        for word, sign in (("max", 1), ("min", -1)):
            if all(self._dominates(a, b, sign) for a in self.pieces for b in self.pieces if a is not b):
                return word
        return ""

    def _dominates(self, piece: Piece, other: Piece, sign: int) -> bool:
        field = self.domain.field
        gap = (piece.growth - other.growth) * field.constant(sign)
        for cell in piece.cells:
            here = self.domain.restricted(*cell.region)
            try:
                sample = here.point()
            except real_solver.GaveUp:
                return False
            if sample is None or any(not level.den(*sample) for level in gap.levels):
                return False
            values = [level.at(sample) for level in gap.levels]
            if next((v for v in values if v), 0) < 0:
                return False
            if not all(here.sign(level.denominator) == 1 for level in gap.levels):
                return False
            if (levels := cleared(gap.levels)) and not here.implies(Condition(levels, strict=False)):
                return False
        return True

    def explain(self) -> str:
        """The answer and its proof as readable text: who attains it, and why nothing does better."""
        problem = self.certificate.problem
        shown = f"minimise {text(problem.rate)}" + (
            f" over {', '.join(map(name, problem.sizes))}" if problem.sizes else ""
        )
        limits = [f"{text(lhs)} <= {text(rhs)}" for lhs, rhs in problem.constraints]
        subject = f" subject to {', '.join(limits)}" if limits else ""
        return "\n".join(
            [
                f"{shown}{subject}, as {name(problem.scale)} grows",
                repr(self),
                proof(problem, self.certificate.cells),
            ]
        )

    def check(self) -> Audit:
        """Check the certificate by reading the statement a second time; true where every step holds."""
        return audited(self.exported, reread)

    @cached_property
    def exported(self) -> dict[str, Any]:
        """The certificate as plain data, which ``verify.recheck.rates`` reads, with those of the other ranges."""
        data = exported(self.certificate)
        return {**data, "corners": [o.exported for o in self.elsewhere]} if self.elsewhere else data

    def point_where(self, piece: Piece, other: Growth) -> Point | None:
        """Parameters of a piece at which its minimum is none of the order of ``other``; None where none is found."""
        if piece.outcome is not RateOutcome.ATTAINED:
            return self.domain.point_in(piece.region)
        levels = cleared((piece.growth - other).levels)
        signed = (Condition(tuple(level * sign for level in levels), strict=True) for sign in (1, -1))
        found = (self.domain.point_in(piece.region, condition) for condition in signed if levels)
        return next((point for point in found if point is not None), None)

    def _piecewise(self, values: list[sp.Expr]) -> sp.Expr:
        if len(set(values)) == 1 and self.complete:
            return values[0]
        pairs = zip(values, (piece.condition for piece in self.pieces), strict=True)
        return sp.Piecewise(*pairs, evaluate=False) if values else sp.nan

    @property
    def notes(self) -> tuple[str, ...]:
        """What the answer leaves open, in words."""
        scale = name(self.certificate.problem.scale)
        attained = [p for p in self.pieces if p.outcome is RateOutcome.ATTAINED]
        found = [] if self.certificate.complete else ["the solver gave up: not all parameters are covered"]
        if not all(p.growth.is_resolved for p in attained):
            found.append(
                f"{scale}^ω lies between every power of log {scale} and every power of {scale}; "
                "where logs decide there, the calculus does not resolve them"
            )
        if any(p.drops_loglog for p in attained):
            found.append(f"up to log log {scale}")
        problem = self.certificate.problem
        if self.elsewhere and not self.is_least:
            others = "; ".join(
                f"{piece.value_text} for {other.range_text}"
                for other in self.elsewhere
                for piece in other.pieces
                if piece.outcome is not RateOutcome.INFEASIBLE
            )
            found.append(
                f"this is for {self.range_text}; the least of all is the smaller of it and of {others}"
            )
        if any(growth.delta for piece in attained for _, growth in piece._point()):
            found.append(
                f"{scale}^δ is any small power of {scale}; sizes are polynomial in {scale}: "
                "for one that may grow faster write exp(m) in its place"
            )
        found += [f"not read for sizes in exponents of another order: {fault}" for fault in self.unread]
        if self.shrinks:
            small = sorted(map(name, self.written.small))
            found.append(f"{', '.join(small)} taken at most 1, as only so the rate vanishes")
        if constants := [name(symbol) for symbol in problem.constants]:
            found.append(f"{', '.join(constants)} read as constant; what grows belongs in over= or given=")
        return tuple(found)

    @property
    def range_text(self) -> str:
        """In which range of sizes in exponents this is the minimum."""
        problem = self.certificate.problem
        moderate, scale = {size for size, _ in problem.bases}, name(problem.scale)
        written = problem.written or problem
        beyond = [s for s in written.sizes if s not in moderate and _stands_in_an_exponent(written, s)]
        said = [f"{name(s)} up to multiples of log {scale}" for s in written.sizes if s in moderate]
        said += [f"{name(s)} above every multiple of log {scale}" for s in beyond]
        return ", ".join(said)

    def __repr__(self) -> str:
        if self.envelope and len({p.growth for p in self.pieces}) == len(self.pieces):
            values = ", ".join(piece.value_text for piece in self.pieces)
            regions = ", ".join(piece.region_text for piece in self.pieces)
            shown = f"{self.envelope}{{ {values} }}    (regions: {regions})"
        else:
            shown = "\n".join(map(repr, self.pieces))
        return "\n".join([shown, *(f"[{note}]" for note in self.notes)])

    def _repr_latex_(self) -> str:
        return f"${to_latex(self.value)}$"


_RANKS = (RateOutcome.UNBOUNDED, RateOutcome.ATTAINED, RateOutcome.INFEASIBLE)
"""From the least minimum to none at all."""


def least_of(ranges: Sequence[OptimalRate]) -> OptimalRate:
    """The least of the minima over several ranges of the sizes, the first one where parameters decide."""
    ways = [replace(r, elsewhere=tuple(o for o in ranges if o is not r)) for r in ranges]
    return next((way for way in ways if way.is_least), ways[0])


def _stands_in_an_exponent(problem: RateProblem, size: sp.Symbol) -> bool:
    sides = [problem.rate, *(side for pair in problem.constraints for side in pair)]
    return any(p.exp.has(size) for side in sides for p in side.atoms(sp.Pow, sp.exp))
