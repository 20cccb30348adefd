"""Making a sweep's runs: several processes, several sweeps at once, and none of them to be trusted to live on.

A run is in the store or it is to be made: a worker makes one that is neither there nor claimed by another process, so a
sweep that dies loses nothing but the runs it was making.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from empirics.base.provenance import hardware
from empirics.base.workers import WorkError, in_workers
from empirics.runs.locks import Claims
from empirics.runs.record import Run, RunError, why
from empirics.runs.store import RunStore
from empirics.sweeps.job import Job, Sweep

_WAIT_SECONDS = 0.5
_DEATHS = 2
_IDLE = 3

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Failure:
    """A run that its experiment could not make, and why."""

    job: Job
    why: str


@dataclass(frozen=True)
class SweepOutcome:
    """A sweep's runs in the order of its plan, without those that failed, and the failures."""

    runs: tuple[tuple[Job, Run], ...]
    failures: tuple[Failure, ...]
    made: int


def sweep(
    plan: Sweep, store: RunStore, *, jobs: int = 1, progress: Progress = lambda done, total: None
) -> SweepOutcome:
    """Make every run of the plan that the store does not hold, ``jobs`` at a time, and return all of them.

    Runs that another sweep is making are waited for, and made here where that sweep dies. A run whose experiment
    raises is a `Failure` and not tried again. One whose process dies is tried once more after all others and
    alone, so with all the memory there is. RunError where processes die before they make anything.
    """
    identities = [job.planned().identity for job in plan.jobs]
    before = len(store.outcomes(identities))
    failed: dict[int, str] = {}
    deaths: Counter[int] = Counter()
    idle = 0
    while missing := [i for i, name in enumerate(identities) if i not in failed and not store.holds(name)]:
        progress(len(identities) - len(missing), len(identities))
        now = [i for i in missing if not deaths[i]] or missing[:1]
        if _all_claimed(store, [identities[i] for i in now]):
            time.sleep(_WAIT_SECONDS)
            continue
        held = len(store)
        try:
            found, died = _round(plan, store, now, jobs, progress)
        except WorkError as problem:
            raise RunError(
                f"{plan.name}: {problem}; what is finished is in the store. Is there enough memory? Try --jobs 1"
            ) from None
        failed.update(found)
        for number, how in died.items():
            deaths[number] += 1
            if deaths[number] == _DEATHS:
                failed[number] = (
                    f"its process died twice, the second time alone ({how}); is there enough memory?"
                )
        idle = idle + 1 if not (found or died) and len(store) == held else 0
        if idle == _IDLE:
            raise RunError(
                f"{plan.name}: the runs that are made are not the ones that were planned; its file or its "
                "experiment's code was changed meanwhile. Start the sweep again"
            )
    progress(len(identities), len(identities))
    runs = store.outcomes(identities)
    return SweepOutcome(
        tuple((job, runs[name]) for job, name in zip(plan.jobs, identities, strict=True) if name in runs),
        tuple(Failure(plan.jobs[i], why) for i, why in sorted(failed.items())),
        len(runs) - before,
    )


def _all_claimed(store: RunStore, identities: Sequence[str]) -> bool:
    """Whether other processes are making every one of these runs."""
    claims = Claims(store)
    try:
        return not any(claims.take(identity) for identity in identities)
    finally:
        claims.close()


def _round(
    plan: Sweep, store: RunStore, missing: Sequence[int], workers: int, progress: Progress
) -> tuple[dict[int, str], dict[int, str]]:
    """Let workers make what they can of the missing runs: why some failed, and how the process of others died, by number."""
    failed: dict[int, str] = {}
    died: dict[int, str] = {}
    at_start = len(plan.jobs) - len(missing) - len(store)
    for finished in in_workers(_maker, (plan.again, store.path), missing, workers=workers):
        number = missing[finished.number]
        if finished.died:
            died[number] = finished.died
        elif problem := finished.result():
            failed[number] = problem
        progress(min(len(plan.jobs), at_start + len(store) + len(failed)), len(plan.jobs))
    return failed, died


def _maker(plan: Callable[[], Sweep], store_file: Path) -> Callable[[int], str]:
    """What a worker process does: make the job of this number, unless somebody has made it or is making it; why it failed."""
    jobs, store = plan().jobs, RunStore(store_file, create=False)
    claims = Claims(store)
    return lambda number: make_run(jobs[number], store, claims)


def make_run(job: Job, store: RunStore, claims: Claims) -> str:
    """Make a run that is neither in the store nor claimed by another process, and keep it.

    Returns why its experiment failed, whatever that raised; an empty string where it did not, or where there was nothing to make.
    """
    planned = job.planned()
    if store.holds(planned.identity) or not claims.take(planned.identity):
        return ""
    try:
        if store.holds(planned.identity):  # made between the two questions
            return ""
        try:
            run = _made(job, planned)
        except BaseException as problem:  # an exit too; a user's interrupt does not come here
            return why(problem)
        store.append(run)
        return ""
    finally:
        claims.drop(planned.identity)


def _made(job: Job, planned: Run) -> Run:
    start = time.perf_counter()
    value = float(job.experiment.measure(job.size, job.seed))
    return planned.model_copy(
        update={
            "loss": value if math.isfinite(value) else None,
            "seconds": round(time.perf_counter() - start, 3),
            "finished": datetime.now(UTC).replace(microsecond=0),
            "hardware": hardware(),
        }
    )
