"""The separable law L(N, D) = m N^-u + n D^-v + c and its compute-optimal allocation.

With compute ``C = f N D`` (f FLOPs per parameter and token, usually 6):
N* = (u m / (v n))^(1/(u+v)) (C/f)^(v/(u+v)), D* = C/(f N*), and the reducible
loss falls as C^(-u v/(u+v)). (Hoffmann et al. 2022, arXiv 2203.15556, Eq. 4;
there a, b are v/(u+v), u/(u+v).)
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

import sympy as sp

from theory.posynomials import log_slope
from theory.relation import eq
from theory.statement import Hypothesis, Source, Statement, Step

Number = Any
"""A float, a Fraction or a sympy expression."""


def check_positive(who: str, expected: str = "a positive number", **given: Number) -> None:
    """ValueError names the first argument that is no number, or is known not to be positive."""
    for name, value in given.items():
        number = isinstance(value, (Real, sp.Expr)) and not isinstance(value, bool)
        if not number or (value > 0) in (False, sp.false):  # a symbolic value answers neither
            raise ValueError(f"{who}({name}={value!r}): expected {expected}")


class Allocation(NamedTuple):
    """Parameters and tokens to spend a compute budget on, and the loss (nats per token) predicted there."""

    parameters: Number
    tokens: Number
    loss: Number

    def _repr_latex_(self) -> str:
        rounded = (sp.N(value, 4) if isinstance(value, float) else value for value in self)
        parts = (f"{name} = {_latex(x)}" for name, x in zip(("N^{*}", "D^{*}", "L"), rounded, strict=True))
        return "$" + r",\quad ".join(parts) + "$"


@dataclass(frozen=True)
class SeparableLaw:
    """``m N^-u + n D^-v + floor``, the loss in nats per token at N parameters and D tokens; exponents u, v > 0.

    Raises ValueError for an argument that is no number, or for m, u, n, v <= 0.
    """

    m: Number
    u: Number
    n: Number
    v: Number
    floor: Number = 0

    def __post_init__(self) -> None:
        expected = "a positive number; exponents are written without their minus sign (loss = m N^-u)"
        check_positive("SeparableLaw", expected, m=self.m, u=self.u, n=self.n, v=self.v)
        if isinstance(self.floor, bool) or not isinstance(self.floor, (Real, sp.Expr)):
            raise ValueError(f"SeparableLaw(floor={self.floor!r}): expected a number")

    def loss(self, parameters: Number, tokens: Number) -> Number:
        """Loss in nats per token at so many parameters and training tokens; ValueError unless both are positive."""
        check_positive("loss", parameters=parameters, tokens=tokens)
        return self.m * parameters**-self.u + self.n * tokens**-self.v + self.floor

    def _repr_latex_(self) -> str:
        m, u, n, v, floor = map(_latex, (self.m, self.u, self.n, self.v, self.floor))
        return f"$L = {m}\\, N^{{-{u}}} + {n}\\, D^{{-{v}}} + {floor}$"

    @property
    def compute_exponent(self) -> Number:
        """alpha_C = u v/(u + v): how fast the reducible loss falls along the optimum."""
        return self.u * self.v / (self.u + self.v)

    def compute_optimal(self, flops: Number, *, flops_per_parameter_token: Number = 6) -> Allocation:
        """The allocation of ``flops`` FLOPs that minimises the loss; ValueError unless they are positive."""
        check_positive("compute_optimal", flops=flops, flops_per_parameter_token=flops_per_parameter_token)
        u, v, spread = self.u, self.v, self.u + self.v
        budget = flops / flops_per_parameter_token
        parameters = (u * self.m / (v * self.n)) ** (1 / spread) * budget ** (v / spread)
        tokens = budget / parameters
        return Allocation(parameters, tokens, self.loss(parameters, tokens))


def _latex(value: Number) -> str:
    return str(sp.latex(sp.sympify(value)))


_m, _u, _n, _v, _N, _D, _K = sp.symbols("m u n v N D K", positive=True)
_law = SeparableLaw(_m, _u, _n, _v)
_best = _law.compute_optimal(_K, flops_per_parameter_token=1)

separable_compute_optimum = Statement(
    name="separable_compute_optimum",
    words="at N D = K the separable law is smallest at N* = (u m/(v n))^(1/(u+v)) K^(v/(u+v))",
    conclusion=eq(_N, _best.parameters),
    source=Source("Hoffmann et al. 2022, arXiv 2203.15556", "Eq. 4"),
    hypotheses=(Hypothesis("budget", "parameters times tokens is fixed", eq(_N * _D, _K)),),
    steps=(
        Step(
            "stationary in log N: both terms pull equally",
            eq(_u * _m * _best.parameters**-_u, _v * _n * _best.tokens**-_v),
        ),
        Step(
            "the reducible loss there falls with exponent u v/(u+v)",
            eq(
                -log_slope(_m * _best.parameters**-_u, _K),
                _law.compute_exponent,
            ),
        ),
    ),
    reading="the law is convex in log N, so the stationary point is the minimum",
    tight_at="N = N*",
)
