"""Exact elimination over any field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Number = Any


@dataclass(frozen=True)
class Echelon:
    """The reduced row echelon form of a matrix; ``pivots[i]`` is the column of row i's leading 1.

    ``moves`` gives each row as a combination of the rows of the matrix, the rows of zeros last.
    """

    rows: list[list[Number]]
    pivots: list[int]
    moves: list[list[Number]]

    @property
    def rank(self) -> int:
        return len(self.pivots)


def echelon(matrix: Sequence[Sequence[Number]], zero: Number, order: Sequence[int] | None = None) -> Echelon:
    """Eliminate, taking pivot columns in the given order."""
    height = len(matrix)
    width = len(matrix[0]) if height else 0
    one = zero + 1
    rows = [list(row) for row in matrix]
    moves = [[one if i == j else zero for j in range(height)] for i in range(height)]
    pivots: list[int] = []
    for column in range(width) if order is None else order:
        here = len(pivots)
        found = next((i for i in range(here, height) if rows[i][column]), None)
        if found is None:
            continue
        for table in (rows, moves):
            table[here], table[found] = table[found], table[here]
        scale = rows[here][column]
        for table in (rows, moves):
            table[here] = [x / scale for x in table[here]]
        for i in range(height):
            factor = rows[i][column]
            if i != here and factor:
                for table in (rows, moves):
                    table[i] = [x - factor * y for x, y in zip(table[i], table[here], strict=True)]
        pivots.append(column)
    return Echelon(rows, pivots, moves)


def combination(coefficients: Sequence[Number], values: Sequence[Number], zero: Number) -> Number:
    """The sum of coefficients times values."""
    return sum((c * v for c, v in zip(coefficients, values, strict=True) if c), start=zero)
