"""The joint law of Kaplan et al.: L(N, D) = ((N_c/N)^(a/b) + D_c/D)^b."""

from __future__ import annotations

__all__ = ["KaplanLaw"]

from dataclasses import dataclass
from typing import Any

from theory.laws.elementwise import check_positive
from theory.laws.law import Allocation, Law, PublishedLaw, Quantity, coefficient
from theory.laws.separable import SeparableLaw
from theory.statement import Source


@dataclass(frozen=True)
class KaplanLaw(Law):
    """``((N_c/N)^(a/b) + D_c/D)^b`` in nats per token (Kaplan et al. 2020, arXiv 2001.08361, Eq. 1.5).

    N leaves embeddings out. The loss of unlimited size and data is 0.
    """

    inputs = (
        Quantity("parameters", "model size N without embeddings", "parameters"),
        Quantity("tokens", "training tokens D", "tokens"),
    )

    N_c: Any = coefficient("scale of size", "parameters", "positive")
    D_c: Any = coefficient("scale of data", "tokens", "positive")
    a: Any = coefficient("exponent of size", sign="positive")
    b: Any = coefficient("exponent of data", sign="positive")

    def inside(self) -> SeparableLaw:
        """What is raised to the power b."""
        return SeparableLaw(self.N_c ** (self.a / self.b), self.a / self.b, self.D_c, 1)

    def loss(self, parameters: Any, tokens: Any) -> Any:
        """Loss in nats per token at N parameters and D tokens."""
        check_positive("KaplanLaw.loss", parameters=parameters, tokens=tokens)
        return self.inside().loss(parameters, tokens) ** self.b

    def compute_optimal(self, flops: Any) -> Allocation:
        """The allocation of ``flops`` = 6 N D; x^b rises, so it is that of the sum inside."""
        best = self.inside().compute_optimal(flops)
        return Allocation(best.parameters, best.tokens, best.loss**self.b)


kaplan2020 = PublishedLaw(
    "kaplan2020",
    KaplanLaw(N_c=6.4e13, D_c=1.8e13, a=0.076, b=0.103),
    Source("Kaplan et al. 2020, arXiv 2001.08361", "Table 2"),
)
