"""Measurements that end badly: each is told in a line, and the others are made."""

from __future__ import annotations

import signal

import pytest

from empirics.runs import RunError, RunStore
from empirics.sweeps import read_sweep, sweep

EXPERIMENT = """
import ctypes
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar
from empirics.experiments.experiment import Experiment

@dataclass(frozen=True)
class Toy(Experiment):
    quantity: ClassVar[str] = "toy error"
    size: ClassVar[str] = "toys"

    def measure(self, size, seed):
        if size == 2:
            with Path("tried.txt").open("a") as file:
                file.write("x")
            {does}
        return 1 / size + seed
"""


@pytest.fixture
def ends_badly(tmp_path, monkeypatch):
    """The outcome of a sweep of six runs, two of which do something bad."""

    def made(does, jobs=1, sizes="[1, 2, 3]"):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "toy.py").write_text(EXPERIMENT.format(does=does))
        (tmp_path / "sweep.toml").write_text(
            f'experiment = "toy.py:Toy"\n[grid]\nseed = [0, 1]\nsize = {sizes}\n'
        )
        return sweep(read_sweep(tmp_path / "sweep.toml"), RunStore(tmp_path / "runs.db"), jobs=jobs)

    return made


@pytest.mark.parametrize(
    ("does", "why"),
    [
        ("raise ValueError('a\\nb\\n  c')", "ValueError: a b c"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("sys.exit('bye')", "SystemExit: bye"),
        ("return None", "TypeError: float() argument must be a string or a real number, not 'NoneType'"),
    ],
)
def test_whatever_a_measurement_raises_is_its_failure(ends_badly, tmp_path, capfd, does, why):
    outcome = ends_badly(does)
    assert [job.size for job, _ in outcome.runs] == [1, 3, 1, 3]
    assert [(f.job.size, f.why) for f in outcome.failures] == [(2, why)] * 2
    assert (tmp_path / "tried.txt").read_text() == "xx"
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("does", "how"),
    [
        ("ctypes.string_at(0)", f"killed by signal 11, {signal.strsignal(11)}"),
        ("os._exit(3)", "exit status 3"),
    ],
)
def test_a_measurement_that_kills_its_process_is_tried_once_more_and_the_others_are_made(
    ends_badly, tmp_path, does, how, jobs
):
    outcome = ends_badly(does, jobs)
    assert [job.size for job, _ in outcome.runs] == [1, 3, 1, 3]
    said = f"its process died twice, the second time alone ({how}); is there enough memory?"
    assert [(f.job.size, f.why) for f in outcome.failures] == [(2, said)] * 2
    assert (tmp_path / "tried.txt").read_text() == "xxxx"


def test_a_measurement_that_needs_the_memory_of_all_is_made_alone(ends_badly):
    outcome = ends_badly("Path('tried.txt').stat().st_size < 3 and os._exit(9)", sizes="[2]")
    assert len(outcome.runs) == 2
    assert not outcome.failures


def test_processes_that_cannot_begin_end_the_sweep_in_a_line(ends_badly, tmp_path, monkeypatch, capfd):
    ends_badly("pass")
    monkeypatch.chdir(tmp_path)
    plan = read_sweep(tmp_path / "sweep.toml")
    (tmp_path / "toy.py").write_text("raise LookupError('no such\\nthing')")
    with pytest.raises(RunError, match=r"toy\.py' cannot be imported: LookupError: no such thing") as ended:
        sweep(plan, RunStore(tmp_path / "other.db"))
    assert "\n" not in str(ended.value)
    assert capfd.readouterr() == ("", "")


def test_processes_that_die_before_they_begin_end_the_sweep_in_a_line(ends_badly, tmp_path, monkeypatch):
    ends_badly("pass")
    monkeypatch.chdir(tmp_path)
    plan = read_sweep(tmp_path / "sweep.toml")
    (tmp_path / "toy.py").write_text("import os; os._exit(5)")
    with pytest.raises(RunError, match=r"died 3 times in a row \(exit status 5\).*in the store") as ended:
        sweep(plan, RunStore(tmp_path / "other.db"))
    assert "\n" not in str(ended.value)
