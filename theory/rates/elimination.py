"""Exact elimination over any field: rationals (flint's or Python's) and rational functions of the parameters.

One row operation serves linear systems, echelon forms and the simplex tableau. flint has matrices over the rationals
only, and sympy's over Q(beta, d) take some twenty times as long, before converting anything.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

Number = Any
Rows = list[list[Number]]


def pivot(rows: Rows, here: int, column: int) -> Number:
    """Divide a row by its entry in a column, clear the column in the other rows, in place; returns the entry."""
    scale = rows[here][column]
    rows[here] = [x / scale for x in rows[here]]
    for i, row in enumerate(rows):
        factor = row[column]
        if i != here and factor:
            rows[i] = [x - factor * y for x, y in zip(row, rows[here], strict=True)]
    return scale


def eliminate(rows: Rows, columns: Iterable[int]) -> tuple[list[int], list[Number]]:
    """Gauss-Jordan elimination in place, pivots sought in the columns given; their columns, and what they were."""
    pivots: list[int] = []
    scales: list[Number] = []
    for column in columns:
        here = len(pivots)
        found = next((i for i in range(here, len(rows)) if rows[i][column]), None)
        if found is not None:
            rows[here], rows[found] = rows[found], rows[here]
            scales.append(pivot(rows, here, column))
            pivots.append(column)
    return pivots, scales


def solve(matrix: Sequence[Sequence[Number]], rhs: Sequence[Number]) -> list[Number]:
    """The solution of a regular square system."""
    rows = [[*row, b] for row, b in zip(matrix, rhs, strict=True)]
    eliminate(rows, range(len(rows)))
    return [row[-1] for row in rows]


def determinant(matrix: Sequence[Sequence[Number]]) -> Number:
    """The determinant of a regular square matrix, up to sign."""
    rows = [list(row) for row in matrix]
    _, scales = eliminate(rows, range(len(rows)))
    return math.prod(scales[1:], start=scales[0])


@dataclass(frozen=True)
class Echelon:
    """The reduced row echelon form of a matrix; ``pivots[i]`` is the column of row i's leading 1.

    ``moves`` gives each row as a combination of the rows of the matrix, the rows of zeros last.
    """

    rows: Rows
    pivots: list[int]
    moves: Rows

    @property
    def rank(self) -> int:
        return len(self.pivots)


def echelon(matrix: Sequence[Sequence[Number]], zero: Number, order: Sequence[int] | None = None) -> Echelon:
    """Eliminate, taking pivot columns in the given order."""
    width = len(matrix[0]) if matrix else 0
    rows = [
        [*row, *(zero + 1 if i == j else zero for j in range(len(matrix)))] for i, row in enumerate(matrix)
    ]
    pivots, _ = eliminate(rows, range(width) if order is None else order)
    return Echelon([row[:width] for row in rows], pivots, [row[width:] for row in rows])


def combination(coefficients: Sequence[Number], values: Sequence[Number], zero: Number) -> Number:
    """The sum of coefficients times values."""
    return sum((c * v for c, v in zip(coefficients, values, strict=True) if c), start=zero)
