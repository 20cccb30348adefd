"""The run store: what goes in comes out, nothing is changed or lost unnoticed, and reruns are seen."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empirics.runs import Architecture, Budgets, Data, Point, Run, RunError, RunStore, repair
from empirics.runs.record import read_run
from empirics.runs.store import Claims

finite = st.floats(allow_nan=False, allow_infinity=False)
names = st.text(min_size=1)
runs = st.builds(
    Run,
    name=names,
    unit=names,
    source=names,
    architecture=st.builds(Architecture, kind=names, experts=st.none() | st.integers(0, 10**6)),
    data=st.builds(Data, name=names, dimension=st.none() | st.floats(0, 1e3)),
    budgets=st.builds(Budgets, tokens=st.none() | st.floats(0, 1e30)),
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


def altered(path, *statements):
    """Change a store behind its back, as somebody with an editor for SQLite would."""
    connection = sqlite3.connect(path)
    connection.execute("DROP TRIGGER runs_are_not_changed")
    connection.execute("DROP TRIGGER runs_are_not_removed")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def test_an_altered_run_is_named_and_the_others_are_rescued(store, a_run):
    store.append(*(a_run(seed) for seed in range(5)))
    altered(
        store.path,
        "UPDATE runs SET record = replace(record, '\"loss\":0.5', '\"loss\":0.4') WHERE number = 3",
    )
    with pytest.raises(RunError, match=r"run 3 was altered.*moelaws runs repair"):
        RunStore(store.path)
    rescue = repair(store.path)
    assert (rescue.kept, rescue.altered, rescue.lost) == (4, (3,), 0)
    assert rescue.set_aside.exists()
    assert [item.run.seed for item in RunStore(store.path).runs()] == [0, 1, 3, 4]


@pytest.mark.parametrize("column", ["identity", "outcome"])
def test_an_altered_digest_is_noticed_too(store, a_run, column):
    store.append(a_run(), a_run(loss=0.6))
    altered(
        store.path,
        f"UPDATE runs SET {column} = (SELECT {column} || 'x' FROM runs WHERE number = 1) WHERE number = 2",
    )
    with pytest.raises(RunError, match="run 2 was altered"):
        RunStore(store.path)
    assert repair(store.path).altered == (2,)


def test_removed_rows_are_noticed_in_the_middle_and_at_the_end(store, a_run):
    store.append(*(a_run(seed) for seed in range(5)))
    altered(store.path, "DELETE FROM runs WHERE number = 5")
    with pytest.raises(RunError, match="holds 4 runs where 5 were written"):
        RunStore(store.path)
    altered_again = sqlite3.connect(store.path)
    altered_again.execute("DELETE FROM runs WHERE number = 2")
    altered_again.commit()
    altered_again.close()
    with pytest.raises(RunError, match="run 2 is missing"):
        RunStore(store.path)
    rescue = repair(store.path)
    assert (rescue.kept, rescue.altered, rescue.lost) == (3, (), 2)


def test_every_truncation_is_noticed_and_rescue_gives_a_sound_store(store, tmp_path, a_run):
    store.append(*(a_run(seed, config={"filler": "x" * 500}) for seed in range(60)))
    whole = store.path.read_bytes()
    rescued = []
    for share in (0.1, 0.3, 0.5, 0.7, 0.9, 0.999):
        path = tmp_path / f"cut-{share}.db"
        path.write_bytes(whole[: int(len(whole) * share)])
        with pytest.raises(RunError, match="damaged"):
            RunStore(path)
        rescue = repair(path)
        kept = [item.run for item in RunStore(path).runs()]
        assert len(kept) == rescue.kept
        assert all(run == a_run(run.seed, config={"filler": "x" * 500}) for run in kept)
        rescued.append(rescue.kept)
    assert rescued == sorted(rescued)
    assert rescued[-1] > 40


def test_random_bytes_written_over_a_store_are_never_taken_for_runs(store, tmp_path, a_run):
    originals = [a_run(seed, config={"filler": "y" * 300}) for seed in range(40)]
    store.append(*originals)
    whole = store.path.read_bytes()
    rng = random.Random(20260409)
    noticed = 0
    for trial in range(40):
        data = bytearray(whole)
        start = rng.randrange(len(data))
        for i in range(start, min(len(data), start + rng.choice((1, 16, 4096)))):
            data[i] ^= rng.randrange(1, 256)
        path = tmp_path / f"{trial}.db"
        path.write_bytes(data)
        try:
            kept = [item.run for item in RunStore(path).runs()]
            assert kept == originals  # what was hit is not part of any run
        except RunError:
            noticed += 1
            repair(path)
            assert all(item.run in originals for item in RunStore(path).runs())
    assert noticed > 10


def test_other_files_are_refused_in_a_line(tmp_path):
    (tmp_path / "text.db").write_text("not a database, " * 100)
    with pytest.raises(RunError, match="damaged"):
        RunStore(tmp_path / "text.db")
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE t (x)")
    other.commit()
    other.close()
    with pytest.raises(RunError, match="not a run store"):
        RunStore(tmp_path / "other.db")
    with pytest.raises(RunError, match="no run store"):
        RunStore(tmp_path / "absent.db", create=False)


def test_a_claim_keeps_others_out_until_its_process_dies(store, tmp_path, a_run):
    identity = a_run().identity
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, time\n"
            "from empirics.runs.store import Claims, RunStore\n"
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
