"""A second reading of a statement, written apart from the first, for checking certificates.

It shares no code with the normal form: rates are plain lists of alternatives
(the smallest, over the list, of the largest in each set), nothing is simplified
away, and the log cases are listed afresh. What this reading refuses, no
certificate can be checked against.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import sympy as sp

from theory.rates.field import Fraction
from theory.rates.growth import Growth, Monomial
from theory.rates.problem import RateProblem

Ways = list[set[Monomial]]
SignOf = Callable[[Fraction], int | None]


class Unreadable(Exception):
    """The statement has a part whose rate this reading cannot tell."""


def branches(problem: RateProblem, sign_of: SignOf) -> Iterator[tuple[set[Monomial], set[Monomial]]]:
    """Every (monomials of the rate, constraint monomials) pair, over all alternatives and log cases."""
    waiting: list[dict[Monomial, bool]] = [{}]
    while waiting:
        large = waiting.pop()
        reading = _Reading(problem, sign_of, large)
        rates = reading.ways(problem.rate)
        limits = [reading.ways(lhs / rhs) for lhs, rhs in problem.constraints]
        new = sorted(reading.met - set(large), key=repr)
        if new:
            waiting += [
                {**large, **dict(zip(new, answer, strict=True))}
                for answer in product((True, False), repeat=len(new))
            ]
            continue
        for symbol in problem.sizes:
            limits.append([{reading.symbol(symbol, 1 if symbol in problem.small else -1)}])
        for argument, is_large in large.items():
            if is_large:
                limits.append([{reading.constant(delta=1) * argument ** reading.number(-1)}])
            else:
                limits.append([{reading.constant(omega=-1) * argument}])
        for chosen in product(*limits, *reading.extra):
            for rate in rates:
                yield rate, set().union(*chosen)


def monomials(problem: RateProblem, expr: sp.Expr, sign_of: SignOf) -> set[Monomial]:
    """The monomials of a posynomial in the sizes, constants dropped; `Unreadable` for anything else."""
    if expr.has(sp.log) and any(log.free_symbols & set(problem.sizes) for log in expr.atoms(sp.log)):
        raise Unreadable(f"{expr} has a logarithm of a size")
    ways = _Reading(problem, sign_of, {}).ways(expr)
    if len(ways) != 1:
        raise Unreadable(f"{expr} is no sum of monomials")
    return ways[0]


class _Reading:
    def __init__(self, problem: RateProblem, sign_of: SignOf, large: dict[Monomial, bool]) -> None:
        self.problem, self.sign_of, self.large = problem, sign_of, large
        self.given = dict(problem.given)
        self.varying = {*problem.sizes, *self.given}
        self.met: set[Monomial] = set()
        self.extra: list[Ways] = []

    def number(self, value: int) -> Fraction:
        return self.problem.field.constant(value)

    def constant(self, power: int = 0, delta: int = 0, omega: int = 0, logs: int = 0) -> Monomial:
        growth = Growth(*map(self.number, (power, delta, omega, logs)))
        return Monomial(tuple(self.number(0) for _ in self.problem.sizes), growth)

    def symbol(self, symbol: sp.Symbol, exponent: int) -> Monomial:
        powers = tuple(self.number(exponent if s == symbol else 0) for s in self.problem.sizes)
        return Monomial(powers, self.constant().constant)

    def ways(self, expr: sp.Expr) -> Ways:
        if not expr.free_symbols & self.varying:
            return self._fixed(expr)
        if expr in self.given:
            exponent = self.problem.field.read(self.given[expr])
            return [{Monomial(self.constant().powers, self.constant(1).constant * exponent)}]
        if expr in self.varying:
            return [{self.symbol(expr, 1)}]
        match expr:
            case sp.Add() | sp.Max():
                return self._union([self.ways(term) for term in self._gathered(expr)])
            case sp.Min():
                return [way for arg in expr.args for way in self.ways(arg)]
            case sp.Mul():
                factors = [self.ways(factor) for factor in expr.args]
                if [] in factors and any(set() in ways for ways in factors):
                    raise Unreadable(
                        f"{expr} is the product of something infinite and something that vanishes"
                    )
                total: Ways = [{self.constant()}]
                for ways in factors:
                    total = [{p * q for p in one for q in other} for one, other in product(total, ways)]
                return total
            case sp.exp():
                return [] if self._exponent_sign(expr.exp) > 0 else [set()]
            case sp.Pow():
                return self._raised(self.ways(expr.base), self.problem.field.read(expr.exp))
            case sp.Abs():
                return self.ways(expr.args[0])
            case sp.log():
                return self._log(expr.args[0])
        raise Unreadable(f"no rate is known for {expr}")

    def _fixed(self, expr: sp.Expr) -> Ways:
        if expr.is_positive:
            return [{self.constant()}]
        sign = self.sign_of(self.problem.field.read(expr))
        if sign is None or sign < 0:
            raise Unreadable(f"the coefficient {expr} is not known to be positive")
        return [{self.constant()}] if sign else [set()]

    def _gathered(self, expr: sp.Expr) -> list[sp.Expr]:
        """The terms of a sum; coefficients of equal terms are added first, so that their signs can be told."""
        if isinstance(expr, sp.Max):
            return list(expr.args)
        gathered: dict[sp.Expr, sp.Expr] = {}
        for term in expr.args:
            fixed, rest = term.as_independent(*self.varying, as_Add=False)
            gathered[rest] = gathered.get(rest, 0) + fixed
        return [fixed * rest for rest, fixed in gathered.items()]

    @staticmethod
    def _union(all_ways: list[Ways]) -> Ways:
        return [set().union(*chosen) for chosen in product(*all_ways)]

    def _raised(self, ways: Ways, exponent: Fraction) -> Ways:
        is_monomial = len(ways) == 1 and len(ways[0]) == 1
        sign = 1 if is_monomial else self.sign_of(exponent)
        if sign is None:
            raise Unreadable("the sign of an exponent is not settled on this region")
        if sign == 0:
            return [{self.constant()}]
        chosen = ways if sign > 0 else [set(pick) for pick in product(*ways)]
        return [{m**exponent for m in way} for way in chosen]

    def _exponent_sign(self, exponent: sp.Expr) -> int:
        rate, size = exponent.as_independent(*self.problem.sizes, as_Add=False)
        sign = self.sign_of(self.problem.field.read(rate)) if size in self.problem.sizes else None
        if not sign:
            raise Unreadable(f"exp({exponent}) neither grows nor vanishes for certain")
        self.extra.append([{self.constant(logs=1) * self.symbol(size, -1)}])
        return sign

    def _log(self, argument: sp.Expr) -> Ways:
        argument = sp.expand(argument)
        if argument.is_Pow and argument.exp.is_positive:
            return self._log(argument.base)
        exponentials = [e.exp for e in argument.atoms(sp.exp) if self._exponent_sign(e.exp) > 0]
        if argument.has(sp.exp):
            sizes = [e.as_independent(*self.problem.sizes, as_Add=False)[1] for e in exponentials]
            return [{self.symbol(size, 1) for size in sizes}]
        offset, rest = argument.as_independent(*self.varying, as_Add=True)
        ways = self.ways(rest)
        if offset == 0:
            self.extra.append(self._raised(ways, self.number(-1)))
        elif not (offset == 1 or (offset - 1).is_positive):
            raise Unreadable(f"log({argument}) may be negative")
        found: Ways = []
        for way in ways:
            counted = [self._counts(m) for m in way]
            if any(counted):
                found.append({self.constant(logs=1)})
            elif offset == 1:
                found += [{self.constant()}, way]
            else:
                found.append({self.constant()})
        return found

    def _counts(self, argument: Monomial) -> bool:
        if not any(argument.powers):
            sign = self.sign_of(argument.constant.power)
            if sign is not None:
                return sign > 0
        self.met.add(argument)
        return self.large.get(argument, True)
