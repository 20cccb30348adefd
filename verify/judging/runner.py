"""Judge many claims: from the cache where nothing changed, in parallel where something did."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType

from empirics.base.processes import one_thread_each
from empirics.base.provenance import digest
from verify.checks.base import Budget, Check
from verify.errors import InputError
from verify.judging.cache import Cache
from verify.judging.claims import Claim, Paper
from verify.judging.fingerprint import check_key
from verify.judging.judge import Judgement, evidence_from_record, evidence_record, judge
from verify.judging.papers import THEORY, load_paper
from verify.judging.statement_claims import theory_paper
from verify.verdicts import Evidence, Grade, Verdict, combine

WALL_CLOCK_LIMIT = 600
"""Seconds after which a single check is stopped with ERROR: a safety net, not a budget."""

Progress = Callable[[int, int], None]


@dataclass
class Run:
    """The judgements of a run in the order of its claims; ``complete`` is False after an interrupt."""

    papers: Sequence[Paper]
    claims: Sequence[Claim]
    profile: str
    judgements: dict[str, Judgement] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    reused: set[str] = field(default_factory=set)
    complete: bool = False


def run_claims(
    papers: Sequence[Paper],
    claims: Sequence[Claim],
    *,
    profile: str = "quick",
    cache: Cache | None = None,
    jobs: int = 1,
    progress: Progress = lambda done, total: None,
) -> Run:
    """Judge ``claims``. ``cache=None`` recomputes everything; ``jobs`` > 1 uses that many processes.

    On Ctrl-C the run comes back with what was judged so far and ``complete=False``.
    """
    budget = Budget.of_profile(profile)
    run = Run(papers, claims, profile)
    try:
        pending = []
        for claim in claims:
            known = _from_cache(claim, budget, cache) if cache else None
            if known is None:
                pending.append(claim)
            else:
                run.judgements[claim.id] = known
                run.seconds[claim.id] = 0.0
                run.reused.add(claim.id)
        done = len(claims) - len(pending)
        progress(done, len(claims))
        with one_thread_each():
            for claim_id, judgement, seconds in _judged(papers, pending, budget, profile, cache, jobs):
                run.judgements[claim_id] = judgement
                run.seconds[claim_id] = seconds
                done += 1
                progress(done, len(claims))
        run.complete = True
    except KeyboardInterrupt:
        pass
    return run


class _NotCached(Exception):
    pass


def _from_cache(claim: Claim, budget: Budget, cache: Cache) -> Judgement | None:
    own = check_key(claim.check, budget) if claim.check else ""

    def stored(check: Check) -> Evidence:
        record = cache.get(own if check is claim.check else check_key(check, budget))
        if record is None:
            raise _NotCached
        return evidence_from_record(record)

    try:
        judged = judge(claim, stored)
    except _NotCached:
        return None
    return _with_formulas(judged, claim, cache, own)


def judge_fresh(claim: Claim, budget: Budget, cache: Cache | None) -> Judgement:
    """Judge one claim here and now, using and filling the cache if there is one."""
    judged = judge(claim, lambda check: kept_evidence(check, budget, cache))
    return _with_formulas(
        judged, claim, cache, check_key(claim.check, budget) if cache and claim.check else ""
    )


def _with_formulas(judged: Judgement, claim: Claim, cache: Cache | None, key: str) -> Judgement:
    """The same with what the check, whose key is given, claims; printing a large bound takes longer than looking it up."""
    if claim.check is None:
        return judged
    key = digest(["formulas", key])
    record = cache.get(key) if cache else None
    if record is None:
        record = {"formulas": claim.check.shown()}
        if cache:
            cache.put(key, record)
    return replace(judged, formulas=tuple(record["formulas"]))


def kept_evidence(check: Check, budget: Budget, cache: Cache | None) -> Evidence:
    """The evidence of one check, from the cache where it is there, else computed and kept."""
    key = check_key(check, budget) if cache else ""
    record = cache.get(key) if cache else None
    if record is None:
        found = evaluate(check, budget)
        record = evidence_record(found)
        if cache and found.verdict is not Verdict.ERROR and not found.missing:
            cache.put(key, record)
    return evidence_from_record(record)


def evaluate(check: Check, budget: Budget) -> Evidence:
    """All evidence of one check, combined; a check that raises is an ERROR, never a traceback."""
    try:
        with _time_limit(WALL_CLOCK_LIMIT):
            found = combine(check.evidence(budget))
            json.dumps(evidence_record(found))
            return found
    except InputError:
        raise
    except TimeoutError:
        return _error(f"stopped after {WALL_CLOCK_LIMIT} s, the safety net; lower its counted budget")
    except KeyboardInterrupt:
        raise
    except BaseException as problem:  # whatever a checker raises, SystemExit included, is its own fault
        return _error(f"{type(check).__name__} raised {type(problem).__name__}: {problem}")


def _error(finding: str) -> Evidence:
    return Evidence(Verdict.ERROR, Grade.EXACT, finding)


@contextlib.contextmanager
def _time_limit(seconds: int) -> Iterator[None]:
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(signum: int, frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _judged(
    papers: Sequence[Paper],
    claims: Sequence[Claim],
    budget: Budget,
    profile: str,
    cache: Cache | None,
    jobs: int,
) -> Iterator[tuple[str, Judgement, float]]:
    if jobs <= 1 or len(claims) < 4:
        for claim in claims:
            start = time.perf_counter()
            yield claim.id, judge_fresh(claim, budget, cache), time.perf_counter() - start
        return
    home = {claim_id: paper for paper in papers for claim_id in paper.claims}
    pool = ProcessPoolExecutor(
        max_workers=jobs, mp_context=multiprocessing.get_context("spawn"), initializer=ignore_interrupts
    )
    waiting: set[Future[tuple[str, Judgement, float]]] = set()
    try:
        for claim in claims:
            paper = home[claim.id]
            folder = None if paper.id == THEORY else paper.folder
            waiting.add(pool.submit(_in_worker, folder, claim.id, profile, cache.folder if cache else None))
        while waiting:
            finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in finished:
                try:
                    yield future.result()
                except BrokenProcessPool:
                    raise InputError(
                        "a worker process died (out of memory, or a check ended it); run again with --jobs 1 to see which"
                    ) from None
    finally:
        for future in waiting:
            future.cancel()
        if waiting:
            for process in list((pool._processes or {}).values()):
                process.terminate()
        pool.shutdown(wait=True, cancel_futures=True)


_loaded: dict[Path | None, Paper] = {}


def ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _in_worker(
    folder: Path | None, claim_id: str, profile: str, cache_folder: Path | None
) -> tuple[str, Judgement, float]:
    if folder not in _loaded:
        _loaded[folder] = theory_paper() if folder is None else load_paper(folder)
    start = time.perf_counter()
    cache = Cache(cache_folder) if cache_folder else None
    judgement = judge_fresh(_loaded[folder].claims[claim_id], Budget.of_profile(profile), cache)
    return claim_id, judgement, time.perf_counter() - start


def available_cores() -> int:
    """Cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
