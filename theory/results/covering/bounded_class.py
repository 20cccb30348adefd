"""The bounded MoE Transformer with a fixed routing pattern, and its Lipschitz constant in the parameters.

**The class.** A sequence is ell tokens in R^d_model; its norm is the largest Euclidean norm of a token. Inputs have norm at
most `radius`. A block is sequential and residual, without normalisation layers:

    Y = X + Attn(X),    Z_t = Y_t + sum_{i in S_t} g_ti E_i(Y_t)    for every token t,

with multi-head attention as in `theory.results.covering.attention` and experts as in `theory.results.covering.experts`. The pattern
S (k experts for each token and block) is fixed: it depends neither on the parameters nor on the input. The weights g
are fixed too (`Gate.FIXED`), or a softmax of trained logits over S (`Gate.SOFTMAX`); then the router's rows are
parameters as well. All parameters lie in [-kappa, kappa]. The output is clipped: each token is projected on the ball of radius R.

**The constant.** Parameters have the norm of their largest entry, maps the supremum over inputs. With r_b the bound on
tokens entering block b (r_0 = `radius`), rho_b that after its attention, A and F the parameter factors and lambda_A,
lambda_F the input factors of the two layers,

    rho_b   = r_b + |Attn|(r_b),            r_{b+1} = rho_b + |FFN|(rho_b),
    Lambda_{b+1} = (1 + lambda_F(rho_b)) ((1 + lambda_A(r_b)) Lambda_b + A(r_b)) + F(rho_b),    Lambda_0 = 0.

Reason: for one residual layer, G_theta(X) - G_theta'(X') = [G_theta(X) - G_theta(X')] + [G_theta(X') -
G_theta'(X')]; the first bracket is at most (1 + lambda) |X - X'|, the second at most the parameter factor
times the largest change of an entry, and both sequences stay in the ball for which the factors hold. Projection on a
ball is 1-Lipschitz, so clipping changes nothing. Several matrices changed at once are changed one after the
other, inside the box, which adds their factors.

Lambda is free of ell, M, k and R. It grows fast in depth: r_b is geometric in b, and the attention's input factor
grows with r_b^2, so log Lambda grows like L_T^2. That is the price of dot-product attention without normalisation.
"""

from __future__ import annotations

__all__ = ["BoundedMoE", "lipschitz_recursion"]

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import mpmath
import sympy as sp

from theory.errors import MoelawsError
from theory.numbers.arithmetic import Arithmetic
from theory.numbers.precise import Mpmath
from theory.numbers.values import Values, evaluate_expression
from theory.relation import eq
from theory.results.covering.attention import (
    ATTENTION_FACTORS,
    ATTENTION_INPUT,
    ATTENTION_MAGNITUDE,
    BALL,
    BOX,
    attention_lipschitz,
)
from theory.results.covering.experts import (
    RELU,
    Activation,
    Gate,
    expert_factors,
    expert_input,
    expert_lipschitz,
    expert_magnitude,
)
from theory.results.covering.norms import (
    projection_is_1_lipschitz,
    triangle_inequality,
)
from theory.statement import Hypothesis, Source, Statement, Step
from theory.vocabulary import d_ff, d_model, kappa, n_heads, r

Size = Any
"""An integer, a Fraction, a decimal string, or a sympy expression."""


class _Radii(NamedTuple):
    """Bounds on the norm of tokens entering a block's attention and its experts."""

    entering: Any
    inside: Any


@dataclass(frozen=True, kw_only=True)
class BoundedMoE:
    """The class of the module's docstring; a size that is not given stays a symbol.

    >>> from theory import BoundedMoE
    >>> BoundedMoE(layers=1, d_model=4, d_ff=8, heads=2, kappa="0.1", radius=1).lipschitz_factors()["expert in"]
    664/125
    """

    layers: int = 1
    d_model: Size = d_model
    d_ff: Size = d_ff
    heads: Size = n_heads
    kappa: Size = kappa
    radius: Size = r
    activation: Activation = RELU
    gate: Gate = Gate.FIXED

    def __post_init__(self) -> None:
        if isinstance(self.layers, bool) or not isinstance(self.layers, int) or self.layers < 1:
            raise MoelawsError(f"BoundedMoE(layers={self.layers!r}): expected a positive integer")
        for name in ("d_model", "d_ff", "heads", "kappa", "radius"):
            given = getattr(self, name)
            value = sp.Rational(str(given)) if isinstance(given, str) else sp.sympify(given)
            if value.has(sp.Float):
                raise MoelawsError(
                    f"BoundedMoE({name}={given!r}): a float has no exact value; write it as a string, {name}='{given}'"
                )
            if not value.is_positive:
                raise MoelawsError(f"BoundedMoE({name}={given!r}): expected a positive size")
            object.__setattr__(self, name, value)

    def radii(self) -> list[tuple[sp.Expr, sp.Expr]]:
        """For each block, the bounds on the norm of tokens entering its attention and its experts."""
        return [(block.entering, block.inside) for block in self._blocks(self.at, self.radius)]

    def lipschitz_factors(self, block: int = 0) -> dict[str, sp.Expr]:
        """Output change of a layer per change of its parameters, by layer type, in the given block."""
        entering, inside = self.radii()[block]
        return {name: self.at(factor, entering) for name, factor in ATTENTION_FACTORS.items()} | {
            name: self.at(factor, inside)
            for name, factor in expert_factors(self.activation, self.gate).items()
        }

    def lipschitz_constant(self) -> sp.Expr:
        """Lambda: largest output change per largest change of a parameter."""
        return self.compose(self.at, self.radius)

    def log_lipschitz_constant(self, digits: int = 15) -> mpmath.mpf:
        """log Lambda in nats, computed without forming Lambda, which deep classes push out of the range of floats."""
        symbols = {
            s
            for name in ("d_model", "d_ff", "heads", "kappa", "radius")
            for s in getattr(self, name).free_symbols
        }
        if symbols:
            raise MoelawsError(
                f"log_lipschitz_constant: expected numbers, got the symbols {sorted(symbols, key=str)}"
            )
        using = Mpmath(digits)
        with using.working():
            return self.log_lipschitz(using)

    def log_lipschitz(self, using: Arithmetic) -> Any:
        """log Lambda in an arithmetic (call inside its ``working``), for a class whose sizes are numbers."""

        def at(formula: sp.Expr, radius: Any) -> Any:
            return evaluate_expression(_of_layer(self, formula), Values(numbers={r: radius}), using)

        return using.log(self.compose(at, evaluate_expression(self.radius, Values(), using)))

    def at(self, formula: sp.Expr, radius: sp.Expr) -> sp.Expr:
        """A layer's formula at this class's sizes and tokens of norm ``radius``."""
        sizes = {
            d_model: self.d_model,
            d_ff: self.d_ff,
            n_heads: self.heads,
            kappa: self.kappa,
            r: radius,
        }
        return formula.subs(sizes, simultaneous=True)

    def _blocks(self, at: Callable[[sp.Expr, Any], Any], entering: Any) -> Iterator[_Radii]:
        for _ in range(self.layers):
            inside = entering + at(ATTENTION_MAGNITUDE, entering)
            yield _Radii(entering, inside)
            entering = inside + at(expert_magnitude(self.activation), inside)

    def compose(self, at: Callable[[sp.Expr, Any], Any], radius: Any) -> Any:
        """The recursion for Lambda, on expressions or on numbers: ``at`` gives a layer's formula at a radius (see `at`)."""
        of_attention = sp.Add(*ATTENTION_FACTORS.values())
        of_experts = sp.Add(*expert_factors(self.activation, self.gate).values())
        into_experts = expert_input(self.activation, self.gate)
        total: Any = 0
        for entering, inside in self._blocks(at, radius):
            total = (1 + at(ATTENTION_INPUT, entering)) * total + at(of_attention, entering)
            total = (1 + at(into_experts, inside)) * total + at(of_experts, inside)
        return total


@lru_cache(maxsize=1024)
def _of_layer(moe: BoundedMoE, formula: sp.Expr) -> sp.Expr:
    """A layer's formula at the class's sizes, the radius left open."""
    return moe.at(formula, r)


_lambda_A, _lambda_F, _A, _F, _before = sp.symbols("lambda_A lambda_F A_b F_b Lambda_b", positive=True)
_after_attention = (1 + _lambda_A) * _before + _A
_after_block = (1 + _lambda_F) * _after_attention + _F
_one_block = eq(_after_block, _after_attention + _lambda_F * _after_attention + _F)

FIXED_PATTERN = Hypothesis(
    "fixed pattern",
    "the experts of each token and block depend on neither parameters nor input; their weights do not either, or are a "
    "softmax whose router rows are among the parameters (Gate.SOFTMAX)",
)
FIXED_WEIGHTS = Hypothesis(
    "fixed weights",
    "the weights of the selected experts do not depend on trained parameters, for example 1/k",
)

lipschitz_recursion = Statement(
    name="lipschitz_recursion",
    words="one block takes Lambda to (1 + lambda_F)((1 + lambda_A) Lambda + A) + F",
    conclusion=_one_block,
    source=Source("derived here", "docstring of theory.results.covering.bounded_class"),
    hypotheses=(BOX, BALL, FIXED_PATTERN),
    uses=(projection_is_1_lipschitz, triangle_inequality),
    steps=(
        Step(
            "a residual layer multiplies what came before by 1 + Lip and adds its own factor",
            eq(_after_attention, _before + _lambda_A * _before + _A),
        ),
        Step("the experts' layer does the same to the result", _one_block),
    ),
    reading="A, F: factors of the block's own parameters; lambda: factors of its input, at the norms of tokens there. "
    "That attention and experts have such factors is attention_lipschitz and expert_lipschitz",
    proved_in="Networks.lipschitz_recursion",
    emitted=(("block_factor", _after_block),),
)
NETWORK = (lipschitz_recursion, attention_lipschitz, expert_lipschitz)
"""What says that Lambda is a Lipschitz constant of the class."""
