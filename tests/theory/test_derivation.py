"""Derivations by name: exact exponents under every reading, hypotheses first, a certificate that holds."""

from __future__ import annotations

import pytest
import sympy as sp

from theory import M, beta, d, derivable, derive, minimise, n
from theory.derivation import SETTINGS
from theory.rates.problem import RateError

EXPONENTS = {
    ("alpha_N", "as-stated"): (2 * beta / d, 0),
    ("alpha_D", "as-stated"): (2 * beta / (2 * beta + d), 0),
    ("alpha_D", "active-entropy"): (sp.Integer(1), 1),  # log n / n: below the minimax rate
    ("alpha_D", "total-entropy"): (2 * beta / (2 * beta + d), 0),
    ("alpha_C", "as-stated"): (beta / (beta + d), 0),
    ("alpha_C", "total-compute"): (beta / (beta + d), 0),
    ("alpha_C", "active-compute"): (2 * beta / (2 * beta + d), 0),
}


def test_every_reading_has_its_exponent_in_this_table():
    assert set(EXPONENTS) == {(name, reading) for name, readings in SETTINGS.items() for reading in readings}


@pytest.mark.parametrize(("name", "reading"), EXPONENTS)
def test_exponents_are_exact_under_every_reading(name, reading):
    exponent, logs = EXPONENTS[name, reading]
    found = derive(name, reading)
    assert sp.simplify(found.optimum.power + exponent) == 0
    assert sp.simplify(found.optimum.log_power - logs) == 0
    assert found.optimum.complete
    assert found.check()


def test_the_sizes_of_the_repaired_bound():
    argmin = derive("alpha_D", "total-entropy").optimum.argmin
    assert sp.simplify(argmin[M] / n ** (d / (2 * beta + d))) == 1


@pytest.mark.parametrize("name", derivable())
def test_a_derivation_says_its_hypotheses_before_it_uses_them(name):
    found = derive(name)
    seen = set()
    for statement in found.chain:
        assert {used.name for used in statement.uses} <= seen
        seen.add(statement.name)
    text = found.text()
    assert all(hypothesis.words in text for s in found.chain for hypothesis in s.hypotheses)
    latex = found.latex()
    assert latex.count("{") == latex.count("}")
    assert "^(" not in latex


def test_the_proof_of_an_optimum_is_one_sentence_for_each_alternative():
    text = derive("alpha_D").optimum.explain()
    assert "max{ N/n, N^(-2β/d) } >= (N/n)^(2β/(2β+d)) (N^(-2β/d))^(d/(2β+d)) = n^(-2β/(2β+d))" in text
    constrained = derive("alpha_C").optimum.explain()
    assert "as N D/C <= 1" in constrained
    fixed = minimise(1 / n + M / n, M, given=n).explain()
    assert "whatever the sizes" in fixed or ">= " in fixed


def test_unknown_names_and_readings_are_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="expected one of alpha_N, alpha_D, alpha_C"):
        derive("alpha_Z")
    with pytest.raises(ValueError, match="expected one of as-stated, active-entropy, total-entropy"):
        derive("alpha_D", "frozen")
    with pytest.raises(ValueError, match="only alpha_N, alpha_D, alpha_C have readings"):
        derive("risk_bound", "as-stated")
    assert issubclass(RateError, ValueError)
