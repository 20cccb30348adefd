"""Standard output and standard error, whatever they are connected to: a closed one, one of ASCII, a pipe that nobody reads."""

from __future__ import annotations

import codecs
import io
import os
import sys
from contextlib import suppress

from verify.text import one_line

_ESCAPED = "moelaws.escaped"


def _escaped(problem: UnicodeError) -> tuple[str, int]:
    r"""What an encoding lacks as ``\uXXXX``, which JSON reads back as the character."""
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    missing = problem.object[problem.start : problem.end].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{missing[i : i + 2].hex()}" for i in range(0, len(missing), 2)), problem.end


codecs.register_error(_ESCAPED, _escaped)


def make_usable() -> None:
    """Let every text be printed: a closed stream swallows it, and a character that a stream cannot hold is escaped."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # Python's sign that it was closed before the start
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - it serves until the end
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_ESCAPED)


def silence(name: str) -> None:
    """Let what is still to be written go nowhere, so that the end of Python does not fail over it."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), getattr(sys, name).fileno())


def complain(message: str) -> None:
    """One line on standard error, on which nothing can draw or start a line of its own."""
    try:
        print(f"moelaws: {one_line(message)}", file=sys.stderr, flush=True)
    except OSError:  # nobody is left to be told
        silence("stderr")
