"""The separable law L(N, D) = m N^-u + n D^-v + c and its compute-optimal allocation.

With compute ``C = f N D`` (f FLOPs per parameter and token, usually 6):
N* = (u m / (v n))^(1/(u+v)) (C/f)^(v/(u+v)), D* = C/(f N*), and the reducible
loss falls as C^(-u v/(u+v)). (Hoffmann et al. 2022, arXiv 2203.15556, Eq. 4;
there a, b are v/(u+v), u/(u+v).)
"""

from __future__ import annotations

__all__ = ["SeparableLaw", "separable_compute_optimum"]

from dataclasses import dataclass

import sympy as sp

from theory.errors import MoelawsError
from theory.laws.elementwise import Number, check_positive, is_number
from theory.laws.law import Allocation, Law, PublishedLaw, Quantity, as_latex, coefficient
from theory.optima import Minimiser, Minimum
from theory.posynomials import log_slope
from theory.relation import eq
from theory.statement import Source, Statement, Step


@dataclass(frozen=True)
class SeparableLaw(Law):
    """``m N^-u + n D^-v + floor``, the loss in nats per token at N parameters and D tokens; exponents u, v > 0.

    Raises ValueError for an argument that is no number, or for m, u, n, v <= 0.
    """

    inputs = (
        Quantity("parameters", "model size N", "parameters"),
        Quantity("tokens", "training tokens D", "tokens"),
    )

    m: Number = coefficient("scale of the term in model size", "nats parameters^u", "positive")
    u: Number = coefficient("exponent of model size", sign="positive")
    n: Number = coefficient("scale of the term in data", "nats tokens^v", "positive")
    v: Number = coefficient("exponent of data", sign="positive")
    floor: Number = coefficient("loss of unlimited size and data", "nats", default=0)

    def __post_init__(self) -> None:
        expected = "a positive number; exponents are written without their minus sign (loss = m N^-u)"
        check_positive("SeparableLaw", expected, m=self.m, u=self.u, n=self.n, v=self.v)
        if not is_number(self.floor):
            raise MoelawsError(f"SeparableLaw(floor={self.floor!r}): expected a number")

    def loss(self, parameters: Number, tokens: Number) -> Number:
        """Loss in nats per token at so many parameters and training tokens; ValueError unless both are positive."""
        check_positive("loss", parameters=parameters, tokens=tokens)
        return self.m * parameters**-self.u + self.n * tokens**-self.v + self.floor

    def _repr_latex_(self) -> str:
        m, u, n, v, floor = map(as_latex, (self.m, self.u, self.n, self.v, self.floor))
        return f"$L = {m}\\, N^{{-{u}}} + {n}\\, D^{{-{v}}} + {floor}$"

    @property
    def compute_exponent(self) -> Number:
        """alpha_C = u v/(u + v): how fast the reducible loss falls along the optimum."""
        return self.u * self.v / (self.u + self.v)

    def parameters_for(self, tokens: Number) -> Number:
        """The size for which so many tokens are compute-optimal: u m N^-u = v n D^-v."""
        return (self.u * self.m / (self.v * self.n)) ** (1 / self.u) * tokens ** (self.v / self.u)

    def compute_optimal(self, flops: Number, *, flops_per_parameter_token: Number = 6) -> Allocation:
        """The allocation of ``flops`` FLOPs that minimises the loss; ValueError unless they are positive."""
        check_positive("compute_optimal", flops=flops, flops_per_parameter_token=flops_per_parameter_token)
        u, v, spread = self.u, self.v, self.u + self.v
        budget = flops / flops_per_parameter_token
        parameters = (u * self.m / (v * self.n)) ** (1 / spread) * budget ** (v / spread)
        tokens = budget / parameters
        return Allocation(parameters, tokens, self.loss(parameters, tokens))


HOFFMANN = "Hoffmann et al. 2022, arXiv 2203.15556"
hoffmann2022 = PublishedLaw(
    "hoffmann2022", SeparableLaw(406.4, 0.34, 410.7, 0.28, 1.69), Source(HOFFMANN, "Eq. 10")
)
"""As printed; the exponents are rounded to two digits, so its optimum is off by much more than the fit was."""

besiroglu2024 = PublishedLaw(
    "besiroglu2024",
    SeparableLaw(482.01, 0.3478, 2085.43, 0.3658, 1.8172),
    Source("Besiroglu et al. 2024, arXiv 2404.10102", "Table 1"),
    standard_errors={"m": 124.58, "u": 0.02, "n": 1293.23, "v": 0.02, "floor": 0.03},
)
"""A second fit to the runs of Hoffmann et al., to 240 points read off their Figure 4."""

_m, _u, _n, _v, _N, _D, _K = sp.symbols("m u n v N D K", positive=True)
_law = SeparableLaw(_m, _u, _n, _v)
_best = _law.compute_optimal(_K, flops_per_parameter_token=1)
_at_budget = sp.Subs(_law.loss(_N, _D), _D, _K / _N)
_least = (1 + _u / _v) * _m * _best.parameters**-_u

separable_compute_optimum = Statement(
    name="separable_compute_optimum",
    words="at N D = K the separable law is smallest at N* = (u m/(v n))^(1/(u+v)) K^(v/(u+v))",
    conclusion=eq(Minimiser(_at_budget, _N), _best.parameters),
    source=Source(HOFFMANN, "Eq. 4"),
    steps=(
        Step("weighted AM-GM attains its lower bound there", eq(Minimiser(_at_budget, _N), _best.parameters)),
        Step("its value is (1 + u/v) m N*^-u", eq(Minimum(_at_budget, _N), _least)),
        Step(
            "stationary in log N: both terms pull equally",
            eq(_u * _m * _best.parameters**-_u, _v * _n * _best.tokens**-_v),
        ),
        Step(
            "the reducible loss there falls with exponent u v/(u+v)",
            eq(
                -log_slope(_least, _K),
                _law.compute_exponent,
            ),
        ),
    ),
    tight_at="N = N*",
)
