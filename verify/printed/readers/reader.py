"""What a reader of a format is, and how a paper's files are found and read.

A format is one file in this folder: a class derived from `Reader`, and a module-level instance of it. Nothing of a paper
is executed, nothing outside its folder is opened, and what could not be read is listed with its file and line.
"""

from __future__ import annotations

__all__ = ["PaperRead", "Unread", "read_paper"]

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from theory.defined import Defined
from verify.errors import InputError
from verify.printed.readers.grid import Grid
from verify.printed.readers.structure import SourceTable, tables_of

LARGEST_FILE = 16 * 2**20
"""Bytes; the source of a paper with a hundred tables takes less than one of the sixteen mebibytes."""
ARCHIVES = {".zip", ".gz", ".tgz", ".tar", ".bz2", ".xz", ".zst", ".7z"}


@dataclass(frozen=True)
class Unread:
    """Something that was left out, where it stands and why."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.reason}"


@dataclass(frozen=True)
class PaperRead:
    """All tables of a paper in the order of its files, and what could not be read."""

    tables: tuple[SourceTable, ...]
    unread: tuple[Unread, ...]


class Reader(ABC):
    """Reads one format. ``suffixes`` are those of its files, lower case, with the dot.

    ``example`` is one small table as a file of the format has it; the contract test says which.
    """

    name: str
    suffixes: tuple[str, ...]
    example: str

    @abstractmethod
    def read(self, path: Path) -> Iterator[Grid | Unread]:
        """The grids of a file as they are printed, and what is no readable grid.

        InputError for a file that is refused as a whole: too large, endless, or reaching outside its folder.
        """

    def chosen(self, paths: list[Path]) -> list[Path]:
        """Which files of a folder are read by themselves; the others are reached from them, or not at all."""
        return paths


READERS = Defined(Reader, "verify.printed.readers")  # type: ignore[type-abstract]


def source_text(path: Path) -> str:
    """The text of a file; InputError, in a sentence, for one that is too large, not UTF-8 or not there."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise InputError(
                f"{path}: {path.stat().st_size // 2**20} MB; a source file of more than "
                f"{LARGEST_FILE // 2**20} MB is not read; give the file with the tables alone"
            )
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        reason = getattr(problem, "strerror", None) or "it is not UTF-8 text; convert it first"
        raise InputError(f"{path}: cannot be read: {reason}") from None


def read_paper(path: Path) -> PaperRead:
    """Read every table of a file, or of the files in a folder.

    InputError where the path holds no format that is read here, or where a file is refused.
    """
    files = _files(path)
    tables: list[SourceTable] = []
    unread: list[Unread] = []
    for reader, file in files:
        inside = file.parent.relative_to(path) if path.is_dir() else Path()
        for found in reader.read(file):
            found = replace(found, file=(inside / (found.file or file.name)).as_posix())
            if isinstance(found, Unread):
                unread.append(found)
                continue
            made = list(tables_of(found))
            tables += made
            if not made:
                unread.append(Unread(found.file, found.line, "a table without numbers"))
    for table in tables:
        for row in table.rows:
            unread += [
                Unread(table.file, cell.line, f"a cell of {table.name}: {cell.problem}")
                for cell in row.cells
                if cell.problem and not cell.spanned
            ]
    return PaperRead(tuple(tables), tuple(unread))


def _files(path: Path) -> list[tuple[Reader, Path]]:
    known = ", ".join(suffix for reader in READERS.values() for suffix in reader.suffixes)
    if not path.is_dir():
        for reader in READERS.values():
            if path.suffix.lower() in reader.suffixes:
                return [(reader, path)]
        if path.suffix.lower() in ARCHIVES:
            raise InputError(f"{path}: an archive; it is not unpacked here; unpack it and give the folder")
        if path.suffix.lower() == ".pdf":
            raise InputError(f"{path}: a PDF is not read; give the paper's LaTeX source, or its page as HTML")
        raise InputError(f"{path}: no format that is read here; expected a folder, or a file with {known}")
    found = []
    for reader in READERS.values():
        paths = sorted(p for p in path.rglob("*") if p.suffix.lower() in reader.suffixes and p.is_file())
        for file in reader.chosen(paths):
            if not file.resolve().is_relative_to(path.resolve()):
                raise InputError(f"{file}: a link to a file outside the folder; it is not followed")
            found.append((reader, file))
    if not found:
        raise InputError(f"{path}: no file in this folder is read here; expected {known}")
    return found
