"""The run store: what goes in comes out, nothing is changed or lost unnoticed, and reruns are seen."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empirics.runs import Architecture, Budgets, Data, Point, Run, RunError, RunStore, StoreDamaged
from empirics.runs.locks import Claims
from empirics.runs.record import read_run

finite = st.floats(allow_nan=False, allow_infinity=False)
names = st.text(min_size=1)
runs = st.builds(
    Run,
    name=names,
    unit=names,
    source=names,
    architecture=st.builds(Architecture, kind=names, experts=st.none() | st.integers(0, 10**6)),
    data=st.builds(Data, name=names, dimension=st.none() | st.floats(0, 1e3)),
    budgets=st.builds(Budgets, tokens=st.none() | st.floats(0, 1e30).map(round).map(float)),
    config=st.dictionaries(names, st.none() | st.booleans() | st.integers() | finite | names, max_size=3),
    seed=st.none() | st.integers(),
    loss=st.none() | finite,
    results=st.dictionaries(names, st.none() | finite, max_size=2),
    curve=st.lists(st.builds(Point, loss=finite, step=st.none() | st.integers(0, 10**9)), max_size=3).map(
        tuple
    ),
)


@given(runs)
def test_a_record_is_its_text(run):
    assert read_run(run.text(), "here") == run


@settings(max_examples=20)
@given(st.lists(runs.filter(lambda run: "\ud800" not in run.text()), max_size=4))
def test_what_is_appended_is_read_back_in_order(tmp_path_factory, some):
    store = RunStore(tmp_path_factory.mktemp("store") / "runs.db")
    assert store.append(*some) == list(range(1, len(some) + 1))
    assert [item.run for item in store.runs()] == some
    assert len(store) == len(some)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("loss", "1.2", "loss"),
        ("seed", 1.5, "seed"),
        ("budgets", {"tokens": -1}, "budgets.tokens"),
        ("architecture", {"experts": 8}, "architecture.kind"),
        ("surprise", 1, "surprise"),
    ],
)
def test_a_wrong_field_is_named(field, value, said, a_run):
    import json

    record = {**json.loads(a_run().text()), field: value}
    with pytest.raises(RunError, match=f"line 3: {said}"):
        read_run(json.dumps(record), "line 3")


def test_a_loss_that_is_not_finite_is_refused_and_a_diverged_run_has_none(store, a_run):
    with pytest.raises(ValueError, match="loss"):
        a_run(loss=float("nan"))
    store.append(a_run(loss=None))
    assert store.runs("loss is null")[0].run.loss is None


def test_conditions_choose_runs_and_cannot_write(store, a_run):
    store.append(*(a_run(seed, seed / 10) for seed in range(5)))
    assert [item.run.seed for item in store.runs("experts = 8 and loss < 0.25")] == [0, 1, 2]
    for bad in (
        "loss <",
        "no_such = 1",
        "1); DELETE FROM runs; --",
        "loss < 1) OR (SELECT load_extension('x'))",
    ):
        with pytest.raises(RunError, match="condition"):
            store.runs(bad)
    assert len(store.runs()) == 5


@pytest.mark.parametrize(
    "where",
    [
        "1) UNION SELECT 1,2,3,(4",
        "1); DROP TABLE runs; --",
        "json('x') = 1",
        "loss = 'a\0b'",
        "loss = '\ud800'",
        "(WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c) > 0",
        "load_extension('x')",
        "(" * 5000,
        "length(zeroblob(99999999999)) > 0",
        "?",
        ":x",
    ],
)
def test_a_condition_that_is_none_is_refused_in_a_line(store, a_run, where):
    store.append(a_run())
    with pytest.raises(RunError, match="condition") as refused:
        store.runs(where)
    assert not isinstance(refused.value, StoreDamaged)


def test_a_condition_can_only_choose(store, a_run):
    store.append(a_run(0), a_run(1))
    assert len(store.runs("0) UNION SELECT 1 UNION SELECT 77 UNION SELECT ('x'")) == 1


def test_reruns_are_kept_and_seen_to_agree_or_not(store, a_run):
    store.append(a_run(), a_run(), a_run(loss=0.6), a_run(code="new code", loss=0.6), a_run(seed=1))
    assert [(item.rerun_of, item.agrees) for item in store.runs()] == [
        (None, True),
        (1, True),
        (1, False),
        (None, True),
        (None, True),
    ]
    # A condition that leaves the first run out does not hide that the others repeat it.
    assert [(item.rerun_of, item.agrees) for item in store.runs("number in (2, 3)")] == [
        (1, True),
        (1, False),
    ]


def test_circumstances_do_not_make_another_run(store, a_run):
    store.append(a_run(seconds=1.0, hardware="one machine"))
    assert store.add_new([a_run(seconds=2.0, hardware="another"), a_run(seed=1), a_run(seed=1)]) == 1
    assert len(store) == 2


def test_rows_are_neither_changed_nor_removed(store, a_run):
    store.append(a_run())
    with sqlite3.connect(store.path) as connection:
        for statement in ("UPDATE runs SET record = ''", "DELETE FROM runs"):
            with pytest.raises(sqlite3.IntegrityError, match="never"):
                connection.execute(statement)
    connection.close()


def test_a_claim_keeps_others_out_until_its_process_dies(store, tmp_path, a_run):
    identity = a_run().identity
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, time\n"
            "from empirics.runs.locks import Claims\n"
            "from empirics.runs.store import RunStore\n"
            "claims = Claims(RunStore(sys.argv[1]))\n"
            "print(claims.take(sys.argv[2]), flush=True)\n"
            "time.sleep(60)",
            str(store.path),
            identity,
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert holder.stdout.readline().strip() == "True"
        mine = Claims(store)
        assert not mine.take(identity)
        assert mine.take(a_run(seed=1).identity)
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait()
        deadline = time.monotonic() + 10
        while not mine.take(identity):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        mine.close()
    finally:
        holder.kill()
        holder.stdout.close()
        holder.wait()


def test_a_copy_of_the_file_is_the_store(store, tmp_path, a_run):
    store.append(a_run())
    shutil.copy(store.path, tmp_path / "copy.db")
    assert RunStore(tmp_path / "copy.db").runs() == store.runs()
