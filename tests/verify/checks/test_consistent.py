"""Relations between printed numbers: refuted only where no unrounded values satisfy them."""

from __future__ import annotations

import pytest
import sympy as sp
from judged import table, verdict

from theory.relation import Relation, eq
from verify.checks.base import Budget
from verify.checks.consistent import Consistent
from verify.checks.printed_table import PrintedTable
from verify.errors import InputError
from verify.judging.runner import evaluate
from verify.printed.numerals import Rounding
from verify.printed.tables import quoted
from verify.search.second_opinion import sign
from verify.verdicts import Grade, Verdict, combine

a, b, x, y = sp.symbols("a b x y", positive=True)


def test_a_relation_is_refuted_only_if_no_unrounded_values_satisfy_it():
    places = {a: quoted("0.5", "here"), b: quoted("0.54", "there")}
    assert verdict(Consistent(places, [eq(a, b)])).verdict is Verdict.SUPPORTED
    apart = {**places, b: quoted("0.56", "there")}
    found = verdict(Consistent(apart, [eq(a, b)], modes=(Rounding.HALF_UP,)))
    assert found.verdict is Verdict.REFUTED
    assert "here" in found.finding
    assert "there" in found.finding


@pytest.mark.parametrize(
    ("op", "left", "right", "holds"),
    [
        ("<", "1.0", "1.1", True), ("<", "1.1", "1.0", False), ("<=", "1.0", "1.0", True),
        (">", "1.0", "2.0", False), (">=", "2.0", "1.0", True), ("!=", "1.0", "1.0", False),
        ("!=", "1.0", "1.1", True), ("==", "1.0", "1.00", True), ("<", "1.0", "1.0", False),
    ],
)  # fmt: skip
def test_relations_between_exact_counts(op, left, right, holds):
    places = {a: quoted(left, "left", exact=True), b: quoted(right, "right", exact=True)}
    expected = Verdict.SUPPORTED if holds else Verdict.REFUTED
    assert verdict(Consistent(places, [Relation(a, op, b)])).verdict is expected


@pytest.mark.parametrize("digits", [20, 40, 80, 300])
def test_counts_that_differ_in_their_last_digit_only_are_told_apart(digits):
    one, other = f"1{'0' * digits}", f"1{'0' * (digits - 1)}1"
    places = {a: quoted(one, "left", exact=True), b: quoted(other, "right", exact=True)}
    assert verdict(Consistent(places, [eq(a, b)])).verdict is Verdict.REFUTED
    assert verdict(Consistent(places, [eq(a + 1, b)])).verdict is Verdict.SUPPORTED


@pytest.mark.parametrize(
    ("side", "expected"),
    [
        (sp.erf(x), Verdict.REFUTED),  # at most 1
        (sp.log(x), Verdict.REFUTED),
        (sp.factorial(x), Verdict.INCONCLUSIVE),
        (2**x, Verdict.INCONCLUSIVE),
        (x**x, Verdict.INCONCLUSIVE),
        (sp.exp(-x), Verdict.REFUTED),
        (1 / sp.gamma(x), Verdict.INCONCLUSIVE),
    ],
)
@pytest.mark.parametrize("exact", [True, False])
def test_what_nobody_could_write_out_is_left_undecided_at_once(side, expected, exact):
    places = {x: quoted("1e400", "left", exact=exact), b: quoted("2e400", "right", exact=exact)}
    assert verdict(Consistent(places, [eq(side, b)])).verdict is expected


def test_a_refuted_relation_names_the_printed_numbers_in_it():
    places = {a: quoted("0.5", "Table 1"), b: quoted("0.7", "Table 2")}
    found = verdict(Consistent(places, [eq(a, b)], modes=[Rounding.HALF_UP])).finding
    assert found.startswith(
        "the relation cannot hold for any values that print as given: a = b fails: [0.45, 0.55)"
    )
    assert found.endswith("with a = 0.5 (Table 1), b = 0.7 (Table 2)")
    assert (
        "and no printed number stands in it: 1 > 2"
        in verdict(Consistent({}, [Relation(sp.Integer(1), ">", sp.Integer(2))])).finding
    )


def test_a_relation_without_a_place_is_refused():
    with pytest.raises(InputError, match="no place for b"):
        Consistent({a: quoted("1", "x")}, [eq(a, b)])


def test_equal_irrational_expressions_are_not_told_apart():
    four = {x: quoted("4", "here", exact=True)}
    assert (
        verdict(Consistent(four, [Relation(sp.sqrt(x), "!=", sp.Integer(2))])).verdict
        is not Verdict.SUPPORTED
    )
    assert verdict(Consistent(four, [Relation(sp.sqrt(x), "!=", sp.Integer(3))])).verdict is Verdict.SUPPORTED


def test_a_variable_without_influence_does_not_open_a_range():
    places = {x: quoted("1.5", "x"), y: quoted("5", "y", exact=True)}
    for op in ("==", ">=", "<="):
        assert (
            verdict(Consistent(places, [Relation((y - 5) * x, op, sp.Integer(0))])).verdict
            is Verdict.SUPPORTED
        )


def test_a_relation_that_reads_no_place_is_refused():
    for nothing in (eq(1, 1), Relation(x - x, "==", sp.Integer(0))):
        with pytest.raises(InputError, match="reads none of the places"):
            Consistent({x: quoted("3", "x")}, [nothing])


def test_small_numbers_are_told_apart_by_the_second_evaluator():
    tiny = {x: quoted("1e-40", "x", exact=True), y: quoted("2e-40", "y", exact=True)}
    assert verdict(Consistent(tiny, [Relation(x, "==", y)])).verdict is Verdict.REFUTED
    assert sign(sp.Float("1e-40"), sp.Float("1e-40")) == 1
    assert sign(sp.Float("1e-12"), sp.Float("1e30")) == 0


def test_what_balls_decided_is_graded_so():
    places = {x: quoted("2.0", "x"), y: quoted("0.69", "y")}
    by_balls = combine(Consistent(places, [Relation(sp.log(x), "==", y)]).evidence(Budget()))
    assert (by_balls.verdict, by_balls.grade) == (Verdict.SUPPORTED, Grade.BALL)
    exact = combine(Consistent(places, [Relation(x, ">", y)]).evidence(Budget()))
    assert (exact.verdict, exact.grade) == (Verdict.SUPPORTED, Grade.EXACT)
    t = table(row="1", q="4", r="2.0")
    root = PrintedTable(t, {"r": sp.sqrt(sp.Symbol("q", positive=True))}, exact=["q"])
    assert combine(root.evidence(Budget())).grade is Grade.BALL


@pytest.mark.parametrize(("left", "right"), [("0.043", "0.042"), ("0.062", "0.063")])
def test_numbers_that_share_only_a_tie_are_not_told_apart(left, right):
    places = {a: quoted(left, "here"), b: quoted(right, "there")}
    found = verdict(Consistent(places, [eq(a, b)]))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "exactly on a tie" in found.finding
    further = {**places, b: quoted("0.050", "there")}
    assert verdict(Consistent(further, [eq(a, b)])).verdict is Verdict.REFUTED
    assert verdict(Consistent(places, [Relation(a, "!=", b)])).verdict is Verdict.SUPPORTED


def test_a_false_relation_beside_a_tie_is_refuted_and_the_tie_is_not_accused():
    places = {a: quoted("0.043", "here"), b: quoted("0.042", "there"), x: quoted("0.050", "elsewhere")}
    found = verdict(Consistent(places, [eq(a, b), eq(a, x)]))
    assert found.verdict is Verdict.REFUTED
    assert "1 of 2 relations cannot hold" in found.finding
    assert "a = x fails" in found.finding


def test_both_sides_are_shown_with_the_digits_that_tell_them_apart():
    places = {a: quoted("3269017.372472", "here", exact=True)}
    found = verdict(Consistent(places, [eq(a, sp.exp(15))]))
    assert found.verdict is Verdict.REFUTED
    assert "fails: 3269017.372472 against 3269017.37247211" in found.finding


def test_numbers_beyond_the_range_of_floats_are_judged():
    places = {a: quoted("1e309", "here"), b: quoted("3e400", "there")}
    assert verdict(Consistent(places, [Relation(a, "<", b)])).verdict is Verdict.SUPPORTED
    found = verdict(Consistent(places, [Relation(a, ">", b)]))
    assert (found.verdict, "e+400" in found.finding) == (Verdict.REFUTED, True)


r, s = sp.symbols("r s", real=True)
CHI_SQUARE_TAIL = sp.uppergamma(sp.Rational(5, 2), x / 2) / sp.gamma(sp.Rational(5, 2))
T_TAIL = sp.betainc_regularized(sp.Integer(5), sp.Rational(1, 2), 0, 10 / (10 + x**2)) / 2


@pytest.mark.parametrize(
    ("left", "op", "right", "holds"),
    [
        (sp.Abs(r - s), "<=", 5, True), (sp.Abs(r - s), "<=", 1, False),
        (sp.floor(r), "==", -2, True), (sp.floor(r), "==", 3, False), (sp.floor(y), "==", 1, True),
        (sp.erf(x), "<", 1, True), (sp.erf(x), ">", 1, False), (sp.erfc(x), "<=", 0, False),
        (CHI_SQUARE_TAIL, "<", sp.Rational(37, 50), True), (CHI_SQUARE_TAIL, "<", sp.Rational(1, 2), False),
        (T_TAIL, "<", sp.Rational(3, 100), True), (T_TAIL, ">", sp.Rational(3, 100), False),
    ],
)  # fmt: skip
def test_the_functions_of_statistics_are_judged(left, op, right, holds):
    """At 2.75 the tails of t on 10 and of chi-square on 5 degrees of freedom are 0.010 and 0.738."""
    places = {x: quoted("2.75", "x"), y: quoted("1.97", "y"), r: quoted("-1.5", "r"), s: quoted("2.5", "s")}
    found = verdict(Consistent(places, [Relation(left, op, sp.sympify(right))]))
    assert found.verdict is (Verdict.SUPPORTED if holds else Verdict.REFUTED)


def test_a_floor_around_a_whole_number_takes_both_values():
    places = {x: quoted("1.0", "x")}
    for value, expected in ((0, Verdict.SUPPORTED), (1, Verdict.SUPPORTED), (2, Verdict.REFUTED)):
        assert verdict(Consistent(places, [eq(sp.floor(x), sp.Integer(value))])).verdict is expected


def test_a_function_that_is_not_known_is_one_sentence_with_what_is():
    found = evaluate(
        Consistent({x: quoted("1.0", "x")}, [Relation(sp.zeta(x), ">", sp.Integer(0))]), Budget()
    )
    assert found.verdict is Verdict.ERROR
    assert found.finding.startswith("cannot evaluate zeta in zeta(x); expected + - * / and powers")


def test_a_cell_that_cannot_be_read_costs_its_claim_alone():
    t = table(row="1 2", q="4 1O", r="2 5")
    q = sp.Symbol("q", positive=True)
    for check in (
        PrintedTable(t, {"r": q / 2}),
        Consistent({q: t.cell(1, "q")}, [Relation(q, ">", sp.Integer(0))]),
    ):
        found = evaluate(check, Budget())
        assert found.verdict is Verdict.ERROR
        assert found.finding.startswith("T, row=2, q: '1O' is not a number")
