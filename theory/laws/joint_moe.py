"""The joint MoE scaling law (JMSL): model size, data and number of experts in one formula.

L(N, D, E) = a Ehat^delta N^(alpha + gamma ln Ehat) + b Ehat^omega D^(beta + zeta ln Ehat) + c
with N active parameters, D tokens, Ehat the Clark transform of the expansion
rate E (Ludziejewski et al. 2025, arXiv 2502.05172). At fixed E it is the
separable law m N^mu + n D^nu + c; mu and nu are negative.
"""

from __future__ import annotations

__all__ = ["JMSL", "JointMoELaw", "joint_law_allocation"]

from dataclasses import dataclass, fields
from typing import Any, ClassVar

import sympy as sp

from theory.laws.clark import clark_transform, effective_experts
from theory.laws.elementwise import check_positive, exp, log
from theory.laws.law import Allocation, Law, PublishedLaw, Quantity, as_latex, coefficient
from theory.laws.separable import SeparableLaw, separable_compute_optimum
from theory.relation import eq
from theory.statement import Hypothesis, Kind, Source, Statement, Step

REFERENCE = "Ludziejewski et al. 2025, arXiv 2502.05172"


@dataclass(frozen=True, kw_only=True)
class JointMoELaw(Law):
    """The eleven coefficients of the joint law, with the sign conventions of its paper.

    Its methods take N active parameters, D tokens, and the ``expansion`` rate E >= 1, experts over active
    experts (1 is a dense model); they raise ValueError for anything that is no positive number.
    """

    inputs: ClassVar[tuple[Quantity, ...]] = (
        Quantity("active_parameters", "active model size N", "parameters"),
        Quantity("tokens", "training tokens D", "tokens"),
        Quantity("expansion", "experts over active experts E", "1", least=1),
    )

    a: Any = coefficient("scale of the term in model size", "nats parameters^-alpha", "positive")
    alpha: Any = coefficient("exponent of model size where Ehat = 1")
    delta: Any = coefficient("how the term in model size moves with ln Ehat")
    gamma: Any = coefficient("how the exponent of model size moves with ln Ehat")
    b: Any = coefficient("scale of the term in data", "nats tokens^-beta", "positive")
    beta: Any = coefficient("exponent of data where Ehat = 1")
    omega: Any = coefficient("how the term in data moves with ln Ehat")
    zeta: Any = coefficient("how the exponent of data moves with ln Ehat")
    E_start: Any = coefficient("Ehat of a dense model", sign="positive")
    E_max: Any = coefficient("Ehat of many experts", sign="positive")
    c: Any = coefficient("loss of unlimited size and data", "nats", "positive")

    def _repr_latex_(self) -> str:
        c = {f.name: as_latex(getattr(self, f.name)) for f in fields(self)}
        return (
            rf"$L = {c['a']}\, \hat{{E}}^{{{c['delta']}}} N^{{{c['alpha']} + {c['gamma']} \ln \hat{{E}}}} + "
            rf"{c['b']}\, \hat{{E}}^{{{c['omega']}}} D^{{{c['beta']} + {c['zeta']} \ln \hat{{E}}}} + {c['c']}$"
        )

    def log_effective_experts(self, expansion: Any) -> Any:
        """ln Ehat at expansion rate E."""
        check_positive("JointMoELaw", "experts over active experts, at least 1", expansion=expansion)
        return log(effective_experts(expansion, start=self.E_start, maximum=self.E_max))

    def at(self, expansion: Any) -> SeparableLaw:
        """The separable law in N and D at fixed expansion rate E."""
        x = self.log_effective_experts(expansion)
        return SeparableLaw(
            m=self.a * exp(self.delta * x),
            u=-(self.alpha + self.gamma * x),
            n=self.b * exp(self.omega * x),
            v=-(self.beta + self.zeta * x),
            floor=self.c,
        )

    def loss(self, active_parameters: Any, tokens: Any, expansion: Any) -> Any:
        """Loss (nats per token) at N active parameters, D tokens, expansion rate E."""
        check_positive("loss", active_parameters=active_parameters, tokens=tokens)
        return self.at(expansion).loss(active_parameters, tokens)

    def compute_optimal(self, flops: Any, expansion: Any) -> Allocation:
        """Active parameters and tokens that minimise the loss at ``flops`` = 6 N D FLOPs."""
        return self.at(expansion).compute_optimal(flops)


JMSL = JointMoELaw(
    a=35.91, alpha=-0.1889, delta=-0.2285, gamma=0.0098,
    b=35.98, beta=-0.1775, omega=0.5529, zeta=-0.0259,
    E_start=2.0732, E_max=290.4521, c=1.3637,
)  # fmt: skip
"""The law with the coefficients printed in Table 3 of arXiv 2502.05172 (as printed, so rounded).

The expansion rates of its paper's tables run from 1 to 32; Ehat never exceeds E_max = 290.
"""

ludziejewski2025 = PublishedLaw("ludziejewski2025", JMSL, Source(REFERENCE, "Table 3"))

_m, _n, _F = sp.symbols("m n F", positive=True)
_u, _v = sp.symbols("u v", positive=True)
_best = SeparableLaw(_m, _u, _n, _v).compute_optimal(_F)
_mu, _nu = -_u, -_v
_G = (_mu * _m / (_nu * _n)) ** (-1 / (_mu + _nu))

joint_law_allocation = Statement(
    name="joint_law_allocation",
    words="with negative exponents mu, nu the optimum is N* = G (F/6)^(nu/(mu+nu)), "
    "G = (mu m/(nu n))^(-1/(mu+nu))",
    conclusion=eq(sp.Symbol("N", positive=True), _best.parameters),
    kind=Kind.ARGUED,
    to_prove="proofs of clark_transform and separable_compute_optimum, chained",
    source=Source(REFERENCE, "Eq. 7, with the sign of its exponent corrected"),
    hypotheses=(Hypothesis("signs", "mu = -u and nu = -v are negative"),),
    uses=(clark_transform, separable_compute_optimum),
    steps=(
        Step(
            "the corrected closed form is the optimum of the separable law",
            eq(_G * (_F / 6) ** (_nu / (_mu + _nu)), _best.parameters),
        ),
    ),
    reading="F = 6 N D; N counts active parameters",
)
