"""When routing dominates the bound, and where it is best in M, at sizes of published models."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest
import sympy as sp
from scipy.optimize import minimize_scalar

import theory
from theory import L_T, LatentAttention, M, MoETransformer, Pi_exp, beta, d, ell, k, n, regimes
from theory.architecture import LLAMA_CONVENTION, PAPER_CONVENTION

# Mixtral 8x7B (arXiv 2401.04088, Table 1, and its published configuration): 32 layers, grouped-query attention
MIXTRAL = MoETransformer(
    layers=32, d_model=4096, d_ff=14336, experts=8, active=2, heads=32, kv_heads=8, head_dim=128
)
# DeepSeek-V3 (arXiv 2412.19437, section 4.2): 58 MoE layers of 61, 256 routed experts and a shared one, 8 active
DEEPSEEK_V3 = MoETransformer(
    layers=58, d_model=7168, d_ff=2048, experts=256, active=8, shared_experts=1, heads=128, head_dim=128
)
DEEPSEEK_V3_ATTENTION = LatentAttention(
    d_model=7168, heads=128, head_dim=128, rope_dim=64, value_dim=128, query_rank=1536, key_value_rank=512
)
# A very fine-grained design: gated experts, one key-value head in four
FINE_GRAINED = MoETransformer(
    layers=1, d_model=2048, d_ff=512, experts=512, active=10, heads=16, kv_heads=4, head_dim=128
)


def printed(value: str) -> tuple[float, float]:
    """The values that print like this."""
    half = 0.5 * 10.0 ** (-len(value.partition(".")[2].partition("e")[0]) + int(value.partition("e")[2] or 0))
    return float(value) - half, float(value) + half


@pytest.mark.parametrize(
    ("model", "tokens", "attention", "overhead"),
    [
        (MIXTRAL, 32_768, None, "4.0e-4"),
        (DEEPSEEK_V3, 4_096, DEEPSEEK_V3_ATTENTION.parameters(), "2.7e-4"),
        (DEEPSEEK_V3, 131_072, DEEPSEEK_V3_ATTENTION.parameters(), "8.7e-3"),
        (FINE_GRAINED, 262_144, None, ".31"),
    ],
)
def test_the_share_of_routing_in_the_bound_at_published_sizes(model, tokens, attention, overhead):
    found = regimes.routing_overhead(
        model, tokens, convention=LLAMA_CONVENTION, attention_parameters=attention
    )
    low, high = printed(overhead)
    assert low <= found <= high


def test_parameters_of_the_published_models():
    """178 million a gated expert of Mixtral's; 187 million of latent attention in a block of DeepSeek-V3."""
    assert MIXTRAL.attention_parameters(LLAMA_CONVENTION) == 41_943_040
    assert MIXTRAL.expert_parameters(LLAMA_CONVENTION) == 176_160_768
    assert DEEPSEEK_V3.expert_parameters(LLAMA_CONVENTION) == 44_040_192
    assert DEEPSEEK_V3_ATTENTION.parameters() == 187_105_280


def test_the_share_of_routing_in_the_runs_of_the_paper():
    path = Path(theory.__file__).parents[1] / "paper_checks" / "mayaki2026" / "table3.csv"
    rows = csv.DictReader(line for line in path.read_text().splitlines() if not line.startswith("#"))
    found = [
        regimes.routing_overhead(
            MoETransformer(
                layers=int(row["L_T [blocks]"]), d_model=512, d_ff=int(row["d_ff [features]"]), experts=8, active=2
            ),
            256,
            convention=PAPER_CONVENTION,
        )
        for row in rows
    ]  # fmt: skip
    assert len(found) == 6
    assert printed("3.9e-4")[0] <= min(found) <= printed("3.9e-4")[1]
    assert printed("7.8e-4")[0] <= max(found) <= printed("7.8e-4")[1]


def test_the_share_grows_with_the_sequence_and_reaches_one():
    one = regimes.routing_overhead(MIXTRAL, 1)
    assert regimes.routing_overhead(MIXTRAL, 5000) == pytest.approx(5000 * one)
    attention, expert = MIXTRAL.attention_parameters(), MIXTRAL.expert_parameters()
    crossing = (expert + attention / 2) / math.log(4 * math.e)
    assert regimes.routing_overhead(MIXTRAL, math.ceil(crossing)) >= 1
    assert regimes.routing_overhead(MIXTRAL, math.floor(crossing)) < 1


@pytest.mark.parametrize(("smooth", "dim"), [(1, 2), (2, 3), (1, 8)])
def test_the_best_number_of_experts_minimises_the_bound(smooth, dim):
    rate = 2 * smooth / dim
    at = {beta: smooth, d: dim, n: 10**7, L_T: 3, ell: 20, k: 2, Pi_exp: 50}

    def least(bound):
        return math.exp(minimize_scalar(lambda x: math.log(bound(math.exp(x))), bounds=(0, 60), method="bounded", options={"xatol": 1e-10}).x)  # fmt: skip

    stated = least(lambda m: m**-rate + 3 * 20 * 2 * math.log(math.e * m / 2) / 1e7)
    assert float(regimes.experts_optimal_as_stated.formula.subs(at)) == pytest.approx(stated, rel=1e-4)
    repaired = least(lambda m: m**-rate + 3 * 50 * m / 1e7)
    assert float(regimes.experts_optimal_repaired.formula.subs(at)) == pytest.approx(repaired, rel=1e-4)


def test_the_optimum_as_stated_beats_the_minimax_rate():
    """log n/n, where no estimator can do better than n^(-2/5) at beta = 1, d = 3."""
    ones = {beta: 1, d: 3, L_T: 1, ell: 1, k: 1}
    best = regimes.experts_optimal_as_stated.formula.subs(ones)
    risk = (M ** -sp.Rational(2, 3) + sp.log(sp.E * M) / n).subs(M, best)
    for size in (10**8, 10**16):
        assert float(risk.subs(n, size)) < 3 * math.log(size) / size < size**-0.4
