"""The exact value that a measured claim predicts, the rivals it is told apart from, and the tolerance that follows."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TypeAlias

import sympy as sp

from verify.errors import InputError

Number: TypeAlias = "sp.Expr | Fraction | int | str"
RELATIONS = ("equals", "at least", "at most")


def exact(value: Number, what: str) -> sp.Expr:
    """An exact real number: a sympy number, a fraction, an integer, or a decimal or fraction as a string."""
    try:
        number = sp.Rational(value) if isinstance(value, (str, int, Fraction)) else value
    except (TypeError, ValueError):
        number = None
    if not isinstance(number, sp.Expr) or number.has(sp.Float) or not (number.is_number and number.is_finite):
        raise InputError(
            f"{what}={value!r}: expected an exact number: sympy, a fraction, or a decimal as a string"
        )
    if not number.is_real:
        raise InputError(f"{what}={value!r}: expected a real number")
    return number


def tolerance(predicted: Number, rivals: Mapping[str, Number], *, relation: str = "equals") -> sp.Expr:
    """Half the distance from the predicted value to the nearest rival: no measured value supports both.

    InputError without rivals, or for a rival that the claim allows (one that is equal to the predicted value, or on
    the allowed side of a one-sided claim).
    """
    if not rivals:
        raise InputError("rivals: name at least one value that the claim must be told apart from")
    value = exact(predicted, "predicted")
    distances = []
    for name, rival in rivals.items():
        gap = exact(rival, f"rivals[{name!r}]") - value
        if not excluded(rival, value, relation):
            raise InputError(f"rivals[{name!r}]={rival}: the claim ({relation} {predicted}) allows it")
        distances.append(abs(gap) / 2)
    return min(distances)


def excluded(value: Number, claimed: sp.Expr, relation: str) -> bool:
    """Whether a claim of this relation to ``claimed`` excludes a value."""
    gap = exact(value, "rivals") - claimed
    return bool({"equals": gap != 0, "at least": gap < 0, "at most": gap > 0}[relation])


def shown(value: sp.Expr) -> str:
    """An exact number as a reader wants it: itself where it is short."""
    text = str(value)
    return text if len(text) <= 8 else f"{float(value):.4g}"
