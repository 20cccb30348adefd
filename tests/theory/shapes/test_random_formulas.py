"""Formulas made at random from the atoms of the rules: nothing that is inferred is contradicted by a value."""

from __future__ import annotations

import pytest
import sympy as sp
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample
from shape_sampling import contradictions

from theory.relation import Relation
from theory.shapes import infer, rules, signs
from theory.shapes.signs import NONNEGATIVE, NONPOSITIVE, POSITIVE, UNKNOWN, ZERO, Sign

x, y, p = sp.symbols("x y p", positive=True)
w = sp.Symbol("w", real=True)
DOMAINS = (
    (),
    (Relation(x, ">=", 1), Relation(y, ">=", x)),
    (Relation(x, ">=", 0), Relation(p, "<", 1)),
    (Relation(y, ">=", 2), Relation(w, ">", -1), Relation(x, ">=", y + 1)),
    (Relation(y, ">=", 1 / x), Relation(w, "<", 0)),
)
EXPONENTS = st.sampled_from(
    [-2, -1, sp.Rational(-1, 2), sp.Rational(1, 2), sp.Rational(3, 2), 2, 3, p, -p, p + 1]
)
NUMBERS = st.sampled_from([-2, -1, sp.Rational(-1, 2), sp.Rational(1, 3), 1, 2, 5])


def _may_be_positive(a: sp.Expr) -> bool:
    return not a.is_number or bool(a.is_positive)


def _larger(smaller: st.SearchStrategy) -> st.SearchStrategy:
    pairs = st.tuples(smaller, smaller)
    return st.one_of(
        pairs.map(lambda ab: ab[0] + ab[1]),
        pairs.map(lambda ab: ab[0] * ab[1]),
        pairs.map(lambda ab: ab[0] - ab[1]),
        pairs.map(lambda ab: ab[0] / ab[1] if ab[1] != 0 else ab[0]),
        pairs.map(lambda ab: sp.Max(*ab)),
        pairs.map(lambda ab: sp.Min(*ab)),
        st.tuples(smaller, EXPONENTS).map(lambda ab: ab[0] ** ab[1] if _may_be_positive(ab[0]) else ab[0]),
        smaller.map(lambda a: sp.log(a) if _may_be_positive(a) else a),
        smaller.map(lambda a: a * sp.log(a) if _may_be_positive(a) else a),
        smaller.map(lambda a: -a * sp.log(a) if _may_be_positive(a) else a),
        smaller.map(lambda a: sp.exp(-a)),
        smaller.map(lambda a: 1 / (a - 2) if a != 2 else a),
        smaller.map(sp.erf),
        smaller.map(sp.ceiling),
    )


LEAVES = st.one_of(st.sampled_from([x, y, p, w]), NUMBERS.map(sp.sympify))


def cases(leaves: int) -> st.SearchStrategy:
    """A formula of so many symbols and numbers, a domain, and the seed of its points."""
    formulas = st.recursive(LEAVES, _larger, max_leaves=leaves)
    return st.tuples(formulas, st.sampled_from(DOMAINS), st.integers(0, 10**6))


def contradicted(case) -> list[str]:
    formula, domain, seed = case
    if formula.has(sp.I, sp.zoo, sp.nan, sp.oo):
        return []
    found = []
    for shape in infer.infer_shapes(formula, domain).values():
        if shape.direction != "unknown" or shape.curvature != "unknown" or shape.node.sign.known:
            found += [f"{shape!r}: {wrong}" for wrong in contradictions(shape, domain, seed)]
    return found


@settings(max_examples=300)
@given(cases(leaves=4))
def test_no_value_contradicts_what_is_inferred(case):
    assert contradicted(case) == []


def _without_the_cross_term(one, other):
    (f, f1, f2), (g, g1, g2) = one, other
    return f * g, f1 * g + f * g1, f2 * g + f * g2


def _bends_by_the_slope_alone(self, rule, first, second, inner):
    return rule, first * inner.slope, first * inner.bend, (inner,)


def _minimum_as_maximum(self, expr):
    parts = tuple(map(self.node, expr.args))
    slope = sum((part.slope for part in parts), ZERO)
    return "minimum", slope, NONNEGATIVE, parts


WRONG = {
    "product without f' g'": (rules, "_times", _without_the_cross_term),
    "chain without phi''": (rules.Rules, "_chain", _bends_by_the_slope_alone),
    "minimum bends like a maximum": (rules.Rules, "_choice", _minimum_as_maximum),
    "powers rise": (rules.Rules, "_monomial", lambda self, exponent: ("power", POSITIVE, UNKNOWN, ())),
    "powers are convex": (rules.Rules, "_chain_power", lambda self, inner, exponent: self._chain("power", UNKNOWN, POSITIVE, inner)),
    "logarithms are convex": (rules.Rules, "_logarithm", lambda self, arg: self._chain("logarithm", POSITIVE, POSITIVE, self.node(arg))),
    "x log x rises": (rules.Rules, "_y_log_y", lambda self, expr: iter([("x log x", POSITIVE, UNKNOWN, ())] if expr.has(sp.log) else [])),
    "concave is enough to rise": (rules.Rules, "_bounded", lambda self, node: node.learn("concave", NONNEGATIVE if node.bend.nonpositive and not node.slope.known else UNKNOWN, UNKNOWN)),
    "the perspective in x itself": (rules.Rules, "_inverted", lambda self: self),
    "a sum has a summand's sign": (signs.Sign, "__add__", lambda one, other: one),
    "a product of unknown signs is positive": (signs.Sign, "__mul__", lambda one, other: POSITIVE),
    "an odd power is nonnegative": (signs.Sign, "power", lambda sign, exponent: POSITIVE),
    "logarithms are nonnegative": (signs.Domain, "_of_logarithms", lambda self, total: Sign(nonnegative=True)),
    "everything has a value": (signs.Domain, "has_values", lambda self, expr: True),
    "every variable is unbounded": (signs.Domain, "is_unbounded", lambda self, variable: True),
    "coefficients are positive": (signs.Domain, "_of_polynomial", lambda self, expr: POSITIVE),
    "coefficients are negative": (signs.Domain, "_of_polynomial", lambda self, expr: NONPOSITIVE),
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_rule_is_caught(wrong, monkeypatch):
    where, name, instead = WRONG[wrong]
    monkeypatch.setattr(where, name, instead)
    monkeypatch.setattr(infer, "_infer", infer._infer.__wrapped__)
    monkeypatch.setattr(infer, "_domain", infer._domain.__wrapped__)
    once = settings(max_examples=2000, derandomize=True, database=None, phases=[Phase.generate])
    try:
        find(cases(leaves=2), lambda case: bool(contradicted(case)), settings=once)
    except NoSuchExample:
        pytest.fail(f"no random formula shows that this rule is wrong: {wrong}")
