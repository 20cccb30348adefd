"""Axes of the plots: a clipped panel, and ticks at decades, factors or round numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

LEFT, RIGHT = 46, 350
_FACTORS = (1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2, 3, 5, 10, 30, 100, 1000, 10**4, 10**6)
Ticks = Sequence[tuple[float, str]]
Points = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Panel:
    """A rectangle of the picture with linear axes over ``x`` and ``y`` (a caller takes logarithms)."""

    x: tuple[float, float]
    y: tuple[float, float]
    top: int
    bottom: int

    def frame(self, x_ticks: Ticks, y_ticks: Ticks) -> str:
        """Grid lines, border and labels; ``x_ticks`` are labelled below."""
        grid = [f"M{self._across(value)} {self.top}V{self.bottom}" for value, _ in x_ticks]
        grid += [f"M{LEFT} {self._up(value)}H{RIGHT}" for value, _ in y_ticks]
        labels = [
            f'<text class="end" x="{LEFT - 5}" y="{float(self._up(value)) + 4:g}">{label}</text>'
            for value, label in y_ticks
        ]
        labels += [
            f'<text class="mid" x="{self._across(value)}" y="{self.bottom + 14}">{label}</text>'
            for value, label in x_ticks
            if label
        ]
        border = f"M{LEFT} {self.top}H{RIGHT}V{self.bottom}H{LEFT}z"
        return f'<path class="grid" d="{"".join(grid)}{border}"/>{"".join(labels)}'

    def clipped(self, content: str) -> str:
        """Content drawn with `line` and `dots`, cut off at the border."""
        place = f"{LEFT} {self.top} {RIGHT - LEFT} {self.bottom - self.top}"
        x, y, width, height = place.split()
        return f'<svg x="{x}" y="{y}" width="{width}" height="{height}" viewBox="{place}">{content}</svg>'

    def line(self, kind: str, points: Points) -> str:
        return f'<path class="{kind}" d="M{"L".join(map(self._at, points))}"/>'

    def dots(self, kind: str, points: Points) -> str:
        return f'<path class="{kind}" d="{"".join(f"M{self._at(point)}h0" for point in points)}"/>'

    def _at(self, point: tuple[float, float]) -> str:
        return f"{self._across(point[0])} {self._up(point[1])}"

    def _across(self, x: float) -> str:
        return f"{round(LEFT + (x - self.x[0]) / (self.x[1] - self.x[0]) * (RIGHT - LEFT), 1):g}"

    def _up(self, y: float) -> str:
        return f"{round(self.bottom - (y - self.y[0]) / (self.y[1] - self.y[0]) * (self.bottom - self.top), 1):g}"


def widened(low: float, high: float, share: float) -> tuple[float, float]:
    """The range with a margin at both ends; a single point gets one unit of its own size."""
    margin = (high - low) * share or abs(low) * 0.5 or 1.0
    return low - margin, high + margin


def decades(low: float, high: float) -> list[tuple[float, str]]:
    """Ticks on a logarithmic axis given by its natural logs: powers of ten, with 2 and 5 between where those are few."""
    for steps in ((1,), (1, 2, 5), (1, 1.5, 2, 3, 5, 7)):
        powers = range(math.floor(low / math.log(10)), math.ceil(high / math.log(10)) + 1)
        every = max(1, len(powers) // 6)
        ticks = [
            (math.log(step) + power * math.log(10), _power(step, power))
            for power in powers
            for step in steps
            if steps != (1,) or power % every == 0
        ]
        inside = [tick for tick in ticks if low <= tick[0] <= high]
        if len(inside) >= 3:
            return inside[:: len(inside) // 8 + 1]
    return decimals_of_logs(low, high)


def decimals_of_logs(low: float, high: float) -> list[tuple[float, str]]:
    """Ticks at round values of the quantity, for an axis much shorter than a decade."""
    return [
        (math.log(value), label) for value, label in _round_values(math.exp(low), math.exp(high)) if value > 0
    ]


def decimals(low: float, high: float) -> list[tuple[float, str]]:
    """About five ticks at round numbers."""
    return _round_values(low, high)


def factors(extent: float) -> list[tuple[float, str]]:
    """Ticks on an axis of log ratios from -extent to extent: one factor up and down, and none."""
    fitting = [factor for factor in _FACTORS if math.log(factor) <= 0.9 * extent]
    if not fitting:
        return [(0.0, "1")]
    factor = fitting[-1]
    return [(-math.log(factor), f"÷{factor:g}"), (0.0, "1"), (math.log(factor), f"×{factor:g}")]


def _round_values(low: float, high: float) -> list[tuple[float, str]]:
    rough = (high - low) / 5
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * m for m in (1, 2, 5, 10) if unit * m >= rough)
    return [(i * step, f"{i * step:.6g}") for i in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _power(step: float, power: int) -> str:
    if -3 <= power <= 3:
        return f"{step * 10.0**power:g}"
    raised = str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{raised}" if step == 1 else f"{step:g}·10{raised}"
