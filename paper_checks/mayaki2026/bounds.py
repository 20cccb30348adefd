"""The paper's bounds against each other and against known limits: exponents by minimisation, and a contradiction."""

import sympy as sp

from theory.relation import Relation, eq
from theory.results.exponents import compute_exponent, data_exponent, model_exponent
from theory.vocabulary import C, D, M, N, beta, d, k, n
from verify import BoundsAgree, Origin, RateOptimum, RiskAboveMinimax, Severity, Verdict

from .printed import ON_ACTIVE_COMPUTE, paper

RELAYED = (
    "the theorems as public reviews of an earlier version relay them; constants and log(1/delta) dropped"
)
FIXED = (
    "fixed depth, width, expert size and sequence length, so that N_act is of order k and N_tot of order M"
)
ABSTRACT = (
    "approximation and estimation trade off as in dense networks once active parameters are accounted for "
    "appropriately"
)

b = beta / d
patterns = k * sp.log(sp.E * M / k)
at_most_all = [Relation(k, "<=", M)]
error = sp.Min(k**-b, M**-b)
active, total = k + patterns, M + patterns

paper.claim(
    "bounds/alpha-d-by-minimisation",
    "minimised over N at n samples the bound falls as n^(-2 beta/(2 beta + d)), and no faster",
    where="Abstract",
    quote="From these results we derive neural scaling laws for model size, data size, and compute-optimal tradeoffs.",
    check=RateOptimum(
        N ** (-model_exponent.formula) + N / n, [N], n, n ** (-data_exponent.formula), uses=(data_exponent,)
    ),
    mutants={
        "the dense parametric rate": {"value": 1 / n},
        "half the exponent": {"value": n ** (-b / (1 + b))},
    },
)
paper.claim(
    "bounds/alpha-c-by-minimisation",
    "at compute C = N D the bound falls as C^(-beta/(beta + d)), and no faster",
    where="Abstract",
    quote="From these results we derive neural scaling laws for model size, data size, and compute-optimal tradeoffs.",
    reading="M/k fixed, or compute counted on total parameters",
    check=RateOptimum(
        N ** (-model_exponent.formula) + N / D,
        [N, D],
        C,
        C ** (-compute_exponent.formula),
        subject_to=[eq(N * D, C)],
        uses=(compute_exponent,),
    ),
    mutants={"alpha_D in its place": {"value": C ** (-data_exponent.formula)}},
)
paper.claim(
    "bounds/alpha-c-on-active-compute",
    "with M free and compute counted on active parameters the optimum still falls as C^(-beta/(beta + d))",
    where="Abstract",
    quote=ABSTRACT,
    reading=f"the bound with the entropy repaired to N_tot plus routing; {FIXED}",
    check=RateOptimum(
        error**2 + total / D, [k, M, D], C, C ** (-beta / (beta + d)), subject_to=[eq(k * D, C), *at_most_all]
    ),
    expect=Verdict.REFUTED,
    headline=ON_ACTIVE_COMPUTE,
    severity=Severity.CONTRADICTS,
    origin=Origin.IMPLIED,
    because="With M free the optimum is C^(-2 beta/(2 beta + d)), at a constant number of active parameters and all "
    "compute spent on data: alpha_C = beta/(beta + d) needs M/k fixed, or compute counted on total parameters.",
    repairs={
        "the exponent alpha_D": {"value": C ** (-2 * beta / (2 * beta + d))},
        "compute counted on total parameters": {"subject_to": [eq(M * D, C), *at_most_all]},
    },
)
paper.claim(
    "bounds/approximation-with-covering",
    "the approximation rate and the covering bound can hold for the same class",
    where="Theorems on approximation and on covering numbers",
    quote="a sup-norm covering-number bound whose metric entropy scales with the active parameter budget and incurs "
    "a MoE-specific routing overhead",
    reading=f"error at most min(N_eff^(-beta/d), M^(-beta/d)), entropy N_act + k log(e M/k); {FIXED}; {RELAYED}",
    check=BoundsAgree(error, active, [k, M], at_most_all),
    expect=Verdict.REFUTED,
    headline="Theorems: the approximation rate and the covering bound cannot both hold, for any beta and d",
    severity=Severity.CONTRADICTS,
    origin=Origin.IMPLIED,
    because="With k of constant order and M = L^(d/beta) the two promise accuracy 1/L at an entropy of order log L. The "
    "Hölder ball needs L^(d/beta) (Kolmogorov and Tikhomirov), so for no smoothness and no dimension can both hold.",
    repairs={
        "the entropy counts all parameters": {"entropy": total},
        "the larger of the two errors": {"error": sp.Max(k**-b, M**-b)},
    },
)
paper.claim(
    "bounds/risk-against-minimax",
    "the generalisation bound stays above the minimax rate",
    where="Theorem on generalisation",
    quote=ABSTRACT,
    reading=f"the M-branch of the approximation rate with N_act/n + k log(e M/k)/n; {FIXED}; {RELAYED}",
    check=RiskAboveMinimax(error**2 + active / n, [k, M], n, at_most_all),
    expect=Verdict.REFUTED,
    headline="Generalisation theorem: it promises log(n)/n, a risk that no estimator reaches",
    severity=Severity.CONTRADICTS,
    origin=Origin.IMPLIED,
    because="At a constant number of active experts and M of order n^(d/(2 beta)) the bound promises a risk of order "
    "log(n)/n, which no estimator reaches over the Hölder ball (Stone): a bound that good is false.",
    repairs={"all parameters counted": {"risk": error**2 + total / n}},
)
