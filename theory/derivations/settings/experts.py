"""The best number of active experts and of all experts, under each reading."""

from __future__ import annotations

import sympy as sp

from theory.derivations.readings import (
    ACTIVE,
    BRANCHES,
    EXPONENT,
    FREE_ON_ACTIVE,
    FREE_ON_TOTAL,
    SIZES,
    TOTAL,
    at_compute,
    at_given_experts,
    under_repairs,
)
from theory.derivations.setting import Derivable, DerivationSetting
from theory.rates import minimise
from theory.vocabulary import M, k, n

best_active_experts = Derivable(
    "k_star",
    {
        "as-stated": DerivationSetting(
            f"M = n^mu experts, error by active parameters, entropy N_act plus routing; {SIZES}",
            at_given_experts(k**-EXPONENT, ACTIVE),
            k,
            ("risk_bound_with_routing", "active_experts_stationary", "active_experts_curvature"),
        ),
        "both-branches": DerivationSetting(
            f"M = n^mu experts, the smaller branch of the error, entropy N_act plus routing; {SIZES}",
            at_given_experts(BRANCHES, ACTIVE),
            k,
        ),
        "total-entropy": DerivationSetting(
            f"M = n^mu experts, the smaller branch of the error, entropy repaired; {SIZES}",
            at_given_experts(BRANCHES, TOTAL),
            k,
        ),
        **under_repairs(
            lambda entropy, words: DerivationSetting(
                f"M = n^mu experts, the smaller branch of the error: every k attains it, the least is given; {words}",
                at_given_experts(BRANCHES, entropy(n)),
                k,
            )
        ),
    },
)

best_experts = Derivable(
    "M_star",
    {
        "as-stated": DerivationSetting(
            "k fixed, the branch in M, entropy N_act plus routing",
            lambda: minimise(M**-EXPONENT + sp.log(sp.E * M) / n, M, given=n),
            M,
            ("experts_optimal_as_stated",),
        ),
        "total-entropy": DerivationSetting(
            "k fixed, the branch in M, entropy repaired to N_tot plus routing",
            lambda: minimise(M**-EXPONENT + (M + sp.log(sp.E * M)) / n, M, given=n),
            M,
            ("experts_optimal_repaired",),
        ),
        **under_repairs(
            lambda entropy, words: DerivationSetting(
                f"k fixed, the branch in M; {words}",
                lambda: minimise(M**-EXPONENT + entropy(n) / n, M, given=n),
                M,
            )
        ),
        "total-compute": DerivationSetting(FREE_ON_TOTAL, at_compute(TOTAL, M), M),
        "active-compute": DerivationSetting(
            FREE_ON_ACTIVE, at_compute(TOTAL, k), M, ("free_experts_under_active_compute",)
        ),
    },
)
