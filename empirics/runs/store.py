"""The run store: one SQLite file that only grows, and that notices when something was changed or lost.

Every run is a row of canonical JSON with a seal, the SHA-256 of the seal before it and the row's text, its identity and
outcome with it; a last seal and a count are kept beside the rows. So a changed, a missing and a cut-off row are all noticed
when the store is opened, and `empirics.runs.repair` can say which rows are still as they were written.
The seals guard against accidents, not against somebody who forges them all.

Writers wait for one another; a killed one leaves the store as before its last whole append.
Claims (`RunStore.claim`) keep two sweeps from measuring the same run at once. They are locks that
the operating system takes back when a process dies, so the store must lie on a local disk.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from empirics.runs.record import SCHEMA, Run, RunError, read_run

_WAIT_SECONDS = 60.0
_FIELDS = {
    "architecture": (
        "kind",
        "layers",
        "d_model",
        "d_ff",
        "heads",
        "experts",
        "active",
        "shared_experts",
        "sequence",
        "vocabulary",
    ),
    "budgets": ("active_parameters", "total_parameters", "tokens", "samples", "flops"),
    "data": ("dimension", "smoothness", "noise"),
}
COLUMNS = {
    "number": "number",
    **{
        name: f"json_extract(record, '$.{name}')"
        for name in ("name", "source", "seed", "loss", "unit", "code", "hardware", "seconds", "finished")
    },
    "data": "json_extract(record, '$.data.name')",
    **{
        name: f"json_extract(record, '$.{group}.{name}')"
        for group, names in _FIELDS.items()
        for name in names
        if name != "name"
    },
    "identity": "identity",
    "outcome": "outcome",
}
"""What a condition may use, and where it is found in a row."""

_LAYOUT = f"""
CREATE TABLE runs (
  number INTEGER PRIMARY KEY, identity TEXT NOT NULL, outcome TEXT NOT NULL, record TEXT NOT NULL, seal TEXT NOT NULL
) STRICT;
CREATE INDEX runs_by_identity ON runs (identity);
CREATE TABLE state (one INTEGER PRIMARY KEY CHECK (one = 1), rows INTEGER NOT NULL, seal TEXT NOT NULL) STRICT;
INSERT INTO state VALUES (1, 0, '');
CREATE TRIGGER runs_are_not_changed BEFORE UPDATE ON runs BEGIN SELECT RAISE(ABORT, 'runs are never changed'); END;
CREATE TRIGGER runs_are_not_removed BEFORE DELETE ON runs BEGIN SELECT RAISE(ABORT, 'runs are never removed'); END;
CREATE VIEW run AS SELECT {", ".join(f"{where} AS {name}" for name, where in COLUMNS.items())}, record FROM runs;
PRAGMA user_version = {SCHEMA};
"""


@dataclass(frozen=True)
class Stored:
    """A run and its number in the store; ``rerun_of`` is the first run of the same identity, ``agrees`` whether
    both found the same."""

    number: int
    run: Run
    rerun_of: int | None = None
    agrees: bool = True


def seal_after(before: str, identity: str, outcome: str, record: str) -> str:
    """The seal of a row whose predecessor's is ``before``."""
    return hashlib.sha256("\n".join((before, identity, outcome, record)).encode()).hexdigest()


class RunStore:
    """An append-only store of runs in one file.

    Opening reads every row and raises RunError where the file is damaged, was altered, or is no store.
    ``create=False`` refuses a file that does not exist.
    """

    def __init__(self, path: str | Path, *, create: bool = True) -> None:
        self.path = Path(path)
        if not self.path.exists():
            if not create:
                raise RunError(
                    f"{self.path}: there is no run store; 'moelaws sweep' or 'moelaws runs import' starts one"
                )
            self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._explained(), self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
                if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                    raise RunError(f"{self.path}: a database, but not a run store; choose another file")
                for statement in _statements(_LAYOUT):
                    connection.execute(statement)
            connection.execute("COMMIT")
            self._check(connection)

    def append(self, *runs: Run) -> list[int]:
        """Add runs, all or none, and return their numbers."""
        with self._explained(), self._writing() as connection:
            return _append(connection, runs)

    def add_new(self, runs: Iterable[Run]) -> int:
        """Add those runs that the store does not hold yet, all or none; how many they were."""
        with self._explained(), self._writing() as connection:
            seen = {tuple(row) for row in connection.execute("SELECT identity, outcome FROM runs")}
            new = []
            for run in runs:
                key = (run.identity, run.outcome)
                if key not in seen:
                    seen.add(key)
                    new.append(run)
            return len(_append(connection, new))

    def runs(self, where: str = "") -> list[Stored]:
        """The runs that meet a condition in SQL over `COLUMNS`, such as ``experts = 8 and loss < 0.5``."""
        first: dict[str, tuple[int, str]] = {}
        found = []
        with self._explained(), self._connection() as connection:
            for number, identity, outcome in connection.execute(
                "SELECT number, identity, outcome FROM runs ORDER BY number"
            ):
                first.setdefault(identity, (number, outcome))
            _allow_reading_only(connection)
            condition = f"WHERE ({where}\n)" if where.strip() else ""
            try:
                rows = connection.execute(
                    f"SELECT number, identity, outcome, record FROM run {condition} ORDER BY number"
                ).fetchall()
            except sqlite3.Error as problem:
                if not where.strip() or "malformed" in str(problem):
                    raise
                raise RunError(
                    f"condition {where!r}: {problem}; expected SQL over the columns {', '.join(COLUMNS)}"
                ) from None
        for number, identity, outcome, record in rows:
            earlier, its_outcome = first[identity]
            found.append(
                Stored(
                    number,
                    read_run(record, f"{self.path}, run {number}"),
                    None if earlier == number else earlier,
                    outcome == its_outcome,
                )
            )
        return found

    def holds(self, identity: str) -> bool:
        """Whether a run of this identity is in the store."""
        return bool(self.outcomes((identity,)))

    def outcomes(self, identities: Iterable[str]) -> dict[str, Run]:
        """The first run of each identity that the store holds."""
        found = {}
        with self._explained(), self._connection() as connection:
            for identity in identities:
                row = connection.execute(
                    "SELECT record FROM runs WHERE identity = ? ORDER BY number LIMIT 1", (identity,)
                ).fetchone()
                if row is not None:
                    found[identity] = read_run(row[0], str(self.path))
        return found

    def __len__(self) -> int:
        with self._explained(), self._connection() as connection:
            return int(connection.execute("SELECT rows FROM state").fetchone()[0])

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        connection = sqlite3.connect(self.path, timeout=_WAIT_SECONDS, isolation_level=None)
        try:
            connection.execute("PRAGMA synchronous = FULL")
            yield connection
        finally:
            connection.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as problem:
            if "locked" in str(problem):
                what = (
                    f"another process kept it for more than {_WAIT_SECONDS:.0f} s; try again when it is done"
                )
            elif "unable to open" in str(problem) or "readonly" in str(problem) or "full" in str(problem):
                what = f"{problem}; choose a file you may write to, on a disk with space"
            else:
                raise _damaged(self.path, str(problem)) from None
            raise RunError(f"{self.path}: {what}") from None
        except (sqlite3.Error, UnicodeDecodeError, TypeError) as problem:  # what changed bytes lead to
            raise _damaged(self.path, str(problem)) from None

    def _check(self, connection: sqlite3.Connection) -> None:
        """RunError unless this is a whole store of this version with every seal in place."""
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version != SCHEMA:
            raise RunError(
                f"{self.path}: a run store of version {version}, this moelaws reads version {SCHEMA}; export it with the other version"
            )
        connection.execute("BEGIN")
        if (answer := connection.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
            raise _damaged(self.path, answer)
        rows, last = connection.execute("SELECT rows, seal FROM state").fetchone() or (0, "no state")
        expected, seal = 1, ""
        rows_in_order = "SELECT number, identity, outcome, record, seal FROM runs ORDER BY number"
        for number, *content, given in connection.execute(rows_in_order):
            if number != expected:
                raise _damaged(self.path, f"run {expected} is missing")
            seal = seal_after(seal, *content)
            if seal != given:
                raise _damaged(self.path, f"run {number} was altered after it was written")
            expected += 1
        if (expected - 1, seal) != (rows, last):
            raise _damaged(self.path, f"it holds {expected - 1} runs where {rows} were written")
        connection.execute("COMMIT")


def _append(connection: sqlite3.Connection, runs: Iterable[Run]) -> list[int]:
    rows, seal = connection.execute("SELECT rows, seal FROM state").fetchone()
    numbers = []
    for run in runs:
        content = (run.identity, run.outcome, run.text())
        rows, seal = rows + 1, seal_after(seal, *content)
        connection.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?)", (rows, *content, seal))
        numbers.append(rows)
    connection.execute("UPDATE state SET rows = ?, seal = ?", (rows, seal))
    return numbers


def _statements(script: str) -> Iterator[str]:
    """The statements of a script one by one: ``executescript`` would commit the transaction they belong to."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _allow_reading_only(connection: sqlite3.Connection) -> None:
    allowed = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION}

    def decide(action: int, *about: str | None) -> int:
        return sqlite3.SQLITE_OK if action in allowed else sqlite3.SQLITE_DENY

    connection.set_authorizer(decide)


def _damaged(path: Path, what: str) -> RunError:
    return RunError(
        f"{path}: the run store is damaged: {what}; 'moelaws runs repair {path}' keeps every run that is still as it was written"
    )


class Claims:
    """Which runs this process measures now, so that no other one does; see `empirics.runs.store`.

    A process holds its claims until it drops them, closes them all, or dies.
    """

    def __init__(self, store: RunStore) -> None:
        path = store.path.with_name(f"{store.path.name}.claims")
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)

    def take(self, identity: str) -> bool:
        """Whether the run is now this process's to measure; False where another one measures it."""
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _place(identity))
        except OSError:
            return False
        return True

    def drop(self, identity: str) -> None:
        """Let others take the run."""
        fcntl.lockf(self._file, fcntl.LOCK_UN, 1, _place(identity))

    def close(self) -> None:
        """Drop everything."""
        os.close(self._file)


def _place(identity: str) -> int:
    """A byte of the lock file, beyond its end, that stands for one run (60 bits of its identity)."""
    return int(identity[:15], 16)
