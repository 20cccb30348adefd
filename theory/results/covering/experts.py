"""A mixture of two-matrix experts on a ball: how far its output moves with its parameters and with its input.

Expert i maps a token y to E_i(y) = W2 act(W1 y + b1) + b2 with d_ff hidden units. A token passes through the mixture
sum_i g_i E_i(y) over its selected experts, g_i >= 0 and sum_i g_i <= 1. Entries of all matrices, biases and router rows
lie in [-kappa, kappa], tokens in the ball of radius r; D = d_model, F = d_ff.

The activation has act(0) = 0, slope at most s and |act(z)| <= c |z| (`Activation`; ReLU: s = c = 1). By the norm of a
matrix with bounded entries (kappa sqrt(D F), attained where all are kappa):

    hidden     |act(W1 y + b1)| <= c (kappa sqrt(F D) r + kappa sqrt(F)) = c kappa sqrt(F) (sqrt(D) r + 1)
    magnitude  |E(y)| <= kappa sqrt(D F) |hidden| + kappa sqrt(D)        = kappa sqrt(D) (c kappa F (sqrt(D) r + 1) + 1)

Parameters, entries changed by at most eps:

    expert in (W1, b1)   kappa sqrt(D F) * s * (eps sqrt(F D) r + eps sqrt(F)) = eps s kappa F sqrt(D) (sqrt(D) r + 1)
    expert out (W2, b2)  eps sqrt(D F) |hidden| + eps sqrt(D)           = eps sqrt(D) (c kappa F (sqrt(D) r + 1) + 1)

Input: a token changed by h moves an expert by kappa sqrt(D F) * s * kappa sqrt(F D) h = s kappa^2 D F h.

A mixture with fixed weights moves no more than its experts: the weights sum to at most one, so neither M, nor k, nor the
number of tokens enters. Where the weights are a softmax of router logits over the selected experts (`Gate.SOFTMAX`),
the change of the weights adds a covariance, Cov_g(change of logits, E_i), at most the largest logit change
times the largest |E_i|:

    router   eps sqrt(D) r * magnitude             (rows of D entries)
    input    kappa sqrt(D) h * magnitude

All of them are attained with ReLU: all entries kappa and y along (1, ..., 1); for the router, two experts of opposite sign
with equal weights.
"""

from __future__ import annotations

__all__ = [
    "GELU",
    "RELU",
    "Activation",
    "Gate",
    "expert_factors",
    "expert_input",
    "expert_lipschitz",
    "expert_magnitude",
]

import enum
from dataclasses import dataclass

import sympy as sp

from theory.relation import Relation, eq
from theory.results.approximation.taylor import mixture_error_le_worst
from theory.results.covering.attention import BALL, BOX
from theory.results.covering.norms import (
    bounded_matrix_norm,
    covariance_bound,
    product_of_bounds,
    triangle_inequality,
)
from theory.statement import Hypothesis, Kind, Source, Statement, Step
from theory.vocabulary import d_ff, d_model, kappa, r


@dataclass(frozen=True)
class Activation:
    """An activation with act(0) = 0: ``slope`` bounds ``|act'|`` and ``gain`` bounds ``|act(z)/z|``, both sharp."""

    name: str
    slope: sp.Expr
    gain: sp.Expr


RELU = Activation("relu", sp.Integer(1), sp.Integer(1))
"""max(z, 0): slope and gain 1."""
GELU = Activation("gelu", (1 + sp.erf(1)) / 2 + 1 / (sp.E * sp.sqrt(sp.pi)), sp.Integer(1))
"""z Phi(z): its slope Phi(z) + z phi(z) is largest at z = sqrt(2), about 1.1289."""


class Gate(enum.Enum):
    """Where the weights of the selected experts come from."""

    FIXED = "fixed non-negative weights that sum to at most 1"
    SOFTMAX = "softmax of trained router logits over the selected experts"


_s, _c = sp.symbols("s c", positive=True)


def expert_magnitude(activation: Activation) -> sp.Expr:
    """The largest norm of an expert's output at tokens of norm r."""
    return kappa * sp.sqrt(d_model) * (_largest_hidden(activation.gain) + 1)


def expert_factors(activation: Activation, gate: Gate = Gate.FIXED) -> dict[str, sp.Expr]:
    """Output change per parameter change of one layer type, at tokens of norm r."""
    factors = {
        "expert in": sp.sqrt(d_model) * _largest_hidden(activation.slope),
        "expert out": sp.sqrt(d_model) * (_largest_hidden(activation.gain) + 1),
    }
    if gate is Gate.SOFTMAX:
        factors["router"] = sp.sqrt(d_model) * r * expert_magnitude(activation)
    return factors


def expert_input(activation: Activation, gate: Gate = Gate.FIXED) -> sp.Expr:
    """Output change per input change, at tokens of norm r."""
    through_experts = activation.slope * kappa**2 * d_model * d_ff
    if gate is Gate.FIXED:
        return through_experts
    return through_experts + kappa * sp.sqrt(d_model) * expert_magnitude(activation)


def _largest_hidden(growth: sp.Expr) -> sp.Expr:
    return growth * kappa * d_ff * (sp.sqrt(d_model) * r + 1)


expert_factor = sp.Symbol("expert_factor", positive=True)
_any = Activation("any", _s, _c)
_preactivation = kappa * (
    sp.sqrt(d_model) * r + 1
)  # of every hidden unit, all entries kappa, y along (1, ..., 1)
_total = sp.sqrt(d_model) * ((_s + _c) * kappa * d_ff * (sp.sqrt(d_model) * r + 1) + 1)

expert_lipschitz = Statement(
    name="expert_lipschitz",
    words="a mixture moves by at most sqrt(d) ((s + c) kappa d_ff (sqrt(d) r + 1) + 1) per change of its experts' parameters",
    conclusion=Relation(expert_factor, "<=", _total),
    kind=Kind.ARGUED,
    to_prove="a formal proof about matrices that joins the bounds of the factors",
    source=Source("derived here", "docstring of theory.results.covering.experts"),
    hypotheses=(
        BOX,
        BALL,
        Hypothesis("activation", "act(0) = 0, slope at most s, |act(z)| <= c |z|"),
        Hypothesis(
            "weights", "the weights of the selected experts are fixed, non-negative, and sum to at most 1"
        ),
    ),
    uses=(
        bounded_matrix_norm,
        covariance_bound,
        mixture_error_le_worst,
        product_of_bounds,
        triangle_inequality,
    ),
    steps=(
        Step(
            "with every entry kappa and the token along (1, ..., 1) an expert's output has the largest norm (ReLU)",
            eq(sp.sqrt(d_model) * kappa * (d_ff * _preactivation + 1), expert_magnitude(RELU)),
        ),
        Step(
            "lowering all entries of that network attains both factors at once (ReLU)",
            eq(sp.Derivative(expert_magnitude(RELU), kappa), sp.Add(*expert_factors(RELU).values())),
        ),
        Step("both factors together", eq(sp.Add(*expert_factors(_any).values()), _total)),
    ),
    reading="the inequalities are the statements used, put together in the docstring; the steps check constants and where they are attained",
    tight_at="ReLU, every entry kappa, the token along (1, ..., 1)",
    attained_at=(eq(sp.Derivative(expert_magnitude(RELU), kappa), _total.subs({_s: 1, _c: 1})),),
)
