"""What a check was given, looked at before any work starts: every fault is one sentence, an InputError.

``where`` in these functions is the argument as its user would call it, such as ``Consistent: relations``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import sympy as sp

from theory.errors import suggest
from theory.relation import Relation
from theory.statement import Instance, Statement
from verify.errors import InputError
from verify.printed.numerals import ROUNDED, Rounding
from verify.printed.rounding_readings import Reading
from verify.printed.tables import Cell, Table
from verify.search.domains import Values

LARGEST_POWER = 10_000
A_CELL = "a printed cell, such as quoted('0.34', 'Table 1') or table.cell(0, 'column')"
A_FORMULA = "a sympy expression in Symbols, or a Statement"
A_MODE = "a Rounding, such as Rounding.HALF_UP"
A_READING = "a Reading(inputs, outputs), such as Reading(Rounding.HALF_UP, Rounding.HALF_UP)"


def refuse(where: str, value: object, expected: str) -> InputError:
    """The error that says what stands in a place and what should."""
    shown = repr(value) if len(repr(value)) <= 80 else repr(value)[:77] + "..."
    return InputError(f"{where} is {shown}; expected {expected}")


def several(where: str, values: object, expected: str) -> Sequence[Any]:
    """``values``, if it is a list or a tuple and not the one thing that should be in it."""
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise refuse(where, values, f"a list, each item {expected}")
    return values


def each_is(where: str, values: object, kind: type, expected: str) -> None:
    """InputError unless ``values`` is a list whose every item is of this kind."""
    for i, value in enumerate(several(where, values, expected)):
        if not isinstance(value, kind):
            raise refuse(f"{where}[{i}]", value, expected)


def one_of(where: str, value: object, known: Sequence[str]) -> None:
    """InputError unless ``value`` is one of these words."""
    if value not in known:
        raise InputError(
            f"{where}={value!r}, expected {' or '.join(map(repr, known))}.{suggest(str(value), known)}"
        )


def modes(where: str, values: object) -> None:
    """InputError unless ``values`` is a list of rounding modes, at least one."""
    each_is(where, values, Rounding, A_MODE)
    if not values:
        raise InputError(f"{where} is empty; leave it out for every rounding mode")


def reading(where: str, value: object) -> None:
    """InputError unless ``value`` is a reading, of two rounding modes."""
    if not (isinstance(value, Reading) and all(isinstance(mode, Rounding) for mode in value)):
        raise refuse(where, tuple(value) if isinstance(value, Reading) else value, A_READING)


def readings(where: str, values: object) -> None:
    """InputError unless ``values`` is a list of readings, at least one."""
    for i, value in enumerate(several(where, values, A_READING)):
        reading(f"{where}[{i}]", value)
    if not values:
        raise InputError(f"{where} is empty; leave it out for every reading")


def columns(where: str, values: object, known: Sequence[str], table: str) -> None:
    """InputError unless ``values`` is a list of columns of the table of that name."""
    for name in several(where, values, "the name of a column"):
        if name not in known:
            raise InputError(
                f"{where}: {table} has no column {name!r}; it has {', '.join(known)}.{suggest(str(name), known)}"
            )


def cells(where: str, values: object) -> None:
    """InputError unless ``values`` binds symbols to printed cells; one that holds no number is found when it is judged."""
    if not isinstance(values, Mapping):
        raise refuse(where, values, "{symbol: cell}")
    for symbol, cell in values.items():
        if not isinstance(symbol, sp.Symbol):
            raise refuse(f"{where}: a key", symbol, "the Symbol that the formulas hold")
        if not isinstance(cell, Cell):
            raise refuse(f"{where}: the place of {symbol}", cell, A_CELL)


def one_symbol_a_name(who: str, check: object) -> None:
    """InputError where two symbols of a check, other than within a statement that it is given, have one name."""
    seen: dict[str, sp.Symbol] = {}
    for symbol in _symbols(check):
        if seen.setdefault(symbol.name, symbol) != symbol:
            raise InputError(
                f"{who}: two different symbols are called {symbol.name} (their assumptions differ, such as positive=True); "
                "use one Symbol for both, or give one another name"
            )


def _symbols(value: object) -> Iterator[sp.Symbol]:
    if isinstance(value, sp.Basic):
        yield from _atoms(value)
    elif isinstance(value, Instance):
        one_symbol_a_name(value.statement.name, (value.statement.conclusion, *value.statement.conditions))
        yield from _symbols([inner for _, inner in value.replaced])
    elif isinstance(value, Statement):
        yield from _atoms(value.formula)
    elif isinstance(value, Mapping):
        yield from _symbols([*value.keys(), *value.values()])
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _symbols(item)
    elif is_dataclass(value) and not isinstance(value, (type, Table, Cell)):
        yield from _symbols([getattr(value, f.name) for f in fields(value) if f.name not in _REFERENCES])


@lru_cache(maxsize=4096)
def _atoms(value: sp.Basic) -> frozenset[sp.Symbol]:
    return frozenset(value.atoms(sp.Symbol))


_REFERENCES = ("uses", "theory")
"""Fields that name statements without putting their formulas into the check."""


def admits(who: str, values: Values) -> None:
    """InputError for a symbol whose assumptions exclude some of the values that it stands for."""
    if excluded := values.excluded_by():
        symbol, low, high, _, shown = values
        shown = shown or (f"{symbol} = {low}" if low == high else f"it runs from {low} to {high}")
        raise InputError(
            f"{who}: the symbol {symbol} is assumed {excluded}, and {shown}; declare it "
            f"Symbol({symbol.name!r}, real=True), and build the formulas from that"
        )


def printed_values(symbol: sp.Symbol, cells: Iterable[Cell]) -> Iterator[Values]:
    """What a symbol stands for that is read from printed cells; a cell that cannot be read is left to the evidence."""
    if not symbol.assumptions0.keys() - {"commutative"}:
        return
    for cell in cells:
        with contextlib.suppress(InputError):
            yield Values(symbol, *_ends(cell))


@lru_cache(maxsize=4096)
def _ends(cell: Cell) -> tuple[sp.Rational, sp.Rational]:
    """The least and the largest value that print as this cell, whatever the rounding mode."""
    ends = [cell.interval(mode).bounds for mode in ROUNDED]
    low, high = min(lo for lo, _ in ends), max(hi for _, hi in ends)
    return sp.Rational(low.numerator, low.denominator), sp.Rational(high.numerator, high.denominator)


def namesakes(unbound: Iterable[sp.Symbol], known: Iterable[sp.Symbol]) -> str:
    """A hint where one of the ``unbound`` symbols is called like a ``known`` one, which sympy tells apart."""
    names = sorted({symbol.name for symbol in unbound} & {symbol.name for symbol in known})
    if not names:
        return ""
    return (
        f"; another symbol called {names[0]} is given, with other assumptions (such as positive=True): "
        "use one Symbol for both"
    )


def formula(where: str, value: object) -> sp.Expr:
    """The exact expression that a formula or a statement stands for."""
    if isinstance(value, Statement):
        return value.formula
    if isinstance(value, bool) or not isinstance(value, (sp.Expr, int, Fraction)):
        raise refuse(where, value, A_FORMULA)
    expression = sp.sympify(value)
    _no_huge_power(where, expression)
    if floats := expression.atoms(sp.Float):
        raise InputError(
            f"{where} is {expression}, and its float {float(min(floats)):g} has no exact value; "
            "write an integer, or a Rational, such as Rational('0.34') or Rational(1, 3)"
        )
    return expression


def _no_huge_power(where: str, expression: sp.Expr) -> None:
    """InputError for a power that nobody could multiply out."""
    if power := _huge_power(expression):
        raise InputError(
            f"{where}: {power} is a power of {power.exp}; expected at most {LARGEST_POWER}, or a symbol for it"
        )


@lru_cache(maxsize=4096)
def _huge_power(expression: sp.Expr) -> sp.Pow | None:
    for power in expression.atoms(sp.Pow):
        if power.exp.is_Rational and max(abs(power.exp.p), power.exp.q) > LARGEST_POWER:
            return power
    return None


def relation(where: str, value: object) -> Relation:
    """``value``, if it is a relation kept as data and not what Python or sympy make of ``==`` and ``<``."""
    if isinstance(value, Relation):
        for side in (value.lhs, value.rhs):
            _no_huge_power(where, side)
        return value
    if isinstance(value, sp.core.relational.Relational):
        op = "==" if value.rel_op == "==" else value.rel_op
        raise InputError(
            f"{where} is the sympy comparison {value}; write Relation({value.lhs}, {op!r}, {value.rhs}) "
            "(from theory), which stays data"
        )
    if isinstance(value, (bool, sp.logic.boolalg.BooleanAtom)):
        raise InputError(
            f"{where} is {value}: Python evaluates == and < on the spot; write eq(left, right) or "
            "Relation(left, '<', right) (from theory)"
        )
    if isinstance(value, Statement):
        raise InputError(f"{where} is the statement {value.name}; write its .conclusion")
    raise refuse(where, value, "eq(left, right) or Relation(left, '<', right)")


def relations(where: str, values: object) -> None:
    """InputError unless ``values`` is a list of relations, at least one."""
    for i, value in enumerate(several(where, values, "eq(left, right) or Relation(left, '<', right)")):
        relation(f"{where}[{i}]", value)
    if not values:
        raise InputError(f"{where} is empty, so nothing would be checked")
