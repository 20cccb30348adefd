"""A small checker of polynomial inequalities that touch zero; it shares no code with the search.

A polynomial is nonnegative where all its variables are if it is square^2 times a rest that is: by its coefficients, or, in
one variable, because the rest is a power of it times what is positive at 0 and has no root above. Sturm's theorem counts
those roots: as many as its chain has sign changes at 0 less those at infinity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from verify.recheck.means import Powers, read_fraction, read_polynomial, read_powers
from verify.recheck.rejected import Rejected
from verify.recheck.stated import expect_entries, expect_list, read_stated

KIND = "squares"
CHECKS = ("PolynomialInequality",)
Polynomial = dict[Powers, Fraction]
Coefficients = list[Fraction]
"""Of a polynomial in one variable, the constant first, the last not 0; empty for 0."""


def reread(certificate: Mapping[str, Any]) -> None:
    """Raise `Rejected` unless the certificate proves what it states."""
    expect_entries(certificate, "kind", "relation", "domain", "integers", "square", "rest")
    stated = read_stated(certificate)
    found = read_polynomial(stated)
    square, rest = (_read(certificate[part], len(stated.domain) + 1) for part in ("square", "rest"))
    if _times(_times(square, square), rest) != {powers: c for powers, c in found.items() if c}:
        raise Rejected("square^2 rest is not the polynomial")
    if any(c < 0 for c in rest.values()):
        _positive_above_zero(rest)


def shown(certificate: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What is proved, and where, as a card shows it."""
    return [read_stated(certificate).card]


def _read(terms: Any, width: int) -> Polynomial:
    read = {read_powers(powers, width): read_fraction(c) for powers, c in expect_list(terms, "terms")}
    if len(read) != len(terms) or not all(read.values()):
        raise Rejected("a term stands twice, or is 0")
    return read


def _times(first: Polynomial, second: Polynomial) -> Polynomial:
    product: Polynomial = {}
    for powers, a in first.items():
        for others, b in second.items():
            place = tuple(p + q for p, q in zip(powers, others, strict=True))
            product[place] = product.get(place, Fraction(0)) + a * b
    return {powers: c for powers, c in product.items() if c}


def _positive_above_zero(rest: Polynomial) -> None:
    if any(any(powers[1:]) for powers in rest):
        raise Rejected("the rest has a negative coefficient, and more than one variable")
    degrees = [powers[0] for powers in rest]
    polynomial = [
        rest.get((i, *[0] * (len(next(iter(rest))) - 1)), Fraction(0))
        for i in range(min(degrees), max(degrees) + 1)
    ]
    if polynomial[0] < 0:
        raise Rejected("the rest is not positive just above 0")
    chain = _sturm_chain(polynomial)
    if _changes([p[0] for p in chain]) != _changes([p[-1] for p in chain]):
        raise Rejected("the rest has a root above 0")


def _sturm_chain(polynomial: Coefficients) -> list[Coefficients]:
    """The polynomial, its derivative, and negated remainders down to the last that is not 0."""
    chain = [polynomial, _trimmed([i * c for i, c in enumerate(polynomial)][1:])]
    while chain[-1]:
        chain.append([-c for c in _remainder(chain[-2], chain[-1])])
    return chain[:-1]


def _remainder(above: Coefficients, below: Coefficients) -> Coefficients:
    left = list(above)
    while len(left) >= len(below):
        factor = left[-1] / below[-1]
        place = len(left) - len(below)
        left = _trimmed([c - factor * below[i - place] if i >= place else c for i, c in enumerate(left)])
    return left


def _trimmed(coefficients: Coefficients) -> Coefficients:
    while coefficients and coefficients[-1] == 0:
        coefficients = coefficients[:-1]
    return coefficients


def _changes(values: Sequence[Fraction]) -> int:
    """Changes of sign from one value to the next, zeros left out."""
    return sum((a > 0) != (b > 0) for a, b in pairwise([v for v in values if v]))
