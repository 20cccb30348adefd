"""The strategies draw only what the project accepts, and properties of the project hold on what they draw."""

from __future__ import annotations

import ast
import inspect
from fractions import Fraction

import sympy as sp
from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st

from theory import MoETransformer, PairVerdict, consistency, minimise
from theory.rates.certificate import RateOutcome
from theory.relation import Relation
from theory.vocabulary import M, N, beta, d, k, n
from verify import strategies
from verify.printed.numerals import Rounding, parse_printed

slow = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@given(strategies.architectures(), strategies.conventions())
def test_counts_grow_with_the_experts_that_are_counted(model, convention):
    active, total = model.active_parameters(convention), model.total_parameters(convention)
    assert 0 < active <= total
    assert (active == total) == (model.active == model.experts)
    assert model.flops_per_token(convention) == 6 * active


def test_architectures_shrink_to_the_smallest():
    smallest = find(strategies.architectures(), lambda model: model.experts > model.active)
    assert (smallest.layers, smallest.d_model, smallest.experts, smallest.active) == (1, 1, 2, 1)
    dense = find(strategies.architectures(), lambda model: True)
    assert isinstance(dense, MoETransformer)
    assert dense.experts == 1


@given(strategies.architectures(dense=False))
def test_a_mixture_has_more_than_one_expert(model):
    assert model.experts >= 2


@given(strategies.exponents(), st.fractions(Fraction(1, 10), 10), st.fractions(Fraction(1, 10), 10))
def test_exponents_are_positive(exponent, smoothness, dimension):
    assert exponent.subs({beta: sp.Rational(smoothness), d: sp.Rational(dimension)}) > 0


@slow
@given(strategies.rates((N,), terms=2))
def test_every_rate_is_read_and_the_answer_is_certified(rate):
    optimum = minimise(rate + N / n, over=N, given=n)
    assert optimum.check()


AT = {beta: sp.Rational(3, 2), d: sp.Integer(5)}


@slow
@given(strategies.rates((N,), logs=False, terms=2), st.fractions(0, 3, max_denominator=8))
def test_no_size_does_better_than_the_optimum(rate, power):
    """At N = n^s >= 1 a rate is n to the least branch's largest exponent."""
    claim = rate.subs(AT) + N / n
    [piece] = minimise(claim, over=N, given=n).pieces
    if piece.outcome is RateOutcome.ATTAINED:
        assert piece.power <= exponent_at(claim, sp.Rational(power))


def exponent_at(rate, power):
    if isinstance(rate, sp.Min):
        return min(exponent_at(branch, power) for branch in rate.args)
    if rate.is_Add:
        return max(exponent_at(term, power) for term in rate.args)
    powers = rate.as_powers_dict()
    return powers[N] * power + powers[n]


@slow
@given(strategies.approximation_entropy_pairs())
def test_the_verdict_on_a_pair_follows_from_its_two_exponents(pair):
    """Error N^-p with entropy N^q needs an entropy of L^(q/p): broken exactly where q/p < d/beta."""
    error, entropy = pair
    p = -error.as_base_exp()[1]
    q = entropy.as_powers_dict()[N]
    excess = [
        (q / p - d / beta).subs({beta: sp.Rational(b, 4), d: dim})
        for b in (1, 4, 9, 40)
        for dim in (1, 3, 50)
    ]
    verdict = consistency(error, entropy, over=N).verdict
    if all(value < 0 for value in excess):
        assert verdict is not PairVerdict.CONSISTENT
    if any(value < 0 for value in excess) and verdict is not PairVerdict.UNDECIDED:
        assert verdict is PairVerdict.BROKEN
    if verdict is PairVerdict.CONSISTENT:
        assert min(excess) >= 0


@settings(max_examples=30, deadline=None)
@given(strategies.posynomials((N, M)), st.fractions(Fraction(1, 50), 50), st.fractions(Fraction(1, 50), 50))
def test_posynomials_are_positive_and_convex_in_the_logarithms(posynomial, x, y):
    one, other = {N: sp.Rational(x), M: sp.Integer(3)}, {N: sp.Rational(y), M: sp.Integer(5)}
    middle = {s: sp.sqrt(one[s] * other[s]) for s in one}
    values = [float(posynomial.subs(point)) for point in (one, middle, other)]
    assert min(values) > 0
    assert values[1] <= (values[0] + values[2]) / 2 * (1 + 1e-12)


@given(strategies.points((Relation(M, ">=", 1), Relation(k, ">=", M / 2), Relation(beta, ">", k))))
def test_points_lie_in_their_domain(point):
    assert point[M] >= 1
    assert point[k] >= point[M] / 2
    assert point[k].is_Integer
    assert point[beta] > point[k]


@given(strategies.printed_numbers())
def test_a_printed_number_lies_in_its_own_interval(text):
    printed = parse_printed(text)
    for mode in Rounding:
        assert printed.value in printed.interval(mode)


def test_every_strategy_is_documented():
    tree = ast.parse(inspect.getsource(strategies))
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name[0] != "_"]
    assert len(names) == 8
    assert [name for name in names if not getattr(strategies, name).__doc__] == []
