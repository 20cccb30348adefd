"""What a check claims, as the texts that its certificate and its card hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from theory.relation import Relation
from theory.vocabulary import as_text
from verify.recheck.stated import domain_text


def stated(relation: Relation, domain: Sequence[Relation]) -> dict[str, Any]:
    """The entries of a certificate that say what it proves: a relation, its domain, and which symbols are integers."""
    return {"relation": relation_texts(relation), "domain": _bounds(domain), "integers": _integers(domain)}


def relation_texts(relation: Relation) -> list[str]:
    return [as_text(relation.lhs), relation.op, as_text(relation.rhs)]


def where(domain: Sequence[Relation]) -> str:
    """A domain as a card shows it."""
    return domain_text([tuple(bound) for bound in _bounds(domain)], _integers(domain))  # type: ignore[misc]


def _bounds(domain: Iterable[Relation]) -> list[list[str]]:
    return [relation_texts(c) for c in domain]


def _integers(domain: Iterable[Relation]) -> list[str]:
    return sorted(as_text(c.lhs) for c in domain if c.lhs.is_integer)
