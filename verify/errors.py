"""The one error a user sees for bad input: what is wrong, where, what was expected, what to do."""

from __future__ import annotations

__all__ = ["InputError"]

import difflib
from collections.abc import Iterable


class InputError(Exception):
    """Bad input from the user; its text is one complete, readable line."""


def suggest(word: str, known: Iterable[str]) -> str:
    """ " Did you mean ...?" for the known words nearest to ``word``, or an empty string."""
    candidates = list(known)
    near = difflib.get_close_matches(word, candidates, n=3, cutoff=0.5)
    near += [w for w in candidates if word and word in w and w not in near][: 3 - len(near)]
    return f" Did you mean {', '.join(near)}?" if near else ""
