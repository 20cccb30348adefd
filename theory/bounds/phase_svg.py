"""A phase diagram as an SVG picture: one rectangle for each run of equal cells, logarithmic axes, colours told apart by all."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theory.bounds.phase import PhaseDiagram

COLOURS = {"approximation": "#56b4e9", "parameters": "#e69f00", "routing": "#cc79a7", "resolution": "#009e73"}
"""From the palette of Okabe and Ito, which colour-blind readers tell apart."""
_LEFT, _TOP, _WIDTH, _HEIGHT = 70, 46, 520, 300


def phase_svg(diagram: PhaseDiagram) -> str:
    """The picture as text; the same diagram gives the same bytes."""
    title = f"Dominating term of the bound {diagram.bound.name}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _WIDTH + 20} {_TOP + _HEIGHT + 90}" '
        'role="img" shape-rendering="crispEdges" font-family="sans-serif" font-size="13">',
        f"<title>{escape(title)}</title>",
        "<desc>For each number of sequences n and of experts M, the largest term; pale where the bound says nothing.</desc>",
        f'<text x="{_LEFT}" y="22" font-size="15">{escape(title)}; pale where it says nothing</text>',
        *_cells(diagram),
        *_axes(diagram),
        *_legend(diagram),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _cells(diagram: PhaseDiagram) -> Iterator[str]:
    width, height = _WIDTH / len(diagram.n), _HEIGHT / len(diagram.experts)
    for i, (row, empty) in enumerate(zip(diagram.regimes, diagram.vacuous, strict=True)):
        start = 0
        for (name, blank), run in itertools.groupby(zip(row, empty, strict=True)):
            length = len(list(run))
            x, y = _LEFT + start * width, _TOP + _HEIGHT - (i + 1) * height
            yield (
                f'<rect x="{x:.2f}" y="{y:.2f}" width="{length * width:.2f}" height="{height:.2f}" '
                f'fill="{COLOURS[name]}" fill-opacity="{0.4 if blank else 1}"/>'
            )
            start += length


def _axes(diagram: PhaseDiagram) -> Iterator[str]:
    yield f'<rect x="{_LEFT}" y="{_TOP}" width="{_WIDTH}" height="{_HEIGHT}" fill="none" stroke="black"/>'
    width, height = _WIDTH / len(diagram.n), _HEIGHT / len(diagram.experts)
    for i in range(0, len(diagram.n), max(1, len(diagram.n) // 6)):
        yield _text(_LEFT + (i + 0.5) * width, _TOP + _HEIGHT + 18, _short(diagram.n[i]), "middle")
    for i in range(0, len(diagram.experts), max(1, len(diagram.experts) // 8)):
        yield _text(_LEFT - 8, _TOP + _HEIGHT - (i + 0.5) * height + 4, _short(diagram.experts[i]), "end")
    yield _text(_LEFT + _WIDTH / 2, _TOP + _HEIGHT + 40, "sequences n", "middle")
    yield _text(14, _TOP - 8, "experts M", "start")


def _legend(diagram: PhaseDiagram) -> Iterator[str]:
    for i, term in enumerate(diagram.bound.terms):
        x = _LEFT + 130 * i
        yield f'<rect x="{x}" y="{_TOP + _HEIGHT + 58}" width="14" height="14" fill="{COLOURS[term.name]}"/>'
        yield _text(x + 20, _TOP + _HEIGHT + 70, term.name, "start")


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.2f}" y="{y:.2f}" text-anchor="{anchor}">{escape(words)}</text>'


def _short(value: int) -> str:
    """1, 2 and 5 digits as they are, larger numbers as a power of ten."""
    if value < 100_000:
        return str(value)
    exponent = math.floor(math.log10(value))
    mantissa = value / 10**exponent
    return f"1e{exponent}" if f"{mantissa:.2g}" == "1" else f"{mantissa:.2g}e{exponent}"
