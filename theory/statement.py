"""What a theorem, an assumption or a definition is here: words, formula, hypotheses, source.

`verify` turns its derivation, its cases of equality and the shapes that it states into claims, checked one by one.
In what its bound rises and how it bends is otherwise inferred from the formula (`theory.shapes`).
"""

from __future__ import annotations

__all__ = ["Hypothesis", "Instance", "Kind", "Source", "Statement", "Step", "statements"]

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from theory.defined import Defined
from theory.errors import MoelawsError
from theory.numbers.values import ball, number
from theory.optima import Optimum
from theory.relation import Relation
from theory.shapes.infer import CURVATURES, DIRECTIONS, InferredShape, infer_shape, summary
from theory.shapes.signs import domain_of
from theory.vocabulary import as_formula, as_text


@dataclass(frozen=True)
class Source:
    """Where something was said: a reference and the place in it."""

    reference: str
    place: str = ""

    def __str__(self) -> str:
        return f"{self.reference}, {self.place}" if self.place else self.reference


@dataclass(frozen=True)
class Hypothesis:
    """One named condition of a statement; ``condition`` is its formula where it has one."""

    name: str
    words: str
    condition: Relation | None = None


@dataclass(frozen=True)
class Instance:
    """A statement with some of its symbols replaced, as a derivation uses it; see `Statement.at`."""

    statement: Statement
    replaced: tuple[tuple[sp.Symbol, sp.Expr], ...] = ()

    @property
    def relation(self) -> Relation:
        """The conclusion at the chosen values."""
        return self._replace(self.statement.conclusion)

    @property
    def conditions(self) -> tuple[Relation, ...]:
        """What the statement's hypotheses ask of the chosen values."""
        return tuple(self._replace(c) for c in self.statement.conditions)

    def number(self) -> float:
        """The bound there in double precision, where every symbol of it has a number."""

        return number(self.statement.bound, dict(self.replaced))

    def ball(self) -> Any:
        """The bound there as a ``flint.arb`` that holds its true value."""

        return ball(self.statement.bound, dict(self.replaced))

    def _replace(self, relation: Relation) -> Relation:
        lhs, rhs = (
            side.subs(dict(self.replaced), simultaneous=True) for side in (relation.lhs, relation.rhs)
        )
        return Relation(lhs, relation.op, rhs)

    def __str__(self) -> str:
        where = ", ".join(f"{symbol} = {value}" for symbol, value in self.replaced)
        return f"{self.statement.name} at {where}" if where else self.statement.name


@dataclass(frozen=True)
class Step:
    """One line of a derivation: a relation and why it is there.

    An inequality holds on the statement's domain, its `Statement.conditions`. ``on`` is the
    integer variable of an induction that starts at its lower bound; ``given`` are
    the statements whose inequalities, added up, leave less to prove.
    """

    words: str
    relation: Relation
    on: sp.Symbol | None = None
    given: tuple[Instance, ...] = ()

    def __str__(self) -> str:
        how = f", by induction on {self.on}" if self.on is not None else ""
        how += f", given {', '.join(map(str, self.given))}" if self.given else ""
        value = self.relation.value
        return f"{self.words}{how}:  {self.relation if value is None else as_text(value)}"


class Kind(enum.Enum):
    """How a statement enters the project.

    The conclusion of a theorem is made from what is checked, by rules. An argued statement has checked steps too, but words join
    them to its conclusion, so it is never proved.
    """

    THEOREM = "theorem"
    ARGUED = "argued"
    ASSUMPTION = "assumption"
    DEFINITION = "definition"


@dataclass(frozen=True)
class Statement:
    """A statement in the form the harness can check.

    ``steps`` is the derivation, and all of it is checked. The conclusion of a theorem is a step, or is made from the steps and
    from what it ``uses`` by the rules of ``verify.recheck.theorems``; its hypotheses are formulas, and it needs all that it uses,
    so nothing rests on words. Any other derivation is of kind ARGUED, and ``to_prove`` says what would make it a theorem; what rests on it is "given an argument in prose".
    An assumption has no steps; what rests on it is reported as "proved given" it.
    ``reading`` names the interpretation where the source allows several.

    A bound stands on the right of the conclusion, an inequality. ``tight_at`` says in words where it is attained, ``attained_at``
    in formulas: symbols with their values, put into the conclusion, or a `Relation` between an extremal object's value
    and the bound. ``stated`` names shapes of the bound that a reader wants and the rules do not infer, such as
    ("increasing", M). Each of these becomes a claim too.

    ``proved_in`` names the theorem, file and name, in which Coq proves the words (``theory/proofs``); the steps then show the heart
    of it in scalars, and hypotheses may be words. ``emitted`` are the formulas that its formal statement takes from here, by name.
    """

    name: str
    words: str
    conclusion: Relation
    source: Source
    kind: Kind = Kind.THEOREM
    hypotheses: tuple[Hypothesis, ...] = ()
    uses: tuple[Statement, ...] = ()
    steps: tuple[Step, ...] = ()
    to_prove: str = ""
    reading: str = ""
    tight_at: str = ""
    attained_at: tuple[Mapping[sp.Symbol, sp.Expr] | Relation, ...] = field(default=(), hash=False)
    stated: tuple[tuple[str, sp.Symbol], ...] = ()
    proved_in: str = ""
    emitted: tuple[tuple[str, sp.Expr], ...] = ()

    def __post_init__(self) -> None:
        for shape, symbol in self.stated:
            if shape not in (*DIRECTIONS, *CURVATURES) or symbol not in self.bound.free_symbols:
                raise MoelawsError(
                    f"Statement {self.name!r}: stated={(shape, symbol)}: expected one of "
                    f"{', '.join((*DIRECTIONS, *CURVATURES))} and a symbol of the bound {self.bound}"
                )
        if self.kind in (Kind.THEOREM, Kind.ARGUED) and not self.steps:
            raise MoelawsError(
                f"Statement {self.name!r}: a theorem needs at least one derivation step; "
                "give steps=(...) or mark it kind=Kind.ASSUMPTION"
            )
        if bool(self.to_prove.strip()) != (self.kind is Kind.ARGUED):
            raise MoelawsError(
                f"Statement {self.name!r}: kind {self.kind.name} with to_prove={self.to_prove!r}; "
                "an argued statement, and no other, says in to_prove what would prove it"
            )
        named = self.conclusion.lhs
        if self.kind is Kind.DEFINITION and not (
            self.conclusion.op == "==" and named.is_Symbol and not self.conclusion.rhs.has(named)
        ):
            raise MoelawsError(
                f"Statement {self.name!r}: a definition is 'symbol = formula without it', not {self.conclusion}; "
                "what says more is an assumption"
            )
        words = [h.name for h in self.hypotheses if h.condition is None]
        if self.kind is Kind.THEOREM and words and not self.proved_in:
            raise MoelawsError(
                f"Statement {self.name!r}: no check reads its hypotheses in words ({', '.join(words)}); leave out what no "
                "step needs, or mark it kind=Kind.ARGUED, to_prove='what would prove it'"
            )
        for instance in (i for step in self.steps for i in step.given):
            if instance.statement not in self.uses:
                raise MoelawsError(
                    f"Statement {self.name!r}: a step is given {instance.statement.name!r}; list it in uses"
                )

    @property
    def formula(self) -> sp.Expr:
        """The right-hand side of the conclusion."""
        return self.conclusion.rhs

    @property
    def conditions(self) -> tuple[Relation, ...]:
        """The hypotheses that are formulas: for inequalities their domain, one lower bound a symbol."""
        return tuple(h.condition for h in self.hypotheses if h.condition is not None)

    @property
    def bound(self) -> sp.Expr:
        """The right-hand side of the conclusion: what the shapes are about."""
        return self.conclusion.rhs

    @property
    def domain(self) -> tuple[Relation, ...]:
        """Where the shapes hold: the bounds of the symbols of ``bound``, by the hypotheses or else by assumptions."""
        return domain_of(self.bound, self.conditions)

    @property
    def is_bound(self) -> bool:
        """Whether the conclusion bounds something, by an inequality or by naming the bound, and so has shapes."""
        if self.kind is Kind.DEFINITION or self.conclusion.op == "!=":
            return False
        lhs = self.conclusion.lhs
        named = (lhs.is_Symbol or isinstance(lhs, Optimum)) and not self.bound.has(lhs)
        return bool(self.bound.free_symbols) and (self.conclusion.op != "==" or named)

    def shapes(self) -> dict[sp.Symbol, InferredShape]:
        """What the rules infer of the bound in each of its symbols; its ``explain`` says which rule decided.

        A hypothesis "symbol = formula" defines the symbol: it moves with the symbols of its formula.
        """
        defined = {c.lhs: c.rhs for c in self.conditions if c.op == "==" and c.lhs.is_Symbol}
        found = {}
        for symbol in sorted(self.bound.free_symbols, key=lambda s: str(s.name)) if self.is_bound else ():
            formula = self.bound.xreplace({s: f for s, f in defined.items() if symbol in f.free_symbols})
            found[symbol] = infer_shape(formula, symbol, domain_of(formula, self.conditions))
        return found

    def at(self, values: Mapping[sp.Symbol, sp.Expr] | None = None) -> Instance:
        """This statement with symbols replaced: for the ``given`` of a step, or for the bound's value there."""
        at = f"Statement {self.name!r}: at"
        return Instance(
            self, tuple((s, as_formula(value, f"{at}[{s}]")) for s, value in (values or {}).items())
        )

    def assumptions(self) -> tuple[Statement, ...]:
        """Every assumption this statement rests on, in order of first use."""
        found: dict[str, Statement] = {}
        for used in self.uses:
            if used.kind is Kind.ASSUMPTION:
                found.setdefault(used.name, used)
            found.update({s.name: s for s in used.assumptions() if s.name not in found})
        return tuple(found.values())

    def argued(self) -> tuple[Statement, ...]:
        """Every argued statement this statement rests on, in order of first use."""
        found: dict[str, Statement] = {}
        for used in self.uses:
            if used.kind is Kind.ARGUED:
                found.setdefault(used.name, used)
            found.update({s.name: s for s in used.argued() if s.name not in found})
        return tuple(found.values())

    def explain(self) -> str:
        """The whole statement as readable text."""
        lines = [f"{self.name} ({self.kind.value}): {self.words}", f"    {self.conclusion}"]
        lines += [f"  assuming {h.name}: {h.words}" for h in self.hypotheses]
        lines += [f"  reading: {self.reading}"] if self.reading else []
        lines += [f"  uses {', '.join(s.name for s in self.uses)}"] if self.uses else []
        lines += [f"  {i}. {s}" for i, s in enumerate(self.steps, start=1)]
        lines += [f"  proved in Coq as {self.proved_in}"] if self.proved_in else []
        lines += [f"  argued in prose; it would be proved by {self.to_prove}"] if self.to_prove else []
        lines += [f"  tight: {self.tight_at}"] if self.tight_at else []
        lines += [f"  shape: {summary(self.shapes())}"] if self.is_bound else []
        lines += [f"  stated: {shape} in {symbol}" for shape, symbol in self.stated]
        lines += [f"  source: {self.source}"]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"{self.name}: {self.conclusion}"

    def _repr_latex_(self) -> str:
        return f"${self.conclusion.latex()}$"


def statements() -> dict[str, Statement]:
    """Every statement of the `theory` package by name; defining one at module level registers it."""
    return dict(Defined(Statement, "theory"))
