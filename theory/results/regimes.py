"""What the bound says about M and k: when routing dominates, where k and M are best, and how that depends on the price of routing.

The bound has three terms, with N_act = L_T (Pi_attn + k Pi_exp):
A N_act^-a + B N_act/n + B_route L_T ell k log(eM/k)/n. Its routing term may be counted
as k log(eM/k) or by the entropy M H(k/M), which is sharper and symmetric under k -> M - k.

What this does not say: that training behaves as the bound does. An optimum of an upper bound is advice
only as far as the bound is tight, and k log(eM/k) is at its loosest where k is close to M.
`theory.derivations.active_experts` finds every stationary point at numbers.
"""

from __future__ import annotations

__all__ = [
    "active_experts_curvature",
    "active_experts_curvature_by_entropy",
    "active_experts_stationary",
    "active_experts_stationary_by_entropy",
    "bound_not_convex_in_active_experts",
    "experts_optimal_as_stated",
    "experts_optimal_repaired",
    "overhead_of_routing",
    "risk_bound_with_routing",
    "routing_dominates",
    "routing_overhead",
    "routing_overhead_linear",
]

import sympy as sp

from theory.models.architecture import PAPER_CONVENTION, Convention, MoETransformer
from theory.optima import Minimiser, Minimum
from theory.posynomials import log_slope
from theory.relation import Relation, eq
from theory.results.exponents import PAPER, risk
from theory.results.routing import ENOUGH, SOME_ACTIVE, k_log
from theory.statement import Hypothesis, Kind, Source, Statement, Step
from theory.vocabulary import L_T, A, B, B_route, M, Pi_attn, Pi_exp, a, beta, d, ell, k, n, overhead

DERIVED = Source("derived here from the three-term bound")
active = L_T * (Pi_attn + k * Pi_exp)
"""N_act: parameters that a token passes through, router, norms and embeddings aside."""
parameter_term = B * active / n
routing_term = B_route * L_T * ell * k_log / n
bound = A * active**-a + parameter_term + routing_term
by_entropy = M * sp.log(M) - k * sp.log(k) - (M - k) * sp.log(M - k)
"""M H(k/M), multiplied out."""
bound_by_entropy = A * active**-a + parameter_term + B_route * L_T * ell * by_entropy / n


def _equal(term: sp.Expr) -> sp.Expr:
    """A term with B = B_route = 1."""
    return term.subs({B: 1, B_route: 1})


risk_bound_with_routing = Statement(
    name="risk_bound_with_routing",
    words="the risk is bounded by approximation, active parameters over sequences, and routing patterns over sequences",
    conclusion=Relation(risk, "<=", bound),
    source=Source(PAPER, "generalisation bound, as relayed by reviews of an earlier version"),
    kind=Kind.ASSUMPTION,
    hypotheses=(
        Hypothesis("independent data", "sequences are independent and identically distributed"),
        Hypothesis("empirical risk minimiser", "the squared loss is minimised exactly"),
        Hypothesis("few experts", "the approximation error is that of the active parameters, not of M"),
        SOME_ACTIVE,
        ENOUGH,
    ),
    reading="logarithmic factors dropped except that of the routing patterns; a = 2 beta/d",
)

# When routing dominates

_excess = ell * sp.log(sp.E * M / k) - Pi_exp - Pi_attn / k
_difference = _equal((routing_term - parameter_term) / (L_T * k / n))
routing_dominates = Statement(
    name="routing_dominates",
    words="with B = B_route = 1 the routing term less the parameter term has the sign of ell log(eM/k) - Pi_exp - Pi_attn/k",
    conclusion=eq(_difference, _excess),
    source=Source(PAPER, "routing-dominated regime; its condition is derived here"),
    steps=(
        Step("the difference of the two terms, divided by L_T k/n > 0", eq(_difference, _excess)),
        Step(
            "depth and sequences cancel in the ratio of the terms",
            eq(
                _equal(routing_term / parameter_term),
                ell * sp.log(sp.E * M / k) / (Pi_exp + Pi_attn / k),
            ),
        ),
    ),
    tight_at="equality where ell log(eM/k) = Pi_exp + Pi_attn/k",
)

_ratio = ell * k_log / (Pi_attn + k * Pi_exp)
overhead_of_routing = Statement(
    name="overhead_of_routing",
    words="the overhead of routing is the routing term over the parameter term of the bound, with B = B_route = 1",
    conclusion=eq(overhead, _equal(routing_term / parameter_term)),
    source=DERIVED,
    kind=Kind.DEFINITION,
)

routing_overhead_linear = Statement(
    name="routing_overhead_linear",
    words="the routing term over the parameter term is proportional to the sequence length",
    conclusion=eq(overhead, _ratio),
    source=DERIVED,
    uses=(overhead_of_routing,),
    steps=(
        Step("its logarithmic slope in ell is 1", eq(log_slope(_ratio, ell), 1)),
        Step(
            "it reaches 1 at ell = (Pi_exp + Pi_attn/k)/log(eM/k)",
            eq(_ratio.subs(ell, (Pi_exp + Pi_attn / k) / sp.log(sp.E * M / k)), 1),
        ),
    ),
    reading="one sequence counts as one sample; every token of every layer chooses for itself",
)

# The best number of active experts

_c, _p = L_T * Pi_attn, L_T * Pi_exp


def stationary_size(price_slope: sp.Expr) -> sp.Expr:
    """What (c + k p)^(1+a) is at a stationary point, by the slope in k of the routing price per token and layer."""
    return a * A * _p * n / (B * _p + B_route * L_T * ell * price_slope)


def _slope_factored(price_slope: sp.Expr) -> sp.Expr:
    pull = B * _p + B_route * L_T * ell * price_slope
    return pull / n * (1 - stationary_size(price_slope) / active ** (1 + a))


def _curvature(price_curvature: sp.Expr) -> sp.Expr:
    return a * (1 + a) * A * _p**2 * active ** (-2 - a) + B_route * L_T * ell * price_curvature / n


_slope = eq(sp.Derivative(bound, k), _slope_factored(sp.log(M / k)))
active_experts_stationary = Statement(
    name="active_experts_stationary",
    words="the bound is stationary in k where (c + k p)^(1+a) = a A p n/(B p + B_route L_T ell log(M/k)), "
    "c = L_T Pi_attn, p = L_T Pi_exp; it falls where the left side is smaller",
    conclusion=_slope,
    source=DERIVED,
    steps=(
        Step("the slope, as a positive factor times 1 less the ratio of the two sides", _slope),
        Step(
            "at k = M routing costs nothing more to first order",
            eq(stationary_size(sp.log(M / k)).subs(k, M), a * A * n / B),
        ),
    ),
    reading="k is a real number; there may be no such k between 1 and M, one, two or three; the endpoints are candidates too",
)

_bends = eq(sp.Derivative(bound, (k, 2)), _curvature(-1 / k))
active_experts_curvature = Statement(
    name="active_experts_curvature",
    words="the bound is convex in k exactly where k (c + k p)^(-2-a) is at least B_route L_T ell/(a (1+a) A p^2 n)",
    conclusion=_bends,
    source=DERIVED,
    steps=(
        Step("the second derivative: approximation bends up, routing down", _bends),
        Step(
            "k (c + k p)^(-2-a) rises until k = c/(p (1 + a)) and falls from there",
            eq(
                sp.Derivative(k * active ** (-2 - a), k),
                active ** (-3 - a) * (_c - (1 + a) * _p * k),
            ),
        ),
    ),
    reading="so the second derivative is negative, positive, negative in turn, each at most once: at most three stationary "
    "points, and at most one interior local minimum",
)

_sizes = (A, a, B, B_route, L_T, ell, Pi_attn, Pi_exp, n, k)
_bends_down = eq(sp.Subs(_curvature(-1 / k), _sizes, (1,) * len(_sizes)), -sp.Rational(3, 4))
bound_not_convex_in_active_experts = Statement(
    name="bound_not_convex_in_active_experts",
    words="the bound is not convex in k: at k = 1 with every constant 1 its second derivative is -3/4",
    conclusion=_bends_down,
    source=DERIVED,
    steps=(Step("insert the numbers", _bends_down),),
    reading="a witness; k log(eM/k) is concave, so this happens wherever routing bends more than approximation",
)

# The same with the entropy as the price of routing

_idle = sp.Symbol("idle", positive=True)
_log_odds = sp.log(M - k) - sp.log(k)
_slope_by_entropy = eq(sp.Derivative(bound_by_entropy, k), _slope_factored(_log_odds))
active_experts_stationary_by_entropy = Statement(
    name="active_experts_stationary_by_entropy",
    words="with M H(k/M) as the price, log(M/k) becomes log((M-k)/k): beyond k = M/2 routing pays for more active experts",
    conclusion=_slope_by_entropy,
    source=DERIVED,
    steps=(
        Step("of the experts a share of idle/M is idle", eq(1 - k / (k + _idle), _idle / (k + _idle))),
        Step(
            "M H(k/M), multiplied out, at M = k + idle",
            eq(
                by_entropy.subs(M, k + _idle),
                -k * sp.log(k / (k + _idle)) - _idle * sp.log(_idle / (k + _idle)),
            ),
        ),
        Step("its slope", eq(sp.Derivative(by_entropy, k), _log_odds)),
        Step("which changes sign under k -> M - k", eq(_log_odds.subs(k, M - k), sp.log(k) - sp.log(M - k))),
        Step("the slope of the bound", _slope_by_entropy),
    ),
    reading="at k = M this price is 0 where k log(eM/k) is M: a preference for small k that rests on the latter is one of the bound",
)

_bends_by_entropy = eq(sp.Derivative(bound_by_entropy, (k, 2)), _curvature(-M / (k * (M - k))))
active_experts_curvature_by_entropy = Statement(
    name="active_experts_curvature_by_entropy",
    words="with M H(k/M) as the price the bound bends down by B_route L_T ell M/(k (M-k) n), without limit towards k = M",
    conclusion=_bends_by_entropy,
    source=DERIVED,
    steps=(Step("the second derivative", _bends_by_entropy),),
    reading="so k = M is always a local minimum",
)

# The best number of experts

_b = 2 * beta / d
_as_stated = M**-_b + L_T * ell * k_log / n
_best = (_b * n / (L_T * ell * k)) ** (1 / _b)
experts_optimal_as_stated = Statement(
    name="experts_optimal_as_stated",
    words="on the branch in M at fixed k the bound is smallest at M* = ((2 beta/d) n/(L_T ell k))^(d/(2 beta))",
    conclusion=eq(M, _best),
    kind=Kind.ARGUED,
    to_prove="a rule for optima where the slope in log M changes sign once",
    source=DERIVED,
    hypotheses=(
        Hypothesis("branch in M", "M exceeds N_eff, so M^(-2 beta/d) is the smaller branch"),
        Hypothesis("constants", "every constant is 1"),
    ),
    steps=(
        Step("stationary in log M", eq(sp.Subs(_b * M**-_b, M, _best), L_T * ell * k / n)),
        Step("the slope in log M", eq(M * sp.Derivative(_as_stated, M), L_T * ell * k / n - _b * M**-_b)),
        Step(
            "the slope rises with log M, so this is the minimum",
            eq(M * sp.Derivative(L_T * ell * k / n - _b * M**-_b, M), _b**2 * M**-_b),
        ),
        Step("M* grows as n^(d/(2 beta))", eq(log_slope(_best, n), d / (2 * beta))),
        Step("there the approximation error falls as 1/n", eq(log_slope(_best**-_b, n), -1)),
    ),
    reading="N_act/n does not depend on M, so it plays no part; the risk log n/n is below the minimax rate (see repaired)",
    tight_at="M = M*",
)  # fmt: skip

_repaired = M**-_b + L_T * Pi_exp * M / n
_best_repaired = (_b * n / (L_T * Pi_exp)) ** (1 / (1 + _b))
_least_repaired = (1 + _b) * _best_repaired**-_b
experts_optimal_repaired = Statement(
    name="experts_optimal_repaired",
    words="with N_tot/n in place of N_act/n, where M Pi_exp exceeds Pi_attn and routing, the optimum on the branch in M is "
    "M* = ((2 beta/d) n/(L_T Pi_exp))^(d/(2 beta + d))",
    conclusion=eq(Minimiser(_repaired, M), _best_repaired),
    source=DERIVED,
    steps=(
        Step("weighted AM-GM attains its lower bound there", eq(Minimiser(_repaired, M), _best_repaired)),
        Step("its value", eq(Minimum(_repaired, M), _least_repaired)),
        Step("M* grows as n^(d/(2 beta + d))", eq(log_slope(_best_repaired, n), d / (2 * beta + d))),
        Step(
            "the risk falls at the minimax rate",
            eq(-log_slope(_least_repaired, n), 2 * beta / (2 * beta + d)),
        ),
    ),
    reading="M is taken for a real number, and every constant is 1",
    tight_at="M = M*",
)


# At the sizes of a given architecture


def routing_overhead(
    architecture: MoETransformer,
    tokens: int,
    *,
    convention: Convention = PAPER_CONVENTION,
) -> float:
    """Routing term over parameter term of the bound, ell k log(eM/k)/(Pi_attn + k Pi_exp), with equal constants.

    ``tokens`` is the sequence length ell. Shared experts, router, norms and embeddings are left out, as in the
    bound. At 1 or more the bound is routing-dominated; it says nothing about a measured loss.
    """
    sizes = {
        ell: tokens, k: architecture.active, M: architecture.experts,
        Pi_attn: architecture.attention_parameters(convention), Pi_exp: architecture.expert_parameters(convention),
    }  # fmt: skip
    return float(routing_overhead_linear.formula.subs(sizes))
