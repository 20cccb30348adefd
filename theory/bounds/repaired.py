"""What the repaired generalisation bounds share: their terms, with every constant, and how each is derived.

A repaired bound joins three proofs: `theory.results.approximation.cells` (what M local polynomials leave), a covering bound of
`theory.results.covering` (whose class holds an input-dependent router only under hypotheses of its own) and the oracle inequality of
`theory.results.oracle`. With values in [-R, R], noise of level sigma, and log N(delta) = P log ceil(kappa Lambda/delta) + routing,

    risk <= A/(1 - tau) + K (P log(1 + kappa Lambda/delta) + routing)/(tau (1 - tau) n) + (2 delta (sigma + 2 R)/(1 - tau) + 4 R delta),

K = 2 sigma^2 + 2 R^2; on the sample K = 2 sigma^2. The four summands are the terms *approximation*, *parameters*, *routing* and
*resolution*. tau in (0, 1) and delta > 0 are free.

Predictions are one coordinate of one output token, so the clipped class has values in [-R, R]; the risk is squared loss. Whether a
bounded Transformer comes as close to the target as local polynomials on cells is a hypothesis of its own
("construction"), proved nowhere here: with it left out, A is the unknown least error of the class. Functions with a fixed
pattern or a soft gate are continuous, so they cannot contain piecewise polynomials that jump, only come near the target.
"""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from theory.bounds.formula import BoundTerm
from theory.relation import Relation, eq
from theory.results.approximation.cells import local_polynomial_error, local_polynomials_on_cells
from theory.results.covering.fixed_pattern import log_cells_le
from theory.results.oracle import (
    BOUNDED,
    ERM,
    ESTIMATION,
    ESTIMATION_ON_SAMPLE,
    IID,
    NOISE,
    SPLIT,
    log_functions,
    net,
    net_oracle,
    risk,
    risk_on_sample,
    sample_oracle,
)
from theory.statement import Hypothesis, Kind, Source, Statement, Step
from theory.vocabulary import Lambda, R, W, delta, kappa, n, sigma, tau

_DOCSTRING = Source("derived here", "docstring of theory.bounds.repaired")
_NAMED = "it stands inside a symbol that the bound names as well"
_MOVES_AN_EXPONENT = "it moves an exponent whose base may be below or above 1"

RANGE = Hypothesis("clipped", "target and predictions are in [-R, R], so W = 2 R", eq(W, 2 * R))
CONSTRUCTION = Hypothesis(
    "construction",
    "some function of the class is within the approximation bound (local_polynomial_error) of the target in sup-norm",
)
approximation_on_cells = local_polynomial_error**2
rounded = sp.log(1 + kappa * Lambda / delta)
"""log ceil(kappa Lambda/delta) is at most this, by `theory.results.covering.fixed_pattern.log_cells_le`."""


NAT = (2 * sigma**2 + 2 * R**2) / (tau * (1 - tau) * n)
"""What a nat of entropy adds to a bound for values in [-R, R]."""
NAT_ON_SAMPLE = 2 * sigma**2 / (tau * (1 - tau) * n)
"""The same for the risk on the sample."""


def repaired_terms(
    parameters: sp.Expr, routing: sp.Expr | None, *, on_sample: bool = False
) -> tuple[BoundTerm, ...]:
    """Approximation, parameters, routing (unless None) and resolution, at a cover of so many parameters."""
    price = NAT_ON_SAMPLE if on_sample else NAT
    found = [
        BoundTerm("approximation", approximation_on_cells / (1 - tau), "what M local polynomials leave"),
        BoundTerm("parameters", price * parameters * rounded, "log of the cover of the parameters, over n"),
    ]
    if routing is not None:
        found.append(BoundTerm("routing", price * routing, "log of the number of routing patterns, over n"))
    found.append(
        BoundTerm("resolution", 2 * delta * (sigma + 2 * R) / (1 - tau) + 4 * R * delta, "the cover's radius")
    )
    return tuple(found)


def with_definitions(terms: tuple[BoundTerm, ...], statement: Statement) -> tuple[BoundTerm, ...]:
    """The terms in the sizes alone: each symbol that a hypothesis of the statement defines as what it stands for."""
    definitions = (
        h.condition for h in statement.hypotheses if h.condition is not None and h.condition.op == "=="
    )
    meaning = {definition.lhs: definition.rhs for definition in definitions}
    return tuple(replace(term, formula=term.formula.xreplace(meaning)) for term in terms)


def repaired_statement(
    name: str,
    words: str,
    cover: Statement,
    terms: tuple[BoundTerm, ...],
    entropy: sp.Expr,
    reading: str,
    *,
    on_sample: bool = False,
    named: tuple[Hypothesis, ...] = (),
) -> Statement:
    """The statement of a repaired bound: the oracle inequality with this cover.

    ``named`` are definitions of symbols that ``terms`` and ``entropy`` hold; `with_definitions` puts them in.
    """
    total = sp.Add(*(term.formula for term in terms))
    estimation = ESTIMATION_ON_SAMPLE if on_sample else ESTIMATION
    return Statement(
        name=name,
        words=words,
        conclusion=Relation(risk_on_sample if on_sample else risk, "<=", total),
        kind=Kind.ARGUED,
        to_prove=f"proofs of {'sample_oracle' if on_sample else 'net_oracle'} and {cover.name}, chained",
        source=_DOCSTRING,
        hypotheses=(
            *(() if on_sample else (IID,)),
            NOISE,
            BOUNDED,
            ERM,
            SPLIT,
            RANGE,
            CONSTRUCTION,
            *named,
            *(h for h in cover.hypotheses if h.name not in ("cells", "subsets", "hyperplanes")),
        ),
        uses=(
            net_oracle,
            *((sample_oracle,) if on_sample else ()),
            cover,
            log_cells_le,
            local_polynomials_on_cells,
        ),
        steps=(
            Step(
                "the oracle inequality at W = 2 R with this cover, term by term",
                eq(
                    sp.Subs(net(approximation_on_cells, estimation), (log_functions, W), (entropy, 2 * R)),
                    total,
                ),
            ),
        ),
        reading=reading,
    )
