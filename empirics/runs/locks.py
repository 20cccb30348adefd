"""Who measures what: locks on a file beside the store, which the operating system takes back when a process dies.

So two sweeps never measure the same run at once, and a killed one leaves nothing behind. The store must lie on a local disk.
"""

from __future__ import annotations

import fcntl
import os

from empirics.runs.store import RunStore


class Claims:
    """Which runs this process measures now, so that no other one does.

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
