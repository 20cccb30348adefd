"""Making a sweep's runs: several processes, several sweeps at once, and none of them to be trusted to live on.

Every worker walks through all jobs and takes those that are neither in the store nor claimed by another
process, so there is nothing to hand out and nothing to lose: a run is in the store or it is to be made.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path

from empirics.processes import one_thread_each
from empirics.provenance import hardware
from empirics.runs.claims import Claims
from empirics.runs.record import Run, RunError
from empirics.runs.store import RunStore
from empirics.sweeps.plan import Job, Sweep, read_sweep

_POLL_SECONDS = 0.1
_WAIT_SECONDS = 0.5
_DEATHS = 3
_IDLE = 3

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Failure:
    """A run that its experiment could not make, and why."""

    job: Job
    why: str


@dataclass(frozen=True)
class Outcome:
    """A sweep's runs in the order of its plan, without those that failed, and the failures."""

    runs: tuple[tuple[Job, Run], ...]
    failures: tuple[Failure, ...]
    made: int


def sweep(
    plan: Sweep, store: RunStore, *, jobs: int = 1, progress: Progress = lambda done, total: None
) -> Outcome:
    """Make every run of the plan that the store does not hold, ``jobs`` at a time, and return all of them.

    Runs that another sweep is making are waited for, and made here where that sweep dies. A run whose
    experiment raises is a `Failure` and not tried again; the others are made.
    """
    identities = [job.planned().identity for job in plan.jobs]
    before = len(store.outcomes(identities))
    failed: dict[int, str] = {}
    deaths = 0
    idle = 0
    while missing := [i for i, name in enumerate(identities) if i not in failed and not store.holds(name)]:
        progress(len(identities) - len(missing), len(identities))
        if _all_claimed(store, [identities[i] for i in missing]):
            time.sleep(_WAIT_SECONDS)
            continue
        held = len(store)
        found, died = _round(plan, store, missing, min(jobs, len(missing)), progress)
        failed.update(found)
        idle = idle + 1 if not (found or died) and len(store) == held else 0
        if idle == _IDLE:
            raise RunError(
                f"{plan.path}: the runs that are made are not the ones that were planned; its file or its "
                "experiment's code was changed meanwhile. Start the sweep again"
            )
        deaths = deaths + 1 if died else 0
        if deaths == _DEATHS:
            raise RunError(
                f"{plan.path}: the processes that make its runs died {_DEATHS} times in a row ({died}); "
                "what is finished is in the store. Is there enough memory? Try --jobs 1"
            )
    progress(len(identities), len(identities))
    runs = store.outcomes(identities)
    return Outcome(
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
) -> tuple[dict[int, str], str]:
    """Let workers make what they can of the missing runs; the failures, and how a worker died where one did."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    failures: dict[int, str] = {}
    at_start = len(plan.jobs) - len(missing) - len(store)
    processes = []
    for i in range(workers):
        start = i * len(missing) // workers
        numbers = (*missing[start:], *missing[:start])
        processes.append(
            context.Process(
                target=_work_in_process, args=(plan.path, store.path, os.getpid(), numbers, sender)
            )
        )
    try:
        with _interrupts_held(), one_thread_each():
            for process in processes:
                process.start()
        while any(process.is_alive() for process in processes) or receiver.poll():
            while receiver.poll(_POLL_SECONDS):
                number, why = receiver.recv()
                failures[number] = why
            progress(min(len(plan.jobs), at_start + len(store) + len(failures)), len(plan.jobs))
    finally:
        for process in processes:
            if process.pid is not None:  # it was started
                process.terminate()
                process.join()
        sender.close()
        receiver.close()
    codes = [process.exitcode for process in processes if process.exitcode]
    return failures, f"exit status {codes[0]}" if codes else ""


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Processes started here never see an interrupt: the one that started them does, and ends them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work_in_process(
    sweep_file: Path, store_file: Path, parent: int, numbers: Sequence[int], failures: Connection
) -> None:
    jobs = read_sweep(sweep_file).jobs
    work(
        [(number, jobs[number]) for number in numbers],
        RunStore(store_file),
        on_failure=lambda number, why: failures.send((number, why)),
        go_on=lambda: os.getppid() == parent,
    )


def work(
    jobs: Sequence[tuple[int, Job]],
    store: RunStore,
    *,
    on_failure: Callable[[int, str], None],
    go_on: Callable[[], bool] = lambda: True,
) -> None:
    """Make those of the numbered jobs that nobody has made or is making."""
    claims = Claims(store)
    try:
        for number, job in jobs:
            if not go_on():
                return
            planned = job.planned()
            if store.holds(planned.identity) or not claims.take(planned.identity):
                continue
            if not store.holds(planned.identity):  # made between the two questions
                try:
                    run = _made(job, planned)
                except Exception as problem:
                    on_failure(number, f"{type(problem).__name__}: {problem}")
                    continue  # the claim stays, so no other worker tries it again
                store.append(run)
            claims.drop(planned.identity)
    finally:
        claims.close()


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
