"""A phase diagram as an SVG picture: one rectangle for each run of equal cells, logarithmic axes, colours told apart by all."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape

COLOURS = {"approximation": "#56b4e9", "parameters": "#e69f00", "routing": "#cc79a7", "resolution": "#009e73"}
OTHER_COLOURS = ("#0072b2", "#d55e00", "#f0e442", "#999999")
"""From the palette of Okabe and Ito, which colour-blind readers tell apart; the others in turn for terms of other names."""
_LEFT, _TOP, _WIDTH, _HEIGHT = 70, 46, 520, 300


def phase_svg(
    bound: str,
    terms: Sequence[str],
    n: Sequence[int],
    experts: Sequence[int],
    regimes: Sequence[Sequence[str]],
    vacuous: Sequence[Sequence[bool]],
) -> str:
    """The picture as text; the same diagram gives the same bytes. ``regimes`` and ``vacuous`` have a row for each of ``experts``."""
    colours = _colours(terms)
    title = f"Dominating term of the bound {bound}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _WIDTH + 20} {_TOP + _HEIGHT + 90}" '
        'role="img" shape-rendering="crispEdges" font-family="sans-serif" font-size="13">',
        f"<title>{escape(title)}</title>",
        "<desc>For each number of sequences n and of experts M, the largest term; pale where the bound says nothing.</desc>",
        f'<text x="{_LEFT}" y="22" font-size="15">{escape(title)}; pale where it says nothing</text>',
        *_cells(regimes, vacuous, colours),
        *_axes(n, experts),
        *_legend(colours),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _colours(terms: Sequence[str]) -> dict[str, str]:
    others = itertools.cycle(OTHER_COLOURS)
    return {name: COLOURS[name] if name in COLOURS else next(others) for name in terms}


def _cells(
    regimes: Sequence[Sequence[str]], vacuous: Sequence[Sequence[bool]], colours: Mapping[str, str]
) -> Iterator[str]:
    width, height = _WIDTH / len(regimes[0]), _HEIGHT / len(regimes)
    for i, (row, empty) in enumerate(zip(regimes, vacuous, strict=True)):
        start = 0
        for (name, blank), run in itertools.groupby(zip(row, empty, strict=True)):
            length = len(list(run))
            x, y = _LEFT + start * width, _TOP + _HEIGHT - (i + 1) * height
            yield (
                f'<rect x="{x:.2f}" y="{y:.2f}" width="{length * width:.2f}" height="{height:.2f}" '
                f'fill="{colours[name]}" fill-opacity="{0.4 if blank else 1}"/>'
            )
            start += length


def _axes(n: Sequence[int], experts: Sequence[int]) -> Iterator[str]:
    yield f'<rect x="{_LEFT}" y="{_TOP}" width="{_WIDTH}" height="{_HEIGHT}" fill="none" stroke="black"/>'
    width, height = _WIDTH / len(n), _HEIGHT / len(experts)
    for i in range(0, len(n), max(1, len(n) // 6)):
        yield _text(_LEFT + (i + 0.5) * width, _TOP + _HEIGHT + 18, _short(n[i]), "middle")
    for i in range(0, len(experts), max(1, len(experts) // 8)):
        yield _text(_LEFT - 8, _TOP + _HEIGHT - (i + 0.5) * height + 4, _short(experts[i]), "end")
    yield _text(_LEFT + _WIDTH / 2, _TOP + _HEIGHT + 40, "sequences n", "middle")
    yield _text(14, _TOP - 8, "experts M", "start")


def _legend(colours: Mapping[str, str]) -> Iterator[str]:
    for i, (name, colour) in enumerate(colours.items()):
        x = _LEFT + 130 * i
        yield f'<rect x="{x}" y="{_TOP + _HEIGHT + 58}" width="14" height="14" fill="{colour}"/>'
        yield _text(x + 20, _TOP + _HEIGHT + 70, name, "start")


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.2f}" y="{y:.2f}" text-anchor="{anchor}">{escape(words)}</text>'


def _short(value: int) -> str:
    """1, 2 and 5 digits as they are, larger numbers as a power of ten."""
    if value < 100_000:
        return str(value)
    exponent = math.floor(math.log10(value))
    mantissa = value / 10**exponent
    return f"1e{exponent}" if f"{mantissa:.2g}" == "1" else f"{mantissa:.2g}e{exponent}"
