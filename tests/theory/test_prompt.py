"""What a theorist types from memory: it works, or one line says what to write."""

from __future__ import annotations

import pytest
import sympy as sp

import theory
from theory import (
    C,
    D,
    Eq,
    M,
    MoelawsError,
    N,
    RateError,
    alpha_D,
    beta,
    binomial,
    d,
    data_exponent,
    derive,
    evaluate,
    frozen_router_bound,
    k,
    log,
    minimise,
    n,
    symbols,
)

mu = symbols("mu", positive=True)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (lambda: minimise(N ** -(2 * beta / d) + N**sp.oo / n, over=N, given=n), "holds an infinity"),
        (lambda: minimise(N / n + 1 / N + sp.Symbol("q") * sp.oo, over=N, given=n), "holds an infinity"),
        (
            lambda: minimise(k / n + log(n / M) / k, over=k, given={n: 1, M: 2}),
            "its argument is at most 1, so the logarithm is negative; turn it over",
        ),
        (
            lambda: minimise(k / n + log(n / M) / k, over=k, given={n: 1, M: mu}, subject_to=[mu > 1]),
            "so the logarithm is negative",
        ),
        (
            lambda: minimise(1 / N + N / D, over=(N, D), given=C, subject_to=[6 * N * D == C]),
            "write Eq(left, right)",
        ),
        (lambda: derive(3), "expected a name, such as 'alpha_D', or a statement"),
        (lambda: evaluate(frozen_router_bound, "mixtral-8x7b", tokens=10**12), "Did you mean frozen-router"),
        (lambda: evaluate("stated", "mixtral-8x7b", tokens=1.5), "expected a whole number of at least 1"),
    ],
)
def test_what_cannot_work_is_one_helpful_line(typed, said):
    with pytest.raises(MoelawsError) as fault:
        typed()
    assert said in str(fault.value)
    assert "\n" not in str(fault.value)


def test_a_logarithm_that_is_negative_for_some_parameters_only_leaves_the_others():
    found = minimise(k / n + log(n / M) / k, over=k, given={n: 1, M: mu})
    assert "μ < 1" in repr(found) or "mu < 1" in repr(found)


def test_a_symbol_and_a_statement_are_derived_as_their_names_are():
    assert derive(alpha_D).text() == derive("alpha_D").text()
    assert derive(data_exponent).text() == derive("data_exponent").text()


def test_whole_floats_are_counts():
    assert repr(evaluate("stated", "mixtral-8x7b", tokens=1e12)) == repr(
        evaluate("stated", "mixtral-8x7b", tokens=10**12)
    )


def test_constraints_are_written_with_what_the_theory_exports():
    found = minimise(N ** (-2 * beta / d) + N / D, over=(N, D), given=C, subject_to=[Eq(6 * N * D, C)])
    assert repr(found).startswith("C^(-β/(β+d))")
    with pytest.raises(RateError, match="its logarithm lies between"):
        minimise(1 / M + binomial(M, k) / n, over=(M, k), given=n)
    assert {"Eq", "binomial", "symbols"} <= set(theory.__all__)
