"""Inequalities whose sides have no value somewhere, and inputs beyond a checker: never PROVED, never ERROR."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

from theory.relation import Relation
from verify.checks.ball_inequality import BallInequality
from verify.checks.base import Budget
from verify.checks.falsifier import Falsifier
from verify.checks.gap_rule import GapRule
from verify.checks.integer_range import IntegerRange
from verify.checks.polynomial import PolynomialInequality
from verify.checks.shape import Shape
from verify.errors import InputError
from verify.recheck.certificates import reread
from verify.recheck.rejected import Rejected
from verify.recheck.texts import Unreadable
from verify.verdicts import Verdict, combine

u, v = sp.symbols("u v", real=True)
x = sp.Symbol("x", positive=True)
i, m = sp.symbols("i m", integer=True)
FROM_ZERO, ABOVE_ZERO = (Relation(u, ">=", 0),), (Relation(u, ">", 0),)
HALF_LINE = (Relation(x, ">=", 0),)
HALF = sp.Rational(1, 2)


def judged(check):
    return combine(check.evidence(Budget()))


OPEN = [
    (PolynomialInequality(Relation(0, "<=", 1 / (u - 1) ** 2), FROM_ZERO), "u - 1, which is divided by"),
    (PolynomialInequality(Relation(u, "<=", u + 1 / (u - 1) ** 2), FROM_ZERO), "u - 1, which is divided by"),
    (PolynomialInequality(Relation(1, "<=", (u**2 + u) / u), FROM_ZERO), "u, which is divided by"),
    (PolynomialInequality(Relation(0, "<=", 1 / u), FROM_ZERO), "u, which is divided by"),
    (GapRule(Relation(0, "<=", 1 / u), FROM_ZERO), "u, which is divided by"),
    (GapRule(Relation(0, "<=", sp.log(1 + 1 / (x - 1) ** 2)), HALF_LINE), "no proof"),
    (GapRule(Relation(0, "<=", sp.log(1 + x) / x), HALF_LINE), "x, which is divided by"),
    (GapRule(Relation(1 / m, "<=", 1), (Relation(m, ">=", HALF),), on=m), "no proof"),
    (Shape((x**2 - 1) / (x - 1), x, "affine", HALF_LINE), "no proof"),
    (Shape((x**2 - 1) / (x - 1), x, "increasing", HALF_LINE), "no proof"),
    (IntegerRange(Relation(0, "<=", (i - 2) * sp.log(i - 3)), ((i, 2, 2),)), "undecided at i = 2"),
    (IntegerRange(Relation(0, "<=", sp.floor(i / 2)), ((i, 1, 3),)), "no second checker confirms it"),
    (IntegerRange(Relation(-1, "<=", sp.sin(i)), ((i, 1, 3),)), "cannot evaluate sin"),
    (
        BallInequality(Relation(sp.erf(x), "<=", 2), ((x, Fraction(0), Fraction(1)),)),
        "no second checker confirms it",
    ),
    (
        BallInequality(Relation(sp.floor(x), "<=", 2), ((x, Fraction(0), Fraction(1)),)),
        "cannot evaluate Derivative",
    ),
    (Falsifier(Relation(sp.sin(x), "<=", 2), ((x, Fraction(0), Fraction(1)),)), "nothing was searched"),
    (IntegerRange(Relation(0, "<=", sp.sqrt(i)), ((i, 1, 3),)), "no second checker"),
    (BallInequality(Relation(0, "<=", 1 / (x - 1) ** 2), ((x, Fraction(0), Fraction(2)),)), "not decided"),
]
PROVED = [
    PolynomialInequality(Relation(1, "<=", (u**2 + u) / u), ABOVE_ZERO),
    PolynomialInequality(Relation(0, "<=", 1 / (u**2 - u + 1)), FROM_ZERO),
    PolynomialInequality(
        Relation(2 * u * v, "<=", u**2 + v**2), (Relation(u, ">=", -5), Relation(v, ">=", -7))
    ),
    GapRule(Relation(x * sp.log(1 + 1 / x), "<=", 1), HALF_LINE),  # a log is read by its factors
    IntegerRange(Relation(0, "<=", i**2), ((i, -3, 3),)),
    IntegerRange(Relation(0, "<=", (i - 2) * sp.log(i - 2)), ((i, 2, 4),)),
    IntegerRange(Relation(1, "<=", i), ((i, HALF, sp.Rational(7, 2)),)),
    Shape(x / (x + 1), x, "increasing", HALF_LINE),
    Shape(2 * x / (u + 1), x, "affine", (*FROM_ZERO, *HALF_LINE)),
]


@pytest.mark.parametrize(("check", "why"), OPEN, ids=str)
def test_what_is_beyond_a_checker_is_left_open_with_the_reason(check, why):
    found = judged(check)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert why in found.finding


@pytest.mark.parametrize("check", PROVED, ids=str)
def test_what_has_values_on_the_whole_domain_is_proved(check):
    found = judged(check)
    assert found.verdict is Verdict.PROVED, found.finding
    if not isinstance(check, Shape):
        reread(found.details["certificate"])


def test_a_certificate_cannot_hide_a_pole():
    node = {"claim": "1/t_u", "times": "1", "rule": "coefficients"}
    with pytest.raises(Unreadable, match="divided by"):
        reread(gap_certificate("1/u", node))
    with pytest.raises(Rejected, match="may be unbounded"):
        reread(gap_certificate("log(1 + 1/u)", node))


def gap_certificate(bound, node):
    stated = {"relation": ["0", "<=", bound], "domain": [["u", ">=", "0"]], "integers": []}
    return {"kind": "gap rule", **stated, "given": [], "proof": {"gap": node}}


def test_an_integer_starts_at_the_integer_next_to_its_bound():
    for op, first in ((">=", HALF), (">", HALF), (">", 0)):
        domain = (Relation(m, op, first),)
        assert judged(GapRule(Relation(1 / m, "<=", 1), domain)).verdict is not Verdict.REFUTED
        assert judged(GapRule(Relation(m, ">=", 2), domain)).witness["m"] == "1"


def test_a_positive_symbol_stands_for_no_negative_value():
    y = sp.Symbol("y", positive=True)
    domain = (*HALF_LINE, Relation(y, ">=", x - 5))
    with pytest.raises(InputError, match="the symbol y is assumed positive, and y >= x - 5"):
        GapRule(Relation(sp.sqrt(y**2), ">=", -1), domain)


@pytest.mark.parametrize("name", ["lambda", "2^h", "a b", ""])
def test_a_symbol_that_no_certificate_can_name_is_refused(name):
    s, count = sp.Symbol(name, positive=True), sp.Symbol(name, integer=True)
    above, side = (Relation(s, ">", 0),), ((s, Fraction(1), Fraction(2)),)
    for make in (
        lambda: GapRule(Relation(0, "<=", s), above),
        lambda: PolynomialInequality(Relation(0, "<=", s), above),
        lambda: IntegerRange(Relation(0, "<=", count), ((count, 1, 3),)),
        lambda: BallInequality(Relation(0, "<=", s), side),
        lambda: Falsifier(Relation(0, "<=", s), side),
        lambda: Shape(s**2, s, "increasing", above),
    ):
        with pytest.raises(InputError, match="no name that a certificate can hold"):
            make()


@pytest.mark.parametrize("end", [sp.oo, sp.nan, sp.I])
def test_a_range_has_finite_ends(end):
    with pytest.raises(InputError, match="expected a finite one"):
        IntegerRange(Relation(0, "<=", i), ((i, 1, end),))


@pytest.mark.parametrize("name", ["inner", "step_x", "next_x", "s", "t"])
def test_a_shape_keeps_its_own_symbols_apart_from_those_of_the_bound(name):
    other = sp.Symbol(name, positive=True)
    domain = (Relation(x, ">", 0), Relation(other, ">", 0))
    chosen = Shape(other * sp.Min(x, x**2), x, "increasing", domain)
    assert judged(chosen).verdict is Verdict.PROVED
    curved = Shape(x**3 / (other + x), x, "convex", domain)
    assert judged(curved).verdict is Verdict.PROVED
    [claimed] = curved.claimed()
    assert len(claimed.lhs.free_symbols) == 4
