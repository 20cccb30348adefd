"""The composition rules: slope and curvature of a formula in one variable, in the arithmetic of signs.

A slope that is nonnegative stands for "increasing" and a bend that is nonnegative for "convex"; neither needs a
derivative to exist. Sum, product and chain rule are those of calculus,

    (f g)'' = f'' g + 2 f' g' + f g'',    phi(f)'' = phi''(f) f'^2 + phi'(f) f'',

with signs in place of numbers; they hold for functions with corners too, which averages over small intervals smooth
without changing sign, direction or curvature. Three rules are not of this kind:

- *perspective*: x g(x) bends for x > 0 as g does in 1/x;
- *derivative*: where the formula is differentiable and its derivative has a sign, as far as `Domain.sign` sees;
- *concave and bounded below*: such a function of a variable without upper end increases.

Every rule works in a coordinate u that is the variable x or, for the perspective, 1/x.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from typing import NamedTuple

import sympy as sp

from theory.shapes.signs import (
    NEGATIVE,
    NONNEGATIVE,
    POSITIVE,
    UNKNOWN,
    ZERO,
    Domain,
    Sign,
)

SMOOTH = (sp.Add, sp.Mul, sp.Pow, sp.log, sp.exp, sp.erf)
"""Functions that have derivatives of all orders wherever `Domain.has_values` is true without 0 log 0."""


LARGEST = 40
"""Operations in a formula whose derivatives are looked at: those of longer ones take long and rarely show a sign."""


class Reason(NamedTuple):
    """Why a part has its slope or its bend: a rule, and the smaller parts that it looked at."""

    rule: str
    parts: tuple[Node, ...] = ()


@dataclass(frozen=True)
class Node:
    """What is inferred of one part of a formula in a coordinate: sign, slope and bend, and why; None where open."""

    formula: sp.Expr
    coordinate: sp.Expr
    sign: Sign
    slope: Sign = UNKNOWN
    bend: Sign = UNKNOWN
    why_slope: Reason | None = None
    why_bend: Reason | None = None

    @property
    def decided(self) -> bool:
        return self.slope.known and self.bend.known

    def learn(self, rule: str, slope: Sign, bend: Sign, parts: tuple[Node, ...] = ()) -> Node:
        """With what one more rule says; it becomes the reason of what was open before."""
        reason = Reason(rule, parts)
        return replace(
            self,
            slope=self.slope | slope,
            bend=self.bend | bend,
            why_slope=reason if slope.known and not self.slope.known else self.why_slope,
            why_bend=reason if bend.known and not self.bend.known else self.why_bend,
        )


RuleResult = tuple[str, Sign, Sign, tuple[Node, ...]]
"""What a rule says: its name, slope, bend, and the parts it rests on."""


class Rules:
    """The rules at work on a domain, for formulas that have values there, in ``variable`` or (``power`` -1) its inverse."""

    def __init__(self, domain: Domain, variable: sp.Symbol, power: int = 1) -> None:
        self.domain, self.variable, self.power = domain, variable, power
        self._nodes: dict[sp.Expr, Node] = {}
        self._inverse: Rules | None = None

    def node(self, expr: sp.Expr) -> Node:
        """All that the rules say of an expression."""
        if expr not in self._nodes:
            found = Node(expr, self.variable**self.power, self.domain.sign(expr))
            for outcome in self._outcomes(expr):
                found = found.learn(*outcome)
                if found.decided:
                    break
            self._nodes[expr] = self._bounded(self._derivatives(found))
        return self._nodes[expr]

    def _outcomes(self, expr: sp.Expr) -> Iterator[RuleResult]:
        """What each rule that applies says, cheapest first."""
        if self.variable not in expr.free_symbols:
            yield "constant", ZERO, ZERO, ()
            return
        if expr == self.variable:
            yield self._monomial(sp.Integer(1))
        elif expr.is_Add:
            parts = tuple(map(self.node, expr.args))
            yield "sum", _sum(p.slope for p in parts), _sum(p.bend for p in parts), parts
        elif expr.is_Mul:
            yield from self._product(expr)
        elif expr.is_Pow:
            yield self._power(expr.base, expr.exp)
        elif isinstance(expr, (sp.Max, sp.Min)):
            yield self._choice(expr)
        elif isinstance(expr, sp.log):
            yield self._logarithm(expr.args[0])
        elif (chain := self._chain_of(expr)) is not None:
            yield chain

    # Powers

    def _monomial(self, exponent: sp.Expr) -> RuleResult:
        """x^p, which is u^p or u^-p: p u^(p-1) and p (p-1) u^(p-2)."""
        x, p = self.domain.sign(self.variable), self.domain.sign(self.power * exponent)
        if not x.positive and not (self.power == 1 and exponent == 1):
            return self._chain_power(self.node(self.variable), exponent)
        return "power", p, p * self.domain.sign(self.power * exponent - 1), ()

    def _power(self, base: sp.Expr, exponent: sp.Expr) -> RuleResult:
        sign = self.domain.sign
        if self.variable in exponent.free_symbols:
            if not sign(base).positive:
                return "power", UNKNOWN, UNKNOWN, ()
            inner = self.node(exponent * sp.log(base))
            return self._chain("exponential", POSITIVE, POSITIVE, inner)
        if base == self.variable:
            return self._monomial(exponent)
        if base.is_Pow and sign(base.base).positive and self.variable not in base.exp.free_symbols:
            return self._same("power of a power", base.base ** (base.exp * exponent))
        if base.is_Mul and all(sign(factor).positive for factor in base.args):
            return self._same("power of a product", sp.Mul(*(factor**exponent for factor in base.args)))
        return self._chain_power(self.node(base), exponent)

    def _chain_power(self, inner: Node, exponent: sp.Expr) -> RuleResult:
        p, p_minus = self.domain.sign(exponent), self.domain.sign(exponent - 1)
        if exponent.is_Integer:
            first, second = inner.sign.power(int(exponent) - 1), inner.sign.power(int(exponent) - 2)
        else:
            first = second = NONNEGATIVE
        return self._chain("power", p * first, p * p_minus * second, inner)

    # Products

    def _product(self, expr: sp.Expr) -> Iterator[RuleResult]:
        moving = [f for f in expr.args if self.variable in f.free_symbols]
        if len(moving) < len(expr.args):
            constant = self.domain.sign(
                sp.Mul(*(f for f in expr.args if self.variable not in f.free_symbols))
            )
            part = self.node(sp.Mul(*moving))
            yield "constant factor", constant * part.slope, constant * part.bend, (part,)
            return
        parts = tuple(map(self.node, moving))
        _, slope, bend = reduce(_times, ((p.sign, p.slope, p.bend) for p in parts))
        yield "product", slope, bend, parts
        yield from self._y_log_y(expr)
        coordinate = self.variable**self.power
        if coordinate in moving and self.domain.sign(self.variable).positive:
            inner = self._inverted().node(sp.Mul(*(f for f in moving if f != coordinate)))
            yield "perspective", UNKNOWN, inner.bend, (inner,)

    def _y_log_y(self, expr: sp.Expr) -> Iterator[RuleResult]:
        """c y log y, whose slope in y is c (1 + log y) and which bends as c does."""
        for logarithm in (f for f in expr.args if isinstance(f, sp.log)):
            y = logarithm.args[0]
            others = expr / logarithm
            constant = -(others / -y) if -y in others.args else others / y
            if self.variable not in constant.free_symbols:
                sign = self.domain.sign(constant)
                slope_in_y = self.domain.sign(sp.E * y - 1)
                yield self._chain("x log x", sign * slope_in_y, sign, self.node(y))

    def _inverted(self) -> Rules:
        if self._inverse is None:
            self._inverse = Rules(self.domain, self.variable, -self.power)
            self._inverse._inverse = self
        return self._inverse

    # Functions

    def _choice(self, expr: sp.Expr) -> RuleResult:
        parts = tuple(map(self.node, expr.args))
        slope = reduce(Sign.__and__, (p.slope for p in parts))
        bend = reduce(Sign.__and__, (p.bend for p in parts))
        if isinstance(expr, sp.Max):
            return "maximum", slope, Sign(nonnegative=bend.nonnegative), parts
        return "minimum", slope, Sign(nonpositive=bend.nonpositive), parts

    def _logarithm(self, arg: sp.Expr) -> RuleResult:
        sign = self.domain.sign
        if arg == self.variable and sign(arg).positive:
            return "logarithm", POSITIVE if self.power == 1 else NEGATIVE, NEGATIVE if self.power == 1 else POSITIVE, ()  # fmt: skip
        if arg.is_Mul and all(sign(factor).positive for factor in arg.args):
            return self._same("logarithm of a product", sp.Add(*map(sp.log, arg.args)))
        if arg.is_Pow and sign(arg.base).positive:
            return self._same("logarithm of a power", arg.exp * sp.log(arg.base))
        if isinstance(arg, sp.factorial):
            inner = self.node(arg.args[0])
            return self._chain("log gamma", self._gamma_slope(arg), POSITIVE, inner)
        if isinstance(arg, sp.binomial):
            return self._in_one_argument("log C(M, k)", arg, NEGATIVE)
        return self._chain("logarithm", POSITIVE, NEGATIVE, self.node(arg))

    def _chain_of(self, expr: sp.Expr) -> RuleResult | None:
        """The chain rule for the other functions of one argument: signs of phi' and phi''."""
        if isinstance(expr, sp.binomial):
            return self._in_one_argument("binomial coefficient", expr, UNKNOWN)
        if len(expr.args) != 1:
            return None
        inner = self.node(expr.args[0])
        if isinstance(expr, sp.exp):
            return self._chain("exponential", POSITIVE, POSITIVE, inner)
        if isinstance(expr, sp.factorial):
            return self._chain("gamma", self._gamma_slope(expr), POSITIVE, inner)
        if isinstance(expr, (sp.ceiling, sp.floor)):
            return self._chain("rounding", NONNEGATIVE, UNKNOWN, inner)
        if isinstance(expr, sp.Abs):
            return self._chain("absolute value", inner.sign, NONNEGATIVE, inner)
        if isinstance(expr, sp.erf):
            return self._chain("error function", POSITIVE, -inner.sign, inner)
        return None

    def _gamma_slope(self, factorial: sp.Expr) -> Sign:
        """Gamma(x + 1) falls up to x = 0.46 and rises from there."""
        return POSITIVE if self.domain.at_least_one(factorial) else UNKNOWN

    def _in_one_argument(self, rule: str, binomial: sp.Expr, bend: Sign) -> RuleResult:
        """C(M, k) rises with M, and its logarithm is concave in each of M and k."""
        whole, part = map(self.node, binomial.args)
        if whole.slope == part.slope == UNKNOWN or ZERO not in (whole.slope, part.slope):
            return rule, UNKNOWN, UNKNOWN, (whole, part)
        moving, slope = (whole, POSITIVE) if part.slope == ZERO else (part, UNKNOWN)
        return self._chain(rule, slope, bend, moving)

    def _chain(self, rule: str, first: Sign, second: Sign, inner: Node) -> RuleResult:
        return (
            rule,
            first * inner.slope,
            second * inner.slope.power(2) + first * inner.bend if inner.slope != ZERO else ZERO,
            (inner,),
        )

    def _same(self, rule: str, rewritten: sp.Expr) -> RuleResult:
        node = self.node(rewritten)
        return rule, node.slope, node.bend, (node,)

    # Rules that look at the whole

    def _derivatives(self, node: Node) -> Node:
        """With the signs of the derivatives that are still wanted, where there are derivatives."""
        expr, x = node.formula, self.variable
        functions = (e for e in sp.preorder_traversal(expr) if x in e.free_symbols and e != x)
        if node.decided or self.power != 1 or expr.count_ops() > LARGEST:
            return node
        if not all(isinstance(e, SMOOTH) for e in functions):
            return node
        first = sp.diff(expr, x)
        slope = UNKNOWN if node.slope.known else self._where_it_has_values(first)
        bend = UNKNOWN if node.bend.known else self._where_it_has_values(sp.diff(first, x))
        node = node.learn("sign of the derivative", slope, UNKNOWN)
        return node.learn("sign of the second derivative", UNKNOWN, bend)

    def _where_it_has_values(self, expr: sp.Expr) -> Sign:
        return self.domain.sign(expr) if self.domain.has_values(expr) else UNKNOWN

    def _bounded(self, node: Node) -> Node:
        if self.power != 1 or node.slope.known or not self.domain.is_unbounded(self.variable):
            return node
        if node.bend.nonpositive and node.sign.nonnegative:
            return node.learn("concave and bounded below", NONNEGATIVE, UNKNOWN)
        if node.bend.nonnegative and node.sign.nonpositive:
            return node.learn("convex and bounded above", -NONNEGATIVE, UNKNOWN)
        return node


def _sum(signs: Iterator[Sign]) -> Sign:
    return reduce(Sign.__add__, signs, ZERO)


Triple = tuple[Sign, Sign, Sign]


def _times(one: Triple, other: Triple) -> Triple:
    f, f1, f2 = one
    g, g1, g2 = other
    return f * g, f1 * g + f * g1, f2 * g + f1 * g1 + f * g2
