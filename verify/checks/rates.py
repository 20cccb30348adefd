"""Bounds up to constants: does the optimum have the claimed rate, and can two bounds hold together?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

__all__ = ["BoundsAgree", "RateOptimum", "RiskAboveMinimax"]

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, TypeVar

import sympy as sp

from theory.rates import (
    Audit,
    Consistency,
    OptimalRate,
    PairVerdict,
    Piece,
    RateError,
    consistency,
    minimax_consistency,
    minimise,
)
from theory.rates.export import audited, exported, text_of
from theory.rates.growth import Growth
from theory.relation import Relation, eq
from theory.statement import Statement
from theory.vocabulary import beta, d
from verify.checks.base import Budget, Check
from verify.errors import InputError
from verify.recheck.rates import reread
from verify.verdicts import Evidence, Grade, Verdict

T = TypeVar("T")
_SECOND_READING = "the certificate, checked by a second reading of the statement"


@dataclass(frozen=True)
class RateOptimum(Check):
    """The least order of growth of ``rate`` over the sizes ``over`` is ``value``, for all positive parameters.

    ``given`` is the scale; ``subject_to`` constrains the sizes up to constants.
    PROVED: the calculus of rates finds this value on every part of the parameters,
    and its certificate, kept in the evidence, passes a second reading. REFUTED: on
    some part the optimum is another one, with the sizes that attain it. INCONCLUSIVE:
    a step of the certificate is open. Constants and factors log log are not resolved.
    """

    rejects_with: ClassVar[tuple[Verdict, ...]] = (Verdict.REFUTED,)

    rate: sp.Expr
    over: Sequence[sp.Symbol]
    given: sp.Symbol
    value: sp.Expr
    subject_to: Sequence[Relation] = ()
    uses: tuple[Statement, ...] = field(default=())

    def claimed(self) -> Sequence[Relation]:
        return [eq(sp.Symbol("optimum"), self.value), eq(sp.Symbol("rate"), self.rate)]

    def evidence(self, budget: Budget) -> Iterable[Evidence]:
        own = self.value.free_symbols - {*self.over, self.given}
        relations = [*self.subject_to, *_positive(own)]
        found = _read(lambda: minimise(self.rate, tuple(self.over), given=self.given, subject_to=relations))
        parameters = _positive(found.certificate.problem.parameters)
        value = _read(lambda: minimise(self.value, (), given=self.given, subject_to=parameters))
        claimed = value.pieces[0].growth
        other = next((p for p in found.pieces if p.cells[0].value is None or p.growth != claimed), None)
        certificate = exported(found.certificate, self._conclusion(found, other, claimed))
        if found.elsewhere:
            no_less = {"relation": ">=", "rate": text_of(self.value)} if other is None else None
            certificate["corners"] = [exported(o.certificate, no_less) for o in found.elsewhere]
        audit = audited(certificate, reread)
        details = _details(self, certificate, audit, optimum=repr(found))
        if not audit:
            yield not_read_again(audit, details)
        elif not found.is_least:
            words = "which order of the sizes that stand in an exponent is best could not be decided"
            yield Evidence(Verdict.INCONCLUSIVE, Grade.EXACT, words, details)
        elif other is not None:
            yield Evidence(
                Verdict.REFUTED,
                Grade.EXACT,
                f"the optimum is {other!r}, not {self.value}",
                details,
                witness={"sizes": other.argmin_text, "value": other.value_text, "where": other.region_text},
                confirmed_by=_SECOND_READING,
            )
        elif found.complete:
            yield Evidence(
                Verdict.PROVED,
                Grade.EXACT,
                f"the optimum is {found!r}; no other choice of sizes does better, by weights on the terms of the bound",
                details,
            )
        else:
            yield Evidence(Verdict.INCONCLUSIVE, Grade.EXACT, "not all parameters could be covered", details)

    def _conclusion(
        self, found: OptimalRate, other: Piece | None, claimed: Growth
    ) -> Mapping[str, object] | None:
        """What the certificate says of the claimed value, where it says something."""
        if other is None:
            return {"relation": "==", "rate": text_of(self.value)} if found.complete else None
        if (at := found.point_where(other, claimed)) is None:
            return None
        return {"relation": "!=", "rate": text_of(self.value), "at": list(map(str, at))}


@dataclass(frozen=True)
class BoundsAgree(Check):
    """A sup-norm approximation error and a metric entropy of one class do not contradict each other.

    The Hölder ball of order ``smoothness`` in ``dimension`` dimensions has metric
    entropy of order L^(dimension/smoothness) at accuracy 1/L (Kolmogorov and
    Tikhomirov 1959). REFUTED: some sizes promise an error of 1/L at less, and direct
    evaluation at those sizes agrees. PROVED: no sizes do, which does not mean that
    the bounds are true.
    """

    rejects_with: ClassVar[tuple[Verdict, ...]] = (Verdict.REFUTED,)

    error: sp.Expr
    entropy: sp.Expr
    over: Sequence[sp.Symbol]
    subject_to: Sequence[Relation] = ()
    smoothness: sp.Expr = beta
    dimension: sp.Expr = d
    uses: tuple[Statement, ...] = field(default=())

    def claimed(self) -> Sequence[Relation]:
        return [
            Relation(sp.Symbol("error"), "<=", self.error),
            Relation(sp.Symbol("entropy"), "<=", self.entropy),
        ]

    def evidence(self, budget: Budget) -> Iterable[Evidence]:
        found = _read(
            lambda: consistency(
                self.error,
                self.entropy,
                over=tuple(self.over),
                dimension=self.dimension,
                smoothness=self.smoothness,
                subject_to=list(self.subject_to),
            )
        )
        yield _judged(self, found, self._ratio(found))

    def _ratio(self, found: Consistency) -> sp.Expr:
        """The entropy over what the ball requires, along the sizes that break the pair."""
        return (self.entropy * self.error ** (self.dimension / self.smoothness)).xreplace(found.ray)


@dataclass(frozen=True)
class RiskAboveMinimax(Check):
    """A bound on the risk, minimised over its sizes, is not below the minimax rate n^(-2 beta/(2 beta + d)) (Stone 1982).

    REFUTED: some sizes promise less than any estimator can reach in the worst case
    over the Hölder ball, and direct evaluation at those sizes agrees.
    """

    rejects_with: ClassVar[tuple[Verdict, ...]] = (Verdict.REFUTED,)

    risk: sp.Expr
    over: Sequence[sp.Symbol]
    given: sp.Symbol
    subject_to: Sequence[Relation] = ()
    uses: tuple[Statement, ...] = field(default=())

    def claimed(self) -> Sequence[Relation]:
        return [Relation(sp.Symbol("risk"), "<=", self.risk)]

    def evidence(self, budget: Budget) -> Iterable[Evidence]:
        found = _read(
            lambda: minimax_consistency(
                self.risk, over=tuple(self.over), given=self.given, subject_to=list(self.subject_to)
            )
        )
        yield _judged(
            self, found, (self.risk * self.given ** (2 * beta / (2 * beta + d))).xreplace(found.ray)
        )


def _positive(symbols: Iterable[sp.Symbol]) -> list[Relation]:
    """Relations that make symbols parameters of a statement: growths compare only in the same parameters."""
    return [Relation(sp.Integer(0), "<", symbol) for symbol in sorted(symbols, key=str)]


def _read(solve: Callable[[], T]) -> T:
    """What a calculation returns; a bound that has no rate as written is bad input, not a verdict."""
    try:
        return solve()
    except RateError as fault:
        raise InputError(str(fault)) from None


def _details(check: Check, certificate: Mapping[str, object], audit: Audit, **more: str) -> dict[str, object]:
    return {**more, "audit": str(audit), "certificate": {**certificate, "check": type(check).__name__}}


def not_read_again(audit: Audit, details: Mapping[str, object]) -> Evidence:
    """The evidence where a second reading does not get through: an open step is no fault, anything else is an error."""
    if audit.is_open:
        return Evidence(
            Verdict.INCONCLUSIVE, Grade.EXACT, f"the certificate is not complete: {audit}", details
        )
    return Evidence(Verdict.ERROR, Grade.EXACT, f"the certificate fails its check: {audit}", details)


def _judged(check: Check, found: Consistency, ratio: sp.Expr) -> Evidence:
    """The evidence of a test of bounds; ``ratio``, claim over limit, tends to 0 along the ray of a broken one."""
    audit = found.check()
    details = _details(check, found.exported, audit, sentence=found.sentence(), optimum=repr(found.optimum))
    if found.verdict is PairVerdict.UNDECIDED:
        return Evidence(Verdict.INCONCLUSIVE, Grade.EXACT, found.sentence(), details)
    if not audit:
        return not_read_again(audit, details)
    if found.verdict is PairVerdict.CONSISTENT:
        return Evidence(Verdict.PROVED, Grade.EXACT, found.sentence(), details)
    return Evidence(
        Verdict.REFUTED,
        Grade.EXACT,
        found.sentence(),
        details,
        witness={"sizes": {str(size): str(value) for size, value in found.ray.items()}, "where": found.where},
        confirmed_by=_evaluated(found, ratio),
    )


_POINTS = ((Fraction(1), Fraction(2)), (Fraction(1, 2), Fraction(3)), (Fraction(3), Fraction(2)))
_SCALES = (sp.Integer(10) ** 60, sp.Integer(10) ** 240)


def _evaluated(found: Consistency, ratio: sp.Expr) -> str:
    """Second evaluator: claim over limit at the breaking sizes falls by many orders between two scales."""
    scale = found.optimum.certificate.problem.scale
    for smoothness, dimension in _POINTS:
        here = ratio.xreplace({beta: sp.Rational(smoothness), d: sp.Rational(dimension)})
        values = [sp.log(here.xreplace({scale: at})).evalf(30) for at in _SCALES]
        if not all(value.is_Float for value in values) or not values[1] < values[0] < 0:
            return _SECOND_READING if found.where else ""
    return (
        f"direct evaluation with mpmath: claim over limit falls from scale 10^60 to 10^240; {_SECOND_READING}"
    )
