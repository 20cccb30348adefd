"""What follows from the statistical theory of MoE: exponents by minimisation, and the router net's price in numbers."""

from __future__ import annotations

import math

import pytest
import sympy as sp

from theory.rates import PairVerdict, minimax_consistency, minimise
from theory.results.statistical_moe import (
    aggregated_router_risk,
    dense_bound,
    dense_routing_rate,
    statistical_moe_exponent,
    sup_norm_rate,
    top_k_bound,
    top_k_routing_rate,
)
from theory.vocabulary import Lambda, M, beta, d, kappa, n, sigma


@pytest.mark.parametrize("rate", [dense_routing_rate, top_k_routing_rate])
def test_the_optimum_is_the_minimax_rate_up_to_a_logarithm(rate):
    [piece] = minimise(rate, (M,), given=n).pieces
    assert sp.simplify(piece.power + statistical_moe_exponent.formula) == 0
    assert sp.simplify(piece.log_power - 2 * beta / (2 * beta + d)) == 0
    assert minimax_consistency(rate, over=(M,), given=n).verdict is PairVerdict.CONSISTENT


def test_errors_read_in_sup_norm_leave_a_slack():
    found = minimax_consistency(sup_norm_rate, over=(M,), given=n)
    assert found.verdict is PairVerdict.CONSISTENT
    assert sp.simplify(found.slack - d**2 / (2 * beta * (2 * beta + d))) == 0


def test_top_k_adds_the_price_of_its_margin():
    margin = sp.Symbol("margin", positive=True)
    assert sp.simplify(top_k_bound - dense_bound - M * d / n * sp.log(1 / margin)) == 0


@pytest.mark.parametrize("experts", [2, 5])
def test_the_net_of_routers_is_no_larger_than_its_price(experts):
    """The bound against the count of the net itself, with ceil(kappa Lambda sqrt(n)) values an entry."""
    sizes = {M: experts, d: 3, n: 50, sigma: sp.Rational(1, 2), kappa: 2, Lambda: sp.Rational(7, 3)}
    price = float(aggregated_router_risk.formula.subs({**sizes, sp.Symbol("best", positive=True): 0}))
    values = math.ceil(2 * 7 / 3 * math.sqrt(50))
    counted = 2 / 50 + 4 * 0.25 / 50 * experts * 3 * math.log(values)
    assert counted <= price <= 1.05 * counted
