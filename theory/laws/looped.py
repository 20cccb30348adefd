"""A model that runs some of its layers r times: L = m (N_once + r^phi N_rec)^-u + n D^-v + floor.

(The iso-depth looped law, arXiv 2604.21106.)
"""

from __future__ import annotations

__all__ = ["LoopedLaw"]

from dataclasses import dataclass
from typing import Any

from theory.laws.elementwise import check_at_least_one, check_positive
from theory.laws.law import Allocation, Law, PublishedLaw, Quantity, coefficient
from theory.laws.separable import SeparableLaw
from theory.statement import Source


@dataclass(frozen=True, kw_only=True)
class LoopedLaw(Law):
    """The separable law in N (1 - s + r^phi s), of N parameters a share s of which is run r times."""

    inputs = (
        Quantity("parameters", "model size N, each parameter once", "parameters"),
        Quantity("tokens", "training tokens D", "tokens"),
        Quantity("looped_share", "parameters that are looped, over all", "1"),
        Quantity("loops", "times that the looped layers are run", "1", least=1),
    )

    m: Any = coefficient("scale of the term in model size", "nats parameters^u", "positive")
    u: Any = coefficient("exponent of model size", sign="positive")
    n: Any = coefficient("scale of the term in data", "nats tokens^v", "positive")
    v: Any = coefficient("exponent of data", sign="positive")
    floor: Any = coefficient("loss of unlimited size and data", "nats", "positive")
    phi: Any = coefficient("what looping is worth: 0 nothing, 1 as much as parameters of their own")

    def at(self, looped_share: Any, loops: Any) -> SeparableLaw:
        """The separable law in N and D at a fixed share and number of loops; MoelawsError for what is out of range."""
        check_positive("LoopedLaw", looped_share=looped_share)
        check_at_least_one("LoopedLaw", loops=loops)
        gain = 1 + looped_share * (loops**self.phi - 1)
        return SeparableLaw(self.m * gain**-self.u, self.u, self.n, self.v, self.floor)

    def loss(self, parameters: Any, tokens: Any, looped_share: Any, loops: Any) -> Any:
        """Loss in nats per token."""
        return self.at(looped_share, loops).loss(parameters, tokens)

    def flops(self, parameters: Any, tokens: Any, looped_share: Any, loops: Any) -> Any:
        """6 FLOPs for each token and each time that a parameter is run."""
        return 6 * parameters * (1 + (loops - 1) * looped_share) * tokens

    def compute_optimal(self, flops: Any, looped_share: Any, loops: Any) -> Allocation:
        """The allocation of ``flops``, which count every run of a layer."""
        each = 6 * (1 + (loops - 1) * looped_share)
        return self.at(looped_share, loops).compute_optimal(flops, flops_per_parameter_token=each)


looped2026 = PublishedLaw(
    "looped2026",
    LoopedLaw(m=28.027, u=0.19924, n=915.82, v=0.36863, floor=1.56773, phi=0.459),
    Source("arXiv 2604.21106", "the iso-depth looped law"),
)
