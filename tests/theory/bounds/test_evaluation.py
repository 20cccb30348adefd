"""Bounds in numbers: three arithmetics that agree, sizes that act as they should, least data and phase diagrams."""

from __future__ import annotations

import dataclasses
import json
import math
import xml.etree.ElementTree as ElementTree
from fractions import Fraction

import mpmath
import pytest
import sympy as sp
from flint import arb
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from theory.bounds.bound import generalisation_bound
from theory.bounds.evaluate import as_float, evaluate
from theory.bounds.formula import BOUNDS
from theory.bounds.phase import borders_of, geometric, phase_diagram
from theory.bounds.setting import RegressionSetting, log_lipschitz
from theory.bounds.vacuity import least_samples
from theory.models.architecture import MoETransformer
from theory.models.published import published_model, published_models
from theory.numbers.values import arithmetic
from theory.results.routing import routing_entropy

PAPER = MoETransformer(layers=2, d_model=512, d_ff=512, experts=8, active=2, heads=4)
REPAIRED = [name for name in BOUNDS if name != "stated"]
decimals = st.fractions(Fraction(1, 100), 100, max_denominator=100)


@st.composite
def architectures(draw):
    experts = draw(st.integers(2, 64))
    heads = draw(st.sampled_from([1, 2, 4]))
    return MoETransformer(
        layers=draw(st.integers(1, 6)),
        d_model=heads * draw(st.integers(1, 64)),
        d_ff=draw(st.integers(1, 256)),
        experts=experts,
        active=draw(st.integers(1, experts)),
        shared_experts=draw(st.integers(0, 2)),
        heads=heads,
    )


@st.composite
def problems(draw):
    return RegressionSetting(
        beta=draw(st.fractions(Fraction(1, 4), 4, max_denominator=8)),
        dimension=draw(st.integers(1, 40)),
        holder=draw(decimals),
        noise=draw(decimals),
        clip=draw(decimals),
        kappa=draw(decimals),
        radius=draw(decimals),
        tau=draw(st.sampled_from(["best", Fraction(1, 2), Fraction(1, 5)])),
        delta=draw(st.none() | decimals),
        bits=draw(decimals),
    )


names = st.sampled_from(list(BOUNDS))
samples = st.integers(10**3, 10**18)
lengths = st.integers(1, 4096)


@settings(deadline=None, max_examples=25)
@given(names, architectures(), problems(), samples, lengths)
def test_float_mpmath_and_ball_agree(name, model, problem, n, length):
    assume(name != "empirical" or n * length * (model.experts - 1) >= 2 * model.d_model)
    found = {
        number: evaluate(name, model, n=n, sequence=length, problem=problem, number=number, digits=30)
        for number in ("float", "mpmath", "ball")
    }
    with arithmetic("ball", 40).working(), mpmath.workdps(60):
        for values in [
            (e.total for e in found.values()),
            *zip(*([t.value for t in e.terms] for e in found.values()), strict=True),
        ]:
            plain, precise, ball = values
            assert ball.rad() <= abs(ball.mid()) * arb("1e-25")
            assert abs(ball - arb(plain)) <= abs(ball) * arb("1e-11")
            assert abs(ball - arb(mpmath.nstr(precise, 35))) <= abs(ball) * arb("1e-28")
    assert (
        found["float"].regime == found["ball"].regime
        or abs(found["float"].terms[0].share - found["ball"].terms[0].share) < 1e-9
    )


@settings(deadline=None, max_examples=20)
@given(names, architectures(), problems(), samples, lengths)
def test_more_data_never_raises_a_bound(name, model, problem, n, length):
    assume(name != "empirical" or n * length * (model.experts - 1) >= 2 * model.d_model)
    at = [
        evaluate(name, model, n=value, sequence=length, problem=problem, number="ball")
        for value in (n, 2 * n)
    ]
    assert not at[1].total > at[0].total


@settings(deadline=None, max_examples=20)
@given(
    st.sampled_from(REPAIRED),
    architectures(),
    samples,
    lengths,
    st.sampled_from(["noise", "clip", "kappa", "radius", "holder", "bits"]),
)
def test_a_larger_class_or_a_noisier_problem_never_lowers_a_repaired_bound(name, model, n, length, field):
    assume(name != "empirical" or n * length * (model.experts - 1) >= 2 * model.d_model)
    at = [
        evaluate(
            name,
            model,
            n=n,
            sequence=length,
            problem=RegressionSetting(delta="0.01", **{field: value}),
            number="ball",
        ).total
        for value in (1, 3)
    ]
    assert not at[1] < at[0]


@settings(deadline=None, max_examples=15)
@given(st.sampled_from(REPAIRED), architectures(), problems(), samples)
def test_the_best_split_is_no_worse_than_any_other(name, model, problem, n):
    assume(name != "empirical" or n * 256 * (model.experts - 1) >= 2 * model.d_model)
    at = {
        split: evaluate(
            name, model, n=n, sequence=256, problem=dataclasses.replace(problem, tau=split), number="ball"
        )
        for split in ("best", "1/2", "1/10")
    }
    assert not at["best"].total > at["1/2"].total
    assert not at["best"].total > at["1/10"].total


def test_the_terms_are_those_computed_by_hand():
    found = evaluate("stated", PAPER, n=3125, sequence=256, problem=RegressionSetting(beta=1, dimension=32))
    active = 2 * (4 * 512**2 + 2 * (2 * 512 * 512 + 512 + 512))
    by_hand = [active ** (-2 / 32), active / 3125, 2 * 256 * 2 * math.log(math.e * 8 / 2) / 3125]
    assert [t.value for t in found.terms] == pytest.approx(by_hand)
    assert found.total == pytest.approx(sum(by_hand))
    assert found.regime == "parameters"
    assert found.vacuous


def test_a_repaired_bound_is_its_cover_in_the_oracle_inequality():
    problem = RegressionSetting(beta=1, dimension=1, noise="0.3", clip=2, kappa="0.1", delta="0.001")
    found = evaluate("fixed-pattern", PAPER, n=10**6, sequence=256, problem=problem)
    moe = found.setting.bounded_class()
    parameters = 2 * (4 * 512**2 + 8 * (2 * 512 * 512 + 512 + 512))
    cells = math.exp(float(moe.log_lipschitz_constant()) + math.log(0.1 / 0.001))
    price = (2 * 0.3**2 + 2 * 2**2) * 4 / 10**6
    by_hand = {
        "approximation": 2 * (1 / 16) ** 2,
        "parameters": price * parameters * math.log(1 + cells),
        "routing": price * routing_entropy(8, 2, layers=2, tokens=256),
        "resolution": 4 * 0.001 * (0.3 + 4) + 8 * 0.001,
    }
    assert {t.name: t.value for t in found.terms} == pytest.approx(by_hand)


def test_the_bound_of_finite_precision_counts_the_bits_of_all_parameters():
    problem = RegressionSetting(beta=1, dimension=1, noise="0.3", clip=2, bits=8)
    model = dataclasses.replace(PAPER, shared_experts=1)
    found = evaluate("finite-precision", model, n=10**6, sequence=256, problem=problem)
    expert = 2 * 512 * 512 + 512 + 512
    total = 2 * (4 * 512**2 + (8 + 1) * expert + 8 * 512)  # the trained router too
    price = (2 * 0.3**2 + 2 * 2**2) * 4 / 10**6
    by_hand = {"approximation": 2 * (1 / 16) ** 2, "parameters": price * total * 8 * math.log(2)}
    assert {t.name: t.value for t in found.terms} == pytest.approx(by_hand)
    more = evaluate(
        "finite-precision", dataclasses.replace(model, active=4), n=10**6, sequence=256, problem=problem
    )
    assert more.total == found.total  # active parameters do not enter


def test_of_a_published_model_all_that_is_printed_as_total_is_paid():
    olmoe = published_model("olmoe-1b-7b")
    found = evaluate("finite-precision", olmoe, n=10**12, problem=RegressionSetting(bits=16))
    paid = 4 * 4 / 10**12 * olmoe.total_parameters() * 16 * math.log(2)
    assert found.terms[1].value == pytest.approx(paid)


def test_lambda_beyond_all_floats_is_no_obstacle():
    deep = published_model("qwen3-235b-a22b")
    found = [evaluate("soft-gate", deep, n=10**6, number=number) for number in ("float", "ball")]
    moe = found[0].setting.bounded_class()
    for number, digits in (("float", 15), ("mpmath", 30), ("ball", 30)):
        using = arithmetic(number, digits)
        with using.working():
            mine = as_float(log_lipschitz(moe, using))
        assert mine == pytest.approx(float(moe.log_lipschitz_constant(30)), rel=1e-14)
    assert float(found[0].setting.bounded_class().log_lipschitz_constant()) > 10_000
    assert found[0].total == pytest.approx(as_float(found[1].total))


# The least data


@settings(deadline=None, max_examples=15)
@given(names, architectures(), st.sampled_from(["best", "1/2"]), st.sampled_from(["1/100", 1]))
def test_the_least_n_is_the_least(name, model, split, level):
    problem = RegressionSetting(dimension=1, tau=split)
    found = least_samples(name, model, sequence=64, problem=problem, below=level)
    assume(found.n is not None and found.n > found.setting.least_samples())
    below, above = (
        evaluate(name, model, n=value, sequence=64, problem=problem, number="ball", digits=30)
        for value in (found.n, found.n - 1)
    )
    assert as_float(below.total) < Fraction(level) <= as_float(above.total)


def test_the_least_n_of_the_bound_as_stated_has_a_closed_form():
    found = least_samples("stated", PAPER, sequence=256)
    left, paid, routing = (t.value for t in evaluate("stated", PAPER, n=1, sequence=256, number="ball").terms)
    assert found.n == int(((paid + routing) / (1 - left)).floor().unique_fmpz()) + 1
    assert found.tokens == 256 * found.n
    assert found.at.total < 1


def test_a_bound_whose_floor_is_too_high_is_below_at_no_n():
    found = least_samples("frozen-router", PAPER, sequence=256, problem=RegressionSetting(beta="1.5"))
    assert found.n is None
    assert found.tokens is None
    assert "at no n" in found.explain()
    assert "approximation" in found.explain()


@pytest.mark.parametrize("name", published_models())
def test_no_repaired_bound_says_anything_about_a_published_model(name):
    model = published_model(name)
    found = least_samples("frozen-router", model, problem=RegressionSetting(tau="best"))
    assert found.n is not None
    assert found.setting.sequence == model.sequence
    assert found.tokens > 10**18
    assert model.training_tokens is None or model.training_tokens < found.tokens


# Phase diagrams


def test_a_phase_diagram_shows_the_largest_term_in_every_cell():
    counts, experts = geometric(10**3, 10**12, 7), (2, 8, 64)
    problem = RegressionSetting(dimension=1, delta="1e-9")
    found = phase_diagram("fixed-pattern", PAPER, n=counts, M=experts, sequence=256, problem=problem)
    for row, blank, M in zip(found.regimes, found.vacuous, experts, strict=True):
        for regime, empty, n in zip(row, blank, counts, strict=True):
            at = evaluate(
                "fixed-pattern", dataclasses.replace(PAPER, experts=M), n=n, sequence=256, problem=problem
            )
            assert (regime, empty) == (at.regime, at.vacuous)
    assert json.loads(json.dumps(found.record()))["regimes"] == [list(row) for row in found.regimes]


@pytest.mark.parametrize("name", BOUNDS)
def test_on_a_border_the_two_terms_are_equal(name):
    bound = generalisation_bound(name)
    for border in borders_of(bound):
        first, second = (bound.term(which).formula for which in (border.first, border.second))
        if border.curve.lhs.is_Symbol:
            first, second = (side.subs(border.curve.lhs, border.curve.rhs) for side in (first, second))
            ratio = first / second
        else:
            ratio = (first / second) * border.curve.rhs / border.curve.lhs
        values = {s: sp.Rational(3, 7) if s.name == "tau" else sp.Integer(2) for s in ratio.free_symbols}
        values |= {s: sp.Integer(5) for s in ratio.free_symbols if s.name in ("M", "n", "ell")}
        assert abs(sp.N(ratio.subs(values), 30) - 1) < 1e-20, border


def test_pictures_are_well_formed_and_the_same_each_time():
    pictures = [
        phase_diagram("stated", PAPER, n=geometric(10, 10**12, 30), sequence=256).svg() for _ in range(2)
    ]
    assert pictures[0] == pictures[1]
    root = ElementTree.fromstring(pictures[0])
    assert root.find("{http://www.w3.org/2000/svg}title") is not None
    assert str(phase_diagram("stated", PAPER, n=[10, 10**12], sequence=256)).count("\n") > 10


def test_geometric_ranges_have_both_ends():
    assert geometric(1, 1000, 4) == (1, 10, 100, 1000)
    assert geometric(3, 5, 50) == (3, 4, 5)
    with pytest.raises(ValueError, match="low <= high"):
        geometric(5, 3, 2)


# Bad input


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"n": 0}, "n=0"),
        ({"n": 1.5}, "n=1.5"),
        ({"n": 10, "tokens": 10}, "exactly one"),
        ({}, "exactly one"),
        ({"tokens": 10}, "holds from n = 1"),
        ({"n": 10, "sequence": 0}, "sequence=0"),
        ({"n": 10, "number": "decimal"}, "number='decimal'"),
        ({"n": 10, "digits": 0}, "digits=0"),
        ({"n": 10, "problem": RegressionSetting(dimension="2.5")}, "whole number"),
    ],
)
def test_impossible_requests_are_refused_by_name(arguments, said):
    with pytest.raises(ValueError, match=said):
        evaluate("frozen-router", PAPER, **{"sequence": 256, **arguments})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("beta", 0),
        ("beta", 0.5),
        ("tau", 1),
        ("tau", "worst"),
        ("noise", -1),
        ("kappa", "many"),
        ("delta", "1/0"),
        ("clip", True),
    ],
)
def test_impossible_problems_are_refused_by_name(field, value):
    with pytest.raises(ValueError, match=field):
        RegressionSetting(**{field: value})


def test_an_unknown_bound_and_a_symbolic_size_are_refused():
    with pytest.raises(ValueError, match="expected one of empirical"):
        evaluate("best", PAPER, n=10, sequence=256)
    with pytest.raises(ValueError, match="layers=L_T"):
        evaluate("stated", dataclasses.replace(PAPER, layers=sp.Symbol("L_T")), n=10, sequence=256)
    with pytest.raises(ValueError, match="at least 2 experts"):
        evaluate("empirical", dataclasses.replace(PAPER, experts=1, active=1), n=10, sequence=256)
    with pytest.raises(ValueError, match="sequence=0"):
        evaluate("stated", PAPER, n=10)


@pytest.mark.parametrize("name", BOUNDS)
def test_every_bound_explains_itself(name):
    bound = generalisation_bound(name)
    text = bound.explain()
    assert bound.statement.name in text
    assert all(term.name in text for term in bound.terms)
    found = evaluate(bound, PAPER, n=10**5, sequence=256)
    assert found.regime in found.explain()
    assert found._repr_latex_().count(r"\\") == len(bound.terms)
    assert bound._repr_latex_().startswith("$")
    assert json.dumps(found.record())


def test_a_published_model_goes_by_its_name():
    by_name = evaluate("stated", "mixtral-8x7b", n=10)
    assert by_name.total == evaluate("stated", published_model("mixtral-8x7b"), n=10).total
    with pytest.raises(ValueError, match="model 'mixtral': expected one of mixtral-8x7b"):
        evaluate("stated", "mixtral", n=10)
    with pytest.raises(ValueError, match="architecture=8: expected a MoETransformer or the name"):
        evaluate("stated", 8, n=10)


def test_a_number_with_a_huge_exponent_is_refused_at_once():
    for text in ("1e1000000000", "1e-1001", "3.5E+99999", "1e000000001001"):
        with pytest.raises(ValueError, match="exponent of at most 1000"):
            RegressionSetting(noise=text)
    assert RegressionSetting(noise="1e-0003").noise == Fraction(1, 1000)
