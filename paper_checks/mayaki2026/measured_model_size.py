"""alpha_N, measured: how the error of approximation falls with experts, with active capacity, and with both."""

from collections.abc import Sequence
from typing import Any

import sympy as sp

from empirics import Design, Experiment
from empirics.experiments.known_truth.approximation import (
    ErrorByCapacity,
    ErrorByOverlap,
    ErrorOnTheDiagonal,
    LargestSquaredError,
    LargestSquaredErrorOverLog,
    MeanSquaredError,
)
from empirics.experiments.known_truth.worlds import MaternTorus, WeierstrassTorus
from theory.results.exponents import approximation_rate, model_exponent
from verify import MeasuredExponent, Severity, Verdict

from .known_truth import (
    BOUND_FULL_SEEDS,
    BOUND_SEEDS,
    EXACT_FIT,
    FULL_SEEDS,
    HALF,
    MATERN,
    SCALING_LAWS,
    SEEDS,
    THIRD_FULL_SEEDS,
    THIRD_SEEDS,
    WEIERSTRASS,
    at,
    claim_exponent,
    claim_false,
    exponent,
    model_rivals,
)
from .printed import paper

ROUTES = (
    "error can decrease either by scaling active capacity or by increasing the number of experts, depending on the "
    "dominant bottleneck"
)
THEORY = (model_exponent, approximation_rate)
SQUARED_L2 = "known truth: alpha_N in squared L2"
SUP_NORM = "known truth: alpha_N in squared sup-norm"


def experts(dimension: int, *per_axis: int) -> list[int]:
    """Numbers of experts m^d."""
    return [m**dimension for m in per_axis]


def alpha_n(
    experiment: Experiment,
    smoothness: sp.Expr,
    dimension: int,
    sizes: Sequence[int],
    seeds: tuple[range, range] = (SEEDS, FULL_SEEDS),
) -> MeasuredExponent:
    """alpha_N as the theory predicts it at this smoothness and dimension, against its rivals."""
    predicted = at(model_exponent, smoothness, dimension)
    rivals = model_rivals(smoothness, dimension)
    return exponent(experiment, predicted, rivals, list(sizes), seeds=seeds, theory=THEORY)


# Squared L2. (smoothness, d, population a side, patch, degree of the experts, cells for each axis, seeds)

OF_THE_THEOREM = "degree ceil(beta) - 1, as in the theorem"
ONE_MORE = (
    "one degree more than the theorem needs, so that the smooth part of the field, of order h^2 against h^(2 beta), "
    "does not bend the line at the few sizes that d leaves room for"
)
AT_THE_EDGE = f"{OF_THE_THEOREM}; at a whole beta the field just misses the derivative that the theorem uses, which costs a log"
FIRST, THIRD = (SEEDS, FULL_SEEDS), (THIRD_SEEDS, THIRD_FULL_SEEDS)
OCTAVES = (8, 16, 32, 64, 128, 256, 512)
DIVISORS = (6, 8, 12, 16, 24, 32, 48)
DESIGNS: tuple[tuple[Any, ...], ...] = (
    ("0.5", 1, 8192, 8, 0, OCTAVES, FIRST, OF_THE_THEOREM),
    ("1.5", 1, 8192, 8, 1, OCTAVES, FIRST, OF_THE_THEOREM),
    ("2", 1, 8192, 8, 2, OCTAVES, FIRST, ONE_MORE),
    ("2", 1, 8192, 8, 1, OCTAVES, THIRD, AT_THE_EDGE),
    ("0.7", 2, 288, 4, 0, DIVISORS, FIRST, OF_THE_THEOREM),
    ("1", 2, 288, 4, 1, DIVISORS, FIRST, ONE_MORE),
    ("1", 2, 288, 4, 0, DIVISORS, THIRD, AT_THE_EDGE),
    ("0.5", 3, 60, 2, 1, (4, 5, 6, 10, 12), FIRST, ONE_MORE),
    ("1.5", 3, 60, 2, 1, (4, 5, 6, 10, 12), FIRST, OF_THE_THEOREM),
    ("2", 3, 60, 2, 2, (3, 4, 5, 6, 10, 12), THIRD, ONE_MORE),
)


def words_l2(text: str, dimension: int, degree: int) -> str:
    """The claim in words."""
    return (
        f"on a field of dimension {dimension} and smoothness {text} the squared L2 error of M experts, polynomials of degree "
        f"{degree}, falls as M^(-2 beta/d)"
    )


for text, dim, points, patch, degree, per_axis, seeds, why in DESIGNS:
    smoothness = sp.Rational(text)
    claim_exponent(
        f"known-truth/alpha-n/l2-d{dim}-beta{text}"
        + ("-degree-of-the-theorem" if why is AT_THE_EDGE else ""),
        words_l2(text, dim, degree),
        alpha_n(
            MeanSquaredError(MaternTorus(dim, float(text), points, patch), degree),
            smoothness,
            dim,
            experts(dim, *per_axis),
            seeds,
        ),
        where="Abstract; Table 2, header",
        quote=SCALING_LAWS,
        reading=f"{MATERN}; {why}; {EXACT_FIT}",
        family=SQUARED_L2,
    )


def claim_open(
    slug: str,
    words: str,
    check: MeasuredExponent,
    because: str,
    mutant: tuple[str, sp.Expr],
    repair: dict[str, dict[str, Any]],
    **rest: Any,
) -> None:
    """Register a claim that these sizes leave open, with a far exponent that they refute and a variant that holds."""
    name, value = mutant
    paper.claim(
        slug,
        words,
        check=check,
        expect=Verdict.INCONCLUSIVE,
        because=because,
        mutants={name: {"predicted": value, "rivals": {"the claim": check.predicted}}},
        repairs=repair,
        quote=SCALING_LAWS,
        **rest,
    )


claim_open(
    "known-truth/alpha-n/l2-d3-beta0.5-constant-experts",
    words_l2("0.5", 3, 0),
    alpha_n(MeanSquaredError(MaternTorus(3, 0.5, 48, 2), 0), HALF, 3, experts(3, 4, 6, 8, 12, 16)),
    "Constants are all that the theorem asks for at smoothness 0.5. They pay h^2 for the smooth part of the field on top of "
    "h^(2 beta), and with h from 1/4 to 1/16 that part has not gone: the local exponent still rises with M. In three "
    "dimensions a range that shows the limit within the tolerance of 1/24 needs a population beyond a laptop.",
    ("smoothness 1", at(model_exponent, sp.Integer(1), 3)),
    {
        "linear experts": {
            "experiment": MeanSquaredError(MaternTorus(3, 0.5, 60, 2), 1),
            "design": Design(experts(3, 4, 5, 6, 10, 12), SEEDS),
            "full": Design(experts(3, 4, 5, 6, 10, 12), FULL_SEEDS),
        }
    },
    where="Abstract; Table 2, header",
    reading=f"{MATERN}; {OF_THE_THEOREM}; {EXACT_FIT}",
    family=SQUARED_L2,
)
claim_open(
    "known-truth/alpha-n/l2-d3-beta2-degree-of-the-theorem",
    words_l2("2", 3, 1),
    alpha_n(
        MeanSquaredError(MaternTorus(3, 2.0, 60, 2), 1),
        sp.Integer(2),
        3,
        experts(3, 3, 4, 5, 6, 10, 12),
        THIRD,
    ),
    "Linear experts are what the theorem asks for at smoothness 2. The field just misses the second derivative that they "
    "use, so their error is h^4 log(1/h): with h from 1/3 to 1/12 the log alone lowers the local exponent by a fifth to a "
    "half, and the line bends upwards. Quadratic experts have no such log.",
    ("smoothness 1/2", at(model_exponent, HALF, 3)),
    {"quadratic experts": {"experiment": MeanSquaredError(MaternTorus(3, 2.0, 60, 2), 2)}},
    where="Abstract; Table 2, header",
    reading=f"{MATERN}; {AT_THE_EDGE}; {EXACT_FIT}",
    family=SQUARED_L2,
)
in_four = alpha_n(
    MeanSquaredError(MaternTorus(4, 1.0, 24, 2), 2), sp.Integer(1), 4, experts(4, 2, 3, 4, 5, 6, 7, 8), THIRD
)
claim_open(
    "known-truth/alpha-n/l2-d4-beta1",
    words_l2("1", 4, 2),
    in_four,
    "From 2 to 8 cells a side the line still bends: the smallest and the largest sizes lie off it by more than the others, "
    "and with errors of that kind seven sizes tell smoothness 1 from smoothness 1 +- 1/2, but not from alpha_D. With the "
    "constants of the theorem it bends further.",
    ("smoothness 2", at(model_exponent, sp.Integer(2), 4)),
    {
        "told apart from smoothness 1/2 and 3/2 only": {
            "rivals": {name: rival for name, rival in in_four.rivals.items() if name.startswith("smoothness")}
        }
    },
    where="Abstract; Table 2, header",
    reading=f"{MATERN}; degree 2, two more than the theorem needs, for the same reason as one more elsewhere; {EXACT_FIT}",
    family=SQUARED_L2,
)

# Squared sup-norm, which the theorem is about

for text, dim, points, degree, per_axis in (
    ("0.7", 1, 8192, 0, OCTAVES),
    ("1.5", 2, 384, 1, (4, 6, 8, 12, 16, 24, 32, 48, 64)),
):
    smoothness = sp.Rational(text)
    claim_exponent(
        f"known-truth/alpha-n/sup-d{dim}-beta{text}",
        f"in dimension {dim} at smoothness {text} the squared sup-norm error of M experts falls as M^(-2 beta/d)",
        alpha_n(
            LargestSquaredError(WeierstrassTorus(dim, float(text), points, 8), degree),
            smoothness,
            dim,
            experts(dim, *per_axis),
            FIRST if dim == 1 else THIRD,
        ),
        where="Theorem on approximation; Table 2, header",
        quote=SCALING_LAWS,
        reading=f"{WEIERSTRASS}, which are in C^beta; {OF_THE_THEOREM}; {EXACT_FIT}",
        family=SUP_NORM,
    )
for text, dim, points, patch, degree, per_axis in (
    ("0.5", 1, 8192, 8, 0, OCTAVES),
    ("0.7", 2, 288, 4, 0, DIVISORS),
):
    smoothness = sp.Rational(text)
    claim_exponent(
        f"known-truth/alpha-n/sup-over-log-d{dim}-beta{text}",
        f"on a field of dimension {dim} and smoothness {text} the squared sup-norm error over log M falls as M^(-2 beta/d)",
        alpha_n(
            LargestSquaredErrorOverLog(MaternTorus(dim, float(text), points, patch), degree),
            smoothness,
            dim,
            experts(dim, *per_axis),
        ),
        where="Theorem on approximation; Table 2, header",
        quote=SCALING_LAWS,
        reading=f"{MATERN}, whose largest of M errors is sqrt(2 log M) standard deviations, a factor that C^beta does "
        f"not have and the rate leaves out; {OF_THE_THEOREM}; {EXACT_FIT}",
        family=SUP_NORM,
    )
field, sizes = MaternTorus(2, 0.7, 288, 4), experts(2, *DIVISORS)
claim_open(
    "known-truth/alpha-n/sup-matern-d2-beta0.7",
    "on a field of dimension 2 and smoothness 0.7 the squared sup-norm error of M experts falls as M^(-2 beta/d)",
    alpha_n(LargestSquaredError(field, 0), sp.Rational("0.7"), 2, sizes, THIRD),
    "The largest of M errors of a Gaussian field grows as log M beside the rate, and over these sizes that lowers the "
    "exponent by as much as the tolerance. The field is not quite in C^beta.",
    ("smoothness higher by 1", at(model_exponent, sp.Rational("1.7"), 2)),
    {"over log M": {"experiment": LargestSquaredErrorOverLog(field, 0)}},
    where="Theorem on approximation; Table 2, header",
    reading=f"{MATERN}; {OF_THE_THEOREM}; {EXACT_FIT}",
    family=SUP_NORM,
)

# Either route, and both at once

ROUGH = sp.Rational("0.7")
claim_exponent(
    "known-truth/either-route/experts",
    "at four active parameters the error falls as M^(-2 beta/d) with the number of experts",
    alpha_n(MeanSquaredError(MaternTorus(1, 0.7, 4096, 4), 3), ROUGH, 1, [8, 16, 32, 64, 128, 256]),
    where="Abstract",
    quote=ROUTES,
    reading=f"d = 1, beta = 0.7; cubic experts; {EXACT_FIT}",
    family=SQUARED_L2,
)
for text, dim, points, cells, capacities in (
    ("0.7", 1, 4096, 8, [4, 6, 8, 11, 16, 23, 32]),
    ("1", 2, 192, 4, [6, 10, 15, 21, 28, 36, 45]),
):
    smoothness = sp.Rational(text)
    claim_exponent(
        f"known-truth/either-route/capacity-d{dim}",
        f"at a fixed number of experts the error falls as N_act^(-2 beta/d) with active parameters (d = {dim})",
        alpha_n(
            ErrorByCapacity(MaternTorus(dim, float(text), points, 4), cells), smoothness, dim, capacities
        ),
        where="Abstract",
        quote=ROUTES,
        reading=f"beta = {text}; {cells**dim} experts, polynomials of growing degree; {EXACT_FIT}",
        family=SQUARED_L2,
    )
branch = at(model_exponent, ROUGH, 1)
claim_false(
    "known-truth/either-route/the-smaller-branch",
    "where active parameters and experts grow together, N_act = M, the error falls as the smaller of the two branches, "
    "min(N_act^(-2 beta/d), M^(-2 beta/d))",
    exponent(
        ErrorOnTheDiagonal(MaternTorus(1, 0.7, 8192, 4)),
        branch,
        {"the product of the two branches": 2 * branch, "half of a branch": branch / 2},
        [4, 6, 8, 11, 16, 23, 32],
        theory=THEORY,
    ),
    "The two routes multiply: an expert refines its own cell, so M experts of N_act coefficients resolve M N_act pieces and "
    "the error falls as (M N_act)^(-2 beta/d). The smaller branch is an upper bound and not the rate.",
    {"the product of the two branches": {"predicted": 2 * branch}},
    where="Abstract; theorem on approximation",
    quote=ROUTES,
    reading=f"d = 1, beta = 0.7; {EXACT_FIT}",
    headline="Abstract: where size and experts grow together the error falls faster than either branch",
    severity=Severity.REMARK,
    family=SQUARED_L2,
)
claim_exponent(
    "known-truth/either-route/at-least-a-branch",
    "where active parameters and experts grow together, N_act = M, the error falls at least as fast as the smaller of the "
    "two branches: it is an upper bound",
    exponent(
        ErrorOnTheDiagonal(MaternTorus(1, 0.7, 8192, 4)),
        branch,
        {"half of a branch": branch / 2},
        [4, 6, 8, 11, 16, 23, 32],
        seeds=(BOUND_SEEDS, BOUND_FULL_SEEDS),
        theory=THEORY,
        relation="at least",
    ),
    where="Abstract; theorem on approximation",
    quote=ROUTES,
    reading=f"d = 1, beta = 0.7; the design of the claim before, on seeds never run; {EXACT_FIT}",
    family=SQUARED_L2,
)

# M or M/K

ratio = at(model_exponent, ROUGH, 2)
claim_exponent(
    "known-truth/overlap/experts-not-their-ratio",
    "at fixed M the error does not grow with the number K of experts that overlap: M governs, and not M/K",
    exponent(
        ErrorByOverlap(MaternTorus(2, 0.7, 240), 30),
        sp.Integer(0),
        {"M/K governs: K^(2 beta/d)": ratio},
        [4, 9, 16, 25, 36],
        grows=True,
        relation="at most",
    ),
    where="Theorem on approximation",
    quote=ROUTES,
    reading="d = 2, beta = 0.7, M = 900 constant experts weighted by B-splines of order 2 to 6 on the torus; the bound with "
    "top-K constant experts of arXiv 2609.03501 is in M/K; one least-squares fit to all experts, certified by its gradient",
    family=SQUARED_L2,
)
