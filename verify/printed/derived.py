"""A printed table of which some columns follow from others by formulas: which cells are compared, and from what inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import sympy as sp

from verify.printed.intervals import Interval
from verify.printed.numerals import Rounding
from verify.printed.tables import Cell, Table


@dataclass(frozen=True)
class DerivedTable:
    """The table, the formula of each derived column, and what the symbols of a formula stand for.

    A symbol stands for one of the ``shared`` printed constants, else for the column that ``names`` gives it, else for the
    column of its own name. The cells of ``exact`` columns are counts that were never rounded. A cell with a dash holds nothing:
    it is compared with nothing, and no cell is recomputed from it.
    """

    table: Table
    formulas: Mapping[str, sp.Expr]
    names: Mapping[str, str] = field(default_factory=dict)
    exact: Sequence[str] = ()
    shared: Mapping[sp.Symbol, Cell] = field(default_factory=dict)

    @cached_property
    def compared(self) -> tuple[tuple[int, str], ...]:
        """The derived cells, as (row, column), that are printed in a row that prints what their formula reads."""
        return tuple(
            (row, column)
            for column in self.formulas
            for row in range(len(self.table))
            if not any(self.cell(row, name).is_blank for name in {column, *self.inputs(column)})
        )

    @property
    def left_out(self) -> int:
        """How many derived cells are not compared, as they or their inputs are not printed."""
        return len(self.formulas) * len(self.table) - len(self.compared)

    @property
    def columns_read(self) -> list[str]:
        return sorted({name for column in self.formulas for name in (column, *self.inputs(column))})

    def inputs(self, column: str) -> set[str]:
        """The columns that the formula of a derived column reads."""
        return {self.column_of(s) for s in self.formulas[column].free_symbols - set(self.shared)}

    def column_of(self, symbol: sp.Symbol) -> str:
        return self.names.get(symbol.name, symbol.name)

    def cell(self, row: int, column: str) -> Cell:
        """The cell of a row (counted from 0) and column, a count where the column is ``exact``."""
        return self.table.cell(row, column, exact=column in self.exact)

    def box(self, row: int, column: str, mode: Rounding) -> dict[sp.Symbol, Interval]:
        """What the printed inputs of a derived cell stand for under ``mode``."""
        box = {}
        for symbol in sorted(self.formulas[column].free_symbols, key=lambda s: s.name):
            cell = self.shared.get(symbol) or self.cell(row, self.column_of(symbol))
            box[symbol] = cell.interval(mode)
        return box

    def row_groups(self) -> list[list[int]]:
        """Rows that must be explained by one choice of unrounded inputs: all, if constants are shared."""
        rows = list(range(len(self.table)))
        return [rows] if self.shared else [[row] for row in rows]
