"""Repeated data: passes over the same tokens, and parameters beyond what they feed, are worth less and less.

L = A N'^-u + B D'^-v + floor with D' = U (1 + R_D (1 - exp(-r/R_D))), where D tokens are r = D/U - 1 repetitions
of U distinct ones, and N' alike from U_N, the size for which U tokens are compute-optimal
(Muennighoff et al. 2023, arXiv 2305.16264, Eq. 5 to 7).
"""

from __future__ import annotations

__all__ = ["RepeatedDataLaw"]

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

from theory.errors import MoelawsError
from theory.laws.elementwise import check_positive, excess, exp, least
from theory.laws.law import Allocation, Law, PublishedLaw, Quantity, coefficient
from theory.laws.separable import SeparableLaw
from theory.statement import Source


def worth(distinct: Any, repeats: Any, patience: Any) -> Any:
    """What ``distinct`` units are worth when seen 1 + ``repeats`` times; at most 1 + ``patience`` times themselves."""
    return distinct * (1 + patience * (1 - exp(-repeats / patience)))


@dataclass(frozen=True, kw_only=True)
class RepeatedDataLaw(Law):
    """The separable law of N parameters and D tokens, ``unique`` of them distinct; with nothing repeated it is that law."""

    inputs = (
        Quantity("parameters", "model size N", "parameters"),
        Quantity("tokens", "training tokens D, repeats counted", "tokens"),
        Quantity("unique", "distinct training tokens U", "tokens"),
    )

    m: Any = coefficient("scale of the term in model size", "nats parameters^u", "positive")
    u: Any = coefficient("exponent of model size", sign="positive")
    n: Any = coefficient("scale of the term in data", "nats tokens^v", "positive")
    v: Any = coefficient("exponent of data", sign="positive")
    floor: Any = coefficient("loss of unlimited size and data", "nats")
    R_D: Any = coefficient("repetitions of data that keep 1/e of their worth", "1", "positive")
    R_N: Any = coefficient("excess of parameters that keeps 1/e of its worth", "1", "positive")

    def unrepeated(self) -> SeparableLaw:
        """The law of a single pass."""
        return SeparableLaw(self.m, self.u, self.n, self.v, self.floor)

    def loss(self, parameters: Any, tokens: Any, unique: Any) -> Any:
        """Loss in nats per token."""
        check_positive("RepeatedDataLaw.loss", parameters=parameters, tokens=tokens, unique=unique)
        base = self.unrepeated()
        size = _discounted(parameters, base.parameters_for(unique), self.R_N)
        return base.loss(size, _discounted(tokens, unique, self.R_D))

    def compute_optimal(self, flops: float, unique: float) -> Allocation:
        """The allocation of ``flops`` = 6 N D with ``unique`` distinct tokens: closed form up to one pass, else by bisection.

        As log N rises at fixed compute, the pull of size u m N'^-u (dlog N'/dlog N) falls, and that of data rises: both
        of N'^-u and dlog N'/dlog N fall in N. So their difference has one sign change, the minimum, and
        bisection encloses it to the last digit. MoelawsError unless both are positive floats.
        """
        check_positive("RepeatedDataLaw.compute_optimal", flops=flops, unique=unique)
        if not (isinstance(flops, Real) and isinstance(unique, Real)):
            raise MoelawsError(
                "RepeatedDataLaw.compute_optimal: it has no formula; give flops and unique as numbers"
            )
        best = self.unrepeated().compute_optimal(float(flops))
        if best.tokens <= unique:
            return best
        budget = float(flops) / 6
        low, high = math.log(best.parameters) - 60, math.log(best.parameters) + 60
        while low < (middle := (low + high) / 2) < high:
            size = math.exp(middle)
            low, high = (
                (middle, high) if self._gain(size, budget / size, float(unique)) > 0 else (low, middle)
            )
        size = math.exp(low)
        return Allocation(size, budget / size, self.loss(size, budget / size, float(unique)))

    def _gain(self, parameters: float, tokens: float, unique: float) -> float:
        """Positive where a larger model on fewer tokens lowers the loss."""
        most = self.unrepeated().parameters_for(unique)
        return _pull(parameters, most, self.R_N, self.m, self.u) - _pull(
            tokens, unique, self.R_D, self.n, self.v
        )


def _discounted(amount: Any, distinct: Any, patience: Any) -> Any:
    """``amount`` up to ``distinct``, and beyond that its worth."""
    return worth(least(amount, distinct), excess(amount / distinct), patience)


def _pull(amount: float, distinct: float, patience: float, scale: float, power: float) -> float:
    """-dL/dlog(amount) of one term of the law."""
    beyond = excess(amount / distinct)
    value = _discounted(amount, distinct, patience)
    return float(power * scale * value ** (-power - 1) * amount * exp(-beyond / patience))


muennighoff2023 = PublishedLaw(
    "muennighoff2023",
    RepeatedDataLaw(m=521, u=0.353, n=1488, v=0.353, floor=1.87, R_D=15.39, R_N=5.31),
    Source("Muennighoff et al. 2023, arXiv 2305.16264", "Section 5 and Appendix A"),
)
