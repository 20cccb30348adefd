"""What a bound says of itself: where it rises and falls, how it bends, where it is attained.

Every answer becomes a claim that `verify` judges. A question without an answer has its
reason in ``why_not``; `Statement.unanswered` lists those with neither.
"""

from __future__ import annotations

__all__ = ["Answers"]

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import sympy as sp

from theory.errors import MoelawsError
from theory.relation import Relation

DIRECTIONS = ("increasing", "decreasing")
CURVATURES = ("convex", "concave", "affine")
MONOTONE, CURVATURE, ATTAINED = "monotone", "curvature", "attained"


@dataclass(frozen=True, kw_only=True)
class Answers:
    """Facts about the bound in a statement, each for all values of a domain; other symbols stay as they are.

    ``increasing`` and ``decreasing`` are meant weakly; ``affine`` symbols are not repeated under ``convex``
    and ``concave``. Integer symbols may take real values in between. ``attained_at`` holds cases of equality:
    symbols with their values, put into the conclusion, or a `Relation` between an extremal object's value and
    the bound. ``of`` is the bound where that is not the conclusion's right-hand side, ``domain`` its domain
    (lower bounds, each over symbols bounded before) where that is not the statement's own.
    ``why_not``: question ("monotone", "curvature", either of them "in k", or "attained") -> why it has no answer.
    """

    increasing: tuple[sp.Symbol, ...] = ()
    decreasing: tuple[sp.Symbol, ...] = ()
    convex: tuple[sp.Symbol, ...] = ()
    concave: tuple[sp.Symbol, ...] = ()
    affine: tuple[sp.Symbol, ...] = ()
    attained_at: tuple[Mapping[sp.Symbol, sp.Expr] | Relation, ...] = field(default=(), hash=False)
    of: sp.Expr | None = None
    domain: tuple[Relation, ...] | None = None
    why_not: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        for names in (DIRECTIONS, CURVATURES):
            said = [symbol for name in names for symbol in getattr(self, name)]
            for symbol in said:
                if said.count(symbol) > 1:
                    raise MoelawsError(
                        f"Answers: {symbol} stands twice among {', '.join(names)}; once is meant"
                    )
        for question, reason in self.why_not.items():
            if question.partition(" in ")[0] not in (MONOTONE, CURVATURE, ATTAINED) or not reason.strip():
                raise MoelawsError(
                    f"Answers(why_not={{{question!r}: {reason!r}}}): expected 'monotone', 'curvature', "
                    "'monotone in SYMBOL', 'curvature in SYMBOL' or 'attained', each with a reason"
                )

    def shapes(self) -> Iterator[tuple[str, sp.Symbol]]:
        """Every answer about one symbol: (direction or curvature, symbol)."""
        for name in (*DIRECTIONS, *CURVATURES):
            yield from ((name, symbol) for symbol in getattr(self, name))

    def unanswered(self, bound: sp.Expr) -> tuple[str, ...]:
        """The questions about ``bound`` that have neither an answer nor a reason why not."""
        found = []
        for symbol in sorted(bound.free_symbols, key=lambda s: str(s.name)):
            for question, names in ((MONOTONE, DIRECTIONS), (CURVATURE, CURVATURES)):
                if any(symbol in getattr(self, name) for name in names):
                    continue
                if question not in self.why_not and f"{question} in {symbol}" not in self.why_not:
                    found.append(f"{question} in {symbol}")
        if not self.attained_at and ATTAINED not in self.why_not:
            found.append(ATTAINED)
        return tuple(found)


_TOOL = "a step in the proof of other bounds, in symbols of its own, and evaluated by none of them"
AUXILIARY = Answers(why_not={MONOTONE: _TOOL, CURVATURE: _TOOL, ATTAINED: _TOOL})
"""The answers of a lemma: there is no bound to evaluate."""


_BASE = "it rises where the base is above 1 and falls below"
UP_TO_A_CONSTANT: Mapping[str, str] = {
    "monotone in beta": _BASE,
    "monotone in d": _BASE,
    CURVATURE: "the exponent and the base pull it both ways",
    ATTAINED: "the constant A or B is not known",
}
"""What a power law with an unknown constant cannot answer, and why."""


def domain_of(bound: sp.Expr, conditions: tuple[Relation, ...]) -> tuple[Relation, ...]:
    """One lower bound a symbol of ``bound``: those given, and 0 (1 for an integer) for the others."""
    given = {c.lhs: c for c in conditions if c.op in (">=", ">") and c.lhs.is_Symbol}
    wanted, pending = set(), list(bound.free_symbols)
    while pending:
        symbol = pending.pop()
        if symbol not in wanted:
            wanted.add(symbol)
            pending += given[symbol].rhs.free_symbols if symbol in given else ()
    free = sorted(wanted - set(given), key=lambda s: str(s.name))
    positive = [
        Relation(s, ">=", sp.Integer(1)) if s.is_integer else Relation(s, ">", sp.Integer(0)) for s in free
    ]
    return (*positive, *(c for s, c in given.items() if s in wanted))
