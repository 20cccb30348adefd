"""The runs that measured claims lack, as a sweep that makes them, and the command that starts it."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from verify.checks.base import Budget
from verify.checks.from_runs import FromRuns
from verify.errors import InputError
from verify.judging.papers import folder_of, select, target_of
from verify.measured.run_sources import RunSources

if TYPE_CHECKING:
    from empirics.sweeps import Job, Sweep


def sweep_command(claim_id: str, sources: RunSources, *, full: bool) -> str:
    """What to type so that the runs which a claim lacks are made."""
    words = ["moelaws", "sweep", "--claim", target_of(claim_id, sources.folder)]
    words += ["--profile", "full"] if full else []
    words += ["--store", str(sources.store)] if sources.store else []
    return shlex.join(words)


def claim_sweep(targets: Sequence[str], profile: str, store: Path) -> Sweep:
    """A sweep of exactly the runs that the claims of these targets lack, their mutants and repairs included.

    InputError for a target that names nothing, or no measured claim.
    """
    needed = _needed(targets, profile, store)
    if not needed:
        raise InputError(f"--claim {' '.join(targets)}: nothing is measured there, so no run is needed")
    numbers = tuple(number for number, lacks in enumerate(needed.values()) if lacks)
    return _sweep(list(needed), targets, profile, numbers)


def _sweep(jobs: Sequence[Job], targets: Sequence[str], profile: str, numbers: Sequence[int]) -> Sweep:
    """The sweep of these of the claims' runs."""
    from empirics.sweeps import Sweep

    chosen = tuple(jobs[number] for number in numbers)
    return Sweep(", ".join(targets), chosen, partial(_again, targets, profile, numbers))


def _again(targets: Sequence[str], profile: str, numbers: Sequence[int]) -> Sweep:
    """The same sweep in another process, whatever the store holds by then."""
    return _sweep(list(_needed(targets, profile, None)), targets, profile, numbers)


def _needed(targets: Sequence[str], profile: str, store: Path | None) -> dict[Job, bool]:
    """The runs that the claims need, in order, and whether each is in neither the packaged runs nor the store."""
    from empirics.sweeps import Job

    budget = Budget.of_profile(profile)
    found: dict[Job, bool] = {}
    for check, sources in _checks(targets, store):
        design, lacking = check.design_of(budget), set(check.with_runs(sources, budget).lacking(budget))
        if not check.too_few(design):  # else its runs would serve nothing
            for place in itertools.product(design.sizes, design.seeds):
                found[Job(check.experiment, *place)] = place in lacking
    return found


def _checks(targets: Sequence[str], store: Path | None) -> Iterator[tuple[FromRuns, RunSources]]:
    """Every check of a measured claim and of its variants, with the runs that its paper has."""
    papers, claims = select(targets)
    for paper in papers:
        sources = RunSources(folder_of(paper), store)
        for claim in claims:
            if claim.id in paper.claims and isinstance(claim.check, FromRuns):
                for changes in ({}, *claim.mutants.values(), *claim.repairs.values()):
                    check = claim.check.changed(changes)
                    assert isinstance(check, FromRuns)
                    yield check, sources
