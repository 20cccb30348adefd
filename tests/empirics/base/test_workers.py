"""Worker processes: answers and exceptions come back as data, a death costs its task, and none outlives its parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import empirics.base.workers as workers_module
from empirics.base.workers import WorkError, in_workers

TASKS = '''
import os
import signal
import sys
import time
from pathlib import Path

class Odd(Exception):
    """Pickled without its second argument, so it cannot be made again."""

    def __init__(self, one, two):
        super().__init__(one)

def start(folder="."):
    started = os.getpid()

    def do(task):
        name, *rest = task.split()
        if name == "square":
            return int(rest[0]) ** 2
        if name == "pid":
            return started, os.getpid()
        if name == "raise":
            raise {"KeyError": KeyError, "KeyboardInterrupt": KeyboardInterrupt, "SystemExit": SystemExit}[rest[0]]("a\\nb")
        if name == "odd":
            raise Odd("no\\nway", 2)
        if name == "stranger":
            sys.modules["only_there"] = sys.modules[__name__]
            Odd.__module__ = "only_there"
            return Odd
        if name == "unpicklable":
            return lambda: 0
        if name == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if name == "exit":
            os._exit(3)
        if name == "interrupted":
            os.kill(os.getpid(), signal.SIGINT)
            return "went on"
        if name == "stubborn":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        Path(folder, f"{os.getpid()}.pid").touch()
        while name == "busy":
            pass
        time.sleep(600)

    return do

def cannot_start():
    raise LookupError("no such thing")

def dies_at_start():
    os._exit(4)
'''

PARENT = """
import signal, sys
from empirics.base.workers import in_workers
import many_tasks

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        list(in_workers(many_tasks.start, (".",), ["busy", "sleep", "sleep"], workers=2))
    except KeyboardInterrupt:
        sys.exit(130)
"""


@pytest.fixture
def tasks(tmp_path, monkeypatch):
    """A module that worker processes can import."""
    (tmp_path / "many_tasks.py").write_text(TASKS)
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("many_tasks", None)
    yield __import__("many_tasks")
    sys.modules.pop("many_tasks", None)


def test_every_task_is_answered_once_by_a_process_that_starts_once(tasks):
    asked = ["pid"] * 6 + [f"square {i}" for i in range(6)]
    finished = list(in_workers(tasks.start, (), asked, workers=2))
    assert sorted(f.number for f in finished) == list(range(12))
    answers = {f.number: f.result() for f in finished}
    assert [answers[6 + i] for i in range(6)] == [i**2 for i in range(6)]
    processes = {answers[i] for i in range(6)}
    assert len(processes) <= 2
    assert all(started == now != os.getpid() for started, now in processes)


def test_no_tasks_start_no_process(tasks):
    assert list(in_workers(tasks.cannot_start, (), [], workers=2)) == []


def test_an_exception_comes_back_as_data_and_says_where_it_was_raised(tasks):
    raising = ["raise KeyError", "raise KeyboardInterrupt", "raise SystemExit", "odd"]
    asked = [*raising, "unpicklable", "stranger", "square 3"]
    found = {f.number: f for f in in_workers(tasks.start, (), asked, workers=1)}
    raised = [type(found[i].raised) for i in range(5)]
    assert raised[:4] == [KeyError, KeyboardInterrupt, SystemExit, WorkError]
    assert str(found[3].raised) == "Odd: no way"
    assert "pickle" in str(found[4].raised)
    assert "No module named 'only_there'" in str(found[5].raised)
    assert found[6].result() == 9
    assert "many_tasks.py" in found[0].raised.__notes__[0]
    with pytest.raises(KeyError, match="a"):
        found[0].result()


def test_a_process_that_dies_costs_its_task_and_no_other(tasks):
    asked = ["square 1", "kill", "square 2", "exit", "square 3", "square 4"]
    found = {f.number: f for f in in_workers(tasks.start, (), asked, workers=2)}
    assert {i: f.died for i, f in found.items() if f.died} == {
        1: f"killed by signal 9, {signal.strsignal(9)}",
        3: "exit status 3",
    }
    assert [found[i].answer for i in (0, 2, 4, 5)] == [1, 4, 9, 16]
    with pytest.raises(WorkError, match=r"died \(exit status 3\); is there enough memory"):
        found[3].result()


def test_what_the_start_raises_is_raised_here(tasks):
    with pytest.raises(LookupError, match="no such thing"):
        list(in_workers(tasks.cannot_start, (), ["square 1"], workers=2))


def test_processes_that_die_at_their_start_end_the_work(tasks):
    with pytest.raises(WorkError, match=r"died 3 times in a row \(exit status 4\)"):
        list(in_workers(tasks.dies_at_start, (), ["square 1"], workers=2))


def test_an_interrupt_does_not_reach_a_worker(tasks):
    [finished] = in_workers(tasks.start, (), ["interrupted"], workers=1)
    assert finished.result() == "went on"


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and that nobody has asked for how does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_for(happens, seconds=120.0):
    deadline = time.monotonic() + seconds
    while not happens() and time.monotonic() < deadline:
        time.sleep(0.02)
    return happens()


@pytest.mark.parametrize("name", ["sleep", "stubborn"])
def test_an_iterator_that_is_closed_ends_its_workers(tasks, tmp_path, monkeypatch, name):
    """Even one whose task takes no request to end."""
    monkeypatch.setattr(workers_module, "_SECONDS_TO_END", 0.2)
    work = in_workers(tasks.start, (str(tmp_path),), ["square 1", name, name], workers=2)
    next(work)
    assert wait_for(lambda: list(tmp_path.glob("*.pid")))
    workers = [int(path.stem) for path in tmp_path.glob("*.pid")]
    work.close()
    assert not any(map(alive, workers))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="whether a process runs is read from /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_worker_outlives_a_parent_that_is_killed_or_interrupted(tasks, tmp_path, number):
    """One of them is in a loop that never returns, the other asleep."""
    (tmp_path / "parent.py").write_text(PARENT)
    parent = subprocess.Popen(
        [sys.executable, "parent.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([os.getcwd(), str(tmp_path)])},
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    workers = []
    try:
        assert wait_for(lambda: len(list(tmp_path.glob("*.pid"))) == 2)
        workers = [int(path.stem) for path in tmp_path.glob("*.pid")]
        assert all(map(alive, workers))
        os.kill(parent.pid, number)
        _, errors = parent.communicate(timeout=60)
        assert wait_for(lambda: not any(map(alive, workers)), 60)
    finally:
        for left in filter(alive, [parent.pid, *workers]):
            os.kill(left, signal.SIGKILL)
    assert parent.returncode == (130 if number == signal.SIGINT else -number)
    assert errors.decode() == ""


@pytest.mark.parametrize("seconds", [0.0, 0.03, 0.1, 0.2, 0.4])
def test_an_interrupt_of_the_whole_group_ends_all_without_a_word(tasks, tmp_path, seconds):
    """As a terminal sends it, while the workers are still starting."""
    (tmp_path / "parent.py").write_text(PARENT.replace("try:", "print('ready', flush=True)\n    try:"))
    parent = subprocess.Popen(
        [sys.executable, "parent.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([os.getcwd(), str(tmp_path)])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert parent.stdout
    parent.stdout.readline()
    time.sleep(seconds)
    os.killpg(parent.pid, signal.SIGINT)
    _, errors = parent.communicate(timeout=60)
    assert parent.returncode == 130
    assert errors.decode() == ""
