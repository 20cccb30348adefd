"""How exponents, rates and regions are written: ``n^(-2β/(2β+d))``, ``β <= 2s``.

``δ`` and ``ω`` in an exponent are the two levels of `Growth` between the numbers
and the logs; a size ``n^δ`` may be read as n to any small enough positive power.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

import sympy as sp

from theory.rates.conditions import Condition, definite_sign
from theory.rates.field import Field, Fraction
from theory.rates.growth import Growth
from theory.vocabulary import TextPrinter

DELTA, OMEGA = sp.symbols("delta omega", positive=True)
_TOKEN = re.compile(r"\w+|\*\*|[-+*/(),]")


class _PositiveFirst(TextPrinter):
    def _print_Add(self, expr: sp.Add, order: object = None) -> str:
        """``d - β`` rather than ``-β + d``."""
        terms = sorted(self._as_ordered_terms(expr), key=lambda term: bool(term.could_extract_minus_sign()))
        shown = [self.parenthesize(term, 0) for term in terms]
        return "".join(t if i == 0 or t.startswith("-") else f"+{t}" for i, t in enumerate(shown))


def name(symbol: sp.Symbol) -> str:
    """The symbol's name, Greek where it is a Greek letter's."""
    stem, mark, index = str(symbol).partition("_")
    try:
        case = "SMALL" if stem.islower() else "CAPITAL"
        letter = stem.upper().replace("LAMBDA", "LAMDA")  # as Unicode spells it
        return unicodedata.lookup(f"GREEK {case} LETTER {letter}") + mark + index
    except KeyError:
        return str(symbol)


def text(expr: sp.Expr) -> str:
    """A rational expression in one line without the spaces and stars that a reader does not need."""
    tokens = [
        name(sp.Symbol(t)) if t.isidentifier() else t for t in _TOKEN.findall(_PositiveFirst().doprint(expr))
    ]
    written = ""
    for i, token in enumerate(tokens):
        if token == "*":
            left, right = tokens[i - 1], tokens[i + 1]
            tight = left.isdigit() or right == "(" or left == ")" or (len(left) == 1 == len(right))
            token = "" if tight and not right.isdigit() else "·"
        written += {"**": "^", ",": ", "}.get(token, token)
    return written


def growth_text(field: Field, growth: Growth, scale: str) -> str:
    """``n^power (log n)^logs``, constants left out."""
    power = _power(field, growth)
    logs = (
        ""
        if not growth.logs
        else _powered(f"(log {scale})", text(field.show(growth.logs)), bare=f"log {scale}")
    )
    if power == 0:
        return logs or "1"
    if power.is_Integer and power < 0:
        return (
            f"{logs or '1'} / {_powered(scale, str(-power))}" if logs else f"1/{_powered(scale, str(-power))}"
        )
    return " ".join(filter(None, (_powered(scale, text(power)), logs)))


def _power(field: Field, growth: Growth) -> sp.Expr:
    return field.show(growth.power) + DELTA * field.show(growth.delta) + OMEGA * field.show(growth.omega)


def _powered(base: str, exponent: str, bare: str = "") -> str:
    if exponent == "1":
        return bare or base
    return f"{base}^{exponent}" if len(exponent) == 1 else f"{base}^({exponent})"


def growth_expression(field: Field, growth: Growth, scale: sp.Symbol) -> sp.Expr:
    power = _power(field, growth)
    return scale**power * sp.log(scale) ** field.show(growth.logs)


def region_text(field: Field, regions: Sequence[Sequence[Condition]]) -> str:
    """Conjunctions of conditions, joined by "or"."""
    return " or ".join(" and ".join(_conjunction(field, region)) or "always" for region in regions)


def _conjunction(field: Field, region: Sequence[Condition]) -> Iterable[str]:
    weak = [c for c in region if not c.strict and len(c.levels) == 1]
    equal = [c for c in weak if Condition((-c.levels[0],), False) in weak]
    told: set[Condition] = set()
    for condition in region:
        if condition in told:
            continue
        if condition in equal:
            told |= {condition, Condition((-condition.levels[0],), False)}
            yield _solved(field, condition.levels[0], "=", "=")
        else:
            yield condition_text(field, condition)


def condition_text(field: Field, condition: Condition) -> str:
    """A sign condition solved for one of its parameters where that is possible: ``β <= 2s``."""
    first, rest = condition.levels[0], condition.levels[1:]
    if not rest:
        return _solved(field, first, *((">", "<") if condition.strict else (">=", "<=")))
    tail = condition_text(field, Condition(rest, condition.strict))
    return f"({_solved(field, first, '>', '<')} or ({_solved(field, first, '=', '=')} and {tail}))"


def _solved(field: Field, poly: Fraction, at_least: str, at_most: str) -> str:
    """The shortest way to solve ``poly >= 0`` for a parameter in which it is linear."""
    expr = field.show_polynomial(poly.num)
    found = []
    for symbol in field.parameters:
        if sp.degree(expr, symbol) != 1:
            continue
        slope = expr.coeff(symbol, 1)
        sign = definite_sign(field.read(slope).num)
        bound = sp.factor(-expr.coeff(symbol, 0) / slope) if sign else sp.Integer(0)
        if bound != 0:
            found.append(f"{name(symbol)} {at_least if sign == 1 else at_most} {text(bound)}")
    minus = [f for f in found if "-" in f]
    shortest = sorted([f for f in found if f not in minus] or found, key=len)
    return shortest[0] if shortest else f"{text(sp.factor(expr))} {at_least} 0"


def condition_expression(field: Field, condition: Condition) -> sp.Basic:
    first, rest = field.show_polynomial(condition.levels[0].num), condition.levels[1:]
    if not rest:
        return first > 0 if condition.strict else first >= 0
    tail = condition_expression(field, Condition(rest, condition.strict))
    return sp.Or(first > 0, sp.And(sp.Eq(first, 0), tail))
