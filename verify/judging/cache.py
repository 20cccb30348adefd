"""Evidence kept on disk under its content address; safe when several runs share it."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from empirics.base.files import write_atomically
from verify.errors import InputError
from verify.recheck.sealed import is_sealed, seal

_KEY = re.compile(r"[0-9a-f]{64}")
_LONGEST_START = 400
"""So many bytes hold the digest and the key of an entry, which begins with them (its names are sorted)."""


def default_folder() -> Path:
    """$MOELAWS_CACHE, or the platform's cache folder for this user."""
    if chosen := os.environ.get("MOELAWS_CACHE"):
        try:
            return Path(chosen).expanduser()
        except RuntimeError as problem:
            raise InputError(f"MOELAWS_CACHE={chosen}: {problem}; give the path of a folder") from None
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
        """Remove every entry; how many there were. A file that is none, whatever its name, stays."""
        entries = [path for path in sorted(self.folder.glob("??/*.json")) if self._is_entry(path)]
        for path in entries:
            path.unlink(missing_ok=True)
        return len(entries)

    def _is_entry(self, path: Path) -> bool:
        """Whether a file lies where its key belongs and begins as an entry of this key does; its rest may be damaged."""
        key = path.stem
        try:
            with path.open("rb") as file:
                begins = file.read(_LONGEST_START)
        except OSError:
            return False
        return (
            path == self._path(key)
            and _KEY.fullmatch(key) is not None
            and f'"key": "{key}"'.encode() in begins
        )

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"
