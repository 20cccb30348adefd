"""A softmax gate over all experts: all experts and router rows are paid."""

from __future__ import annotations

__all__ = ["soft_gate_bound"]

from theory.bounds.bound import Bound
from theory.bounds.repaired import NAT, repaired_statement, repaired_terms, rounded
from theory.results.covering.experts import Gate
from theory.results.covering.repaired import soft_gate_cover, soft_parameters
from theory.vocabulary import R

_terms = repaired_terms(soft_parameters, None)
soft_gate_bound = repaired_statement(
    "soft_gate_bound",
    "a softmax gate over all experts: all experts and router rows are paid",
    soft_gate_cover,
    _terms,
    soft_parameters * rounded,
    "an upper bound; Lambda is that of the class with Gate.SOFTMAX",
)

soft_gate = Bound(
    "soft-gate",
    soft_gate_bound.words,
    soft_gate_bound,
    _terms,
    trivial=R**2,
    nat=NAT,
    gate=Gate.SOFTMAX,
    parameters=soft_parameters,
)
