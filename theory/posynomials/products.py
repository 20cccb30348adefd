"""Products of powers as sums of logarithms, compared exactly.

``log_form`` writes log(expr) as a combination of logs of integers, symbols and
sums that no rule splits further. `vanishes` decides whether it is 0: integers by a
coprime base, so that no number has to be factored into primes; every other
base is taken to be independent, so a form may be 0 without being seen to be, never
the other way round.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import sympy as sp

from theory.rates.field import Field, Fraction

LogForm = Mapping[sp.Expr, Fraction]


def log_form(expr: sp.Expr, field: Field) -> LogForm:
    """log(expr) for a positive expression; `NotRational` where an exponent is none of the field."""
    found: dict[sp.Expr, Fraction] = {}
    _collect(sp.sympify(expr), field.one, field, found)
    return found


def _collect(expr: sp.Expr, times: Fraction, field: Field, found: dict[sp.Expr, Fraction]) -> None:
    if expr.is_Rational:
        for number, sign in ((expr.p, 1), (expr.q, -1)):
            if number != 1:
                _add(sp.Integer(number), times * sign, found)
    elif expr.is_Mul:
        for arg in expr.args:
            _collect(arg, times, field, found)
    elif isinstance(expr, sp.exp):
        _add(sp.E, times * field.read(expr.exp), found)
    elif expr.is_Pow:
        _collect(expr.base, times * field.read(expr.exp), field, found)
    elif expr.is_Add:
        factored = sp.factor(sp.together(expr))
        if factored.is_Add:
            _add(factored, times, found)
        else:
            _collect(factored, times, field, found)
    else:
        _add(expr, times, found)


def _add(base: sp.Expr, times: Fraction, found: dict[sp.Expr, Fraction]) -> None:
    found[base] = found[base] + times if base in found else times


def combine(*parts: tuple[LogForm, Fraction | int]) -> LogForm:
    """The sum of forms, each times a factor."""
    found: dict[sp.Expr, Fraction] = {}
    for form, factor in parts:
        for base, power in form.items():
            _add(base, power * factor, found)
    return found


def vanishes(form: LogForm) -> bool:
    """Whether the form is seen to be 0."""
    numbers = {abs(int(base)): power for base, power in form.items() if base.is_Integer}
    if any(base.is_Integer and base < 1 for base in form):
        return False
    if any(power for base, power in form.items() if not base.is_Integer):
        return False
    base = _coprime([number for number, power in numbers.items() if power])
    for factor in base:
        total = sum((power * _multiplicity(factor, number) for number, power in numbers.items()), start=0)
        if total:
            return False
    return True


def _coprime(numbers: list[int]) -> list[int]:
    """Pairwise coprime integers above 1 of which every given one is a product of powers."""
    base: list[int] = []
    waiting = list(numbers)
    while waiting:
        number = waiting.pop()
        if number == 1:
            continue
        other = next((b for b in base if math.gcd(b, number) > 1), None)
        if other is None:
            base.append(number)
        elif other != number:
            common = math.gcd(other, number)
            base.remove(other)
            waiting += [common, number // common, other // common]
    return base


def _multiplicity(factor: int, number: int) -> int:
    count = 0
    while number % factor == 0:
        number, count = number // factor, count + 1
    return count
