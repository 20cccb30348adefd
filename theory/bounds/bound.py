"""What a file of this package defines: a `Bound`, a sum of named terms that gives its value at an architecture."""

from __future__ import annotations

__all__ = ["Bound", "generalisation_bound"]

from dataclasses import dataclass
from typing import Any

from theory.bounds.evaluate import Evaluation, evaluate
from theory.bounds.formula import BoundFormula, bound_named


@dataclass(frozen=True, repr=False)
class Bound(BoundFormula):
    """A bound as named summands; ``statement`` says under which hypotheses their sum bounds the risk.

    ``trivial`` is the risk that needs no data: a bound above it says nothing. ``gate`` is that of the bounded class,
    None where the bound has no class with constants. ``parameters`` is the P of its covering number. The formulas hold
    for ``least_experts`` experts or more, and from n = ``least_samples`` on, which may depend on the sizes. ``nat`` is what
    one nat of entropy adds to the bound.
    """

    def evaluate(self, architecture: Any, **arguments: Any) -> Evaluation:
        """This bound in numbers: `theory.evaluate` with it as the first argument."""
        return evaluate(self, architecture, **arguments)


def generalisation_bound(name: str = "frozen-router") -> Bound:
    """A bound by name; ValueError with the names there are."""
    found = bound_named(name)
    assert isinstance(found, Bound)
    return found
