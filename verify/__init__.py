"""Judging claims: checkers, verdicts, the runner, reports and the command line.

What a paper's ``claims.py`` needs is here: `Paper`, the checks, `Cell` helpers
and the verdicts. Names load on first use, so that ``moelaws --help`` stays fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from verify.checks.base import Budget as Budget
    from verify.checks.base import Check as Check
    from verify.checks.consistent import Consistent as Consistent
    from verify.checks.conventions import ConventionSearch as ConventionSearch
    from verify.checks.homogeneous import Homogeneous as Homogeneous
    from verify.checks.identity import Identity as Identity
    from verify.checks.printed_table import PrintedTable as PrintedTable
    from verify.checks.printed_table import Reading as Reading
    from verify.checks.single_correction import SingleCorrection as SingleCorrection
    from verify.claims import Claim as Claim
    from verify.claims import Paper as Paper
    from verify.errors import InputError as InputError
    from verify.printed import Rounding as Rounding
    from verify.tables import Cell as Cell
    from verify.tables import quoted as quoted
    from verify.verdicts import Evidence as Evidence
    from verify.verdicts import Grade as Grade
    from verify.verdicts import Verdict as Verdict

_HOME = {
    "Budget": "checks.base", "Check": "checks.base", "Consistent": "checks.consistent",
    "ConventionSearch": "checks.conventions", "Homogeneous": "checks.homogeneous",
    "Identity": "checks.identity", "PrintedTable": "checks.printed_table",
    "Reading": "checks.printed_table", "SingleCorrection": "checks.single_correction",
    "Claim": "claims", "Paper": "claims", "InputError": "errors", "Rounding": "printed",
    "Cell": "tables", "quoted": "tables", "Evidence": "verdicts", "Grade": "verdicts",
    "Verdict": "verdicts",
}  # fmt: skip
__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'verify' has no attribute {name!r}")
    return getattr(importlib.import_module(f"verify.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
