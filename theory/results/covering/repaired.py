"""Three repairs of the covering bound for input-dependent routing, each with hypotheses of its own.

(i) **Routing that the trained parameters do not move.** Every router is frozen and reads fixed features of the input (a hash
of the token, a frozen embedding). For each input the pattern is fixed, so parameters act Lipschitz with the constant of
the bounded class, whatever the input; but different inputs use different experts, so all M of every block count:
log N(delta) <= (L_T Pi_attn + L_T M Pi_exp) log ceil(kappa Lambda/delta). A soft gate over all M experts at any depth
has the same form, with the router's rows counted as parameters and the constant of `Gate.SOFTMAX`.

A margin that holds uniformly on a connected input domain is no repair: routing is then constant on it.

(ii) **Boundary mass.** One hard router, linear in fixed features of norm at most r, with p parameters in a subset of
[-kappa, kappa]^p where Q(margin <= tau) <= c tau^q for every tau > 0; the margin is the least gap, over the tokens,
between the k-th and the (k+1)-st logit. A change of eta in every router entry moves a logit by at most sqrt(d_model) r eta and
a gap by twice that, so patterns agree off a set of mass c (2 sqrt(d_model) r eta)^q. On that set outputs, clipped at R,
differ by at most 2 R; elsewhere by Lambda eps, as the trained router chooses experts and does not weigh them: their
weights are fixed, for example 1/k; a softmax of its logits would move with eta too. Hence the squared distance in
L2(Q) is at most

    (Lambda eps)^2 + 4 R^2 c (2 sqrt(d_model) r eta)^q,

and delta^2/2 for each summand gives eps and eta. The centres' routers lie in the box, not necessarily in the subset: only one
of two routers needs the boundary-mass bound. At router zero all logits tie, so the whole box never satisfies it.

(iii) **Empirical cover.** On n sequences of ell tokens a linear router that reads fixed features chooses its experts by the
signs of m = n ell C(M, 2) linear functions of its p parameters (ties go to the lower expert, a one-sided sign).
Half-spaces through the origin of R^p have VC dimension p, so by Sauer's lemma there are at most
sum_{i <= p} C(m, i) <= (e m/p)^p patterns for m >= p >= 1, and at most 2^m for m < p. Each pattern is (i), with fixed
weights as in (ii): a sign pattern says which experts are active, not with which softmax weights. The patterns of the
L_T routers multiply. All this counts routers on inputs that do not move; behind trained layers a joint count is needed,
which is not given here.
"""

from __future__ import annotations

__all__ = [
    "boundary_mass_cover",
    "boundary_mass_splits",
    "choose_le_power",
    "empirical_cover",
    "exponential_sum_le",
    "frozen_router_cover",
    "log_sign_patterns",
    "sauer_lemma",
    "sauer_sum_le",
    "sign_pattern_count",
    "sign_patterns",
    "soft_gate_cover",
]

import math

import mpmath
import sympy as sp

from theory.errors import MoelawsError
from theory.relation import Relation, eq
from theory.results.covering.attention import BALL, BOX
from theory.results.covering.bounded_class import FIXED_WEIGHTS, NETWORK
from theory.results.covering.fixed_pattern import CELLS, cells, lipschitz_cover, log_covering_number
from theory.results.covering.norms import sum_le_root_n_norm
from theory.statement import Hypothesis, Kind, Source, Statement, Step
from theory.vocabulary import L_T, Lambda, M, Pi_attn, Pi_exp, R, d_model, delta, ell, n, r

_DOCSTRING = Source("derived here", "docstring of theory.results.covering.repaired")
_p, _m, _c, _q = sp.symbols("p m c q", positive=True)

FIXED_FEATURES = Hypothesis(
    "fixed features", "every router reads features of the input that no trained parameter moves"
)
FROZEN = Hypothesis("frozen router", "router parameters are not trained")
LINEAR = Hypothesis("linear router", "one MoE layer, its logits linear in p router parameters")

LINEAR_ROUTERS = Hypothesis(
    "linear routers", "in each of L_T MoE layers the logits are linear in p parameters of that layer's router"
)

all_parameters = L_T * Pi_attn + L_T * M * Pi_exp

frozen_router_cover = Statement(
    name="frozen_router_cover",
    words="with frozen routers on fixed features all experts count: (L_T Pi_attn + L_T M Pi_exp) log ceil(kappa Lambda/delta)",
    conclusion=Relation(log_covering_number, "<=", all_parameters * sp.log(cells)),
    kind=Kind.ARGUED,
    to_prove="proofs of attention_lipschitz and expert_lipschitz, chained with lipschitz_recursion and lipschitz_cover",
    source=_DOCSTRING,
    hypotheses=(BOX, BALL, FIXED_FEATURES, FROZEN, CELLS),
    uses=(*NETWORK, lipschitz_cover),
    steps=(
        Step(
            "midpoints of every parameter, counted in nats",
            eq(sp.log(cells**all_parameters), all_parameters * sp.log(cells)),
        ),
    ),
    reading="an upper bound in sup-norm, by closed balls, in nats",
    tight_at="an interval router with constant experts (interval_router_entropy)",
    attained_at=(eq(sp.log(cells**M), all_parameters.subs({L_T: 1, Pi_attn: 0, Pi_exp: 1}) * sp.log(cells)),),
)

soft_parameters = all_parameters + L_T * M * d_model

soft_gate_cover = Statement(
    name="soft_gate_cover",
    words="with a softmax gate over all experts, all experts and router rows count",
    conclusion=Relation(log_covering_number, "<=", soft_parameters * sp.log(cells)),
    kind=Kind.ARGUED,
    to_prove="proofs of attention_lipschitz and expert_lipschitz, chained with lipschitz_recursion and lipschitz_cover",
    source=_DOCSTRING,
    hypotheses=(
        BOX,
        BALL,
        Hypothesis("soft gate", "every token mixes all M experts with softmax weights"),
        CELLS,
    ),
    uses=(*NETWORK, lipschitz_cover),
    steps=(
        Step(
            "the router of each block has M rows of d_model entries",
            eq(soft_parameters, L_T * (Pi_attn + M * (Pi_exp + d_model))),
        ),
        Step(
            "midpoints of every parameter, counted in nats",
            eq(sp.log(cells**soft_parameters), soft_parameters * sp.log(cells)),
        ),
    ),
    reading="Lambda is that of the class with Gate.SOFTMAX; an upper bound in sup-norm, in nats",
)

_mass, _small, _large = sp.symbols("mass small large", positive=True)
_mixed = Relation((1 - _mass) * _small + _mass * _large, "<=", _small + _mass * _large)
boundary_mass_splits = Statement(
    name="boundary_mass_splits",
    words="a mean square is at most its value off the boundary plus mass times the largest square",
    conclusion=_mixed,
    kind=Kind.ARGUED,
    to_prove="a formal proof about expectations; the inequality between scalars is proved",
    source=_DOCSTRING,
    hypotheses=tuple(
        Hypothesis(name, words, Relation(symbol, ">=", 0))
        for name, words, symbol in (
            ("mass", "of the set where routers differ", _mass),
            ("off", "bound on the squared distance off that set", _small),
            ("on", "bound on the squared distance on it, (2 R)^2", _large),
        )
    ),
    uses=(sum_le_root_n_norm,),
    steps=(Step("the mass is not negative", _mixed),),
    reading="a logit moves by at most eta |x|_1 <= eta sqrt(d_model) |x|, which is sum_le_root_n_norm",
    tight_at="mass = 0",
)

_parameter_step = delta / (sp.sqrt(2) * Lambda)
_router_step = (delta**2 / (8 * R**2 * _c)) ** (1 / _q) / (2 * sp.sqrt(d_model) * r)
_boundary = 4 * R**2 * _c * (2 * sp.sqrt(d_model) * r * _router_step) ** _q
_router_cells = sp.Symbol("router_cells", positive=True, integer=True)
_squared_distance = (Lambda * _parameter_step) ** 2 + _boundary

boundary_mass_cover = Statement(
    name="boundary_mass_cover",
    words="in L2(Q), with boundary mass at most c tau^q, a trained hard router adds p log ceil(kappa/eta)",
    conclusion=Relation(
        log_covering_number, "<=", all_parameters * sp.log(cells) + _p * sp.log(_router_cells)
    ),
    kind=Kind.ARGUED,
    to_prove="proofs of attention_lipschitz, expert_lipschitz and boundary_mass_splits, chained",
    source=_DOCSTRING,
    hypotheses=(
        BOX,
        BALL,
        FIXED_FEATURES,
        LINEAR,
        FIXED_WEIGHTS,
        Hypothesis(
            "boundary mass", "Q(margin <= tau) <= c tau^q for every tau > 0 and every router of the class"
        ),
        Hypothesis("clipped", "output tokens have Euclidean norm at most R"),
        Hypothesis("cells", "cells = ceil(sqrt(2) kappa Lambda/delta) and router_cells = ceil(kappa/eta)"),
    ),
    uses=(*NETWORK, boundary_mass_splits),
    steps=(
        Step(
            "parameters within eps = delta/(sqrt(2) Lambda) cost half of delta^2",
            eq((Lambda * _parameter_step) ** 2, delta**2 / 2),
        ),
        Step("routers within eta cost the other half", eq(_boundary, delta**2 / 2)),
        Step("together they are within delta in L2(Q)", eq(_squared_distance, delta**2)),
        Step(
            "both grids, counted in nats",
            eq(
                sp.log(cells**all_parameters * _router_cells**_p),
                all_parameters * sp.log(cells) + _p * sp.log(_router_cells),
            ),
        ),
    ),
    reading="centres may have routers outside the class; eta = (delta^2/(8 R^2 c))^(1/q)/(2 sqrt(d_model) r)",
)

# Sign patterns

_i, _pp, _mm = sp.symbols("i p m", positive=True, integer=True)
_patterns = sp.Symbol("sign_patterns", positive=True)
_index = sp.Symbol("index", integer=True, nonnegative=True)
sauer_lemma = Statement(
    name="sauer_lemma",
    words="m linear functions of p parameters have at most C(m, 0) + ... + C(m, p) one-sided sign patterns",
    conclusion=Relation(_patterns, "<=", sp.Sum(sp.binomial(_mm, _index), (_index, 0, _pp))),
    source=Source(
        "Sauer 1972, on the density of families of sets; half-spaces through the origin have VC dimension p"
    ),
    kind=Kind.ASSUMPTION,
    hypotheses=(Hypothesis("linear", "signs of linear functions without constant, ties to one side"),),
    reading="2^m for m <= p, as all subsets are counted",
)

_choose = Relation(sp.log(sp.binomial(_mm, _i)), "<=", _i * sp.log(_mm) - sp.log(sp.factorial(_i)))
choose_le_power = Statement(
    name="choose_le_power",
    words="C(m, i) is at most m^i/i!",
    conclusion=_choose,
    source=Source("textbook"),
    hypotheses=(
        Hypothesis("some", "i is at least 1; for i = 0 both are 1", Relation(_i, ">=", 1)),
        Hypothesis("enough", "m is at least i", Relation(_mm, ">=", _i)),
    ),
    steps=(
        Step("equal at i = 1, and each further factor (m - i)/(i + 1) is at most m/(i + 1)", _choose, on=_i),
    ),
    tight_at="i = 1, for every m",
)

_powers = Relation(_i * sp.log(_mm / _pp), "<=", _pp * sp.log(_mm / _pp))
_partial, _last = sp.symbols("partial last", positive=True)
_slope = Relation(_partial, "<=", _partial + _last)
exponential_sum_le = Statement(
    name="exponential_sum_le",
    words="1 + x + ... + x^p/p! is at most e^x",
    conclusion=_slope,
    source=Source("textbook"),
    hypotheses=(
        Hypothesis(
            "partial sum", "the sum to x^(p-1)/(p-1)!, which is the derivative", Relation(_partial, ">=", 1)
        ),
        Hypothesis("last term", "x^p/p!", Relation(_last, ">=", 0)),
    ),
    steps=(
        Step("its logarithm is 0 at x = 0, and its slope, partial over partial + last, is at most 1", _slope),
    ),
    tight_at="x = 0",
    proved_in="Counts.exponential_sum_le",
)

sauer_sum_le = Statement(
    name="sauer_sum_le",
    words="C(m, 0) + ... + C(m, p) is at most (e m/p)^p for m >= p >= 1",
    conclusion=_powers,
    source=Source("textbook", "docstring of theory.results.covering.repaired"),
    hypotheses=(
        Hypothesis("term", "i is at least 1", Relation(_i, ">=", 1)),
        Hypothesis("parameters", "p is at least i", Relation(_pp, ">=", _i)),
        Hypothesis("enough inputs", "m is at least p", Relation(_mm, ">=", _pp)),
    ),
    uses=(choose_le_power, exponential_sum_le),
    steps=(
        Step("(m/p)^i <= (m/p)^p in logarithms, so a term m^i/i! is at most (m/p)^p p^i/i!", _powers),
        Step(
            "the sum of p^i/i! is at most e^p, together (m/p)^p e^p",
            eq((_mm / _pp) ** _pp * sp.exp(_pp), (sp.E * _mm / _pp) ** _pp),
        ),
    ),
    reading="term by term; the conclusion is the step in which m >= p enters",
    tight_at="in the limit m = p, per parameter: 2^p against e^p",
    proved_in="Counts.sauer_sum_le",
    emitted=(("sauer_bound", (sp.E * _mm / _pp) ** _pp),),
)

_signs = sp.Symbol("log_signs", positive=True)
sign_pattern_count = Statement(
    name="sign_pattern_count",
    words="m >= p hyperplanes through the origin give at most (e m/p)^p sign patterns",
    conclusion=Relation(_signs, "<=", _p * (1 + sp.log(_m / _p))),
    kind=Kind.ARGUED,
    to_prove="sauer_lemma chained with a proof of sauer_sum_le",
    source=Source("Sauer 1972; derived here", "docstring of theory.results.covering.repaired"),
    hypotheses=(
        Hypothesis("parameters", "p is at least 1", Relation(_p, ">=", 1)),
        Hypothesis(
            "enough inputs", "m is at least p; below there are at most 2^m patterns", Relation(_m, ">=", _p)
        ),
    ),
    uses=(sauer_lemma, sauer_sum_le),
    steps=(Step("in nats", eq(sp.log((sp.E * _m / _p) ** _p), _p * (1 + sp.log(_m / _p)))),),
)

_hyperplanes = n * ell * M * (M - 1) / 2

empirical_cover = Statement(
    name="empirical_cover",
    words="on n inputs trained linear routers on fixed features add L_T p log(e m/p), m = n ell M (M - 1)/2",
    conclusion=Relation(
        log_covering_number, "<=", all_parameters * sp.log(cells) + L_T * _p * (1 + sp.log(_hyperplanes / _p))
    ),
    kind=Kind.ARGUED,
    to_prove="a formal proof that the cover covers, with the count of sign patterns",
    source=_DOCSTRING,
    hypotheses=(
        BOX,
        BALL,
        FIXED_FEATURES,
        LINEAR_ROUTERS,
        FIXED_WEIGHTS,
        CELLS,
        Hypothesis("hyperplanes", "a token compares every pair of experts", eq(_m, _hyperplanes)),
        Hypothesis("pairs", "there are two experts or more", Relation(M, ">=", 2)),
    ),
    uses=(frozen_router_cover, sign_pattern_count),
    steps=(
        Step(
            "one cover of the other parameters for each choice of a sign pattern in every layer",
            eq(
                frozen_router_cover.formula + L_T * sp.Subs(sign_pattern_count.formula, _m, _hyperplanes),
                all_parameters * sp.log(cells) + L_T * _p * (1 + sp.log(_hyperplanes / _p)),
            ),
        ),
    ),
    reading="p of each router; largest distance over the n inputs; an upper bound, in nats",
)


def sign_patterns(hyperplanes: int, parameters: int) -> int:
    """Sauer's bound, sum over i <= p of C(m, i): 2^m where m <= p."""
    return sum(math.comb(hyperplanes, i) for i in range(min(hyperplanes, parameters) + 1))


def log_sign_patterns(hyperplanes: int, parameters: int) -> mpmath.mpf:
    """p log(e m/p) for m >= p >= 1, else m log 2, in nats."""
    m, p = hyperplanes, parameters
    if m < 1 or p < 1:
        raise MoelawsError(f"log_sign_patterns({m}, {p}): expected at least one hyperplane and one parameter")
    return p * (1 + mpmath.log(mpmath.mpf(m) / p)) if m >= p else m * mpmath.log(2)
