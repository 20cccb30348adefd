"""Every bound answers the same questions, each answer is a claim that holds, and false answers are rejected."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.answers import Answers
from theory.numbers.values import ball, number
from theory.relation import Relation, eq
from theory.results.covering.fixed_pattern import fixed_pattern_cover
from theory.results.routing import (
    k_log_ratio_le_log_choose,
    log_choose_le_entropy,
    log_choose_le_k_log,
)
from theory.statement import statements
from theory.symbols import M, beta, d, k
from verify.checks.base import Budget
from verify.checks.gap_rule import GapRule, recheck_relation
from verify.checks.numeric_values import NumericValues
from verify.checks.shape import Shape
from verify.errors import InputError
from verify.judging.runner import judge_fresh
from verify.judging.statement_claims import answer_claims
from verify.recheck.rejected import Rejected
from verify.verdicts import Verdict, combine

x, y, p = sp.symbols("x y p", positive=True)
POSITIVE = (Relation(x, ">", 0),)
FROM_ONE = (Relation(x, ">=", 1),)
TWO = (Relation(x, ">", 0), Relation(y, ">", 0))


@pytest.mark.parametrize("statement", statements().values(), ids=lambda s: s.name)
def test_every_bound_answers_or_says_why_not_and_every_answer_holds(statement):
    assert statement.unanswered() == ()
    for claim in answer_claims(statement):
        found = judge_fresh(claim, Budget(), None)
        assert found.verdict is Verdict.PROVED, f"{claim.id}: {found.finding}"


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
    with pytest.raises(InputError, match="declare it real, or begin at 0"):
        Shape(x**2, x, "increasing", (Relation(x, ">", -1),))
    with pytest.raises(InputError, match="never positive"):
        Shape(
            x**2,
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
        (x**2, x, "increasing", (Relation(FREE_REAL, ">", -5), Relation(x, ">", FREE_REAL))),
        (x**2, x, "increasing", (Relation(k, ">", 1), Relation(x, ">", k - 2))),
        (x**2 + x**3, x, "convex", (Relation(k, ">=", 1), Relation(x, ">", k - 2))),
    ],
    ids=str,
)  # fmt: skip
def test_what_sympy_knows_of_integers_and_positive_symbols_proves_no_shape_beyond_them(
    bound, symbol, shape, domain
):
    """Between integers a shape is about real values, and a domain may reach below what a symbol is declared to be."""
    assert not judged(Shape(bound, symbol, shape, domain)).verdict.holds


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


# Values


def test_a_float_that_is_off_is_refuted():
    bound = log_choose_le_entropy.bound
    check = NumericValues(bound, log_choose_le_entropy.domain, bound)
    assert judged(check).verdict is Verdict.PROVED
    off = judged(replace(check, evaluated=bound * (1 + sp.Rational(1, 10**8))))
    assert off.verdict is Verdict.REFUTED
    assert "float" in off.witness
    assert judged(replace(check, evaluated=sp.zeta(k))).verdict is Verdict.INCONCLUSIVE


def test_a_bound_has_values_and_x_log_x_is_0_at_0():
    at_end = log_choose_le_entropy.at({M: 5, k: 5})
    assert at_end.number() == 0
    assert at_end.ball() == 0
    some = log_choose_le_k_log.at({M: 64, k: 2})
    assert abs(some.ball() - some.number()) < 1e-12
    assert k_log_ratio_le_log_choose.at({M: 64, k: 64}).number() == 0
    with pytest.raises(ValueError, match="no value for M"):
        log_choose_le_k_log.at({k: 2}).number()
    with pytest.raises(ValueError, match="zeta"):
        number(sp.zeta(x), {x: 3})


@settings(max_examples=50, deadline=None)
@given(st.fractions("0.01", 50), st.fractions("0.01", 50))
def test_balls_hold_what_floats_come_close_to(u, v):
    at = {x: sp.Rational(u.numerator, u.denominator), y: sp.Rational(v.numerator, v.denominator)}
    for formula in (
        x**y,
        sp.log(1 + x) * y,
        sp.Min(x, y) / sp.Max(x, 2 * y),
        sp.exp(-x) + sp.erf(y),
    ):
        enclosed, value = ball(formula, at), number(formula, at)
        assert abs(enclosed - value) <= 1e-9 * (1 + abs(value))


# What is refused


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"increasing": (x,), "decreasing": (x,)}, "stands twice among increasing, decreasing"),
        ({"affine": (x,), "convex": (x,)}, "stands twice among convex, concave, affine"),
        ({"why_not": {"tight": "so"}}, "expected 'monotone'"),
        ({"why_not": {"attained": " "}}, "each with a reason"),
    ],
)
def test_answers_are_checked(arguments, said):
    with pytest.raises(ValueError, match=said):
        Answers(**arguments)


def test_an_answer_about_another_formula_is_refused():
    with pytest.raises(ValueError, match="increasing in beta, which the bound"):
        replace(log_choose_le_k_log, answers=Answers(increasing=(beta,)))


def test_a_question_left_open_is_listed():
    asked = replace(fixed_pattern_cover, answers=Answers(why_not={"monotone": "so", "attained": "so"}))
    assert all(question.startswith("curvature in ") for question in asked.unanswered())
    assert len(asked.unanswered()) == 7


def test_a_wrong_case_of_equality_is_an_unexpected_verdict():
    for wrong in ({k: 2}, eq(d, 2 * d)):
        statement = replace(
            k_log_ratio_le_log_choose, answers=Answers(of=k * sp.log(M / k), attained_at=(wrong,))
        )
        [claim, _] = answer_claims(statement)
        assert judge_fresh(claim, Budget(), None).unexpected


def test_a_constant_direction_is_vacuous():
    """Of an affine bound both curvatures are true, so saying one of them is no claim."""
    statement = replace(
        fixed_pattern_cover,
        answers=replace(
            fixed_pattern_cover.answers, affine=(), convex=fixed_pattern_cover.answers.affine, attained_at=()
        ),
    )
    claim = next(c for c in answer_claims(statement) if c.id.endswith("convex-in-Pi_attn"))
    assert judge_fresh(claim, Budget(), None).verdict is Verdict.ERROR
