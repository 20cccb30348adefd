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
    "approximation_exponent",
    "approximation_rate",
    "compute_exponent",
    "compute_exponent_from_both",
    "compute_exponent_from_model_exponent",
    "compute_optimal_size",
    "compute_size_exponent",
    "data_exponent",
    "data_exponent_from_model_exponent",
    "data_size_exponent",
    "estimation_exponent_at_fixed_size",
    "model_exponent",
    "model_size_exponent",
    "optimal_size_at_fixed_data",
    "risk_bound",
]

import sympy as sp

from theory.optima import Minimiser, Minimum
from theory.posynomials import log_slope
from theory.relation import Relation, eq
from theory.statement import Hypothesis, Kind, Source, Statement, Step
from theory.vocabulary import A, B, C, D, N, a, alpha_C, alpha_D, alpha_N, beta, d, ell, n

PAPER = "Zoubeirou a Mayaki 2026, arXiv 2604.09175"
DERIVED = Source("derived here from the two-term bound")

TOKENS_PER_SEQUENCE = Hypothesis(
    "tokens", "every training sequence has ell tokens, each used once", eq(D, ell * n)
)


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

model_size_exponent = Statement(
    name="model_size_exponent",
    words="alpha_N is the slope in log N at which the bound on the approximation error falls",
    conclusion=eq(alpha_N, -log_slope(approximation_rate.bound, N)),
    source=DERIVED,
    kind=Kind.DEFINITION,
    uses=(approximation_rate,),
)

model_exponent = Statement(
    name="model_exponent",
    words="with unlimited data the risk falls as N^(-alpha_N), alpha_N = 2 beta/d",
    conclusion=eq(alpha_N, 2 * beta / d),
    source=Source(PAPER, "Table 2, header"),
    uses=(model_size_exponent,),
    steps=(
        Step(
            "the logarithmic slope of the approximation term",
            eq(-log_slope(approximation_rate.bound, N), 2 * beta / d),
        ),
    ),
)

_best_size = (a * A * n / B) ** (1 / (1 + a))
_least_at_n = (1 + a) * A * _best_size**-a
optimal_size_at_fixed_data = Statement(
    name="optimal_size_at_fixed_data",
    words="at fixed data the bound is smallest at N* = (a A n / B)^(1/(1+a))",
    conclusion=eq(Minimiser(_bound, N), _best_size),
    source=DERIVED,
    steps=(
        Step(
            "the bound is stationary there: a A N^-a = B N / n",
            eq((a * A * N**-a).subs(N, _best_size), (B * N / n).subs(N, _best_size)),
        ),
        Step("weighted AM-GM attains its lower bound there", eq(Minimiser(_bound, N), _best_size)),
        Step("its value is (1 + a) A N*^-a", eq(Minimum(_bound, N), _least_at_n)),
    ),
    tight_at="the bound attains this value at N = N*",
)

approximation_exponent = Statement(
    name="approximation_exponent",
    words="a is the exponent of the approximation term, 2 beta/d",
    conclusion=eq(a, 2 * beta / d),
    source=DERIVED,
    kind=Kind.DEFINITION,
)

data_size_exponent = Statement(
    name="data_size_exponent",
    words="alpha_D is the slope in log n at which the bound falls when N is best for each n",
    conclusion=eq(alpha_D, -log_slope(Minimum(_bound, N), n)),
    source=DERIVED,
    kind=Kind.DEFINITION,
    uses=(risk_bound,),
    reading="D = ell n at fixed ell, so an exponent in n is one in D",
)

data_exponent = Statement(
    name="data_exponent",
    words="with N optimised at each n the risk falls as n^(-alpha_D), alpha_D = 2 beta/(2 beta + d)",
    conclusion=eq(alpha_D, 2 * beta / (2 * beta + d)),
    source=Source(PAPER, "Table 2, header"),
    uses=(data_size_exponent, approximation_exponent),
    steps=(
        Step("the optimal value", eq(Minimum(_bound, N), _least_at_n)),
        Step("its logarithmic slope", eq(-log_slope(_least_at_n, n), a / (1 + a))),
    ),
    reading=data_size_exponent.reading,
    tight_at="equals the minimax exponent of C^beta regression (Stone 1982)",
)

estimation_exponent_at_fixed_size = Statement(
    name="estimation_exponent_at_fixed_size",
    words="at fixed N the data-dependent term falls with exponent 1, above a floor that data cannot lower",
    conclusion=eq(-log_slope(B * N / n, n), 1),
    source=DERIVED,
    steps=(Step("the slope of B N / n in n", eq(-log_slope(B * N / n, n), 1)),),
    reading="N is not retuned as n grows",
)

bound_at_compute = sp.Subs(_bound, n, C / (6 * ell * N))
"""The bound at C = 6 N D with D = ell n."""
_best_size_c = (a * A * C / (12 * B * ell)) ** (1 / (2 + a))
least_at_compute = (1 + a / 2) * A * _best_size_c**-a
"""Its least value over N."""
compute_optimal_size = Statement(
    name="compute_optimal_size",
    words="at compute C = 6 N D, D = ell n, the bound is smallest at N* = (a A C / (12 B ell))^(1/(2+a))",
    conclusion=eq(Minimiser(bound_at_compute, N), _best_size_c),
    source=DERIVED,
    steps=(
        Step(
            "n = C/(6 ell N) turns the estimation term into 6 B ell N^2 / C",
            eq(sp.Subs(B * N / n, n, C / (6 * ell * N)), 6 * B * ell * N**2 / C),
        ),
        Step(
            "weighted AM-GM attains its lower bound there", eq(Minimiser(bound_at_compute, N), _best_size_c)
        ),
        Step("its value is (1 + a/2) A N*^-a", eq(Minimum(bound_at_compute, N), least_at_compute)),
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

compute_size_exponent = Statement(
    name="compute_size_exponent",
    words="alpha_C is the slope in log C at which the bound falls when compute C = 6 N D, D = ell n, is split at its best",
    conclusion=eq(alpha_C, -log_slope(Minimum(bound_at_compute, N), C)),
    source=DERIVED,
    kind=Kind.DEFINITION,
    uses=(risk_bound,),
    reading="M/k fixed, or compute counted on total parameters",
)

compute_exponent = Statement(
    name="compute_exponent",
    words="with N and D compute-optimal the risk falls as C^(-alpha_C), alpha_C = beta/(beta + d)",
    conclusion=eq(alpha_C, beta / (beta + d)),
    source=DERIVED,
    uses=(compute_size_exponent, approximation_exponent),
    steps=(
        Step("the optimal value", eq(Minimum(bound_at_compute, N), least_at_compute)),
        Step("its logarithmic slope", eq(-log_slope(least_at_compute, C), a / (2 + a))),
    ),
    reading=compute_size_exponent.reading,
)

data_exponent_from_model_exponent = Statement(
    name="data_exponent_from_model_exponent",
    words="alpha_D = alpha_N/(1 + alpha_N)",
    conclusion=eq(alpha_D, alpha_N / (1 + alpha_N)),
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
