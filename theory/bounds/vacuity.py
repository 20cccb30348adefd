"""The least data before a bound says anything: the least n at which it is below the trivial risk, found exactly.

Every term falls with n or does not depend on it (log(1 + q n)/n and (1 + log(c n))/n for c n >= 1 fall), so the bound falls and
halving finds the least n. Each comparison is between balls: at the n returned the bound is proved to be below the level, at
n - 1 it is proved not to be.
"""

from __future__ import annotations

__all__ = ["Vacuity", "least_samples"]

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theory.bounds.evaluate import Evaluation, as_float, evaluate_at
from theory.bounds.formula import BoundFormula, bound_named
from theory.bounds.setting import (
    Exact,
    Model,
    RegressionSetting,
    Setting,
    exact_number,
    make_setting,
)
from theory.errors import MoelawsError
from theory.numbers.values import arithmetic

_BITS = 400
"""No n beyond 2^400 is looked at; a bound that is not below the level there is said to be so at no n."""
_MOST_DIGITS = 1000
"""A bound falls by about one part in n from one n to the next, and n has at most 121 digits."""


class TooFewDigits(MoelawsError, ArithmeticError):
    """The arithmetic cannot tell a value from the level that it is compared with."""


@dataclass(frozen=True)
class Vacuity:
    """The least ``n`` sequences at which a bound is below ``level``; None where it is so at no n.

    ``tokens`` are those sequences in tokens. ``at`` is the bound there, in balls; where there is no such n, at the largest one looked at.
    """

    bound: BoundFormula
    setting: Setting
    level: Fraction
    n: int | None
    at: Evaluation

    @property
    def tokens(self) -> int | None:
        return None if self.n is None else self.n * self.setting.sequence

    def explain(self) -> str:
        """In a sentence."""
        if self.n is None:
            top = self.at.dominating
            return (
                f"The bound '{self.bound.name}' is below {float(self.level):g} at no n: its term '{top.name}' "
                f"stays at {as_float(top.value):.4g} ({top.words})."
            )
        if self.n == self.setting.least_samples():
            return (
                f"The bound '{self.bound.name}' is below {float(self.level):g} from the least n on, {self.n}."
            )
        return (
            f"The bound '{self.bound.name}' says nothing before n = {self.n} sequences of {self.setting.sequence} tokens, "
            f"{self.n * self.setting.sequence:.3g} tokens; there it first falls below {float(self.level):g}."
        )

    def record(self) -> dict[str, Any]:
        """For JSON; n and tokens as integers of full length."""
        return {
            "bound": self.bound.name,
            "level": float(self.level),
            "sequence": self.setting.sequence,
            "n": self.n,
            "tokens": self.tokens,
            "at": self.at.record(),
        }

    __str__ = explain
    __repr__ = explain


def least_samples(
    bound: BoundFormula | str,
    architecture: Model,
    *,
    below: Exact | None = None,
    sequence: int | None = None,
    problem: RegressionSetting | None = None,
    digits: int = 30,
) -> Vacuity:
    """The least n at which a bound is below ``below``, by default the trivial risk (R^2; 1 for the bound as stated).

    What it does not mean: that a model trained on more data is any good, or that one trained on less is not; only that this
    bound could not tell. ``digits`` are those to start with: more are taken where they do not tell the bound from the level.
    Raises ValueError as `evaluate` does.
    """
    chosen = bound_named(bound)
    setting = make_setting(chosen, architecture, sequence=sequence, problem=problem)
    level = setting.trivial_risk()
    if below is not None:
        level = exact_number("below", below)
        if level <= 0:
            raise MoelawsError(f"below={below!r}: expected a positive number")

    def at(samples: int, using: int = digits) -> Evaluation:
        return evaluate_at(setting, samples, number="ball", digits=using)

    def is_below(samples: int) -> bool:
        using = digits
        while (found := _below(at(samples, using), level)) is None:
            using *= 2
            if using > _MOST_DIGITS:
                raise TooFewDigits(
                    f"n = {samples}: {using // 2} digits do not tell the bound {chosen.name} from {level}; "
                    "choose another level"
                )
        return found

    low = setting.least_samples()
    if is_below(low):
        return Vacuity(chosen, setting, level, low, at(low))
    high = 2 * low
    while not is_below(high):
        low, high = high, 4 * high
        if high.bit_length() > _BITS:
            return Vacuity(chosen, setting, level, None, at(low))
    while high - low > 1:
        middle = (low + high) // 2
        if is_below(middle):
            high = middle
        else:
            low = middle
    return Vacuity(chosen, setting, level, high, at(high))


def _below(evaluation: Evaluation, level: Fraction) -> bool | None:
    """Whether the bound is below the level; None where its balls cannot tell."""
    with arithmetic(evaluation.number, evaluation.digits).working():
        gap = evaluation.total * level.denominator - level.numerator
        return True if gap < 0 else False if gap >= 0 else None
