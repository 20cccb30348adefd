"""The bounded MoE Transformer with a fixed routing pattern as a torch module: one sequence in, one sequence out.

It computes exactly the maps of `theory.results.covering.bounded_class`, so that their constants can be measured. For
many parameter settings at once, use ``torch.func.functional_call`` under ``torch.func.vmap``.

Shapes: T tokens, D width, H heads, E head width, M experts, F hidden units.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from theory.errors import MoelawsError

ACTIVATIONS = {"relu": torch.relu, "gelu": torch.nn.functional.gelu}


class Attention(nn.Module):
    """Multi-head dot-product attention over all tokens, without biases or residual."""

    def __init__(self, d_model: int, heads: int) -> None:
        super().__init__()
        if d_model % heads:
            raise MoelawsError(
                f"Attention(d_model={d_model}, heads={heads}): d_model is not a multiple of heads"
            )
        shape = (heads, d_model // heads, d_model)
        self.query, self.key, self.value = (nn.Parameter(torch.zeros(shape)) for _ in range(3))
        self.output = nn.Parameter(torch.zeros(d_model, d_model))

    def forward(self, x_TD: Tensor) -> Tensor:
        q_HTE, k_HTE, v_HTE = (x_TD @ w.mT for w in (self.query, self.key, self.value))
        scores_HTT = q_HTE @ k_HTE.mT / q_HTE.shape[-1] ** 0.5
        u_HTE = scores_HTT.softmax(-1) @ v_HTE
        out_TD: Tensor = u_HTE.movedim(0, 1).flatten(1) @ self.output.mT
        return out_TD


class FixedPatternExperts(nn.Module):
    """Experts mixed with fixed weights, or with a softmax of router logits over each token's selected experts.

    ``weights`` (tokens x experts) holds the mixing weights; where ``trained_gate``, its non-zero entries are the pattern.
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        weights: Tensor,
        *,
        activation: str = "relu",
        trained_gate: bool = False,
    ) -> None:
        super().__init__()
        experts = weights.shape[1]
        self.matrix_in = nn.Parameter(torch.zeros(experts, d_ff, d_model))
        self.bias_in = nn.Parameter(torch.zeros(experts, d_ff))
        self.matrix_out = nn.Parameter(torch.zeros(experts, d_model, d_ff))
        self.bias_out = nn.Parameter(torch.zeros(experts, d_model))
        self.router = nn.Parameter(torch.zeros(experts, d_model)) if trained_gate else None
        self.weights: Tensor
        self.register_buffer("weights", weights)
        self.activation = ACTIVATIONS[activation]

    def forward(self, x_TD: Tensor) -> Tensor:
        hidden_MTF = self.activation(x_TD @ self.matrix_in.mT + self.bias_in[:, None])
        out_MTD = hidden_MTF @ self.matrix_out.mT + self.bias_out[:, None]
        weights_TM = self.weights
        if self.router is not None:
            logits_TM = x_TD @ self.router.mT
            weights_TM = logits_TM.masked_fill(self.weights == 0, -torch.inf).softmax(-1)
        return torch.einsum("tm,mtd->td", weights_TM, out_MTD)


class Residual(nn.Module):
    """``x + layer(x)``."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x_TD: Tensor) -> Tensor:
        out: Tensor = x_TD + self.layer(x_TD)
        return out


class Clip(nn.Module):
    """Each token projected on the ball of the given radius, less what rounding may add, so that none leaves it."""

    def __init__(self, radius: float) -> None:
        super().__init__()
        self.radius = radius

    def forward(self, x_TD: Tensor) -> Tensor:
        rounding = 2 * torch.finfo(x_TD.dtype).eps + x_TD.shape[-1] * torch.finfo(torch.float64).eps
        radius = self.radius * (1 - rounding)
        norm_T1 = torch.linalg.vector_norm(x_TD, dim=-1, keepdim=True, dtype=torch.float64)
        clipped_TD: Tensor = x_TD * (radius / norm_T1.clamp_min(radius))
        return clipped_TD.to(x_TD.dtype)


def bounded_moe(
    d_model: int,
    d_ff: int,
    heads: int,
    pattern: Sequence[Tensor],
    *,
    clip: float,
    activation: str = "relu",
    trained_gate: bool = False,
) -> nn.Sequential:
    """The class's network: ``pattern`` holds each block's mixing weights (tokens x experts); output clipped at ``clip``."""
    layers: list[nn.Module] = []
    for weights in pattern:
        experts = FixedPatternExperts(
            d_model, d_ff, weights, activation=activation, trained_gate=trained_gate
        )
        layers += [Residual(Attention(d_model, heads)), Residual(experts)]
    return nn.Sequential(*layers, Clip(clip))
