"""When routing dominates the bound, and where it is best in M, at sizes of published models."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest
import sympy as sp
from scipy.optimize import minimize_scalar

import theory
from theory import L_T, M, MoETransformer, Pi_exp, beta, d, ell, k, n
from theory.models.architecture import LLAMA_CONVENTION, PAPER_CONVENTION
from theory.models.published import published_model
from theory.results import regimes

MIXTRAL = published_model("mixtral-8x7b").architecture
DEEPSEEK_V3 = published_model("deepseek-v3").architecture
# A very fine-grained design: gated experts, one key-value head in four
FINE_GRAINED = MoETransformer(
    layers=1, d_model=2048, d_ff=512, experts=512, active=10, heads=16, kv_heads=4, head_dim=128
)


def printed(value: str) -> tuple[float, float]:
    """The values that print like this."""
    half = 0.5 * 10.0 ** (-len(value.partition(".")[2].partition("e")[0]) + int(value.partition("e")[2] or 0))
    return float(value) - half, float(value) + half


@pytest.mark.parametrize(
    ("model", "tokens", "overhead"),
    [
        (MIXTRAL, 32_768, "4.0e-4"),
        (DEEPSEEK_V3, 4_096, "2.7e-4"),
        (DEEPSEEK_V3, 131_072, "8.7e-3"),
        (FINE_GRAINED, 262_144, ".31"),
    ],
)
def test_the_share_of_routing_in_the_bound_at_published_sizes(model, tokens, overhead):
    """The shared expert of DeepSeek-V3 is left out, as in the bound; with it 2.7e-4 would be 2.5e-4."""
    low, high = printed(overhead)
    assert low <= regimes.routing_overhead(model, tokens, convention=LLAMA_CONVENTION) <= high


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
