"""Order statistics of printed cells as expressions, so that their intervals stay exact."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from verify.errors import InputError
from verify.tables import Cell


def median(places: Mapping[sp.Symbol, Cell]) -> sp.Expr:
    """The median of printed cells: the middle symbol, or the mean of the middle two, by printed value.

    Cells that differ by less than their last digits could change places when
    unrounded; that moves the median by less than the last digit and is within
    the interval of the cells that stand in the middle.
    """
    if not places:
        raise InputError("median: expected at least one cell")
    ranked = sorted(places, key=lambda s: (places[s].printed.value, s.name))
    middle = len(ranked) // 2
    return ranked[middle] if len(ranked) % 2 else (ranked[middle - 1] + ranked[middle]) / 2
