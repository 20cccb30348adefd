"""Derivations by name: exact exponents under every reading, hypotheses first, a certificate that holds."""

from __future__ import annotations

import pytest
import sympy as sp

from theory import M, beta, d, derivable, derive, k, minimise, n, readings_of
from theory.derivations.setting import DERIVABLE, IDENTITIES
from theory.rates.problem import RateError

_MINIMAX = 2 * beta / (2 * beta + d)
_COMPUTE = beta / (beta + d)
_SIZE = d / (2 * beta + d)
_SIZE_C = d / (2 * (beta + d))
_LOG = sp.Symbol("log_scale", positive=True)
EXPONENTS = {
    ("alpha_N", "as-stated"): (-2 * beta / d, 0),
    ("alpha_N", "experts"): (-2 * beta / d, 0),
    ("alpha_D", "as-stated"): (-_MINIMAX, 0),
    ("alpha_D", "active-entropy"): (-1, 1),  # log n / n: below the minimax rate
    ("alpha_D", "total-entropy"): (-_MINIMAX, 0),
    ("alpha_D", "frozen-router"): (-_MINIMAX, 0),
    ("alpha_C", "as-stated"): (-_COMPUTE, 0),
    ("alpha_C", "total-compute"): (-_COMPUTE, 0),
    ("alpha_C", "active-compute"): (-_MINIMAX, 0),
    ("alpha_C", "active-entropy"): (-1, 1),
    ("alpha_C", "frozen-router"): (-_COMPUTE, 0),
    ("N_star", "fixed-data"): (_SIZE, 0),
    ("N_star", "fixed-compute"): (_SIZE_C, 0),
    ("N_star", "total-entropy"): (_SIZE, 0),
    ("N_star", "total-compute"): (_SIZE_C, 0),
    ("N_star", "active-compute"): (0, 0),  # N of order 1: experts cost no compute
    ("N_star", "frozen-router"): (_SIZE, 0),
    ("D_star", "fixed-compute"): (1 - _SIZE_C, 0),
    ("D_star", "total-compute"): (1 - _SIZE_C, 0),
    ("D_star", "active-compute"): (1, 0),
    ("D_star", "frozen-router"): (1 - _SIZE_C, 0),
    ("k_star", "both-branches"): (0, 0),
    ("k_star", "total-entropy"): (0, 0),
    ("k_star", "frozen-router"): (0, 0),  # every k attains it, the least is given
    ("M_star", "as-stated"): (d / (2 * beta), -d / (2 * beta)),
    ("M_star", "total-entropy"): (_SIZE, 0),
    ("M_star", "frozen-router"): (_SIZE, 0),
    ("M_star", "total-compute"): (_SIZE_C, 0),
    ("M_star", "active-compute"): (_SIZE, 0),
}
HARD_ROUTERS = {  # the logarithm of a trained hard router's price stays: it costs a power of the log, and fewer experts
    "alpha_D": (-_MINIMAX, _MINIMAX),
    "alpha_C": (-_COMPUTE, _COMPUTE),
    "N_star": (_SIZE, -_SIZE),
    "D_star": (1 - _SIZE_C, _SIZE_C),
    "k_star": (0, 0),
    "M_star": (_SIZE, -_SIZE),
}
EXPONENTS |= {
    (name, cover): value for name, value in HARD_ROUTERS.items() for cover in ("boundary-mass", "empirical")
}
PIECEWISE = {("k_star", "as-stated")}


def test_every_reading_has_its_exponent_in_this_table():
    listed = {(name, reading) for name, found in DERIVABLE.items() for reading in found.settings}
    assert set(EXPONENTS) | PIECEWISE == listed


@pytest.mark.parametrize(("name", "reading"), EXPONENTS)
def test_exponents_are_exact_under_every_reading(name, reading):
    exponent, logs = EXPONENTS[name, reading]
    found = derive(name, reading)
    scale = found.optimum.certificate.problem.scale
    ratio = (found.result / (scale**exponent * sp.log(scale) ** logs)).subs(sp.log(scale), _LOG)
    assert sp.simplify(sp.powsimp(ratio)) == 1
    assert not found.result.has(sp.Float)
    assert found.optimum.complete
    assert found.check()


def test_the_best_number_of_active_experts_is_all_until_routing_costs_more():
    """At M = n^mu: all experts up to mu = d/(2 beta + d), then n^(d/(2 beta + d)) less a power of the log."""
    pieces = derive("k_star", "as-stated").optimum.pieces
    (mu,) = pieces[0].power.free_symbols - {beta, d} or {sp.Symbol("mu", positive=True)}
    sizes = {sp.simplify(piece.argmin[k]) for piece in pieces}
    assert n**mu in sizes
    assert any(sp.simplify(s / (n**_SIZE * sp.log(n) ** -_SIZE)) == 1 for s in sizes)


IDENTITY_HOLDS = {
    ("data_exponent_from_model_exponent", "as-stated"): True,
    ("data_exponent_from_model_exponent", "active-entropy"): False,
    ("data_exponent_from_model_exponent", "total-entropy"): True,
    ("data_exponent_from_model_exponent", "frozen-router"): True,
    ("compute_exponent_from_both", "as-stated"): True,
    ("compute_exponent_from_both", "total-compute"): True,
    ("compute_exponent_from_both", "active-compute"): False,
    ("compute_exponent_from_both", "active-entropy"): False,
    ("compute_exponent_from_both", "frozen-router"): True,
    ("data_exponent_from_model_exponent", "boundary-mass"): True,
    ("data_exponent_from_model_exponent", "empirical"): True,
    ("compute_exponent_from_both", "boundary-mass"): True,
    ("compute_exponent_from_both", "empirical"): True,
}


def test_both_identities_have_a_row_for_each_reading():
    assert set(IDENTITY_HOLDS) == {(name, reading) for name in IDENTITIES for reading in readings_of(name)}


@pytest.mark.parametrize(("name", "reading"), IDENTITY_HOLDS)
def test_identities_hold_under_some_readings_and_fail_under_others(name, reading):
    found = derive(name, reading)
    assert found.holds is IDENTITY_HOLDS[name, reading]
    assert found.check()
    assert ("does not hold" in found.text()) is not found.holds
    assert (r"\neq" in found.latex()) is not found.holds


def test_the_default_of_an_identity_is_its_statement():
    assert derive("compute_exponent_from_both").conclusion.name == "compute_exponent_from_both"
    assert derive("compute_exponent_from_both").holds is None


def test_a_size_is_the_last_line_of_its_derivation():
    assert derive("M_star", "total-compute").latex().splitlines()[-2].startswith("M^{*} = C^{")


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
    with pytest.raises(ValueError, match=r"no result has this name.*Did you mean alpha_"):
        derive("alpha_Z")
    with pytest.raises(
        ValueError,
        match="expected one of as-stated, active-entropy, total-entropy, frozen-router, boundary-mass, empirical",
    ):
        derive("alpha_D", "frozen")
    with pytest.raises(ValueError, match=r"only .*alpha_N, .*N_star, .* have readings"):
        derive("risk_bound", "as-stated")
    assert issubclass(RateError, ValueError)


def test_a_name_that_is_nearly_right_is_suggested():
    for wrong, right in (("alpha_dd", "alpha_D"), ("D_starr", "D_star"), ("data_exponen", "data_exponent")):
        with pytest.raises(ValueError, match=f"Did you mean {right}") as problem:
            derive(wrong)
        assert len(str(problem.value)) < 200
    with pytest.raises(ValueError, match=r"lists\.$"):
        derive("xyzzy")


def test_no_line_of_a_derivation_says_that_something_is_itself():
    for name in derivable():
        for line in derive(name).text().splitlines() + derive(name).latex().splitlines():
            left, equals, right = line.partition("&&")[0].rpartition("  ")[2].partition(" = ")
            assert not equals or left.strip() != right.strip(), line
    assert "both sides are beta" in derive("compute_exponent_from_both", "total-compute").text()


@pytest.mark.parametrize(
    ("typed", "meant"), [("alphaD", "alpha_D"), ("n*", "N_star"), ("Data-Exponent", "data_exponent")]
)
def test_case_and_punctuation_of_a_name_do_not_matter(typed, meant):
    assert derive(typed).name == meant
