"""Laws against their sources' numbers and against direct minimisation."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from paper_checks.ludziejewski2025 import claims as ludziejewski
from theory import JMSL, JointMoELaw, SeparableLaw, effective_experts
from theory.laws.law import LAWS

exponents = st.floats(0.05, 1.5)


@given(exponents, exponents, st.floats(0.1, 1e4), st.floats(0.1, 1e4), st.floats(1e15, 1e24))
def test_no_other_split_of_the_compute_gives_a_lower_loss(u, v, m, n, flops):
    law = SeparableLaw(m, u, n, v)
    best = law.compute_optimal(flops)
    assert 6 * best.parameters * best.tokens == pytest.approx(flops, rel=1e-9)
    for factor in (0.5, 0.9, 1.1, 2.0):
        size = best.parameters * factor
        assert law.loss(size, flops / 6 / size) >= best.loss * (1 - 1e-12)


def test_the_reducible_loss_falls_with_the_compute_exponent():
    law = SeparableLaw(406.4, 0.34, 410.7, 0.28, floor=1.69)
    slope = math.log(
        (law.compute_optimal(1e20).loss - 1.69) / (law.compute_optimal(1e22).loss - 1.69)
    ) / math.log(100)
    assert slope == pytest.approx(law.compute_exponent, rel=1e-9)
    assert law.compute_exponent == pytest.approx(0.34 * 0.28 / 0.62)


def test_chinchilla_spends_its_budget_near_the_published_seventy_billion():
    best = SeparableLaw(482.01, 0.3478, 2085.43, 0.3658, floor=1.8172).compute_optimal(5.76e23)
    assert best.tokens / best.parameters == pytest.approx(20, rel=0.35)  # Besiroglu et al. 2024, about 20


def test_the_transform_starts_at_e_start_and_saturates_at_e_max():
    assert effective_experts(1, start=2.0, maximum=300.0) == pytest.approx(2.0)
    assert effective_experts(1e12, start=2.0, maximum=300.0) == pytest.approx(300.0)
    values = [effective_experts(e, start=2.0, maximum=300.0) for e in (1, 2, 4, 64, 4096)]
    assert values == sorted(values)
    for wrong in ({"start": 3, "maximum": 2}, {"start": -1, "maximum": 2}):
        with pytest.raises(ValueError, match="maximum > start > 0"):
            effective_experts(2, **wrong)
    with pytest.raises(ValueError, match="at least 1"):
        effective_experts(0.5, start=2, maximum=3)


def test_the_catalogue_holds_the_coefficients_of_the_printed_table():
    table = ludziejewski.table3
    for row, name in enumerate(table.column("coefficient").cells):
        assert getattr(JMSL, name) == float(table.cell(row, "value").printed.value)


def test_the_joint_law_reproduces_table_1_within_its_known_deviations():
    table = ludziejewski.table1
    for row, experts in enumerate(table.column("E").cells):
        law = SeparableLaw(*_row_of_table_4(row))
        for budget in (20, 21, 22):
            best = law.compute_optimal(10.0**budget)
            size = float(table.cell(row, f"N_{budget}").printed.value) * 1e9
            tokens = float(table.cell(row, f"D_{budget}").printed.value) * 1e9
            assert best.parameters == pytest.approx(size, rel=0.027), experts
            assert best.tokens == pytest.approx(tokens, rel=0.009), experts


def _row_of_table_4(row):
    m, mu, n, nu = (float(ludziejewski.table4.cell(row, c).printed.value) for c in ("m", "mu", "n", "nu"))
    return m, -mu, n, -nu


def test_symbolic_and_numeric_joint_law_agree():
    symbolic = JointMoELaw.symbolic()
    values = {getattr(symbolic, name): sp.Rational(str(getattr(JMSL, name))) for name in vars(JMSL)}
    loss = symbolic.loss(sp.Integer(10) ** 9, sp.Integer(10) ** 10, 8).subs(values)
    assert float(loss) == pytest.approx(JMSL.loss(1e9, 1e10, 8), rel=1e-12)


def test_exponents_with_their_minus_sign_are_refused():
    with pytest.raises(ValueError, match="without their minus sign"):
        SeparableLaw(1.0, -0.3, 1.0, 0.3)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: JMSL.compute_optimal(-1, 8), "flops=-1"),
        (lambda: JMSL.compute_optimal("1e22", 8), "flops='1e22'"),
        (lambda: JMSL.compute_optimal(float("nan"), 8), "flops=nan"),
        (lambda: JMSL.loss(-1e9, 2e10, 8), "parameters=-1000000000.0"),
        (lambda: JMSL.loss(0, 2e10, 8), "parameters=0"),
        (lambda: JMSL.loss(1e9, 0, 8), "tokens=0"),
        (lambda: JMSL.loss(1e9, 2e10, "8"), "expansion='8'"),
        (lambda: JMSL.at(0.5), "at least 1"),
        (lambda: SeparableLaw(1, "0.34", 1, 0.3), "u='0.34'"),
        (lambda: SeparableLaw(True, 0.3, 1, 0.3), "m=True"),
        (lambda: SeparableLaw(1, 0.3, 1, 0.3, floor="1.69"), "floor='1.69'"),
    ],
)
def test_an_argument_that_is_no_positive_number_is_named(call, said):
    with pytest.raises(ValueError, match=said):
        call()


def test_an_allocation_shows_as_latex():
    assert JMSL.compute_optimal(1e21, 8)._repr_latex_() == (
        r"$N^{*} = 3.786 \cdot 10^{9},\quad D^{*} = 4.402 \cdot 10^{10},\quad L = 2.295$"
    )


def test_laws_show_as_latex_in_a_notebook():
    assert SeparableLaw(406.4, 0.34, 410.7, 0.28, 1.69)._repr_latex_() == (
        r"$L = 406.4\, N^{-0.34} + 410.7\, D^{-0.28} + 1.69$"
    )
    assert JMSL._repr_latex_().startswith(r"$L = 35.91\, \hat{E}^{-0.2285} N^{")


def test_clark_prints_its_coefficients_for_logarithms_to_base_10():
    law = LAWS["clark2022-sbase"].law
    size, experts = math.log10(1.3e8), math.log10(float(effective_experts(64, start=1.847, maximum=314.478)))
    printed = 10 ** (-0.082 * size - 0.108 * experts + 0.009 * size * experts + 1.104)
    assert law.loss(1.3e8, 64) == pytest.approx(printed, rel=1e-13)


@pytest.mark.parametrize("flops", [1e18, 1e20, 1e22])
def test_repeated_data_is_spent_as_a_fine_grid_would_spend_it(flops):
    law = LAWS["muennighoff2023"].law
    best = law.compute_optimal(flops, 2e9)
    sizes = best.parameters * np.exp(np.linspace(-3, 3, 60_001))
    losses = law.loss(sizes, flops / 6 / sizes, np.full_like(sizes, 2e9))
    assert best.loss <= losses.min() * (1 + 1e-15)
    assert abs(np.log(sizes[losses.argmin()] / best.parameters)) < 1e-3


def test_a_repeated_token_is_never_worth_more_than_a_new_one():
    law = LAWS["muennighoff2023"].law
    assert law.loss(1e9, 2e10, 2e10) == law.unrepeated().loss(1e9, 2e10)
    assert law.loss(1e9, 2e10, 1e10) > law.loss(1e9, 2e10, 2e10)
    assert law.loss(1e9, 2e10, 1e10) < law.loss(1e9, 1e10, 1e10)
