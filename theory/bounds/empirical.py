"""Trained linear routers on fixed features, risk on the sample: all experts and their sign patterns are paid."""

from __future__ import annotations

__all__ = ["empirical_bound"]

import sympy as sp

from theory.bounds.bound import Bound
from theory.bounds.repaired import (
    NAT_ON_SAMPLE,
    repaired_statement,
    repaired_terms,
    rounded,
    with_definitions,
)
from theory.relation import Relation, eq
from theory.results.covering.experts import Gate
from theory.results.covering.repaired import all_parameters, empirical_cover
from theory.statement import Hypothesis
from theory.vocabulary import L_T, M, R, d_model, ell, n

_router = M * d_model
_comparisons = sp.Symbol("comparisons", positive=True)
_pairs = ell * (M - 1) / (2 * d_model)
signs = L_T * _router * (1 + sp.log(n * _comparisons))
"""L_T p log(e m/p) with p = M d_model and m = n ell M (M - 1)/2: each block's router counts by itself."""
_terms = repaired_terms(all_parameters, signs, on_sample=True)
empirical_bound = repaired_statement(
    "empirical_bound",
    "trained linear routers on fixed features, risk on the sample: all experts and L_T p log(e m/p) are paid",
    empirical_cover,
    _terms,
    all_parameters * rounded + signs,
    "an upper bound on the risk at the n inputs themselves; p = M d_model, m = n ell M (M - 1)/2 >= p, a router a block",
    on_sample=True,
    named=(
        Hypothesis(
            "comparisons",
            "hyperplanes of a router on one sequence, over its parameters",
            eq(_comparisons, _pairs),
        ),
        Hypothesis("enough inputs", "m is at least p", Relation(n, ">=", 1 / _comparisons)),
    ),
)

empirical = Bound(
    "empirical",
    empirical_bound.words,
    empirical_bound,
    with_definitions(_terms, empirical_bound),
    trivial=R**2,
    nat=NAT_ON_SAMPLE,
    gate=Gate.FIXED,
    parameters=all_parameters,
    least_experts=2,
    least_samples=1 / _pairs,
)
