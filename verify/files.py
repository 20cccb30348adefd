"""Writing files so that nothing is lost: a temporary name in the same folder, then a rename."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

from verify.errors import InputError


def write_atomically(path: Path, text: str) -> None:
    """Write ``text`` to ``path``; a reader sees the old file or the new one, never a part. OSError passes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


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


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
