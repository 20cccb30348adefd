"""The suspects of a paper that its authors know of: a TOML file that a build server reads, beside the paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from verify.commands.suspects import Told
from verify.errors import InputError
from verify.text import one_line

_FIELDS = ("place", "printed", "because")
_EXAMPLE = "expected [[erratum]] with place, printed and because, each a text in quotes"


@dataclass(frozen=True)
class Erratum:
    """A place and what it prints, as ``moelaws check`` says them, and what the authors say of it."""

    place: str
    printed: str
    because: str


def read_errata(path: Path) -> list[Erratum]:
    """The errata of a file; InputError says which one is not understood."""
    from empirics.runs.exchange import read_toml

    data = read_toml(path)
    entries = data.get("erratum", [])
    if set(data) - {"erratum"} or not isinstance(entries, list):
        raise InputError(f"{path}: {_EXAMPLE}")
    found = []
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, dict) or set(entry) != set(_FIELDS):
            raise InputError(f"{path}, erratum {number}: {_EXAMPLE}")
        if not all(isinstance(value, str) and value.strip() for value in entry.values()):
            raise InputError(f"{path}, erratum {number}: {_EXAMPLE}")
        found.append(Erratum(**entry))
    return found


def with_known(suspects: Sequence[Told], errata: Sequence[Erratum]) -> tuple[list[Told], list[Erratum]]:
    """The suspects, those that an erratum names with its reason; and the errata that name none any more."""
    reasons = {(one_line(e.place), one_line(e.printed)): e.because for e in errata}
    marked = [replace(s, known=reasons.get((one_line(s.place), one_line(s.printed)), "")) for s in suspects]
    named = {(one_line(s.place), one_line(s.printed)) for s in suspects}
    return marked, [e for e in errata if (one_line(e.place), one_line(e.printed)) not in named]
