"""Sums as terms, each a coefficient that does not vary times powers of what does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from verify.recheck.formulas import (
    MINUS_ONE,
    ONE,
    Function,
    Node,
    Number,
    Power,
    Product,
    Sum,
    inverse,
    product,
    total,
)
from verify.recheck.ratios import Field, Ratio

MOST_FACTORS = 16
"""Powers of sums are multiplied out up to here."""
Varies = Callable[[Node], bool]


@dataclass(frozen=True)
class Term:
    """``coefficient`` times each base to its exponent."""

    coefficient: Node
    powers: tuple[tuple[Node, Ratio], ...]


def gather(parts: Iterable[Node], varies: Varies, field: Field) -> list[Term]:
    """The terms of a sum; coefficients of like terms are added, so that their signs can be told.

    `Rejected` where an exponent is no rational function of the parameters.
    """
    found: dict[frozenset[tuple[Node, Ratio]], tuple[list[Node], tuple[tuple[Node, Ratio], ...]]] = {}
    for part in parts:
        factors = part.args if isinstance(part, Product) else (part,)
        powers: dict[Node, Ratio] = {}
        for factor in factors:
            if varies(factor):
                base, exponent = (
                    (factor.base, factor.exponent) if isinstance(factor, Power) else (factor, ONE)
                )
                powers[base] = powers.get(base, field.zero) + field.of(exponent)
        kept = tuple((base, exponent) for base, exponent in powers.items() if exponent)
        coefficient = product(factor for factor in factors if not varies(factor))
        found.setdefault(frozenset(kept), ([], kept))[0].append(coefficient)
    return [Term(total(coefficients), powers) for coefficients, powers in found.values()]


def multiplied_out(node: Node) -> list[Node]:
    """The terms of a formula without products and small powers of sums; its symbols are positive."""
    match node:
        case Sum(args=args):
            return [term for arg in args for term in multiplied_out(arg)]
        case Product(args=args):
            found: list[Node] = [ONE]
            for arg in args:
                found = [product((one, other)) for one in found for other in multiplied_out(arg)]
            return found
        case Power(base=base, exponent=exponent):
            terms = multiplied_out(base)
            if len(terms) == 1:
                factors = terms[0].args if isinstance(terms[0], Product) else (terms[0],)
                return [product(_raised(factor, exponent) for factor in factors)]
            if isinstance(exponent, Number) and exponent.value in range(2, MOST_FACTORS + 1):
                return multiplied_out(Product((base,) * int(exponent.value)))
            return [Power(total(terms), exponent)]
    return [node]


def _raised(factor: Node, exponent: Node) -> Node:
    if exponent == ONE:
        return factor
    if exponent == MINUS_ONE and isinstance(factor, Number):
        return inverse(factor)
    if isinstance(factor, Power):
        return Power(factor.base, product((factor.exponent, exponent)))
    if isinstance(factor, Function) and factor.name == "exp":
        return Function("exp", (product((factor.args[0], exponent)),))
    return Power(factor, exponent)
