"""Where reports lie: each target has its own folder under ``moelaws-report``, so that no report overwrites another's."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from verify.judging.claims import Paper
from verify.judging.papers import folder_of, installed_folders, split_target
from verify.recheck.sealed import BASE

_LONGEST = 80


def folder_for(targets: Sequence[str], papers: Sequence[Paper]) -> Path:
    """The folder for the report on these targets, which `select` took for ``papers``: ``all`` where there is none.

    A target that is no id (a glob), and several targets, have a few digits of a digest in the name of their folder.
    """
    if not targets:
        return BASE / "all"
    names = [_id_of(target, papers) for target in targets]
    name = names[0] if len(names) == 1 else "+".join(name.replace("/", "-") for name in names)
    plain = re.sub(r"[^A-Za-z0-9._/+-]|\.\.+", "_", name)[:_LONGEST]
    if plain == name and len(names) == 1:
        return BASE / plain
    return BASE / f"{plain}-{hashlib.sha256(' '.join(names).encode()).hexdigest()[:6]}"


def _id_of(target: str, papers: Sequence[Paper]) -> str:
    """A target as the id of a paper or claim, where it was typed as the way to a folder."""
    home, rest = split_target(target, installed_folders())
    if home is None:
        return rest
    paper = next(p for p in papers if (own := folder_of(p)) and own.resolve() == home.resolve())
    return f"{paper.id}/{rest}".rstrip("/")
