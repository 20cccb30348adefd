"""Judge many claims: from the cache where nothing changed, in parallel where something did."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType

from empirics.base.processes import one_thread_each
from empirics.base.provenance import digest
from empirics.base.workers import in_workers
from theory.numbers.expression import Unevaluable
from verify.checks.base import Budget, Check
from verify.errors import InputError
from verify.judging.cache import Cache
from verify.judging.claim_sweep import sweep_command
from verify.judging.claims import Claim, Paper
from verify.judging.fingerprint import check_key
from verify.judging.judge import Judgement, evidence_from_record, evidence_record, judge
from verify.judging.papers import folder_of, load_paper
from verify.judging.statement_claims import theory_paper
from verify.measured.run_sources import RunSources
from verify.measured.stored import STORED_RUNS
from verify.printed.tables import UnreadableCell
from verify.recheck.rejected import Rejected
from verify.recheck.report import reread_details
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
    store: Path | None = None,
    jobs: int = 1,
    progress: Progress = lambda done, total: None,
) -> Run:
    """Judge ``claims``. ``cache=None`` recomputes everything; ``jobs`` > 1 uses that many processes.

    Measured claims are judged from the runs packaged with their paper and those of ``store``, where these hold them.
    On Ctrl-C the run comes back with what was judged so far and ``complete=False``.
    """
    budget = Budget.of_profile(profile)
    run = Run(papers, claims, profile)
    sources: dict[str, RunSources] = {}
    for paper in papers:
        sources |= dict.fromkeys(paper.claims, RunSources(folder_of(paper), store))
    try:
        pending = []
        for claim in claims:
            known = _from_cache(claim, budget, cache, sources[claim.id]) if cache else None
            if known is None:
                pending.append(claim)
            else:
                run.judgements[claim.id] = known
                run.seconds[claim.id] = 0.0
                run.reused.add(claim.id)
        done = len(claims) - len(pending)
        progress(done, len(claims))
        with one_thread_each():
            for claim_id, judgement, seconds in _judged(pending, sources, budget, profile, cache, jobs):
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


def _from_cache(claim: Claim, budget: Budget, cache: Cache, sources: RunSources) -> Judgement | None:
    own = check_key(claim.check.with_runs(sources, budget), budget) if claim.check else ""

    def stored(check: Check) -> Evidence:
        key = own if check is claim.check else check_key(check.with_runs(sources, budget), budget)
        if (found := _read_back(check, cache, key)) is None:
            raise _NotCached
        return found

    try:
        judged = judge(claim, stored)
    except _NotCached:
        return None
    return _with_formulas(judged, claim, cache, own)


def judge_fresh(
    claim: Claim, budget: Budget, cache: Cache | None, sources: RunSources | None = None
) -> Judgement:
    """Judge one claim here and now, using and filling the cache if there is one.

    ``sources``: where a measured claim looks for runs; without them there are none.
    """
    sources = sources or RunSources(None)
    judged = judge(claim, lambda check: kept_evidence(check.with_runs(sources, budget), budget, cache))
    if judged.missing == STORED_RUNS:
        command = sweep_command(claim.id, sources, full=budget.full)
        judged = replace(judged, finding=f"{judged.finding}. To make them: {command}")
    own = check_key(claim.check.with_runs(sources, budget), budget) if cache and claim.check else ""
    return _with_formulas(judged, claim, cache, own)


def _with_formulas(judged: Judgement, claim: Claim, cache: Cache | None, key: str) -> Judgement:
    """The same with what the check, whose key is given, claims; printing a large bound takes longer than looking it up."""
    if claim.check is None:
        return judged
    key = digest(["formulas", key])
    record = cache.get(key) if cache else None
    formulas = record.get("formulas") if record else None
    if not (isinstance(formulas, list) and all(isinstance(formula, dict) for formula in formulas)):
        formulas = claim.check.shown()
        if cache:
            cache.put(key, {"formulas": formulas})
    return replace(judged, formulas=tuple(formulas))


def kept_evidence(check: Check, budget: Budget, cache: Cache | None) -> Evidence:
    """The evidence of one check, from the cache where it is there, else computed and kept."""
    key = check_key(check, budget) if cache else ""
    if cache and (known := _read_back(check, cache, key)):
        return known
    found = evaluate(check, budget)
    record = evidence_record(found)
    if cache and found.verdict is not Verdict.ERROR and not found.missing:
        cache.put(key, record)
    return evidence_from_record(record)


def _read_back(check: Check, cache: Cache, key: str) -> Evidence | None:
    """The evidence kept under the key of a check, its certificate read again; None where there is none that holds."""
    try:
        found = evidence_from_record(cache.get(key) or {})
        if found.verdict is Verdict.PROVED:
            card = [(str(relation), check.where()) for relation in check.claimed()]
            reread_details(type(check).__name__, found.details, card)
        found = combine([found])
        return None if found.verdict is Verdict.ERROR or found.missing else found  # neither is ever kept
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError, Rejected):
        return None


def evaluate(check: Check, budget: Budget) -> Evidence:
    """All evidence of one check, combined; a check that raises is an ERROR, never a traceback."""
    try:
        with _time_limit(WALL_CLOCK_LIMIT):
            found = combine(check.evidence(budget))
            json.dumps(evidence_record(found))
            return found
    except (UnreadableCell, Unevaluable) as problem:
        return _error(str(problem))
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
    claims: Sequence[Claim],
    sources: Mapping[str, RunSources],
    budget: Budget,
    profile: str,
    cache: Cache | None,
    jobs: int,
) -> Iterator[tuple[str, Judgement, float]]:
    if jobs <= 1 or len(claims) < 4:
        for claim in claims:
            start = time.perf_counter()
            judgement = judge_fresh(claim, budget, cache, sources[claim.id])
            yield claim.id, judgement, time.perf_counter() - start
        return
    tasks = [(sources[claim.id].folder, sources[claim.id].store, claim.id) for claim in claims]
    setting = (profile, cache.folder if cache else None)
    for finished in in_workers(_judge_by_id, setting, tasks, workers=jobs):
        if finished.died:
            claim = claims[finished.number]
            yield claim.id, _died(claim, finished.died), 0.0
        else:
            yield finished.result()


def _died(claim: Claim, how: str) -> Judgement:
    found = _error(f"the process that judged it died ({how}): too little memory, or a fault of a library")
    return judge(claim, lambda check: found)


def _judge_by_id(
    profile: str, cache_folder: Path | None
) -> Callable[[tuple[Path | None, Path | None, str]], tuple[str, Judgement, float]]:
    """What a worker process does: judge the claim of this id in the paper of that folder, each paper loaded once."""
    loaded: dict[Path | None, tuple[Paper, RunSources]] = {}
    cache = Cache(cache_folder) if cache_folder else None

    def judged(task: tuple[Path | None, Path | None, str]) -> tuple[str, Judgement, float]:
        folder, store, claim_id = task
        if folder not in loaded:  # a process serves one run, so one store
            paper = theory_paper() if folder is None else load_paper(folder)
            loaded[folder] = paper, RunSources(folder, store)
        paper, sources = loaded[folder]
        start = time.perf_counter()
        judgement = judge_fresh(paper.claims[claim_id], Budget.of_profile(profile), cache, sources)
        return claim_id, judgement, time.perf_counter() - start

    return judged


def available_cores() -> int:
    """Cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
