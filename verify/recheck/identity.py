"""A second reading of identities: the sides are brought to one form by this folder's own algebra, and compared.

The certificate of an identity is its text. What this reading cannot decide is listed in it, with the reason; an
equality that is listed although this reading decides it, is a fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from verify.recheck.calculus import worked_out
from verify.recheck.power_sums import PowerSums
from verify.recheck.rejected import Rejected
from verify.recheck.stated import expect_entries, expect_list, relation_text
from verify.recheck.texts import CONSTANTS, Unreadable, names, parse, the_claim

KIND = "identity"
CHECKS = ("Identity",)


def reread(certificate: Mapping[str, Any]) -> None:
    """Raise `Rejected` unless each equality holds wherever both sides are defined, for positive values of its symbols."""
    expect_entries(certificate, "kind", "relations", "symbols", "unread")
    relations, symbols, beyond = (certificate[entry] for entry in ("relations", "symbols", "unread"))
    if not expect_list(relations, "relations") or not isinstance(beyond, Mapping):
        raise Rejected("an identity has relations [left, right]")
    if not isinstance(symbols, list) or not all(
        isinstance(name, str) and name.isidentifier() for name in symbols
    ):
        raise Rejected(f"expected names of symbols, got {symbols!r}")
    if not set(beyond) <= {str(i) for i in range(len(relations))}:
        raise Rejected("it lists relations as beyond the reader which it does not have")
    for i, (lhs, rhs) in enumerate(relations):
        try:
            check_equal(lhs, rhs, symbols)
        except Unreadable:
            if str(i) not in beyond:
                raise
        else:
            if str(i) in beyond:
                raise Rejected(f"{relation_text(lhs, '==', rhs)} is listed as beyond the reader, and is not")


def shown(certificate: Mapping[str, Any]) -> list[tuple[str, str | None]]:
    """What is proved as a card shows it; None for the domain, as it holds wherever both sides are defined."""
    return [(relation_text(lhs, "==", rhs), None) for lhs, rhs in certificate["relations"]]


def unread(certificate: Mapping[str, Any]) -> list[str]:
    """The reasons why relations are beyond this reading."""
    return list(certificate["unread"].values())


def check_equal(lhs: str, rhs: str, symbols: Sequence[str]) -> None:
    """Raise `Unreadable` where two expressions in positive symbols are not seen to be equal.

    That says nothing of them: this reading is then too weak.
    """
    with the_claim(), _too_large():
        left, right = (worked_out(parse(text)) for text in (lhs, rhs))
        if unknown := (names(left) | names(right)) - {*symbols, *CONSTANTS}:
            raise Rejected(f"{', '.join(sorted(unknown))} is no symbol")
        if not PowerSums([left, right], symbols).equal(left, right):
            raise Rejected("the sides are not seen to be equal once they are multiplied out")


@contextmanager
def _too_large() -> Iterator[None]:
    """What flint or Python cannot compute inside the block is `Rejected`."""
    try:
        yield
    except (ArithmeticError, ValueError, RecursionError, MemoryError) as fault:
        raise Rejected(f"it cannot be multiplied out: {type(fault).__name__}: {fault}") from None
