"""The scaling exponents alpha_N, alpha_D and alpha_C, derived from the two-term risk bound.

With a = 2 beta / d the bound on the risk of an MoE with N active parameters
trained on n sequences is ``A N^-a + B N / n``. Minimising it over N at fixed n
gives alpha_D; spending compute ``C = 6 N D`` with ``D = ell n`` gives alpha_C.

What this does not say: alpha_D appears only after N has been optimised (at
fixed N the estimation term falls with exponent 1), and alpha_C assumes a fixed
ratio M/k or compute counted on total parameters.
"""

from __future__ import annotations

__all__ = [
    "approximation_rate",
    "compute_exponent",
    "compute_exponent_from_both",
    "compute_exponent_from_model_exponent",
    "compute_optimal_size",
    "data_exponent",
    "data_exponent_from_model_exponent",
    "estimation_exponent_at_fixed_size",
    "model_exponent",
    "optimal_size_at_fixed_data",
    "risk_bound",
]

import sympy as sp

from theory.posynomials import log_slope, minimise_posynomial
from theory.relation import Relation, eq
from theory.results.weighted_means import weighted_am_gm
from theory.statement import Hypothesis, Kind, Source, Statement, Step
from theory.vocabulary import A, B, C, D, N, a, alpha_C, alpha_D, alpha_N, beta, d, ell, n

PAPER = "Zoubeirou a Mayaki 2026, arXiv 2604.09175"
DERIVED = Source("derived here from the two-term bound")

TOKENS_PER_SEQUENCE = Hypothesis(
    "tokens", "every training sequence has ell tokens, each used once", eq(D, ell * n)
)
COMPUTE = Hypothesis("compute", "training costs 6 FLOPs per active parameter and token", eq(6 * N * D, C))


def in_smoothness(expr: sp.Expr) -> sp.Expr:
    """An expression in beta and d, with a = 2 beta/d."""
    return expr.subs(a, 2 * beta / d)


risk = sp.Symbol("risk", positive=True)
approximation_error = sp.Symbol("approximation_error", positive=True)

approximation_rate = Statement(
    name="approximation_rate",
    words="the squared approximation error falls as N^(-2 beta/d)",
    conclusion=Relation(approximation_error, "<=", A * N ** (-2 * beta / d)),
    source=Source(PAPER, "approximation theorem, as relayed by reviews of an earlier version"),
    kind=Kind.ASSUMPTION,
    hypotheses=(
        Hypothesis("smooth target", "the target is in C^beta on a compact d-dimensional manifold"),
        Hypothesis("top-k mixture", "k is at least the overlap of the partition of unity"),
    ),
    reading="the branch in active parameters; the branch in M is a separate statement",
)

_bound = A * N**-a + B * N / n
risk_bound = Statement(
    name="risk_bound",
    words="the risk is bounded by approximation plus active parameters over sequences",
    conclusion=Relation(risk, "<=", _bound),
    source=Source(PAPER, "generalisation bound, as relayed by reviews of an earlier version"),
    kind=Kind.ASSUMPTION,
    hypotheses=(
        Hypothesis("independent data", "sequences are independent and identically distributed"),
        Hypothesis("empirical risk minimiser", "the squared loss is minimised exactly"),
        Hypothesis("routing negligible", "the routing term L_T ell k log(eM/k)/n is dominated"),
    ),
    uses=(approximation_rate,),
    reading="logarithmic factors dropped; a = 2 beta/d",
)

model_exponent = Statement(
    name="model_exponent",
    words="with unlimited data the risk falls as N^(-alpha_N), alpha_N = 2 beta/d",
    conclusion=eq(alpha_N, 2 * beta / d),
    kind=Kind.ARGUED,
    to_prove="alpha_N by definition as the slope of the approximation error in log N",
    source=Source(PAPER, "Table 2, header"),
    uses=(approximation_rate,),
    steps=(
        Step(
            "the logarithmic slope of the approximation term",
            eq(-log_slope(approximation_rate.formula, N), 2 * beta / d),
        ),
    ),
)

_at_n = minimise_posynomial(_bound, over=N)
_best_size = (a * A * n / B) ** (1 / (1 + a))
optimal_size_at_fixed_data = Statement(
    name="optimal_size_at_fixed_data",
    words="at fixed data the bound is smallest at N* = (a A n / B)^(1/(1+a))",
    conclusion=eq(N, _best_size),
    kind=Kind.ARGUED,
    to_prove="a rule for optima, with the posynomial certificate of this minimum",
    source=DERIVED,
    uses=(risk_bound, weighted_am_gm),
    steps=(
        Step(
            "the bound is stationary there: a A N^-a = B N / n",
            eq((a * A * N**-a).subs(N, _best_size), (B * N / n).subs(N, _best_size)),
        ),
        Step("weighted AM-GM attains its lower bound at the same point", eq(_at_n.argmin[N], _best_size)),
        Step("its value is (1 + a) A N*^-a", eq(_at_n.value, (1 + a) * A * _best_size**-a)),
    ),
    tight_at="the bound attains this value at N = N*",
)

data_exponent = Statement(
    name="data_exponent",
    words="with N optimised at each n the risk falls as n^(-alpha_D), alpha_D = 2 beta/(2 beta + d)",
    conclusion=eq(alpha_D, 2 * beta / (2 * beta + d)),
    kind=Kind.ARGUED,
    to_prove="alpha_D by definition as the slope of the optimal bound in log n",
    source=Source(PAPER, "Table 2, header"),
    uses=(risk_bound, optimal_size_at_fixed_data),
    steps=(
        Step("the logarithmic slope of the optimal value", eq(-log_slope(_at_n.value, n), a / (1 + a))),
        Step("at a = 2 beta/d", eq(in_smoothness(a / (1 + a)), 2 * beta / (2 * beta + d))),
    ),
    reading="D = ell n at fixed ell, so an exponent in n is one in D",
    tight_at="equals the minimax exponent of C^beta regression (Stone 1982)",
)

estimation_exponent_at_fixed_size = Statement(
    name="estimation_exponent_at_fixed_size",
    words="at fixed N the data-dependent term falls with exponent 1, above a floor that data cannot lower",
    conclusion=eq(alpha_D, 1),
    kind=Kind.ARGUED,
    to_prove="alpha_D by definition as the slope of the data-dependent term in log n",
    source=DERIVED,
    uses=(risk_bound,),
    steps=(Step("the slope of B N / n in n", eq(-log_slope(B * N / n, n), 1)),),
    reading="N is not retuned as n grows",
)

_at_c = minimise_posynomial(A * N**-a + 6 * B * ell * N**2 / C, over=N)
_best_size_c = (a * A * C / (12 * B * ell)) ** (1 / (2 + a))
compute_optimal_size = Statement(
    name="compute_optimal_size",
    words="at compute C = 6 N D the bound is smallest at N* = (a A C / (12 B ell))^(1/(2+a))",
    conclusion=eq(N, _best_size_c),
    kind=Kind.ARGUED,
    to_prove="a rule for optima, with the posynomial certificate of this minimum",
    source=DERIVED,
    hypotheses=(TOKENS_PER_SEQUENCE, COMPUTE),
    uses=(risk_bound, weighted_am_gm),
    steps=(
        Step(
            "n = C/(6 ell N) turns the estimation term into 6 B ell N^2 / C",
            eq((B * N / n).subs(n, C / (6 * ell * N)), 6 * B * ell * N**2 / C),
        ),
        Step("weighted AM-GM attains its lower bound there", eq(_at_c.argmin[N], _best_size_c)),
        Step("its value is (1 + a/2) A N*^-a", eq(_at_c.value, (1 + a / 2) * A * _best_size_c**-a)),
        Step(
            "N* grows as C^(d/(2 (beta + d)))",
            eq(in_smoothness(log_slope(_best_size_c, C)), d / (2 * (beta + d))),
        ),
        Step(
            "D* = C/(6 N*) grows as C^((2 beta + d)/(2 (beta + d)))",
            eq(in_smoothness(log_slope(C / (6 * _best_size_c), C)), (2 * beta + d) / (2 * (beta + d))),
        ),
    ),
    tight_at="the bound attains this value at N = N*",
)

compute_exponent = Statement(
    name="compute_exponent",
    words="with N and D compute-optimal the risk falls as C^(-alpha_C), alpha_C = beta/(beta + d)",
    conclusion=eq(alpha_C, beta / (beta + d)),
    kind=Kind.ARGUED,
    to_prove="alpha_C by definition as the slope of the optimal bound in log C",
    source=DERIVED,
    hypotheses=(TOKENS_PER_SEQUENCE, COMPUTE),
    uses=(risk_bound, compute_optimal_size),
    steps=(
        Step("the logarithmic slope of the optimal value", eq(-log_slope(_at_c.value, C), a / (2 + a))),
        Step("at a = 2 beta/d", eq(in_smoothness(a / (2 + a)), beta / (beta + d))),
    ),
    reading="M/k fixed, or compute counted on total parameters",
)

data_exponent_from_model_exponent = Statement(
    name="data_exponent_from_model_exponent",
    words="alpha_D = alpha_N/(1 + alpha_N)",
    conclusion=eq(alpha_D, alpha_N / (1 + alpha_N)),
    kind=Kind.ARGUED,
    to_prove="alpha_N and alpha_D by definition, chained",
    source=Source(PAPER, "Table 2 (column 'Consistency') and Table 5, caption"),
    uses=(model_exponent, data_exponent),
    steps=(
        Step(
            "insert both exponents",
            eq(data_exponent.formula, sp.Subs(alpha_N / (1 + alpha_N), alpha_N, model_exponent.formula)),
        ),
    ),
)

_harmonic = alpha_N * alpha_D / (alpha_N + alpha_D)
compute_exponent_from_both = Statement(
    name="compute_exponent_from_both",
    words="alpha_C = alpha_N alpha_D/(alpha_N + alpha_D)",
    conclusion=eq(alpha_C, _harmonic),
    kind=Kind.ARGUED,
    to_prove="alpha_N, alpha_D and alpha_C by definition, chained",
    source=Source(PAPER, "Table 5, caption"),
    reading="M/k fixed, or compute counted on total parameters",
    uses=(model_exponent, data_exponent, compute_exponent),
    steps=(
        Step(
            "insert both exponents",
            eq(
                compute_exponent.formula,
                sp.Subs(_harmonic, (alpha_N, alpha_D), (model_exponent.formula, data_exponent.formula)),
            ),
        ),
    ),
)

compute_exponent_from_model_exponent = Statement(
    name="compute_exponent_from_model_exponent",
    words="alpha_C = alpha_N/(2 + alpha_N)",
    conclusion=eq(alpha_C, alpha_N / (2 + alpha_N)),
    kind=Kind.ARGUED,
    to_prove="alpha_N and alpha_C by definition, chained",
    source=Source(PAPER, "Table 5, caption"),
    reading="M/k fixed, or compute counted on total parameters",
    uses=(data_exponent_from_model_exponent, compute_exponent_from_both),
    steps=(
        Step(
            "insert alpha_D = alpha_N/(1 + alpha_N)",
            eq(_harmonic.subs(alpha_D, data_exponent_from_model_exponent.formula), alpha_N / (2 + alpha_N)),
        ),
    ),
)
