"""Shapes are proved, refuted or left open, and a proof holds for all real values of the domain."""

from __future__ import annotations

import itertools

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.relation import Relation
from theory.vocabulary import M, k
from verify.checks.base import Budget
from verify.checks.gap_rule import GapRule, recheck_relation
from verify.checks.shape import Shape
from verify.errors import InputError
from verify.recheck.rejected import Rejected
from verify.verdicts import Verdict, combine

x, y, p = sp.symbols("x y p", positive=True)
POSITIVE = (Relation(x, ">", 0),)
FROM_ONE = (Relation(x, ">=", 1),)
TWO = (Relation(x, ">", 0), Relation(y, ">", 0))


def judged(check):
    return combine(check.evidence(Budget()))


SHAPES = [
    (x * sp.log(x), "convex", FROM_ONE, "PROVED"),
    (x * sp.log(x), "increasing", FROM_ONE, "PROVED"),
    (x * sp.log(x), "increasing", POSITIVE, "REFUTED"),
    (x * sp.log(x), "convex", (Relation(x, ">=", 0),), "PROVED"),  # continuous at 0, its slope is not
    (x * sp.log(x), "concave", POSITIVE, "REFUTED"),
    (1 / x, "decreasing", POSITIVE, "PROVED"),
    (1 / x, "decreasing", (Relation(x, ">=", 0),), "INCONCLUSIVE"),  # it has no value at 0
    (sp.sqrt(x) + x**p, "increasing", (*POSITIVE, Relation(p, ">", 0)), "PROVED"),
    (x**p, "increasing", (*POSITIVE, Relation(p, ">", 0)), "PROVED"),
    (x ** (p / (1 + p)), "concave", (*POSITIVE, Relation(p, ">", 0)), "PROVED"),
    (x**p, "convex", (*POSITIVE, Relation(p, ">", 0)), "REFUTED"),
    (-sp.sqrt(x), "decreasing", POSITIVE, "PROVED"),
    (-sp.sqrt(x), "concave", POSITIVE, "REFUTED"),
    (sp.Min(x, y), "concave", TWO, "PROVED"),
    (sp.Min(x, y), "increasing", TWO, "PROVED"),
    (-sp.Min(x, y), "decreasing", TWO, "INCONCLUSIVE"),  # true: a bound that falls with the Min is not handled
    (sp.Max(x, y), "convex", TWO, "PROVED"),
    (sp.Max(x, y), "concave", TWO, "REFUTED"),
    (3 * x + y, "affine", TWO, "PROVED"),
    (x * y, "affine", TWO, "PROVED"),
    (x**2, "affine", POSITIVE, "REFUTED"),
    (sp.Min(x, y), "affine", TWO, "REFUTED"),
    ((x - 2) ** 2, "decreasing", FROM_ONE, "REFUTED"),
    (sp.sin(x) + 2 * x, "increasing", POSITIVE, "INCONCLUSIVE"),
]  # fmt: skip


@pytest.mark.parametrize(("bound", "shape", "domain", "expected"), SHAPES, ids=str)
def test_shapes_are_proved_refuted_or_left_open(bound, shape, domain, expected):
    found = judged(Shape(bound, x, shape, domain))
    assert found.verdict.name == expected, found.finding
    if found.verdict is Verdict.REFUTED:
        assert found.confirmed_by.startswith("mpmath")


def test_what_is_counted_moves_by_one():
    factorial = sp.log(sp.factorial(k))
    domain = (Relation(k, ">=", 1),)
    assert judged(Shape(factorial, k, "increasing", domain)).verdict is Verdict.PROVED
    assert judged(Shape(factorial, k, "convex", domain)).verdict is Verdict.PROVED
    assert judged(Shape(factorial, k, "concave", domain)).verdict is Verdict.REFUTED


def test_a_positive_symbol_has_no_domain_below_0():
    """x^2 rises for every positive x, and not from -1 on: the domain would say more than the symbol."""
    with pytest.raises(InputError, match="Shape: the symbol x is assumed positive, and x > -1; declare it"):
        Shape(x**2, x, "increasing", (Relation(x, ">", -1),))
    with pytest.raises(InputError, match="the symbol u is assumed negative, and u >= 0"):
        Shape(
            sp.Symbol("u", negative=True) ** 2,
            sp.Symbol("u", negative=True),
            "increasing",
            (Relation(sp.Symbol("u", negative=True), ">=", 0),),
        )
    real = sp.Symbol("r", real=True)
    assert judged(Shape(real**2, real, "increasing", (Relation(real, ">=", -1),))).verdict is Verdict.REFUTED
    assert judged(Shape(real**2, real, "increasing", (Relation(real, ">=", 0),))).verdict is Verdict.PROVED


N_INTEGER = sp.Symbol("n", positive=True, integer=True)
FREE_REAL = sp.Symbol("w", real=True)


@pytest.mark.parametrize(
    ("bound", "symbol", "shape", "domain"),
    [
        ((N_INTEGER - sp.Rational(3, 4)) ** 2, N_INTEGER, "increasing", (Relation(N_INTEGER, ">=", 0),)),
        ((N_INTEGER - sp.Rational(9, 10)) ** 2, N_INTEGER, "increasing", (Relation(N_INTEGER, ">", 0),)),
        (x * (N_INTEGER - sp.Rational(9, 10)), x, "increasing", (Relation(N_INTEGER, ">=", 0), Relation(x, ">=", 0))),
    ],
    ids=str,
)  # fmt: skip
def test_what_sympy_knows_of_integers_and_positive_symbols_proves_no_shape_beyond_them(
    bound, symbol, shape, domain
):
    """Between integers a shape is about real values."""
    assert not judged(Shape(bound, symbol, shape, domain)).verdict.holds


@pytest.mark.parametrize(
    ("bound", "shape", "domain"),
    [
        (x**2, "increasing", (Relation(FREE_REAL, ">", -5), Relation(x, ">", FREE_REAL))),
        (x**2, "increasing", (Relation(k, ">", 1), Relation(x, ">", k - 2))),
        (x**2 + x**3, "convex", (Relation(k, ">=", 1), Relation(x, ">", k - 2))),
    ],
    ids=str,
)
def test_a_bound_that_may_be_negative_is_none_of_a_positive_symbol(bound, shape, domain):
    with pytest.raises(InputError, match=r"the symbol x is assumed positive, and x > (w|k - 2); declare it"):
        Shape(bound, x, shape, domain)


def test_a_symbol_moves_only_within_the_domain():
    """k log(M/k) falls beyond k = M/e: at M >= k both directions are false, at M >= 3 k it rises."""
    bound = k * sp.log(M / k)
    near = (Relation(k, ">=", 1), Relation(M, ">=", k))
    far = (Relation(k, ">=", 1), Relation(M, ">=", 3 * k))
    assert judged(Shape(bound, k, "increasing", near)).verdict is Verdict.REFUTED
    assert judged(Shape(bound, k, "decreasing", near)).verdict is Verdict.REFUTED
    assert judged(Shape(bound, k, "increasing", far)).verdict is Verdict.PROVED


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=2, max_size=4), st.sampled_from(["increasing", "convex"]))
def test_what_is_proved_of_a_polynomial_is_seen_in_its_values(coefficients, shape):
    f = sp.Poly(coefficients, x).as_expr() + x * 0
    if x not in f.free_symbols or judged(Shape(f, x, shape, FROM_ONE)).verdict is not Verdict.PROVED:
        return
    values = [f.subs(x, 1 + sp.Rational(i, 3)) for i in range(12)]
    steps = [b - a for a, b in itertools.pairwise(values)]
    seen = steps if shape == "increasing" else [b - a for a, b in itertools.pairwise(steps)]
    assert all(step >= 0 for step in seen)


def test_an_open_end_needs_no_value_and_its_certificate_says_so():
    relation = Relation(-1 / x, "<=", 0)
    check = GapRule(relation, POSITIVE)
    found = judged(check)
    assert found.verdict is Verdict.PROVED
    certificate = found.details["certificate"]
    recheck_relation(relation, POSITIVE, certificate)
    closed = {**certificate, "domain": [["x", ">=", "0"]]}
    for domain, bad in (
        ((Relation(x, ">=", 0),), certificate),
        ((Relation(x, ">=", 0),), closed),
        (POSITIVE, closed),
        (POSITIVE, {**certificate, "domain": [["y", ">", "0"]]}),
    ):
        with pytest.raises(Rejected):
            recheck_relation(relation, domain, bad)
    with pytest.raises(InputError, match="bounded by >="):
        GapRule(Relation(k, ">=", 0), (Relation(k, ">", 0),), on=k)
