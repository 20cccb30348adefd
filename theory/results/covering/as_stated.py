"""The covering bound of arXiv 2604.09175 for input-dependent top-k routing, as relayed; an assumption, not a theorem here.

`theory.results.covering.counterexamples` refutes it in the reading given: with constant experts the entropy grows like M,
the bound like log M.
"""

from __future__ import annotations

__all__ = ["covering_as_stated"]

import sympy as sp

from theory.relation import Relation
from theory.results.exponents import PAPER
from theory.results.routing import ENOUGH, SOME_ACTIVE
from theory.statement import Hypothesis, Kind, Source, Statement
from theory.vocabulary import L_T, M, Pi_attn, Pi_exp, delta, ell, k

log_covering_number = sp.Symbol("log_N", positive=True)
price_of_parameters = (L_T * Pi_attn + L_T * k * Pi_exp) * sp.log(1 / delta)
price_of_routing = L_T * ell * k * sp.log(sp.E * M / k)

covering_as_stated = Statement(
    name="covering_as_stated",
    words="the class is covered at the price of its active parameters and its routing patterns",
    conclusion=Relation(log_covering_number, "<=", price_of_parameters + price_of_routing),
    source=Source(PAPER, "covering-number theorem, as relayed by reviews of an earlier version"),
    kind=Kind.ASSUMPTION,
    hypotheses=(
        Hypothesis(
            "input-dependent routing", "top-k experts are chosen by a router that reads the layer's input"
        ),
        Hypothesis("bounded class", "parameters and inputs are bounded"),
        SOME_ACTIVE,
        ENOUGH,
    ),
    reading="up to one factor that depends on neither delta, M, k, ell nor the parameter counts; sup-norm, in nats",
)
