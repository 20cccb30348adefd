"""What tests of checks share: a small table, and what a check finds."""

from __future__ import annotations

from verify.checks.base import Budget, Check
from verify.printed.tables import Column, Table
from verify.verdicts import Evidence, combine


def verdict(check: Check, budget: Budget | None = None) -> Evidence:
    """All evidence of a check, combined."""
    return combine(check.evidence(budget or Budget()))


def table(**columns: str) -> Table:
    """Table T with these columns, cells separated by blanks; the first one labels the rows."""
    cells = {name: tuple(values.split()) for name, values in columns.items()}
    return Table("T", tuple(Column(n, "1", v) for n, v in cells.items()), (next(iter(cells)),))
