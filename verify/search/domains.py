"""Domains as chains of lower bounds, and the parametrisation that turns one into an orthant."""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

import sympy as sp

from theory.relation import Relation
from verify.errors import InputError
from verify.recheck.texts import CONSTANTS


class Values(NamedTuple):
    """What a symbol stands for in a check: all real numbers (or only the integers) between two ends, None being infinite.

    The ends belong to it; at an end of 0 a positive symbol is taken by continuity. ``shown`` says it to a reader.
    """

    symbol: sp.Symbol
    low: sp.Expr | None
    high: sp.Expr | None
    integers: bool = False
    shown: str = ""

    def excluded_by(self) -> str:
        """An assumption of the symbol that is not seen to hold for all these values, in a word; empty where all are."""
        return _excluded_by(self)


@lru_cache(maxsize=4096)
def _excluded_by(values: Values) -> str:
    low, high = (None if end is None else sp.expand(end) for end in (values.low, values.high))
    above, below = low is not None and low.is_nonnegative, high is not None and high.is_nonpositive
    zero = low is not None and low == high == 0
    holds = {
        "positive": above and not zero,
        "negative": below and not zero,
        "nonnegative": above,
        "nonpositive": below,
        "integer": values.integers or (low == high and low is not None and low.is_integer),
    }
    assumed = values.symbol.assumptions0
    if lacking := [word for word, seen in holds.items() if assumed.get(word) and not seen]:
        return lacking[0]
    known = {word: True for word in (*holds, "real", "finite") if assumed.get(word)}
    more = set(assumed.items()) - set(sp.Symbol(values.symbol.name, **known).assumptions0.items())
    return min((word if value else f"not {word}" for word, value in more), default="")


def values_of(domain: Iterable[Relation]) -> Iterator[Values]:
    """What the symbols of a domain stand for: an integer symbol for the integers above its bound."""
    above: dict[sp.Symbol, sp.Expr] = {}
    for condition in domain:
        low = condition.rhs.xreplace(above)
        above[condition.lhs] = low + parameter(condition.lhs)
        yield Values(condition.lhs, low, None, integers=True, shown=str(condition))


def parameter(symbol: sp.Symbol) -> sp.Symbol:
    """How far a symbol is above its lower bound."""
    return sp.Symbol(f"t_{symbol.name}", positive=True)


def check_names(symbols: Iterable[sp.Symbol], who: str) -> None:
    """InputError unless certificates, which are texts, can name every symbol."""
    for name in (str(symbol.name) for symbol in symbols):
        if name in CONSTANTS:
            raise InputError(f"{who}: a symbol called {name} would be taken for the constant")
        if not name.isidentifier() or keyword.iskeyword(name):
            raise InputError(
                f"{who}: the symbol {name!r} is no name that a certificate can hold; "
                "use letters, digits and _, and no word of Python, such as 'lam' for 'lambda'"
            )


def check_domain(domain: Iterable[Relation], used: set[sp.Symbol], who: str) -> None:
    """InputError unless the domain is ``symbol >= bound`` or ``symbol > bound`` in turn, for every symbol used.

    Bounds may use symbols bounded before.
    """
    bounded: list[sp.Symbol] = []
    for condition in domain:
        symbol = condition.lhs
        if condition.op not in (">=", ">") or not symbol.is_Symbol or symbol in bounded:
            raise InputError(
                f"{who}: a domain is one lower bound 'symbol >= bound' a symbol, got {condition}"
            )
        check_names([symbol], who)
        if not condition.rhs.free_symbols <= set(bounded):
            raise InputError(f"{who}: the bound of {condition} may use only symbols bounded before it")
        bounded.append(symbol)
    if unbounded := sorted(s.name for s in used - set(bounded)):
        raise InputError(f"{who}: the domain has no lower bound for {', '.join(unbounded)}")


def places(domain: Iterable[Relation], *, beyond: sp.Symbol | None = None) -> dict[sp.Symbol, sp.Expr]:
    """Every symbol in terms of the parameters; bounds that use ``beyond`` are taken at beyond + 1."""
    found: dict[sp.Symbol, sp.Expr] = {}
    for condition in domain:
        bound = condition.rhs
        if beyond is not None:
            bound = bound.subs(beyond, beyond + 1)
        found[condition.lhs] = sp.expand(bound.xreplace(found) + parameter(condition.lhs))
    return found
