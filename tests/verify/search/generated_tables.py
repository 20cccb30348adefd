"""Markdown tables whose truth is known: columns computed from others, cells printed by several habits, errors planted.

Truth is generated, so nobody tunes by hand. A table has a few free columns, one or two that are computed from them (from the
hidden values, or from the printed ones), and now and then one that has nothing to do with any other.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

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
}
ERRORS = ("digit", "swap", "sign", "stale")


def _decimal(mode: str) -> Callable[[float, int], str]:
    return lambda x, digits: str(Decimal(repr(x)).quantize(Decimal(1).scaleb(-digits), rounding=mode))


HABITS: tuple[Callable[[float, int], str], ...] = (
    lambda x, digits: f"{x:.{digits}f}",
    _decimal(ROUND_HALF_UP),
    _decimal(ROUND_HALF_EVEN),
    _decimal(ROUND_DOWN),
)
Cells = list[list[str]]


def table(number: int, *, error: str = "") -> tuple[list[str], Cells, set[tuple[int, int]]]:
    """Headers, cells (the first column holds names) and the places of what was planted, the same for the same number."""
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
    columns = [[print_as(x, digits[i]) for x in values] for i, values in enumerate((a, b))]
    if draw.random() < 0.5:
        a, b = ([float(x) for x in column] for column in columns)
    derived = [print_as(formula(x, y), digits[2]) for x, y in zip(a, b, strict=True)]
    unrelated = [print_as(x, digits[3]) for x in free]
    planted: set[tuple[int, int]] = set()
    if error:
        row = draw.randrange(rows)
        derived[row], planted = _wrong(draw, derived, row, error)
        if error == "swap":
            other = draw.choice([r for r in range(rows) if r != row])
            derived[row], derived[other] = derived[other], derived[row]
            planted = {(r, 4) for r in (row, other)} if derived[row] != derived[other] else set()
    cells = [[f"run {r}", *values] for r, values in enumerate(zip(*columns, unrelated, derived, strict=True))]
    return ["name", "left", "right", "loss", name], cells, planted


def _wrong(draw: random.Random, column: list[str], row: int, error: str) -> tuple[str, set[tuple[int, int]]]:
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
    return wrong, {(row, 4)} if Decimal(wrong) != Decimal(right) else set()


def markdown(headers: list[str], cells: Cells) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in (headers, ["---"] * len(headers), *cells)]
    return "\n".join(["Results", "", *lines, ""])
