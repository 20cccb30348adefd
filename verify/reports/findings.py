"""The findings of a report: what is refuted, most severe first, claims that come to the same told once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from verify.judging.severity import Origin, Severity
from verify.text import one_line
from verify.verdicts import Grade, Verdict

Entry = Mapping[str, Any]


@dataclass(frozen=True)
class Finding:
    """Refuted claims of one paper that have one headline, the strongest evidence first."""

    paper: str
    headline: str
    claims: Sequence[Entry]

    @property
    def severity(self) -> Severity:
        """That of its gravest claim."""
        return min((Severity(claim["severity"]) for claim in self.claims), key=lambda each: each.rank)

    @property
    def origin(self) -> Origin:
        """Whose claim it is: the paper's where any of them is."""
        return min((Origin(claim["origin"]) for claim in self.claims), key=lambda each: each.rank)

    @property
    def first(self) -> Entry:
        """The claim that shows it best."""
        return self.claims[0]

    @property
    def reasons(self) -> list[str]:
        """Why, in words for a referee: each reason once."""
        return list(dict.fromkeys(one_line(claim["because"] or claim["finding"]) for claim in self.claims))


def findings(report: Mapping[str, Any]) -> list[Finding]:
    """What is refuted, controls apart: the papers' claims first, then by severity.

    Of one severity the paper with the gravest finding comes first, then the strongest evidence, then what is printed; what is
    equal in all of these stays in the order of the claims.
    """
    merged: dict[tuple[str, str], list[Entry]] = {}
    for claim in report["claims"]:
        if claim["verdict"] == Verdict.REFUTED.name and claim["severity"] and not claim["control"]:
            merged.setdefault((claim["id"].split("/")[0], title(claim)), []).append(claim)
    found = [
        Finding(paper, headline, sorted(claims, key=lambda claim: -_strength(claim)))
        for (paper, headline), claims in merged.items()
    ]
    papers = sorted(
        dict.fromkeys(f.paper for f in found), key=lambda p: min(_weight(f) for f in found if f.paper == p)
    )
    return sorted(
        found, key=lambda f: (*_weight(f), papers.index(f.paper), -_strength(f.first), f.origin.rank)
    )


def title(claim: Entry) -> str:
    """What is wrong in a line: its headline, or its place and words where it has none."""
    return one_line(claim["headline"]) or one_line(f"{claim['where']}: “{claim['words']}” does not hold")


def counts(report: Mapping[str, Any]) -> dict[str, dict[Verdict, int]]:
    """Paper to how many of its claims came to which verdict, controls apart; what did not occur is left out."""
    found: dict[str, dict[Verdict, int]] = {paper["id"]: {} for paper in report["papers"]}
    for claim in report["claims"]:
        of_paper = found.setdefault(claim["id"].split("/")[0], {})
        if not claim["control"]:
            verdict = Verdict[claim["verdict"]]
            of_paper[verdict] = of_paper.get(verdict, 0) + 1
    return {
        paper: {verdict: of_paper[verdict] for verdict in Verdict if verdict in of_paper}
        for paper, of_paper in found.items()
        if of_paper
    }


def told(of_paper: Mapping[Verdict, int]) -> str:
    """Counts of verdicts as words: ``63 proved, 81 argued``."""
    return ", ".join(
        f"{count} {verdict.name.lower().replace('_', ' ')}" for verdict, count in of_paper.items()
    )


def said_of(count: int, what: str) -> str:
    """A count with its noun: ``1 remark``, ``2 remarks``."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def _weight(finding: Finding) -> tuple[bool, int]:
    return not finding.origin.of_the_paper, finding.severity.rank


def _strength(claim: Entry) -> int:
    return Grade[claim["grade"].upper()] if claim["grade"].upper() in Grade.__members__ else 0
