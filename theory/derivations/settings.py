"""The readings of the bound under which each result is derived: what each assumes, and the minimisation it leads to.

A reading says how metric entropy is counted (active parameters as stated, total ones as repaired, with or without
the routing patterns, or with the price of a trained hard router under the repairs of `theory.results.covering.repaired`), which
parameters compute counts, and what is free. The first reading of each result is the default. Logarithms of the accuracy
at which parameters are resolved are dropped, except where a reading says that it keeps one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import sympy as sp

from theory.rates import OptimalRate, minimise
from theory.relation import Relation, eq
from theory.symbols import C, D, M, N, alpha_C, alpha_D, alpha_N, beta, d, k, n

mu = sp.Symbol("mu", positive=True)
"""The exponent of a given number of experts, M = n^mu."""

_A = 2 * beta / d
_PATTERNS = k * sp.log(sp.E * M / k)
_BRANCHES = sp.Min(k**-_A, M**-_A)
_AT_MOST_ALL = Relation(k, "<=", M)
_SIZES = "constant depth, width, expert size and sequence length: N_act of order k, N_tot of order M"
FIXED = "M/k fixed"
_STATED = f"M free, entropy N_act plus routing, as the paper has it; {_SIZES}"
_REPAIRED = f"M free, entropy repaired to N_tot plus routing; {_SIZES}"
_FROZEN = (
    f"entropy N_tot alone: a frozen router that reads fixed features, or a soft Lipschitz gate; {_SIZES}"
)
_ONE_LAYER = (
    "trained hard router of one MoE layer with fixed weights, linear in fixed features, of order M parameters"
)
_BOUNDARY = (
    f"entropy in L2(Q) of N_tot and a grid, fine to a power of n, of the {_ONE_LAYER}: boundary mass at most c tau^q "
    f"(boundary_mass_cover), least squares over the net itself (finite_class_oracle); {_SIZES}"
)
_SIGNS = (
    f"entropy N_tot and the sign patterns on the n inputs of the {_ONE_LAYER}: m of order n M^2 hyperplanes "
    f"(empirical_cover), risk on these inputs (sample_oracle); {_SIZES}"
)


@dataclass(frozen=True)
class Setting:
    """A reading of the bound: what it assumes, in words, and the minimisation it leads to.

    ``size`` is the size whose growth is the result; None where the minimum itself is. ``statements`` are
    those that derive the same result with its constants.
    """

    words: str
    solve: Callable[[], OptimalRate]
    size: sp.Symbol | None = None
    statements: tuple[str, ...] = ()


def _over_experts(entropy: sp.Expr) -> Callable[[], OptimalRate]:
    return lambda: minimise(_BRANCHES + entropy / n, (k, M), given=n, subject_to=[_AT_MOST_ALL])


def _computed(entropy: sp.Expr, counted: sp.Symbol) -> Callable[[], OptimalRate]:
    bound = _BRANCHES + entropy / D
    return lambda: minimise(bound, (k, M, D), given=C, subject_to=[eq(counted * D, C), _AT_MOST_ALL])


def _at_fixed_data() -> OptimalRate:
    return minimise(N**-_A + N / n, N, given=n)


def _at_fixed_compute() -> OptimalRate:
    return minimise(N**-_A + N / D, (N, D), given=C, subject_to=[eq(N * D, C)])


def _at_given_experts(error: sp.Expr, entropy: sp.Expr) -> Callable[[], OptimalRate]:
    return lambda: minimise(error + entropy / n, k, given={n: 1, M: mu}, subject_to=[_AT_MOST_ALL])


_TOTAL = M + _PATTERNS
_ACTIVE = k + _PATTERNS
_COVERS: Mapping[str, tuple[Callable[[sp.Symbol], sp.Expr], str]] = {
    "frozen-router": (lambda samples: M, _FROZEN),
    "boundary-mass": (lambda samples: M + M * sp.log(samples), _BOUNDARY),
    "empirical": (lambda samples: M + M * sp.log(sp.E * samples * M), _SIGNS),
}
"""The repairs of `theory.results.covering.repaired`: entropy, to the order, at so many samples, and the reading's words."""


def _repairs(setting: Callable[[Callable[[sp.Symbol], sp.Expr], str], Setting]) -> dict[str, Setting]:
    return {name: setting(entropy, words) for name, (entropy, words) in _COVERS.items()}


def _computed_on_total(size: sp.Symbol | None = None) -> dict[str, Setting]:
    return _repairs(
        lambda entropy, words: Setting(
            f"compute counted on total parameters; M free, {words}", _computed(entropy(D), M), size
        )
    )


_FREE_ON_TOTAL = f"compute counted on total parameters; {_REPAIRED}"
_FREE_ON_ACTIVE = f"compute counted on active parameters; {_REPAIRED}"
_DATA = f"N active parameters, {FIXED}; routing term dropped; n given"
_COMPUTE = f"N active parameters, {FIXED}; routing term dropped; compute N D given"

SETTINGS: Mapping[str, Mapping[str, Setting]] = {
    "alpha_N": {
        "as-stated": Setting(
            "unlimited data", lambda: minimise(N**-_A, (), given=N), statements=("model_exponent",)
        ),
        "experts": Setting(
            "unlimited data, the branch in the number of experts", lambda: minimise(M**-_A, (), given=M)
        ),
    },
    "alpha_D": {
        "as-stated": Setting(_DATA, _at_fixed_data, statements=("data_exponent",)),
        "active-entropy": Setting(_STATED, _over_experts(_ACTIVE)),
        "total-entropy": Setting(_REPAIRED, _over_experts(_TOTAL)),
        **_repairs(lambda entropy, words: Setting(f"M free, {words}", _over_experts(entropy(n)))),
    },
    "alpha_C": {
        "as-stated": Setting(_COMPUTE, _at_fixed_compute, statements=("compute_exponent",)),
        "total-compute": Setting(
            _FREE_ON_TOTAL, _computed(_TOTAL, M), statements=("compute_optimal_size_on_total",)
        ),
        "active-compute": Setting(
            _FREE_ON_ACTIVE, _computed(_TOTAL, k), statements=("free_experts_under_active_compute",)
        ),
        "active-entropy": Setting(
            f"compute counted on active parameters; {_STATED}", _computed(_ACTIVE, k)
        ),
        **_computed_on_total(),
    },
    "N_star": {
        "fixed-data": Setting(_DATA, _at_fixed_data, N, ("optimal_size_at_fixed_data",)),
        "fixed-compute": Setting(_COMPUTE, _at_fixed_compute, N, ("compute_optimal_size",)),
        "total-entropy": Setting(f"total parameters, n given; {_REPAIRED}", _over_experts(_TOTAL), M),
        "total-compute": Setting(f"total parameters, {_FREE_ON_TOTAL}", _computed(_TOTAL, M), M),
        "active-compute": Setting(
            f"active parameters, {_FREE_ON_ACTIVE}", _computed(_TOTAL, k), k, ("free_experts_under_active_compute",)
        ),
        **_repairs(
            lambda entropy, words: Setting(f"total parameters, n given; M free, {words}", _over_experts(entropy(n)), M)
        ),
    },
    "D_star": {
        "fixed-compute": Setting(_COMPUTE, _at_fixed_compute, D, ("compute_optimal_tokens",)),
        "total-compute": Setting(_FREE_ON_TOTAL, _computed(_TOTAL, M), D),
        "active-compute": Setting(_FREE_ON_ACTIVE, _computed(_TOTAL, k), D),
        **_computed_on_total(D),
    },
    "k_star": {
        "as-stated": Setting(
            f"M = n^mu experts, error by active parameters, entropy N_act plus routing; {_SIZES}",
            _at_given_experts(k**-_A, _ACTIVE), k, ("active_experts_stationary", "active_experts_curvature"),
        ),
        "both-branches": Setting(
            f"M = n^mu experts, the smaller branch of the error, entropy N_act plus routing; {_SIZES}",
            _at_given_experts(_BRANCHES, _ACTIVE), k,
        ),
        "total-entropy": Setting(
            f"M = n^mu experts, the smaller branch of the error, entropy repaired; {_SIZES}",
            _at_given_experts(_BRANCHES, _TOTAL), k,
        ),
        **_repairs(
            lambda entropy, words: Setting(
                f"M = n^mu experts, the smaller branch of the error: every k attains it, the least is given; {words}",
                _at_given_experts(_BRANCHES, entropy(n)), k,
            )
        ),
    },
    "M_star": {
        "as-stated": Setting(
            "k fixed, the branch in M, entropy N_act plus routing",
            lambda: minimise(M**-_A + sp.log(sp.E * M) / n, M, given=n), M, ("experts_optimal_as_stated",),
        ),
        "total-entropy": Setting(
            "k fixed, the branch in M, entropy repaired to N_tot plus routing",
            lambda: minimise(M**-_A + (M + sp.log(sp.E * M)) / n, M, given=n), M, ("experts_optimal_repaired",),
        ),
        **_repairs(
            lambda entropy, words: Setting(
                f"k fixed, the branch in M; {words}", lambda: minimise(M**-_A + entropy(n) / n, M, given=n), M
            )
        ),
        "total-compute": Setting(_FREE_ON_TOTAL, _computed(_TOTAL, M), M),
        "active-compute": Setting(
            _FREE_ON_ACTIVE, _computed(_TOTAL, k), M, ("free_experts_under_active_compute",)
        ),
    },
}  # fmt: skip
"""Result -> reading -> its minimisation."""

IDENTITIES: Mapping[str, tuple[sp.Symbol, sp.Expr, Mapping[str, Mapping[sp.Symbol, str]]]] = {
    "data_exponent_from_model_exponent": (
        alpha_D,
        alpha_N / (1 + alpha_N),
        {reading: {alpha_N: "as-stated", alpha_D: reading} for reading in SETTINGS["alpha_D"]},
    ),
    "compute_exponent_from_both": (
        alpha_C,
        alpha_N * alpha_D / (alpha_N + alpha_D),
        {
            reading: {alpha_N: "as-stated", alpha_D: data, alpha_C: reading}
            for reading, data in (
                ("as-stated", "as-stated"),
                ("total-compute", "total-entropy"),
                ("active-compute", "total-entropy"),
                ("active-entropy", "active-entropy"),
                *((cover, cover) for cover in _COVERS),
            )
        },
    ),
}
"""Statement -> the exponent it gives, the formula, and for each reading the readings of the exponents in it."""
