"""How much a refuted claim matters, and whose claim it is: what a reader wants to know before anything else."""

from __future__ import annotations

__all__ = ["Origin", "Severity"]

import enum
from collections.abc import Mapping
from typing import Any


class Severity(enum.Enum):
    """What follows from a refutation, gravest first; a member's value is its message to a reader.

    Nothing but a person says that a conclusion falls: a refutation that nobody has weighed is a wrong number, and one
    that the last printed digit accounts for is rounding.
    """

    CONTRADICTS = "contradicts a conclusion"
    WRONG_NUMBER = "wrong number"
    ROUNDING = "rounding only"
    REMARK = "remark"

    @property
    def rank(self) -> int:
        """0 for the gravest."""
        return list(Severity).index(self)


class Origin(enum.Enum):
    """Whose claim it is; only what is printed or implied counts as the paper's."""

    PRINTED = "printed"
    IMPLIED = "implied"
    OWN_TEST = "our own test"

    @property
    def rank(self) -> int:
        """0 for what is printed."""
        return list(Origin).index(self)

    @property
    def of_the_paper(self) -> bool:
        return self is not Origin.OWN_TEST


def shown_severity(details: Mapping[str, Any]) -> Severity:
    """The severity of a refuted claim of a paper that nobody has weighed, as the ``details`` of its evidence show it."""
    return Severity.ROUNDING if _within_the_last_digit(details) else Severity.WRONG_NUMBER


def _within_the_last_digit(details: Mapping[str, Any]) -> bool:
    """Whether each cell that does not follow lies within one unit of its last printed digit of what was recomputed.

    True, too, where every cell follows by itself and only no one choice of unrounded inputs gives them all.
    """
    if "unexplained_cells" not in details:
        return False
    offset = {(cell["row"], cell["column"]): cell["in_last_digits"] for cell in details["cells"]}
    return all(_nearest(offset[cell["row"], cell["column"]]) <= 1 for cell in details["unexplained_cells"])


def _nearest(offset: Mapping[str, Any]) -> float:
    """The smallest distance in units of the last printed digit; infinite where nothing was recomputed."""
    ends = offset.get("range") or ([offset["value"]] * 2 if "value" in offset else None)
    if ends is None:
        return float("inf")
    low, high = map(float, ends)
    return 0.0 if low <= 0 <= high else min(abs(low), abs(high))
