"""The dependency graph as a layered SVG: claims on the left, what they rest on to the right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup, escape

_ROW, _GAP, _TEXT, _PADDING = 26, 40, 6.6, 8
_MOST_NODES = 60


@dataclass(frozen=True)
class Node:
    """A box of the picture: its name, the link it carries and the class that colours it."""

    name: str
    href: str = ""
    kind: str = ""


@dataclass
class _Layout:
    column: dict[str, int]
    order: dict[int, list[str]] = field(default_factory=dict)


def grouped(edges: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
    """The edges with claims merged into the place they are made, where single ones would be too many."""
    names = {name for pair in edges for name in pair}
    if len(names) <= _MOST_NODES:
        return [(a, b) for a, b in edges]

    def merged(name: str) -> str:
        return "/".join(name.split("/")[:2]) + "/…" if name.count("/") > 1 else name

    def more(name: str) -> str:
        return name.split("/")[0] + "/…" if "/" in name else name

    pairs = list(dict.fromkeys((merged(a), merged(b)) for a, b in edges))
    if len({name for pair in pairs for name in pair}) > _MOST_NODES:
        pairs = list(dict.fromkeys((more(a), more(b)) for a, b in edges))
    return [(a, b) for a, b in pairs if a != b]


def reduced(edges: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The edges without those that a longer path says already."""
    uses: dict[str, set[str]] = {}
    for user, used in edges:
        uses.setdefault(user, set()).add(used)

    def reaches(start: str, goal: str) -> bool:
        seen, waiting = {start}, [n for n in uses.get(start, ()) if n != goal]
        while waiting:
            name = waiting.pop()
            if name == goal:
                return True
            if name not in seen:
                seen.add(name)
                waiting += uses.get(name, ())
        return False

    return [(user, used) for user, used in edges if not reaches(user, used)]


def draw(edges: Sequence[tuple[str, str]], nodes: Mapping[str, Node]) -> Markup:
    """The graph of (user, used) pairs; empty where there is none. A node without an entry is plain."""
    if not edges:
        return Markup("")
    layout = _layers(edges)
    labels = {name: nodes[name].name if name in nodes else name for name in layout.column}
    widths = {
        c: max(len(labels[n]) for n in names) * _TEXT + 2 * _PADDING for c, names in layout.order.items()
    }
    left, x = 4.0, {}
    for column in sorted(layout.order):
        x[column] = left
        left += widths[column] + _GAP
    tallest = max(map(len, layout.order.values()))
    y = {
        name: 4 + _ROW * (i + (tallest - len(names)) / 2)
        for names in layout.order.values()
        for i, name in enumerate(names)
    }
    width, height = round(left - _GAP + 4), round(tallest * _ROW + 8)
    parts = [
        f'<svg class="graph" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="group" '
        f'aria-label="What rests on what: {len(y)} boxes, {len(edges)} arrows from the user to what it uses">'
    ]
    for user, used in edges:
        a, b = layout.column[user], layout.column[used]
        x1, y1 = x[a] + widths[a], y[user] + _ROW / 2
        x2, y2 = x[b], y[used] + _ROW / 2
        bend = (x2 - x1) / 2
        parts.append(
            f'<path class="edge" d="M{x1:.0f} {y1:.1f}C{x1 + bend:.0f} {y1:.1f} {x2 - bend:.0f} {y2:.1f} {x2 - 5:.0f} {y2:.1f}"/>'
            f'<path class="head" d="M{x2 - 6:.0f} {y2 - 3:.1f}l6 3l-6 3z"/>'
        )
    for name, top in y.items():
        column = layout.column[name]
        node = nodes.get(name, Node(name))
        box = (
            f'<rect x="{x[column]:.0f}" y="{top + 3:.1f}" width="{widths[column]:.0f}" height="{_ROW - 6}" rx="4"/>'
            f'<text x="{x[column] + _PADDING:.0f}" y="{top + _ROW / 2 + 4:.1f}">{escape(node.name)}</text>'
        )
        shape = f'<a href="{escape(node.href)}">{box}</a>' if node.href else box
        parts.append(f'<g class="node {escape(node.kind)}">{shape}</g>')
    return Markup("".join(parts) + "</svg>")


def _layers(edges: Sequence[tuple[str, str]]) -> _Layout:
    """Columns by the longest path from the left, rows by the mean row of the neighbours."""
    used_by: dict[str, list[str]] = {}
    uses: dict[str, list[str]] = {}
    for user, used in edges:
        uses.setdefault(user, []).append(used)
        uses.setdefault(used, [])
        used_by.setdefault(used, []).append(user)
        used_by.setdefault(user, [])
    height: dict[str, int] = {}

    def above_the_bottom(name: str, path: tuple[str, ...] = ()) -> int:
        if name not in height and name not in path:
            below = [above_the_bottom(n, (*path, name)) for n in uses[name]]
            height[name] = 1 + max(below, default=-1)
        return height.get(name, 0)

    last = max(above_the_bottom(name) for name in uses)
    column = {name: last - height[name] for name in uses}
    for name in uses:  # what nothing uses stands in the first column
        if not used_by[name]:
            column[name] = 0
    layout = _Layout(column)
    for name in uses:
        layout.order.setdefault(column[name], []).append(name)
    for sweep in range(8):
        neighbours = used_by if sweep % 2 == 0 else uses
        place = {n: i - len(ns) / 2 for ns in layout.order.values() for i, n in enumerate(ns)}
        for names in layout.order.values():
            mean = {
                n: sum(place[m] for m in neighbours[n]) / len(neighbours[n]) if neighbours[n] else place[n]
                for n in names
            }
            names.sort(key=lambda n: (mean[n], n))
    return layout
