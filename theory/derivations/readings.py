"""What the readings of the bound share: the words of their assumptions, and the minimisations they lead to.

A reading says how metric entropy is counted (active parameters as stated, total ones as repaired, with or without
the routing patterns, or with the price of a trained hard router under the repairs of `theory.results.covering.repaired`), which
parameters compute counts, and what is free. The first reading of each result is the default. Logarithms of the accuracy
at which parameters are resolved are dropped, except where a reading says that it keeps one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import sympy as sp

from theory.derivations.setting import DerivationSetting
from theory.rates import OptimalRate, minimise
from theory.relation import Relation, eq
from theory.vocabulary import C, D, M, N, beta, d, k, n

mu = sp.Symbol("mu", positive=True)
"""The exponent of a given number of experts, M = n^mu."""

EXPONENT = 2 * beta / d
PATTERNS = k * sp.log(sp.E * M / k)
BRANCHES = sp.Min(k**-EXPONENT, M**-EXPONENT)
AT_MOST_ALL = Relation(k, "<=", M)
SIZES = "constant depth, width, expert size and sequence length: N_act of order k, N_tot of order M"
FIXED = "M/k fixed"
STATED = f"M free, entropy N_act plus routing, as the paper has it; {SIZES}"
REPAIRED = f"M free, entropy repaired to N_tot plus routing; {SIZES}"
FROZEN = f"entropy N_tot alone: a frozen router that reads fixed features, or a soft Lipschitz gate; {SIZES}"
ONE_LAYER = (
    "trained hard router of one MoE layer with fixed weights, linear in fixed features, of order M parameters"
)
BOUNDARY = (
    f"entropy in L2(Q) of N_tot and a grid, fine to a power of n, of the {ONE_LAYER}: boundary mass at most c tau^q "
    f"(boundary_mass_cover), least squares over the net itself (finite_class_oracle); {SIZES}"
)
SIGNS = (
    f"entropy N_tot and the sign patterns on the n inputs of the {ONE_LAYER}: m of order n M^2 hyperplanes "
    f"(empirical_cover), risk on these inputs (sample_oracle); {SIZES}"
)


def over_experts(entropy: sp.Expr) -> Callable[[], OptimalRate]:
    return lambda: minimise(BRANCHES + entropy / n, (k, M), given=n, subject_to=[AT_MOST_ALL])


def at_compute(entropy: sp.Expr, counted: sp.Symbol) -> Callable[[], OptimalRate]:
    bound = BRANCHES + entropy / D
    return lambda: minimise(bound, (k, M, D), given=C, subject_to=[eq(counted * D, C), AT_MOST_ALL])


def at_fixed_data() -> OptimalRate:
    return minimise(N**-EXPONENT + N / n, N, given=n)


def at_fixed_compute() -> OptimalRate:
    return minimise(N**-EXPONENT + N / D, (N, D), given=C, subject_to=[eq(N * D, C)])


def at_given_experts(error: sp.Expr, entropy: sp.Expr) -> Callable[[], OptimalRate]:
    return lambda: minimise(error + entropy / n, k, given={n: 1, M: mu}, subject_to=[AT_MOST_ALL])


TOTAL = M + PATTERNS
ACTIVE = k + PATTERNS
COVERS: Mapping[str, tuple[Callable[[sp.Symbol], sp.Expr], str]] = {
    "frozen-router": (lambda samples: M, FROZEN),
    "boundary-mass": (lambda samples: M + M * sp.log(samples), BOUNDARY),
    "empirical": (lambda samples: M + M * sp.log(sp.E * samples * M), SIGNS),
}
"""The repairs of `theory.results.covering.repaired`: entropy, to the order, at so many samples, and the reading's words."""


def under_repairs(
    setting: Callable[[Callable[[sp.Symbol], sp.Expr], str], DerivationSetting],
) -> dict[str, DerivationSetting]:
    return {name: setting(entropy, words) for name, (entropy, words) in COVERS.items()}


def under_repairs_on_total(size: sp.Symbol | None = None) -> dict[str, DerivationSetting]:
    return under_repairs(
        lambda entropy, words: DerivationSetting(
            f"compute counted on total parameters; M free, {words}", at_compute(entropy(D), M), size
        )
    )


FREE_ON_TOTAL = f"compute counted on total parameters; {REPAIRED}"
FREE_ON_ACTIVE = f"compute counted on active parameters; {REPAIRED}"
DATA = f"N active parameters, {FIXED}; routing term dropped; n given"
COMPUTE = f"N active parameters, {FIXED}; routing term dropped; compute N D given"
