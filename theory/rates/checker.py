"""Checks a certificate against its statement, trusting nothing that the search found out.

It reads the statement a second time, by code of its own, and then only
multiplies, adds and compares. Signs are settled by coefficients, by dividing
out a condition of the region, or by a real solver asked afresh.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from theory.rates.certificate import Bound, Cell, Certificate, Outcome, Weighted
from theory.rates.conditions import Condition, definite_sign
from theory.rates.field import Fraction, NotRational, Polynomial
from theory.rates.growth import Growth, Monomial, weighted_product
from theory.rates.problem import RateProblem
from theory.rates.second_reading import Unreadable, branches

Branch = tuple[set[Monomial], set[Monomial]]
STEPS = 250_000
"""The budget of one question to the solver, in its own steps: a few seconds, the same on every machine."""


@dataclass(frozen=True)
class Audit:
    """What the checker found wrong; true where it found nothing."""

    faults: tuple[str, ...]

    def __bool__(self) -> bool:
        return not self.faults

    def __repr__(self) -> str:
        return f"Audit: {self}"

    def __str__(self) -> str:
        return "; ".join(self.faults) or "every step of the certificate holds"


def check(certificate: Certificate) -> Audit:
    """Whether every claim of the certificate follows from its statement."""
    problem = certificate.problem
    try:
        assumptions = tuple(assumption(problem, *a) for a in problem.assumptions)
        faults = [f for cell in certificate.cells for f in _CellCheck(problem, assumptions, cell).faults()]
        if certificate.complete:
            faults += _uncovered(certificate, assumptions)
    except (Unreadable, NotRational) as fault:
        faults = [f"the statement cannot be read a second time: {fault}"]
    return Audit(tuple(faults))


def assumption(problem: RateProblem, lhs: sp.Expr, rhs: sp.Expr, strict: bool) -> Condition:
    """A relation between parameters as a condition on their positive values."""
    difference = problem.field.read(rhs - lhs)
    if definite_sign(difference.den) != 1:
        raise Unreadable(f"the sign of the denominator of {rhs - lhs} is not known")
    return Condition((Fraction(difference.num, problem.field.context.constant(1)),), strict)


def _uncovered(certificate: Certificate, assumptions: Sequence[Condition]) -> list[str]:
    regions = [cell.region for cell in certificate.cells]
    if any(not region for region in regions):
        return []
    solver, names = _Solver.fresh(len(certificate.problem.parameters), assumptions)
    for region in regions:
        solver.add(_Solver.negation(region, names))
    found = {
        "unsat": [],
        "sat": ["the regions do not cover all admissible parameters"],
        "unknown": [
            "the real solver gave up on whether the regions cover all parameters, so that step is open"
        ],
    }
    return found[str(solver.check())]


class Signs:
    """Signs of rational functions of positive parameters, under conditions, with nothing taken from the search."""

    def __init__(self, problem: RateProblem, context: Sequence[Condition]) -> None:
        self.problem, self.context = problem, tuple(context)
        self._known: dict[tuple[tuple[Fraction, ...], bool], bool] = {}
        self.gave_up = False

    def of(self, element: Fraction) -> int | None:
        """The sign where it is the same everywhere and proved."""
        for sign in (1, -1):
            if self.holds((element * sign,), strict=True):
                return sign
        return 0 if self.holds((element,)) and self.holds((-element,)) else None

    def needs(self, growth: Growth, *, strict: bool = False) -> bool:
        return self.holds(growth.levels, strict=strict)

    def holds(self, levels: Iterable[Fraction], *, strict: bool = False) -> bool:
        """Whether ``levels >= 0`` (``> 0``) wherever the conditions hold."""
        rest = tuple(level for level in levels if level)
        if (rest, strict) not in self._known:
            self._known[rest, strict] = self._is_proved(rest, strict)
        return self._known[rest, strict]

    def balance(self, bound: Bound) -> Monomial | None:
        """The product of a bound's monomials to their weights, which weighted AM-GM puts below the largest.

        None unless the weights are non-negative, add up to 1 (or to 0, which proves that no point
        is admissible where the product exceeds 1), and the sizes cancel.
        """
        weighted = (*bound.weights, *bound.multipliers)
        if not all(self.holds((weight,)) for _, weight in weighted) or (bound.total and bound.total != 1):
            return None
        zero = self.problem.field.zero
        unit = Monomial((zero,) * len(self.problem.sizes), Growth(zero, zero, zero, zero))
        total = weighted_product(weighted, unit)
        return None if total.has_sizes else total

    def _is_proved(self, rest: tuple[Fraction, ...], strict: bool) -> bool:
        if not rest:
            return not strict
        if any(definite_sign(level.den) is None and not self._is_nowhere_zero(level.den) for level in rest):
            return False
        products = [level.num * level.den for level in rest]
        sign = definite_sign(products[0])
        if sign is not None:
            return sign > 0
        if len(products) == 1 and any(self._divides(c, products[0], strict) for c in self.context):
            return True
        one = self.problem.field.context.constant(1)
        claim = Condition(tuple(Fraction(p, one) for p in products), strict)
        solver, names = _Solver.fresh(len(self.problem.parameters), self.context)
        solver.add(_Solver.negation([claim], names))
        return self._has_no_point(solver)

    @staticmethod
    def _divides(condition: Condition, poly: Polynomial, strict: bool) -> bool:
        if (
            len(condition.levels) != 1
            or (strict and not condition.strict)
            or condition.levels[0].num.is_zero()
        ):
            return False
        quotient, remainder = divmod(poly, condition.levels[0].num)
        return bool(remainder.is_zero() and definite_sign(quotient) == 1)

    def _is_nowhere_zero(self, poly: Polynomial) -> bool:
        solver, names = _Solver.fresh(len(self.problem.parameters), self.context)
        solver.add(_Solver.value(poly, names) == 0)
        return self._has_no_point(solver)

    def _has_no_point(self, solver: Any) -> bool:
        answer = str(solver.check())
        self.gave_up |= answer == "unknown"
        return answer == "unsat"


class _CellCheck:
    """The claims of one cell, on its region."""

    def __init__(self, problem: RateProblem, assumptions: Sequence[Condition], cell: Cell) -> None:
        self.problem, self.cell = problem, cell
        self.signs = Signs(problem, (*assumptions, *cell.region))
        self._needs, self._holds = self.signs.needs, self.signs.holds
        zero = problem.field.zero
        self.unit = Monomial((zero,) * len(problem.sizes), Growth(zero, zero, zero, zero))

    def faults(self) -> list[str]:
        """What does not hold, or that it could not be told."""
        found = self._faults()
        return (
            ["the real solver gave up on a sign, so a step is open"]
            if found and self.signs.gave_up
            else found
        )

    def _faults(self) -> list[str]:
        cell, found = self.cell, list(branches(self.problem, self.signs.of))
        lengths = {len(part) for part in (cell.point, cell.ray) if part is not None}
        if lengths - {len(self.problem.sizes)}:
            return ["a point or ray does not have one entry for each size"]
        if cell.outcome is Outcome.UNBOUNDED:
            return (
                []
                if any(self._falls_for_ever(b) for b in found)
                else ["the ray does not lower the rate for ever"]
            )
        sound = [bound for bound in cell.bounds if self._is_sound(bound)]
        faults = ["the weights of a bound prove nothing"] * (len(cell.bounds) - len(sound))
        missing = sum(not any(_applies(bound, branch) for bound in sound) for branch in found)
        faults += [f"{missing} of {len(found)} branches and log cases have no bound"] if missing else []
        if cell.outcome is Outcome.ATTAINED:
            reached = [branch for branch in found if self._is_reached(branch)]
            faults += [] if reached else ["the point does not attain the value"]
            if reached and not any(self._is_least(branch) for branch in reached):
                faults.append("the point is not shown to be the least that attains the value")
        return faults

    def _is_sound(self, bound: Bound) -> bool:
        """Non-negative weights, summing to one (or all zero), whose product is free of sizes and large enough."""
        total = self.signs.balance(bound)
        if total is None:
            return False
        if not bound.total:  # Farkas: a product of monomials that are at most 1 is above 1
            return self._needs(total.constant, strict=True)
        if self.cell.outcome is not Outcome.ATTAINED or self.cell.value is None:
            return False
        return self._needs(total.constant - self.cell.value)

    def _is_admissible(self, branch: Branch) -> bool:
        point = self.cell.point
        return point is not None and all(self._needs(-g.at(point)) for g in branch[1])

    def _is_reached(self, branch: Branch) -> bool:
        point, value = self.cell.point, self.cell.value
        if point is None or value is None or not self._is_admissible(branch):
            return False
        return all(self._needs(value - m.at(point)) for m in branch[0])

    def _falls_for_ever(self, branch: Branch) -> bool:
        ray = self.cell.ray
        if ray is None or not self._is_admissible(branch):
            return False
        zero = self.problem.field.zero
        slopes = [
            [sum((p * r for p, r in zip(m.powers, ray, strict=True)), start=zero) for m in part]
            for part in branch
        ]
        return all(self._holds((-s,), strict=True) for s in slopes[0]) and all(
            self._holds((-s,)) for s in slopes[1]
        )

    def _is_least(self, branch: Branch) -> bool:
        """From ``m / n^value <= 1`` and the constraints: no optimal point has a smaller product of sizes."""
        point, value, least = self.cell.point, self.cell.value, self.cell.least
        if point is None or value is None or not _applies(least, branch):
            return False
        weighted = (
            *((Monomial(m.powers, m.constant - value), w) for m, w in least.weights),
            *least.multipliers,
        )
        if not all(self._holds((weight,)) for _, weight in weighted):
            return False
        one = self.problem.field.one
        signs = tuple(-one if s in self.problem.small else one for s in self.problem.sizes)
        total = Monomial(signs, self.unit.constant)
        bound = weighted_product(weighted, total)
        return not bound.has_sizes and self._needs(bound.constant - total.at(point))


def _applies(bound: Bound, branch: Branch) -> bool:
    return _only(bound.weights, branch[0]) and _only(bound.multipliers, branch[1])


def _only(weighted: Weighted, allowed: set[Monomial]) -> bool:
    return all(monomial in allowed for monomial, _ in weighted)


class _Solver:
    """A real solver set up without the search's own door to it."""

    @staticmethod
    def fresh(parameters: int, context: Iterable[Condition]) -> tuple[Any, list[Any]]:
        import z3

        names = [z3.Real(f"x{i}") for i in range(parameters)]
        solver = z3.SolverFor("QF_NRA")
        solver.set("rlimit", STEPS)
        solver.add(*[name > 0 for name in names], *[_Solver.statement(c, names) for c in context])
        return solver, names

    @staticmethod
    def value(poly: Polynomial, names: Sequence[Any]) -> Any:
        import z3

        terms = []
        for powers, coefficient in poly.to_dict().items():
            factors = [name for name, power in zip(names, powers, strict=True) for _ in range(int(power))]
            terms.append(z3.Product(z3.Q(int(coefficient.p), int(coefficient.q)), *factors))
        return z3.Sum(terms) if terms else z3.RealVal(0)

    @staticmethod
    def statement(condition: Condition, names: Sequence[Any]) -> Any:
        import z3

        values = [_Solver.value(level.num, names) for level in condition.levels]
        cases = []
        for i, value in enumerate(values):
            last = i == len(values) - 1
            cases.append(
                z3.And(
                    *[v == 0 for v in values[:i]], value >= 0 if last and not condition.strict else value > 0
                )
            )
        return z3.Or(*cases)

    @staticmethod
    def negation(conditions: Iterable[Condition], names: Sequence[Any]) -> Any:
        import z3

        return z3.Not(z3.And(*[_Solver.statement(c, names) for c in conditions]))
