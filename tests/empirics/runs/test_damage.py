"""Damage to a run store: it is noticed, told from everything else that keeps a file from being read, and repaired."""

from __future__ import annotations

import random
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager

import pytest

from empirics.runs import Rescue, RunError, RunStore, StoreDamaged, repair


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
        if share == 0.1:
            with pytest.raises(RunError, match="not one of its runs can be kept"):
                repair(path)
            continue
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
    noticed = rescued = 0
    for trial in range(40):
        data = bytearray(whole)
        start = rng.randrange(len(data))
        for i in range(start, min(len(data), start + rng.choice((1, 16, 4096)))):
            data[i] ^= rng.randrange(1, 256)
        path = tmp_path / f"{trial}.db"
        path.write_bytes(data)
        try:
            hit = RunStore(path)
        except RunError:
            noticed += 1
            try:
                repair(path)
            except RunError:
                assert path.read_bytes() == data  # where nothing can be kept nothing is replaced
            else:
                rescued += 1
                assert all(item.run in originals for item in RunStore(path).runs())
        else:  # what was hit is no part of any run
            assert [item.run for item in hit.runs()] == originals
            assert all(hit.holds(run.identity) for run in originals)
    assert noticed > 10
    assert rescued > 10


def test_a_byte_of_the_index_is_noticed_and_repair_keeps_every_run(store, tmp_path, a_run):
    runs = [a_run(seed) for seed in range(40)]
    store.append(*runs)
    whole = store.path.read_bytes()
    kept = []
    for found in re.finditer(
        runs[7].identity.encode(), whole
    ):  # it stands in its row, sealed, and in the index
        data = bytearray(whole)
        data[found.start()] ^= 1
        path = tmp_path / f"{found.start()}.db"
        path.write_bytes(data)
        with pytest.raises(StoreDamaged):
            RunStore(path)
        kept.append(repair(path).kept)
    assert sorted(kept) == [39, 40]


@pytest.mark.parametrize(
    "change",
    [
        "DROP VIEW run; CREATE VIEW run AS SELECT *, 0.1 AS loss FROM runs",
        "DROP TRIGGER runs_are_not_removed",
        "CREATE TRIGGER more AFTER INSERT ON runs BEGIN SELECT 1; END",
        "DROP INDEX runs_by_identity",
        "CREATE TABLE more (x)",
    ],
)
def test_what_stands_beside_the_rows_is_checked_too_and_repaired(store, a_run, change):
    store.append(*(a_run(seed) for seed in range(3)))
    with closing(sqlite3.connect(store.path)) as connection:
        connection.executescript(change)
    with pytest.raises(StoreDamaged, match="is not as it was made"):
        RunStore(store.path)
    assert repair(store.path).kept == 3
    assert len(RunStore(store.path).runs("loss = 0.5")) == 3


def test_a_sound_store_is_not_repaired(store, a_run):
    store.append(a_run())
    before = store.path.read_bytes()
    assert repair(store.path) == Rescue(kept=1)
    assert store.path.read_bytes() == before


@pytest.mark.parametrize("sound", [True, False])
@pytest.mark.parametrize("lock", ["BEGIN EXCLUSIVE", "BEGIN IMMEDIATE"])
def test_a_store_that_another_process_keeps_is_not_damaged(store, a_run, monkeypatch, lock, sound):
    store.append(a_run(), a_run(seed=1))
    if not sound:
        altered(store.path, "DELETE FROM runs WHERE number = 2")
    before = store.path.read_bytes()
    monkeypatch.setattr("empirics.runs.layout.WAIT_SECONDS", 0.05)
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute(lock)
        if lock == "BEGIN IMMEDIATE" and sound:
            assert repair(store.path) == Rescue(kept=2)  # a reader needs no lock of its own
        else:
            with pytest.raises(
                RunError, match=r"another process kept it for more than 0\.05 s; try again"
            ) as kept:
                repair(store.path)
            assert not isinstance(kept.value, StoreDamaged)
    assert store.path.read_bytes() == before


def test_what_waited_for_a_repair_is_not_written_to_the_file_that_was_set_aside(store, a_run, monkeypatch):
    store.append(a_run(), a_run(seed=1))
    altered(store.path, "DELETE FROM runs WHERE number = 2")
    before, connected = store.path.stat().st_ino, store._connection

    @contextmanager
    def late():
        with connected() as connection:
            repair(store.path)
            yield connection

    monkeypatch.setattr(store, "_connection", late)
    with pytest.raises(RunError, match="was repaired meanwhile; try again"):
        store.append(a_run(seed=2))
    assert store.path.stat().st_ino != before
    assert len(RunStore(store.path).runs()) == 1


def notes(path):
    path.write_text("not a database, " * 100)


def other_database(path, *statements):
    with closing(sqlite3.connect(path)) as connection:
        for statement in ("CREATE TABLE runs (run_uuid TEXT)", "PRAGMA user_version = 1", *statements):
            connection.execute(statement)


def other_version(path):
    RunStore(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 7")


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (notes, "not a run store"),
        (other_database, "a database, but not a run store; choose another file"),
        (other_version, "of version 7, this moelaws reads version 1"),
        (lambda path: path.write_bytes(b""), "empty: truncated, or not a run store"),
        (lambda path: path.write_bytes(b"S"), "too short: truncated, or not a run store"),
        (lambda path: path.write_bytes(b"S" * 511), "not a run store"),
        (lambda path: path.mkdir(), "unable to open"),
    ],
)
def test_what_is_no_store_of_this_version_is_refused_and_left_as_it_is(tmp_path, write, said):
    path = tmp_path / "other.db"
    write(path)
    before = path.read_bytes() if path.is_file() else None
    for use in (RunStore, lambda path: RunStore(path, create=False), repair):
        with pytest.raises(RunError, match=said) as refused:
            use(path)
        assert not isinstance(refused.value, StoreDamaged)
    assert before == (path.read_bytes() if path.is_file() else None)
    assert [file.name for file in tmp_path.iterdir()] == ["other.db"]


@pytest.mark.parametrize("size", [512, 5000])
def test_where_no_run_can_be_kept_the_file_stays(store, a_run, size):
    store.append(*(a_run(seed, config={"filler": "x" * 500}) for seed in range(60)))
    store.path.write_bytes(cut := store.path.read_bytes()[:size])
    with pytest.raises(StoreDamaged):
        RunStore(store.path)
    with pytest.raises(RunError, match="not one of its runs can be kept, so the file is left as it is"):
        repair(store.path)
    assert store.path.read_bytes() == cut
    assert [file.name for file in store.path.parent.iterdir()] == ["runs.db"]


def test_an_absent_store_is_made_only_where_that_is_wanted(tmp_path):
    for use in (lambda path: RunStore(path, create=False), repair):
        with pytest.raises(RunError, match="there is no run store"):
            use(tmp_path / "absent.db")
    assert list(tmp_path.iterdir()) == []
    assert len(RunStore(tmp_path / "below" / "new.db")) == 0
    assert [file.name for file in (tmp_path / "below").iterdir()] == ["new.db"]


def test_a_store_that_is_started_twice_at_once_is_made_once(tmp_path, a_run, monkeypatch):
    path = tmp_path / "runs.db"

    class Late(sqlite3.Connection):
        def close(self):
            super().close()
            monkeypatch.undo()
            RunStore(path).append(a_run())

    connect = sqlite3.connect
    monkeypatch.setattr(
        "empirics.runs.layout.sqlite3.connect", lambda *given, **rest: connect(*given, **rest, factory=Late)
    )
    store = RunStore(path)
    assert [item.run for item in store.runs()] == [a_run()]


def test_a_kill_while_a_store_is_made_leaves_none(tmp_path):
    killed = (
        "import os, signal, sys\n"
        "from empirics.runs import RunStore\n"
        "sys.addaudithook(lambda event, given: event == 'os.link' and os.kill(os.getpid(), signal.SIGKILL))\n"
        "RunStore('runs.db')\n"
    )
    done = subprocess.run([sys.executable, "-c", killed], cwd=tmp_path, check=False)
    assert done.returncode == -signal.SIGKILL
    with pytest.raises(RunError, match="there is no run store"):
        RunStore(tmp_path / "runs.db", create=False)
    assert len(RunStore(tmp_path / "runs.db")) == 0


def test_a_store_that_cannot_be_made_is_told(tmp_path, monkeypatch):
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises((RunError, OSError)):
        RunStore(tmp_path / "loop" / "runs.db")

    def full(*arguments, **options):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("empirics.runs.layout.sqlite3.connect", full)
    with pytest.raises(RunError, match="full"):
        RunStore(tmp_path / "runs.db")
    assert not list(tmp_path.glob("*runs.db*"))
