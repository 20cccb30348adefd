"""Judge claims from Python: a report whose cards show in a notebook and whose table prints in a terminal."""

from __future__ import annotations

__all__ = ["Report", "verify_claims"]

from pathlib import Path

from theory.errors import suggest
from verify.errors import InputError
from verify.judging.cache import Cache
from verify.judging.graph import check_acyclic
from verify.judging.papers import matches, select
from verify.judging.runner import run_claims
from verify.measured.run_sources import chosen_store
from verify.reports.record import Record, read_report, report_record


class Report:
    """The verdicts of a run.

    In a notebook it shows the cards of the page, in a terminal one line per claim.
    ``report["mayaki2026/table5"]`` is the part on these claims; ``record`` holds
    the values of report.json. It says what was found under the stated readings,
    not that a paper is right or wrong as a whole.
    """

    def __init__(self, record: Record) -> None:
        self.record = record

    @classmethod
    def read(cls, path: str | Path) -> Report:
        """The report in a report.json or in the folder that holds it."""
        return cls(read_report(Path(path)))

    def __getitem__(self, name: str) -> Report:
        """The claims that ``name`` means: an id, a prefix of one, or a glob."""
        claims = [entry for entry in self.record["claims"] if matches(entry["id"], name)]
        if not claims:
            known = [entry["id"] for entry in self.record["claims"]]
            raise InputError(f"no claim of this report is called {name!r}.{suggest(name, known)}")
        return Report({**self.record, "claims": claims})

    def __len__(self) -> int:
        return len(self.record["claims"])

    def __repr__(self) -> str:
        return "\n".join(
            f"{entry['verdict']:<13} {entry['id']}: {entry['finding']}" for entry in self.record["claims"]
        )

    def _repr_html_(self) -> str:
        from verify.reports.html import cards_html

        return cards_html(self.record)


def verify_claims(*targets: str, profile: str = "quick", runs: str | Path | None = None) -> Report:
    """Judge claims, as ``moelaws verify`` does: paper ids, claim ids, globs, or folders of your own.

    No target means everything installed. Evidence is reused from the cache. ``runs``: the run store that measured
    claims are judged from (default: $MOELAWS_RUNS, or moelaws-runs.db here if there is one). Raises InputError
    for a target that names nothing.
    """
    store = chosen_store(None if runs is None else Path(runs))
    papers, claims = select(targets)
    for paper in papers:
        check_acyclic(list(paper.claims.values()))
    return Report(report_record(run_claims(papers, claims, profile=profile, cache=Cache(), store=store)))
