"""Is a derived column of a printed table what its formula gives, under one rounding mode?"""

from __future__ import annotations

__all__ = ["PrintedTable"]

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import sympy as sp

from theory.errors import suggest
from theory.relation import Relation, eq
from theory.statement import Statement
from verify.checks import arguments
from verify.checks.base import Budget, Check
from verify.checks.table_verdict import table_verdict
from verify.errors import InputError
from verify.printed.derived import DerivedTable
from verify.printed.rounding_readings import EVERY_READING, Reading
from verify.printed.tables import Cell, Table
from verify.search.domains import Values
from verify.verdicts import Evidence


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

    Nothing is refuted that follows once ties may print either way, as binary floats
    print them: 3/20 and 9/20 as 0.1 and 0.5.

    ``uses`` names the statements that the formulas come from, where these are not statements themselves.

    With ``shared`` constants, all rows are explained jointly by one choice of
    the constants.

    Cells with a dash are compared with nothing (`verify.printed.derived.DerivedTable`); the finding counts
    what is left out so.
    """

    changes = "formulas"
    holds_too = "the printed digits fit this formula as well"

    table: Table
    formulas: Mapping[str, sp.Expr | Statement]
    names: Mapping[str, str] = field(default_factory=dict)
    exact: Sequence[str] = ()
    shared: Mapping[sp.Symbol, Cell] = field(default_factory=dict)
    readings: Sequence[Reading] = EVERY_READING
    scope: Literal["table", "column"] = "table"
    uses: tuple[Statement, ...] = ()

    def validate(self) -> None:
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
            if column in {self.derived.column_of(s) for s in expr.free_symbols}:
                raise InputError(
                    f"PrintedTable: the formula of {column!r} uses {column!r} itself, so it cannot fail"
                )
        for name in self.derived.columns_read:
            if name not in self.table.names:
                hint = arguments.namesakes([sp.Symbol(name)], self.shared)
                raise InputError(
                    f"PrintedTable: {self.table.name} has no column {name!r}; it has "
                    f"{', '.join(self.table.names)}{hint}.{suggest(name, self.table.names)}"
                )
        for column in self.formulas:
            if not any(name == column for _, name in self.derived.compared):
                raise InputError(
                    f"PrintedTable: no cell of {column!r} in {self.table.name} can be recomputed; in every row it "
                    "or a column of its formula is blank. Leave the column out, or claim it without a check"
                )

    def values(self) -> Iterable[Values]:
        read = {s: column for column, formula in self.expressions.items() for s in formula.free_symbols}
        for symbol, column in read.items():
            rows = [row for row, name in self.derived.compared if name == column]
            shared = self.shared.get(symbol)
            cells = (
                [self.derived.cell(row, self.derived.column_of(symbol)) for row in rows]
                if shared is None
                else [shared]
            )
            yield from arguments.printed_values(symbol, cells)

    def claimed(self) -> list[Relation]:
        return [eq(sp.Symbol(column), expr) for column, expr in self.expressions.items()]

    def mistakable(self) -> list[sp.Symbol]:
        used = set().union(*(relation.rhs.free_symbols for relation in self.claimed()))
        return sorted(used, key=lambda symbol: symbol.name)

    def claiming(self, relations: Sequence[Relation]) -> PrintedTable:
        return replace(self, formulas=dict(zip(self.formulas, (r.rhs for r in relations), strict=True)))

    def relevant(self) -> PrintedTable:
        """This check on the columns it reads, so that no other digit of the table matters to it."""
        table = self.table.select(*self.derived.columns_read)
        return replace(self, table=table, exact=[name for name in self.exact if name in table.names])

    @cached_property
    def expressions(self) -> dict[str, sp.Expr]:
        """The formula of each derived column as an expression."""
        return {c: arguments.formula(f"PrintedTable: formulas[{c!r}]", f) for c, f in self.formulas.items()}

    @cached_property
    def derived(self) -> DerivedTable:
        """The table with its formulas, as plain data."""
        return DerivedTable(self.table, self.expressions, self.names, self.exact, self.shared)

    def evidence(self, budget: Budget) -> Iterable[Evidence]:
        yield table_verdict(self.derived, self.readings, self.scope, budget.boxes)
