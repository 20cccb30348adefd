"""Text from papers and users made safe to show: one line, no control or direction characters."""

from __future__ import annotations

import unicodedata


def one_line(text: str) -> str:
    """White space folded; control characters, text-direction overrides and what is no character replaced by U+FFFD."""
    folded = " ".join(text.split())
    if folded.isprintable():
        return folded
    return "".join("\N{REPLACEMENT CHARACTER}" if _hidden(c) else c for c in folded)


def _hidden(character: str) -> bool:
    return (
        unicodedata.category(character) in ("Cc", "Cs")
        or ord(character) & 0xFFFE == 0xFFFE  # U+FFFE and its kin, which no XML may hold
        or 0xFDD0 <= ord(character) <= 0xFDEF
        or character in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    )
