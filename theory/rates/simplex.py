"""Exact linear programming over the rationals: two phases, Bland's rule, lexicographic costs.

The programs here are tiny (a handful of rows), so a full tableau of exact
numbers is the simplest thing that is right. Costs are triples compared in
order, one entry per level of `Growth`; Bland's rule ends over any ordered
field. The answer is a *basis*, which `elimination.solve` then lifts to other fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from theory.rates.elimination import Number, Rows, pivot

Cost = tuple[Number, ...]


@dataclass(frozen=True)
class Basis:
    """An optimal vertex: the columns that carry it."""

    columns: tuple[int, ...]


@dataclass(frozen=True)
class Ray:
    """The maximum is infinite: ``entering`` grows for ever against the basis."""

    columns: tuple[int, ...]
    entering: int


@dataclass(frozen=True)
class Infeasible:
    """No point satisfies the equations; columns beyond the last are the artificial ones left over."""

    columns: tuple[int, ...]


def maximise(
    columns: Sequence[Sequence[Number]], costs: Sequence[Cost], rhs: Sequence[Number]
) -> Basis | Ray | Infeasible:
    """Maximise ``costs . y`` subject to ``sum y_j columns[j] = rhs`` and ``y >= 0``, for ``rhs >= 0``."""
    height, width = len(rhs), len(columns)
    zero, one = rhs[0] * 0, rhs[0] * 0 + 1
    rows = [
        [columns[j][i] for j in range(width)] + [one if i == r else zero for r in range(height)] + [rhs[i]]
        for i in range(height)
    ]
    basis = list(range(width, width + height))
    tableau = _Tableau(rows, basis)
    first_costs: list[Cost] = [(zero,)] * width + [(zero - one,)] * height
    tableau.ascend(first_costs, width + height)
    if any(rows[i][-1] for i in range(height) if basis[i] >= width):
        return Infeasible(tuple(basis))
    for i in range(height):  # drive the artificial columns out, so that phase two starts at a real vertex
        if basis[i] >= width:
            real = next((j for j in range(width) if rows[i][j]), None)
            if real is not None:
                tableau.pivot(i, real)
    padded = [*costs, *[tuple(zero for _ in costs[0])] * height]
    entering = tableau.ascend(padded, width)
    return Basis(tuple(basis)) if entering is None else Ray(tuple(basis), entering)


@dataclass
class _Tableau:
    rows: Rows
    basis: list[int]

    def ascend(self, costs: Sequence[Cost], width: int) -> int | None:
        """Pivot until no column improves (None), or until one improves without end (that column)."""
        while True:
            entering = next((j for j in range(width) if j not in self.basis and self._gains(j, costs)), None)
            if entering is None:
                return None
            blocking = [i for i, row in enumerate(self.rows) if row[entering] > 0]
            if not blocking:
                return entering
            leaving = min(blocking, key=lambda i: (self.rows[i][-1] / self.rows[i][entering], self.basis[i]))
            self.pivot(leaving, entering)

    def _gains(self, column: int, costs: Sequence[Cost]) -> bool:
        reduced = list(costs[column])
        for row, basic in zip(self.rows, self.basis, strict=True):
            if row[column]:
                reduced = [r - row[column] * c for r, c in zip(reduced, costs[basic], strict=True)]
        return next((r > 0 for r in reduced if r), False)

    def pivot(self, leaving: int, entering: int) -> None:
        pivot(self.rows, leaving, entering)
        self.basis[leaving] = entering
