"""How likely it is that so many cells fit a relation that has nothing to do with them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from verify.search.relations.formulas import Formula

Floats = npt.NDArray[np.float64]


def chance_of_a_fit(low: Floats, high: Floats, printed_low: Floats, printed_high: Floats) -> Floats:
    """For each cell, the chance that a number drawn from the column's own span would meet the computed interval.

    The larger one of two: drawn evenly, and drawn evenly on a log scale where all are positive. A column of one value
    shows nothing: its chances are 1.
    """
    middle = (printed_low + printed_high) / 2
    span = middle.max() - middle.min()
    reach = (high - low) + (printed_high - printed_low)
    found = reach / span if span > 0 else np.ones_like(reach)
    if (printed_low > 0).all() and (low > 0).all() and span > 0:
        decades = np.log(middle.max() / middle.min())
        found = np.maximum(found, (np.log(high / low) + np.log(printed_high / printed_low)) / decades)
    return np.minimum(found, 1.0)


def at_least(successes: int, chances: Sequence[float]) -> float:
    """The probability of that many successes or more of independent trials."""
    exactly = [1.0]
    for p in chances:
        padded = [*exactly, 0.0]
        exactly = [padded[k] * (1 - p) + (padded[k - 1] * p if k else 0.0) for k in range(len(padded))]
    return min(1.0, sum(exactly[successes:]))


def chance_of_an_input(formula: Formula, values: Floats, k: int, scale: float, reach: Floats) -> Floats:
    """The same for an input: drawn between the smallest and the largest number of its column, it moves the result so far."""
    ends = []
    for end in (values[:, k].min(), values[:, k].max()):
        top, bottom = formula.parts(
            *(np.full(len(values), end) if j == k else values[:, j] for j in range(values.shape[1]))
        )
        with np.errstate(all="ignore"):
            ends.append(scale * (top / bottom) ** (1 / values.shape[1] if formula.root else 1))
    with np.errstate(all="ignore"):
        found = (2 if formula.size else 1) * reach / np.abs(ends[1] - ends[0])  # a size is met from two sides
    return np.asarray(np.minimum(np.nan_to_num(found, nan=1.0, posinf=1.0), 1.0))
