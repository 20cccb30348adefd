"""Markdown tables whose truth is known: columns computed from others, cells printed by several habits, errors planted.

Truth is generated, so nobody tunes by hand. A table has two free columns, one that is computed from them (from the hidden
values, or from the printed ones), and one that has nothing to do with any other. A third of the tables close with a row of
totals, whose computed cell is computed of the totals, or a total itself, or missing, as papers have it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from itertools import product

SEED = 20260409
RELATIONS: dict[str, tuple[str, Callable[[float, float], float]]] = {
    "difference": ("Δ", lambda a, b: a - b),
    "absolute difference": ("gap", lambda a, b: abs(a - b)),
    "product": ("cost", lambda a, b: a * b),
    "ratio": ("ratio", lambda a, b: a / b),
    "relative change": ("change (%)", lambda a, b: 100 * (a - b) / b),
    "sum": ("total", lambda a, b: a + b),
    "mean": ("mean", lambda a, b: (a + b) / 2),
    "compute": ("FLOPs", lambda a, b: 6 * a * b),
    "geometric mean": ("geo. mean", lambda a, b: math.sqrt(a * b)),
}
ADDITIVE = ("difference", "sum", "mean")
"""Whose value at the totals is the total of the values."""
ERRORS = ("digit", "swap", "sign", "stale", "total")


def _decimal(mode: str) -> Callable[[float, int], str]:
    return lambda x, digits: str(Decimal(repr(x)).quantize(Decimal(1).scaleb(-digits), rounding=mode))


HABITS: tuple[Callable[[float, int], str], ...] = (
    lambda x, digits: f"{x:.{digits}f}",
    _decimal(ROUND_HALF_UP),
    _decimal(ROUND_HALF_EVEN),
    _decimal(ROUND_DOWN),
)
Cells = list[list[str]]


@dataclass(frozen=True)
class Generated:
    """Headers, cells (the first column holds names), the relation of the last column and the places of what was planted."""

    headers: list[str]
    cells: Cells
    kind: str
    planted: set[tuple[int, int]]


def table(number: int, *, error: str = "") -> Generated:
    """The same table for the same number and error."""
    draw = random.Random(f"{SEED}/{number}/{error}")
    rows = draw.randint(5, 12)
    kind = draw.choice(list(RELATIONS))
    name, formula = RELATIONS[kind]
    print_as = draw.choice(HABITS)
    digits = [draw.randint(1, 4) for _ in range(4)]
    scale = 10 ** draw.uniform(0, 2)
    a = [scale * draw.uniform(1, 9) for _ in range(rows)]
    b = [scale * draw.uniform(1, 9) for _ in range(rows)]
    free = [draw.uniform(0, 100) for _ in range(rows)]
    totals = error == "total" or draw.random() < 1 / 3
    columns = [[print_as(x, digits[i]) for x in values] for i, values in enumerate((a, b))]
    if draw.random() < 0.5:
        a, b = ([float(x) for x in column] for column in columns)
    values = [formula(x, y) for x, y in zip(a, b, strict=True)]
    derived = [print_as(x, digits[2]) for x in values]
    unrelated = [print_as(x, digits[3]) for x in free]
    names = [f"run {r}" for r in range(rows)]
    if totals:
        names.append("Total")
        for column, summed, places in zip(columns, (a, b), digits, strict=False):
            column.append(print_as(sum(summed), places))
        at_totals = formula(sum(a), sum(b)) if kind not in ("mean", "product", "compute") else sum(values)
        missing = kind not in ADDITIVE and draw.random() < 0.5
        derived.append("-" if missing else print_as(at_totals, digits[2]))
        unrelated.append("-")
    planted: set[tuple[int, int]] = set()
    row = draw.randrange(rows)
    if error == "total":
        columns[0][-1], planted = _wrong(draw, columns[0], rows, "digit", 1)
    elif error:
        derived[row], planted = _wrong(draw, derived, row, error, 4)
        if error == "swap":
            other = draw.choice([r for r in range(rows) if r != row])
            derived[row], derived[other] = derived[other], derived[row]
            planted = {(r, 4) for r in (row, other)} if derived[row] != derived[other] else set()
    cells = [[*line] for line in zip(names, *columns, unrelated, derived, strict=True)]
    return Generated(["name", "left", "right", "loss", name], cells, kind, planted)


def detectable(made: Generated) -> bool:
    """Whether some planted cell cannot be true: no values that print as the inputs give one that prints as it does.

    What a search can find at most, were it told the relation.
    """

    def ends(text: str) -> tuple[float, float]:
        unit, value = 10.0 ** -len(text.partition(".")[2]), float(text)
        return value - (unit / 2 if value > 0 else unit), value + (unit if value >= 0 else unit / 2)

    formula = RELATIONS[made.kind][1]
    for row, column in made.planted:
        if column == 1:
            above = [ends(line[1]) for line in made.cells[:-1]]
            low, high = (sum(side) for side in zip(*above, strict=True))
        else:
            corners = product(*(ends(text) for text in made.cells[row][1:3]))
            values = [formula(x, y) for x, y in corners]
            low, high = min(values), max(values)
            signed = [x - y for x, y in product(*(ends(text) for text in made.cells[row][1:3]))]
            if made.kind == "absolute difference" and min(signed) < 0 < max(signed):
                low = 0.0
        printed = ends(made.cells[row][column])
        if printed[1] < low or printed[0] > high:
            return True
    return False


def _wrong(
    draw: random.Random, column: list[str], row: int, error: str, place: int
) -> tuple[str, set[tuple[int, int]]]:
    """The wrong cell, and where it stands; none where this error would change nothing."""
    right = column[row]
    if error == "digit":
        places = [i for i, c in enumerate(right) if c.isdigit()]
        i = draw.choice(places[:2])
        wrong = right[:i] + str((int(right[i]) + draw.randint(2, 8)) % 10) + right[i + 1 :]
    elif error == "sign":
        wrong = right[1:] if right.startswith("-") else "-" + right
    elif error == "stale":
        wrong = str((Decimal(right) * Decimal("1.07")).quantize(Decimal(right)))
    else:
        return right, set()
    return wrong, {(row, place)} if Decimal(wrong) != Decimal(right) else set()


def markdown(headers: list[str], cells: Cells) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in (headers, ["---"] * len(headers), *cells)]
    return "\n".join(["Results", "", *lines, ""])
