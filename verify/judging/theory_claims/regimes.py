"""Optimal sizes and compute exponents under each reading, as claims on the minimum itself, with and without constants."""

from __future__ import annotations

import sympy as sp

from theory.relation import Relation, eq
from theory.results.allocation import (
    compute_optimal_size_on_total,
    compute_optimal_tokens,
    free_experts_under_active_compute,
    risk_bound_on_total,
)
from theory.results.exponents import compute_optimal_size, optimal_size_at_fixed_data, risk_bound
from theory.results.regimes import experts_optimal_repaired
from theory.vocabulary import L_T, A, B, C, D, M, N, Pi_exp, a, beta, d, ell, k, n, sparsity
from verify.checks.posynomials import PosynomialMinimum
from verify.checks.rates import RateOptimum, RiskAboveMinimax
from verify.judging.theory_claims.paper import theory

_a = 2 * beta / d
_size = optimal_size_at_fixed_data.formula
theory.claim(
    "regimes/two-term-minimum",
    "no size does better than (1 + a) A N*^-a on the two-term bound",
    where="exponents",
    check=PosynomialMinimum(
        risk_bound.formula, [N], (1 + a) * A * _size**-a, argmin={N: _size}, uses=(risk_bound,)
    ),
    mutants={
        "another constant": {"value": (2 + a) * A * _size**-a},
        "another size": {"argmin": {N: 2 * _size}},
    },
)
_best = compute_optimal_size.formula
theory.claim(
    "regimes/compute-minimum",
    "no split of compute 6 N D does better than N*, D* on the two-term bound",
    where="allocation",
    check=PosynomialMinimum(
        A * N**-a + B * ell * N / D,
        [N, D],
        (1 + a / 2) * A * _best**-a,
        subject_to=[eq(6 * N * D, C)],
        argmin={N: _best, D: compute_optimal_tokens.formula},
        uses=(risk_bound, compute_optimal_tokens),
    ),
    mutants={
        "tokens and sequences confused": {"objective": A * N**-a + B * N / D},
        "2 FLOPs per parameter and token": {"subject_to": [eq(2 * N * D, C)]},
    },
)
_on_total = compute_optimal_size_on_total.formula
theory.claim(
    "regimes/total-compute-minimum",
    "with N_tot = sparsity N in entropy and compute no split does better than N*",
    where="allocation",
    check=PosynomialMinimum(
        A * N**-a + B * ell * sparsity * N / D,
        [N, D],
        (1 + a / 2) * A * _on_total**-a,
        subject_to=[eq(6 * sparsity * N * D, C)],
        argmin={N: _on_total},
        uses=(compute_optimal_size_on_total,),
    ),
    mutants={"compute on active parameters": {"subject_to": [eq(6 * N * D, C)]}},
)
theory.claim(
    "regimes/repaired-experts-minimum",
    "with its entropy repaired the branch in M is smallest at M*, and its minimum is (1 + a) M*^-a",
    where="regimes",
    check=PosynomialMinimum(
        M**-_a + L_T * Pi_exp * M / n,
        [M],
        (1 + _a) * experts_optimal_repaired.formula**-_a,
        argmin={M: experts_optimal_repaired.formula},
        uses=(experts_optimal_repaired,),
    ),
    mutants={"an entropy of order M^2": {"objective": M**-_a + L_T * Pi_exp * M**2 / n}},
)
theory.claim(
    "regimes/attention-scores-enclosed",
    "attention scores that cost what 10^7 parameters cost leave a least risk between 0.001648 and 0.001649",
    where="allocation",
    reading="A = B = 1, a = 1/2, ell = 1024 and C = 10^20 FLOPs; without scores it would be 0.000944",
    check=PosynomialMinimum(
        A * N**-a + 6 * B * ell * N * (N + sp.Integer(10) ** 7) / C,
        [N],
        between=(sp.Rational("0.001648"), sp.Rational("0.001649")),
        at={A: 1, B: 1, a: sp.Rational(1, 2), ell: 1024, C: 10**20},
        uses=(risk_bound,),
    ),
    mutants={"without scores": {"objective": A * N**-a + 6 * B * ell * N**2 / C}},
)

# Exponents when M is free

_patterns = k * sp.log(sp.E * M / k)
_error = sp.Min(k**-_a, M**-_a)
_free = {"subject_to": [eq(M * D, C), Relation(k, "<=", M)]}
_on_active = {"subject_to": [eq(k * D, C), Relation(k, "<=", M)]}
_minimax = 2 * beta / (2 * beta + d)
for _slug, _words, _entropy, _counted, _power, _mutants in (
    (
        "total-compute",
        "with M free, entropy repaired and compute on total parameters the risk falls as C^(-beta/(beta + d))",
        M + _patterns, M, C ** (-beta / (beta + d)), _on_active,
    ),
    (
        "active-compute",
        "with M free, entropy repaired and compute on active parameters the risk falls as C^(-2 beta/(2 beta + d))",
        M + _patterns, k, C**-_minimax, _free,
    ),
):  # fmt: skip
    theory.claim(
        f"regimes/{_slug}-exponent",
        _words,
        where="allocation",
        reading="logarithms dropped in the error; sizes of experts, depth and sequence length of order 1",
        check=RateOptimum(
            _error + _entropy / D,
            [k, M, D],
            C,
            _power,
            [eq(_counted * D, C), Relation(k, "<=", M)],
            uses=(risk_bound_on_total, free_experts_under_active_compute),
        ),
        mutants={"compute counts the other parameters": _mutants},
    )
theory.claim(
    "regimes/repaired-experts-above-minimax",
    "with its entropy repaired the branch in M does not promise less than the minimax rate",
    where="regimes",
    check=RiskAboveMinimax(M**-_a + (M + sp.log(sp.E * M)) / n, [M], n, uses=(experts_optimal_repaired,)),
    mutants={"entropy as stated": {"risk": M**-_a + sp.log(sp.E * M) / n}},
)
