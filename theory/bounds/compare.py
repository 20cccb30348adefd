"""All bounds at one model: the nats that each pays, and the tokens before it says anything; the fewest tokens first."""

from __future__ import annotations

__all__ = ["BoundComparison", "ComparedBound", "compare_bounds"]

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from theory.bounds.evaluate import as_float
from theory.bounds.formula import BOUNDS, BoundFormula, bound_named
from theory.bounds.setting import Model, RegressionSetting, values_of
from theory.bounds.vacuity import Vacuity, least_samples
from theory.numbers.values import arithmetic, evaluate_expression
from theory.statement import Kind

_DIGITS = 30


@dataclass(frozen=True)
class ComparedBound:
    """One bound at one model: the least data, and the nats of its entropy at that n (None where there is no such n)."""

    least: Vacuity
    nats: float | None

    @property
    def assumed(self) -> bool:
        """Whether the bound is an assumption here, with constants set to 1, and not derived."""
        return self.least.bound.statement.kind is Kind.ASSUMPTION

    @property
    def on_sample(self) -> bool:
        """Whether it bounds the risk at the inputs of the sample, which is another quantity than the risk."""
        return self.least.bound.on_sample

    @property
    def comparable(self) -> bool:
        """Whether it is a derived bound on the risk."""
        return not (self.assumed or self.on_sample)

    def record(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "bound": self.least.bound.name,
            "assumed": self.assumed,
            "on_sample": self.on_sample,
            "nats": self.nats,
            "n": self.least.n,
            "tokens": self.least.tokens,
        }


@dataclass(frozen=True)
class BoundComparison:
    """Bounds at one model, the fewest tokens first; those that say something at no n come last.

    Bounds differ in their hypotheses, so fewer tokens do not make one stronger: its statement names what each asks for.
    """

    rows: tuple[ComparedBound, ...]

    @property
    def least(self) -> ComparedBound | None:
        """The derived bound on the risk that says something at the fewest tokens; None where none does."""
        return next((row for row in self.rows if row.comparable and row.least.n is not None), None)

    def record(self) -> dict[str, Any]:
        """For JSON; ``least`` is the name of the least derived bound on the risk."""
        return {
            "least": None if self.least is None else self.least.least.bound.name,
            "bounds": [row.record() for row in self.rows],
        }

    def __str__(self) -> str:
        lines = [f"  {'bound':<17} {'nats':>9}  {'tokens':>9}"]
        for row in self.rows:
            nats = "" if row.nats is None else f"{row.nats:.3g}"
            tokens = "at no n" if row.least.tokens is None else f"{row.least.tokens:.3g}"
            note = "assumed, constants 1" if row.assumed else "risk on the sample" if row.on_sample else ""
            lines.append(f"  {row.least.bound.name:<17} {nats:>9}  {tokens:>9}  {note}".rstrip())
        found = "none" if self.least is None else self.least.least.bound.name
        return "\n".join([*lines, f"  the least derived bound on the risk: {found}"])

    __repr__ = __str__


def compare_bounds(
    architecture: Model,
    *,
    bounds: Iterable[BoundFormula | str] | None = None,
    sequence: int | None = None,
    problem: RegressionSetting | None = None,
) -> BoundComparison:
    """Every bound (or the ``bounds`` given) at an architecture or a published model, by the tokens before it says anything.

    Raises MoelawsError as `evaluate` does.
    """
    found = []
    for each in BOUNDS.values() if bounds is None else map(bound_named, bounds):
        least = least_samples(each, architecture, sequence=sequence, problem=problem)
        found.append(ComparedBound(least, None if least.n is None else _nats(least, least.n)))
    return BoundComparison(
        tuple(sorted(found, key=lambda row: (row.least.n is None, row.least.n or 0, row.least.bound.name)))
    )


def _nats(least: Vacuity, samples: int) -> float:
    using = arithmetic("ball", _DIGITS)
    with using.working():
        values = values_of(least.setting, samples, using)
        return as_float(evaluate_expression(least.bound.entropy, values, using))
