"""A public table: its address, the digest of what was read there, licence, citation, and how its columns become a law's."""

from __future__ import annotations

__all__ = ["PublicTable", "public_table"]

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from empirics.fitting.tables import Table, read_columns
from theory.defined import Defined
from theory.errors import MoelawsError, suggest

FOLDER_VARIABLE = "MOELAWS_DATA"
"""The environment variable that names a folder with the files, ``FOLDER/FILE`` of each table, in place of a download."""


@dataclass(frozen=True)
class PublicTable:
    """The `file` at ``url``, kept in ``folder``; nothing of it is part of this project.

    ``adapt`` makes columns of it named like the inputs of laws (parameters, active_parameters, tokens, expansion), in parameters and
    tokens, and ``loss`` in nats per token. ``caveats`` say what a reader of a fit to it must know.
    """

    name: str
    words: str
    folder: str
    url: str
    sha256: str
    licence: str
    citation: str
    caveats: tuple[str, ...]
    adapt: Callable[[Table], Table]

    @property
    def file(self) -> str:
        """The last part of the address."""
        return self.url.rpartition("/")[2]

    def path(self) -> Path:
        """The file on this machine: in the folder that ``MOELAWS_DATA`` names, else downloaded once.

        MoelawsError where it cannot be had, or is not the file whose digest is known.
        """
        if chosen := os.environ.get(FOLDER_VARIABLE):
            path = Path(chosen) / self.folder / self.file
            try:
                digest = hashlib.sha256(path.read_bytes()).hexdigest()
            except OSError as problem:
                raise MoelawsError(
                    f"{path}: {problem.strerror}; {FOLDER_VARIABLE} names a folder that holds no {self.name}; unset it to download"
                ) from None
            if digest != self.sha256:
                raise MoelawsError(
                    f"{path}: its sha256 is {digest}, expected {self.sha256}; it is not the table {self.name}"
                )
            return path
        return self._downloaded()

    def _downloaded(self) -> Path:
        try:
            import pooch
        except ModuleNotFoundError:
            raise MoelawsError(
                f"{self.name}: downloading needs pip install 'moelaws[public]', or {FOLDER_VARIABLE} naming a folder that holds it"
            ) from None
        pooch.get_logger().setLevel("ERROR")
        try:
            found = pooch.retrieve(
                self.url,
                f"sha256:{self.sha256}",
                fname=self.file,
                path=pooch.os_cache("moelaws") / self.folder,
            )
        except (OSError, ValueError) as problem:  # no network, or another digest
            raise MoelawsError(
                f"{self.name}: {self.url} could not be had: {' '.join(str(problem).split())}"
            ) from None
        return Path(found)

    def columns(self) -> Table:
        """The adapted table, texts by column."""
        return self.adapt(read_columns(self.path()))


PUBLIC: Mapping[str, PublicTable] = Defined(PublicTable, "empirics.public")
"""Every public table by name."""


def public_table(name: str) -> PublicTable:
    """The public table of that name; MoelawsError with the names there are."""
    if name not in PUBLIC:
        raise MoelawsError(
            f"no public table is called {name!r}; known are {', '.join(PUBLIC)}.{suggest(name, PUBLIC)}"
        )
    return PUBLIC[name]
