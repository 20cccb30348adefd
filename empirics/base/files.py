"""Writing files so that nothing is lost: a temporary name in the same folder, then a rename."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path in the same folder, renamed to ``path`` when the block ends well and removed otherwise."""
    with _beside(path) as temporary:
        yield temporary
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)


@contextmanager
def creating(path: Path) -> Iterator[Path]:
    """As `replacing`, but where ``path`` is there by the time the block ends it stays as it is."""
    with _beside(path) as temporary:
        yield temporary
        temporary.chmod(0o666 & ~_umask())
        with suppress(FileExistsError):
            path.hardlink_to(temporary)  # a rename would replace it


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def write_atomically(path: Path, text: str) -> None:
    """Write ``text`` to ``path``; a reader sees the old file or the new one, never a part. OSError passes."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
