"""Texts of expressions, read by Python's own grammar; nothing in them is ever run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from verify.recheck.rejected import Rejected

CONSTANTS = ("pi", "e")
"""The circle constant and Euler's number, where no variable has the name."""
_LARGEST_POWER = 10_000


class Unreadable(Rejected):
    """A claim beyond the reader, whatever its certificate says: neither is at fault."""


@contextmanager
def the_claim() -> Iterator[None]:
    """What is rejected inside the block is the claim and not its certificate: `Unreadable`."""
    try:
        yield
    except Rejected as problem:
        raise Unreadable(str(problem)) from None


@lru_cache(maxsize=4096)
def parse(text: str) -> ast.expr:
    """The tree of an expression, which is shared and must not be changed; `Rejected` for any other text."""
    if not isinstance(text, str):
        raise Rejected(f"{text!r} is no text")
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Rejected(f"{text!r} is not an expression") from None


def difference(high: str, low: str) -> ast.expr:
    """The tree of ``high - low``."""
    return ast.BinOp(parse(high), ast.Sub(), parse(low))


def names(node: ast.AST) -> set[str]:
    """Every name in an expression but those of the functions that it calls."""
    functions = {id(part.func) for part in ast.walk(node) if isinstance(part, ast.Call)}
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and id(part) not in functions}


def called(node: ast.AST) -> str:
    """The name of the function that a node calls, empty for anything else."""
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def arguments(node: ast.AST) -> list[ast.expr]:
    """What the function is called with; `Rejected` unless these are expressions by position."""
    if not isinstance(node, ast.Call) or node.keywords:
        raise Rejected(f"{ast.unparse(node)} is not read here")
    return node.args


def has_log(node: ast.expr) -> bool:
    """Whether a logarithm stands in it."""
    return any(called(part) == "log" for part in ast.walk(node))


def bounded(power: int) -> int:
    """An exponent that can be multiplied out; `Rejected` beyond that, so that no text keeps a reader busy for ever."""
    if abs(power) > _LARGEST_POWER:
        raise Rejected(f"the power {power} is too large to be multiplied out")
    return power
