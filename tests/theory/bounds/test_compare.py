"""All bounds at one model: the nats are those of the cover, and the least is a derived bound on the risk."""

from __future__ import annotations

import json
import math

import pytest

from theory.bounds.bound import generalisation_bound
from theory.bounds.compare import compare_bounds
from theory.bounds.formula import BOUNDS
from theory.bounds.setting import RegressionSetting
from theory.bounds.vacuity import least_samples
from theory.models.published import published_model, published_models
from theory.vocabulary import sigma, tau


@pytest.mark.parametrize("name", BOUNDS)
def test_an_entropy_holds_neither_the_split_nor_the_noise(name):
    bound = generalisation_bound(name)
    assert not bound.entropy.free_symbols & {tau, sigma}
    paid = [term.formula for term in bound.terms if term.name in ("parameters", "routing")]
    assert (bound.entropy * bound.nat - sum(paid)).expand() == 0


@pytest.mark.parametrize("name", published_models())
def test_the_least_derived_bound_at_a_published_model_is_that_of_finite_precision(name):
    found = compare_bounds(name, problem=RegressionSetting(tau="best"))
    assert {row.least.bound.name for row in found.rows} == set(BOUNDS)
    tokens = [row.least.tokens for row in found.rows]
    assert tokens == sorted(tokens)
    assert found.rows[0].assumed
    assert found.least is found.rows[1]
    assert found.least.least.bound.name == "finite-precision"
    assert found.least.nats == pytest.approx(published_model(name).total_parameters() * 16 * math.log(2))
    assert json.dumps(found.record())


def test_neither_an_assumption_nor_the_risk_on_the_sample_is_the_least():
    found = compare_bounds("olmoe-1b-7b", bounds=("stated", "empirical"))
    assert found.least is None
    assert "the least derived bound on the risk: none" in str(found)


def test_the_tokens_are_those_of_the_least_n():
    problem = RegressionSetting(bits=4)
    [row] = compare_bounds("olmoe-1b-7b", bounds=["finite-precision"], problem=problem).rows
    assert row.least.n == least_samples("finite-precision", "olmoe-1b-7b", problem=problem).n


def test_a_bound_that_says_something_at_no_n_comes_last():
    found = compare_bounds(
        "olmoe-1b-7b", bounds=("frozen-router", "stated"), problem=RegressionSetting(beta="1.5")
    )
    assert [row.least.bound.name for row in found.rows] == ["stated", "frozen-router"]
    assert found.rows[1].nats is None
    assert "at no n" in str(found)
