"""A bound as a sum of named terms. A module-level `theory.bounds.bound.Bound` in this package is listed by being defined."""

from __future__ import annotations

__all__ = ["BOUNDS", "BoundTerm"]

from collections.abc import Mapping
from dataclasses import dataclass

import sympy as sp

from theory.defined import Defined
from theory.errors import MoelawsError, suggest
from theory.results.covering.experts import Gate
from theory.results.oracle import risk_on_sample
from theory.statement import Statement
from theory.vocabulary import g, n, to_latex


@dataclass(frozen=True)
class BoundTerm:
    """One summand of a bound: its name, its formula, and what it counts."""

    name: str
    formula: sp.Expr
    words: str


@dataclass(frozen=True)
class BoundFormula:
    """A bound as named summands; ``statement`` says under which hypotheses their sum bounds the risk.

    ``trivial`` is the risk that needs no data: a bound above it says nothing. ``gate`` is that of the bounded class,
    None where the bound has no class with constants. ``parameters`` is the P of its covering number. The formulas hold
    for ``least_experts`` experts or more, and from n = ``least_samples`` on, which may depend on the sizes. ``nat`` is what
    one nat of entropy adds to the bound.
    """

    name: str
    words: str
    statement: Statement
    terms: tuple[BoundTerm, ...]
    trivial: sp.Expr
    gate: Gate | None = None
    parameters: sp.Expr | None = None
    least_experts: int = 1
    least_samples: sp.Expr = sp.S.One
    nat: sp.Expr = 1 / n

    @property
    def formula(self) -> sp.Expr:
        """The sum of the terms."""
        return sp.Add(*(term.formula for term in self.terms))

    @property
    def entropy(self) -> sp.Expr:
        """The nats that are paid: the terms in parameters and routing, over what one nat adds."""
        return sp.Add(*(t.formula / self.nat for t in self.terms if t.name in ("parameters", "routing")))

    @property
    def on_sample(self) -> bool:
        """Whether it bounds the risk at the sample's own inputs, in place of the risk."""
        return bool(self.statement.conclusion.lhs == risk_on_sample)

    @property
    def on_cells(self) -> bool:
        """Whether its approximation term cuts a cube into cells: it speaks of their number g."""
        return g in self.formula.free_symbols

    def term(self, name: str) -> BoundTerm:
        """The term of this name; ValueError with the names there are."""
        for term in self.terms:
            if term.name == name:
                return term
        raise MoelawsError(
            f"{self.name} has no term {name!r}; expected one of {', '.join(t.name for t in self.terms)}"
        )

    def explain(self) -> str:
        """The bound, its terms and its hypotheses as text."""
        lines = [f"{self.name}: {self.words}"]
        lines += [f"  {term.name:<13} {term.formula}    ({term.words})" for term in self.terms]
        return "\n".join([*lines, self.statement.explain()])

    def __repr__(self) -> str:
        return f"{self.name}: risk <= {' + '.join(str(term.formula) for term in self.terms)}"

    def _repr_latex_(self) -> str:
        return rf"$\mathrm{{risk}} \leq {' + '.join(to_latex(term.formula) for term in self.terms)}$"


BOUNDS: Mapping[str, BoundFormula] = Defined(BoundFormula, "theory.bounds")
"""Every bound by name."""


def bound_named(bound: BoundFormula | str) -> BoundFormula:
    """The bound itself, or the one of this name; ValueError with the names there are."""
    if isinstance(bound, BoundFormula):
        return bound
    name = str(getattr(bound, "name", bound))  # a statement's name holds the bound's
    if name not in BOUNDS:
        near = suggest(name.removesuffix("_bound").replace("_", "-"), BOUNDS)
        raise MoelawsError(f"bound {name!r}: expected one of {', '.join(BOUNDS)}.{near}")
    bound = name
    return BOUNDS[bound]
