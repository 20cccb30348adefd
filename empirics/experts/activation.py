"""Activations with their derivatives written out, so that the backward pass of experts can recompute them.

Shapes: N rows, F hidden units, G pre-activations: G = F, or 2F for a gated expert (gate first, then the factor it gates).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

aten = torch.ops.aten


@dataclass(frozen=True)
class Activation:
    """An activation and its backward: ``backward(gradient_NF, pre_NG)`` is the gradient of the pre-activations.

    ``width`` is G/F. ``forward`` is differentiable by itself; ``backward`` uses the same derivative as autograd does.
    """

    name: str
    width: int
    forward: Callable[[Tensor], Tensor]
    backward: Callable[[Tensor, Tensor], Tensor]


def _swiglu(pre_NG: Tensor) -> Tensor:
    gate_NF, factor_NF = pre_NG.chunk(2, dim=-1)
    return torch.nn.functional.silu(gate_NF) * factor_NF


def _swiglu_backward(gradient_NF: Tensor, pre_NG: Tensor) -> Tensor:
    gate_NF, factor_NF = pre_NG.chunk(2, dim=-1)
    pre_gradient_NG = torch.empty_like(pre_NG)
    gate_gradient_NF, factor_gradient_NF = pre_gradient_NG.chunk(2, dim=-1)
    torch.mul(gradient_NF, torch.nn.functional.silu(gate_NF), out=factor_gradient_NF)
    gate_gradient_NF.copy_(aten.silu_backward(gradient_NF * factor_NF, gate_NF))
    return pre_gradient_NG


def _relu_backward(gradient_NF: Tensor, pre_NF: Tensor) -> Tensor:
    out: Tensor = aten.threshold_backward(gradient_NF, pre_NF, 0)
    return out


def _gelu_backward(gradient_NF: Tensor, pre_NF: Tensor) -> Tensor:
    out: Tensor = aten.gelu_backward(gradient_NF, pre_NF)
    return out


ACTIVATIONS = {
    activation.name: activation
    for activation in (
        Activation("relu", 1, torch.relu, _relu_backward),
        Activation("gelu", 1, torch.nn.functional.gelu, _gelu_backward),
        Activation("swiglu", 2, _swiglu, _swiglu_backward),
    )
}
"""Activations by name: ReLU, GELU (by the error function), and SwiGLU (Shazeer 2020), which is gated."""
