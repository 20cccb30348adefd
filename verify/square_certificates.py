"""A small checker of polynomial inequalities in one variable; it shares no code with the search.

A polynomial in t is nonnegative for all t >= 0 if it is square^2 times t^shift times a rest that is positive at 0 and has
no root above. Sturm's theorem counts those: as many as its chain has sign changes at 0 less those at infinity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from verify.certificate_forms import Domain, Rejected
from verify.power_certificates import read_fraction, read_polynomial

Coefficients = list[Fraction]
"""Of a polynomial, the constant first, the last not 0; empty for 0."""


def recheck_squares(
    relation: tuple[str, str, str],
    domain: Domain,
    certificate: Mapping[str, Any],
    *,
    strict: Sequence[str] = (),
) -> None:
    """Raise `Rejected` unless the certificate proves the relation wherever it is defined on the domain."""
    if (
        set(certificate) != {"rule", "domain", "open", "square", "shift", "rest"}
        or certificate["rule"] != "sturm"
    ):
        raise Rejected("expected the entries rule, domain, open, square, shift, rest")
    found = read_polynomial(relation, domain, certificate, strict)
    if any(any(powers[1:]) for powers in found):
        raise Rejected("expected one variable, and no pi")
    square, rest = (_trimmed([read_fraction(c) for c in certificate[part]]) for part in ("square", "rest"))
    shift = certificate["shift"]
    if type(shift) is not int or shift < 0 or not rest or not square:
        raise Rejected("expected a square and a rest that are not 0, and a shift of at least 0")
    product = [Fraction(0)] * shift + _times(_times(square, square), rest)
    if {(power, 0): c for power, c in enumerate(product) if c} != {p: c for p, c in found.items() if c}:
        raise Rejected("square^2 t^shift rest is not the polynomial")
    if rest[0] <= 0:
        raise Rejected("the rest is not positive at 0")
    chain = _sturm_chain(rest)
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


def _times(first: Coefficients, second: Coefficients) -> Coefficients:
    product = [Fraction(0)] * (len(first) + len(second) - 1)
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            product[i + j] += a * b
    return product


def _trimmed(coefficients: Coefficients) -> Coefficients:
    while coefficients and coefficients[-1] == 0:
        coefficients = coefficients[:-1]
    return coefficients


def _changes(values: Sequence[Fraction]) -> int:
    """Changes of sign from one value to the next, zeros left out."""
    return sum((a > 0) != (b > 0) for a, b in pairwise([v for v in values if v]))
