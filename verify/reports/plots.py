"""Plots of measured claims: the points, the fitted line, the predicted one, its rivals, and what the claim allows.

As the strips, a plot is inline SVG in the page's own colours. The upper panel shows the measured values, the lower
one the same relative to the predicted line, where a wrong exponent is a tilt. All lines pass through the centre of
the measured points, because a claim about an exponent leaves the constant free.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from markupsafe import Markup, escape

from verify.reports.axes import Panel, decades, decimals, factors, widened
from verify.reports.strips import Strip
from verify.text import one_line

_MOST_DOTS = 80


def kind_of(verdict: str) -> str:
    """The class that colours what was measured."""
    return {"SUPPORTED": "good", "REFUTED": "bad"}.get(verdict, "open")


@dataclass(frozen=True)
class _Data:
    """What is drawn, on the scale of the claim: logs for an exponent, values for a level."""

    is_level: bool
    x: list[float]
    seeds: list[list[float]]
    estimate: float
    interval: tuple[float, float]
    allowed: tuple[float, float]
    predicted: float
    rivals: list[float]
    kind: str

    @property
    def means(self) -> list[float]:
        return [fmean(row) for row in self.seeds]

    def at(self, coefficient: float, x: float) -> float:
        """The line of this exponent through the centre of the points, or this level."""
        if self.is_level:
            return coefficient
        return fmean(self.means) + coefficient * (x - fmean(self.x))


def of_measured(details: Mapping[str, Any], verdict: str) -> Markup:
    """The picture of a measured claim; ``details`` as `verify.checks.measured` writes them."""
    data = _data(details, verdict)
    panels, height = (_level(data), 190) if data.is_level else (_exponent(data), 310)
    return Markup(
        f'<svg class="plot" viewBox="0 0 360 {height}" width="360" height="{height}" role="img" '
        f'aria-label="{escape(_said(details))}">{"".join(panels)}</svg>'
    )


def strip_of(details: Mapping[str, Any], verdict: str) -> Markup:
    """The estimate on an axis of its own: 90% interval over what the claim allows, ticks at prediction and rivals."""
    ticks = [float(details["predicted"]["value"]), *(float(rival["value"]) for rival in details["rivals"])]
    margin = float(details["tolerance"]["value"])
    kind, value = kind_of(verdict), float(details["estimate"])
    left, right = min(*ticks, value) - margin, max(*ticks, value) + margin
    allowed, interval = ([float(end) for end in details[name]] for name in ("allowed", "interval_90"))
    bars = [(interval[0], interval[1], kind), (value, value, kind)]
    return Strip(left, right, [(max(left, allowed[0]), min(right, allowed[1]))], bars, ticks=ticks).svg()


def figures_of(details: Mapping[str, Any]) -> dict[str, str]:
    """The measured value, its 90% interval and the difference at the ends of the range, to three digits."""
    low, high = (float(end) for end in details["interval_90"])
    bend = details["next_term"]
    return {
        "value": f"{float(details['estimate']):.3g}",
        "interval": f"{low:.3g} to {high:.3g}",
        "at_the_ends": f"{abs(float(bend['change_at_the_ends'])):.2g}" if bend else "",
        "runs": _where_from(details),
    }


def _where_from(details: Mapping[str, Any]) -> str:
    """How many runs came from which store; empty where all were made while judging and none was left aside."""
    counts = Counter(run.partition(" in ")[2] for row in details["runs"] for run in row)
    made = counts.pop("", 0)
    said = [f"{number} from {store}" for store, number in counts.items()]
    said += [f"{made} made while judging"] if said and made else []
    said += [f"{details['left_aside']} by other code left aside"] if details["left_aside"] else []
    return ", ".join(said)


def rows_of(details: Mapping[str, Any]) -> list[dict[str, str]]:
    """The plotted numbers, a row per size: the mean (geometric for an exponent), the seeds' range, the predicted line."""
    data = _data(details, "")
    back = (lambda value: value) if data.is_level else math.exp
    return [
        {
            "size": f"{size:,}",
            "mean": f"{back(mean):.4g}",
            "low": f"{back(min(row)):.4g}",
            "high": f"{back(max(row)):.4g}",
            "predicted": f"{back(data.at(data.predicted, x)):.4g}",
        }
        for size, x, row, mean in zip(details["sizes"], data.x, data.seeds, data.means, strict=True)
    ]


def _data(details: Mapping[str, Any], verdict: str) -> _Data:
    is_level = details["direction"] == "level"
    sign = -1.0 if details["direction"] == "falls" else 1.0
    rows = [[float(value) for value in row] for row in details["values"]]
    low, high = sorted(sign * float(end) for end in details["interval_90"])
    least, most = sorted(sign * float(end) for end in details["allowed"])
    return _Data(
        is_level=is_level,
        x=[math.log(size) for size in details["sizes"]],
        seeds=rows if is_level else [[math.log(value) for value in row] for row in rows],
        estimate=sign * float(details["estimate"]),
        interval=(low, high),
        allowed=(least, most),
        predicted=sign * float(details["predicted"]["value"]),
        rivals=[sign * float(rival["value"]) for rival in details["rivals"]],
        kind=kind_of(verdict),
    )


def _exponent(data: _Data) -> Iterator[str]:
    x = widened(min(data.x), max(data.x), 0.05)
    values = [value for row in data.seeds for value in row]
    upper = Panel(x, widened(min(values), max(values), 0.08), 8, 166)
    yield upper.frame([(value, "") for value, _ in decades(*x)], decades(*upper.y))
    yield upper.clipped("".join(_inside(upper, data, relative=False)))
    off = max(
        abs(value - data.at(data.predicted, x))
        for x, row in zip(data.x, data.seeds, strict=True)
        for value in row
    )
    wedge = max(abs(data.at(rival, end) - data.at(data.predicted, end)) for rival in data.rivals for end in x)
    extent = 1.1 * max(off, min(wedge, 4 * off), 0.005)
    lower = Panel(x, (-extent, extent), 184, 292)
    yield lower.frame(decades(*x), factors(extent))
    yield lower.clipped("".join(_inside(lower, data, relative=True)))


def _level(data: _Data) -> Iterator[str]:
    values = [value for row in data.seeds for value in row]
    marks = [*values, data.predicted, *data.rivals]
    panel = Panel(widened(min(data.x), max(data.x), 0.05), widened(min(marks), max(marks), 0.08), 8, 172)
    yield panel.frame(decades(*panel.x), decimals(*panel.y))
    yield panel.clipped("".join(_inside(panel, data, relative=False)))


def _inside(panel: Panel, data: _Data, *, relative: bool) -> Iterator[str]:
    """Everything inside a panel, as measured or less the predicted line."""
    steep = 1000 * (panel.y[1] - panel.y[0]) / (1.0 if data.is_level else panel.x[1] - panel.x[0])

    def put(x: float, value: float) -> tuple[float, float]:
        return x, value - data.at(data.predicted, x) if relative else value

    def ends(coefficient: float) -> list[tuple[float, float]]:
        bounded = min(max(coefficient, data.predicted - steep), data.predicted + steep)
        return [put(x, data.at(bounded, x)) for x in panel.x]

    def between(low: float, high: float) -> list[tuple[float, float]]:
        return [*ends(low), *reversed(ends(high))]

    yield panel.line("allowed", between(*data.allowed))
    yield panel.line(f"fan {data.kind}", between(*data.interval))
    for rival in data.rivals:
        yield panel.line("rival", ends(rival))
    yield panel.line("theory", ends(data.predicted))
    yield panel.line(f"fit {data.kind}", ends(data.estimate))
    every = [put(x, value) for x, row in zip(data.x, data.seeds, strict=True) for value in row]
    yield panel.dots("seed", every[:: len(every) // _MOST_DOTS + 1])
    yield panel.dots("mean", [put(x, mean) for x, mean in zip(data.x, data.means, strict=True)])


def _said(details: Mapping[str, Any]) -> str:
    """The picture in a sentence; the table beside it holds the numbers."""
    sizes = details["sizes"]
    axes = "" if details["direction"] == "level" else " on logarithmic axes"
    rivals = ", ".join(f"{rival['name']} {rival['text']}" for rival in details["rivals"])
    found = figures_of(details)
    return one_line(
        f"{details['quantity']} against {details['size']}{axes}, {len(sizes)} sizes from {min(sizes):,} to {max(sizes):,}, "
        f"{len(details['seeds'])} seeds each. Measured {found['value']}, 90% interval {found['interval']}; "
        f"claimed {details['relation']} {details['predicted']['text']}, tolerance {details['tolerance']['text']}; rivals: {rivals}."
    )
