"""What a model returns, and the mask of real positions that it takes.

Shapes: B sequences, S positions.
"""

from __future__ import annotations

__all__ = ["Output"]

from dataclasses import dataclass

import torch
from torch import Tensor

from empirics.model.block import Routed
from theory.errors import MoelawsError


@dataclass(frozen=True, eq=False)
class Output:
    """Logits or predictions, and every routing decision on the way, in the order in which blocks ran."""

    values: Tensor
    routed: tuple[Routed, ...]


def check_real(real_BS: Tensor | None, shape: torch.Size) -> None:
    """Refuse a mask that is not one boolean for each position."""
    if real_BS is not None and (real_BS.shape != shape or real_BS.dtype != torch.bool):
        raise MoelawsError(
            f"real_BS of shape {tuple(real_BS.shape)} and dtype {real_BS.dtype}: expected {tuple(shape)} booleans, "
            "False at padding"
        )


def positions_of(x_BS: Tensor, real_BS: Tensor | None) -> Tensor:
    """Place of each token among the real ones of its sequence, (B, S); (1, S) without padding."""
    if real_BS is None:
        return torch.arange(x_BS.shape[1], device=x_BS.device)[None]
    return (real_BS.cumsum(-1) - 1).clamp_min(0)
