"""Formulas as text, read into trees of sums, products, powers and functions of positive symbols.

The grammar is that of Python's expressions, of which nothing is run: names, whole numbers, ``+ - * / **`` and
the functions below. A symbol whose name is no plain identifier, or means something here, stands in quotes.
"""

from __future__ import annotations

import ast
import keyword
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from verify.recheck.rejected import Rejected

FUNCTIONS = ("log", "exp", "Min", "Max", "Abs")
CONSTANTS = {"E": "e", "e": "e", "pi": "pi"}
"""Euler's number by either name, and the circle constant."""
RESERVED = (*FUNCTIONS, *CONSTANTS, "sqrt")
"""The names that mean something, so that a symbol of such a name has to be quoted."""


def quoted(name: str) -> str:
    """A symbol's name as a formula spells it."""
    plain = name.isascii() and name.isidentifier() and not keyword.iskeyword(name) and name not in RESERVED
    return name if plain else repr(name)


@dataclass(frozen=True)
class Number:
    value: Fraction


@dataclass(frozen=True)
class Constant:
    name: str


@dataclass(frozen=True)
class Symbol:
    name: str


@dataclass(frozen=True)
class Sum:
    args: tuple[Node, ...]


@dataclass(frozen=True)
class Product:
    args: tuple[Node, ...]


@dataclass(frozen=True)
class Power:
    base: Node
    exponent: Node


@dataclass(frozen=True)
class Function:
    name: str
    args: tuple[Node, ...]


Node = Number | Constant | Symbol | Sum | Product | Power | Function

ZERO, ONE, MINUS_ONE = Number(Fraction(0)), Number(Fraction(1)), Number(Fraction(-1))


@lru_cache(maxsize=8192)
def read(text: str) -> Node:
    """The tree of a formula; `Rejected` for any other text."""
    if not isinstance(text, str):
        raise Rejected(f"expected a formula as text, got {text!r}")
    try:
        return _node(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Rejected(f"{text!r} is not a formula") from None


def _node(tree: ast.expr) -> Node:
    match tree:
        case ast.Constant(value=int() as value) if type(value) is int:
            return Number(Fraction(value))
        case ast.Constant(value=str() as name):
            return Symbol(name)
        case ast.Name(id=name):
            return Constant(CONSTANTS[name]) if name in CONSTANTS else Symbol(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return product((MINUS_ONE, _node(operand)))
        case ast.BinOp(left=left, op=op, right=right):
            return _operation(op, _node(left), _node(right))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if args:
            found = tuple(map(_node, args))
            if name == "sqrt" and len(found) == 1:
                return Power(found[0], Number(Fraction(1, 2)))
            if name in FUNCTIONS and (len(found) == 1 or name in ("Min", "Max")):
                return Function(name, found)
    raise Rejected(f"{ast.unparse(tree)} is not read here")


def _operation(op: ast.operator, left: Node, right: Node) -> Node:
    match op:
        case ast.Add():
            return total((left, right))
        case ast.Sub():
            return total((left, product((MINUS_ONE, right))))
        case ast.Mult():
            return product((left, right))
        case ast.Div():
            return product((left, inverse(right)))
        case ast.Pow():
            return Power(left, right)
    raise Rejected(f"the operation {type(op).__name__} is not read here")


def total(parts: Iterable[Node]) -> Node:
    """A sum without sums in it, its numbers added."""
    number, found = Fraction(0), list[Node]()
    for part in parts:
        for arg in part.args if isinstance(part, Sum) else (part,):
            if isinstance(arg, Number):
                number += arg.value
            else:
                found.append(arg)
    if number or not found:
        found.append(Number(number))
    return found[0] if len(found) == 1 else Sum(tuple(found))


def product(parts: Iterable[Node]) -> Node:
    """A product without products in it, its numbers multiplied."""
    number, found = Fraction(1), list[Node]()
    for part in parts:
        for arg in part.args if isinstance(part, Product) else (part,):
            if isinstance(arg, Number):
                number *= arg.value
            else:
                found.append(arg)
    if number != 1 or not found:
        found.insert(0, Number(number))
    return found[0] if len(found) == 1 else Product(tuple(found))


def inverse(node: Node) -> Node:
    if isinstance(node, Number) and node.value:
        return Number(1 / node.value)
    return Power(node, MINUS_ONE)


@lru_cache(maxsize=8192)
def symbols(node: Node) -> frozenset[str]:
    """The names of all symbols in a formula."""
    if isinstance(node, Symbol):
        return frozenset({node.name})
    return frozenset[str]().union(*map(symbols, parts(node)))


def parts(node: Node) -> tuple[Node, ...]:
    """What a formula is made of, one level down."""
    if isinstance(node, Power):
        return (node.base, node.exponent)
    return () if isinstance(node, Number | Constant | Symbol) else node.args


def rebuilt(node: Node, replaced: Callable[[Node], Node]) -> Node:
    """The same formula with each of its parts, one level down, replaced."""
    match node:
        case Sum(args=args):
            return total(map(replaced, args))
        case Product(args=args):
            return product(map(replaced, args))
        case Power(base=base, exponent=exponent):
            return Power(replaced(base), replaced(exponent))
        case Function(name=name, args=args):
            return Function(name, tuple(map(replaced, args)))
    return node


def is_positive(node: Node) -> bool:
    """Whether a formula is seen to be positive wherever its symbols are."""
    match node:
        case Number(value=value):
            return value > 0
        case Constant() | Symbol() | Function(name="exp"):
            return True
        case Sum(args=args) | Product(args=args) | Function(name="Min" | "Max" | "Abs", args=args):
            return all(map(is_positive, args))
        case Power(base=base):
            return is_positive(base)
        case Function(name="log", args=(argument,)):
            return exceeds_one(argument)
    return False


def exceeds_one(node: Node) -> bool:
    """Whether a formula is seen to be above 1 wherever its symbols are positive."""
    match node:
        case Number(value=value):
            return value > 1
        case Constant():
            return True
        case Sum(args=args):
            return is_positive(node) and any(arg == ONE or exceeds_one(arg) for arg in args)
        case Product(args=args):
            return all(map(exceeds_one, args))
        case Power(base=base, exponent=exponent):
            return exceeds_one(base) and is_positive(exponent)
        case Function(name="exp", args=(argument,)):
            return is_positive(argument)
    return False
