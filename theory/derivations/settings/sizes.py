"""The best size and the best number of tokens, under each reading."""

from __future__ import annotations

from theory.derivations.readings import (
    COMPUTE,
    DATA,
    FREE_ON_ACTIVE,
    FREE_ON_TOTAL,
    REPAIRED,
    TOTAL,
    at_compute,
    at_fixed_compute,
    at_fixed_data,
    over_experts,
    under_repairs,
    under_repairs_on_total,
)
from theory.derivations.setting import Derivable, DerivationSetting
from theory.vocabulary import D, M, N, k, n

best_size = Derivable(
    "N_star",
    {
        "fixed-data": DerivationSetting(DATA, at_fixed_data, N, ("optimal_size_at_fixed_data",)),
        "fixed-compute": DerivationSetting(COMPUTE, at_fixed_compute, N, ("compute_optimal_size",)),
        "total-entropy": DerivationSetting(f"total parameters, n given; {REPAIRED}", over_experts(TOTAL), M),
        "total-compute": DerivationSetting(f"total parameters, {FREE_ON_TOTAL}", at_compute(TOTAL, M), M),
        "active-compute": DerivationSetting(
            f"active parameters, {FREE_ON_ACTIVE}",
            at_compute(TOTAL, k),
            k,
            ("free_experts_under_active_compute",),
        ),
        **under_repairs(
            lambda entropy, words: DerivationSetting(
                f"total parameters, n given; M free, {words}", over_experts(entropy(n)), M
            )
        ),
    },
)

best_tokens = Derivable(
    "D_star",
    {
        "fixed-compute": DerivationSetting(COMPUTE, at_fixed_compute, D, ("compute_optimal_tokens",)),
        "total-compute": DerivationSetting(FREE_ON_TOTAL, at_compute(TOTAL, M), D),
        "active-compute": DerivationSetting(FREE_ON_ACTIVE, at_compute(TOTAL, k), D),
        **under_repairs_on_total(D),
    },
)
