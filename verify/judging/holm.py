"""Families of claims: what is left of a p value when several claims were tested at once.

A family is fixed by whoever writes the claims, so an adjusted p does not depend on what else was run. Verdicts rest
on the raw p; the adjusted one is for a reader who wants all claims of the family to be right together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from verify.judging.claims import Claim
from verify.judging.judge import Judgement
from verify.measured.statistics import holm
from verify.verdicts import Verdict


def family_records(
    claims: Sequence[Claim], judgements: Mapping[str, Judgement]
) -> dict[str, dict[str, Any] | None]:
    """Claim id to its family in the report: name, number of members, raw and Holm-adjusted p.

    The p of a claim that is expected to be refuted is that of "the value lies inside", of any other that of "it lies
    outside"; so the family's hypotheses are fixed before anything is measured. A member that could not be tested counts
    with p = 1. The adjusted p is None where some member was not judged in this run.
    """
    found: dict[str, dict[str, Any] | None] = dict.fromkeys((claim.id for claim in claims), None)
    families: dict[tuple[str, str], list[str]] = {}
    about = {claim.id: "refute" if claim.expect is Verdict.REFUTED else "support" for claim in claims}
    for claim in claims:
        if claim.family:
            families.setdefault((claim.id.split("/")[0], claim.family), []).append(claim.id)
    for (_, name), members in families.items():
        whole = all(member in judgements for member in members)
        p = {m: _p(judgements[m], about[m]) for m in members if m in judgements}
        adjusted = holm(p) if whole else {}
        for member in p:
            found[member] = {
                "name": name,
                "members": len(members),
                "about": about[member],
                "p": f"{p[member]:.2g}",
                "adjusted_p": f"{adjusted[member]:.2g}" if whole else None,
            }
    return found


def _p(judged: Judgement, about: str) -> float:
    details = judged.evidence.get("details") or {}
    return float(details.get(f"p_{about}", 1.0))
