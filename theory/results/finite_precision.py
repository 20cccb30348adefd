"""Networks with b-bit weights are finitely many, whatever they compute: log N <= b log 2 N_tot.

A function of the class is named by its N_tot weights, each one of at most 2^b values, so there are at most 2^(b N_tot)
functions. Nothing is asked of the architecture: routers may be trained and read what trained layers compute, top-k may be
hard, normalisation may divide by anything. No Lipschitz constant, no bound on the weights and no radius enters, so this
holds where covers in sup-norm are infinite. The count is of the weights that are chosen by the data: total parameters, with
the rows of the routers, not those that one token uses. Two networks that share all active experts of one input still differ
elsewhere.

The class is finite, so `theory.results.oracle` applies as it stands: A is the least risk over the b-bit networks, and what
rounding the weights of a good network does to its function is part of A.

Fewer weights cost fewer nats. Where all but s weights are 0 the class has at most C(N_tot, s) 2^(b s) functions: the choice
of the s is paid, and it costs log(e N_tot/s) nats a kept weight. An update of rank q to a fixed matrix of u rows and v
columns is q (u + v) weights, and N_tot is then the number of those.
"""

from __future__ import annotations

__all__ = [
    "finite_precision_entropy",
    "pruned_entropy",
]

import sympy as sp

from theory.relation import Relation, eq
from theory.results.covering.fixed_pattern import log_covering_number
from theory.results.routing import log_choose_le_k_log
from theory.statement import Hypothesis, Kind, Source, Statement, Step
from theory.vocabulary import M, N_tot, bits, k

_DOCSTRING = Source("derived here", "docstring of theory.results.finite_precision")

STORED = Hypothesis(
    "stored weights",
    "every weight that the data choose, routers included, is one of 2^bits values that are fixed in advance",
)
DETERMINED = Hypothesis(
    "determined", "architecture and weights determine the function, ties of top-k included"
)

stored_entropy = bits * sp.log(2) * N_tot
"""b log 2 N_tot: what all weights take to write down, in nats."""

_count = eq(sp.log((2**bits) ** N_tot), stored_entropy)
finite_precision_entropy = Statement(
    name="finite_precision_entropy",
    words="networks with N_tot weights of b bits are at most 2^(b N_tot) functions: log N <= b log 2 N_tot",
    conclusion=_count,
    source=_DOCSTRING,
    hypotheses=(STORED, DETERMINED),
    steps=(Step("2^b values for each of N_tot weights, in nats", _count),),
    reading="total parameters, not active ones; an upper bound on the log of the number of functions, at radius 0",
    tight_at="no two weight vectors have the same function",
    proved_in="Precision.finite_precision_entropy",
    emitted=(("stored_entropy", stored_entropy),),
)

_total, _kept = sp.symbols("total kept", positive=True, integer=True)
_choice = _kept * sp.log(sp.E * _total / _kept)
_kept_nats = _choice + bits * sp.log(2) * _kept
pruned_entropy = Statement(
    name="pruned_entropy",
    words="with all but s of N weights at 0: log N <= s (b log 2 + log(e N/s)), the choice of the s included",
    conclusion=Relation(log_covering_number, "<=", _kept_nats),
    kind=Kind.ARGUED,
    to_prove="a formal proof that supports and kept weights name the functions; log C(N, s) <= s log(e N/s) is proved",
    source=_DOCSTRING,
    hypotheses=(
        STORED,
        DETERMINED,
        Hypothesis("kept", "s >= 1 weights may differ from 0", Relation(_kept, ">=", 1)),
        Hypothesis("pruned", "of N weights", Relation(_total, ">=", _kept)),
    ),
    uses=(log_choose_le_k_log,),
    steps=(
        Step(
            "which weights are kept",
            Relation(sp.log(sp.binomial(_total, _kept)), "<=", _choice),
            given=(log_choose_le_k_log.at({M: _total, k: _kept}),),
        ),
        Step(
            "and their values",
            eq(sp.log(sp.exp(_choice) * (2**bits) ** _kept), _kept_nats),
        ),
    ),
    reading="s is fixed in advance; where the data choose it, log N more for one of N sizes",
)
