"""Checks of inequalities on ranges and boxes: what each proves, refutes and leaves open."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

from theory.relation import Relation
from theory.results.routing import entropy, k_log
from theory.vocabulary import M, k
from verify.checks.ball_inequality import BallInequality
from verify.checks.base import Budget
from verify.checks.falsifier import Falsifier
from verify.checks.integer_range import IntegerRange
from verify.checks.polynomial import PolynomialInequality
from verify.errors import InputError
from verify.recheck.boxes import count_boxes
from verify.recheck.rejected import Rejected
from verify.verdicts import Grade, Verdict, combine

x, y = sp.symbols("x y", positive=True)
log_choose = sp.log(sp.binomial(M, k))
SMALL = ((M, 1, 24), (k, 1, M))
BELOW = ((M, 2, 24), (k, 1, M - 1))
UNIT = ((x, Fraction(1), Fraction(4)),)
SQUARE = ((x, Fraction(1), Fraction(3)), (y, Fraction(1), Fraction(3)))
FREE = (Relation(x, ">=", 0),)
TWO_ZEROS = Relation((x - 1) ** 2 * (x - 2) ** 2, ">=", 0)
TWO_LINES = Relation((x - y) ** 2 * (x - 2 * y) ** 2, ">=", 0)
UNSQUARED = Relation((x - y) ** 2 * (x - 2 * y) ** 2 + (x - 1) ** 2 * (y - 1) ** 2, ">=", 0)
PLANE = (Relation(x, ">=", 0), Relation(y, ">=", 0))


def judged(check, budget=None):
    return combine(check.evidence(budget or Budget()))


TABLE = [
    (IntegerRange(Relation(log_choose, "<=", k_log), SMALL), "PROVED"),
    (IntegerRange(Relation(log_choose, "<=", entropy), BELOW), "PROVED"),
    (IntegerRange(Relation(k * sp.log(M / k), "<=", log_choose), SMALL), "PROVED"),  # equality at k = 1
    (
        IntegerRange(Relation(log_choose, "<=", sp.log(M / (2 * sp.pi * k * (M - k))) / 2 + entropy), BELOW),
        "PROVED",
    ),
    (IntegerRange(Relation(log_choose, "<=", k_log - sp.Rational(1001, 1000)), SMALL), "REFUTED"),
    (IntegerRange(Relation(log_choose, "<=", k * sp.log(M / k)), SMALL), "REFUTED"),
    (IntegerRange(Relation(sp.log(4) * k, "<=", 2 * k * sp.log(2)), ((k, 1, 30),)), "PROVED"),
    (IntegerRange(Relation(k, "<=", M), ((M, 1, 10**6), (k, 1, M))), "INCONCLUSIVE"),
    (IntegerRange(Relation(k, "<=", 5), ((k, 3, 2),)), "NOT_TESTABLE"),
    (BallInequality(Relation(sp.log(x), "<=", x - sp.Rational(1, 2)), UNIT), "PROVED"),
    (BallInequality(Relation(sp.loggamma(x) + 1, ">=", x / 10), UNIT), "PROVED"),
    (BallInequality(Relation(x * y, "<=", x**2 + y**2), SQUARE), "PROVED"),
    (BallInequality(Relation(sp.log(x), "<=", x - sp.Rational(11, 10)), UNIT), "REFUTED"),
    (BallInequality(Relation(2 * x * y, "<=", x**2 + y**2), SQUARE), "INCONCLUSIVE"),  # touches along x = y
    (BallInequality(Relation(sp.zeta(x + 1), ">=", 1), UNIT), "INCONCLUSIVE"),
    (Falsifier(Relation((x - 2) ** 2, ">=", sp.Rational(1, 10**8)), UNIT), "REFUTED"),
    (
        Falsifier(Relation((x**2 - 2) ** 2, ">=", sp.Rational(1, 10**12)), UNIT),
        "REFUTED",
    ),  # only a descent finds it
    (Falsifier(Relation((x - 2) ** 2, ">=", 0), UNIT), "INCONCLUSIVE"),
    (PolynomialInequality(Relation(x * y, "<=", (x + y) ** 2), PLANE), "PROVED"),
    (PolynomialInequality(Relation(2 * x * y, "<=", x**2 + y**2), PLANE), "PROVED"),
    (PolynomialInequality(Relation(2, "<=", x + 1 / x), (Relation(x, ">", 0),)), "PROVED"),
    (PolynomialInequality(Relation(x**3, "<=", x**2 + 10**6), FREE), "REFUTED"),
    (PolynomialInequality(Relation(3 * x * y, "<=", x**2 + y**2), PLANE), "REFUTED"),
]


@pytest.mark.parametrize(("check", "expected"), TABLE, ids=lambda v: str(getattr(v, "relation", v)))
def test_each_check_proves_refutes_or_leaves_open(check, expected):
    found = judged(check)
    assert found.verdict.name == expected, found.finding
    if found.verdict is Verdict.REFUTED:
        assert found.confirmed_by.startswith("mpmath")
        assert found.witness


def test_grades_say_how_it_was_proved():
    assert judged(TABLE[0][0]).grade is Grade.BALL
    assert "only there" in judged(TABLE[0][0]).finding
    assert judged(PolynomialInequality(Relation(x * y, "<=", (x + y) ** 2), PLANE)).grade is Grade.EXACT
    assert judged(PolynomialInequality(Relation(2 * x * y, "<=", x**2 + y**2), PLANE)).grade is Grade.EXACT
    assert judged(PolynomialInequality(TWO_ZEROS, FREE)).grade is Grade.EXACT
    assert judged(PolynomialInequality(TWO_LINES, PLANE)).verdict is Verdict.PROVED
    by_solver = judged(PolynomialInequality(UNSQUARED, PLANE))
    assert (by_solver.verdict, by_solver.grade) == (Verdict.INCONCLUSIVE, Grade.SMT)
    assert "not called a proof" in by_solver.finding


def test_a_true_inequality_is_never_falsified_by_rounding():
    """0.1 + 0.2 <= 0.3 fails in floats: points are exact, so the search does not see that."""
    tight = Relation(x / 10 + x / 5, "<=", sp.Rational(3, 10) * x)
    assert judged(Falsifier(tight, UNIT)).verdict is Verdict.INCONCLUSIVE


def test_a_counterexample_is_a_simple_point():
    n = sp.Symbol("n", integer=True, positive=True)
    smallest = judged(Falsifier(Relation(2**n, "<=", n**4), ((n, Fraction(2), Fraction(60)),)))
    assert smallest.witness["n"] == "17"
    found = judged(
        Falsifier(
            Relation(x * y, "<=", sp.Rational(3, 4)), tuple((s, Fraction(0), Fraction(1)) for s in (x, y))
        )
    )
    assert all(Fraction(found.witness[name]).denominator <= 60 for name in "xy")


def test_a_search_over_integers_stays_among_them():
    n = sp.Symbol("n", integer=True)
    side = (n, Fraction(1, 2), Fraction(7, 2))
    assert judged(Falsifier(Relation((n - 1) * (n - 2), ">=", 0), (side,))).verdict is Verdict.INCONCLUSIVE
    assert judged(Falsifier(Relation(n, "<=", 2), (side,))).witness["n"] == "3"
    with pytest.raises(InputError, match="1/3 to 2/3, holds no integer"):
        Falsifier(Relation(n, "<=", 2), ((n, Fraction(1, 3), Fraction(2, 3)),))


def test_a_budget_that_is_too_small_is_inconclusive():
    for check in (TABLE[0][0], BallInequality(Relation(x * y, "<=", x**2 + y**2), SQUARE)):
        assert judged(check, Budget(boxes=0)).verdict is Verdict.INCONCLUSIVE


def test_the_solver_is_an_optional_input(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "z3", None)
    found = judged(PolynomialInequality(UNSQUARED, PLANE))
    assert (found.verdict, found.missing) == (Verdict.NOT_TESTABLE, "z3-solver")


def test_a_tree_of_boxes_cannot_be_altered():
    check = BallInequality(Relation(sp.sqrt(x) * y / 3, "<=", x**2 + y**2 - x * y), SQUARE)
    found = judged(check)
    certificate = found.details["certificate"]
    tree, (lhs, op, rhs) = certificate["tree"], certificate["relation"]
    assert count_boxes(certificate) == found.details["boxes"] > 1
    for bad in (*_cut(tree), [*tree, "."], [5, *tree[1:]], [True, *tree[1:]], None, "", tree[:2]):
        with pytest.raises(Rejected):
            count_boxes({**certificate, "tree": bad})
    for relation in ([lhs, op, f"{rhs} - 1"], [lhs, ">=", rhs], [lhs, "==", rhs]):
        with pytest.raises(Rejected):
            count_boxes({**certificate, "relation": relation})


def _cut(tree):
    """The tree with one node above two leaves, wherever it is, made a leaf: too coarse to decide."""
    if tree == ".":
        return
    axis, low, high = tree
    if low == high == ".":
        yield "."
    yield from ([axis, other, high] for other in _cut(low))
    yield from ([axis, low, other] for other in _cut(high))


def test_boxes_and_ranges_are_checked_before_work_starts():
    with pytest.raises(InputError, match="write Fractions"):
        BallInequality(Relation(x, "<=", 2), ((x, 0.1, 1),))
    with pytest.raises(InputError, match="one side"):
        Falsifier(Relation(x, "<=", y), UNIT)
    with pytest.raises(InputError, match="earlier symbols"):
        IntegerRange(Relation(k, "<=", M), ((k, 1, M), (M, 1, 4)))
    with pytest.raises(InputError, match="no range for M"):
        IntegerRange(Relation(k, "<=", M), ((k, 1, 3),))
    with pytest.raises(InputError, match="rational"):
        PolynomialInequality(Relation(sp.log(x), "<=", x), FREE)
