"""How compute is split between parameters and data, and which parameters compute is taken to count.

"Compute" has several readings: 6 FLOPs per *active* parameter and token, per *total* parameter and token, or with
the attention scores, which no parameter owns. Each gives sizes N*(C), D*(C) with their own constants, and one of
them another exponent: with compute counted on active parameters and the number of experts free, experts cost no
compute, the best N is as small as it can be, and the risk falls as C^(-2 beta/(2 beta + d)). So
alpha_C = beta/(beta + d) needs M/k fixed, or compute counted on total parameters.

What these statements are about is the bound, in its reading with a = 2 beta/d; an empirical law of separable form
is another family, and shares the exponents in one case only (`separable_shares_compute_exponent`).
"""

from __future__ import annotations

__all__ = [
    "active_and_total_compute_differ",
    "allocation_with_attention_scores",
    "compute_optimal_size_on_total",
    "compute_optimal_tokens",
    "free_experts_under_active_compute",
    "risk_bound_on_total",
    "separable_allocation_exponents",
    "separable_shares_compute_exponent",
]

import sympy as sp

from theory.laws.separable import separable_compute_optimum
from theory.optima import Minimiser, Minimum
from theory.posynomials import log_slope
from theory.relation import Relation, eq
from theory.results.exponents import (
    TOKENS_PER_SEQUENCE,
    bound_at_compute,
    compute_exponent,
    compute_optimal_size,
    in_smoothness,
    least_at_compute,
    risk,
    risk_bound,
)
from theory.statement import Hypothesis, Kind, Source, Statement, Step
from theory.vocabulary import (
    L_T,
    A,
    B,
    C,
    D,
    N,
    N_scores,
    N_tot,
    a,
    alpha_C,
    beta,
    d,
    d_model,
    ell,
    n,
    sparsity,
)

DERIVED = Source("derived here from the two-term bound")
ATTENTION_COUNT = Source(
    "Chowdhery et al. 2022, arXiv 2204.02311", "appendix B, for the FLOPs of attention scores; optimum derived here"
)  # fmt: skip
window = sp.Symbol("window", positive=True)


# Compute counted on active parameters, M/k fixed

_tokens = (2 * B * ell / (a * A) * (C / 6) ** (1 + a)) ** (1 / (2 + a))
compute_optimal_tokens = Statement(
    name="compute_optimal_tokens",
    words="at compute C = 6 N D the bound is smallest at D* = (2 B ell/(a A) (C/6)^(1+a))^(1/(2+a)) tokens",
    conclusion=eq(C / (6 * compute_optimal_size.conclusion.lhs), _tokens),
    source=DERIVED,
    uses=(compute_optimal_size,),
    steps=(
        Step("the tokens that N* leaves", eq(C / (6 * compute_optimal_size.formula), _tokens)),
        Step("D* grows as C^((1+a)/(2+a))", eq(log_slope(_tokens, C), (1 + a) / (2 + a))),
        Step(
            "tokens per parameter grow as C^(a/(2+a)), the exponent of the risk",
            eq(log_slope(_tokens / compute_optimal_size.formula, C), a / (2 + a)),
        ),
    ),
    reading="M/k fixed, so that active and total parameters grow together",
)

# Compute counted on total parameters

_on_total = sp.Subs(A * N**-a + B * N_tot / n, (n, N_tot), (C / (6 * ell * sparsity * N), sparsity * N))
_size_on_total = (a * A * C / (12 * B * ell * sparsity**2)) ** (1 / (2 + a))
_least_on_total = (1 + a / 2) * A * _size_on_total**-a
compute_optimal_size_on_total = Statement(
    name="compute_optimal_size_on_total",
    words="with N_tot = sparsity N both in the estimation term and in compute C = 6 N_tot D, "
    "N* = (a A C/(12 B ell sparsity^2))^(1/(2+a))",
    conclusion=eq(Minimiser(_on_total, N), _size_on_total),
    source=DERIVED,
    steps=(
        Step(
            "n = C/(6 ell N_tot) sequences",
            eq(
                (B * N_tot / n).subs(n, C / (6 * ell * N_tot)).subs(N_tot, sparsity * N),
                6 * B * ell * sparsity**2 * N**2 / C,
            ),
        ),
        Step("weighted AM-GM attains its lower bound there", eq(Minimiser(_on_total, N), _size_on_total)),
        Step("its value is (1 + a/2) A N*^-a", eq(Minimum(_on_total, N), _least_on_total)),
        Step(
            "the risk falls with the same exponent a/(2+a)", eq(-log_slope(_least_on_total, C), a / (2 + a))
        ),
        Step(
            "sparsity multiplies the risk by sparsity^(2a/(2+a))",
            eq(log_slope(_least_on_total, sparsity), 2 * a / (2 + a)),
        ),
    ),
    reading="the approximation error is that of the active parameters; at sparsity 1 this is the dense optimum",
    tight_at="the bound attains its minimum at N = N*",
)

# Compute counted on active parameters, M free

risk_bound_on_total = Statement(
    name="risk_bound_on_total",
    words="with the number of experts free, approximation and estimation both go by total parameters",
    conclusion=Relation(risk, "<=", A * N_tot**-a + B * N_tot / n),
    source=Source("the two-term bound with its entropy repaired"),
    kind=Kind.ASSUMPTION,
    hypotheses=(
        Hypothesis("branch in M", "the approximation error is that of the branch in M, at expert sizes of order 1"),
        Hypothesis("repaired entropy", "the metric entropy is of order N_tot, not N_act"),
    ),
    reading="logarithmic factors dropped; a = 2 beta/d",
)  # fmt: skip

_free = sp.Subs(risk_bound_on_total.bound, n, C / (6 * ell * N))
_experts = (a * A * C / (6 * B * ell * N)) ** (1 / (1 + a))
_least_free = (1 + a) * A * _experts**-a
free_experts_under_active_compute = Statement(
    name="free_experts_under_active_compute",
    words="with compute C = 6 N D counted on active parameters and M free, N_tot* = (a A C/(6 B ell N))^(1/(1+a)), the smallest "
    "N is best, and the risk falls as C^(-2 beta/(2 beta + d))",
    conclusion=eq(Minimiser(_free, N_tot), _experts),
    source=DERIVED,
    steps=(
        Step(
            "n = C/(6 ell N) sequences, whatever N_tot",
            eq((B * N_tot / n).subs(n, C / (6 * ell * N)), 6 * B * ell * N * N_tot / C),
        ),
        Step("weighted AM-GM attains its lower bound there", eq(Minimiser(_free, N_tot), _experts)),
        Step("its value is (1 + a) A N_tot*^-a", eq(Minimum(_free, N_tot), _least_free)),
        Step("the risk rises with N, so N of order 1 is best", eq(log_slope(_least_free, N), a / (1 + a))),
        Step("its exponent in C", eq(-log_slope(_least_free, C), a / (1 + a))),
        Step("at a = 2 beta/d", eq(in_smoothness(a / (1 + a)), 2 * beta / (2 * beta + d))),
    ),
    reading="so alpha_C = beta/(beta + d) needs M/k fixed, or compute counted on total parameters",
    tight_at="the bound attains its minimum over N_tot at N_tot = N_tot*",
)

# With the FLOPs of attention scores

_with_scores = A * N**-a + 6 * B * ell * N * (N + N_scores) / C
_balance = 12 * B * ell * N**2 / C + 6 * B * ell * N_scores * N / C
allocation_with_attention_scores = Statement(
    name="allocation_with_attention_scores",
    words="counting scores over a window adds N_scores = 2 L_T d_model window to the parameters that compute sees; the "
    "optimum solves a A N^-a = 6 B ell (2 N^2 + N_scores N)/C",
    conclusion=eq(N * sp.Derivative(_with_scores, N), _balance - a * A * N**-a),
    kind=Kind.ARGUED,
    to_prove="a rule for optima where the slope changes sign once",
    source=ATTENTION_COUNT,
    hypotheses=(
        TOKENS_PER_SEQUENCE,
        Hypothesis(
            "compute with scores",
            "a token costs 6 FLOPs per active parameter and 12 L_T d_model per token it attends to",
            eq((6 * N + 12 * L_T * d_model * window) * D, C),
        ),
        Hypothesis("N_scores", "depth, width and window do not change with N", eq(N_scores, 2 * L_T * d_model * window)),
    ),
    uses=(risk_bound,),
    steps=(
        Step(
            "6 N + 12 L_T d_model window is 6 (N + N_scores)",
            eq(6 * N + 12 * L_T * d_model * window, (6 * (N + N_scores)).subs(N_scores, 2 * L_T * d_model * window)),
        ),
        Step(
            "n = C/(6 ell (N + N_scores)) sequences",
            eq(A * N**-a + (B * N / n).subs(n, C / (6 * ell * (N + N_scores))), _with_scores),
        ),
        Step(
            "the slope in log N", eq(N * sp.Derivative(_with_scores, N), _balance - a * A * N**-a)
        ),
        Step(
            "without scores it is solved by N* = (a A C/(12 B ell))^(1/(2+a))",
            eq(sp.Subs(a * A * N**-a, N, compute_optimal_size.formula), sp.Subs(_balance.subs(N_scores, 0), N, compute_optimal_size.formula)),
        ),
    ),
    reading="one term more than has a closed form: minimise_posynomial encloses the optimum at numbers. Where scores dominate "
    "the exponent in C is a/(1+a), where parameters do a/(2+a)",
)  # fmt: skip

# The separable law

_m, _u, _n, _v, _K = sp.symbols("m u n v K", positive=True)
_N_star, _D_star = separable_compute_optimum.formula, _K / separable_compute_optimum.formula
_separable, _, *_ = separable_compute_optimum.conclusion.lhs.args
separable_allocation_exponents = Statement(
    name="separable_allocation_exponents",
    words="of a separable law m N^-u + n D^-v the optimal sizes grow as K^(v/(u+v)) and K^(u/(u+v)), K = N D",
    conclusion=eq(log_slope(Minimiser(_separable, N), _K), _v / (_u + _v)),
    source=Source("Hoffmann et al. 2022, arXiv 2203.15556", "Eq. 4"),
    steps=(
        Step("where it is smallest", separable_compute_optimum.conclusion),
        Step("parameters", eq(log_slope(_N_star, _K), _v / (_u + _v))),
        Step("tokens", eq(log_slope(_D_star, _K), _u / (_u + _v))),
        Step("both terms of the loss fall alike", eq(-log_slope(_n * _D_star**-_v, _K), _u * _v / (_u + _v))),
    ),
)

_mismatch = (_v * (1 + _u) - _u) / ((_u + _v) * (2 + _u))
_least_separable, _least_at_u = (1 + _u / _v) * _m * _N_star**-_u, least_at_compute.subs(a, _u)
_slope_at_u = log_slope(Minimum(bound_at_compute.subs(a, _u), N), C)
separable_shares_compute_exponent = Statement(
    name="separable_shares_compute_exponent",
    words="a separable law with exponents u, v has the compute exponent and the allocation of the bound with a = u exactly "
    "where v = u/(1+u)",
    conclusion=eq(_slope_at_u - log_slope(Minimum(_separable, N), _K), _u * _mismatch),
    source=DERIVED,
    steps=(
        Step("the least value of the law", eq(Minimum(_separable, N), _least_separable)),
        Step("and of the bound with a = u", eq(Minimum(bound_at_compute.subs(a, _u), N), _least_at_u)),
        Step("the exponent of the law", eq(-log_slope(_least_separable, _K), _u * _v / (_u + _v))),
        Step("and of the bound", eq(-log_slope(_least_at_u, C), _u / (2 + _u))),
        Step("they differ by u ((1+u) v - u)/((u+v)(2+u))", eq(_u * _v / (_u + _v) - _u / (2 + _u), _u * _mismatch)),
        Step("those of N* by ((1+u) v - u)/((u+v)(2+u))", eq(_v / (_u + _v) - 1 / (2 + _u), _mismatch)),
        Step("both vanish at v = u/(1+u)", eq(_mismatch.subs(_v, _u / (1 + _u)), 0)),
    ),
    reading="at fixed N the bound's data term is N/n, of exponent 1, and not n^-v: another family, so agreement in alpha_C is "
    "no evidence for the form",
)  # fmt: skip

_gap = beta * d / ((beta + d) * (2 * beta + d))
_smooth, _least_smooth = in_smoothness(_free), in_smoothness(_least_free)
active_and_total_compute_differ = Statement(
    name="active_and_total_compute_differ",
    words="with M free, alpha_C is larger by beta d/((beta + d)(2 beta + d)) where compute counts active parameters only",
    conclusion=eq(-log_slope(Minimum(_smooth, N_tot), C) - alpha_C, _gap),
    source=DERIVED,
    uses=(compute_exponent,),
    steps=(
        Step("the optimal value with M free, at a = 2 beta/d", eq(Minimum(_smooth, N_tot), _least_smooth)),
        Step("its exponent in C", eq(-log_slope(_least_smooth, C), 2 * beta / (2 * beta + d))),
        Step("the exponents of the two readings", eq(2 * beta / (2 * beta + d) - compute_exponent.formula, _gap)),
    ),
    reading="a measured alpha_C says nothing before it is said which parameters compute counts",
)  # fmt: skip
