"""Rescue of a damaged store: every row that is still as it was written goes into a new one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from empirics.files import replacing
from empirics.runs.record import Run, RunError, read_run
from empirics.runs.store import RunStore, seal_after


@dataclass(frozen=True)
class Rescue:
    """What was kept, the numbers of rows that were not as written, how many are known to be gone, and where the
    damaged file is now."""

    kept: int
    altered: tuple[int, ...]
    lost: int
    set_aside: Path


def repair(path: Path) -> Rescue:
    """Replace a damaged store by one of its sound rows; the damaged file is kept beside it under another name.

    A row is sound where its seal follows from its text and from the seal before it. After a gap of
    lost rows the first one cannot be judged, and counts as sound where it is a whole record.
    """
    if not path.is_file():
        raise RunError(f"{path}: there is no such file")
    sound: list[Run] = []
    altered: list[int] = []
    before: tuple[int, str] | None = (0, "")
    last = 0
    for number, identity, outcome, record, seal in _readable_rows(path):
        last = max(last, number)
        content = (identity, outcome, record)
        follows = before is None or before[0] + 1 != number or seal_after(before[1], *content) == seal
        try:
            run = read_run(record, f"{path}, run {number}")
        except RunError:
            follows = False
        if follows:
            sound.append(run)
        else:
            altered.append(number)
        before = (number, seal)
    written = max(last, _rows_written(path))
    aside = _free_name(path)
    with replacing(path) as temporary:
        temporary.unlink()
        RunStore(temporary).append(*sound)
        aside.hardlink_to(path)
    return Rescue(len(sound), tuple(altered), written - len(sound) - len(altered), aside)


def _readable_rows(path: Path) -> Iterator[tuple[int, str, str, str, str]]:
    """Rows in order; a page that cannot be read ends the walk, and a second one from the end takes up what follows it."""
    rows: dict[int, tuple[int, str, str, str, str]] = {}
    for order in ("ASC", "DESC"):
        try:
            with closing(sqlite3.connect(path)) as connection:
                connection.execute("PRAGMA writable_schema = ON")  # reads a file shorter than its header says
                for row in connection.execute(
                    f"SELECT number, identity, outcome, record, seal FROM runs NOT INDEXED ORDER BY number {order}"
                ):
                    if all(isinstance(value, str) for value in row[1:]):
                        rows[row[0]] = row
        except (sqlite3.Error, UnicodeDecodeError):
            continue
    yield from (rows[number] for number in sorted(rows))


def _rows_written(path: Path) -> int:
    try:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA writable_schema = ON")
            return int(connection.execute("SELECT rows FROM state").fetchone()[0])
    except (sqlite3.Error, TypeError, ValueError):
        return 0


def _free_name(path: Path) -> Path:
    number = 1
    while (candidate := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return candidate
