"""How a run store lies in its SQLite file, how that file comes to be, and what its troubles are called."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

from empirics.base.files import creating
from empirics.runs.record import SCHEMA, RunError

WAIT_SECONDS = 60.0
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
BEGIN;
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
COMMIT;
"""


@cache
def _as_made() -> list[tuple[str, ...]]:
    """Every table, index, trigger and view of a store, as SQLite lists them."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(_LAYOUT)
        return _objects(connection)


def _objects(connection: sqlite3.Connection) -> list[tuple[str, ...]]:
    return connection.execute("SELECT name, type, sql FROM sqlite_schema ORDER BY name, type").fetchall()


def check_layout(connection: sqlite3.Connection, path: Path) -> None:
    """StoreDamaged where something beside the rows was changed: the view that conditions read, a trigger that protects rows."""
    changed = sorted({name for name, *_ in set(_objects(connection)) ^ set(_as_made())})
    if changed:
        raise damaged(path, f"its {changed[0]} is not as it was made")


class StoreDamaged(RunError):
    """A run store whose file is no longer as it was written; `empirics.runs.repair` keeps what still is."""


def damaged(path: Path, what: str) -> StoreDamaged:
    """The error to raise where a store is not as it was written."""
    return StoreDamaged(
        f"{path}: the run store is damaged: {what}; 'moelaws runs repair {path}' keeps every run that is still as it was written"
    )


def make_empty(path: Path) -> None:
    """Make an empty store; one that is there already stays.

    It is written under another name and then linked to its own, so there is never a part of a store at ``path``,
    whenever the process is killed and however many start the same store at once.
    """
    with (
        explained(path),
        creating(_resolved(path)) as temporary,
        closing(sqlite3.connect(temporary)) as connection,
    ):
        connection.executescript(_LAYOUT)


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (RuntimeError, ValueError) as problem:  # a loop of links, a NUL
        raise RunError(f"{path}: {problem}; choose another file") from None


@contextmanager
def connected(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection without implicit transactions to a file that is there; sqlite3's errors become `RunError`."""
    with explained(path):
        address = f"{path.absolute().as_uri()}?mode=rw"  # a plain name would make the file where it is not
        connection = sqlite3.connect(address, uri=True, timeout=WAIT_SECONDS, isolation_level=None)
        with closing(connection):
            yield connection


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Say what an error of SQLite means to whoever keeps the store: damage is a `StoreDamaged`, nothing else is."""
    try:
        yield
    except sqlite3.Error as problem:
        code = getattr(problem, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF  # without the details
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            what = f"another process kept it for more than {WAIT_SECONDS:g} s; try again when it is done"
        elif code == sqlite3.SQLITE_NOTADB:
            what = "not a run store, or its first bytes were overwritten; choose another file"
        elif code in (
            sqlite3.SQLITE_CANTOPEN,
            sqlite3.SQLITE_READONLY,
            sqlite3.SQLITE_PERM,
            sqlite3.SQLITE_FULL,
            sqlite3.SQLITE_IOERR,
        ):
            what = f"{problem}; choose a file you may read and write, on a disk that works and has space"
        else:
            raise damaged(path, str(problem)) from None
        raise RunError(f"{path}: {what}") from None
    except (UnicodeDecodeError, TypeError) as problem:  # what changed bytes lead to
        raise damaged(path, str(problem)) from None


def check_is_store(connection: sqlite3.Connection, path: Path) -> None:
    """RunError unless the file is a run store of this version, sound or not."""
    columns = {row[1] for row in connection.execute("PRAGMA table_info(runs)")}
    if not {"record", "seal"} <= columns:
        if connection.execute("PRAGMA page_count").fetchone()[0] == 0:
            size = "too short" if path.stat().st_size else "empty"
            raise RunError(f"{path}: {size}: truncated, or not a run store; remove it to start a new one")
        raise RunError(f"{path}: a database, but not a run store; choose another file")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version != SCHEMA:
        raise RunError(
            f"{path}: a run store of version {version}, this moelaws reads version {SCHEMA}; export it with the "
            "other version"
        )
