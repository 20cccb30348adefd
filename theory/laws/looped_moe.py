"""A looped MoE: the joint law in an effective size, to which each further loop adds less.

N_eff = N_act + k1 s^th N_loop (1 - exp(-(R - 1)/(k2 s^th))) with s = N_tot/N_act (arXiv 2609.40316). Its
coefficients are not public; the form nests the joint law (R = 1) and a looped dense model (E = s = 1).
"""

from __future__ import annotations

__all__ = ["LoopedMoELaw"]

from dataclasses import dataclass, fields, replace
from typing import Any

from theory.laws.elementwise import check_at_least_one, check_positive, exp
from theory.laws.joint_moe import JointMoELaw
from theory.laws.law import Allocation, Quantity, coefficient
from theory.laws.separable import SeparableLaw


@dataclass(frozen=True, kw_only=True)
class LoopedMoELaw(JointMoELaw):
    """The joint MoE law at N_eff active parameters, with the layers of N_loop of them run R times."""

    inputs = (
        *JointMoELaw.inputs,
        Quantity("total_over_active", "total over active parameters s", "1", least=1),
        Quantity("looped_share", "active parameters that are looped, over all active ones", "1"),
        Quantity("loops", "times R that the looped layers are run", "1", least=1),
    )

    k1: Any = coefficient(
        "what unlimited loops add, over the looped parameters, where s = 1", sign="positive"
    )
    k2: Any = coefficient("loops that bring all but 1/e of it, where s = 1", sign="positive")
    th: Any = coefficient("how both move with the logarithm of s")

    def unlooped(self) -> JointMoELaw:
        """The joint law of a model that runs each layer once."""
        return JointMoELaw(**{f.name: getattr(self, f.name) for f in fields(JointMoELaw)})

    def fixed(self, expansion: Any, total_over_active: Any, looped_share: Any, loops: Any) -> SeparableLaw:
        """The separable law in N_act and D at fixed E, s, share and loops; MoelawsError for what is out of range."""
        check_positive("LoopedMoELaw", looped_share=looped_share)
        check_at_least_one("LoopedMoELaw", total_over_active=total_over_active, loops=loops)
        more = total_over_active**self.th
        gain = 1 + self.k1 * more * looped_share * (1 - exp(-(loops - 1) / (self.k2 * more)))
        law = self.at(expansion)
        return replace(law, m=law.m * gain**-law.u)

    def loss(  # type: ignore[override]
        self,
        active_parameters: Any,
        tokens: Any,
        expansion: Any,
        total_over_active: Any,
        looped_share: Any,
        loops: Any,
    ) -> Any:
        """Loss in nats per token."""
        check_positive("loss", active_parameters=active_parameters, tokens=tokens)
        return self.fixed(expansion, total_over_active, looped_share, loops).loss(active_parameters, tokens)

    def flops(
        self,
        active_parameters: Any,
        tokens: Any,
        expansion: Any,
        total_over_active: Any,
        looped_share: Any,
        loops: Any,
    ) -> Any:
        """6 (N_act + (R - 1) N_loop) D."""
        return 6 * active_parameters * (1 + (loops - 1) * looped_share) * tokens

    def compute_optimal(  # type: ignore[override]
        self, flops: Any, expansion: Any, total_over_active: Any, looped_share: Any, loops: Any
    ) -> Allocation:
        """Active parameters and tokens that minimise the loss at ``flops``, which count every run of a layer."""
        each = 6 * (1 + (loops - 1) * looped_share)
        law = self.fixed(expansion, total_over_active, looped_share, loops)
        return law.compute_optimal(flops, flops_per_parameter_token=each)
