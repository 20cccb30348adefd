"""In one variable every inequality that holds has a proof by squares and Sturm's theorem, and no false one has."""

from __future__ import annotations

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.relation import Relation
from verify.checks.stated import stated
from verify.recheck.rejected import Rejected
from verify.recheck.squares import KIND, reread
from verify.search.squares import prove_by_squares

x = sp.Symbol("x", positive=True)
DOMAIN = (Relation(x, ">=", sp.Rational(1, 2)),)
rationals = st.fractions(-3, 3, max_denominator=6).map(lambda q: sp.Rational(q.numerator, q.denominator))
above = st.fractions("2/3", 4, max_denominator=6).map(lambda q: sp.Rational(q.numerator, q.denominator))


def certificate_of(relation, domain, proof):
    return {"kind": KIND, **stated(relation, domain), **proof}


@st.composite
def nonnegative(draw) -> sp.Expr:
    """A product of squares, of quadratics without real roots, and of lines with a root at most at the bound."""
    squares = [(x - a) ** 2 for a in draw(st.lists(rationals, max_size=2))]
    quadratics = [
        (x - a) ** 2 + b**2 + sp.Rational(1, 9)
        for a, b in draw(st.lists(st.tuples(rationals, rationals), max_size=2))
    ]
    lines = [x - sp.Rational(1, 2) + abs(a) for a in draw(st.lists(rationals, max_size=2))]
    return sp.Mul(*squares, *quadratics, *lines, x)


@settings(max_examples=40)
@given(nonnegative())
def test_what_holds_is_proved_and_the_certificate_accepted(product):
    relation = Relation(sp.expand(product), ">=", 0)
    proof = prove_by_squares(relation, DOMAIN)
    assert proof is not None
    reread(certificate_of(relation, DOMAIN, proof))


@settings(max_examples=40)
@given(nonnegative(), above)
def test_a_change_of_sign_above_the_bound_has_no_proof(product, root):
    assert prove_by_squares(Relation(sp.expand(product * (x - root)), ">=", 0), DOMAIN) is None
    assert prove_by_squares(Relation(sp.expand(product * (root - x)), ">=", 0), DOMAIN) is None


@pytest.mark.parametrize(
    ("rest", "why"),
    [
        (["2", "-3", "1"], "root above 0"),
        (["-1", "0", "1"], "not positive"),
        (["0", "-1", "1"], "not positive"),
    ],
)
def test_a_rest_with_a_root_is_rejected(rest, why):
    polynomial = sum((sp.Rational(c) * x**i for i, c in enumerate(rest)), sp.Integer(0))
    terms = [[[i, 0], c] for i, c in enumerate(rest) if c != "0"]
    proof = {"square": [[[0, 0], "1"]], "rest": terms}
    with pytest.raises(Rejected, match=why):
        reread(certificate_of(Relation(polynomial, ">=", 0), (Relation(x, ">=", 0),), proof))
