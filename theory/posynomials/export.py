"""A posynomial's certificate as plain data, with its statement as text and the proofs of signs that a reader asks for."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from theory.posynomials.certificate import Certificate
from theory.rates.export import Audit, Numbering, audited, statement_data, text_of
from theory.rates.sign_proofs import prove_covering
from verify.recheck import posynomials
from verify.recheck.rejected import Rejected


def check(certificate: Certificate) -> Audit:
    """Whether every claim of the certificate follows from its statement, by a second reading."""
    try:
        return audited(exported(certificate), posynomials.reread)
    except Rejected as fault:
        return Audit((str(fault),))


def exported(certificate: Certificate, conclusion: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The certificate as data that JSON can hold; ``conclusion`` is what is claimed to follow from it.

    `Rejected` where the certificate is in other parameters than its statement.
    """
    numbering = Numbering(certificate.problem)
    bound = numbering.bound(certificate.bound)
    data: dict[str, Any] = {
        "kind": posynomials.KIND,
        "statement": statement_data(certificate.problem),
        "outcome": certificate.outcome.name,
        "bound": bound,
        "limits": list(certificate.limits),
        "monomials": [powers for powers, _ in numbering.monomials()],
    }
    for end in ("value", "lower", "upper"):
        if (found := getattr(certificate, end)) is not None:
            data[end] = text_of(found)
    for part in ("point", "ray"):
        if entries := getattr(certificate, part):
            data[part] = [text_of(entry) for entry in entries]
    if conclusion is not None:
        data["conclusion"] = dict(conclusion)
    with suppress(Rejected):  # the reader will say it again
        data = posynomials.with_proofs(data, prove_covering)
    return data
