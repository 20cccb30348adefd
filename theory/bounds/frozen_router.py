"""Frozen routers on fixed features: all experts are paid, routing is not."""

from __future__ import annotations

__all__ = ["frozen_router_bound"]

from theory.bounds.bound import Bound
from theory.bounds.repaired import NAT, repaired_statement, repaired_terms, rounded
from theory.results.covering.experts import Gate
from theory.results.covering.repaired import all_parameters, frozen_router_cover
from theory.vocabulary import R

_terms = repaired_terms(all_parameters, None)
frozen_router_bound = repaired_statement(
    "frozen_router_bound",
    "frozen routers on fixed features: all experts are paid, routing is not",
    frozen_router_cover,
    _terms,
    all_parameters * rounded,
    "an upper bound",
)

frozen_router = Bound(
    "frozen-router",
    frozen_router_bound.words,
    frozen_router_bound,
    _terms,
    trivial=R**2,
    nat=NAT,
    gate=Gate.FIXED,
    parameters=all_parameters,
)
