"""Pieces of Python as a person writes them: names, calls, equations, a formula of a table in the units of its columns."""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from collections.abc import Sequence
from fractions import Fraction

from verify.commands.written_tables import WrittenTable, distinct
from verify.search.relations.evaluation import Instance, Relation
from verify.search.relations.formulas import MEAN, SUM, Formula
from verify.text import one_line

WIDEST = 90
_TAKEN = {"at", "eq", "paper", "places", "relations", "sp", *dir(builtins)}


def quoted(text: str) -> str:
    """A text as Python writes it, between double quotes where it can be."""
    shown = repr(one_line(text))
    return f'"{shown[1:-1]}"' if shown[0] == "'" and not {'"', "'"} & set(shown[1:-1]) else shown


def symbols_for(names: Sequence[str]) -> list[str]:
    """A Python name for each column, such as ``gpu_hours`` for ``GPU-hours``."""
    found = []
    for text in names:
        folded = unicodedata.normalize("NFKC", text)
        parts = "".join(c if f"_{c}".isidentifier() else " " for c in folded).split()
        name = "_".join(parts)[:30].strip("_")
        name = name if len(name) <= 2 else name.lower()
        usable = name.isidentifier() and not keyword.iskeyword(name) and name not in _TAKEN
        found.append(name if usable and not name.startswith("table") else f"x_{name}".rstrip("_"))
    return distinct(found, "_")


def call(name: str, arguments: Sequence[str]) -> str:
    """A call in one line, or an argument a line where that is too long."""
    given = [argument for argument in arguments if argument]
    line = f"{name}({', '.join(given)})"
    if len(line) <= WIDEST:
        return line
    return "\n".join([f"{name}(", *(f"        {argument}," for argument in given), "    )"])


def equation(left: str, right: str, loop: str) -> list[str]:
    """The lines of an equation in a comprehension."""
    line = f"eq({left}, {right})"
    return [*([line] if len(line) <= WIDEST else ["eq(", f"    {left},", f"    {right},", ")"]), loop]


def rows_in_code(rows: Sequence[int]) -> str:
    """The rows as Python counts them."""
    if len(rows) > 2 and list(rows) == list(range(rows[0], rows[-1] + 1)):
        return f"range({rows[0]}, {rows[-1] + 1})" if rows[0] else f"range({rows[-1] + 1})"
    return str(list(rows))


def expression(written: WrittenTable, relation: Relation, instance: Instance, terms: Sequence[str]) -> str:
    """The formula in these terms, times what the scales of its columns come to."""
    formula = relation.formula
    factors = [written.factor(column) or Fraction(1) for _, column in instance.inputs]
    times = relation.scale / (written.factor(instance.output[1]) or Fraction(1))
    common = {_value(formula, [f * x for f, x in zip(factors, at, strict=True)]) / _value(formula, at)
              for at in _points(len(terms))}  # fmt: skip
    if formula.root:
        common = set(factors)
    if len(common) == 1:
        times *= common.pop()
    else:
        terms = [f"({_times(factor, term)})" for factor, term in zip(factors, terms, strict=True)]
    if formula is SUM:
        body = " + ".join(terms)
    elif formula is MEAN:
        body = f"({' + '.join(terms)}) / {len(terms)}"
    elif formula.root:
        body = f"({' * '.join(terms)}) ** sp.Rational(1, {len(terms)})"
    elif formula.size:
        body = f"abs({formula.words.strip('|').format(*terms)})"
    else:
        body = formula.words.format(*terms)
    return _times(times, body)


def _points(inputs: int) -> list[list[Fraction]]:
    """Two places at which a formula is asked whether the scales of its inputs come to one factor."""
    return [[Fraction(7 * k + shift, 3) for k in range(1, inputs + 1)] for shift in (4, 12)]


def _value(formula: Formula, at: Sequence[Fraction]) -> Fraction:
    top, bottom = formula.parts(*at)
    return Fraction(top) / Fraction(bottom)


def _times(factor: Fraction, body: str) -> str:
    """A factor before (or a divisor behind) an expression."""
    if factor == 1:
        return body
    inside = re.sub(r"\([^()]*\)", "", re.sub(r"\([^()]*\)", "", body))
    body = f"({body})" if " + " in inside or " - " in inside else body
    before = f"{_whole(factor.numerator)} * " if factor.numerator != 1 else ""
    return f"{before}{body}" + (f" / {_whole(factor.denominator)}" if factor.denominator != 1 else "")


def _whole(number: int) -> str:
    power = len(str(number)) - 1
    return f"10**{power}" if power > 2 and number == 10**power else str(number)
