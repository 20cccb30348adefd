"""A geometric program read from sympy: posynomials as monomials with their constants.

The statement is the same `RateProblem` as that of a rate, so that one reader checks
both certificates; only here the constants count, and nothing grows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import sympy as sp

from theory.rates.certificate import WeightedBound
from theory.rates.domain import Domain, domain_of
from theory.rates.field import Fraction, NotRational
from theory.rates.growth import Growth, Monomial
from theory.rates.problem import RateError, RateProblem, expression, read_statement

CALLER = "minimise_posynomial"
UNIT = sp.Symbol("unit", positive=True)
"""Stands for the scale of a rate, on which nothing here depends."""


@dataclass(frozen=True)
class PosynomialTerm:
    """A monomial times a positive constant."""

    monomial: Monomial
    constant: sp.Expr


Posynomial = tuple[PosynomialTerm, ...]


@dataclass(frozen=True)
class GeometricProgram:
    """Minimise ``objective`` subject to every limit at most 1.

    ``equalities`` are pairs of limits, a monomial and its inverse.
    """

    problem: RateProblem
    domain: Domain
    objective: Posynomial
    limits: tuple[Posynomial, ...]
    equalities: tuple[tuple[int, int], ...]

    @property
    def sizes(self) -> tuple[sp.Symbol, ...]:
        return self.problem.sizes

    @property
    def inequalities(self) -> tuple[int, ...]:
        """The limits that are in no equality."""
        paired = {i for pair in self.equalities for i in pair}
        return tuple(i for i in range(len(self.limits)) if i not in paired)

    def constants(self, bound: WeightedBound, places: Sequence[int]) -> tuple[sp.Expr, ...]:
        """The constants of the terms that a bound weighs, then of those in the constraints at ``places``."""
        parts = [self.objective] * len(bound.weights) + [self.limits[i] for i in places]
        weighed = zip((*bound.weights, *bound.multipliers), parts, strict=True)
        return tuple(next(t.constant for t in part if t.monomial == m) for (m, _), part in weighed)


def read_program(objective: object, over: object, subject_to: object, at: object) -> GeometricProgram:
    """The arguments of ``minimise_posynomial``; `RateError` names the one that is wrong."""
    problem = read_statement(CALLER, objective, over, {UNIT: 1}, subject_to, ())
    if at is not None:
        problem = _at_numbers(problem, at)
    domain = domain_of(CALLER, problem)
    reader = _PosynomialReader(problem, domain)
    limits = tuple(
        reader.read(lhs / rhs, f"the constraint {lhs} <= {rhs}") for lhs, rhs in problem.constraints
    )
    return GeometricProgram(
        problem, domain, reader.read(problem.rate, "the objective"), limits, _pairs(limits)
    )


def _at_numbers(problem: RateProblem, at: object) -> RateProblem:
    if not isinstance(at, dict):
        raise RateError(f"{CALLER}(at={at!r}): expected numbers for symbols, such as at={{A: 3, beta: 2}}")
    values = {symbol: expression(CALLER, f"at[{symbol}]", value) for symbol, value in at.items()}
    for symbol, value in values.items():
        if symbol in problem.sizes:
            raise RateError(
                f"{CALLER}(at={{{symbol}: {value}}}): {symbol} is minimised over; take it out of one of both"
            )
        if value.free_symbols or not value.is_positive:
            raise RateError(f"{CALLER}(at={{{symbol}: {value}}}): expected a positive number")
    if not values:
        return problem
    relations = [(lhs.subs(values), rhs.subs(values)) for lhs, rhs in problem.constraints]
    for lhs, rhs, strict in problem.assumptions:
        left, right = lhs.subs(values), rhs.subs(values)
        if (left < right if strict else left <= right) == False:  # noqa: E712  (a symbolic relation is neither)
            raise RateError(
                f"{CALLER}(at=...): {lhs} {'<' if strict else '<='} {rhs} does not hold at {values}"
            )
    return replace(
        problem,
        rate=problem.rate.subs(values),
        constraints=tuple(relations),
        assumptions=(),
        written=problem,
        at=tuple((symbol, value) for symbol, value in values.items() if symbol in problem.parameters),
    )


def _pairs(limits: tuple[Posynomial, ...]) -> tuple[tuple[int, int], ...]:
    """Limits that are a monomial and its inverse, so that both hold with equality."""
    found: list[tuple[int, int]] = []
    taken: set[int] = set()
    for i, one in enumerate(limits):
        for j in range(i + 1, len(limits)):
            other = limits[j]
            if len(one) == len(other) == 1 and not taken & {i, j} and _inverse(one[0], other[0]):
                found.append((i, j))
                taken |= {i, j}
    return tuple(found)


def _inverse(one: PosynomialTerm, other: PosynomialTerm) -> bool:
    powers = zip(one.monomial.powers, other.monomial.powers, strict=True)
    return all(p == -q for p, q in powers) and bool(sp.simplify(one.constant * other.constant - 1) == 0)


class _PosynomialReader:
    def __init__(self, problem: RateProblem, domain: Domain) -> None:
        self.problem, self.domain, self.field = problem, domain, problem.field
        self.sizes = set(problem.sizes)
        zero = self.field.zero
        self.nothing = Growth(zero, zero, zero, zero)

    def read(self, expr: sp.Expr, where: str) -> Posynomial:
        terms = self._terms(sp.sympify(expr), where)
        found = []
        for powers, constant in terms.items():
            if constant == 0:
                continue
            if not self._is_positive(constant):
                shown = constant * sp.Mul(
                    *(s ** self.field.show(p) for s, p in zip(self.problem.sizes, powers, strict=True))
                )
                raise RateError(
                    f"{CALLER}: the term {shown} of {where} is not known to be positive; a posynomial is a sum of "
                    "positive terms (declare symbols positive, or state the sign of a difference in subject_to)"
                )
            found.append(PosynomialTerm(Monomial(powers, self.nothing), constant))
        return tuple(found)

    def _is_positive(self, constant: sp.Expr) -> bool:
        if constant.is_positive:
            return True
        try:
            return self.domain.sign(self.field.read(constant)) == 1
        except NotRational:
            return False

    def _terms(self, expr: sp.Expr, where: str) -> dict[tuple[Fraction, ...], sp.Expr]:
        """Exponents -> constant of every term."""
        none = tuple(self.field.zero for _ in self.problem.sizes)
        if not expr.free_symbols & self.sizes:
            return {none: expr}
        if expr in self.sizes:
            return {tuple(self.field.constant(int(s == expr)) for s in self.problem.sizes): sp.Integer(1)}
        if expr.is_Add:
            total: dict[tuple[Fraction, ...], sp.Expr] = {}
            for arg in expr.args:
                for powers, constant in self._terms(arg, where).items():
                    total[powers] = total.get(powers, sp.Integer(0)) + constant
            return total
        if expr.is_Mul:
            product = {none: sp.Integer(1)}
            logs = [arg for arg in expr.args if arg.has(sp.log) and arg.free_symbols & self.sizes]
            if logs:
                self._refuse(expr, where)
            for arg in expr.args:
                product = _times(product, self._terms(arg, where))
            return product
        if expr.is_Pow and not expr.exp.free_symbols & self.sizes:
            return self._power(expr, where)
        return self._refuse(expr, where)

    def _power(self, expr: sp.Expr, where: str) -> dict[tuple[Fraction, ...], sp.Expr]:
        base = self._terms(expr.base, where)
        if len(base) == 1:
            [(powers, constant)] = base.items()
            try:
                exponent = self.field.read(expr.exp)
            except NotRational:
                raise RateError(
                    f"{CALLER}: the exponent {expr.exp} in {where} is no rational function of positive parameters; "
                    "write a ratio of integers"
                ) from None
            return {tuple(p * exponent for p in powers): constant**expr.exp}
        if expr.exp.is_Integer and expr.exp > 0:
            found = base
            for _ in range(int(expr.exp) - 1):
                found = _times(found, base)
            return found
        return self._refuse(expr, where)

    def _refuse(self, term: sp.Expr, where: str) -> dict[tuple[Fraction, ...], sp.Expr]:
        if term.has(sp.log):
            raise RateError(
                f"{CALLER}: the term {term} of {where} has a logarithm of a size, which is not log-convex: weighted "
                "AM-GM proves nothing about it and there may be several stationary points. "
                "optimal_active_experts finds all of them for k log(eM/k); minimise gives the rate"
            )
        raise RateError(
            f"{CALLER}: {term} in {where} is no posynomial; write a sum of monomials with positive constants"
        )


def _times(
    one: dict[tuple[Fraction, ...], sp.Expr], other: dict[tuple[Fraction, ...], sp.Expr]
) -> dict[tuple[Fraction, ...], sp.Expr]:
    found: dict[tuple[Fraction, ...], sp.Expr] = {}
    for p, c in one.items():
        for q, e in other.items():
            powers = tuple(x + y for x, y in zip(p, q, strict=True))
            found[powers] = found.get(powers, sp.Integer(0)) + c * e
    return found
