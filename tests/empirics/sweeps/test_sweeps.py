"""Sweeps: what a file asks for is made once, whatever is killed meanwhile and however many sweeps run at once."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from empirics.experiments.known_truth.approximation import MeanSquaredError
from empirics.experiments.known_truth.worlds import MaternTorus
from empirics.runs import RunError, RunStore
from empirics.sweeps import read_sweep, sweep

TOY = """
import os
import time
from dataclasses import dataclass
from typing import ClassVar
from empirics.experiments.experiment import Experiment

@dataclass(frozen=True)
class Toy(Experiment):
    quantity: ClassVar[str] = "toy error"
    size: ClassVar[str] = "toys"
    slope: float
    fails_at: int = 0

    def measure(self, size, seed):
        time.sleep(float(os.environ.get("TOY_SECONDS", "0")))
        if size == self.fails_at:
            raise ArithmeticError("no such toy")
        return size ** -self.slope + seed / 1e6
"""

FILE = """
experiment = "toy.py:Toy"
[grid]
slope = [0.5, 1.0]
size = {{ from = 2, to = 16, factor = 2 }}
seed = {{ from = 0, count = {seeds} }}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "toy.py").write_text(TOY)
    (tmp_path / "sweep.toml").write_text(FILE.format(seeds=2))
    return tmp_path


def lines(outcome):
    """What was found, without the circumstances."""
    return [(str(job), run.loss, run.config, run.seed) for job, run in outcome.runs]


def test_a_sweep_makes_every_run_of_its_grid_once_and_in_the_plans_order(folder):
    plan, store = read_sweep(folder / "sweep.toml"), RunStore(folder / "runs.db")
    seen = []
    outcome = sweep(plan, store, jobs=2, progress=lambda done, total: seen.append((done, total)))
    assert outcome.made == len(plan.jobs) == len(store) == 16
    assert [job for job, _ in outcome.runs] == list(plan.jobs)
    assert outcome.runs[0][1].loss == 2**-0.5
    assert outcome.runs[0][1].config == {"slope": 0.5, "fails_at": 0, "size": 2}
    assert seen[-1] == (16, 16)
    again = sweep(plan, store)
    assert (again.made, lines(again), len(store)) == (0, lines(outcome), 16)


def test_a_larger_grid_makes_only_what_is_new_and_changed_code_makes_all_again(folder):
    store = RunStore(folder / "runs.db")
    sweep(read_sweep(folder / "sweep.toml"), store)
    (folder / "sweep.toml").write_text(FILE.format(seeds=3))
    assert sweep(read_sweep(folder / "sweep.toml"), store).made == 8
    (folder / "toy.py").write_text(TOY + "\n# another line\n")
    assert sweep(read_sweep(folder / "sweep.toml"), store).made == 24
    assert all(item.agrees for item in store.runs())


def test_code_that_changes_under_a_sweep_ends_it_with_a_word(folder):
    plan, store = read_sweep(folder / "sweep.toml"), RunStore(folder / "runs.db")
    planned = [job.planned().identity for job in plan.jobs]
    (folder / "toy.py").write_text(TOY + "\n# a line that this process has not read\n")
    with pytest.raises(RunError, match="code was changed meanwhile"):
        sweep(plan, store, jobs=2)
    assert not store.outcomes(planned)


def test_a_failing_run_is_told_and_the_others_are_made(folder):
    text = FILE.format(seeds=2).replace("[grid]", "[fixed]\nfails_at = 4\n[grid]")
    (folder / "sweep.toml").write_text(text)
    outcome = sweep(read_sweep(folder / "sweep.toml"), RunStore(folder / "runs.db"), jobs=2)
    assert len(outcome.runs) == 12
    assert [f.job.size for f in outcome.failures] == [4] * 4
    assert {f.why for f in outcome.failures} == {"ArithmeticError: no such toy"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("slope = [0.5, 1.0]", "slop = [0.5]"), "has no 'slop', expected .* Did you mean slope"),
        (("slope = [0.5, 1.0]", ""), "'slope' is missing"),
        (("size = ", "sizes = "), "has no 'sizes'"),
        (("count = 2", "count = 0"), "seed = .* expected a list"),
        (("[grid]", "[fixed]\nslope = 1\n[grid]"), "'slope' is both in"),
        (("toy.py:Toy", "toy.py:Toys"), "has no experiment 'Toys'; it has Toy"),
        (("toy.py:Toy", "toys.py:Toy"), "cannot be imported"),
        (("toy.py:Toy", "Toy"), 'expected "module:Class"'),
        (("[grid]", "[grids]"), "unknown entry 'grids'"),
        (("slope = [0.5, 1.0]", "slope = "), "not valid TOML"),
        (("from = 2", "from = 2.5"), "size = "),
        (
            ("from = 2, to = 16", "from = 16, to = 8"),
            "size = .* holds no value; expected one in which 'from'",
        ),
        (("count = 2", "count = 200000000"), "seed = .*; expected a count of at most 1,000,000"),
        (("count = 2", "count = 200000"), "asks for 1,600,000 runs; expected at most 1,000,000"),
        (("{ from = 0, count = 2 }", "[0, 0]"), "size 2, seed 0 is asked for twice; give every value"),
        (("[0.5, 1.0]", "[1, 1.0]"), r"Toy\(slope=1.0, fails_at=0\) at size 2, seed 0 is asked for twice"),
        (("[0.5, 1.0]", "[nan]"), "slope = nan; expected a finite number"),
        (("[0.5, 1.0]", "[0.5, -inf]"), "slope = -inf; expected a finite number"),
        (("[0.5, 1.0]", f"[{10**400}]"), "slope = 10*; expected a number"),
        (("[0.5, 1.0]", f"[1{'0' * 5000}]"), "not valid TOML"),
        (("[0.5, 1.0]", '["steep"]'), "slope = 'steep'; expected a number"),
        (("[0.5, 1.0]", "[[0.5, nan]]"), "expected a number"),
        (("{ from = 0, count = 2 }", "[-1]"), "seed = -1; expected sizes from 1, seeds from 0"),
    ],
)
def test_a_wrong_sweep_file_is_refused_in_a_line(folder, change, said):
    text = (folder / "sweep.toml").read_text()
    assert change[0] in text
    (folder / "sweep.toml").write_text(text.replace(*change))
    with pytest.raises(RunError, match=said) as refused:
        read_sweep(folder / "sweep.toml")
    assert "\n" not in str(refused.value)


DESCRIBED = """
    def describe(self, size):
        from empirics import Description
        {does}
"""


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (DESCRIBED.format(does="return {}['experts']"), r"its describe\(2\) raises KeyError: 'experts'"),
        (DESCRIBED.format(does="return 3"), r"its describe\(2\) gives 3; expected an empirics.Desc"),
        (
            DESCRIBED.format(does="return Description({'kind': ''}, {'name': 'toys'})"),
            "seed 0: kind: string should have at least 1 character, got ''",
        ),
        (
            DESCRIBED.format(does="return Description({'kind': 'toy', 'layer': 2}, {'name': 'toys'})"),
            "seed 0: layer: extra inputs are not permitted, got 2",
        ),
        (
            DESCRIBED.format(does="return Description(1, 2, 3)"),
            r"its describe\(2\) raises MoelawsError: Description: architecture=1, expected a mapping",
        ),
        ("    free: object = float('nan')\n", "config: its free is nan, expected a finite number"),
        (
            "    free: object = (1, (2.0, float('inf')))\n",
            "config: its free.1.1 is inf, expected a finite number",
        ),
        ("    def __post_init__(self):\n        {}[1]\n", "Toy refuses .*: KeyError: 1"),
        ("\nraise SystemExit('bye')\n", "'toy.py' cannot be imported: SystemExit: bye"),
        ("\nraise ValueError('a\\n b\\nc')\n", "'toy.py' cannot be imported: ValueError: a b c"),
        ("\nthis is no code\n", "'toy.py' cannot be imported: SyntaxError"),
    ],
)
def test_a_wrong_experiment_is_refused_in_a_line(folder, code, said):
    (folder / "toy.py").write_text(TOY + code)
    with pytest.raises(RunError, match=f"sweep.toml: .*{said}") as refused:
        read_sweep(folder / "sweep.toml")
    assert "\n" not in str(refused.value)


KNOWN = """
experiment = "empirics.experiments.known_truth.approximation:MeanSquaredError"
[fixed]
degree = 0
[grid]
world = [
    { kind = "MaternTorus", d = 1, beta = 0.5, points = 64 },
    { kind = "WeierstrassTorus", d = 1, beta = 0.7, points = 64 },
]
size = [4, 8]
seed = [0]
"""


def test_a_table_with_a_kind_is_the_frozen_dataclass_of_that_name(tmp_path):
    (tmp_path / "known.toml").write_text(KNOWN)
    plan, store = read_sweep(tmp_path / "known.toml"), RunStore(tmp_path / "runs.db")
    assert plan.jobs[0].experiment.world == MaternTorus(1, 0.5, 64)
    assert sweep(plan, store).made == 4
    rough = [item.run for item in store.runs("smoothness = 0.5")]
    assert [run.architecture.experts for run in rough] == [4, 8]
    assert rough[0].loss == MeanSquaredError(MaternTorus(1, 0.5, 64), 0).measure(4, 0)
    world = {"kind": "MaternTorus", "d": 1, "beta": 0.5, "points": 64, "patch": 1}
    assert rough[0].config == {"world": world, "degree": 0, "size": 4}
    smooth = [item.run for item in store.runs("dimension = 1 and smoothness = 0.7")]
    assert [run.config["world"]["kind"] for run in smooth] == ["WeierstrassTorus"] * 2
    assert rough[0].budgets.model_dump(exclude_none=True) == {"active_parameters": 1, "total_parameters": 4}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('kind = "MaternTorus"', 'kind = "MaternTours"'), "MaternTours.* Did you mean MaternTorus"),
        (('kind = "MaternTorus", ', ""), "has the kind None; expected one of"),
        (('kind = "MaternTorus"', 'kind = "World"'), "has the kind 'World'"),  # abstract
        (("beta = 0.5", "bta = 0.5"), "MaternTorus has no 'bta', expected .* Did you mean beta"),
        (("beta = 0.5, ", ""), "MaternTorus: 'beta' is missing"),
        (("beta = 0.5", 'beta = "rough"'), "beta = 'rough'; expected a number"),
        (("d = 1", "d = 1.5"), "d = 1.5; expected int"),
        (("degree = 0", 'degree = "low"'), "degree = 'low'; expected int"),
        (("degree = 0", "degree = -3"), "MeanSquaredError"),
    ],
)
def test_a_wrong_table_is_refused_in_a_line(tmp_path, change, said):
    assert change[0] in KNOWN
    (tmp_path / "known.toml").write_text(KNOWN.replace(*change, 1))
    with pytest.raises(RunError, match=said) as refused:
        read_sweep(tmp_path / "known.toml")
    assert "\n" not in str(refused.value)


def start(folder, seconds=0.0):
    """A sweep in a process group of its own, each of its runs taking so many seconds."""
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "moelaws",
            "sweep",
            "sweep.toml",
            "--store",
            "runs.db",
            "--jobs",
            "2",
            "--json",
        ],
        cwd=folder,
        env={**os.environ, "TOY_SECONDS": str(seconds)},
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def report(process):
    """What a sweep prints at its end."""
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return output


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The report of a sweep of 240 runs that nothing disturbs."""
    quiet = tmp_path_factory.mktemp("quiet")
    (quiet / "toy.py").write_text(TOY)
    (quiet / "sweep.toml").write_text(FILE.format(seeds=30))
    return report(start(quiet))


@pytest.mark.thorough
def test_killed_at_twenty_random_moments_a_sweep_loses_and_doubles_nothing(folder, undisturbed):
    (folder / "sweep.toml").write_text(FILE.format(seeds=30))
    rng = random.Random(20260409)
    store, counts = RunStore(folder / "runs.db"), [0]
    for moment in range(20):
        process, more = start(folder, 0.05), rng.randrange(8)
        while len(store) < counts[-1] + more:
            assert process.poll() is None, process.communicate()
            time.sleep(0.005)
        time.sleep(rng.uniform(0, 0.06))
        if moment % 2:
            os.killpg(process.pid, signal.SIGKILL)  # the workers with it
        else:
            process.kill()  # the workers find themselves orphaned
        process.communicate()
        counts.append(len(RunStore(folder / "runs.db")))  # opening checks every seal
    assert counts == sorted(counts)
    assert 10 < counts[-1] < 240  # the kills fell into the work
    assert report(start(folder)) == undisturbed
    assert len(store) == 240  # none doubled
    assert not [item for item in store.runs() if item.rerun_of]


@pytest.mark.thorough
def test_two_sweeps_at_once_share_the_work(folder, undisturbed):
    (folder / "sweep.toml").write_text(FILE.format(seeds=30))
    both = [start(folder, 0.01), start(folder, 0.01)]
    assert [report(process) for process in both] == [undisturbed] * 2
    assert len(RunStore(folder / "runs.db")) == 240


def test_a_sweep_takes_up_what_a_dying_one_had_begun(folder):
    (folder / "sweep.toml").write_text(FILE.format(seeds=1))
    dying, patient = start(folder, 1.0), None
    try:
        time.sleep(1.0)
        patient = start(folder, 1.0)
        time.sleep(0.5)
        os.killpg(dying.pid, signal.SIGKILL)
        report(patient)
    finally:
        dying.communicate()
    assert len(RunStore(folder / "runs.db")) == 8
