"""Text from papers and users made safe to show: one line, no control or direction characters."""

from __future__ import annotations

import unicodedata


def one_line(text: str) -> str:
    """White space folded; control characters and text-direction overrides replaced by U+FFFD."""
    folded = " ".join(text.split())
    return "".join("\N{REPLACEMENT CHARACTER}" if _hidden(c) else c for c in folded)


def _hidden(character: str) -> bool:
    return (
        unicodedata.category(character) in ("Cc", "Cs")
        or character in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    )
