"""Order statistics of printed cells as expressions, so that their intervals stay exact."""

from __future__ import annotations

__all__ = ["median"]

from collections.abc import Mapping

import sympy as sp

from verify.errors import InputError
from verify.printed.tables import Cell


def median(places: Mapping[sp.Symbol, Cell]) -> sp.Expr:
    """The median of printed cells: the middle symbol, or the mean of the middle two, by printed value.

    All cells must be printed to the same last digit: then those that could change
    places when unrounded have the same interval, and it does not matter which
    stands in the middle.
    """
    if not places:
        raise InputError("median: expected at least one cell")
    digits = {cell.printed.last_digit for cell in places.values()}
    if len(digits) > 1:
        raise InputError(
            "median: the cells are printed to different last digits, so their order is not determined"
        )
    ranked = sorted(places, key=lambda s: (places[s].printed.value, s.name))
    middle = len(ranked) // 2
    return ranked[middle] if len(ranked) % 2 else (ranked[middle - 1] + ranked[middle]) / 2
