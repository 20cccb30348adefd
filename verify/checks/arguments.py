"""What a check was given, looked at before any work starts: every fault is one sentence, an InputError.

``where`` in these functions is the argument as its user would call it, such as ``Consistent: relations``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from theory.errors import suggest
from theory.relation import Relation
from theory.statement import Statement
from verify.errors import InputError
from verify.printed.numerals import Rounding
from verify.printed.rounding_readings import Reading
from verify.printed.tables import Cell

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
    """InputError unless ``values`` binds symbols to printed numbers."""
    if not isinstance(values, Mapping):
        raise refuse(where, values, "{symbol: cell}")
    for symbol, cell in values.items():
        if not isinstance(symbol, sp.Symbol):
            raise refuse(f"{where}: a key", symbol, "the Symbol that the formulas hold")
        if not isinstance(cell, Cell):
            raise refuse(f"{where}: the place of {symbol}", cell, A_CELL)
        _ = cell.printed


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
    for power in expression.atoms(sp.Pow):
        if power.exp.is_Rational and max(abs(power.exp.p), power.exp.q) > LARGEST_POWER:
            raise InputError(
                f"{where}: {power} is a power of {power.exp}; expected at most {LARGEST_POWER}, or a symbol for it"
            )


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
