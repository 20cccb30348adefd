"""The statistical theory of MoE as localised aggregation (arXiv 2609.03501), as relayed, and what follows from it.

The risk of a densely routed mixture of M_R routed experts is bounded by A_soft + M_R (a_2^2 + a_3^2) +
(M_R d/n) log(M_R d n); top-K routing adds (M_R d/n) log(1/margin). These are assumptions, written with M for M_R. The proof relayed
covers the routers by an eta-net and aggregates over it with exponential weights; `aggregated_router_risk` repeats
that argument with constants from the oracle inequality of exponential weights, itself an assumption with its sources,
which `empirics.experiments.exponential_weights` tests by simulation.

**Exponents.** a_2 and a_3 are errors of one expert on its own region. Read as L2 errors there, with regions of mass 1/M, they
are of order M^(-1/2 - beta/d), so M (a_2^2 + a_3^2) is of order M^(-2 beta/d): the optimum is the minimax rate up to a power
of log n. Read as sup-norm errors, of order M^(-beta/d), the same bound loses a factor M and stays above the minimax rate.
A margin no smaller than a power of 1/n changes no exponent.
"""

from __future__ import annotations

__all__ = [
    "aggregated_router_risk",
    "dense_routing_rate",
    "dense_routing_risk",
    "exponential_weights",
    "shared_experts_take_the_mean",
    "statistical_moe_exponent",
    "top_k_routing_rate",
    "top_k_routing_risk",
]

import sympy as sp

from theory.posynomials import log_slope, minimise_posynomial
from theory.relation import Relation, eq
from theory.results.approximation.top_k import STATISTICAL_MOE
from theory.results.covering.fixed_pattern import cells, log_cells_le
from theory.results.exponents import risk
from theory.statement import Hypothesis, Kind, Source, Statement, Step
from theory.vocabulary import A, B, Lambda, M, alpha_D, beta, d, kappa, n, sigma

RELAYED = Source(STATISTICAL_MOE, "risk bounds, as relayed")
DERIVED = Source("derived here", "docstring of theory.results.statistical_moe")

_A_soft, _a_2, _a_3, _margin = sp.symbols("A_soft a_2 a_3 margin", positive=True)
_price = M * d / n
dense_bound = _A_soft + M * (_a_2**2 + _a_3**2) + _price * sp.log(M * d * n)
top_k_bound = dense_bound + _price * sp.log(1 / _margin)

REGRESSION = Hypothesis("regression", "n independent samples of a bounded regression function with noise")
READING = (
    "M is the number of routed experts (M_R); A_soft: error of soft routing; a_2, a_3: errors of one expert on its region; "
    "up to a constant"
)

dense_routing_risk = Statement(
    name="dense_routing_risk",
    words="dense routing has risk at most A_soft + M (a_2^2 + a_3^2) + (M d/n) log(M d n)",
    conclusion=Relation(risk, "<=", dense_bound),
    source=RELAYED,
    kind=Kind.ASSUMPTION,
    hypotheses=(REGRESSION, Hypothesis("dense routing", "every expert has a positive weight at every input")),
    reading=READING,
)

top_k_routing_risk = Statement(
    name="top_k_routing_risk",
    words="top-k routing adds (M d/n) log(1/margin)",
    conclusion=Relation(risk, "<=", top_k_bound),
    source=RELAYED,
    kind=Kind.ASSUMPTION,
    hypotheses=(
        REGRESSION,
        Hypothesis("top-k routing", "the k largest router logits are active, at a margin"),
    ),
    uses=(dense_routing_risk,),
    reading=f"{READING}; margin: the r of the source, a scale in (0, 1) below which routing may flip",
)

# Shared experts

_mean, _square, _shared = sp.symbols("mean square shared", positive=True)

shared_experts_take_the_mean = Statement(
    name="shared_experts_take_the_mean",
    words="the shared expert that leaves the routed ones least to do is their mean: the common part",
    conclusion=eq(
        M * (_square - 2 * _shared * _mean + _shared**2),
        M * (_square - _mean**2) + M * (_shared - _mean) ** 2,
    ),
    kind=Kind.ARGUED,
    to_prove="the mean square by definition as a sum over regions; the equality of moments is proved",
    source=Source(
        f"{STATISTICAL_MOE}, as relayed: shared experts take the common part; derived here for squared sizes"
    ),
    hypotheses=(
        Hypothesis(
            "moments", "mean and square are the means of f_j and f_j^2 over the M regions, at one input"
        ),
    ),
    steps=(
        Step(
            "the sum of (f_j - shared)^2 over all experts, split at the mean",
            eq(
                M * (_square - 2 * _shared * _mean + _shared**2),
                M * (_square - _mean**2) + M * (_shared - _mean) ** 2,
            ),
        ),
    ),
    reading="what routed experts have left is their spread, M (square - mean^2), which a shared expert cannot lower",
    tight_at="shared = mean",
)

# Aggregation over a net of routers

_best = sp.Symbol("best", positive=True)
_members = sp.Symbol("members", positive=True, integer=True)

exponential_weights = Statement(
    name="exponential_weights",
    words="weights exp(-n |y - f_j|_n^2/(4 sigma^2)) cost at most (4 sigma^2/n) log(members) over the best of the net",
    conclusion=Relation(risk, "<=", _best + 4 * sigma**2 / n * sp.log(_members)),
    source=Source(
        "Leung and Barron 2006, information theory and mixing least-squares regressions; "
        "Dalalyan and Tsybakov 2008, aggregation by exponential weighting",
        "temperature 4 sigma^2, uniform prior",
    ),
    kind=Kind.ASSUMPTION,
    hypotheses=(
        Hypothesis("fixed design", "risks are means of squared errors over the n given inputs"),
        Hypothesis("Gaussian noise", "independent, of known standard deviation sigma"),
        Hypothesis(
            "fixed members",
            "functions that do not depend on the responses, or least-squares projections with C_p weights",
        ),
    ),
    reading="risk: expected |f_hat - f|_n^2; best: the least |f_j - f|_n^2 of the net (for projections the least expected one)",
)

_net = 4 * sigma**2 / n * M * d * sp.log(kappa * Lambda * sp.sqrt(n) + 1)
_ratio, _error, _step = sp.symbols("ratio error step", positive=True)

aggregated_router_risk = Statement(
    name="aggregated_router_risk",
    words="a net of linear soft routers, aggregated, costs 2/n + (4 sigma^2 M d/n) log(kappa Lambda sqrt(n) + 1)",
    conclusion=Relation(risk, "<=", 2 * _best + 2 / n + _net),
    kind=Kind.ARGUED,
    to_prove="exponential_weights chained with a count of the net of routers",
    source=DERIVED,
    hypotheses=(
        Hypothesis(
            "routers",
            "M rows of d entries in [-kappa, kappa]; the mixture is Lambda-Lipschitz in the largest entry",
        ),
        Hypothesis("experts", "the experts are given; only the router is sought"),
        Hypothesis(
            "net", "entries are rounded to midpoints of ceil(ratio) cells, ratio = kappa Lambda sqrt(n) >= 1"
        ),
    ),
    uses=(exponential_weights, log_cells_le),
    steps=(
        Step(
            "M d entries with that many values each, counted in nats",
            eq(sp.log(cells ** (M * d)), M * d * sp.log(cells)),
        ),
        Step(
            "a router within 1/(Lambda sqrt(n)) adds at most 1/sqrt(n) to the error",
            eq((Lambda * (1 / (Lambda * sp.sqrt(n)))) ** 2, 1 / n),
        ),
        Step(
            "the square of a sum is at most twice the sum of squares: what is missing is a square",
            eq(2 * _error**2 + 2 * _step**2 - (_error + _step) ** 2, (_error - _step) ** 2),
        ),
        Step(
            "twice both, and the price of the net",
            eq(
                2 * (_best + 1 / n)
                + 4 * sigma**2 / n * M * d * sp.Subs(sp.log(_ratio + 1), _ratio, kappa * Lambda * sp.sqrt(n)),
                2 * _best + 2 / n + _net,
            ),
        ),
    ),
    reading="best: the least |f_j - f|_n^2 over all routers in the box, not only those of the net",
)

# Exponents

dense_routing_rate = M ** (-2 * beta / d) + M / n * sp.log(M * n)
"""The dense risk as a rate in M, with a_2 and a_3 of order M^(-1/2 - beta/d); d is a constant here."""
top_k_routing_rate = dense_routing_rate + M / n * sp.log(n)
"""The same for top-k with a margin of a power of 1/n."""
sup_norm_rate = M ** (1 - 2 * beta / d) + M / n * sp.log(M * n)
"""The dense risk with a_2 and a_3 of order M^(-beta/d), as sup-norm errors."""

_local = sp.sqrt(A) * M ** (-sp.Rational(1, 2) - beta / d)
_least = minimise_posynomial(A * M ** (-2 * beta / d) + B * M / n, over=M)

statistical_moe_exponent = Statement(
    name="statistical_moe_exponent",
    words="with local L2 errors of order M^(-1/2 - beta/d) the optimum over M is the minimax rate, up to logarithms",
    conclusion=eq(alpha_D, 2 * beta / (2 * beta + d)),
    kind=Kind.ARGUED,
    to_prove="alpha_D by definition as the slope of the optimal bound in log n",
    source=DERIVED,
    hypotheses=(
        Hypothesis(
            "local errors", "a_2 and a_3 are L2 errors on regions of mass 1/M, of order M^(-1/2 - beta/d)"
        ),
        Hypothesis("soft routing", "A_soft is of no larger order than M (a_2^2 + a_3^2)"),
        Hypothesis("margin", "1/margin grows no faster than a power of n"),
    ),
    uses=(dense_routing_risk, top_k_routing_risk),
    steps=(
        Step("M experts with such errors", eq(M * _local**2, A * M ** (-2 * beta / d))),
        Step(
            "the best M, logarithms apart, grows as n^(d/(2 beta + d))",
            eq(log_slope(_least.argmin[M], n), d / (2 * beta + d)),
        ),
        Step(
            "the optimum falls with the minimax exponent",
            eq(-log_slope(_least.value, n), 2 * beta / (2 * beta + d)),
        ),
    ),
    reading="A and B stand for constants; the logarithm leaves (log n)^(2 beta/(2 beta + d))",
    tight_at="equals the exponent of stone_minimax",
)
