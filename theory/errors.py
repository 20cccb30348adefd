"""The one base of the errors that bad input causes, and the hint that goes with a wrong name."""

from __future__ import annotations

__all__ = ["MoelawsError"]

import difflib
from collections.abc import Iterable


class MoelawsError(ValueError):
    """Bad input: the text is one complete line that says what is wrong, where, what was expected and what to do.

    Everything that this project raises on purpose for what a user gave is one of these; the command line shows the text and
    ends with status 2. A false claim is a verdict and never an error.
    """


def meant(word: str, known: Iterable[str]) -> str:
    """The one known word that is ``word`` but for case and punctuation (``alphaN``, ``n*``); else ``word`` itself."""
    candidates = list(known)
    near = [] if word in candidates else [other for other in candidates if _bare(other) == _bare(word)]
    return near[0] if len(near) == 1 else word


def _bare(word: str) -> str:
    return "".join(filter(str.isalnum, word.replace("*", "star").lower()))


def suggest(word: str, known: Iterable[str]) -> str:
    """ " Did you mean ...?" for the known words nearest to ``word``, in any case; an empty string where none is near."""
    candidates = list(known)
    lower = word.lower()
    nearest = difflib.get_close_matches(lower, dict.fromkeys(w.lower() for w in candidates), n=3, cutoff=0.5)
    near = [w for each in nearest for w in candidates if w.lower() == each][:3]
    near += [w for w in candidates if lower and lower in w.lower() and w not in near][: 3 - len(near)]
    return f" Did you mean {', '.join(near)}?" if near else ""
