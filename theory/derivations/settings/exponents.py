"""How fast the bound falls, in model size, in data and in compute, under each reading."""

from __future__ import annotations

from theory.derivations.readings import (
    ACTIVE,
    COMPUTE,
    DATA,
    EXPONENT,
    FREE_ON_ACTIVE,
    FREE_ON_TOTAL,
    REPAIRED,
    STATED,
    TOTAL,
    at_compute,
    at_fixed_compute,
    at_fixed_data,
    over_experts,
    under_repairs,
    under_repairs_on_total,
)
from theory.derivations.setting import Derivable, DerivationSetting
from theory.rates import minimise
from theory.vocabulary import M, N, k, n

model_exponent = Derivable(
    "alpha_N",
    {
        "as-stated": DerivationSetting(
            "unlimited data", lambda: minimise(N**-EXPONENT, (), given=N), statements=("model_exponent",)
        ),
        "experts": DerivationSetting(
            "unlimited data, the branch in the number of experts", lambda: minimise(M**-EXPONENT, (), given=M)
        ),
    },
)

data_exponent = Derivable(
    "alpha_D",
    {
        "as-stated": DerivationSetting(DATA, at_fixed_data, statements=("data_exponent",)),
        "active-entropy": DerivationSetting(STATED, over_experts(ACTIVE)),
        "total-entropy": DerivationSetting(REPAIRED, over_experts(TOTAL)),
        **under_repairs(
            lambda entropy, words: DerivationSetting(f"M free, {words}", over_experts(entropy(n)))
        ),
    },
)

compute_exponent = Derivable(
    "alpha_C",
    {
        "as-stated": DerivationSetting(COMPUTE, at_fixed_compute, statements=("compute_exponent",)),
        "total-compute": DerivationSetting(
            FREE_ON_TOTAL, at_compute(TOTAL, M), statements=("compute_optimal_size_on_total",)
        ),
        "active-compute": DerivationSetting(
            FREE_ON_ACTIVE, at_compute(TOTAL, k), statements=("free_experts_under_active_compute",)
        ),
        "active-entropy": DerivationSetting(
            f"compute counted on active parameters; {STATED}", at_compute(ACTIVE, k)
        ),
        **under_repairs_on_total(),
    },
)
