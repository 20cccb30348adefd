"""Strips: one row of a table as a small picture, an interval drawn over the band it should meet.

Every strip is inline SVG in the page's own colours (classes, no fixed ones), so
that it follows light and dark, prints, and costs a few hundred bytes where a
plotting library's file costs 25 kB.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

WIDTH, HEIGHT = 200, 18
_BANDS = {"rounded half up": (-0.5, 0.5), "rounded half to even": (-0.5, 0.5), "truncated": (0.0, 1.0)}


@dataclass(frozen=True)
class Strip:
    """A horizontal axis from ``low`` to ``high`` with bands (expected) and bars (found).

    The picture is hidden from screen readers: the row around it says the same in numbers.
    """

    low: float
    high: float
    bands: Sequence[tuple[float, float]] = ()
    bars: Sequence[tuple[float, float, str]] = ()
    ticks: Sequence[float] = ()

    def svg(self) -> Markup:
        parts = ['<svg class="strip" aria-hidden="true">']
        for low, high in self.bands:
            left, right = self._x(low), self._x(high)
            if right > left:
                parts.append(f'<path class="band" d="M{left:g} 1H{right:g}V{HEIGHT - 1}H{left:g}z"/>')
        parts += [
            f'<path class="tick" d="M{self._x(tick):g} 1V{HEIGHT - 1}"/>'
            for tick in self.ticks
            if self.low <= tick <= self.high
        ]
        parts += [self._bar(*bar) for bar in self.bars]
        return Markup("".join(parts) + "</svg>")

    def _x(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(min(1.0, max(0.0, share)) * (WIDTH - 12) + 6, 1)

    def _bar(self, low: float, high: float, kind: str) -> str:
        if low > self.high:
            return f'<path class="{kind} beyond" d="M{WIDTH - 8} 4l7 5l-7 5z"/>'
        if high < self.low:
            return f'<path class="{kind} beyond" d="M8 4l-7 5l7 5z"/>'
        left, right = self._x(low), self._x(high)
        if right - left < 3:
            return f'<path class="{kind} dot" d="M{(left + right) / 2:g} 9h0"/>'
        return f'<path class="{kind}" d="M{left:g} 9H{right:g}"/>'


def of_cell(cell: Mapping[str, Any]) -> Markup:
    """A printed cell: where the recomputed value lies, in units of the last printed digit."""
    found = cell.get("in_last_digits") or {}
    shown = found.get("range") or ([found["value"]] * 2 if "value" in found else None)
    if shown is None:
        return Markup("")
    low, high = map(float, shown)
    kind = "good" if cell["explained_by"] else "bad"
    bands = {_BANDS[mode] for mode in cell["explained_by"] if mode in _BANDS} or {(-0.5, 0.5)}
    bars = [(low, high, kind)]
    if "range" in found and "value" in found:
        value = float(found["value"])
        bars.append((value, value, kind))
    return Strip(-3, 3, sorted(bands), bars, ticks=(0.0,)).svg()


def of_intervals(rows: Sequence[Mapping[str, Any]], band: Sequence[str]) -> list[Markup]:
    """Printed means with their intervals on one axis, over the band of the pooled mean."""
    ends = [float(row[key]) for row in rows for key in ("low", "high")]
    low, high = min(ends), max(ends)
    margin = (high - low or 1.0) * 0.03
    pooled = (float(band[0]), float(band[1]))
    return [
        Strip(
            low - margin,
            high + margin,
            [pooled],
            [
                (float(row["low"]), float(row["high"]), "good" if _meets(row, pooled) else "bad"),
                (float(row["value"]), float(row["value"]), "good" if _meets(row, pooled) else "bad"),
            ],
        ).svg()
        for row in rows
    ]


def _meets(row: Mapping[str, Any], pooled: tuple[float, float]) -> bool:
    return float(row["low"]) <= pooled[1] and pooled[0] <= float(row["high"])


def of_sides(row: Mapping[str, Any]) -> Markup:
    """The two sides of a relation on an axis of their own: the left as a bar, the right as a band."""
    if "left" not in row:
        return Markup("")
    left, right = ([float(end) for end in row[side]] for side in ("left", "right"))
    low, high = min(left[0], right[0]), max(left[1], right[1])
    margin = (high - low or abs(high) or 1.0) * 0.08
    thin = (high - low) * 0.02 or margin / 4
    band = (right[0] - thin, right[1] + thin) if right[1] - right[0] < thin else (right[0], right[1])
    kind = "bad" if row.get("violated") else "good"
    return Strip(low - margin, high + margin, [band], [(left[0], left[1], kind)]).svg()
