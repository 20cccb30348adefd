"""alpha_C and the compute-optimal size, measured by iso-compute sweeps: on total and on active parameters."""

import sympy as sp

from empirics.experiments.known_truth.compute import BestRiskAtCompute, BestSizeAtCompute
from empirics.experiments.known_truth.worlds import MaternTorus
from theory.results.exponents import (
    compute_exponent,
    compute_optimal_size,
    data_exponent,
    model_exponent,
)
from verify import Severity

from .known_truth import (
    MATERN,
    SCALING_LAWS,
    SECOND_FULL_SEEDS,
    SECOND_SEEDS,
    at,
    claim_exponent,
    claim_false,
    exponent,
)
from .printed import ON_ACTIVE_COMPUTE

FAMILY = "known truth: compute"
ROUGH = sp.Rational("0.7")
WORLD = MaternTorus(1, 0.7, 4096, 4)
ON_TOTAL = [2**k for k in (14, 16, 18, 20, 22)]
ON_ACTIVE = [1024, 2600, 6600, 16400, 41600, 104000, 2**18]
SEEDS = (SECOND_SEEDS, SECOND_FULL_SEEDS)
READING = f"d = 1, beta = 0.7; {MATERN}, noise 0.5; one constant expert active, every M given the samples the budget pays for"

a = at(model_exponent, ROUGH, 1)
risk_on_total, risk_on_active = at(compute_exponent, ROUGH, 1), at(data_exponent, ROUGH, 1)
size_on_total, size_on_active = 1 / (2 + a), 1 / (1 + a)
risks = {"alpha_C": risk_on_total, "alpha_D": risk_on_active, "alpha_N": a}
sizes = {
    "C^(1/(2 + a))": size_on_total,
    "C^(1/(1 + a))": size_on_active,
    "C^(1/2), parameters and data in proportion": sp.Rational(1, 2),
}

claim_exponent(
    "known-truth/compute/risk-on-total",
    "with compute counted on total parameters the best risk falls as C^(-beta/(beta + d))",
    exponent(
        BestRiskAtCompute(WORLD, 0, 0.5),
        risk_on_total,
        risks,
        ON_TOTAL,
        seeds=SEEDS,
        theory=(compute_exponent,),
    ),
    where="Abstract",
    quote=SCALING_LAWS,
    reading=READING,
    family=FAMILY,
)
claim_exponent(
    "known-truth/compute/size-on-total",
    "with compute counted on total parameters the best size grows as C^(1/(2 + a)), a = 2 beta/d",
    exponent(
        BestSizeAtCompute(WORLD, 0, 0.5),
        size_on_total,
        sizes,
        ON_TOTAL,
        seeds=SEEDS,
        grows=True,
        theory=(compute_optimal_size,),
    ),
    where="Abstract",
    quote=SCALING_LAWS,
    reading=f"{READING}; the bottom of a parabola through the curve",
    family=FAMILY,
)
claim_false(
    "known-truth/compute/risk-on-active",
    "with compute counted on active parameters the best risk falls as C^(-beta/(beta + d))",
    exponent(
        BestRiskAtCompute(WORLD, 0, 0.5, "active"),
        risk_on_total,
        risks,
        ON_ACTIVE,
        seeds=SEEDS,
        theory=(compute_exponent,),
    ),
    "On active parameters the number of experts costs nothing, so all compute goes to data and the risk falls with "
    "alpha_D = 2 beta/(2 beta + d). alpha_C = beta/(beta + d) needs M/k fixed, or compute counted on total parameters.",
    {"alpha_D": {"predicted": risk_on_active}},
    where="Abstract",
    quote=SCALING_LAWS,
    headline=ON_ACTIVE_COMPUTE,
    severity=Severity.CONTRADICTS,
    reading=READING,
    family=FAMILY,
)
claim_false(
    "known-truth/compute/size-on-active",
    "with compute counted on active parameters the best number of experts grows as C^(1/(2 + a))",
    exponent(
        BestSizeAtCompute(WORLD, 0, 0.5, "active"),
        size_on_total,
        sizes,
        ON_ACTIVE,
        seeds=SEEDS,
        grows=True,
        theory=(compute_optimal_size,),
    ),
    "With M free of charge the best M is the one at n = C/N_act samples, M of order n^(d/(2 beta + d)), which is "
    "C^(1/(1 + a)): more experts than the allocation of dense networks has.",
    {"C^(1/(1 + a))": {"predicted": size_on_active}},
    where="Abstract",
    quote=SCALING_LAWS,
    reading=f"{READING}; the bottom of a parabola through the curve",
    family=FAMILY,
    headline=ON_ACTIVE_COMPUTE,
    severity=Severity.CONTRADICTS,
)
