"""From a sympy statement to the linear programs of the calculus.

The reader walks the expression. Where the form depends on something it cannot
know, it asks a *question*: the sign of an exponent that only the parameters
decide, or how large the argument of a logarithm is. `programs` answers every
question in every way that is possible.

A logarithm log A has two faces. On the large one ``A >= n^delta`` it counts as
log n; on the slow one ``1 <= A <= n^omega`` it counts as a constant, which is
right up to a factor log log n wherever the optimum needs neither delta nor omega.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

import sympy as sp

from theory.rates.conditions import Condition
from theory.rates.domain import Domain, domain_of
from theory.rates.field import Fraction, NotRational
from theory.rates.growth import Growth, Monomial
from theory.rates.lattice import INFINITY, ZERO, Rate, largest, power, product, rate_of, smallest
from theory.rates.problem import RateError, RateProblem


@dataclass(frozen=True)
class MonomialProgram:
    """Minimise the largest of ``objective`` where every one of ``constraints`` is at most 1."""

    objective: frozenset[Monomial]
    constraints: frozenset[Monomial]


@dataclass(frozen=True)
class Case:
    """The programs of a statement on one part of the parameters, with the log arguments met on the way.

    ``common`` are the assumptions of the whole problem; the domain may hold more, told apart by signs.
    """

    common: tuple[Condition, ...]
    domain: Domain
    programs: tuple[MonomialProgram, ...]
    log_arguments: tuple[Monomial, ...]


class _SignQuestion(Exception):
    def __init__(self, exponent: Fraction) -> None:
        super().__init__()
        self.exponent = exponent


class _FaceQuestion(Exception):
    def __init__(self, argument: Monomial) -> None:
        super().__init__()
        self.argument = argument


def cases(
    problem: RateProblem, domain: Domain, common: tuple[Condition, ...] | None = None
) -> Iterator[Case]:
    """One case for each way the parameters can settle the signs that the reading asks about."""
    common = domain.assumptions if common is None else common
    try:
        programs, arguments = _programs(problem, domain)
    except _SignQuestion as question:
        one = Fraction(question.exponent.num * question.exponent.den, problem.field.context.constant(1))
        for conditions in (
            [Condition((one,), strict=True)],
            [Condition((-one,), strict=True)],
            [Condition((one,), strict=False), Condition((-one,), strict=False)],
        ):
            part = domain.restricted(*conditions)
            if not part.is_empty():
                yield from cases(problem, part, common)
    else:
        yield Case(common, domain, programs, arguments)


def _programs(
    problem: RateProblem, domain: Domain
) -> tuple[tuple[MonomialProgram, ...], tuple[Monomial, ...]]:
    found: dict[MonomialProgram, None] = {}
    arguments: dict[Monomial, None] = {}
    open_faces: list[dict[Monomial, bool]] = [{}]
    while open_faces:
        faces = open_faces.pop()
        reader = RateReader(problem, domain, faces)
        try:
            objective = reader.read(problem.rate)
            limits = [reader.ratio(lhs, rhs) for lhs, rhs in problem.constraints]
        except _FaceQuestion as question:
            open_faces += [{**faces, question.argument: large} for large in (True, False)]
            continue
        arguments.update(dict.fromkeys(reader.log_arguments))
        limits += [
            rate_of(reader.size(s) ** reader.number(1 if s in problem.small else -1)) for s in problem.sizes
        ]
        limits += [rate_of(reader.face_limit(argument, large)) for argument, large in faces.items()]
        for constraint in itertools.product(*limits, *reader.side_limits):
            together = frozenset().union(*constraint)
            for alternative in objective:
                found[MonomialProgram(alternative, together)] = None
    return tuple(found), tuple(arguments)


@dataclass
class RateReader:
    """Reads expressions on one choice of log faces; ``side_limits`` collects what the logs need of the sizes."""

    problem: RateProblem
    domain: Domain
    faces: dict[Monomial, bool]
    side_limits: list[Rate] = field(default_factory=list)
    log_arguments: list[Monomial] = field(default_factory=list)

    def number(self, value: object) -> Fraction:
        return self.problem.field.constant(value)

    def growth(self, delta: int = 0, omega: int = 0, logs: int = 0) -> Growth:
        return Growth(*map(self.number, (0, delta, omega, logs)))

    def constant(self, growth: Growth) -> Monomial:
        return Monomial((self.number(0),) * len(self.problem.sizes), growth)

    @property
    def one(self) -> Rate:
        return rate_of(self.constant(self.growth()))

    def size(self, symbol: sp.Symbol) -> Monomial:
        powers = tuple(self.number(int(s == symbol)) for s in self.problem.sizes)
        return Monomial(powers, self.growth())

    def varies(self, expr: sp.Expr) -> bool:
        return bool(expr.free_symbols & {*self.problem.sizes, *dict(self.problem.given)})

    # One method for each kind of expression

    def read(self, expr: sp.Expr) -> Rate:
        """The rate of an expression, constants dropped."""
        if not self.varies(expr):
            return self._constant(expr)
        if expr.is_Symbol:
            given = dict(self.problem.given)
            if expr not in given:
                return rate_of(self.size(expr))
            return rate_of(self.constant(Growth.of_power(self.problem.field.read(given[expr]))))
        if expr.is_Add:
            return largest(self.read(term) for term in self._terms(expr))
        if expr.is_Mul:
            rates = [self.read(factor) for factor in expr.args]
            if ZERO in rates and INFINITY in rates:
                raise RateError(
                    f"{expr}: a vanishing and an exponentially large factor meet; combine them first"
                )
            total = self.one
            for rate in rates:
                total = product(total, rate)
            return total
        if isinstance(expr, sp.exp):
            return self._exponential(expr.exp)
        if expr.is_Pow:
            return self._power(expr.base, expr.exp)
        if isinstance(expr, sp.Min):
            return smallest(self.read(arg) for arg in expr.args)
        if isinstance(expr, sp.Max):
            return largest(self.read(arg) for arg in expr.args)
        if isinstance(expr, sp.Abs):  # sympy makes sqrt(log(n)**2) one; here logs are positive
            return self.read(expr.args[0])
        if isinstance(expr, sp.log):
            return self._log(expr.args[0])
        raise RateError(_unknown(expr))

    def inverse(self, expr: sp.Expr) -> Rate:
        return power(self.read(expr), self.number(-1), -1)

    def ratio(self, lhs: sp.Expr, rhs: sp.Expr) -> Rate:
        """What is at most 1 where ``lhs <= rhs``."""
        above, below = self.read(lhs), self.inverse(rhs)
        if {above, below} == {ZERO, INFINITY}:
            raise RateError(
                f"{lhs} <= {rhs}: both sides are exponentially large or small; compare their logarithms"
            )
        return product(above, below)

    def _constant(self, expr: sp.Expr) -> Rate:
        if expr.is_positive:
            return self.one
        try:
            sign = self.domain.sign(self.problem.field.read(expr))
        except NotRational:
            sign = None
        if sign == 1:
            return self.one
        if sign == 0:
            return ZERO
        if sign == -1:
            raise RateError(f"the coefficient {expr} is negative, and a difference has no rate; {_BOUNDS}")
        if sign is None and not self._is_rational(expr):
            raise RateError(
                f"the coefficient {expr} may have either sign; constants do not count, so leave it out, or say in "
                f"over= or given= how {', '.join(sorted(map(str, expr.free_symbols)))} grows"
            )
        raise RateError(
            f"the sign of the coefficient {expr} is not known; say it with subject_to=[{expr} > 0], "
            "or minimise for each sign in turn"
        )

    def _is_rational(self, expr: sp.Expr) -> bool:
        try:
            self.problem.field.read(expr)
        except NotRational:
            return False
        return True

    def _terms(self, expr: sp.Expr) -> list[sp.Expr]:
        """The terms of a sum, like ones collected where a minus sign is in sight."""
        if not any(term.could_extract_minus_sign() for term in expr.args):
            return list(expr.args)
        varying = sorted({*self.problem.sizes, *dict(self.problem.given)}, key=str)
        collected: dict[sp.Expr, sp.Expr] = {}
        for term in expr.args:
            coefficient, rest = term.as_independent(*varying, as_Add=False)
            collected[rest] = collected.get(rest, sp.Integer(0)) + coefficient
        for rest, coefficient in collected.items():
            if coefficient.is_negative:
                raise RateError(f"{coefficient * rest} in {expr}: a difference has no rate; {_BOUNDS}")
        return [coefficient * rest for rest, coefficient in collected.items() if coefficient != 0]

    def _power(self, base: sp.Expr, exponent: sp.Expr) -> Rate:
        if self.varies(exponent):
            raise RateError(
                f"{base}**({exponent}): an exponent may not vary; write exp(...) for exponential sizes"
            )
        try:
            element = self.problem.field.read(exponent)
        except NotRational:
            raise RateError(
                f"{base}**({exponent}): expected a rational function of the parameters as exponent; "
                "give an irrational number a name, Symbol('c', positive=True)"
            ) from None
        rate = self.read(base)
        if len(rate) == 1 and len(next(iter(rate))) == 1:  # a single monomial has powers of any sign
            return power(rate, element, 1)
        sign = self.domain.sign(element)
        if sign is None:
            raise _SignQuestion(element)
        return power(rate, element, sign) if sign else self.one

    def _exponential(self, exponent: sp.Expr) -> Rate:
        """exp(c m) for a size m taken above every multiple of log n: 0 or infinity beside the rest."""
        coefficient, size = exponent.as_independent(*self.problem.sizes, as_Add=False)
        if size not in self.problem.sizes or self.varies(coefficient):
            raise RateError(
                f"exp({exponent}): expected exp of a constant times one size that is minimised over"
            )
        self._above_logs(size)
        sign = 1 if coefficient.is_positive else None
        if sign is None:
            sign = self.domain.sign(self.problem.field.read(coefficient))
        if not sign:
            raise RateError(f"exp({exponent}): the sign of {coefficient} is not known; say it in subject_to")
        return INFINITY if sign > 0 else ZERO

    def _above_logs(self, size: sp.Symbol) -> None:
        self.side_limits.append(
            rate_of(self.constant(self.growth(logs=1)) * self.size(size) ** self.number(-1))
        )

    # Logarithms

    def _log(self, argument: sp.Expr) -> Rate:
        argument = sp.expand(argument)  # (M + k)/k is 1 + M/k
        if argument.has(sp.exp):
            return self._log_of_exponentials(argument)
        if argument.is_Pow and argument.exp.is_positive:
            return self._log(argument.base)
        varying = [*self.problem.sizes, *dict(self.problem.given)]
        offset, rest = argument.as_independent(*varying, as_Add=True)
        if offset == 0:
            inner = self.read(argument)
            if all(self._is_at_most_one(term) for alternative in inner for term in alternative):
                raise RateError(
                    f"log({argument}): its argument is at most 1, so the logarithm is negative; turn it over"
                )
            self.side_limits.append(power(inner, self.number(-1), -1))  # a log is positive: A >= 1
            return smallest(self._log_of_sum(alternative) for alternative in inner)
        inner = self.read(rest)
        if offset == 1:  # log(1 + A) is A where A is small
            small = smallest([self.one, inner])
        elif (offset - 1).is_positive:
            small = self.one
        else:
            raise RateError(
                f"log({argument}): whether {offset} is at least 1 is not known, so its sign is not either"
            )
        return smallest(self._log_of_sum(alternative, small) for alternative in inner)

    def _log_of_sum(self, terms: frozenset[Monomial], otherwise: Rate | None = None) -> Rate:
        faces = [self._is_large(term) for term in terms]  # all of them, so that every reading asks the same
        if any(faces):
            return rate_of(self.constant(self.growth(logs=1)))
        return self.one if otherwise is None else otherwise

    def _is_large(self, argument: Monomial) -> bool:
        self.log_arguments.append(argument)
        if argument in self.faces:
            return self.faces[argument]
        if not argument.has_sizes:
            sign = self.domain.sign(argument.constant.power)
            if sign is None:
                raise _SignQuestion(argument.constant.power)
            return sign > 0
        raise _FaceQuestion(argument)

    def _is_at_most_one(self, argument: Monomial) -> bool:
        """Whether a monomial is small for the signs of its exponents alone."""
        if not argument.has_sizes:
            return self._is_negative_for_all(argument.constant.power)
        small = [s in self.problem.small for s in self.problem.sizes]
        rises = [-p if is_small else p for p, is_small in zip(argument.powers, small, strict=True) if p]
        signs = [self.domain.sign(p) for p in (*rises, argument.constant.power) if p]
        return all(sign == -1 for sign in signs)

    def _is_negative_for_all(self, exponent: Fraction) -> bool:
        """Whether an exponent is below 0 on all parameters of the problem, and not only on the part that is read."""
        return self.domain.sign(exponent) == -1 and domain_of("minimise", self.problem).sign(exponent) == -1

    def face_limit(self, argument: Monomial, large: bool) -> Monomial:
        if large:
            return self.constant(self.growth(delta=1)) * argument ** self.number(-1)
        return self.constant(self.growth(omega=-1)) * argument

    def _log_of_exponentials(self, argument: sp.Expr) -> Rate:
        """log(sum of exp(c m) times rates): the sizes m, each at least log n, so that the rates do not count."""
        logs: list[Rate] = []
        for term in sp.Add.make_args(argument):
            for factor in sp.Mul.make_args(term):
                if isinstance(factor, sp.exp) and self._exponential(factor.exp) == INFINITY:
                    logs.append(rate_of(self.size(factor.exp.as_independent(*self.problem.sizes)[1])))
        if not logs:
            raise RateError(f"log({argument}): its argument vanishes, so the logarithm is negative")
        return largest(logs)


_BOUNDS = "bound it from above (drop what is subtracted) or from below (by a rate that is smaller)"


def _unknown(expr: sp.Expr) -> str:
    """What to write in place of an atom that is not a rate; the few usual ones have one on each side."""
    name = type(expr).__name__
    if isinstance(expr, sp.ceiling):
        return f"{expr}: a ceiling is no rate; it is 1 + {expr.args[0]} up to a factor 2, write that"
    if isinstance(expr, sp.floor):
        return f"{expr}: a floor is no rate; where {expr.args[0]} >= 1 it is {expr.args[0]} up to a factor 2, write that"
    if isinstance(expr, sp.binomial):
        n, k = expr.args
        return (
            f"{expr}: a binomial coefficient is no rate; its logarithm lies between {k}*log({n}/{k}) and "
            f"{k}*log(E*{n}/{k}), write one of them in place of log({expr})"
        )
    if isinstance(expr, sp.factorial):
        x = expr.args[0]
        return f"{expr}: a factorial is no rate; its logarithm is {x}*log({x}) up to a factor, write that"
    return f"{expr}: {name} is not a rate; use sums, products, powers, Min, Max and log of positive terms"
