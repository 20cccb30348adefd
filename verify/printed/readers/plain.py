"""Visible text in one spelling, whatever format it came from: minus signs, dashes, powers of ten, spaces."""

from __future__ import annotations

import re

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_RAISED = re.compile(r"(?<=10)[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_MARKS = "*∗⋆†‡§¶‖"
_TRAILING_MARKS = re.compile(rf"(?<=[^\s{_MARKS}])\s*[{_MARKS}]+$|(?<=\S)[ᵃ-ᵛ]+$")
_TIMES_TEN = re.compile(r"(?<=[\d.)%a-zA-Z])\s*[x×·⋅]\s*10\s*\^\s*([+-]?\d+)")
_RANGE = re.compile(r"(?<=\d)\s*[–]\s*(?=\d)")
_NUMBERED = re.compile(r"^\s*(?:Table|Tab\.|Tabelle)\s*[\dIVXLC.]+\s*[.:|–—-]\s*", re.IGNORECASE)
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad\u2061\u2062"))


def one_spelling(text: str) -> tuple[str, bool]:
    """Text with ``-`` for a minus, ``–`` for a range, ``×10^4`` for a power; and whether a footnote mark was dropped."""
    text = text.translate(_INVISIBLE).replace("−", "-").replace("‐", "-").replace("‑", "-")
    text = _RAISED.sub(lambda m: "^" + m[0].translate(_SUPERSCRIPTS), text)
    text = _TIMES_TEN.sub(r"×10^\1", text)
    text = _RANGE.sub("–", " ".join(text.split()))
    unmarked = _TRAILING_MARKS.sub("", text)
    return unmarked, unmarked != text


def is_mark(raised: str) -> bool:
    """Whether what is raised beside a word or a number only points to a footnote."""
    return bool(re.fullmatch(rf"[{_MARKS}#,\s]+|[a-h](?:,[a-h])*|\([a-h]\)|i{1, 3}", raised.strip()))


def without_number(caption: str) -> str:
    """A caption without the ``Table 3:`` before it."""
    return _NUMBERED.sub("", " ".join(caption.split()))
