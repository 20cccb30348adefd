"""Networks with b-bit weights, trained routers at any depth: b log 2 nats for each of all parameters, and nothing else."""

from __future__ import annotations

__all__ = ["finite_precision_bound"]

import sympy as sp

from theory.bounds.bound import Bound
from theory.bounds.formula import BoundTerm
from theory.bounds.repaired import CONSTRUCTION, NAT, RANGE, approximation_on_cells
from theory.relation import Relation, eq
from theory.results.approximation.cells import local_polynomials_on_cells
from theory.results.finite_precision import finite_precision_entropy, stored_entropy
from theory.results.oracle import (
    BOUNDED,
    ERM,
    ESTIMATION,
    IID,
    NOISE,
    SPLIT,
    finite_class_oracle,
    log_functions,
    oracle,
    risk,
)
from theory.statement import Kind, Source, Statement, Step
from theory.vocabulary import R, W, tau

_terms = (
    BoundTerm("approximation", approximation_on_cells / (1 - tau), "what M local polynomials leave"),
    BoundTerm(
        "parameters",
        NAT * stored_entropy,
        "bits of all parameters, in nats, over n",
    ),
)
_total = sp.Add(*(term.formula for term in _terms))
finite_precision_bound = Statement(
    name="finite_precision_bound",
    words="b-bit weights and trained input-dependent routers at any depth: all parameters are paid, b log 2 nats each",
    conclusion=Relation(risk, "<=", _total),
    kind=Kind.ARGUED,
    to_prove="proofs of finite_class_oracle and finite_precision_entropy, chained",
    source=Source("derived here", "docstring of theory.results.finite_precision"),
    hypotheses=(IID, NOISE, BOUNDED, ERM, SPLIT, RANGE, CONSTRUCTION, *finite_precision_entropy.hypotheses),
    uses=(finite_class_oracle, finite_precision_entropy, local_polynomials_on_cells),
    steps=(
        Step(
            "the oracle inequality at W = 2 R for that many functions",
            eq(
                sp.Subs(
                    oracle(approximation_on_cells, ESTIMATION), (log_functions, W), (stored_entropy, 2 * R)
                ),
                _total,
            ),
        ),
    ),
    reading="an upper bound; no bound on the weights, no Lipschitz constant and no radius; the minimum over b-bit networks is exact",
)

finite_precision = Bound(
    "finite-precision",
    finite_precision_bound.words,
    finite_precision_bound,
    _terms,
    trivial=R**2,
    nat=NAT,
)
