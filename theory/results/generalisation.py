"""Generalisation bounds term by term: as stated in arXiv 2604.09175, and repaired, with every constant.

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

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy as sp

from theory.relation import Relation, eq
from theory.results.approximation.cells import local_polynomial_error, local_polynomials_on_cells
from theory.results.covering.as_stated import covering_as_stated, price_of_routing
from theory.results.covering.experts import Gate
from theory.results.covering.fixed_pattern import all_patterns_cover, log_cells_le, subsets, touched
from theory.results.covering.repaired import (
    all_parameters,
    empirical_cover,
    frozen_router_cover,
    soft_gate_cover,
    soft_parameters,
)
from theory.results.exponents import PAPER
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
from theory.results.routing import ENOUGH, SOME_ACTIVE
from theory.statement import Hypothesis, Kind, Source, Statement, Step
from theory.symbols import (
    L_T,
    Lambda,
    M,
    N_act,
    R,
    W,
    beta,
    d,
    d_model,
    delta,
    ell,
    k,
    kappa,
    n,
    sigma,
    tau,
)

if TYPE_CHECKING:
    from theory.bounds.evaluate import Evaluation

_DOCSTRING = Source("derived here", "docstring of theory.results.generalisation")


@dataclass(frozen=True)
class Term:
    """One summand of a bound: its name, its formula, and what it counts."""

    name: str
    formula: sp.Expr
    words: str


@dataclass(frozen=True)
class Bound:
    """A bound as named summands; ``statement`` says under which hypotheses their sum bounds the risk.

    ``trivial`` is the risk that needs no data: a bound above it says nothing. ``gate`` is that of the bounded class,
    None where the bound has no class with constants. ``parameters`` is the P of its covering number.
    """

    name: str
    words: str
    statement: Statement
    terms: tuple[Term, ...]
    trivial: sp.Expr
    gate: Gate | None = None
    parameters: sp.Expr | None = None

    @property
    def formula(self) -> sp.Expr:
        """The sum of the terms."""
        return sp.Add(*(term.formula for term in self.terms))

    def term(self, name: str) -> Term:
        """The term of this name; ValueError with the names there are."""
        for term in self.terms:
            if term.name == name:
                return term
        raise ValueError(
            f"{self.name} has no term {name!r}; expected one of {', '.join(t.name for t in self.terms)}"
        )

    def evaluate(self, architecture: Any, **arguments: Any) -> Evaluation:
        """This bound in numbers: `theory.evaluate` with it as the first argument."""
        from theory.bounds.evaluate import evaluate

        return evaluate(self, architecture, **arguments)

    def explain(self) -> str:
        """The bound, its terms and its hypotheses as text."""
        lines = [f"{self.name}: {self.words}"]
        lines += [f"  {term.name:<13} {term.formula}    ({term.words})" for term in self.terms]
        return "\n".join([*lines, self.statement.explain()])

    def __repr__(self) -> str:
        return f"{self.name}: risk <= {' + '.join(str(term.formula) for term in self.terms)}"

    def _repr_latex_(self) -> str:
        from theory.symbols import to_latex

        return rf"$\mathrm{{risk}} \leq {' + '.join(to_latex(term.formula) for term in self.terms)}$"


# As stated

bound_as_stated = Statement(
    name="bound_as_stated",
    words="the risk is at most N_act^(-2 beta/d) + N_act/n + L_T ell k log(e M/k)/n",
    conclusion=eq(risk, N_act ** (-2 * beta / d) + N_act / n + price_of_routing / n),
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

# Repaired

RANGE = Hypothesis("clipped", "target and predictions are in [-R, R], so W = 2 R", eq(W, 2 * R))
CONSTRUCTION = Hypothesis(
    "construction",
    "some function of the class is within the approximation bound (local_polynomial_error) of the target in sup-norm",
)
approximation_on_cells = local_polynomial_error**2
rounded = sp.log(1 + kappa * Lambda / delta)
"""log ceil(kappa Lambda/delta) is at most this, by `theory.results.covering.fixed_pattern.log_cells_le`."""


def _terms(parameters: sp.Expr, routing: sp.Expr | None, *, on_sample: bool = False) -> tuple[Term, ...]:
    price = (2 * sigma**2 if on_sample else 2 * sigma**2 + 2 * R**2) / (tau * (1 - tau) * n)
    found = [
        Term("approximation", approximation_on_cells / (1 - tau), "what M local polynomials leave"),
        Term("parameters", price * parameters * rounded, "log of the cover of the parameters, over n"),
    ]
    if routing is not None:
        found.append(Term("routing", price * routing, "log of the number of routing patterns, over n"))
    found.append(
        Term("resolution", 2 * delta * (sigma + 2 * R) / (1 - tau) + 4 * R * delta, "the cover's radius")
    )
    return tuple(found)


def _statement(
    name: str,
    words: str,
    cover: Statement,
    terms: tuple[Term, ...],
    entropy: sp.Expr,
    reading: str,
    *,
    on_sample: bool = False,
    named: tuple[Hypothesis, ...] = (),
) -> Statement:
    """``named`` are definitions whose right-hand sides the statement writes as their left-hand sides."""
    names = {
        h.condition.rhs: h.condition.lhs for h in named if h.condition is not None and h.condition.op == "=="
    }
    total = sp.Add(*(term.formula for term in terms)).subs(names)
    entropy = entropy.subs(names)
    estimation = ESTIMATION_ON_SAMPLE if on_sample else ESTIMATION
    return Statement(
        name=name,
        words=words,
        conclusion=eq(risk_on_sample if on_sample else risk, total),
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


_touched = sp.Symbol("touched", positive=True)
_patterns = L_T * ell * sp.log(sp.binomial(M, k))
_fixed_terms = _terms(touched, _patterns)
fixed_pattern_bound = _statement(
    "fixed_pattern_bound",
    "each function follows one routing pattern: P = L_T (Pi_attn + min(M, k ell) Pi_exp) and L_T ell log C(M, k)",
    all_patterns_cover,
    _fixed_terms,
    touched * rounded + _patterns,
    "an upper bound; the pattern may be any, but it does not depend on the input",
    named=(
        Hypothesis("subsets", "the number of k-subsets of M experts", eq(subsets, sp.binomial(M, k))),
        Hypothesis("touched", "parameters that a pattern of one sequence touches", eq(_touched, touched)),
    ),
)

_frozen_terms = _terms(all_parameters, None)
frozen_router_bound = _statement(
    "frozen_router_bound",
    "frozen routers on fixed features: all experts are paid, routing is not",
    frozen_router_cover,
    _frozen_terms,
    all_parameters * rounded,
    "an upper bound",
)

_soft_terms = _terms(soft_parameters, None)
soft_gate_bound = _statement(
    "soft_gate_bound",
    "a softmax gate over all experts: all experts and router rows are paid",
    soft_gate_cover,
    _soft_terms,
    soft_parameters * rounded,
    "an upper bound; Lambda is that of the class with Gate.SOFTMAX",
)

_router = M * d_model
_comparisons = sp.Symbol("comparisons", positive=True)
_pairs = ell * (M - 1) / (2 * d_model)
signs = L_T * _router * (1 + sp.log(n * _pairs))
"""L_T p log(e m/p) with p = M d_model and m = n ell M (M - 1)/2: each block's router counts by itself."""
_empirical_terms = _terms(all_parameters, signs, on_sample=True)
empirical_bound = _statement(
    "empirical_bound",
    "trained linear routers on fixed features, risk on the sample: all experts and L_T p log(e m/p) are paid",
    empirical_cover,
    _empirical_terms,
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

BOUNDS: dict[str, Bound] = {
    bound.name: bound
    for bound in (
        Bound(
            "stated",
            "the paper's bound with all constants 1",
            bound_as_stated,
            (
                Term("approximation", N_act ** (-2 * beta / d), "the branch in active parameters"),
                Term("parameters", N_act / n, "active parameters over sequences"),
                Term("routing", price_of_routing / n, "routing patterns of a sequence, over sequences"),
            ),
            sp.Integer(1),
        ),
        Bound(
            "fixed-pattern",
            fixed_pattern_bound.words,
            fixed_pattern_bound,
            _fixed_terms,
            R**2,
            Gate.FIXED,
            touched,
        ),
        Bound(
            "frozen-router",
            frozen_router_bound.words,
            frozen_router_bound,
            _frozen_terms,
            R**2,
            Gate.FIXED,
            all_parameters,
        ),
        Bound(
            "soft-gate",
            soft_gate_bound.words,
            soft_gate_bound,
            _soft_terms,
            R**2,
            Gate.SOFTMAX,
            soft_parameters,
        ),
        Bound(
            "empirical",
            empirical_bound.words,
            empirical_bound,
            _empirical_terms,
            R**2,
            Gate.FIXED,
            all_parameters,
        ),
    )
}
"""Every bound by name, the order that they are shown in."""


def generalisation_bound(name: str = "frozen-router") -> Bound:
    """A bound by name; ValueError with the names there are."""
    if name not in BOUNDS:
        raise ValueError(f"bound {name!r}: expected one of {', '.join(BOUNDS)}")
    return BOUNDS[name]
