"""Identities between exponents, and under which readings of the bound they are tried."""

from __future__ import annotations

from theory.derivations.readings import COVERS
from theory.derivations.setting import ExponentIdentity
from theory.derivations.settings.exponents import data_exponent
from theory.vocabulary import alpha_C, alpha_D, alpha_N

from_model_exponent = ExponentIdentity(
    "data_exponent_from_model_exponent",
    alpha_D,
    alpha_N / (1 + alpha_N),
    {reading: {alpha_N: "as-stated", alpha_D: reading} for reading in data_exponent.settings},
)

from_both_exponents = ExponentIdentity(
    "compute_exponent_from_both",
    alpha_C,
    alpha_N * alpha_D / (alpha_N + alpha_D),
    {
        reading: {alpha_N: "as-stated", alpha_D: data, alpha_C: reading}
        for reading, data in (
            ("as-stated", "as-stated"),
            ("total-compute", "total-entropy"),
            ("active-compute", "total-entropy"),
            ("active-entropy", "active-entropy"),
            *((cover, cover) for cover in COVERS),
        )
    },
)
