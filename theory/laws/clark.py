"""The Clark transform: an effective expansion rate that saturates at both ends.

1/Ehat = 1/(E - 1 + (1/E_start - 1/E_max)^-1) + 1/E_max
(Clark et al. 2022, arXiv 2202.01169, Eq. 6). It starts at Ehat(1) = E_start and
rises to E_max.
"""

from __future__ import annotations

__all__ = ["clark_transform", "effective_experts"]

from typing import Any

import sympy as sp

from theory.errors import MoelawsError
from theory.laws.elementwise import may_be
from theory.relation import Relation, eq
from theory.statement import Hypothesis, Kind, Source, Statement, Step
from theory.symbols import E, Ehat


def effective_experts(expansion: Any, *, start: Any, maximum: Any) -> Any:
    """Ehat for ``expansion`` E >= 1; numbers, arrays or sympy expressions. Requires maximum > start > 0."""
    if not may_be(maximum - start) or not may_be(start):
        raise MoelawsError(
            f"effective_experts(start={start}, maximum={maximum}): expected maximum > start > 0"
        )
    if not may_be(expansion, 1, strict=False):
        raise MoelawsError(f"effective_experts(expansion={expansion}): expected at least 1 (dense)")
    return 1 / (1 / (expansion - 1 + 1 / (1 / start - 1 / maximum)) + 1 / maximum)


_start = sp.Symbol("E_start", positive=True)
_excess = sp.Symbol("E_excess", positive=True)
_maximum = _start + _excess
_ehat = effective_experts(E, start=_start, maximum=_maximum)

clark_transform = Statement(
    name="clark_transform",
    words="the effective expansion rate starts at E_start for a dense model and rises to E_max",
    conclusion=eq(Ehat, _ehat),
    kind=Kind.ARGUED,
    to_prove="definitions of both forms of the law and a rule for limits",
    source=Source("Clark et al. 2022, arXiv 2202.01169", "Eq. 6"),
    hypotheses=(
        Hypothesis(
            "range", "E_max = E_start + E_excess exceeds E_start", Relation(_excess, ">", sp.Integer(0))
        ),
        Hypothesis("expansion", "E is at least 1, that of a dense model", Relation(E, ">=", 1)),
    ),
    steps=(
        Step("a dense model has Ehat = E_start", eq(sp.Subs(_ehat, E, 1), _start)),
        Step("the limit of many experts is E_max", eq(sp.Limit(_ehat, E, sp.oo), _maximum)),
    ),
    tight_at="E = 1",
    attained_at=(eq(sp.Subs(_ehat, E, 1), _start),),
)
