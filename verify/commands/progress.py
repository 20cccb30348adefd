"""The progress bar: it imports nothing before a terminal watches, so that it shows while the rest is still loading."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


class ProgressBar:
    """A bar on standard error while a terminal watches; nothing otherwise."""

    def __init__(self, words: str) -> None:
        self._words = words

    def __enter__(self) -> Callable[[int, int], None]:
        self._bar: Any = None
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import Progress

            self._bar = Progress(console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task(self._words, total=None)
        return self._update

    def _update(self, done: int, total: int) -> None:
        if self._bar is not None:
            self._bar.update(self._task, completed=done, total=total)

    def __exit__(self, *stopped: object) -> None:
        if self._bar is not None:
            self._bar.stop()
