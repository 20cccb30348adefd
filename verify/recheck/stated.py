"""What a certificate says that it proves: a relation, where it holds, and what counts, all of it as text."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from verify.recheck.rejected import Rejected
from verify.recheck.texts import CONSTANTS, arguments, called, names, parse

Lower = tuple[str, str, str]
"""One lower bound: a symbol, ``>=`` or ``>``, and the bound, which uses symbols bounded before."""


def expect_entries(record: Any, *expected: str) -> None:
    """`Rejected` unless the record has these entries and no others."""
    if not isinstance(record, Mapping) or set(record) != set(expected):
        raise Rejected(f"expected the entries {', '.join(sorted(expected))}")


def expect_list(value: Any, what: str) -> list[Any]:
    """The value; `Rejected` unless it is a list."""
    if not isinstance(value, list):
        raise Rejected(f"expected a list of {what}, got {value!r}")
    return value


@dataclass(frozen=True)
class Stated:
    """``lhs op rhs`` for all values of ``domain``, of which ``integers`` are whole numbers."""

    lhs: str
    op: str
    rhs: str
    domain: tuple[Lower, ...]
    integers: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        return [name for name, _, _ in self.domain]

    @property
    def strict(self) -> list[str]:
        """The symbols whose lower bound is not part of the domain."""
        return [name for name, op, _ in self.domain if op == ">"]

    @property
    def bounds(self) -> list[tuple[str, str]]:
        return [(name, bound) for name, _, bound in self.domain]

    @property
    def text(self) -> str:
        """The relation as a card shows it."""
        return relation_text(self.lhs, self.op, self.rhs)

    @property
    def where(self) -> str:
        """The domain as a card shows it."""
        return domain_text(self.domain, self.integers)

    @property
    def card(self) -> tuple[str, str]:
        """The relation and its domain as a card shows them."""
        return self.text, self.where

    def one_way(self, op: str) -> Stated:
        """One of the two inequalities that make up an equality."""
        return replace(self, op=op)

    def counts(self, text: str) -> bool:
        """Whether an expression is seen to be a whole number wherever ``integers`` are."""
        return _is_whole(parse(text), self.integers)

    def check(self) -> None:
        """`Rejected` unless every symbol is of the domain, and what is counted is seen to be a whole number."""
        for side in (parse(self.lhs), parse(self.rhs)):
            if unknown := names(side) - {*self.names, *CONSTANTS}:
                raise Rejected(f"{', '.join(sorted(unknown))} in {ast.unparse(side)} is not of the domain")
            for part in ast.walk(side):
                for counted in arguments(part) if called(part) in ("binomial", "factorial") else ():
                    if not _is_whole(counted, self.integers):
                        raise Rejected(
                            f"{ast.unparse(counted)} counts something and is not seen to be an integer"
                        )


def read_stated(certificate: Mapping[str, Any]) -> Stated:
    """The entries ``relation``, ``domain`` and ``integers``; `Rejected` where they state nothing."""
    relation, domain, integers = (certificate[entry] for entry in ("relation", "domain", "integers"))
    if not (_are_texts(relation) and len(relation) == 3 and relation[1] in ("<=", ">=", "==")):
        raise Rejected(f"expected a relation [left, operator, right], got {relation!r}")
    bounded: list[str] = []
    for lower in expect_list(domain, "lower bounds"):
        if not (_are_texts(lower) and len(lower) == 3 and lower[1] in (">=", ">")):
            raise Rejected(f"expected a lower bound [symbol, operator, bound], got {lower!r}")
        name, _, bound = lower
        if not name.isidentifier() or name in (*bounded, *CONSTANTS):
            raise Rejected(f"{name!r} cannot be the name of a symbol here")
        if unknown := names(parse(bound)) - {*bounded, *CONSTANTS}:
            raise Rejected(f"{', '.join(sorted(unknown))} in the bound of {name} is not bounded before")
        bounded.append(name)
    if not _are_texts(integers) or sorted(set(integers)) != list(integers) or not set(integers) <= {*bounded}:
        raise Rejected(f"expected the integers of {', '.join(bounded)} in their order, got {integers!r}")
    lhs, op, rhs = relation
    bounds = tuple((name, kind, bound) for name, kind, bound in domain)
    return Stated(lhs, op, rhs, bounds, tuple(integers))


def relation_text(lhs: str, op: str, rhs: str) -> str:
    return f"{lhs} {'=' if op == '==' else op} {rhs}"


def domain_text(domain: Sequence[Lower], integers: Sequence[str]) -> str:
    """Lower bounds in a line, and which symbols are whole numbers."""
    bounds = ", ".join(" ".join(lower) for lower in domain)
    return f"{bounds} ({', '.join(integers)} integer)" if integers else bounds


def _is_whole(node: ast.expr, integers: Sequence[str]) -> bool:
    if isinstance(node, ast.Constant):
        return type(node.value) is int
    if isinstance(node, ast.Name):
        return node.id in integers
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.USub) and _is_whole(node.operand, integers)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):
        return _is_whole(node.left, integers) and _is_whole(node.right, integers)
    return False


def _are_texts(values: Any) -> bool:
    return isinstance(values, (list, tuple)) and all(isinstance(value, str) for value in values)
