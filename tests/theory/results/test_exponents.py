"""The exponents, checked by numeric minimisation that shares no code with the derivation."""

from __future__ import annotations

import math

import pytest
import sympy as sp
from scipy.optimize import minimize_scalar

from theory.posynomials import exponent, log_slope
from theory.results import exponents
from theory.statement import Kind, statements
from theory.vocabulary import A, B, C, N, a, alpha_C, alpha_D, alpha_N, beta, d, ell, n

CASES = [(1.0, 2.0), (0.5, 7.0), (1.5, 45.0), (2.0, 1.0)]


def smallest(bound):
    """Minimum of a function of log N by golden section."""
    return minimize_scalar(bound, bounds=(-60, 120), method="bounded", options={"xatol": 1e-12}).fun


@pytest.mark.parametrize(("smooth", "dim"), CASES)
def test_data_exponent_is_the_slope_of_the_numeric_minimum(smooth, dim):
    rate = 2 * smooth / dim

    def risk(samples):
        return smallest(lambda x: 3 * math.exp(-rate * x) + 5 * math.exp(x) / samples)

    slope = -(math.log(risk(1e12)) - math.log(risk(1e10))) / math.log(100)
    assert slope == pytest.approx(
        float(exponents.data_exponent.formula.subs({beta: smooth, d: dim})), rel=1e-6
    )


@pytest.mark.parametrize(("smooth", "dim"), CASES)
def test_compute_exponent_is_the_slope_of_the_numeric_minimum(smooth, dim):
    rate = 2 * smooth / dim

    def risk(compute):
        return smallest(lambda x: 3 * math.exp(-rate * x) + 5 * math.exp(2 * x) * 6 / compute)

    slope = -(math.log(risk(1e22)) - math.log(risk(1e20))) / math.log(100)
    assert slope == pytest.approx(
        float(exponents.compute_exponent.formula.subs({beta: smooth, d: dim})), rel=1e-6
    )


def test_optimal_sizes_minimise_the_bound_numerically():
    at = {A: 3, B: 5, n: 10**9, a: sp.Rational(2, 3), C: 10**18, ell: 7}
    for statement, bound in (
        (exponents.optimal_size_at_fixed_data, A * N**-a + B * N / n),
        (exponents.compute_optimal_size, A * N**-a + 6 * B * ell * N**2 / C),
    ):
        best = float(statement.formula.subs(at))
        value = sp.lambdify(N, bound.subs(at))
        assert value(best) < min(value(best * 1.001), value(best / 1.001))


def test_identities_hold_between_the_derived_exponents():
    values = {
        alpha_N: exponents.model_exponent.formula,
        alpha_D: exponents.data_exponent.formula,
        alpha_C: exponents.compute_exponent.formula,
    }
    for statement in (
        exponents.data_exponent_from_model_exponent,
        exponents.compute_exponent_from_both,
        exponents.compute_exponent_from_model_exponent,
    ):
        conclusion = statement.conclusion
        assert sp.simplify(conclusion.lhs.subs(values) - conclusion.rhs.subs(values)) == 0


def test_every_theorem_rests_on_named_assumptions_only():
    for statement in statements().values():
        assert all(s.kind is Kind.ASSUMPTION for s in statement.assumptions())
        for used in statement.uses:
            assert used.name in statements()
    names = [s.name for s in exponents.compute_exponent.assumptions()]
    assert names == ["risk_bound", "approximation_rate"]


def test_explain_shows_steps_source_and_what_it_uses():
    text = exponents.compute_exponent.explain()
    for part in ("compute_exponent", "1. ", "source:", "uses compute_size_exponent, approximation_exponent"):
        assert part in text
    assert exponents.data_exponent._repr_latex_() == r"$\alpha_D = \frac{2 \beta}{2 \beta + d}$"


def test_exponent_and_log_slope_agree_on_monomials():
    for term, expected in ((A * N**-a, -a), (5 * N**2 / C, 2), (A * C, 0), ((A * N) ** a / N, a - 1)):
        assert sp.simplify(exponent(term, N) - expected) == 0
        assert sp.simplify(log_slope(term, N).doit() - expected) == 0
