"""Bounds are listed by being defined, and a bound with terms of its own works like the others."""

from __future__ import annotations

import dataclasses

import pytest
import sympy as sp

from theory import (
    BOUNDS,
    BoundTerm,
    MoETransformer,
    evaluate,
    generalisation_bound,
    least_samples,
    phase_diagram,
)
from theory.bounds.bound import Bound
from theory.bounds.stated import bound_as_stated, stated
from theory.vocabulary import M, N_act, N_eff, n

MODEL = MoETransformer(layers=2, d_model=8, d_ff=8, experts=8, active=2)


def test_every_bound_is_found_and_sums_its_terms_to_what_its_statement_says():
    assert {"stated", "fixed-pattern", "frozen-router", "soft-gate", "empirical", "finite-precision"} <= set(
        BOUNDS
    )
    for name, bound in BOUNDS.items():
        assert bound.name == name
        assert isinstance(bound, Bound)
        assert generalisation_bound(name) is bound
        assert bound.words
        assert len({term.name for term in bound.terms}) == len(bound.terms)
    assert sp.simplify(stated.formula - bound_as_stated.formula) == 0


def own(**changes):
    terms = (
        BoundTerm("approximation", 1 / N_act, "what is left"),
        BoundTerm("balance", M / n, "one count an expert"),
    )
    bound = Bound("balanced", "each expert is paid once", bound_as_stated, terms, trivial=sp.Integer(1))
    return dataclasses.replace(bound, **changes)


def test_a_term_of_another_name_is_evaluated_and_drawn():
    bound = own()
    found = bound.evaluate(MODEL, n=4, sequence=16)
    assert found.regime == "balance"
    assert found.total == pytest.approx(
        8 / 4 + 1 / MODEL.active_parameters(found.setting.convention), rel=0.5
    )
    diagram = phase_diagram(bound, MODEL, sequence=16, n=(1, 10, 10**6), M=(2, 4))
    assert "a approximation, b balance" in str(diagram)
    assert diagram.svg().count("balance</text>") == 1
    assert least_samples(bound, MODEL, sequence=16).n == 9  # 8/n + 1/N_act < 1


def test_a_term_without_a_value_is_refused():
    with pytest.raises(
        ValueError, match="balanced: nothing gives a value to N_eff; expected terms in some of H_beta"
    ):
        evaluate(own(terms=(BoundTerm("balance", N_eff / n, "all"),)), MODEL, n=4, sequence=16)


def test_a_bound_says_from_where_on_it_holds():
    bound = own(least_samples=M / 3, least_experts=4)
    with pytest.raises(ValueError, match="balanced holds from n = 3 sequences"):
        evaluate(bound, MODEL, n=2, sequence=16)
    assert evaluate(bound, MODEL, n=3, sequence=16).n == 3
    with pytest.raises(ValueError, match="balanced: needs at least 4 experts"):
        evaluate(bound, dataclasses.replace(MODEL, experts=2), n=3, sequence=16)
