"""Evidence kept on disk under its content address; safe when several runs share it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from empirics.base.files import write_atomically
from verify.recheck.sealed import is_sealed, seal


def default_folder() -> Path:
    """$MOELAWS_CACHE, or the platform's cache folder for this user."""
    if chosen := os.environ.get("MOELAWS_CACHE"):
        return Path(chosen).expanduser()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "moelaws"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "moelaws"


@dataclass
class Cache:
    """Content-addressed records. Entries are written under a temporary name and renamed, never
    changed afterwards; one that cannot be read, or is not as its digest says, counts as absent. ``trouble`` keeps the first write
    failure: a full disk costs speed, not a run."""

    folder: Path = field(default_factory=default_folder)
    trouble: str = ""

    def get(self, key: str) -> dict[str, Any] | None:
        """The record under ``key``, or None."""
        try:
            stored = json.loads(self._path(key).read_text(encoding="utf-8"))
            sealed = isinstance(stored, dict) and stored.get("key") == key and is_sealed(stored)
        except (OSError, ValueError, RecursionError):
            return None
        record = stored.get("record") if sealed else None
        return record if isinstance(record, dict) and record else None

    def put(self, key: str, record: Mapping[str, Any]) -> None:
        """Keep a record."""
        entry: dict[str, Any] = {"key": key, "record": record}
        try:
            entry["digest"] = seal(entry)
            write_atomically(self._path(key), json.dumps(entry, sort_keys=True))
        except UnicodeEncodeError:  # half a character, which has no bytes to take a digest of
            return
        except OSError as problem:
            self.trouble = self.trouble or f"{self.folder}: {problem.strerror or problem}"

    def clear(self) -> int:
        """Remove every entry; how many there were."""
        removed = 0
        for path in sorted(self.folder.glob("??/*.json")):
            path.unlink(missing_ok=True)
            removed += 1
        return removed

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"
