"""The generalisation bound as stated in arXiv 2604.09175, with all its constants 1."""

from __future__ import annotations

__all__ = ["bound_as_stated"]

import sympy as sp

from theory.bounds.bound import Bound
from theory.bounds.formula import BoundTerm
from theory.relation import Relation
from theory.results.covering.as_stated import covering_as_stated, price_of_routing
from theory.results.exponents import PAPER
from theory.results.oracle import IID, risk
from theory.results.routing import ENOUGH, SOME_ACTIVE
from theory.statement import Hypothesis, Kind, Source, Statement
from theory.vocabulary import N_act, beta, d, n

_MOVES_AN_EXPONENT = "it moves an exponent whose base may be below or above 1"

bound_as_stated = Statement(
    name="bound_as_stated",
    words="the risk is at most N_act^(-2 beta/d) + N_act/n + L_T ell k log(e M/k)/n",
    conclusion=Relation(risk, "<=", N_act ** (-2 * beta / d) + N_act / n + price_of_routing / n),
    source=Source(PAPER, "generalisation bound, as relayed by reviews of an earlier version"),
    kind=Kind.ASSUMPTION,
    hypotheses=(
        IID,
        Hypothesis("smooth target", "the target is in C^beta on a compact d-dimensional manifold"),
        Hypothesis("empirical risk minimiser", "the squared loss is minimised exactly"),
        Hypothesis(
            "input-dependent routing", "top-k experts are chosen by a router that reads the layer's input"
        ),
        SOME_ACTIVE,
        ENOUGH,
    ),
    uses=(covering_as_stated,),
    reading="all constants 1 and logarithms of n dropped, so figures from it are orders of magnitude; N_eff = N_act",
)

stated = Bound(
    "stated",
    "the paper's bound with all constants 1",
    bound_as_stated,
    (
        BoundTerm("approximation", N_act ** (-2 * beta / d), "the branch in active parameters"),
        BoundTerm("parameters", N_act / n, "active parameters over sequences"),
        BoundTerm("routing", price_of_routing / n, "routing patterns of a sequence, over sequences"),
    ),
    trivial=sp.Integer(1),
)
