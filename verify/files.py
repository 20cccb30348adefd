"""Writing where a user asked for it: said before the work when it cannot be done, and in one line."""

from __future__ import annotations

import errno
import tempfile
from pathlib import Path

from empirics.base.files import write_atomically
from verify.errors import InputError


def save(path: Path, text: str) -> None:
    """`write_atomically`, with an InputError that says what to do where the disk refuses."""
    try:
        write_atomically(path, text)
    except OSError as problem:
        advice = (
            "free some space or choose another disk"
            if problem.errno in (errno.ENOSPC, errno.EDQUOT)
            else "choose a folder you may write to with --report DIR"
        )
        raise InputError(f"{path}: cannot be written: {problem.strerror or problem}; {advice}") from None


def require_writable(folder: Path) -> None:
    """InputError where ``folder`` cannot be made or written to: said before the work, not after it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as problem:
        raise InputError(
            f"{folder}: cannot be written to: {problem.strerror or problem}; choose another folder with --report DIR"
        ) from None
