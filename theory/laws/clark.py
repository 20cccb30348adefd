"""The law of Clark et al. and its transform, an effective expansion rate that saturates at both ends.

1/Ehat = 1/(E - 1 + (1/E_start - 1/E_max)^-1) + 1/E_max
(Clark et al. 2022, arXiv 2202.01169, Eq. 6). It starts at Ehat(1) = E_start and
rises to E_max.
"""

from __future__ import annotations

__all__ = ["ClarkLaw", "clark_transform", "effective_experts"]

import math
from dataclasses import dataclass
from typing import Any

import sympy as sp

from theory.errors import MoelawsError
from theory.laws.elementwise import check_at_least_one, check_positive, exp, log, may_be
from theory.laws.law import Law, PublishedLaw, Quantity, coefficient
from theory.relation import Relation, eq
from theory.statement import Hypothesis, Kind, Source, Statement, Step
from theory.vocabulary import E, Ehat


def effective_experts(expansion: Any, *, start: Any, maximum: Any) -> Any:
    """Ehat for ``expansion`` E >= 1; numbers, arrays or sympy expressions. Requires maximum > start > 0."""
    if not may_be(maximum - start) or not may_be(start):
        raise MoelawsError(
            f"effective_experts(start={start}, maximum={maximum}): expected maximum > start > 0"
        )
    if not may_be(expansion, 1, strict=False):
        raise MoelawsError(f"effective_experts(expansion={expansion}): expected at least 1 (dense)")
    return 1 / (1 / (expansion - 1 + 1 / (1 / start - 1 / maximum)) + 1 / maximum)


@dataclass(frozen=True, kw_only=True)
class ClarkLaw(Law):
    """log L = a log N + b log Ehat + c log N log Ehat + d, the loss of N active parameters at one number of tokens.

    Logarithms are natural: c is then the printed one over ln 10, d the printed one times ln 10 (`from_base_10`).
    (Clark et al. 2022, arXiv 2202.01169, Eq. 1 with Ehat of Eq. 6.)
    """

    inputs = (
        Quantity("active_parameters", "active model size N", "parameters"),
        Quantity("expansion", "experts over active experts E", "1", least=1),
    )

    a: Any = coefficient("exponent of model size where Ehat = 1", sign="negative")
    b: Any = coefficient("exponent of Ehat where N = 1")
    c: Any = coefficient("how the exponent of model size moves with ln Ehat")
    d: Any = coefficient("ln of the loss in nats where N = Ehat = 1")
    E_start: Any = coefficient("Ehat of a dense model", sign="positive")
    E_max: Any = coefficient("Ehat of many experts", sign="positive")

    @classmethod
    def from_base_10(
        cls, *, a: float, b: float, c: float, d: float, E_start: float, E_max: float
    ) -> ClarkLaw:
        """The law whose coefficients are printed for logarithms to base 10, as its paper does."""
        return cls(a=a, b=b, c=c / math.log(10), d=d * math.log(10), E_start=E_start, E_max=E_max)

    def loss(self, active_parameters: Any, expansion: Any) -> Any:
        """Loss in nats per token at N active parameters and expansion rate E."""
        check_positive("ClarkLaw.loss", active_parameters=active_parameters)
        check_at_least_one("ClarkLaw.loss", expansion=expansion)
        size = log(active_parameters)
        experts = log(effective_experts(expansion, start=self.E_start, maximum=self.E_max))
        return exp(self.a * size + self.b * experts + self.c * size * experts + self.d)


_CLARK = Source("Clark et al. 2022, arXiv 2202.01169", "Table 3")
clark2022_sbase = PublishedLaw(
    "clark2022-sbase",
    ClarkLaw.from_base_10(a=-0.082, b=-0.108, c=0.009, d=1.104, E_start=1.847, E_max=314.478),
    _CLARK,
    log_base="10",
)
clark2022_rl = PublishedLaw(
    "clark2022-rl",
    ClarkLaw.from_base_10(a=-0.083, b=-0.126, c=0.012, d=1.111, E_start=1.880, E_max=469.982),
    _CLARK,
    log_base="10",
)
clark2022_hash = PublishedLaw(
    "clark2022-hash",
    ClarkLaw.from_base_10(a=-0.087, b=-0.136, c=0.012, d=1.157, E_start=4.175, E_max=477.741),
    _CLARK,
    log_base="10",
)

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
