"""A small kernel in the manner of LCF: a `Theorem` is made by the rules of this file and in no other way.

A theorem says that ``lhs op rhs`` holds under premises: positive symbols, lower bounds and whole numbers of a domain,
definitions, and the conclusions of other statements. Its sides are texts, compared as trees, never as values. What is true of
numbers enters by `fact`, through the certificate of an identity, an inequality or an optimum that its own reader accepts. The
rest is logic: equals put for equals, relations chained, a bound put for what it bounds where the expression rises with it.

Whoever runs Python can forge any object; certificates cannot: they are data, and `verify.recheck.theorem` replays their lines.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NoReturn

from verify.recheck import certificates
from verify.recheck.formulas import is_positive, read
from verify.recheck.identity import check_equal
from verify.recheck.rejected import Rejected
from verify.recheck.stated import Lower, domain_text, read_stated
from verify.recheck.texts import CONSTANTS, arguments, called, names, parse

_BINDERS = ("Derivative", "Minimum", "Minimiser", "Subs")
"""The functions whose first argument is about all values of a symbol, which is named after it."""
_CHAINED = {("==", "=="): "==", ("<=", "<="): "<=", (">=", ">="): ">="}
_CHAINED |= {pair: op for op in ("<=", ">=") for pair in (("==", op), (op, "=="))}
_TURNED = {"==": "==", "<=": ">=", ">=": "<="}


@dataclass(frozen=True)
class Positive:
    """A symbol stands for positive numbers."""

    symbol: str


@dataclass(frozen=True)
class Bounded:
    """A symbol is at least, or above, a bound."""

    lower: Lower


@dataclass(frozen=True)
class Whole:
    """A symbol stands for whole numbers."""

    symbol: str


@dataclass(frozen=True)
class Defined:
    """A symbol stands for a formula."""

    symbol: str
    formula: str


@dataclass(frozen=True)
class Stated:
    """Another statement's conclusion, with where it holds, as its own card shows them."""

    statement: str
    text: str
    where: str


@dataclass(frozen=True)
class Unread:
    """An equality that the reader of its certificate does not decide, with the reason."""

    reason: str


Premise = Positive | Bounded | Whole | Defined | Stated | Unread
_KEY = object()


class Theorem:
    """``lhs op rhs`` for all values of its symbols that meet the premises ``under``."""

    __slots__ = ("lhs", "op", "rhs", "under")
    lhs: str
    op: str
    rhs: str
    under: frozenset[Premise]

    def __init__(self, key: object, lhs: str, op: str, rhs: str, under: frozenset[Premise]) -> None:
        if key is not _KEY or op not in _TURNED:
            raise TypeError("a theorem is made by the rules of verify.recheck.theorems")
        for name, value in zip(self.__slots__, (spelled(lhs), op, spelled(rhs), under), strict=True):
            object.__setattr__(self, name, value)

    def __init_subclass__(cls) -> NoReturn:
        raise TypeError("there is one kind of theorem")

    def _closed(self, *_: object) -> NoReturn:
        raise TypeError("a theorem is neither changed nor copied")

    __setattr__ = __delattr__ = __copy__ = __deepcopy__ = __reduce_ex__ = _closed

    def __repr__(self) -> str:
        return f"{self.lhs} {self.op} {self.rhs}"


def _theorem(lhs: str, op: str, rhs: str, *under: frozenset[Premise]) -> Theorem:
    return Theorem(_KEY, lhs, op, rhs, frozenset[Premise]().union(*under))


# Where theorems start


def facts(certificate: Any) -> list[Theorem]:
    """What a certificate proves, each of its relations, once its reader has accepted it."""
    certificates.reread(certificate)
    match certificate["kind"]:
        case "gap rule":
            lemmas = (Stated(*lemma) for lemma in certificates.ask(certificate, "lemmas"))
            return [_of_a_domain(certificate, *lemmas)]
        case "identity":
            reasons = (certificate["unread"].get(str(i)) for i in range(len(certificate["relations"])))
            beyond = [frozenset[Premise](() if reason is None else {Unread(reason)}) for reason in reasons]
            sides = zip(certificate["relations"], beyond, strict=True)
            return [_theorem(lhs, "==", rhs, _positive(lhs, rhs), open_) for (lhs, rhs), open_ in sides]
        case "optimum":
            lhs, op, rhs = certificate["relation"]
            return [_theorem(lhs, op, rhs, _positive(lhs, rhs))]
        case kind:
            raise Rejected(f"a certificate of kind {kind!r} makes no theorem")


def identical(lhs: str, rhs: str) -> Theorem:
    """``lhs == rhs``, where the reader of identities sees it for positive symbols."""
    under = _positive(lhs, rhs)
    check_equal(lhs, rhs, sorted(premise.symbol for premise in under if isinstance(premise, Positive)))
    return _theorem(lhs, "==", rhs, under)


def given(record: Mapping[str, Any]) -> Theorem:
    """The conclusion of another statement, under the premise that it is one."""
    stated = read_stated(record)
    return _of_a_domain(record, Stated(str(record["statement"]), *stated.card))


def defined(symbol: str, formula: str) -> Theorem:
    """``symbol == formula``, where the symbol is defined so."""
    if not symbol.isidentifier() or symbol in CONSTANTS or symbol in names(parse(formula)):
        raise Rejected(f"{symbol} is not defined by {formula}")
    return _theorem(symbol, "==", formula, frozenset({Defined(symbol, spelled(formula))}))


def reflexive(term: str) -> Theorem:
    """``term == term``."""
    return _theorem(term, "==", term)


def _of_a_domain(record: Mapping[str, Any], *more: Premise) -> Theorem:
    stated = read_stated(record)
    of_domain: list[Premise] = [Bounded(lower) for lower in stated.domain]
    of_domain += [Whole(name) for name in stated.integers]
    free = _positive(stated.lhs, stated.rhs) - {Positive(name) for name in stated.names}
    return _theorem(stated.lhs, stated.op, stated.rhs, frozenset([*of_domain, *more]), free)


# How they are put together


def turned(theorem: Theorem) -> Theorem:
    """``b >= a`` from ``a <= b``."""
    return _theorem(theorem.rhs, _TURNED[theorem.op], theorem.lhs, theorem.under)


def chained(one: Theorem, other: Theorem) -> Theorem:
    """``a op c`` from ``a op b`` and ``b op c``."""
    if one.rhs != other.lhs:
        raise Rejected(f"{one} and {other} do not meet")
    if (one.op, other.op) not in _CHAINED:
        raise Rejected(f"{one.op} and {other.op} do not chain")
    return _theorem(one.lhs, _CHAINED[one.op, other.op], other.rhs, one.under, other.under)


def rewritten(theorem: Theorem, by: Theorem) -> Theorem:
    """The theorem with equals put for equals in its right-hand side.

    A derivative is about all values of a symbol: there only an equality is put that asks of its symbols that they be
    positive and no more, since a definition or another statement is about one point. Nothing is put into what an optimum or
    a substitution is about.
    """
    if by.op != "==":
        raise Rejected(f"{by} is no equality")
    anywhere = all(isinstance(premise, Positive) for premise in by.under)
    found = _replaced(parse(theorem.rhs), by, anywhere)
    return _theorem(theorem.lhs, theorem.op, ast.unparse(found), theorem.under, by.under)


def raised(theorem: Theorem, by: Theorem) -> Theorem:
    """``a <= F(u)`` from ``a <= F(q)`` or ``a == F(q)`` and ``q <= u``, where F is seen to rise with q; the same with ``>=``."""
    if theorem.op not in ("==", by.op) or by.op == "==":
        raise Rejected(f"{by} bounds nothing in {theorem}")
    under = _positive(theorem.rhs, by.lhs)
    found = _raised(parse(theorem.rhs), by)
    return _theorem(theorem.lhs, by.op, ast.unparse(found), theorem.under, by.under, under)


def _replaced(node: ast.expr, by: Theorem, anywhere: bool) -> ast.expr:
    if ast.unparse(node) == by.lhs:
        return parse(by.rhs)
    if called(node) not in _BINDERS:
        return _with_parts(node, lambda part: _replaced(part, by, anywhere))
    inner, *bound = arguments(node)
    if called(node) == "Derivative" and anywhere:
        return _call(node, [_replaced(inner, by, anywhere), *bound])
    if called(node) == "Subs":
        symbol, value = bound
        return _call(node, [inner, symbol, _replaced(value, by, anywhere)])
    return node


def _raised(node: ast.expr, by: Theorem) -> ast.expr:
    """The expression with ``by.rhs`` for ``by.lhs``; `Rejected` where it is not seen to rise with it."""
    if ast.unparse(node) == by.lhs:
        return parse(by.rhs)
    if not _holds(node, by):
        return node
    if called(node) in ("exp", "log", "sqrt"):
        if called(node) != "exp":
            _expect_positive(arguments(node)[0])
        return _with_parts(node, lambda part: _raised(part, by))
    if isinstance(node, ast.BinOp):
        left, op, right = node.left, node.op, node.right
        here = _holds(left, by), _holds(right, by)
        if isinstance(op, ast.Add):
            return ast.BinOp(_raised(left, by), op, _raised(right, by))
        if here == (True, False):
            if not isinstance(op, ast.Sub):
                _expect_positive(right)
            if isinstance(op, ast.Pow):
                _expect_positive(left)
            return ast.BinOp(_raised(left, by), op, right)
        if here == (False, True) and isinstance(op, ast.Mult):
            _expect_positive(left)
            return ast.BinOp(left, op, _raised(right, by))
    raise Rejected(f"{ast.unparse(node)} is not seen to rise with {by.lhs}")


def _holds(node: ast.expr, by: Theorem) -> bool:
    return any(isinstance(part, ast.expr) and ast.unparse(part) == by.lhs for part in ast.walk(node))


def _expect_positive(node: ast.expr) -> None:
    if not is_positive(read(ast.unparse(node))):
        raise Rejected(f"{ast.unparse(node)} is not seen to be positive")


def _with_parts(node: ast.expr, of: Any) -> ast.expr:
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            return ast.BinOp(of(left), op, of(right))
        case ast.UnaryOp(op=op, operand=operand):
            return ast.UnaryOp(op, of(operand))
        case ast.Call():
            return _call(node, [of(argument) for argument in arguments(node)])
    return node


def _call(node: ast.expr, parts: list[ast.expr]) -> ast.expr:
    return ast.Call(ast.Name(called(node)), parts, [])


def _positive(*texts: str) -> frozenset[Premise]:
    return frozenset(Positive(name) for text in texts for name in _free(parse(text)))


def _free(node: ast.expr) -> set[str]:
    return {name for name in names(node) if name not in CONSTANTS}


@lru_cache(maxsize=4096)
def spelled(text: str) -> str:
    """A text as Python spells its tree, so that two texts of one tree are one."""
    return ast.unparse(parse(text))


# What is left to say of the premises


def check_premises(theorem: Theorem, domain: Sequence[Lower], integers: Sequence[str]) -> None:
    """`Rejected` unless each premise that bounds a symbol is of the domain, and no symbol is defined that may be 0 or less.

    What is asked to be positive is for `asked_positive` to tell.
    """
    for premise in sorted(theorem.under, key=repr):
        match premise:
            case Whole(symbol) if symbol not in integers:
                raise Rejected(f"it asks that {symbol} be a whole number")
            case Bounded(lower) if lower not in domain:
                raise Rejected(f"it asks that {domain_text([lower], ())}")
            case Defined(symbol, formula) if Positive(symbol) in theorem.under:
                _expect_positive(parse(formula))


def asked_positive(theorem: Theorem, domain: Sequence[Lower]) -> list[str]:
    """The symbols that have to be positive beyond what the domain says: those of the premises and of the conclusion."""
    asked = {p.symbol for p in theorem.under if isinstance(p, Positive)}
    bounded = {name for name, _, _ in domain}
    asked |= (_free(parse(theorem.lhs)) | _free(parse(theorem.rhs))) - bounded
    positive: set[str] = set()
    for name, op, bound in domain:
        in_bound = _free(parse(bound))
        asked |= in_bound - bounded
        if (is_positive(read(bound)) and in_bound <= positive | (asked - bounded)) or (
            op,
            spelled(bound),
        ) == (">", "0"):
            positive.add(name)
    return sorted(asked - positive)


def premises_of(theorem: Theorem, kind: type[Any]) -> Iterator[Any]:
    """Its premises of one kind, in the order of their texts."""
    yield from (p for p in sorted(theorem.under, key=repr) if isinstance(p, kind))
