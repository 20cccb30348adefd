"""What a theorem, an assumption or a definition is here: words, formula, hypotheses, source.

Every statement answers the same short questions, and `verify` turns the answers
into claims that are checked one by one.
"""

from __future__ import annotations

import enum
import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from theory.answers import Answers, domain_of
from theory.relation import Relation
from theory.symbols import as_text


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
        from theory.numbers.values import number  # with flint, which statements do without

        return number(self.statement.bound, dict(self.replaced))

    def ball(self) -> Any:
        """The bound there as a ``flint.arb`` that holds its true value."""
        from theory.numbers.values import ball

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
    """How a statement enters the project."""

    THEOREM = "theorem"
    ASSUMPTION = "assumption"
    DEFINITION = "definition"


@dataclass(frozen=True)
class Statement:
    """A statement in the form the harness can check.

    ``steps`` is the derivation: each step and the conclusion becomes a claim.
    An assumption has no steps; what rests on it is reported as "proved given" it.
    ``reading`` names the interpretation where the source allows several, and
    ``tight_at`` says in words where a bound is attained. ``answers`` says of the
    ``bound`` in what it rises, how it bends and where it is attained, as formulas; each becomes a claim too.
    """

    name: str
    words: str
    conclusion: Relation
    source: Source
    kind: Kind = Kind.THEOREM
    hypotheses: tuple[Hypothesis, ...] = ()
    uses: tuple[Statement, ...] = ()
    steps: tuple[Step, ...] = ()
    reading: str = ""
    tight_at: str = ""
    answers: Answers = field(default_factory=Answers)

    def __post_init__(self) -> None:
        for name, symbol in self.answers.shapes():
            if symbol not in self.bound.free_symbols:
                raise ValueError(
                    f"Statement {self.name!r}: answers say {name} in {symbol}, which the bound {self.bound} does not "
                    "hold; drop it, or name the bound in Answers(of=...)"
                )
        if self.kind is Kind.THEOREM and not self.steps:
            raise ValueError(
                f"Statement {self.name!r}: a theorem needs at least one derivation step; "
                "give steps=(...) or mark it kind=Kind.ASSUMPTION"
            )
        if self.kind is Kind.THEOREM:
            self._check_that_the_steps_reach_the_conclusion()
        for instance in (i for step in self.steps for i in step.given):
            if instance.statement not in self.uses:
                raise ValueError(
                    f"Statement {self.name!r}: a step is given {instance.statement.name!r}; list it in uses"
                )

    def _check_that_the_steps_reach_the_conclusion(self) -> None:
        """The conclusion is a step itself, or names by a fresh symbol an expression that a step contains."""
        lhs, op, rhs = self.conclusion.lhs, self.conclusion.op, self.conclusion.rhs
        names_a_result = op == "==" and lhs.is_Symbol and not rhs.has(lhs)
        contained = any(side.has(rhs) for s in self.steps for side in (s.relation.lhs, s.relation.rhs))
        if self.conclusion in (s.relation for s in self.steps) or (names_a_result and contained):
            return
        raise ValueError(
            f"Statement {self.name!r}: its conclusion {self.conclusion} occurs in no step, so proving the steps "
            "would not prove it; make it a step, or write 'symbol = result' with a result that a step contains"
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
        """What the ``answers`` are about: the right-hand side of the conclusion, unless they name another."""
        return self.conclusion.rhs if self.answers.of is None else self.answers.of

    @property
    def domain(self) -> tuple[Relation, ...]:
        """Where the ``answers`` hold: one lower bound for each symbol of ``bound``, 0 where nothing else is said."""
        given = self.conditions if self.answers.domain is None else self.answers.domain
        return domain_of(self.bound, given)

    @property
    def is_bound(self) -> bool:
        """Whether the conclusion bounds something, by an inequality or by naming the bound, and so has ``answers``."""
        if self.kind is Kind.DEFINITION or self.conclusion.op == "!=":
            return False
        named = self.conclusion.lhs.is_Symbol and not self.bound.has(self.conclusion.lhs)
        return bool(self.bound.free_symbols) and (self.conclusion.op != "==" or named)

    def unanswered(self) -> tuple[str, ...]:
        """The questions to a bound with neither an answer nor a reason why not; none of anything else."""
        return self.answers.unanswered(self.bound) if self.is_bound else ()

    def at(self, values: Mapping[sp.Symbol, sp.Expr] | None = None) -> Instance:
        """This statement with symbols replaced: for the ``given`` of a step, or for the bound's value there."""
        return Instance(self, tuple((s, sp.sympify(value)) for s, value in (values or {}).items()))

    def assumptions(self) -> tuple[Statement, ...]:
        """Every assumption this statement rests on, in order of first use."""
        found: dict[str, Statement] = {}
        for used in self.uses:
            if used.kind is Kind.ASSUMPTION:
                found.setdefault(used.name, used)
            found.update({s.name: s for s in used.assumptions() if s.name not in found})
        return tuple(found.values())

    def explain(self) -> str:
        """The whole statement as readable text."""
        lines = [f"{self.name} ({self.kind.value}): {self.words}", f"    {self.conclusion}"]
        lines += [f"  assuming {h.name}: {h.words}" for h in self.hypotheses]
        lines += [f"  reading: {self.reading}"] if self.reading else []
        lines += [f"  uses {', '.join(s.name for s in self.uses)}"] if self.uses else []
        lines += [f"  {i}. {s}" for i, s in enumerate(self.steps, start=1)]
        lines += [f"  tight: {self.tight_at}"] if self.tight_at else []
        lines += [f"  source: {self.source}"]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"{self.name}: {self.conclusion}"

    def _repr_latex_(self) -> str:
        return f"${self.conclusion.latex()}$"


def statements() -> dict[str, Statement]:
    """Every statement of the `theory` package by name; defining one at module level registers it."""
    found: dict[str, Statement] = {}
    for statement in _module_level_statements():
        other = found.setdefault(statement.name, statement)
        if other is not statement:
            raise ValueError(f"two statements are named {statement.name!r}; rename one of them")
    return found


def _module_level_statements() -> Iterator[Statement]:
    package = importlib.import_module("theory")
    for module_info in pkgutil.walk_packages(package.__path__, prefix="theory."):
        module = importlib.import_module(module_info.name)
        yield from (value for value in vars(module).values() if isinstance(value, Statement))
