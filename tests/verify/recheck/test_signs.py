"""Proofs of signs: what the reader accepts, what it must not, and that what the search finds is accepted and true."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from theory.rates.sign_proofs import prove_covering
from verify.recheck.ratios import Field, value
from verify.recheck.rejected import Rejected
from verify.recheck.signs import OPEN, REFUTED, Condition, Signs, check_covering

FIELD = Field(("a", "b"))


def at_least(text, *more, strict=False):
    """text >= 0; with more levels, the first that is not 0 decides."""
    return Condition.read([[text, *more], strict], FIELD)


def above(text):
    return at_least(text, strict=True)


def test_an_identity_shows_that_facts_exclude_each_other():
    """a >= b + 1 and a**2 < b**2 + 1 cannot both be: (b**2 + 1 - a**2) + (a + b + 1)(a - b - 1) + 2b = 0."""
    context, claim = [at_least("a - b - 1")], [[at_least("a**2 - b**2 - 1")]]
    split = {
        "on": "a**2 - b**2 - 1",
        "cases": {">=": None, "<": [["1", [1]], ["a + b + 1", [0]], ["2*b", []]]},
    }
    check_covering(context, claim, split, FIELD)


@pytest.mark.parametrize(
    "terms",
    [
        [["1", [1]], ["a + b + 1", [0]]],  # does not add up
        [["1", [1]], ["a + b + 1", [0]], ["3*b", []]],
        [["-1", [1]], ["-a - b - 1", [0]], ["-2*b", []]],  # adds up, with coefficients that are negative
        [["0", [1]]],  # nothing is positive
        [["1", [7]]],  # no such fact
        [],
        None,
        "open",
        [["1/a", [1]]],
    ],
)
def test_no_other_identity_does(terms):
    context, claim = [at_least("a - b - 1")], [[at_least("a**2 - b**2 - 1")]]
    split = {"on": "a**2 - b**2 - 1", "cases": {">=": None, "<": terms}}
    with pytest.raises((Rejected, IndexError)):
        check_covering(context, claim, split, FIELD)


def test_without_a_strict_fact_nothing_is_contradicted():
    """a >= b and b >= a hold together where a = b."""
    with pytest.raises(Rejected):
        check_covering(
            [at_least("a - b"), at_least("b - a")], [[above("a - b")]], [["1", [0]], ["1", [1]]], FIELD
        )


@pytest.mark.parametrize(
    "cases",
    [
        {">": None, "<": [["1", [0]]]},
        {">": None},
        {">": None, "=": None},
        {">=": None, "<=": None, "=": None},
        {},
    ],
)
def test_cases_that_leave_something_out_are_rejected(cases):
    with pytest.raises(Rejected, match="leave something out"):
        check_covering([], [[at_least("a - b")], [above("b - a")]], {"on": "a - b", "cases": cases}, FIELD)


def test_alternatives_cover_by_the_signs_met():
    three = [[above("a - b")], [above("b - a")], [at_least("a - b"), at_least("b - a")]]
    proof = {"on": "a - b", "cases": {">": None, "=": None, "<": None}}
    check_covering([], three, proof, FIELD)
    for missing in range(3):
        with pytest.raises(Rejected):
            check_covering([], three[:missing] + three[missing + 1 :], proof, FIELD)


def test_the_first_level_that_is_not_zero_decides():
    signs = Signs(FIELD, [at_least("a - b"), at_least("b - a")])
    assert signs.holds([FIELD.text("a - b"), FIELD.text("1")], strict=True)
    assert not signs.holds([FIELD.text("a - b"), FIELD.text("-1")])
    assert not Signs(FIELD, [at_least("a - b")]).holds([FIELD.text("a - b"), FIELD.text("-1")])


def test_a_product_has_the_sign_of_its_factors():
    signs = Signs(FIELD, [above("a - b"), above("a + b - 1")])
    assert signs.of(FIELD.text("(a - b)*(1 - a - b)*(a + 1)")) == -1
    assert signs.of(FIELD.text("a*(a - b)**2")) == 1
    assert signs.of(FIELD.text("(a - b)*(a - 2)")) is None


def test_a_proof_is_read_before_its_claim_is_used():
    entry = {"claim": [[["b - a"], False]], "proof": None}
    with pytest.raises(Rejected):
        Signs(FIELD, [], [entry])
    signs = Signs(FIELD, [], [{**entry, "proof": OPEN}])
    assert not signs.holds([FIELD.text("b - a")])
    assert signs.met_open == ["-a + b >= 0"]


def test_a_polynomial_is_read_as_it_is_spelled():
    field = Field(("lambda", "a + -1*b", "e", "x"))
    for text in ("0", "1", "-1", "-x**2 + 3/2*x - 1", "2*'lambda'*x - 'a + -1*b'**3*'e' - 7/5"):
        polynomial = field.polynomial(text)
        assert field.polynomial(field.spelled(polynomial)) == polynomial
        assert field.spelled(polynomial) == text


def random_polynomial(rng):
    terms = [
        f"{rng.randint(-6, 6)}*a**{rng.randint(0, 2)}*b**{rng.randint(0, 2)}"
        for _ in range(rng.randint(2, 3))
    ]
    return " + ".join([*terms, str(rng.randint(-4, 4))])


def holds_at(condition, point):
    signs = (value(level.above, point) for level in condition.levels)
    first = next((v for v in signs if v), 0)
    return first > 0 or (first == 0 and not condition.strict)


@pytest.mark.parametrize("seed", range(60))
def test_what_the_search_proves_is_accepted_and_true_and_what_it_refutes_is_false_somewhere(seed):
    rng = random.Random(f"signs {seed}")
    context = [at_least(random_polynomial(rng), strict=rng.random() < 0.5) for _ in range(rng.randint(0, 2))]
    alternatives = [
        [at_least(random_polynomial(rng), strict=rng.random() < 0.5) for _ in range(rng.randint(1, 2))]
        for _ in range(rng.randint(1, 3))
    ]
    if seed % 3 == 0:  # what is left over is an alternative too
        alternatives += [
            [Condition(tuple(-x for x in c.levels), not c.strict)]
            for conjunction in alternatives
            for c in conjunction
        ]
    points = [[Fraction(rng.randint(1, 60), rng.randint(1, 20)) for _ in range(2)] for _ in range(400)]
    missed = [
        p
        for p in points
        if all(holds_at(c, p) for c in context)
        and not any(all(holds_at(c, p) for c in alt) for alt in alternatives)
    ]
    proof = prove_covering(context, alternatives, FIELD)
    if proof in (OPEN, REFUTED):
        assert seed % 3 != 0
        return
    assert not missed
    check_covering(context, alternatives, proof, FIELD)
