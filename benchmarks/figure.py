"""Line plots as SVG, without a plotting library: a logarithmic horizontal axis, a vertical one that starts at 0."""

from __future__ import annotations

import html
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 40, 50
STYLES = (("#1f5fa8", ""), ("#b3541e", "6 4"), ("#3d7a3d", "2 3"))


class Series(NamedTuple):
    """One line: its name in the legend, and its points."""

    name: str
    x: Sequence[float]
    y: Sequence[float]


def line_plot(
    path: Path, title: str, axes: tuple[str, str], series: Sequence[Series], ticks: Sequence[float] = ()
) -> None:
    """Write the lines to ``path``; ``ticks`` of the horizontal axis, by default every x. The same numbers give the same bytes."""
    xs = sorted({x for line in series for x in line.x})
    step = _step(max(y for line in series for y in line.y))
    top = step * math.ceil(max(y for line in series for y in line.y) / step)

    def place(x: float, y: float) -> tuple[float, float]:
        across = math.log(x / xs[0]) / math.log(xs[-1] / xs[0])
        return (
            LEFT + across * (WIDTH - LEFT - RIGHT),
            HEIGHT - BOTTOM - y / top * (HEIGHT - TOP - BOTTOM),
        )

    parts = [_text(WIDTH / 2, 20, title, "middle", 13)]
    for x in ticks or xs:
        parts.append(_text(place(x, 0)[0], HEIGHT - BOTTOM + 18, f"{x:g}", "middle"))
    for tick in range(round(top / step) + 1):
        height = place(xs[0], tick * step)[1]
        parts.append(_line(LEFT, height, WIDTH - RIGHT, height, "#dddddd"))
        parts.append(_text(LEFT - 8, height + 4, f"{tick * step:g}", "end"))
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, axes[0], "middle"))
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts.append(f'<g transform="rotate(-90 16 {middle:.1f})">{_text(16, middle, axes[1], "middle")}</g>')
    for index, (line, (colour, dashes)) in enumerate(zip(series, STYLES, strict=False)):
        points = [place(x, y) for x, y in zip(line.x, line.y, strict=True)]
        path_points = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(
            f'<polyline points="{path_points}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"/>'
        )
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
        height = TOP + 14 + 18 * index
        parts.append(_line(LEFT + 12, height - 4, LEFT + 40, height - 4, colour, dashes))
        parts.append(_text(LEFT + 46, height, line.name, "start"))
    body = "\n".join(parts)
    _write(
        path,
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'font-family="sans-serif" font-size="11">\n<title>{html.escape(title)}</title>\n'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n{body}\n</svg>\n',
    )


def _step(largest: float) -> float:
    """A round distance between ticks that gives four to ten of them."""
    unit = 10 ** math.floor(math.log10(largest))
    return next(unit * f for f in (0.2, 0.25, 0.5, 1, 2) if largest / (unit * f) <= 8)


def _text(x: float, y: float, text: str, anchor: str, size: int = 11) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{html.escape(text)}</text>'
    )


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, dashes: str = "") -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
        f'stroke-width="{2 if dashes or colour != "#dddddd" else 1}" stroke-dasharray="{dashes}"/>'
    )


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".tmp")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, path)
