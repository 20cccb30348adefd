"""Strips: one row of a table as a small picture, an interval drawn over the band it should meet.

Every strip is inline SVG in the page's own colours (classes, no fixed ones), so
that it follows light and dark, prints, and costs a few hundred bytes where a
plotting library's file costs 25 kB.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

WIDTH, HEIGHT = 200, 18


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
