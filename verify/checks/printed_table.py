"""Is a derived column of a printed table what its formula gives, under one rounding mode?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import sympy as sp

from theory.numbers.arithmetic import OutsideDomain
from theory.relation import Relation, eq
from theory.statement import Statement
from verify.checks import arguments
from verify.checks.base import Budget, Check
from verify.checks.table_survey import Survey
from verify.errors import InputError, suggest
from verify.printed.intervals import Interval
from verify.printed.numerals import Rounding
from verify.printed.rounding_readings import EVERY_READING, Reading
from verify.printed.tables import Cell, Table
from verify.search.feasibility import Constraint
from verify.verdicts import UNDEFINED, Evidence, Grade, Verdict


@dataclass(frozen=True)
class PrintedTable(Check):
    """Derived columns agree with their formulas under one reading of the table.

    ``formulas`` maps a column to an expression (or a statement, whose formula is
    meant) in symbols named after other columns, after ``names`` (symbol name ->
    column) or after ``shared`` printed constants. ``exact`` columns are counts
    that were never rounded. One of ``readings`` must explain the whole table
    (``scope="table"``, rows jointly: one choice of unrounded inputs per row
    gives every derived cell of that row) or each column by itself
    (``scope="column"``). Cells never choose their own mode.

    With ``shared`` constants, all rows are explained jointly by one choice of
    the constants.

    A cell with a dash holds nothing: it is compared with nothing, and no cell is
    recomputed from it. The finding counts what is left out so.
    """

    table: Table
    formulas: Mapping[str, sp.Expr | Statement]
    names: Mapping[str, str] = field(default_factory=dict)
    exact: Sequence[str] = ()
    shared: Mapping[sp.Symbol, Cell] = field(default_factory=dict)
    readings: Sequence[Reading] = EVERY_READING
    scope: Literal["table", "column"] = "table"

    def __post_init__(self) -> None:
        if not isinstance(self.table, Table):
            raise arguments.refuse(
                "PrintedTable: table", self.table, "a Table, such as paper.table('table1')"
            )
        if not isinstance(self.formulas, Mapping):
            raise arguments.refuse("PrintedTable: formulas", self.formulas, "{'column': formula}")
        if not self.formulas:
            raise InputError("PrintedTable: formulas is empty, so nothing would be checked")
        if not isinstance(self.names, Mapping):
            raise arguments.refuse("PrintedTable: names", self.names, "{'name of a symbol': 'column'}")
        arguments.cells("PrintedTable: shared", self.shared)
        arguments.columns("PrintedTable: exact", self.exact, self.table.names, self.table.name)
        arguments.readings("PrintedTable: readings", self.readings)
        arguments.one_of("PrintedTable: scope", self.scope, ("table", "column"))
        for column, expr in self.expressions.items():
            if column in {self._column_of(s) for s in expr.free_symbols}:
                raise InputError(
                    f"PrintedTable: the formula of {column!r} uses {column!r} itself, so it cannot fail"
                )
        for name in self._columns_read:
            if name not in self.table.names:
                hint = arguments.namesakes([sp.Symbol(name)], self.shared)
                raise InputError(
                    f"PrintedTable: {self.table.name} has no column {name!r}; it has "
                    f"{', '.join(self.table.names)}{hint}.{suggest(name, self.table.names)}"
                )
        for column in self.formulas:
            if not any(name == column for _, name in self.compared):
                raise InputError(
                    f"PrintedTable: no cell of {column!r} in {self.table.name} can be recomputed; in every row it "
                    "or a column of its formula is blank. Leave the column out, or claim it without a check"
                )

    def claimed(self) -> list[Relation]:
        return [eq(sp.Symbol(column), expr) for column, expr in self.expressions.items()]

    def claiming(self, relations: Sequence[Relation]) -> PrintedTable:
        return replace(self, formulas=dict(zip(self.formulas, (r.rhs for r in relations), strict=True)))

    def relevant(self) -> PrintedTable:
        """This check on the columns it reads, so that no other digit of the table matters to it."""
        table = self.table.select(*self._columns_read)
        return replace(self, table=table, exact=[name for name in self.exact if name in table.names])

    @cached_property
    def expressions(self) -> dict[str, sp.Expr]:
        """The formula of each derived column as an expression."""
        return {c: arguments.formula(f"PrintedTable: formulas[{c!r}]", f) for c, f in self.formulas.items()}

    @cached_property
    def compared(self) -> tuple[tuple[int, str], ...]:
        """The derived cells, as (row, column), that are printed in a row that prints what their formula reads."""
        return tuple(
            (row, column)
            for column, expr in self.expressions.items()
            for row in range(len(self.table))
            if not any(self.cell(row, name).is_blank for name in {column, *self._inputs(expr)})
        )

    @property
    def left_out(self) -> int:
        """How many derived cells are not compared, as they or their inputs are not printed."""
        return len(self.formulas) * len(self.table) - len(self.compared)

    @property
    def _columns_read(self) -> list[str]:
        return sorted(
            {*self.formulas, *(name for e in self.expressions.values() for name in self._inputs(e))}
        )

    def _inputs(self, expr: sp.Expr) -> set[str]:
        """The columns that a formula reads."""
        return {self._column_of(s) for s in expr.free_symbols - set(self.shared)}

    def _column_of(self, symbol: sp.Symbol) -> str:
        return self.names.get(symbol.name, symbol.name)

    def cell(self, row: int, column: str) -> Cell:
        """The cell of a row (counted from 0) and column, a count where the column is ``exact``."""
        return self.table.cell(row, column, exact=column in self.exact)

    def box(self, row: int, column: str, mode: Rounding) -> dict[sp.Symbol, Interval]:
        """What the printed inputs of a derived cell stand for under ``mode``."""
        box = {}
        for symbol in sorted(self.expressions[column].free_symbols, key=lambda s: s.name):
            cell = self.shared.get(symbol) or self.cell(row, self._column_of(symbol))
            box[symbol] = cell.interval(mode)
        return box

    def row_groups(self) -> list[list[int]]:
        """Rows that must be explained by one choice of unrounded inputs: all, if constants are shared."""
        rows = list(range(len(self.table)))
        return [rows] if self.shared else [[row] for row in rows]

    def system(
        self, reading: Reading, rows: Sequence[int]
    ) -> tuple[list[Constraint], dict[sp.Symbol, Interval]]:
        """The derived cells of these rows as constraints on the unrounded inputs, and the box of those."""
        constraints: list[Constraint] = []
        box: dict[sp.Symbol, Interval] = {}
        for row, column in sorted(self.compared, key=lambda cell: cell[0]):
            if row not in rows:
                continue
            sides = self.box(row, column, reading.inputs)
            own = {
                symbol: symbol
                if symbol in self.shared
                else sp.Symbol(f"{symbol.name}@{row}", **symbol.assumptions0)
                for symbol in sides
            }
            box |= {own[symbol]: side for symbol, side in sides.items()}
            label = f"{column} ({self.table.label(row)})"
            target = self.cell(row, column).interval(reading.outputs)
            constraints.append(Constraint(label, self.expressions[column].xreplace(own), target))
        return constraints, box

    def evidence(self, budget: Budget) -> Iterable[Evidence]:
        try:
            survey = Survey(self, budget)
        except OutsideDomain as problem:
            says = f"a formula has no value: {problem}"
            yield Evidence(Verdict.INCONCLUSIVE, Grade.EXACT, says, {UNDEFINED: str(problem)})
            return
        yield survey.by_column() if self.scope == "column" else survey.by_table()
