"""``moelaws runs`` and ``moelaws sweep`` as a user meets them."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

TOY = """
import time
from dataclasses import dataclass
from typing import ClassVar
from empirics.experiments.experiment import Experiment

@dataclass(frozen=True)
class Toy(Experiment):
    quantity: ClassVar[str] = "toy error"
    size: ClassVar[str] = "toys"
    seconds: float = 0.0
    fails_at: int = 0

    def measure(self, size, seed):
        time.sleep(self.seconds)
        if size == self.fails_at:
            raise ArithmeticError("no such toy")
        return 1 / size + seed
"""
SWEEP = 'experiment = "toy.py:Toy"\n[grid]\nsize = [2, 4]\nseed = [0, 1]\n'


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "toy.py").write_text(TOY)
    (tmp_path / "sweep.toml").write_text(SWEEP)
    return tmp_path


def test_from_a_sweep_file_to_exported_runs(moelaws, folder):
    planned = moelaws("sweep", "sweep.toml", "--dry-run")
    assert planned.stdout.splitlines()[-1] == "4 of 4 runs to make"
    assert not list(folder.glob("*.db*"))
    made = moelaws("sweep", "sweep.toml")
    assert made.returncode == 0, made.stderr
    assert made.stdout.splitlines()[-1] == "4 of 4 runs in the store"
    again = moelaws("sweep", "sweep.toml", "--json")
    assert [run["value"] for run in json.loads(again.stdout)["runs"]] == [0.5, 1.5, 0.25, 1.25]
    listed = moelaws("runs", "list", "--where", "loss < 1")
    assert listed.stdout.splitlines()[-1] == "2 runs; 0 reruns, 0 of which contradict the first"
    shown = json.loads(moelaws("runs", "show", "1").stdout)
    assert shown["unit"] == "toy error"
    assert moelaws("runs", "export", "all.jsonl").returncode == 0
    assert moelaws("runs", "import", "all.jsonl").stdout.strip().endswith("0 runs added, 4 there already")
    assert moelaws("runs", "export", "all.json").returncode == 0
    assert moelaws("runs", "import", "all.json", "--store", "other.db").stdout == "other.db: 4 runs added\n"


def test_a_contradictory_rerun_is_seen(moelaws, folder):
    moelaws("sweep", "sweep.toml")
    moelaws("runs", "export", "all.jsonl", "--where", "number = 1")
    path = folder / "all.jsonl"
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, "loss": 7.0}))
    refused = moelaws("runs", "import", "all.jsonl")
    assert refused.returncode == 2
    assert "all.jsonl, line 1: the record was altered after it was written" in refused.stderr
    del record["digest"]  # as if somebody else had measured it
    path.write_text(json.dumps({**record, "loss": 7.0}))
    moelaws("runs", "import", "all.jsonl")
    listed = moelaws("runs", "list").stdout.splitlines()
    assert listed[-2].endswith("\tCONTRADICTS 1")
    assert listed[-1] == "5 runs; 1 rerun, 1 of which contradicts the first"


def test_a_failed_run_gives_status_one_and_its_reason(moelaws, folder):
    (folder / "sweep.toml").write_text(SWEEP.replace("[grid]", "[fixed]\nfails_at = 4\n[grid]"))
    done = moelaws("sweep", "sweep.toml")
    assert done.returncode == 1
    assert "seed 1: ArithmeticError: no such toy" in done.stderr
    assert done.stdout.splitlines()[-1] == "2 of 4 runs in the store, 2 FAILED"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("runs", "list"), "there is no run store"),
        (("runs", "show", "9"), "there is no run store"),
        (("runs", "import", "table.csv"), "needs --map"),
        (("runs", "import", "table.txt"), "ends in .jsonl"),
        (("runs", "repair", "absent.db"), "there is no run store"),
        (("runs", "repair", "toy.py"), "not a run store"),
        (("runs", "list", "--store", "empty.db"), "empty: truncated, or not a run store"),
        (("sweep", "absent.toml"), "not found"),
    ],
)
def test_bad_input_is_one_line_and_status_two(moelaws, folder, arguments, said):
    (folder / "empty.db").touch()
    done = moelaws(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_damaged_store_is_refused_and_repaired(moelaws, folder):
    moelaws("sweep", "sweep.toml")
    assert "nothing to repair, 4 runs" in moelaws("runs", "repair", "moelaws-runs.db").stdout
    connection = sqlite3.connect(folder / "moelaws-runs.db")
    connection.execute("DROP TRIGGER runs_are_not_changed")
    connection.execute("UPDATE runs SET record = replace(record, 'toy error', 'toy errors') WHERE number = 2")
    connection.commit()
    connection.close()
    refused = moelaws("runs", "list")
    assert refused.returncode == 2
    assert "run 2 was altered" in refused.stderr
    repaired = moelaws("runs", "repair", "moelaws-runs.db")
    assert "3 runs kept; not as written: run 2. The damaged file is now" in repaired.stdout
    assert moelaws("sweep", "sweep.toml").stdout.splitlines()[-1] == "4 of 4 runs in the store"


MAP = """
[constant]
name = "public"
unit = "nats per token"
source = "a paper"
architecture.kind = "moe"
data.name = "a\\nb"
[columns]
loss = "loss"
architecture.experts = "E"
"""


def test_rows_that_repeat_one_another_are_named_and_kept_once(moelaws, folder):
    (folder / "map.toml").write_text(MAP)
    (folder / "table.csv").write_text("E,loss\n8,2.5\n8,2.5\n16,\n8,2.5\n")
    done = moelaws("runs", "import", "table.csv", "--map", "map.toml")
    assert done.returncode == 0
    assert done.stdout == "moelaws-runs.db: 2 runs added, 2 repeats left out\n"
    assert (
        "counted from 1, say the same as an earlier one and were left out: 2 (as 1), 4 (as 1);" in done.stderr
    )
    assert done.stderr.endswith("a replicate needs a seed of its own (a column for 'seed')\n")
    again = moelaws("runs", "import", "table.csv", "--map", "map.toml")
    assert again.stdout == "moelaws-runs.db: 0 runs added, 2 there already, 2 repeats left out\n"


def test_a_run_is_one_line_and_an_unknown_loss_is_not_a_diverged_one(moelaws, folder):
    (folder / "map.toml").write_text(MAP)
    (folder / "table.csv").write_text("E,loss\n8,2.5\n16,\n")
    moelaws("runs", "import", "table.csv", "--map", "map.toml")
    (folder / "toy.py").write_text(TOY.replace("1 / size", "float('nan')"))
    assert moelaws("sweep", "sweep.toml").returncode == 0
    first, second, *measured, _ = moelaws("runs", "list").stdout.splitlines()
    assert first == "1\tpublic\ta\\nb\tM=8\t2.5\t"
    assert second == "2\tpublic\ta\\nb\tM=16\tunknown\t"
    assert [line.split("\t")[4] for line in measured] == ["diverged"] * 4


def test_an_interrupted_sweep_says_how_to_go_on(folder):
    (folder / "sweep.toml").write_text(SWEEP.replace("[grid]", "[fixed]\nseconds = 60.0\n[grid]"))
    process = subprocess.Popen(
        [sys.executable, "-m", "moelaws", "sweep", "sweep.toml"],
        cwd=folder,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # a test run in the background may have been told to ignore interrupts
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while not (folder / "moelaws-runs.db.claims").exists():
        assert process.poll() is None
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "interrupted; 0 of 4 runs are in moelaws-runs.db, the same command goes on" in errors
    assert "Traceback" not in errors


PUBLIC = """[constant]
name = "public"
unit = "nats"
source = "theirs"
architecture.kind = "moe-transformer"
data.name = "web"
[columns]
loss = "loss"
architecture.experts = "E"
budgets.total_parameters = "N"
budgets.tokens = "D"
budgets.flops = "C"
config.run = "run"
"""


def test_runs_of_others_are_listed_with_their_sizes_and_bad_rows_are_left_out_on_request(moelaws, tmp_path):
    (tmp_path / "map.toml").write_text(PUBLIC)
    (tmp_path / "runs.csv").write_text(
        "run,N,D,E,C,loss\n=1+1,1e9,2e10,8,1.2e20,nan\na,1e9,-2,8,1,2.5\nb,5,,,,2\n"
    )
    refused = moelaws("runs", "import", "runs.csv", "--map", "map.toml")
    assert refused.returncode == 2
    assert "line 3: budgets.tokens" in refused.stderr
    done = moelaws("runs", "import", "runs.csv", "--map", "map.toml", "--skip-bad")
    assert done.stdout.strip() == "moelaws-runs.db: 2 runs added, 1 row that is no run left out"
    assert "left out: runs.csv, line 3: budgets.tokens" in done.stderr
    first, second, _ = moelaws("runs", "list").stdout.splitlines()
    assert first.split("\t")[3:5] == ["N=1e+09 D=2e+10 FLOPs=1.2e+20 M=8 run==1+1", "diverged"]
    assert second.split("\t")[3:5] == ["N=5 run=b", "2"]
    for option, cell in (((), "=1+1"), (("--formulas-as-text",), "'=1+1")):
        assert moelaws("runs", "export", "out.csv", *option).returncode == 0
        assert f",{cell}," in (tmp_path / "out.csv").read_text()
    chosen = moelaws("runs", "list", "--columns", "number, budgets.tokens,config.run").stdout.splitlines()
    assert chosen[:2] == ["1\t20000000000.0\t=1+1", "2\t\tb"]
    assert "Did you mean budgets.tokens" in moelaws("runs", "list", "--columns", "budget.tokens").stderr


def test_formulas_of_an_export_are_neutralised_on_request(tmp_path):
    from empirics.runs.exchange import _as_text

    row = {"a": "=1", "b": "+x", "c": "-x", "d": "@x", "e": -1.5, "f": "x=1", "=g": "\t=1", "h": None}
    assert _as_text(row) == {
        "a": "'=1", "b": "'+x", "c": "'-x", "d": "'@x", "e": -1.5, "f": "x=1", "'=g": "'\t=1", "h": None,
    }  # fmt: skip
