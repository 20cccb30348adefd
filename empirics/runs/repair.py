"""Rescue of a damaged store: every row that is still as it was written goes into a new one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from empirics.base.files import replacing
from empirics.runs.layout import StoreDamaged, connected, explained
from empirics.runs.record import Run, RunError, read_run
from empirics.runs.store import RunStore, seal_after


@dataclass(frozen=True)
class Rescue:
    """What was kept, the numbers of rows that were not as written, how many are known to be gone, and where the
    damaged file is now (None where the store is sound)."""

    kept: int
    altered: tuple[int, ...] = ()
    lost: int = 0
    set_aside: Path | None = None


def repair(path: Path) -> Rescue:
    """Replace a damaged store by one of its sound rows; the damaged file is kept beside it under another name.

    A row is sound where its seal follows from its text and from the seal before it. After a gap of
    lost rows the first one cannot be judged, and counts as sound where it is a whole record.

    RunError, and the file stays, where it is no run store, where another process keeps it, and where no run is left.
    """
    try:
        return Rescue(len(RunStore(path, create=False)))
    except StoreDamaged:
        pass
    with _kept_from_others(path) as connection:
        sound, altered, last = _judged(connection, path)
        written = max(last, _rows_written(connection))
        if not sound:
            raise RunError(
                f"{path}: damaged, and not one of its runs can be kept, so the file is left as it is; "
                "move it away to start a new store"
            )
        aside = _free_name(path)
        with replacing(path) as temporary:
            temporary.unlink()
            RunStore(temporary).append(*sound)
            aside.hardlink_to(path)
    return Rescue(len(sound), tuple(altered), written - len(sound) - len(altered), aside)


@contextmanager
def _kept_from_others(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection to a damaged file that no other process reads or writes meanwhile."""
    with connected(path) as connection:
        connection.execute("PRAGMA writable_schema = ON")  # reads a file shorter than its header says
        with (
            suppress(StoreDamaged),
            explained(path),
        ):  # what cannot be locked for its damage holds nothing to read
            connection.execute("BEGIN EXCLUSIVE")
        yield connection


def _judged(connection: sqlite3.Connection, path: Path) -> tuple[list[Run], list[int], int]:
    """The sound runs, the numbers of the others that can be read, and the last number."""
    sound: list[Run] = []
    altered: list[int] = []
    before = (0, "")
    last = 0
    for number, identity, outcome, record, seal in _readable_rows(connection):
        last = max(last, number)
        content = (identity, outcome, record)
        follows = before[0] + 1 != number or seal_after(before[1], *content) == seal
        try:
            run = read_run(record, f"{path}, run {number}")
        except RunError:
            follows = False
        if follows:
            sound.append(run)
        else:
            altered.append(number)
        before = (number, seal)
    return sound, altered, last


def _readable_rows(connection: sqlite3.Connection) -> list[tuple[int, str, str, str, str]]:
    """Rows in order; a page that cannot be read ends the walk, and a second one from the end takes up what follows it."""
    rows: dict[int, tuple[int, str, str, str, str]] = {}
    for order in ("ASC", "DESC"):
        with suppress(sqlite3.Error, UnicodeDecodeError):
            for row in connection.execute(
                f"SELECT number, identity, outcome, record, seal FROM runs NOT INDEXED ORDER BY number {order}"
            ):
                if all(isinstance(value, str) for value in row[1:]):
                    rows[row[0]] = row
    return [rows[number] for number in sorted(rows)]


def _rows_written(connection: sqlite3.Connection) -> int:
    try:
        return int(connection.execute("SELECT rows FROM state").fetchone()[0])
    except (sqlite3.Error, TypeError, ValueError):
        return 0


def _free_name(path: Path) -> Path:
    number = 1
    while (candidate := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return candidate
