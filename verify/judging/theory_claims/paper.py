"""The paper that the claims of this package belong to, and all of them."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

from theory import statement
from verify.judging.claims import Claim, Paper

theory = Paper(
    id="theory",
    title="Statements derived in the theory package",
    authors="moelaws",
    year=2026,
    reference="moelaws theory",
    folder=Path(statement.__file__).parent,
)
"""The project's own theory; `verify.judging.statement_claims.theory_paper` adds the claims that its statements make."""


def claims_on_theory() -> dict[str, Claim]:
    """The claims of every module of this package, by id."""
    here = importlib.import_module("verify.judging.theory_claims")
    for module in pkgutil.iter_modules(here.__path__, prefix="verify.judging.theory_claims."):
        importlib.import_module(module.name)
    return dict(theory.claims)
