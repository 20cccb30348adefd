"""Domains as chains of lower bounds, and the parametrisation that turns one into an orthant."""

from __future__ import annotations

import keyword
from collections.abc import Iterable

import sympy as sp

from theory.relation import Relation
from verify.errors import InputError
from verify.recheck.texts import CONSTANTS


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
        if symbol.is_extended_nonpositive:
            raise InputError(f"{who}: the symbol {symbol} is never positive, and domains have no upper end")
        if symbol.is_positive and condition.rhs.is_negative:
            raise InputError(
                f"{who}: the symbol {symbol} is positive, and its domain {condition} begins below 0; "
                "declare it real, or begin at 0"
            )
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
