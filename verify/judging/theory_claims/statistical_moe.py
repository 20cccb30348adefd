"""The risk bounds of arXiv 2609.03501 as rates: their optimum over M, and where it stands against the minimax rate."""

from __future__ import annotations

from sympy import log, sqrt

from theory.results.statistical_moe import (
    dense_routing_rate,
    dense_routing_risk,
    statistical_moe_exponent,
    sup_norm_rate,
    top_k_routing_rate,
    top_k_routing_risk,
)
from theory.vocabulary import M, beta, d, n
from verify.checks.rates import RateOptimum, RiskAboveMinimax
from verify.judging.theory_claims.paper import theory

WHERE = "statistical_moe"
LOCAL = "a_2 and a_3 are local L2 errors of order M^(-1/2 - beta/d), A_soft is no larger than theirs together"
_minimax = n ** (-statistical_moe_exponent.formula)
_rate = _minimax * log(n) ** statistical_moe_exponent.formula

theory.claim(
    "statistical-moe/dense-optimum",
    "the dense bound, minimised over M, falls as (log(n)/n)^(2 beta/(2 beta + d)), and no faster",
    where=WHERE,
    reading=LOCAL,
    check=RateOptimum(dense_routing_rate, [M], n, _rate, uses=(dense_routing_risk, statistical_moe_exponent)),
    mutants={
        "without the logarithm": {"value": _minimax},
        "the parametric rate": {"value": 1 / n},
    },
)
theory.claim(
    "statistical-moe/top-k-optimum",
    "a margin of a power of 1/n costs top-k routing no exponent",
    where=WHERE,
    reading=f"{LOCAL}; margin of a power of 1/n",
    check=RateOptimum(top_k_routing_rate, [M], n, _rate, uses=(top_k_routing_risk, statistical_moe_exponent)),
    mutants={"with a logarithm more": {"value": _rate * log(n)}},
)
for _name, _bound, _reading in (
    ("dense", dense_routing_rate, LOCAL),
    ("top-k", top_k_routing_rate, f"{LOCAL}; margin of a power of 1/n"),
    ("sup-norm", sup_norm_rate, "a_2 and a_3 are sup-norm errors of order M^(-beta/d)"),
):
    theory.claim(
        f"statistical-moe/{_name}-above-minimax",
        "the bound, minimised over M, is not below the minimax rate",
        where=WHERE,
        reading=_reading,
        check=RiskAboveMinimax(_bound, [M], n, uses=(dense_routing_risk,)),
        mutants={
            "a price that does not grow with M": {"risk": M ** (-2 * beta / d) + log(M * n) / n},
            "a price of the square root of M": {"risk": M ** (-2 * beta / d) + sqrt(M) / n},
        },
    )
