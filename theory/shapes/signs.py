"""Signs of formulas on a domain of lower and upper bounds, for all real values of the symbols between them.

Each symbol is written as its lower bound plus a parameter that is at least 0. A quotient of polynomials in the
parameters has a sign where the coefficients of its numerator and of its denominator each have one. sympy's own
assumptions decide only what a symbol's bounds are: an integer symbol takes all real values from 1 on.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from graphlib import CycleError, TopologicalSorter
from operator import add, mul

import sympy as sp

from theory.errors import MoelawsError
from theory.relation import Relation


@dataclass(frozen=True)
class Sign:
    """What is known of the sign of a quantity; nothing, where all three are False.

    ``|`` joins what is known from two sources; ``+``, ``*`` and ``-`` are those of the quantities.
    """

    nonnegative: bool = False
    nonpositive: bool = False
    nonzero: bool = False

    @property
    def positive(self) -> bool:
        return self.nonnegative and self.nonzero

    @property
    def negative(self) -> bool:
        return self.nonpositive and self.nonzero

    @property
    def known(self) -> bool:
        """Whether the sign is known, strictly or not."""
        return self.nonnegative or self.nonpositive

    def __or__(self, other: Sign) -> Sign:
        return Sign(
            self.nonnegative or other.nonnegative,
            self.nonpositive or other.nonpositive,
            self.nonzero or other.nonzero,
        )

    def __and__(self, other: Sign) -> Sign:
        """What is known of a quantity that has one of two signs."""
        return Sign(
            self.nonnegative and other.nonnegative,
            self.nonpositive and other.nonpositive,
            self.nonzero and other.nonzero,
        )

    def __neg__(self) -> Sign:
        return Sign(self.nonpositive, self.nonnegative, self.nonzero)

    def __add__(self, other: Sign) -> Sign:
        up = self.nonnegative and other.nonnegative
        down = self.nonpositive and other.nonpositive
        return Sign(up, down, (up or down) and (self.nonzero or other.nonzero))

    def __mul__(self, other: Sign) -> Sign:
        if ZERO in (self, other):
            return ZERO
        same = (self.nonnegative and other.nonnegative) or (self.nonpositive and other.nonpositive)
        opposite = (self.nonnegative and other.nonpositive) or (self.nonpositive and other.nonnegative)
        return Sign(same, opposite, self.nonzero and other.nonzero)

    def power(self, exponent: int) -> Sign:
        """The sign of an integer power, where it is defined."""
        if exponent % 2:
            return self
        return POSITIVE if self.nonzero or exponent == 0 else NONNEGATIVE

    def __str__(self) -> str:
        if not self.known:
            return "of unknown sign"
        if self.nonnegative and self.nonpositive:
            return "zero"
        strict, weak = ("positive", "nonnegative") if self.nonnegative else ("negative", "nonpositive")
        return strict if self.nonzero else weak


UNKNOWN = Sign()
ZERO = Sign(nonnegative=True, nonpositive=True)
NONNEGATIVE, NONPOSITIVE = Sign(nonnegative=True), Sign(nonpositive=True)
POSITIVE, NEGATIVE = Sign(nonnegative=True, nonzero=True), Sign(nonpositive=True, nonzero=True)

_AT_LEAST_ONE = (sp.ceiling, sp.binomial, sp.factorial)
"""Functions that may be known to be at least 1; see `Domain.at_least_one`."""


def _least(symbol: sp.Symbol) -> Relation | None:
    """Where a symbol begins by its assumptions."""
    if symbol.is_positive:
        return Relation(symbol, ">=", 1) if symbol.is_integer else Relation(symbol, ">", 0)
    return Relation(symbol, ">=", 0) if symbol.is_nonnegative else None


def domain_of(formula: sp.Expr, conditions: Iterable[Relation]) -> tuple[Relation, ...]:
    """The bounds of a formula's symbols, lowest first: those among ``conditions``, else those of the assumptions.

    Bounds of other symbols, and conditions that are no bounds, are left out.
    """
    given = [c for c in conditions if c.lhs.is_Symbol and c.op in (">=", ">", "<")]
    wanted, pending = set(), list(formula.free_symbols)
    while pending:
        symbol = pending.pop()
        if symbol not in wanted:
            wanted.add(symbol)
            pending += [s for c in given if c.lhs == symbol for s in c.rhs.free_symbols]
    bounded = {c.lhs for c in given if c.op != "<"}
    others = (_least(symbol) for symbol in sorted(wanted - bounded, key=lambda s: str(s.name)))
    return (*filter(None, others), *(c for c in given if c.lhs in wanted))


class Domain:
    """Bounds of symbols, ``symbol >= bound``, ``>`` or ``<``, whose right-hand sides may hold other symbols.

    A symbol without a lower bound has that of its assumptions: positive integers begin at 1, positive symbols above
    0, others nowhere. ValueError for another kind of condition, for two bounds on one side, and for bounds in a circle.
    """

    def __init__(self, conditions: Iterable[Relation] = ()) -> None:
        self.conditions = tuple(conditions)
        self._lower: dict[sp.Symbol, Relation] = {}
        self._upper: dict[sp.Symbol, Relation] = {}
        for condition in self.conditions:
            side = {">=": self._lower, ">": self._lower, "<": self._upper}.get(condition.op)
            if side is None or not condition.lhs.is_Symbol or condition.lhs in side:
                raise MoelawsError(
                    f"domain: got {condition}; expected 'symbol >= bound', '>' or '<', one of each side a symbol"
                )
            side[condition.lhs] = condition
        self._parameters: dict[sp.Expr, Sign] = {}
        self._places: dict[sp.Symbol, sp.Expr] = {}
        self._stands_for: dict[sp.Expr, sp.Expr] = {}
        self._signs: dict[sp.Expr, Sign] = {}
        order: TopologicalSorter[sp.Symbol] = TopologicalSorter()
        for condition in self.conditions:
            order.add(condition.lhs, *condition.rhs.free_symbols)
        try:
            order.prepare()
        except CycleError as circle:
            raise MoelawsError(
                f"domain: the bounds of {', '.join(map(str, circle.args[1]))} go in a circle; leave one out"
            ) from None

    def is_interval(self, variable: sp.Symbol) -> bool:
        """Whether the variable's values, others fixed, are seen to form an interval."""
        slopes = (sp.diff(c.rhs, variable) for c in self.conditions if c.lhs != variable)
        return all(self.has_values(slope) and self.sign(slope).known for slope in slopes)

    def is_unbounded(self, variable: sp.Symbol) -> bool:
        """Whether the variable may grow without limit, others fixed."""
        return variable not in self._upper and not any(
            variable in c.rhs.free_symbols for c in self.conditions
        )

    def sign(self, expr: sp.Expr) -> Sign:
        """What is known of the sign of an expression that `has_values`."""
        if expr not in self._signs:
            found = self._by_form(expr)
            if (expr.is_Add or expr.is_Symbol) and not (found.known and found.nonzero):
                found |= self._as_quotient(expr)
            self._signs[expr] = found
        return self._signs[expr]

    def at_least_one(self, expr: sp.Expr) -> bool:
        """Whether a rounded or a counted number is seen to be at least 1."""
        if isinstance(expr, sp.ceiling):
            return self.sign(expr.args[0]).positive
        if isinstance(expr, sp.factorial):
            return self.sign(expr.args[0] - 1).nonnegative
        return isinstance(expr, sp.binomial) and self._is_choice(expr)

    def has_values(self, expr: sp.Expr) -> bool:
        """Whether an expression is seen to have a real value on all of the domain; 0 log 0 is 0."""
        if expr.is_number:
            return bool(expr.is_real)
        if expr.is_Symbol:
            return True
        if expr.is_Mul:
            return all(self._has_values_in(factor, expr) for factor in expr.args)
        if not all(map(self.has_values, expr.args)):
            return False
        if expr.is_Pow:
            base, power = self.sign(expr.base), self.sign(expr.exp)
            if expr.exp.is_Integer:
                return bool(expr.exp > 0) or base.nonzero
            return base.positive or (base.nonnegative and power.positive)
        if isinstance(expr, sp.log):
            return self.sign(expr.args[0]).positive
        if isinstance(expr, sp.binomial):
            return self._is_choice(expr)
        if isinstance(expr, sp.factorial):
            return self.sign(expr.args[0]).nonnegative
        return isinstance(expr, (sp.Add, sp.exp, sp.Max, sp.Min, sp.Abs, sp.ceiling, sp.floor, sp.erf))

    def _has_values_in(self, factor: sp.Expr, product: sp.Expr) -> bool:
        """A factor y log y may have y = 0."""
        if isinstance(factor, sp.log) and {y := factor.args[0], -y} & set(product.args):
            return self.has_values(y) and self.sign(y).nonnegative
        return self.has_values(factor)

    def _is_choice(self, expr: sp.Expr) -> bool:
        whole, part = expr.args
        return self.sign(part).nonnegative and self.sign(whole - part).nonnegative

    # By form

    def _by_form(self, expr: sp.Expr) -> Sign:
        if expr.is_number:
            return Sign(bool(expr.is_nonnegative), bool(expr.is_nonpositive), bool(expr.is_nonzero))
        if expr.is_Add:
            return reduce(add, map(self.sign, expr.args)) | self._of_logarithms(expr)
        if expr.is_Mul:
            return reduce(mul, map(self.sign, expr.args))
        if expr.is_Pow:
            base = self.sign(expr.base)
            if expr.exp.is_Integer:
                return base.power(int(expr.exp))
            return POSITIVE if base.nonzero else NONNEGATIVE
        if isinstance(expr, sp.exp) or self.at_least_one(expr):
            return POSITIVE
        if isinstance(expr, sp.log):
            return self.sign(expr.args[0] - 1)
        signs = [self.sign(arg) for arg in expr.args]
        if isinstance(expr, (sp.Max, sp.Min)):
            turned = signs if isinstance(expr, sp.Max) else [-sign for sign in signs]
            largest = Sign(
                any(s.nonnegative for s in turned),
                all(s.nonpositive for s in turned),
                any(s.positive for s in turned) or all(s.negative for s in turned),
            )
            return largest if isinstance(expr, sp.Max) else -largest
        if isinstance(expr, (sp.factorial, sp.Abs)):
            return POSITIVE if isinstance(expr, sp.factorial) or signs[0].nonzero else NONNEGATIVE
        if isinstance(expr, (sp.ceiling, sp.floor)):
            return Sign(signs[0].nonnegative, signs[0].nonpositive)
        return signs[0] if isinstance(expr, sp.erf) else UNKNOWN

    def _of_logarithms(self, total: sp.Expr) -> Sign:
        """q log y + ... + c is at least 0 where y^q ... e^c is at least 1, for rational q and numbers c."""
        numbers: list[sp.Expr] = []
        logarithms: list[tuple[sp.Rational, sp.Expr]] = []
        others: list[sp.Expr] = []
        for term in total.args:
            factor, rest = term.as_coeff_Mul()
            if isinstance(rest, sp.log) and factor.is_Rational and not rest.is_number:
                logarithms.append((factor, rest.args[0]))
            else:
                (numbers if term.is_number else others).append(term)
        if not logarithms:
            return UNKNOWN
        scale = math.lcm(*(int(factor.q) for factor, _ in logarithms))
        product = sp.Mul(*(y ** (factor * scale) for factor, y in logarithms))
        of_all = self.sign(product * sp.exp(scale * sp.Add(*numbers)) - 1)
        return reduce(add, map(self.sign, others), of_all)

    # As a quotient of polynomials

    def _as_quotient(self, expr: sp.Expr) -> Sign:
        over = sp.fraction(sp.together(self._in_parameters(expr)))
        return self._of_polynomial(over[0]) * self._of_polynomial(over[1])

    def _of_polynomial(self, expr: sp.Expr) -> Sign:
        used = sorted(expr.free_symbols, key=str)
        if not used:
            return self._by_form(expr)
        total = ZERO
        for powers, coefficient in sp.Poly(expr, *used).terms():
            factors = (self._parameters[t].power(p) for t, p in zip(used, powers, strict=True))
            total += reduce(mul, factors, self._by_form(coefficient))
        return total

    def _in_parameters(self, expr: sp.Expr) -> sp.Expr:
        """The expression with its symbols as bounds and parameters, and a parameter for all that is not rational."""
        if expr.is_number:
            return expr
        if expr.is_Symbol:
            return self._place(expr)
        if expr.is_Add or expr.is_Mul or (expr.is_Pow and expr.exp.is_Integer):
            return expr.func(*map(self._in_parameters, expr.args))
        if expr not in self._stands_for:
            if self.at_least_one(expr):
                self._stands_for[expr] = 1 + self._parameter(NONNEGATIVE)
            else:
                self._stands_for[expr] = self._parameter(self._by_form(expr))
        return self._stands_for[expr]

    def _place(self, symbol: sp.Symbol) -> sp.Expr:
        """The symbol in terms of parameters, in turn those of the symbols in its bounds."""
        if symbol not in self._places:
            low, high = self._lower.get(symbol) or _least(symbol), self._upper.get(symbol)
            if low is None:
                free = self._parameter(POSITIVE if high else UNKNOWN)
                place = self._in_parameters(high.rhs) - free if high else free
            else:
                free = self._parameter(POSITIVE if low.op == ">" else NONNEGATIVE)
                begin = self._in_parameters(low.rhs)
                # with an upper end, all values between them as the parameter grows from 0 on
                place = begin + (
                    (self._in_parameters(high.rhs) - begin) * free / (1 + free) if high else free
                )
            self._places[symbol] = place
        return self._places[symbol]

    def _parameter(self, sign: Sign) -> sp.Symbol:
        made = sp.Dummy(f"t{len(self._parameters)}")
        self._parameters[made] = sign
        return made
