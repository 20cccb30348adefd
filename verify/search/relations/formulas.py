"""The formulas that are tried: what each computes, as a fraction of two numbers that are linear or products of inputs.

Between poles each is monotone in every input, so its range over a box is that of the corners; sizes and roots are taken of it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Formula:
    """``parts`` gives numerator and denominator of the inputs; ``words`` names them ``{0}``, ``{1}``.

    ``symmetric`` where the inputs may change places. It works on floats, arrays and fractions. ``named`` is what a header
    says that prints such a value: it steers the search, and does not decide it. ``size`` where the value is printed without
    its sign, ``root`` where it is that root of positive inputs whose degree is their number, ``linear`` where its value at
    the totals of some rows is the total of its values.
    """

    name: str
    words: str
    inputs: int
    parts: Callable[..., tuple[Any, Any]]
    symmetric: bool = False
    named: str = ""
    size: bool = False
    root: bool = False
    linear: bool = False

    def names(self, header: str) -> bool:
        """Whether a header says that this is printed below it."""
        return bool(self.named and re.search(self.named, header, re.IGNORECASE))


_CHANGE = r"Δ|\bdelta\b|change|gain|diff|gap|improvement|drop|\bvs\b|points|lead"
_PER_CENT = r"%|percent|per cent|\brel"
_RATIO = r"ratio|share|speed|slow|factor|×|\bper\b|/|%|fraction|efficien|sparsity"
_TOTAL = r"total|\bsumm?e?\b|\ball\b|overall|gesamt"
_MEAN = r"\bavg|mean|average"

OF_TWO = (
    Formula("difference", "{0} - {1}", 2, lambda a, b: (a - b, 1), named=_CHANGE, linear=True),
    Formula(
        "absolute difference",
        "|{0} - {1}|",
        2,
        lambda a, b: (a - b, 1),
        symmetric=True,
        named=rf"{_CHANGE}|error|spread|abs",
        size=True,
    ),
    Formula(
        "product",
        "{0} * {1}",
        2,
        lambda a, b: (a * b, 1),
        symmetric=True,
        named=r"cost|hours|stunden|price|total|flop|compute|tokens",
    ),
    Formula(
        "six products", "6 * {0} * {1}", 2, lambda a, b: (6 * a * b, 1), symmetric=True, named=r"flop|compute"
    ),
    Formula("ratio", "{0} / {1}", 2, lambda a, b: (a, b), named=_RATIO),
    Formula(
        "relative change", "({0} - {1}) / {1}", 2, lambda a, b: (a - b, b), named=f"{_CHANGE}|{_PER_CENT}"
    ),
    Formula(
        "share of two", "{0} / ({0} + {1})", 2, lambda a, b: (a, a + b), named=r"share|fraction|^a\b|^b\b"
    ),
    Formula(
        "compute exponent",
        "{0} * {1} / ({0} + {1})",
        2,
        lambda a, b: (a * b, a + b),
        symmetric=True,
        named=r"alpha_C|α_C|compute",
    ),
    Formula(
        "half difference", "({0} - {1}) / 2", 2, lambda a, b: (a - b, 2), named=r"spread|half", linear=True
    ),
)
"""Of two columns of the same row; with the second one at a fixed row, against a baseline."""

OF_ONE = (
    Formula("complement", "1 - {0}", 1, lambda a: (1 - a, 1), named=r"sparsity|^1 - "),
    Formula("data exponent", "{0} / (1 + {0})", 1, lambda a: (a, 1 + a), named=r"alpha_D|α_D"),
)
"""Of one column of the same row: exponents that sum to one; alpha_D = alpha_N / (1 + alpha_N)."""

AGAINST_BASE = (
    Formula("difference to the base", "{0} - {1}", 2, lambda a, b: (a - b, 1), named=_CHANGE),
    Formula("lead of the base", "{1} - {0}", 2, lambda a, b: (b - a, 1), named=_CHANGE),
    Formula("ratio to the base", "{0} / {1}", 2, lambda a, b: (a, b), named=_RATIO),
    Formula("ratio of the base", "{1} / {0}", 2, lambda a, b: (b, a), named=_RATIO),
    Formula(
        "change from the base",
        "({0} - {1}) / {1}",
        2,
        lambda a, b: (a - b, b),
        named=f"{_CHANGE}|{_PER_CENT}",
    ),
)
"""Of a column, and of the same column at the base row."""

RATIO_OF_RATIOS = Formula(
    "ratio of ratios", "({0} / {1}) / ({2} / {3})", 4, lambda a, b, c, d: (a * d, b * c), named=r"effi[cz]ien"
)
"""Parallel efficiency and its kin: a gain over the base, divided by the gain in another column."""

CUMULATIVE = Formula("running total", "{0} + {1}", 2, lambda a, b: (a + b, 1), named=r"cumul|running")


def total(*values: Any) -> tuple[Any, Any]:
    return sum(values), 1


def product(*values: Any) -> tuple[Any, Any]:
    return math.prod(values), 1


def mean(*values: Any) -> tuple[Any, Any]:
    return sum(values), len(values)


SUM = Formula("sum", "sum of {}", 0, total, named=_TOTAL, linear=True)
MEAN = Formula("mean", "mean of {}", 0, mean, named=_MEAN, linear=True)
GEOMETRIC_MEAN = Formula("geometric mean", "geometric mean of {}", 0, product, named=r"\bgeo", root=True)
"""Of any number of inputs."""
