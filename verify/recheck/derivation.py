"""The certificate of a derivation: one certificate a step, of an inequality or of an equality."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from verify.recheck import certificates
from verify.recheck.rejected import Rejected
from verify.recheck.stated import expect_entries, expect_list

T = TypeVar("T")
KIND = "derivation"
CHECKS = ("DerivationHolds",)
_STEPS = ("gap rule", "identity", "optimum")


def reread(certificate: Mapping[str, Any]) -> None:
    """Raise `Rejected` unless the certificate of every step proves what it states."""
    read_steps(certificate, certificates.reread)


def read_steps(certificate: Mapping[str, Any], read: Callable[[Any], T]) -> list[T]:
    """What is read in the certificate of each step; what is `Rejected` says in which step it is."""
    found = []
    for i, step in enumerate(steps(certificate), start=1):
        try:
            found.append(read(step))
        except Rejected as problem:
            raise Rejected(f"step {i}: {problem}") from None
    return found


def shown(certificate: Mapping[str, Any]) -> list[tuple[str, str | None]]:
    """What the steps prove, and where, as a card shows it."""
    return [line for step in steps(certificate) for line in certificates.ask(step, "shown")]


def lemmas(certificate: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """What the steps are given."""
    return [lemma for step in steps(certificate) for lemma in certificates.ask(step, "lemmas") or ()]


def unread(certificate: Mapping[str, Any]) -> list[str]:
    """The equalities that the certificates of the steps list as beyond their reader."""
    return [reason for step in steps(certificate) for reason in certificates.ask(step, "unread") or ()]


def steps(certificate: Mapping[str, Any]) -> Iterator[Any]:
    """The certificates of the steps, each of a kind that a step may have."""
    expect_entries(certificate, "kind", "steps")
    if not expect_list(certificate["steps"], "steps"):
        raise Rejected("a derivation has steps")
    for step in certificate["steps"]:
        if not isinstance(step, Mapping) or step.get("kind") not in _STEPS:
            raise Rejected(f"a step has a certificate of kind {' or '.join(_STEPS)}")
        yield step
