"""Making a sweep's runs: several processes, several sweeps at once, and none of them to be trusted to live on.

Every worker walks through all jobs and takes those that are neither in the store nor claimed by another
process, so there is nothing to hand out and nothing to lose: a run is in the store or it is to be made.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path

from empirics.base.processes import one_thread_each
from empirics.base.provenance import hardware
from empirics.runs.locks import Claims
from empirics.runs.record import Run, RunError, why
from empirics.runs.store import RunStore
from empirics.sweeps.job import Job, Sweep

_POLL_SECONDS = 0.1
_WAIT_SECONDS = 0.5
_DEATHS = 2
_ASTRAY = 3
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

    Runs that another sweep is making are waited for, and made here where that sweep dies. A run whose experiment
    raises is a `Failure` and not tried again. One whose process dies is tried once more after all others and
    alone, so with all the memory there is. RunError where processes die before they make anything.
    """
    identities = [job.planned().identity for job in plan.jobs]
    before = len(store.outcomes(identities))
    failed: dict[int, str] = {}
    deaths: Counter[int] = Counter()
    astray = idle = 0
    while missing := [i for i, name in enumerate(identities) if i not in failed and not store.holds(name)]:
        progress(len(identities) - len(missing), len(identities))
        now = [i for i in missing if not deaths[i]] or missing[:1]
        if _all_claimed(store, [identities[i] for i in now]):
            time.sleep(_WAIT_SECONDS)
            continue
        held = len(store)
        found, ends = _round(plan, store, now, min(jobs, len(now)), progress)
        failed.update(found)
        for number, how in ends:
            if number is not None:
                deaths[number] += 1
                if deaths[number] == _DEATHS:
                    failed[number] = (
                        f"its process died twice, the second time alone ({how}); is there enough memory?"
                    )
        idle = idle + 1 if not (found or ends) and len(store) == held else 0
        if idle == _IDLE:
            raise RunError(
                f"{plan.name}: the runs that are made are not the ones that were planned; its file or its "
                "experiment's code was changed meanwhile. Start the sweep again"
            )
        lost = [how for number, how in ends if number is None]
        astray = astray + 1 if lost else 0
        if astray == _ASTRAY:
            raise RunError(
                f"{plan.name}: the processes that make its runs ended {_ASTRAY} times in a row ({lost[0]}); "
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


@dataclass
class _Worker:
    """A process that makes runs, and what it has told: the run that it is making, those that failed, why it ends.

    It tells on a pipe of its own, which ends with it, so what it leaves half said keeps nobody waiting.
    """

    process: SpawnProcess
    ear: Connection
    making: int | None = None
    failures: dict[int, str] = field(default_factory=dict)
    last_word: str = ""

    def listen(self) -> None:
        with suppress(EOFError, OSError):
            while self.ear.poll():
                number, problem = self.ear.recv()
                self.making = None if problem else number
                if number is None:
                    self.last_word = problem
                elif problem:
                    self.failures[number] = problem

    def end(self) -> str:
        """How it died, or an empty string where it did not."""
        code = self.process.exitcode or 0
        how = f"killed by signal {-code}, {signal.strsignal(-code)}" if code < 0 else f"exit status {code}"
        return (self.last_word or how) if code else ""


def _round(
    plan: Sweep, store: RunStore, missing: Sequence[int], workers: int, progress: Progress
) -> tuple[dict[int, str], list[tuple[int | None, str]]]:
    """Let workers make what they can of the missing runs: the failures, and (run that it was making, how) of the dead."""
    context = multiprocessing.get_context("spawn")
    at_start = len(plan.jobs) - len(missing) - len(store)
    crew = []
    try:
        with _interrupts_held(), one_thread_each():
            for i in range(workers):
                start = i * len(missing) // workers
                numbers = (*missing[start:], *missing[:start])
                ear, mouth = context.Pipe(duplex=False)
                with mouth:
                    process = context.Process(
                        target=_work_in_process, args=(plan.again, store.path, os.getpid(), numbers, mouth)
                    )
                    process.start()
                crew.append(_Worker(process, ear))
        while any(worker.process.is_alive() for worker in crew):
            wait([worker.process.sentinel for worker in crew if worker.process.is_alive()], _POLL_SECONDS)
            for worker in crew:
                worker.listen()
            failed = sum(len(worker.failures) for worker in crew)
            progress(min(len(plan.jobs), at_start + len(store) + failed), len(plan.jobs))
        for worker in crew:
            worker.listen()
    finally:
        for worker in crew:
            worker.process.terminate()
            worker.process.join()
            worker.ear.close()
    failures = {number: problem for worker in crew for number, problem in worker.failures.items()}
    return failures, [(worker.making, worker.end()) for worker in crew if worker.end()]


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Processes started here never see an interrupt: the one that started them does, and ends them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work_in_process(
    plan: Callable[[], Sweep], store_file: Path, parent: int, numbers: Sequence[int], mouth: Connection
) -> None:
    try:
        jobs = plan().jobs
        work(
            [(number, jobs[number]) for number in numbers],
            RunStore(store_file, create=False),
            tell=lambda number, problem: mouth.send((number, problem)),
            go_on=lambda: os.getppid() == parent,
        )
    except BrokenPipeError:  # whoever listened is gone
        sys.exit(1)
    except Exception as problem:
        mouth.send((None, why(problem)))
        sys.exit(1)


def work(
    jobs: Sequence[tuple[int, Job]],
    store: RunStore,
    *,
    tell: Callable[[int, str], None],
    go_on: Callable[[], bool],
) -> None:
    """Make those of the numbered jobs that nobody has made or is making, while ``go_on`` says so.

    ``tell`` hears of each, with no words when it begins and with a reason where it fails.
    """
    claims = Claims(store)
    try:
        for number, job in jobs:
            if not go_on():
                return
            planned = job.planned()
            if store.holds(planned.identity) or not claims.take(planned.identity):
                continue
            if not store.holds(planned.identity):  # made between the two questions
                tell(number, "")
                try:
                    run = _made(job, planned)
                except BaseException as problem:  # an exit too; a user's interrupt does not come here
                    tell(number, why(problem))
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
