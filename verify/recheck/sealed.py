"""report.json as a file: its layout's number, the seal that its content is kept under, and reading it back."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

BASE = Path("moelaws-report")
"""Where reports lie, each in the folder of its target."""
SCHEMA = 7
"""The layout of report.json; a reader refuses any other."""
DEEPEST = 100
"""So many lists and objects may stand inside one another; a report has about twenty."""


class NotAReport(Exception):
    """What was given is no report that this version reads; its text is one complete line."""


def seal(content: Mapping[str, Any]) -> str:
    """SHA-256 of all content but the ``digest`` itself, as JSON with sorted keys and no blanks.

    ValueError for nan and infinities, which JSON does not have.
    """
    sealed = {key: value for key, value in content.items() if key != "digest"}
    text = json.dumps(sealed, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def is_sealed(record: Mapping[str, Any]) -> bool:
    """Whether a report is as it was written."""
    return record.get("digest") == seal(record)


def latest(folder: Path = BASE) -> Path:
    """The folder under ``folder`` whose report.json was written last; ``folder`` itself where it holds one, or none does."""
    if (folder / "report.json").is_file():
        return folder
    written = sorted(folder.rglob("report.json"), key=lambda path: (path.stat().st_mtime_ns, path))
    return written[-1].parent if written else folder


def read_file(path: Path) -> dict[str, Any]:
    """Load a report.json, or the one in a folder, whatever its seal says; `NotAReport` for anything else."""
    file = path / "report.json" if path.is_dir() else path
    try:
        record = json.loads(
            file.read_text(encoding="utf-8"), object_pairs_hook=_without_repetition, parse_constant=_no_number
        )
        _check_values(record)
    except FileNotFoundError:
        raise NotAReport(
            f"{file}: no report there; expected a report.json or a folder that holds one"
        ) from None
    except (OSError, UnicodeDecodeError) as problem:
        raise NotAReport(f"{file}: cannot be read: {problem}") from None
    except (ValueError, RecursionError) as problem:
        raise NotAReport(f"{file}: not a report: {problem}") from None
    if not isinstance(record, dict) or not isinstance(record.get("claims"), list):
        raise NotAReport(f"{file}: not a report; expected the JSON that 'moelaws verify' writes")
    if record.get("schema") != SCHEMA:
        raise NotAReport(
            f"{file}: report schema {record.get('schema')!r}, this version reads {SCHEMA}; run 'moelaws verify' again"
        )
    return record


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON; of two entries of one name a reader would see one and the seal cover the other."""
    record = dict(pairs)
    if len(record) < len(pairs):
        raise ValueError("an object names an entry twice, so it was changed after it was written")
    return record


def _check_values(record: Any) -> None:
    """ValueError for what `json` reads and cannot write again as UTF-8, or what no reader would come to the end of."""
    level = [record]
    for _ in range(DEEPEST):
        for value in level:
            if isinstance(value, float) and not math.isfinite(value):
                raise ValueError("a number in it is too large")
            if isinstance(value, str) and not value.isascii():
                value.encode()  # half of a surrogate pair is no character: UnicodeEncodeError, a ValueError
        inner = [value for value in level if isinstance(value, (list, dict))]
        level = [part for value in inner for part in (value if isinstance(value, list) else _parts(value))]
        if not level:
            return
    raise ValueError(f"more than {DEEPEST} lists and objects stand inside one another")


def _parts(value: Mapping[str, Any]) -> Iterator[Any]:
    yield from value
    yield from value.values()


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no number of JSON")
