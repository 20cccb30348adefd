"""Checks the certificate of a posynomial: the exponents as the checker of rates does, the constants in balls.

The statement is read a second time, by expanding it, and nothing that the search
found out is trusted. A closed form is compared exactly, as a product of powers; a
bracket is compared with what its own weights and its own point give.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from theory.numbers.balls import Ball, Balls, from_rational
from theory.numbers.expression import Unevaluable
from theory.numbers.values import constant_ball as ball
from theory.posynomials.certificate import Certificate, Outcome
from theory.posynomials.products import LogForm, combine, log_form, vanishes
from theory.rates.checker import Audit, Signs, assumption
from theory.rates.field import Fraction, NotRational
from theory.rates.growth import Monomial
from theory.rates.second_reading import Unreadable, monomials

TOLERANCE = sp.Rational(1, 10**50)
"""How far an end may lie outside what weights and point give, relative to it: rounding, and no more."""

Reading = dict[Monomial, sp.Expr]


def check(certificate: Certificate) -> Audit:
    """Whether every claim of the certificate follows from its statement."""
    try:
        with Balls(320).working():
            return Audit(tuple(_Check(certificate).faults()))
    except (Unreadable, NotRational) as fault:
        return Audit((f"the statement cannot be read a second time: {fault}",))
    except Unevaluable as fault:
        return Audit((f"a constant cannot be evaluated: {fault}",))


class _Check:
    def __init__(self, certificate: Certificate) -> None:
        problem = certificate.problem
        self.certificate, self.problem, self.field = certificate, problem, problem.field
        self.signs = Signs(problem, [assumption(problem, *a) for a in problem.assumptions])
        self.objective = self._read(problem.rate)
        self.limits = [self._read(lhs / rhs) for lhs, rhs in problem.constraints]

    def _read(self, expr: sp.Expr) -> Reading:
        """Monomial -> constant, by expanding and taking each term apart."""
        found: Reading = {}
        for term in sp.Add.make_args(sp.expand(expr)):
            constant, rest = term.as_independent(*self.problem.sizes, as_Add=False)
            [monomial, *others] = monomials(self.problem, rest, self.signs.of)
            powers = zip(self.problem.sizes, monomial.powers, strict=True)
            if others or sp.expand(sp.Mul(*(s ** self.field.show(p) for s, p in powers)) / rest) != 1:
                raise Unreadable(f"{term} is no monomial")
            found[monomial] = found.get(monomial, sp.Integer(0)) + constant
        return {monomial: constant for monomial, constant in found.items() if constant != 0}

    def faults(self) -> list[str]:
        c = self.certificate
        lengths = {len(part) for part in (c.point, c.ray) if part}
        if lengths - {len(self.problem.sizes)}:
            return ["a point or ray does not have one entry for each size"]
        constants = [k for part in (self.objective, *self.limits) for k in part.values()]
        if not all(k.is_positive or self._is_positive(k) for k in constants):
            return ["a constant of the statement is not known to be positive"]
        faults = self._bound_faults() if c.outcome is not Outcome.UNBOUNDED else []
        if faults:
            return faults
        if c.outcome is Outcome.CLOSED_FORM:
            return self._closed_form_faults()
        if self.problem.parameters:
            return ["a bracket needs numbers for all symbols"]
        if c.outcome is not Outcome.UNBOUNDED:
            faults += self._lower_faults()
        if c.outcome is not Outcome.INFEASIBLE:
            faults += self._upper_faults()
        if c.outcome in (Outcome.APPROACHED, Outcome.UNBOUNDED):
            faults += self._ray_faults()
        return faults

    # The weights

    def _bound_faults(self) -> list[str]:
        """Terms that are those of the statement, with its constants, in a sound weighted AM-GM."""
        c = self.certificate
        terms = [(m, self.objective) for m, _ in c.bound.weights]
        if len(c.limits) != len(c.bound.multipliers) or any(not 0 <= i < len(self.limits) for i in c.limits):
            return ["a multiplier belongs to no constraint"]
        terms += [(m, self.limits[i]) for (m, _), i in zip(c.bound.multipliers, c.limits, strict=True)]
        places = [(m, -1) for m, _ in c.bound.weights]
        places += [(m, i) for (m, _), i in zip(c.bound.multipliers, c.limits, strict=True)]
        if len(c.constants) != len(terms) or len(set(places)) != len(places):
            return ["the weights do not have one constant each"]
        for (monomial, reading), constant in zip(terms, c.constants, strict=True):
            if monomial not in reading:
                return ["a weight stands on a monomial that the statement does not have"]
            if sp.expand(reading[monomial] - constant) != 0:
                return [f"the constant {constant} of a term should be {reading[monomial]}"]
        total = 0 if c.outcome is Outcome.INFEASIBLE else 1
        if bool(c.bound.total) != bool(total) or self.signs.balance(c.bound) is None:
            return ["the weights of a bound prove nothing"]
        if not total and sum((w for _, w in c.bound.multipliers), start=self.field.zero) != 1:
            return ["the multipliers of a proof of emptiness do not add up to 1"]
        if not all(w for _, w in (*c.bound.weights, *c.bound.multipliers)):
            return ["a weight is 0"]
        return []

    def _is_positive(self, constant: sp.Expr) -> bool:
        return self.signs.of(self.field.read(constant)) == 1

    def _factors(self) -> list[tuple[sp.Expr, Fraction]]:
        """The bound as a product of powers: (c/lambda, lambda) and (c mu_i/mu, mu)."""
        c, show = self.certificate, self.field.show
        groups: dict[int, Fraction] = {}
        for (_, mu), i in zip(c.bound.multipliers, c.limits, strict=True):
            groups[i] = groups.get(i, self.field.zero) + mu
        shares = [(w, self.field.one) for _, w in c.bound.weights]
        shares += [(mu, groups[i]) for (_, mu), i in zip(c.bound.multipliers, c.limits, strict=True)]
        return [(k * show(whole / w), w) for k, (w, whole) in zip(c.constants, shares, strict=True)]

    # Closed forms

    def _closed_form_faults(self) -> list[str]:
        c = self.certificate
        if c.value is None or len(c.point) != len(self.problem.sizes):
            return ["a closed form needs a value and a point"]
        form = self._form
        product = combine(*((form(base), power) for base, power in self._factors()))
        if not vanishes(combine((form(c.value), 1), (product, -1))):
            return ["the value is not the product that the weights give"]
        if {m for m, _ in c.bound.weights} != set(self.objective):
            return ["a term of the objective has no weight"]
        for monomial, weight in c.bound.weights:
            there = combine(
                (self._at_point(monomial, self.objective[monomial]), 1), (form(self.field.show(weight)), -1)
            )
            if not vanishes(combine((there, 1), (form(c.value), -1))):
                return ["at the point a term is not its weight times the value"]
        return self._tight_faults()

    def _tight_faults(self) -> list[str]:
        """At the point every constraint holds with equality, shared out as its multipliers are."""
        c = self.certificate
        given = {(i, m): mu for (m, mu), i in zip(c.bound.multipliers, c.limits, strict=True)}
        for i, limit in enumerate(self.limits):
            total = sum((given[i, m] for m in limit if (i, m) in given), start=self.field.zero)
            for monomial, constant in limit.items():
                if (i, monomial) in given:
                    share = given[i, monomial] / total
                elif len(limit) == 1:
                    share = self.field.one  # the other half of an equality
                else:
                    return ["a constraint has no multiplier"]
                there = self._at_point(monomial, constant)
                if not vanishes(combine((there, 1), (self._form(self.field.show(share)), -1))):
                    return ["at the point a constraint does not hold with equality as its multipliers say"]
        return []

    def _form(self, expr: sp.Expr) -> LogForm:
        return log_form(expr, self.field)

    def _at_point(self, monomial: Monomial, constant: sp.Expr) -> LogForm:
        sizes = [(self._form(x), p) for x, p in zip(self.certificate.point, monomial.powers, strict=True)]
        return combine((self._form(constant), 1), *sizes)

    # Brackets

    def _lower_faults(self) -> list[str]:
        total = sum(
            (ball(base).log() * ball(self.field.show(w)) for base, w in self._factors()),
            start=ball(sp.S.Zero),
        )
        claimed = self.certificate.lower
        if self.certificate.outcome is Outcome.INFEASIBLE and (claimed is None or claimed <= 1):
            return ["the weights do not show that no point meets the constraints"]
        return [] if _is_just_below(claimed, total.exp()) else ["the lower end is not what the weights give"]

    def _upper_faults(self) -> list[str]:
        point = self.certificate.point
        if len(point) != len(self.problem.sizes) or not all(x.is_positive for x in point):
            return ["there is no point"]
        if not all(self._holds(limit) for limit in self.limits):
            return ["the point does not meet the constraints"]
        claimed, value = self.certificate.upper, self._value(self.objective)
        if claimed is None or not _is_just_below(1 / claimed, 1 / value):
            return ["the upper end is not the value at the point"]
        return []

    def _holds(self, limit: Reading) -> bool:
        if self._value(limit) <= 1:
            return True
        [(monomial, constant), *others] = limit.items()
        return not others and vanishes(self._at_point(monomial, constant))

    def _value(self, reading: Reading) -> Ball:
        logs = [ball(x).log() for x in self.certificate.point]
        total = ball(sp.S.Zero)
        for monomial, constant in reading.items():
            slopes = [ball(self.field.show(p)) for p in monomial.powers]
            total += (
                ball(constant)
                * sum((s * x for s, x in zip(slopes, logs, strict=True)), start=ball(sp.S.Zero)).exp()
            )
        return total

    def _ray_faults(self) -> list[str]:
        ray = self.certificate.ray
        if not ray:
            return ["there is no ray"]
        slopes = [self._slope(m, ray) for m in self.objective]
        limits = [self._slope(m, ray) for limit in self.limits for m in limit]
        falls = max(slopes) < 0 if self.certificate.outcome is Outcome.UNBOUNDED else min(slopes) < 0
        return [] if falls and max([*slopes, *limits]) <= 0 else ["the objective does not fall along the ray"]

    def _slope(self, monomial: Monomial, ray: Sequence[sp.Rational]) -> sp.Rational:
        return sum(
            (self.field.show(p) * r for p, r in zip(monomial.powers, ray, strict=True)), start=sp.S.Zero
        )


def _is_just_below(claimed: sp.Rational | None, value: Ball) -> bool:
    """At most every value in the ball, and within the tolerance of it."""
    if claimed is None or not value.is_finite():
        return False
    end = from_rational(claimed)
    return bool(end <= value) and bool(end >= value * from_rational(1 - TOLERANCE))
