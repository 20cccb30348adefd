"""Stacked experts as a module: applied to routed tokens, or all of them to every token (dense and shared experts).

Shapes: T tokens, D width, F hidden units, G pre-activations (F or 2F), E experts.
"""

from __future__ import annotations

__all__ = ["Experts"]

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from empirics.experts.activation import ACTIVATIONS
from empirics.experts.groups import Product, check_product
from empirics.experts.routed import ExpertWeights, apply_routed
from empirics.routing import Routing
from theory.errors import MoelawsError


class Experts(nn.Module):
    """``experts`` two-layer networks D -> F -> D of the same shape, their parameters stacked along the first dimension.

    Expert e is W_out[e] a(W_in[e] x + b_in[e]) + b_out[e] with activation a: "relu", "gelu", or "swiglu", whose W_in has
    2F rows, the gate's first. Parameters per expert: ``Pi_exp`` of `theory.models.architecture.MoETransformer`. They start at 0;
    `initialise` draws them.

    Under autocast inputs and parameters are cast to its dtype, which torch's grouped product by itself is not.
    """

    def __init__(
        self,
        experts: int,
        d_model: int,
        d_ff: int,
        *,
        activation: str = "gelu",
        bias: bool = True,
        product: Product = "auto",
    ) -> None:
        super().__init__()
        for name, size in (("experts", experts), ("d_model", d_model), ("d_ff", d_ff)):
            if isinstance(size, bool) or not isinstance(size, int) or size < 1:
                raise MoelawsError(f"Experts({name}={size!r}): expected a whole number of at least 1")
        if activation not in ACTIVATIONS:
            known = ", ".join(map(repr, ACTIVATIONS))
            raise MoelawsError(f"Experts(activation={activation!r}): expected one of {known}")
        check_product(product)
        self.activation, self.product = ACTIVATIONS[activation], product
        pre = self.activation.width * d_ff
        self.matrix_in = nn.Parameter(torch.zeros(experts, pre, d_model))
        self.bias_in = nn.Parameter(torch.zeros(experts, pre)) if bias else None
        self.matrix_out = nn.Parameter(torch.zeros(experts, d_model, d_ff))
        self.bias_out = nn.Parameter(torch.zeros(experts, d_model)) if bias else None

    def forward(self, x_TD: Tensor, routing: Routing | None = None) -> Tensor:
        """Each token through the experts that ``routing`` gives it; through all of them, unweighted, without one.

        Without a routing, dimensions may stand before the width. Raises ValueError for inputs of another width.
        """
        if x_TD.shape[-1:] != self.matrix_out.shape[1:2]:
            raise MoelawsError(
                f"x_TD of shape {tuple(x_TD.shape)}: expected rows of width d_model={self.matrix_out.shape[1]}"
            )
        x_TD, weights = self._cast(x_TD)
        if routing is not None:
            return apply_routed(x_TD, routing, weights, self.activation, product=self.product)
        outputs = [self._one(x_TD, ExpertWeights(*parts)) for parts in self._each(weights)]
        return outputs[0] if len(outputs) == 1 else torch.stack(outputs).sum(0)

    def _one(self, x_TD: Tensor, expert: ExpertWeights) -> Tensor:
        hidden_TF = self.activation.forward(linear(x_TD, expert.matrix_in_EGD, expert.bias_in_EG))
        return linear(hidden_TF, expert.matrix_out_EDF, expert.bias_out_ED)

    def _each(self, weights: ExpertWeights) -> Iterator[tuple[Any, ...]]:
        count = len(weights.matrix_in_EGD)
        nothing = (None,) * count
        return zip(*(nothing if p is None else _one_by_one(p) for p in weights), strict=True)

    def _cast(self, x_TD: Tensor) -> tuple[Tensor, ExpertWeights]:
        parameters = (self.matrix_in, self.bias_in, self.matrix_out, self.bias_out)
        device = x_TD.device.type
        dtype = (
            torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else self.matrix_in.dtype
        )
        return x_TD.to(dtype), ExpertWeights(*(None if p is None else p.to(dtype) for p in parameters))  # type: ignore[arg-type]

    def extra_repr(self) -> str:
        experts, d_model, d_ff = self.matrix_out.shape
        bias = self.bias_in is not None
        return f"{experts}, d_model={d_model}, d_ff={d_ff}, activation={self.activation.name!r}, bias={bias}"


def _one_by_one(stacked: Tensor) -> tuple[Tensor, ...]:
    """Each expert's part; a single one as a view, whose gradient needs no copy."""
    return (stacked.squeeze(0),) if len(stacked) == 1 else stacked.unbind(0)
