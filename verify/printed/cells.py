"""What a printed cell means: a number, a range, an interval, an uncertain number, several numbers, text, or nothing.

Each notation has one stated meaning, or the cell is refused with the reason. Numbers themselves are read by `parse_printed`.
"""

from __future__ import annotations

__all__ = ["CellMeaning", "cell_meaning"]

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from theory.errors import MoelawsError
from verify.printed.numerals import Printed, parse_printed

_BLANK = {"": "empty", "-": "dash", "–": "dash", "—": "dash", "--": "dash", "″": "ditto"}
_ABSENT = {"n/a", "na", "n.a.", "nan", "tbd", "none"}
_N = r"[+-]?(?:\d[\d.,' ]*|\.\d+)(?:×10\^[+-]?\d+|[eE][+-]?\d+)?"
_UNIT = r"(?:ns|μs|us|ms|s|min|h|d|[KMGT]i?B|bits?|W|kW|kWh|J|kJ|MJ|FLOPs?|tokens?|pp|points?|steps?|params?)"
_UNITED = re.compile(rf"(.*[\d.)KMBT%])\s*{_UNIT}(?:/s)?")
_POWER = r"(?P<power>×10\^[+-]?\d+)?"
_PREFIX = re.compile(r"\s*([~≈∼]|[<>≤≥])\s*")
_SUFFIX = r"(?P<suffix>\s*(?:%|‰|[KkMBT]|x|×)|\s(?:thousand|million|billion|trillion))?"
_ASYMMETRIC = re.compile(rf"(?P<value>{_N})\^\+(?P<plus>[\d.,]+)_-(?P<minus>[\d.,]+){_POWER}{_SUFFIX}")
_IN_DIGITS = re.compile(rf"(?P<value>[+-]?[\d.,]+)\((?P<digits>\d{{1,4}})\){_POWER}{_SUFFIX}")
_OUTSIDE = re.compile(rf"\((?P<value>{_N})\s*±\s*(?P<spread>{_N})\){_POWER}{_SUFFIX}")
_INSIDE = re.compile(rf"(?P<value>{_N})\s*(?P<before>%?)\s*\(±\s*(?P<spread>{_N})\){_SUFFIX}")
_BRACKETS = re.compile(
    rf"(?:(?P<value>{_N}%?)\s*)?[\[(]\s*(?P<lo>{_N}%?)\s*[,;–]\s*(?P<hi>{_N}%?)\s*[\])]{_SUFFIX}"
)
_RANGE = re.compile(rf"(?P<lo>{_N}%?)\s*(?:–|\bto\b)\s*(?P<hi>{_N}){_SUFFIX}")


@dataclass(frozen=True)
class CellMeaning:
    """What a cell says. ``number`` is its value (of an uncertain number, the point).

    ``kind`` is number, range, interval, uncertain, multiple, text or blank. ``ends`` are those of a range or an interval,
    ``spread`` the uncertainty below and above the point, ``parts`` the numbers of a cell such as ``37.2M / 41.4M``.
    ``approximate`` stands for ``~`` and ``≈``; ``bound`` for one of ``< ≤ > ≥``. ``reason`` says why text is no number.
    """

    kind: str
    number: Printed | None = None
    ends: tuple[Printed, Printed] | None = None
    spread: tuple[Printed, Printed] | None = None
    parts: tuple[CellMeaning, ...] = ()
    approximate: bool = False
    bound: str = ""
    reason: str = ""


def cell_meaning(text: str, *, decimal_comma: bool = False) -> CellMeaning:
    """The meaning of a cell as it is seen on the page; never an error: what is no number is text, with the reason."""
    shown = " ".join(text.split())
    if shown in _BLANK or shown.lower() in _ABSENT:
        return CellMeaning("blank", reason=_BLANK.get(shown, "word"))
    try:
        return _meaning(shown, decimal_comma)
    except MoelawsError as problem:
        return CellMeaning("text", reason=str(problem))


def _meaning(shown: str, comma: bool) -> CellMeaning:
    def number(text: str | None, like: str = "") -> Printed:
        return parse_printed((text or "").strip() + like, decimal_comma=comma)

    if " / " in shown:
        parts = tuple(_meaning(part.strip(), comma) for part in shown.split(" / "))
        return CellMeaning("multiple", parts=parts)
    if prefix := _PREFIX.match(shown):
        inner = _meaning(shown[prefix.end() :], comma)
        if inner.kind != "number" or inner.bound or inner.approximate:
            raise MoelawsError(f"{shown!r}: {prefix[1]} before what is no plain number")
        return replace(inner, approximate=prefix[1] in "~≈∼", bound="" if prefix[1] in "~≈∼" else prefix[1])
    shown = re.sub(rf"(?<=\d)\s*{_UNIT}(?=\s*±)", "", shown)
    if (united := _UNITED.fullmatch(shown)) and not _RANGE.fullmatch(shown):
        shown = united[1]
    if found := _ASYMMETRIC.fullmatch(shown):
        like = (found["power"] or "") + (found["suffix"] or "")
        value, minus, plus = (number(found[name], like) for name in ("value", "minus", "plus"))
        return CellMeaning("uncertain", value, spread=(minus, plus))
    if found := _IN_DIGITS.fullmatch(shown):
        value = number(found["value"], (found["power"] or "") + (found["suffix"] or ""))
        if value.last_digit < 1 or "." not in found["value"]:
            digits = replace(value, text=found["digits"], value=int(found["digits"]) * value.last_digit)
            return CellMeaning("uncertain", value, spread=(digits, digits))
    if found := _OUTSIDE.fullmatch(shown):
        like = (found["power"] or "") + (found["suffix"] or "")
        spread = number(found["spread"], like)
        return CellMeaning("uncertain", number(found["value"], like), spread=(spread, spread))
    if found := _INSIDE.fullmatch(shown):
        like = found["before"] or found["suffix"] or ""
        spread = number(found["spread"], like)
        return CellMeaning("uncertain", number(found["value"], like), spread=(spread, spread))
    if found := _BRACKETS.fullmatch(shown):
        like = found["suffix"] or ""
        value_like = like or (
            "%" if (found["lo"] or "").endswith("%") and not (found["value"] or "").endswith("%") else ""
        )
        ends = _in_order(shown, number(found["lo"], like), number(found["hi"], like))
        if found["value"]:
            return CellMeaning("uncertain", number(found["value"], value_like), ends=ends)
        return CellMeaning("interval", ends=ends)
    if found := _RANGE.fullmatch(shown):
        like = found["suffix"] or ""
        lo = number(found["lo"], "" if found["lo"].endswith("%") else like)
        return CellMeaning("range", ends=_in_order(shown, lo, number(found["hi"], like)))
    value = number(shown)
    if value.spread is not None:
        return CellMeaning("uncertain", value, spread=(value.spread, value.spread))
    return CellMeaning("number", value)


def _in_order(shown: str, lo: Printed, hi: Printed) -> tuple[Printed, Printed]:
    if lo.value > hi.value:
        raise MoelawsError(f"{shown!r}: the first end is the larger one")
    return lo, hi


def half_up(number: Printed) -> tuple[Fraction, Fraction]:
    """The ends of what prints as this number, rounded to nearest."""
    return number.value - number.unit / 2, number.value + number.unit / 2
