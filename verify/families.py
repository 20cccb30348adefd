"""Families of claims: what is left of a p value when several claims were tested at once.

A family is fixed by whoever writes the claims, so an adjusted p does not depend on what else was run. Verdicts rest
on the raw p; the adjusted one is for a reader who wants all claims of the family to be right together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from verify.claims import Claim
from verify.judge import Judgement
from verify.statistics import holm


def family_records(
    claims: Sequence[Claim], judgements: Mapping[str, Judgement]
) -> dict[str, dict[str, Any] | None]:
    """Claim id to its family in the report: name, number of members, raw and Holm-adjusted p.

    The p of a refuted claim is that of "the value lies inside", of any other that of "it lies outside"; each is
    adjusted among the same p of all members. A member that could not be tested counts with p = 1. The adjusted p is
    None where some member was not judged in this run.
    """
    found: dict[str, dict[str, Any] | None] = dict.fromkeys((claim.id for claim in claims), None)
    families: dict[tuple[str, str], list[str]] = {}
    for claim in claims:
        if claim.family:
            families.setdefault((claim.id.split("/")[0], claim.family), []).append(claim.id)
    for (_, name), members in families.items():
        whole = all(member in judgements for member in members)
        adjusted = {
            kind: holm({member: _p(judgements[member], kind) for member in members}) if whole else {}
            for kind in ("p_support", "p_refute")
        }
        for member in members:
            if member in judgements:
                kind = "p_refute" if judgements[member].verdict.name == "REFUTED" else "p_support"
                p = _p(judgements[member], kind)
                found[member] = {
                    "name": name,
                    "members": len(members),
                    "about": kind.removeprefix("p_"),
                    "p": f"{p:.2g}",
                    "adjusted_p": f"{adjusted[kind][member]:.2g}" if whole else None,
                }
    return found


def _p(judged: Judgement, kind: str) -> float:
    details = judged.evidence.get("details") or {}
    return float(details.get(kind, 1.0))
