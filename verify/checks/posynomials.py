"""Posynomials with their constants: is the minimum the claimed closed form, or within the claimed numbers?"""

from __future__ import annotations

__all__ = ["PosynomialMinimum"]

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import sympy as sp

from theory.posynomials import PosynomialOptimum, PosynomialOutcome, minimise_posynomial
from theory.posynomials.export import exported
from theory.rates import Audit, RateError
from theory.rates.export import audited, text_of
from theory.relation import Relation, eq
from theory.statement import Statement
from verify.checks.base import Budget, Check
from verify.checks.identity import Identity
from verify.checks.rates import not_read_again
from verify.errors import InputError
from verify.recheck.posynomials import reread
from verify.verdicts import Evidence, Grade, Verdict, combine

_SECOND_READING = "the certificate, checked by a second reading of the statement"
_SYMBOL = sp.Symbol("minimum", positive=True)


@dataclass(frozen=True)
class PosynomialMinimum(Check):
    """The minimum of ``objective`` over positive ``over`` is ``value``, or lies ``between`` two numbers.

    ``subject_to`` constrains the sizes, constants included; ``argmin`` may claim sizes of the closed form too;
    ``at`` puts exact numbers for the symbols. PROVED: the certificate passes a second reading, and the claimed
    closed form is identical to the one found, or the certified ends lie within the claimed ones. REFUTED: closed
    forms differ at an exact point, or the certified ends lie outside the claimed ones.
    """

    rejects_with: ClassVar[tuple[Verdict, ...]] = (Verdict.REFUTED,)

    objective: sp.Expr
    over: Sequence[sp.Symbol]
    value: sp.Expr | None = None
    between: tuple[sp.Expr, sp.Expr] | None = None
    subject_to: Sequence[Relation] = ()
    argmin: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict)
    at: Mapping[sp.Symbol, sp.Expr] | None = None
    uses: tuple[Statement, ...] = field(default=())

    def validate(self) -> None:
        if (self.value is None) == (self.between is None):
            raise InputError("PosynomialMinimum: give either value=... or between=(low, high)")
        if self.argmin and self.value is None:
            raise InputError("PosynomialMinimum: argmin=... goes with the closed form value=...")
        unknown = [s.name for s in self.argmin if s not in tuple(self.over)]
        if unknown:
            raise InputError(f"PosynomialMinimum: {', '.join(unknown)} in argmin is not minimised over")

    def claimed(self) -> Sequence[Relation]:
        minimised = eq(sp.Symbol("objective"), self.objective)
        if self.between is not None:
            low, high = self.between
            return [Relation(_SYMBOL, ">=", low), Relation(_SYMBOL, "<=", high), minimised]
        return [eq(_SYMBOL, self.value), *(eq(s, x) for s, x in self.argmin.items()), minimised]

    def evidence(self, budget: Budget) -> Iterable[Evidence]:
        try:
            found = minimise_posynomial(
                self.objective,
                tuple(self.over),
                subject_to=list(self.subject_to),
                at=None if self.at is None else dict(self.at),
            )
        except RateError as fault:
            raise InputError(str(fault)) from None
        certificate, audit = self._certificate(found)
        details = {"optimum": repr(found), "audit": str(audit), "certificate": certificate}
        if not audit:
            yield not_read_again(audit, details)
        elif self.between is not None:
            yield self._within(found, self.between, details)
        elif found.outcome is not PosynomialOutcome.CLOSED_FORM:
            yield Evidence(
                Verdict.REFUTED,
                Grade.EXACT,
                f"there is no minimum to name: {found!r}",
                details,
                witness={"optimum": repr(found)},
                confirmed_by=_SECOND_READING,
            )
        else:
            yield self._same(found, budget, details)

    def _certificate(self, found: PosynomialOptimum) -> tuple[dict[str, object], Audit]:
        """The certificate and its audit, with what it says of the claimed minimum where the reader sees that it does."""
        claimed: dict[str, object] = {"between": list(map(text_of, self.between or ()))}
        if self.value is not None:
            sizes = [[size.name, text_of(sp.sympify(x))] for size, x in self.argmin.items()]
            claimed = {"value": text_of(sp.sympify(self.value)), "sizes": sizes}
        with_claim = exported(found.certificate, claimed)
        if audit := audited(with_claim, reread):
            return {**with_claim, "check": type(self).__name__}, audit
        return {**found.exported, "check": type(self).__name__}, found.check()

    def _same(self, found: PosynomialOptimum, budget: Budget, details: Mapping[str, object]) -> Evidence:
        relations = [eq(found.value, self.value)]
        relations += [eq(found.argmin[s], x) for s, x in self.argmin.items()]
        judged = combine(Identity(tuple(relations)).evidence(budget))
        if judged.verdict is not Verdict.PROVED:
            return judged
        return Evidence(
            Verdict.PROVED,
            Grade.EXACT,
            f"the minimum is {found!r}; nothing does better, by weighted AM-GM",
            details,
        )

    def _within(
        self, found: PosynomialOptimum, between: tuple[sp.Expr, sp.Expr], details: Mapping[str, object]
    ) -> Evidence:
        low, high = between
        if found.outcome not in (PosynomialOutcome.BRACKETED, PosynomialOutcome.APPROACHED):
            lower = upper = found.value
        else:
            lower, upper = found.lower, found.upper
        shown = f"the infimum is {found!r}"
        if low <= lower and upper <= high:
            return Evidence(Verdict.PROVED, Grade.BALL, f"{shown}, within the claimed ends", details)
        if upper < low or lower > high:
            witness = {str(s): str(sp.N(x, 15)) for s, x in found.argmin.items()}
            witness |= {"lower": str(sp.N(lower, 15)), "upper": str(sp.N(upper, 15))}
            return Evidence(
                Verdict.REFUTED,
                Grade.BALL,
                f"{shown}, outside the claimed ends",
                details,
                witness=witness,
                confirmed_by=_SECOND_READING,
            )
        return Evidence(
            Verdict.INCONCLUSIVE, Grade.BALL, f"{shown}; a claimed end is inside the bracket", details
        )
