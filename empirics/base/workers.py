"""Tasks done by several processes: one that dies costs its task and no other, and none outlives the process that started it.

Processes are spawned and not forked: in a copy of a process, the locks that its other threads held (those of a progress bar, a
solver, a library for linear algebra) are held for ever.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, Generic, TypeVar, cast

from empirics.base.processes import one_thread_each
from theory.errors import MoelawsError

Task = TypeVar("Task")
Answer = TypeVar("Answer")

_MOST_LOST = 3
"""So many processes in a row may end without a task; the next would end so too."""
_SECONDS_TO_END = 5.0


class WorkError(MoelawsError):
    """Work in other processes cannot go on, or what it found cannot travel; the text says why."""


@dataclass(frozen=True)
class Finished(Generic[Answer]):
    """What became of a task: its ``answer``, the exception that it ``raised``, or how its process ``died`` over it."""

    number: int
    answer: Answer | None = None
    raised: BaseException | None = None
    died: str = ""

    def result(self) -> Answer:
        """The answer; raises what the task raised, and WorkError where its process died."""
        if self.raised is not None:
            raise self.raised
        if self.died:
            raise WorkError(f"a worker process died ({self.died}); is there enough memory? Try --jobs 1")
        return cast(Answer, self.answer)


def in_workers(
    start: Callable[..., Callable[[Task], Answer]],
    setting: Sequence[Any],
    tasks: Sequence[Task],
    *,
    workers: int,
) -> Iterator[Finished[Answer]]:
    """Do ``tasks`` in ``workers`` processes: what became of each, numbered as they stand, in the order of finishing.

    Every process calls ``start(*setting)`` once, which gives the function that does a task; all of this is pickled. A task
    whose process dies is not tried again. Only this process sees an interrupt: when it is interrupted, or the iterator is
    closed, it ends the others, and when it is killed they end by themselves. Raises what ``start`` raises, and WorkError where
    processes die one after the other without a task.
    """
    waiting = deque(range(len(tasks)))
    pool: list[_Worker] = []
    lost = 0
    try:
        while waiting or any(worker.task is not None for worker in pool):
            busy = sum(worker.task is not None for worker in pool)
            with _interrupts_held():
                pool += [
                    _Worker(start, setting) for _ in range(min(workers, busy + len(waiting)) - len(pool))
                ]
            for worker in _heard(pool):
                word, number = worker.word(), worker.task
                if word is None:
                    pool.remove(worker)
                    died = worker.end()
                    lost = lost + 1 if number is None else 0
                    if lost == _MOST_LOST:
                        raise WorkError(f"worker processes died {lost} times in a row ({died})")
                    if number is not None:
                        yield Finished(number, died=died)
                    continue
                if number is None and word[1] is not None:
                    raise word[1]
                worker.task = None
                if waiting and worker.takes(waiting[0], tasks):
                    waiting.popleft()
                if number is not None:
                    lost = 0
                    yield Finished(number, *word)
    finally:
        with _interrupts_held():
            for worker in pool:
                worker.process.terminate()
            for worker in pool:
                worker.end()


class _Worker:
    """A process, and this end of a pipe whose other end it alone holds: what it leaves half said keeps nobody waiting.

    ``task`` is the number of what it does now. Each word of it is an answer and an exception, of which one is None; with the
    first one, before any task, it says that it has started or why it cannot.
    """

    def __init__(self, start: Callable[..., Any], setting: Sequence[Any]) -> None:
        context = get_context("spawn")
        self.task: int | None = None
        self.pipe, other_end = context.Pipe()
        with other_end, one_thread_each():
            self.process: SpawnProcess = context.Process(
                target=_work, args=(other_end, start, tuple(setting))
            )
            self.process.start()

    def word(self) -> tuple[Any, BaseException | None] | None:
        """Its next word; None where it is dead."""
        try:
            return cast(tuple[Any, BaseException | None], self.pipe.recv())
        except (EOFError, OSError):
            return None
        except Exception as problem:  # it holds what this process does not know
            return None, WorkError(f"what a task said cannot be read: {_one_line(problem)}")

    def takes(self, number: int, tasks: Sequence[Any]) -> bool:
        """Give it a task; False where it has died meanwhile, which the next look at its pipe will show."""
        try:
            self.pipe.send(tasks[number])
        except BrokenPipeError:
            return False
        self.task = number
        return True

    def end(self) -> str:
        """See that it has ended, and say how."""
        self.process.join(_SECONDS_TO_END)
        self.process.kill()
        self.process.join()
        self.pipe.close()
        code = self.process.exitcode or 0
        return f"killed by signal {-code}, {signal.strsignal(-code)}" if code < 0 else f"exit status {code}"


def _heard(pool: Sequence[_Worker]) -> list[_Worker]:
    """The workers that have said something or died, as soon as there are some."""
    ready = wait([worker.pipe for worker in pool])
    return [worker for worker in pool if worker.pipe in ready]


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """An interrupt is seen when the block has ended, and never by a process that was started in it."""
    resource_tracker.ensure_running()  # starting it, as the first process would, lets interrupts through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(pipe: Connection, start: Callable[..., Callable[[Any], Any]], setting: Sequence[Any]) -> None:
    """What a worker process does: start, then one task after the other, until nobody gives it any."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, ConnectionError):
        try:
            do = start(*setting)
        except BaseException as problem:  # what it raises, SystemExit included, is told and not acted on
            pipe.send_bytes(_packed(None, problem))
            return
        pipe.send_bytes(_packed(None, None))
        while True:
            task = pipe.recv()
            try:
                word = _packed(do(task), None)
            except BaseException as problem:
                word = _packed(None, problem)
            pipe.send_bytes(word)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _packed(answer: Any, raised: BaseException | None) -> bytes:
    """A word as bytes. What cannot be pickled is told as a WorkError; where an exception was raised is added to its notes."""
    if raised is not None:
        raised.add_note("".join(["In a worker process:\n", *traceback.format_exception(raised)]))
        try:
            pickle.loads(pickle.dumps(raised))
        except Exception:  # an exception may be made in ways that pickle does not know
            raised = WorkError(_one_line(raised))
    return pickle.dumps((answer, raised))


def _one_line(problem: BaseException) -> str:
    return f"{type(problem).__name__}: {' '.join(str(problem).split())}"
