"""Degree of difficulty zero: exact values and points, and every certificate holds."""

from __future__ import annotations

import pytest
import sympy as sp
from random_programs import SIZES

from theory import A, B, C, D, N, a, beta, d, ell, minimise_posynomial, n
from theory.posynomials import PosynomialOutcome
from theory.rates import RateError

x, y, z, w = SIZES
half = sp.Rational(1, 2)


def test_a_falling_and_a_rising_term():
    found = minimise_posynomial(A * N**-a + B * N / n, over=N)
    assert found.argmin == {N: (A * a * n / B) ** (1 / (a + 1))}
    assert found.weights == (1 / (a + 1), a / (a + 1))
    best = found.argmin[N]
    assert sp.simplify(sp.expand_log(sp.log(found.value / ((1 + a) * A * best**-a)), force=True)) == 0
    assert found.unique
    assert found.check()


def test_a_constraint_is_an_equality_from_either_side():
    bound = A * N ** (-2 * beta / d) + B * ell * N / D
    found = minimise_posynomial(bound, over=(N, D), subject_to=[sp.Eq(6 * N * D, C)])
    assert sp.simplify(found.argmin[N] - (A * C * beta / (6 * B * d * ell)) ** (d / (2 * (beta + d)))) == 0
    turned = minimise_posynomial(bound, over=(N, D), subject_to=[sp.Eq(C, 6 * N * D)])
    assert sp.simplify(turned.value / found.value) == 1
    assert found.check()
    assert turned.check()


@pytest.mark.parametrize(
    ("objective", "sizes", "limits", "value"),
    [
        (x + 1 / x, x, [], 2),
        (x * y + 1 / (x * y), (x, y), [], 2),
        (x + y + 1 / (x * y), (x, y), [], 3),
        (1 / (x * y), (x, y), [x + y <= 2], 1),
        (x**-half + 4 * x, x, [], 3),
        (5 * x, x, [sp.Eq(x, 7)], 35),
        (1 / x + 1 / y, (x, y), [x * y <= 4], 1),
        ((x + y) ** 2, (x, y), [sp.Eq(x * y, 9)], 36),
    ],
)
def test_values_known_by_hand(objective, sizes, limits, value):
    found = minimise_posynomial(objective, over=sizes, subject_to=limits)
    if found.outcome is PosynomialOutcome.CLOSED_FORM:
        assert sp.simplify(found.value - value) == 0
    bracket = minimise_posynomial(objective, over=sizes, subject_to=limits, at={})
    assert bracket.lower <= value <= bracket.upper
    assert bracket.gap < sp.Rational(1, 10**12)
    assert found.check()
    assert bracket.check()


@pytest.mark.parametrize("seed", range(8))
def test_closed_form_and_bracket_agree(seed):
    import random

    rng = random.Random(f"closed form {seed}")
    numbers = {s: sp.Rational(rng.randint(1, 99), rng.randint(1, 9)) for s in (A, B, n, beta, d, C)}
    for objective, sizes, limits in (
        (A * N ** (-2 * beta / d) + B * N / n, N, []),
        (A * N ** (-2 * beta / d) + B * N / D, (N, D), [sp.Eq(6 * N * D, C)]),
        (A * x**-beta * y**-d + B * x + y / n, (x, y), []),
    ):
        closed = minimise_posynomial(objective, over=sizes, subject_to=limits)
        bracket = minimise_posynomial(objective, over=sizes, subject_to=limits, at=numbers)
        value = sp.N(closed.value.subs(numbers), 50)
        slack = sp.Float(10, 50) ** -40
        assert bracket.lower * (1 - slack) <= value <= bracket.upper * (1 + slack)
        assert bracket.gap < sp.Rational(1, 10**12)


def test_an_assumption_settles_the_sign_of_a_weight():
    with pytest.raises(RateError, match=r"weight of the term A\*N\*\*\(beta - d\)"):
        minimise_posynomial(A * N ** (beta - d) + B * N, over=N)
    found = minimise_posynomial(A * N ** (beta - d) + B * N, over=N, subject_to=[beta < d])
    assert found.check()


@pytest.mark.parametrize(
    ("objective", "limits", "words"),
    [
        (A * x**2 + B * x, [], "opposite signs of the exponents"),
        (A / (1 + x), [], r"1/\(x \+ 1\) in the objective is no posynomial"),
        (x - y, [], "the term -y of the objective is not known to be positive"),
        (x * sp.log(sp.E * A / x) + 1 / x, [], r"x\*log\(E\*A/x\).*optimal_active_experts"),
        (x + sp.log(x), [], r"the term log\(x\)"),
        (A / x + B * x + x**2, [], "degree of difficulty 1, so there is no closed form; give a number for each of A, B"),
        (0.5 * x + 1 / x, [], "the float 0.5"),
        (x + 1 / x, [x + 1 >= 2 * x**2 + 1], r"the constraint 2\*x\*\*2 \+ 1 <= x \+ 1"),
        (x ** sp.sqrt(2) + 1 / x, [], "exponent sqrt"),
    ],
)  # fmt: skip
def test_what_is_no_geometric_program_is_refused_by_name(objective, limits, words):
    sizes = tuple(sorted(objective.free_symbols & set(SIZES), key=str))
    with pytest.raises(RateError, match=words):
        minimise_posynomial(objective, over=sizes, subject_to=limits)


def test_numbers_must_be_exact_positive_and_for_parameters():
    for at, words in (({A: 0}, "positive number"), ({x: 2}, "minimised over"), ({A: 0.5}, "float"), (3, "expected numbers")):  # fmt: skip
        with pytest.raises(RateError, match=words):
            minimise_posynomial(A * x + 1 / x, over=x, at=at)
    with pytest.raises(RateError, match="does not hold"):
        minimise_posynomial(A * x + 1 / x, over=x, subject_to=[A <= B], at={A: 2, B: 1})


def test_the_proof_reads_as_one_sentence():
    text = minimise_posynomial(A * N**-a + B * N / n, over=N).explain()
    assert "by weighted AM-GM" in text
    assert "A/N^a + BN/n >= (A(a+1)/N^a)^(1/(a+1))" in text
    bracket = minimise_posynomial(x + y, over=(x, y), subject_to=[1 / x + 1 / y <= 1], at={})
    assert "as 1/x + 1/y <= 1" in bracket.explain()
