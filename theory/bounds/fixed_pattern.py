"""Functions that each follow one fixed routing pattern: what a pattern touches is paid, and the patterns."""

from __future__ import annotations

__all__ = ["fixed_pattern_bound"]

import sympy as sp

from theory.bounds.bound import Bound
from theory.bounds.repaired import NAT, repaired_statement, repaired_terms, rounded, with_definitions
from theory.relation import eq
from theory.results.covering.experts import Gate
from theory.results.covering.fixed_pattern import all_patterns_cover, subsets, touched
from theory.statement import Hypothesis
from theory.vocabulary import L_T, M, R, ell, k

_touched = sp.Symbol("touched", positive=True)
_patterns = L_T * ell * sp.log(subsets)
_terms = repaired_terms(_touched, _patterns)
fixed_pattern_bound = repaired_statement(
    "fixed_pattern_bound",
    "each function follows one routing pattern: P = L_T (Pi_attn + min(M, k ell) Pi_exp) and L_T ell log C(M, k)",
    all_patterns_cover,
    _terms,
    _touched * rounded + _patterns,
    "an upper bound; the pattern may be any, but it does not depend on the input",
    named=(
        Hypothesis("subsets", "the number of k-subsets of M experts", eq(subsets, sp.binomial(M, k))),
        Hypothesis("touched", "parameters that a pattern of one sequence touches", eq(_touched, touched)),
    ),
)

fixed_pattern = Bound(
    "fixed-pattern",
    fixed_pattern_bound.words,
    fixed_pattern_bound,
    with_definitions(_terms, fixed_pattern_bound),
    trivial=R**2,
    nat=NAT,
    gate=Gate.FIXED,
    parameters=touched,
)
