"""Pooling published means that come with their own error bars.

Cochran's Q tests whether several measured means are one number; its power
against a named alternative says what a non-rejection is worth.
(Cochran 1954, "The combination of estimates from different experiments".)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from theory.errors import MoelawsError

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Homogeneity:
    """Cochran's test of equal means.

    ``q`` is chi-squared with ``degrees`` under equality; ``pooled`` is the
    inverse-variance weighted mean and ``pooled_error`` its standard error.
    """

    q: float
    degrees: int
    p_value: float
    pooled: float
    pooled_error: float


def homogeneity(means: Sequence[float], errors: Sequence[float]) -> Homogeneity:
    """Test whether ``means`` with standard ``errors`` (same unit) share one value."""
    from scipy.stats import chi2

    values, sigma = _checked(means, errors)
    weights = sigma**-2
    pooled = float(np.sum(weights * values) / np.sum(weights))
    q = float(np.sum(weights * (values - pooled) ** 2))
    degrees = len(values) - 1
    return Homogeneity(q, degrees, float(chi2.sf(q, degrees)), pooled, float(np.sum(weights) ** -0.5))


def homogeneity_power(alternative: Sequence[float], errors: Sequence[float], *, level: float = 0.05) -> float:
    """Chance that Cochran's Q rejects equality at ``level`` when the true means are ``alternative``."""
    from scipy.stats import chi2, ncx2

    values, sigma = _checked(alternative, errors)
    noncentrality = homogeneity(values.tolist(), sigma.tolist()).q
    degrees = len(values) - 1
    critical = float(chi2.ppf(1 - level, degrees))
    return float(ncx2.sf(critical, degrees, noncentrality)) if noncentrality > 0 else level


def _checked(means: Sequence[float], errors: Sequence[float]) -> tuple[Floats, Floats]:
    values, sigma = np.asarray(means, dtype=float), np.asarray(errors, dtype=float)
    if values.shape != sigma.shape or values.ndim != 1 or len(values) < 2:
        raise MoelawsError(
            f"means and errors must be two lists of the same length >= 2, got {values.shape} and {sigma.shape}"
        )
    if not (np.all(np.isfinite(values)) and np.all(sigma > 0) and np.all(np.isfinite(sigma))):
        raise MoelawsError("means must be finite and standard errors positive and finite")
    return values, sigma
