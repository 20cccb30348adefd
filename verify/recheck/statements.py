"""What is minimised, read from the text in a certificate: objective, sizes, scale, constraints and assumptions.

A size h that stands in the exponent of a number b is read in one of two ranges, which the statement names. With a base it
is of the order of the scale's logarithm or less and read through H = b^h: then b^(r h) is H^r, and h itself log(e H),
up to constants. Without one it is above every multiple of that logarithm, and b^(r h) is read as exp(r h).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import log
from typing import Any

from verify.recheck.formulas import (
    Constant,
    Function,
    Node,
    Number,
    Power,
    Product,
    Symbol,
    exceeds_one,
    inverse,
    is_positive,
    parts,
    product,
    read,
    rebuilt,
    symbols,
)
from verify.recheck.ratios import Field, Ratio, sign_of_coefficients
from verify.recheck.rejected import Rejected
from verify.recheck.signs import Condition


@dataclass(frozen=True)
class Statement:
    """Minimise ``objective`` over ``sizes``, at least 1 or, where ``small``, at most 1, each ``ratio`` at most 1.

    ``given`` are the fixed sizes with their exponents in the scale; every other symbol is a positive parameter.
    """

    field: Field
    objective: Node
    sizes: tuple[str, ...]
    given: Mapping[str, Ratio]
    ratios: tuple[Node, ...]
    assumptions: tuple[Condition, ...]
    small: frozenset[str]

    def varies(self, node: Node) -> bool:
        return any(name in self.given or name in self.sizes for name in symbols(node))


def read_statement(entry: Mapping[str, Any]) -> Statement:
    """`Rejected` where a text is no formula, or a symbol stands in two places."""
    parameters, sizes, small = (tuple(entry[part]) for part in ("parameters", "sizes", "small"))
    given = [(name, text) for name, text in entry["given"]]
    names = [*parameters, *sizes, *(name for name, _ in given)]
    if not all(isinstance(name, str) for name in names) or len(set(names)) != len(names):
        raise Rejected("a symbol stands in two places, or is no text")
    if not set(small) <= set(sizes):
        raise Rejected(f"{', '.join(sorted(set(small) - set(sizes)))} is small and no size")
    field, at = Field(parameters), {name: read(text) for name, text in entry["at"].items()}
    if set(at) & set(names) or not all(is_positive(x) and not symbols(x) for x in at.values()):
        raise Rejected("a symbol is put equal to what is no positive number, or is in use")

    def formula(text: str) -> Node:
        return _placed(read(text), at)

    constraints = [(formula(lhs), formula(rhs)) for lhs, rhs in entry["constraints"]]
    statement = Statement(
        field,
        formula(entry["objective"]),
        sizes,
        {name: field.text(text) for name, text in given},
        tuple(product((lhs, inverse(rhs))) for lhs, rhs in constraints),
        tuple(_assumption(field, *assumption) for assumption in entry["assumptions"]),
        frozenset(small),
    )
    if not given or statement.given[given[0][0]] != field.one:
        raise Rejected("the first of what is given is the scale, whose exponent is 1")
    for node in (statement.objective, *statement.ratios):
        if unknown := symbols(node) - set(names):
            raise Rejected(f"{', '.join(sorted(unknown))} is neither a size nor a parameter")
    return _through_powers(statement, {size: read(base) for size, base in entry["bases"].items()})


def sizes_in_exponents(entry: Mapping[str, Any]) -> list[str]:
    """The sizes, other than small ones, that stand in the exponent of a number in the statement as it is written."""
    texts = (entry["objective"], *(side for pair in entry["constraints"] for side in pair))
    found = frozenset[str]().union(*(_in_exponents(read(text)) for text in texts))
    return sorted((found & set(entry["sizes"])) - set(entry["small"]))


def _in_exponents(node: Node) -> frozenset[str]:
    own: frozenset[str] = frozenset()
    if isinstance(node, Power) and not symbols(node.base):
        own = symbols(node.exponent)
    elif isinstance(node, Function) and node.name == "exp":
        own = symbols(node)
    return own.union(*map(_in_exponents, parts(node)))


def _placed(node: Node, at: Mapping[str, Node]) -> Node:
    """The formula with numbers for symbols."""
    if isinstance(node, Symbol):
        return at.get(node.name, node)
    return rebuilt(node, lambda part: _placed(part, at)) if at else node


def _assumption(field: Field, lhs: str, rhs: str, strict: bool) -> Condition:
    """``lhs <= rhs``, or ``<``, as a condition on the parameters."""
    difference = field.text(rhs) - field.text(lhs)
    if sign_of_coefficients(difference.below) != 1:
        raise Rejected(f"the sign of the denominator of {rhs} - ({lhs}) is not known")
    return Condition((Ratio(difference.above, field.context.constant(1)),), bool(strict))


def _through_powers(statement: Statement, bases: Mapping[str, Node]) -> Statement:
    for size, base in bases.items():
        if size not in statement.sizes or size in statement.small or not exceeds_one(base):
            raise Rejected(f"{size} cannot be read through a power with itself as the exponent")
        if statement.varies(base):
            raise Rejected(f"the base of a power with {size} as the exponent varies")

    def through(node: Node) -> Node:
        match node:
            case Symbol(name=name) if name in bases:
                return Function("log", (Product((Constant("e"), node)),))
            case Power(base=base, exponent=exponent) if not statement.varies(base) and statement.varies(
                exponent
            ):
                return in_exponent(node, base, exponent)
            case Function(name="exp", args=(exponent,)):
                return in_exponent(node, Constant("e"), exponent)
        return rebuilt(node, through)

    def in_exponent(node: Node, base: Node, exponent: Node) -> Node:
        size = next((s for s in bases if s in symbols(exponent)), None)
        if size is not None:
            return Power(Symbol(size), _rate(exponent, size, base, bases[size]))
        return Function("exp", (exponent,)) if exceeds_one(base) else node

    return replace(
        statement, objective=through(statement.objective), ratios=tuple(map(through, statement.ratios))
    )


def _rate(exponent: Node, size: str, base: Node, unit: Node) -> Node:
    """r in ``base^exponent = (unit^size)^r``."""
    factors = exponent.args if isinstance(exponent, Product) else (exponent,)
    rest = [factor for factor in factors if factor != Symbol(size)]
    if len(rest) != len(factors) - 1 or any(size in symbols(factor) for factor in rest):
        raise Rejected(f"the exponent is no multiple of {size}")
    return product((*rest, Number(_logarithm(base, unit))))


def _logarithm(base: Node, unit: Node) -> Fraction:
    """The rational logarithm of one number to another; `Rejected` where none of a small denominator is found."""
    if base == unit:
        return Fraction(1)
    if isinstance(base, Number) and isinstance(unit, Number) and base.value > 0:
        for below in range(1, 13):
            above = round(below * log(base.value) / log(unit.value))
            if abs(above) <= 1000 and base.value**below == unit.value**above:
                return Fraction(above, below)
    raise Rejected("a number in a power is no power of the base that the size is read through")
