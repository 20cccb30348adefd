"""Misprints of one printed number: a unit in the last digit, and a tenth of the value, up and down."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from verify.printed.numerals import Printed, parse_printed

LAST_DIGIT, TENTH = "last digit", "10%"


@dataclass(frozen=True)
class Misprinted:
    """Another text for a cell, and how it differs: by a unit in the last digit, or by 10%."""

    text: str
    kind: str


def misprints(text: str, *, decimal_comma: bool = False) -> list[Misprinted]:
    """The misprints of a cell as printed; none where it holds no number.

    A number with a ± part is changed in either part. A change of 10% is rounded to
    the last printed digit and left out where that is no other change than a unit.
    """
    try:
        printed = parse_printed(text, decimal_comma=decimal_comma)
    except ValueError:
        return []
    found: list[Misprinted] = []
    for kind, changed in _changes(printed):
        whole = changed if printed.spread is None else f"{changed} ± {printed.spread.text}"
        found.append(Misprinted(whole, kind))
    if printed.spread is not None:
        centre = str(Printed("", printed.value, printed.last_digit).shifted(0))
        found += [Misprinted(f"{centre} ± {changed}", kind) for kind, changed in _changes(printed.spread)]
    return [Misprinted(m.text.replace(".", ","), m.kind) for m in found] if decimal_comma else found


def _changes(printed: Printed) -> Iterator[tuple[str, str]]:
    tenth = round(printed.value / printed.last_digit / 10)
    seen = set()
    for kind, units in ((LAST_DIGIT, 1), (LAST_DIGIT, -1), (TENTH, tenth), (TENTH, -tenth)):
        if units and units not in seen:
            seen.add(units)
            yield kind, str(printed.shifted(units))
