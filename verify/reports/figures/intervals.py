"""Printed means with their intervals on one axis, over the band of the pooled mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from annotated_types import Len
from markupsafe import Markup
from typing_extensions import TypedDict

from verify.reports.figures.base import Drawn, Figure, Number, Pair, Values
from verify.reports.strips import Strip


class _Mean(TypedDict):
    label: str
    printed: str
    low: Number
    value: Number
    high: Number


class _Details(TypedDict):
    intervals: Annotated[list[_Mean], Len(1)]
    band: Pair[Number]


class Intervals(Figure):
    """A row a mean."""

    name = "intervals"
    shape = _Details

    def drawn(self, entry: Values, *, cells_shown: int, formulas_shown: int) -> Drawn:
        details = entry["evidence"]["details"]
        strips = strips_of(details["intervals"], details["band"])
        rows = [{**row, "strip": strip} for row, strip in zip(details["intervals"], strips, strict=True)]
        return Drawn({"rows": rows, "band": details["band"]})

    def thumbnail(self, entry: Values) -> Markup:
        """The mean that lies furthest from the pooled one."""
        details = entry["evidence"]["details"]
        low, high = map(float, details["band"])
        off = [abs(float(row["value"]) - (low + high) / 2) for row in details["intervals"]]
        return strips_of(details["intervals"], details["band"])[off.index(max(off))]


def strips_of(rows: Sequence[Values], band: Sequence[str]) -> list[Markup]:
    """Each mean and its interval on the axis of all of them, over the band."""
    ends = [float(row[key]) for row in rows for key in ("low", "high")]
    low, high = min(ends), max(ends)
    margin = (high - low or 1.0) * 0.03
    pooled = (float(band[0]), float(band[1]))
    return [_strip(row, pooled, (low - margin, high + margin)) for row in rows]


def _strip(row: Values, pooled: tuple[float, float], axis: tuple[float, float]) -> Markup:
    low, value, high = (float(row[key]) for key in ("low", "value", "high"))
    kind = "good" if low <= pooled[1] and pooled[0] <= high else "bad"
    return Strip(*axis, [pooled], [(low, high, kind), (value, value, kind)]).svg()
