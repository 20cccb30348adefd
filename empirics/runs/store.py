"""The run store: one SQLite file that only grows, and that notices when something was changed or lost.

Every run is a row of canonical JSON with a seal, the SHA-256 of the seal before it and the row's text, its identity and
outcome with it; a last seal and a count are kept beside the rows. So a changed, a missing and a cut-off row are all noticed
when the store is opened, and `empirics.runs.repair` can say which rows are still as they were written.
The seals guard against accidents, not against somebody who forges them all.

Writers wait for one another; a killed one leaves the store as before its last whole append. Who measures what is said in
`empirics.runs.locks`.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from empirics.runs.layout import COLUMNS, check_is_store, check_layout, connected, damaged, make_empty
from empirics.runs.record import Run, RunError, read_run


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

    Opening reads every row. It raises `StoreDamaged` where the file is not as it was written, and any other RunError where it
    is no store of this version or cannot be read now. ``create=False`` refuses a file that does not exist.
    """

    def __init__(self, path: str | Path, *, create: bool = True) -> None:
        self.path = Path(path)
        if create and not self.path.exists():
            make_empty(self.path)
        with self._connection() as connection:
            connection.execute("BEGIN")
            check_is_store(connection, self.path)
            self._check(connection)
            check_layout(connection, self.path)

    def append(self, *runs: Run) -> list[int]:
        """Add runs, all or none, and return their numbers."""
        with self._writing() as connection:
            return _append(connection, runs)

    def add_new(self, runs: Iterable[Run]) -> int:
        """Add those runs that the store does not hold yet, all or none; how many they were."""
        with self._writing() as connection:
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
        with self._connection() as connection:
            rows = connection.execute(
                "SELECT number, identity, outcome, record FROM runs ORDER BY number"
            ).fetchall()
            _allow_reading_only(connection)
            chosen = _chosen(connection, where) if where.strip() else {row[0] for row in rows}
        for number, identity, outcome, record in rows:
            earlier, its_outcome = first.setdefault(identity, (number, outcome))
            if number not in chosen:
                continue
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
        with self._connection() as connection:
            for identity in identities:
                row = connection.execute(
                    "SELECT record FROM runs WHERE identity = ? ORDER BY number LIMIT 1", (identity,)
                ).fetchone()
                if row is not None:
                    found[identity] = read_run(row[0], str(self.path))
        return found

    def __len__(self) -> int:
        with self._connection() as connection:
            return int(connection.execute("SELECT rows FROM state").fetchone()[0])

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        if not self.path.exists():
            raise RunError(
                f"{self.path}: there is no run store; 'moelaws sweep' or 'moelaws runs import' starts one"
            )
        with connected(self.path) as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        file = self._file()
        with self._connection() as connection:
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("BEGIN IMMEDIATE")
            if self._file() != file:  # else this would be written to the one that a repair has set aside
                raise RunError(f"{self.path}: the store was repaired meanwhile; try again")
            yield connection
            connection.execute("COMMIT")

    def _file(self) -> int:
        """What tells the file from another one of its name, 0 where there is none."""
        return self.path.stat().st_ino if self.path.exists() else 0

    def _check(self, connection: sqlite3.Connection) -> None:
        """StoreDamaged unless the file is whole, its index included, with every seal in place."""
        if (answer := connection.execute("PRAGMA integrity_check(1)").fetchone()[0]) != "ok":
            raise damaged(self.path, answer)
        rows, last = connection.execute("SELECT rows, seal FROM state").fetchone() or (0, "no state")
        expected, seal = 1, ""
        rows_in_order = "SELECT number, identity, outcome, record, seal FROM runs ORDER BY number"
        for number, *content, given in connection.execute(rows_in_order):
            if number != expected:
                raise damaged(self.path, f"run {expected} is missing")
            seal = seal_after(seal, *content)
            if seal != given:
                raise damaged(self.path, f"run {number} was altered after it was written")
            expected += 1
        if (expected - 1, seal) != (rows, last):
            raise damaged(self.path, f"it holds {expected - 1} runs where {rows} were written")


def _chosen(connection: sqlite3.Connection, where: str) -> set[int]:
    """The numbers of the runs that meet a condition. It only chooses: whatever it says, nothing else is read by it."""
    try:
        return {row[0] for row in connection.execute(f"SELECT number FROM run WHERE ({where}\n)")}
    except (sqlite3.Error, UnicodeError, ValueError) as problem:
        if getattr(problem, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_CORRUPT:
            raise
        raise RunError(
            f"condition {where!r}: {problem}; expected SQL over the columns {', '.join(COLUMNS)}"
        ) from None


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


def _allow_reading_only(connection: sqlite3.Connection) -> None:
    allowed = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION}

    def decide(action: int, *about: str | None) -> int:
        return sqlite3.SQLITE_OK if action in allowed else sqlite3.SQLITE_DENY

    connection.set_authorizer(decide)
