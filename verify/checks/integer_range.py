"""An inequality checked at every integer point of a finite range, and at no other."""

from __future__ import annotations

__all__ = ["IntegerRange"]

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp
from flint import arb

from theory.numbers.balls import BALLS, centre
from theory.numbers.expression import CompiledExpression, Unevaluable
from verify.checks import arguments
from verify.checks.base import Budget, OneRelation, cannot_evaluate
from verify.checks.stated import relation_texts
from verify.errors import InputError
from verify.printed.intervals import decimal
from verify.recheck.ranges import CHUNK, KIND, TIE, count_points, range_text
from verify.recheck.rejected import Rejected
from verify.recheck.texts import Unreadable
from verify.search.domains import Values, check_names
from verify.search.second_opinion import DIGITS
from verify.verdicts import Evidence, Grade, Verdict

POINTS_PER_BOX = 50
Range = tuple[sp.Symbol, sp.Expr, sp.Expr]


@dataclass(frozen=True)
class IntegerRange(OneRelation):
    """``relation`` at every integer point of ``ranges``: (symbol, first, last), bounds over earlier symbols.

    Where a factor is 0, the log of 0 beside it counts as nothing (0 log 0 = 0).
    PROVED holds for the range only, and the finding names it. Each point is
    decided by a ball; where the ball touches zero, both sides are compared as
    powers of exact rationals, if they are logs of such. The certificate, margins of chunks of points,
    is re-checked by another algorithm: at every point of small ranges, of every second, third, ...
    chunk of larger ones. What that cannot read (gamma functions, roots) is only INCONCLUSIVE.
    """

    changes = "inequalities"

    ranges: tuple[Range, ...]

    def validate(self) -> None:
        super().validate()
        if self.relation.op not in ("<=", ">="):
            raise InputError(f"IntegerRange: expected <= or >=, got {self.relation}")
        check_names((symbol for symbol, _, _ in self.ranges), "IntegerRange")
        seen: set[sp.Symbol] = set()
        for symbol, first, last in self.ranges:
            for end in (first, last):
                arguments.formula(f"IntegerRange: an end of {symbol}", end)
            if not (sp.sympify(first).free_symbols | sp.sympify(last).free_symbols) <= seen:
                raise InputError(f"IntegerRange: the range of {symbol} may use earlier symbols only")
            for end in map(sp.sympify, (first, last)):
                if end.is_number and not end.is_real:
                    raise InputError(
                        f"IntegerRange: the range of {symbol} has the end {end}; expected a finite one"
                    )
            seen.add(symbol)
        unbound = (self.relation.lhs.free_symbols | self.relation.rhs.free_symbols) - seen
        if unbound or not seen:
            raise InputError(
                f"IntegerRange: no range for {', '.join(sorted(map(str, unbound))) or 'anything'}"
            )

    def values(self) -> Iterable[Values]:
        return (Values(symbol, sp.S(low), sp.S(high), integers=True) for symbol, low, high in self.ranges)

    def evidence(self, budget: Budget) -> Iterable[Evidence]:
        most = budget.boxes * POINTS_PER_BOX
        low, high = self.relation.lhs, self.relation.rhs
        gap = high - low if self.relation.op == "<=" else low - high
        where = self.where()
        try:
            evaluate = _Pointwise(gap, [symbol for symbol, _, _ in self.ranges])
        except Unevaluable as problem:
            yield cannot_evaluate(str(problem))
            return
        count = 0
        chunks = _Chunks()
        with BALLS.working():
            for point in _points(self.ranges):
                count += 1
                if count > most:
                    yield Evidence(
                        Verdict.INCONCLUSIVE,
                        Grade.SAMPLED,
                        f"more than {most} points in {where}; none failed so far",
                    )
                    return
                ball = evaluate.ball(point)
                if ball is None or not (ball >= 0 or ball < 0):
                    sign = evaluate.exact_sign(point)
                    if sign is None:
                        yield cannot_evaluate(f"undecided at {evaluate.named(point)}")
                        return
                else:
                    sign = -1 if ball < 0 else 1
                if sign < 0:
                    yield self._refutation(evaluate, point)
                    return
                chunks.add(point, Fraction(0) if sign == 0 or ball is None else centre(ball))
        if not chunks.records:
            yield Evidence(Verdict.NOT_TESTABLE, Grade.EXACT, f"there is no point in {where}")
            return
        certificate = {
            "kind": KIND,
            "relation": relation_texts(self.relation),
            "ranges": self._texts(),
            "points": count,
            "chunks": chunks.records,
        }
        try:
            again = count_points(certificate)
        except Unreadable as problem:
            yield cannot_evaluate(
                f"{self.relation} holds at all {count} integer points of {where} by balls, but {problem}, so no second "
                "checker confirms it"
            )
            return
        except Rejected as problem:
            yield Evidence(Verdict.ERROR, Grade.EXACT, f"the certificate was rejected: {problem}")
            return
        closest = chunks.closest()
        yield Evidence(
            Verdict.PROVED,
            Grade.BALL,
            f"{self.relation} at all {count} integer points of {where}, and only there is it checked; closest at {evaluate.named(closest[1])}",
            {
                "range": where,
                "points": count,
                "closest": evaluate.named(closest[1]),
                "margin": f"{float(closest[0]):.6g}",
                "certificate": certificate,
                "rechecked_by": f"verify.recheck.ranges, at {again} of {count} points",
            },
        )

    def where(self) -> str:
        return range_text(self._texts())

    def _texts(self) -> list[list[str]]:
        return [[symbol.name, str(first), str(last)] for symbol, first, last in self.ranges]

    def _refutation(self, evaluate: _Pointwise, point: tuple[int, ...]) -> Evidence:
        second = evaluate.second(point)
        return Evidence(
            Verdict.REFUTED,
            Grade.BALL,
            f"{self.relation} is false at {evaluate.named(point)}: by {sp.N(-second, 6)}",
            witness={**evaluate.values(point), "gap": str(sp.N(second, 15))},
            confirmed_by="mpmath at 40 digits (the first evaluator is Arb)" if second < 0 else "",
        )


class _Chunks:
    """What a certificate says of consecutive points: how many, which comes closest, by how much."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []
        self._margin = Fraction(0)

    def add(self, point: tuple[int, ...], margin: Fraction) -> None:
        if not self.records or self.records[-1]["points"] == CHUNK:
            self.records.append({"first": list(point), "points": 0, "closest": list(point), "margin": ""})
            self._margin = margin
        chunk = self.records[-1]
        chunk["points"] += 1
        if margin < self._margin - TIE * max(Fraction(1), self._margin):
            self._margin, chunk["closest"] = margin, list(point)
        chunk["margin"] = decimal(self._margin, 15)

    def closest(self) -> tuple[Fraction, tuple[int, ...]]:
        """The least margin of all and its point."""
        best = min(self.records, key=lambda chunk: Fraction(chunk["margin"]))
        return Fraction(best["margin"]), tuple(best["closest"])


class _Pointwise:
    """A gap at integer points, by balls and exactly."""

    def __init__(self, gap: sp.Expr, symbols: Sequence[sp.Symbol]) -> None:
        self.gap, self.symbols = gap, list(symbols)
        self._compiled = CompiledExpression([gap], self.symbols, exact=self.symbols)

    def ball(self, point: tuple[int, ...]) -> arb | None:
        """The gap, or None where it has no finite value as it is written."""
        [value] = self._compiled(BALLS, point)
        return value if value.is_finite() else None

    def exact_sign(self, point: tuple[int, ...]) -> int | None:
        """The sign where the gap is a sum of rational multiples of logs of rationals."""
        value = sp.expand(sp.expand_log(self._at(point), force=True))
        if value == 0:
            return 0
        above = below = Fraction(1)
        for term in sp.Add.make_args(value):
            factor, log = term.as_coeff_Mul()
            if not (isinstance(log, sp.log) and log.args[0].is_Rational and factor.is_Rational):
                return None
            scaled = factor * sp.ilcm(1, *(t.as_coeff_Mul()[0].q for t in sp.Add.make_args(value)))
            base = Fraction(int(log.args[0].p), int(log.args[0].q))
            if scaled > 0:
                above *= base ** int(scaled)
            else:
                below *= base ** int(-scaled)
        return (above > below) - (above < below)

    def second(self, point: tuple[int, ...]) -> sp.Expr:
        return self._at(point).evalf(DIGITS)

    def _at(self, point: tuple[int, ...]) -> sp.Expr:
        """The gap at a point; a factor that vanishes takes its logarithm with it."""
        at = dict(zip(self.symbols, map(sp.Integer, point), strict=True))
        return sp.Add(*(_term(term, at) for term in sp.Add.make_args(self.gap)))

    def values(self, point: tuple[int, ...]) -> dict[str, str]:
        return {s.name: str(x) for s, x in zip(self.symbols, point, strict=True)}

    def named(self, point: tuple[int, ...]) -> str:
        return ", ".join(f"{name} = {x}" for name, x in self.values(point).items())


def _term(term: sp.Expr, at: dict[sp.Symbol, sp.Integer]) -> sp.Expr:
    """A product at a point, with 0 log 0 = 0; nan where something in a log is negative."""
    if any(log.args[0].subs(at).is_negative for log in term.atoms(sp.log)):
        return sp.nan
    factors = [factor for factor in sp.Mul.make_args(term) if not factor.has(sp.log)]
    return sp.Integer(0) if sp.Mul(*factors).subs(at) == 0 else term.subs(at)


def _points(ranges: Sequence[Range], before: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    if len(before) == len(ranges):
        yield before
        return
    at = {symbol: value for (symbol, _, _), value in zip(ranges, before, strict=False)}
    _, first, last = ranges[len(before)]
    low, high = sp.ceiling(sp.sympify(first).subs(at)), sp.floor(sp.sympify(last).subs(at))
    if not (low.is_Integer and high.is_Integer):
        raise InputError(f"IntegerRange: the range {first}..{last} has no finite ends at {at}")
    for value in range(int(low), int(high) + 1):
        yield from _points(ranges, (*before, value))
