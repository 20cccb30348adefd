"""What a checker is: a frozen record of its inputs that answers with evidence."""

from __future__ import annotations

__all__ = ["Budget", "Check"]

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from theory.errors import suggest
from verify.checks import arguments
from verify.errors import InputError
from verify.search.domains import Values
from verify.verdicts import UNDEFINED, Evidence, Grade, Verdict

if TYPE_CHECKING:
    import sympy as sp

    from theory.relation import Relation
    from verify.measured.stored import RunSource

Formula = Mapping[str, str]


@dataclass(frozen=True)
class Budget:
    """How much work a check may do, counted so that a verdict does not depend on the machine.

    ``full`` says that it is the budget of ``--profile full``: a measured claim then runs its full design.
    """

    boxes: int = 2000
    samples: int = 24
    full: bool = False

    @classmethod
    def of_profile(cls, profile: str) -> Budget:
        return cls(boxes=20000, samples=200, full=True) if profile == "full" else cls()


@dataclass(frozen=True)
class Check(ABC):
    """A checker together with what it checks.

    Subclasses are frozen dataclasses. Two checks with equal fields give equal
    evidence, which is what lets evidence be cached; a false claim is a verdict
    and never an exception. ``rejects_with`` are the verdicts that count as having
    rejected a mutant; ``gives_p`` says that its details hold ``p_support`` and ``p_refute``.
    A check that ``only_refutes`` can at best leave a claim open. ``changes`` says how the mutation score makes what is
    `claimed` false: not at all, any part of the ``"relations"``, the right-hand sides of ``"formulas"``, or
    ``"inequalities"`` into ones that ask for more; ``holds_too`` is why a changed claim may hold as well.
    """

    only_refutes: ClassVar[bool] = False
    rejects_with: ClassVar[tuple[Verdict, ...]] = (Verdict.REFUTED, Verdict.INCONCLUSIVE)
    gives_p: ClassVar[bool] = False
    changes: ClassVar[Literal["", "relations", "formulas", "inequalities"]] = ""
    holds_too: ClassVar[str] = "proved as well: the changed inequality is true"

    def __init_subclass__(cls) -> None:
        if "__post_init__" in vars(cls):
            raise InputError(f"{cls.__name__}: what it asks of its arguments belongs in validate()")

    def __post_init__(self) -> None:
        self.validate()
        who = type(self).__name__
        arguments.one_symbol_a_name(who, self)
        for values in self.values():
            arguments.admits(who, values)

    def validate(self) -> None:  # noqa: B027  (most checks ask something)
        """InputError for arguments of its own that the check cannot work with."""

    def values(self) -> Iterable[Values]:
        """What each symbol stands for here; a symbol whose assumptions exclude some of it is refused."""
        return ()

    @abstractmethod
    def evidence(self, budget: Budget) -> Iterable[Evidence]:
        """The evidence for or against, within the budget."""

    def relevant(self) -> Check:
        """An equivalent check without the inputs it never reads; its content is what evidence depends on."""
        return self

    def with_runs(self, source: RunSource, budget: Budget) -> Check:
        """This check with the stored runs that it is to be judged from; evidence and its key then depend on them."""
        return self

    def claimed(self) -> Sequence[Relation]:
        """What is claimed, as mathematics for a reader; empty where words say it all."""
        return ()

    def mistakable(self) -> list[sp.Symbol]:
        """The symbols of what is `claimed` that a writer may mistake for each other."""
        sides = [side for relation in self.claimed() for side in (relation.lhs, relation.rhs)]
        return sorted(set().union(*(side.free_symbols for side in sides)), key=lambda symbol: symbol.name)

    def where(self) -> str:
        """For which values it is claimed; empty where words say it all."""
        return ""

    def shown(self) -> list[Formula]:
        """What is `claimed`, each relation as text and as LaTeX, and where it is claimed."""
        return [{"text": str(r), "latex": r.latex(), "where": self.where()} for r in self.claimed()]

    def claiming(self, relations: Sequence[Relation]) -> Check:
        """This check with other relations in place of the `claimed` ones, in their order.

        InputError for a check whose claim is not a list of relations that stand by themselves.
        """
        raise InputError(f"{type(self).__name__}: its claim cannot be replaced relation by relation")

    def changed(self, changes: Mapping[str, Any]) -> Check:
        """A variant of this check with some fields replaced (a mutant or a repair)."""
        known = [f.name for f in fields(self)]
        for name in changes:
            if name not in known:
                raise InputError(
                    f"{type(self).__name__} has no field {name!r}; expected {', '.join(known)}."
                    + suggest(name, known)
                )
        return replace(self, **changes)


@dataclass(frozen=True)
class OneRelation(Check):
    """A check of one relation; each subclass says on which domain and how."""

    relation: Relation

    def validate(self) -> None:
        arguments.relation(f"{type(self).__name__}: relation", self.relation)

    def claimed(self) -> Sequence[Relation]:
        return (self.relation,)

    def claiming(self, relations: Sequence[Relation]) -> Check:
        [relation] = relations
        return replace(self, relation=relation)


def cannot_evaluate(finding: str) -> Evidence:
    """INCONCLUSIVE because the check cannot read the claim, which is no rejection of a mutant: it may be true."""
    return Evidence(Verdict.INCONCLUSIVE, Grade.SAMPLED, finding, {UNDEFINED: finding})


def noticed(power: str) -> str:
    """For a finding: how often a wrong last digit would have been noticed, and what a power of 0% means."""
    words = f"a wrong last digit would be noticed {power} of the time"
    return f"{words}, so this says little" if power == "0%" else words
