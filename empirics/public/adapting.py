"""Steps that several adapters take: derived columns, chosen rows, the best run of each cell."""

from __future__ import annotations

from collections.abc import Callable

from empirics.fitting.tables import Table


def chosen(table: Table, keep: Callable[[dict[str, str]], bool]) -> Table:
    """The rows that a condition keeps."""
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    kept = [row for row in rows if keep(row)]
    return {name: [row[name] for row in kept] for name in table}


def quotient(table: Table, above: str, below: str, factor: float = 1.0) -> list[str]:
    """``above`` over ``factor`` times ``below``, row by row."""
    return [repr(float(a) / float(b) / factor) for a, b in zip(table[above], table[below], strict=True)]


def best_of_each(table: Table, cell: tuple[str, ...], loss: str) -> Table:
    """The row of least ``loss`` in each cell of equal columns, in the order in which the cells appear."""
    best: dict[tuple[str, ...], int] = {}
    for i in range(len(table[loss])):
        key = tuple(table[name][i] for name in cell)
        if key not in best or float(table[loss][i]) < float(table[loss][best[key]]):
            best[key] = i
    return {name: [values[i] for i in best.values()] for name, values in table.items()}
