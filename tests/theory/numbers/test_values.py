"""Floats and balls of a formula."""

from __future__ import annotations

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.numbers.values import ball, number
from theory.results.routing import (
    k_log_ratio_le_log_choose,
    log_choose_le_entropy,
    log_choose_le_k_log,
)
from theory.vocabulary import M, k

x, y = sp.symbols("x y", positive=True)


def test_a_bound_has_values_and_x_log_x_is_0_at_0():
    at_end = log_choose_le_entropy.at({M: 5, k: 5})
    assert at_end.number() == 0
    assert at_end.ball() == 0
    some = log_choose_le_k_log.at({M: 64, k: 2})
    assert abs(some.ball() - some.number()) < 1e-12
    assert k_log_ratio_le_log_choose.at({M: 64, k: 64}).number() == 0
    with pytest.raises(ValueError, match="no value for M"):
        log_choose_le_k_log.at({k: 2}).number()
    with pytest.raises(ValueError, match="zeta"):
        number(sp.zeta(x), {x: 3})


@settings(max_examples=50, deadline=None)
@given(st.fractions("0.01", 50), st.fractions("0.01", 50))
def test_balls_hold_what_floats_come_close_to(u, v):
    at = {x: sp.Rational(u.numerator, u.denominator), y: sp.Rational(v.numerator, v.denominator)}
    for formula in (
        x**y,
        sp.log(1 + x) * y,
        sp.Min(x, y) / sp.Max(x, 2 * y),
        sp.exp(-x) + sp.erf(y),
    ):
        enclosed, value = ball(formula, at), number(formula, at)
        assert abs(enclosed - value) <= 1e-9 * (1 + abs(value))
