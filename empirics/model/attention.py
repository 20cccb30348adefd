"""Multi-head self-attention with grouped keys and values, optional causal mask, padding and rotary positions.

Shapes: B sequences, S positions, D width, H heads, G heads of keys and values, E head width.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import linear, scaled_dot_product_attention

ROTARY_BASE = 10_000.0


class Attention(nn.Module):
    """softmax(q k^T / sqrt(E)) v over the visible positions, projected back to D.

    ``query_key_value`` holds the three input projections, one below the other, as one matrix ((H + 2G) E, D); it multiplies
    faster than three. Parameters: ``Pi_attn`` of `theory.models.architecture.MoETransformer`.
    """

    def __init__(
        self,
        d_model: int,
        heads: int,
        *,
        kv_heads: int,
        head_dim: int,
        bias: bool,
        causal: bool,
        rotary: bool,
    ) -> None:
        super().__init__()
        self.heads, self.kv_heads, self.head_dim = heads, kv_heads, head_dim
        self.causal, self.rotary = causal, rotary
        rows = (heads + 2 * kv_heads) * head_dim
        self.query_key_value = nn.Parameter(torch.zeros(rows, d_model))
        self.query_key_value_bias = nn.Parameter(torch.zeros(rows)) if bias else None
        self.output = nn.Parameter(torch.zeros(d_model, heads * head_dim))
        self.output_bias = nn.Parameter(torch.zeros(d_model)) if bias else None

    def forward(
        self, x_BSD: Tensor, visible_BSS: Tensor | None = None, angles_BSE: Tensor | None = None
    ) -> Tensor:
        """``visible_BSS[b, i, j]``: position i may read position j; without it the causal mask alone decides.

        ``angles_BSE`` are the rotations of `rotary_angles`, needed where positions are rotary.
        """
        heads = [self.heads, self.kv_heads, self.kv_heads]
        joint = linear(x_BSD, self.query_key_value, self.query_key_value_bias)
        joint = joint.view(*x_BSD.shape[:-1], sum(heads), self.head_dim)
        q_BHSE, k_BGSE, v_BGSE = (part.transpose(1, 2) for part in torch.split(joint, heads, dim=2))
        if self.rotary:
            assert angles_BSE is not None
            q_BHSE, k_BGSE = rotate(q_BHSE, angles_BSE), rotate(k_BGSE, angles_BSE)
        read_BHSE = scaled_dot_product_attention(
            q_BHSE,
            self._for_every_head(k_BGSE),
            self._for_every_head(v_BGSE),
            attn_mask=None if visible_BSS is None else visible_BSS[:, None],
            is_causal=self.causal and visible_BSS is None,
        )
        return linear(read_BHSE.transpose(1, 2).flatten(2), self.output, self.output_bias)

    def _for_every_head(self, x_BGSE: Tensor) -> Tensor:
        return (
            x_BGSE
            if self.kv_heads == self.heads
            else x_BGSE.repeat_interleave(self.heads // self.kv_heads, 1)
        )


def visible(real_BS: Tensor, *, causal: bool) -> Tensor:
    """Which positions each position may read, (B, S, S): real ones, earlier ones where causal, and always itself.

    A padding position reads itself too, so that no softmax is over nothing; nobody reads it.
    """
    positions = real_BS.shape[1]
    itself_SS = torch.eye(positions, dtype=torch.bool, device=real_BS.device)
    visible_BSS = real_BS[:, None, :] | itself_SS
    return visible_BSS.tril() if causal else visible_BSS


def rotary_angles(positions_BS: Tensor, head_dim: int) -> Tensor:
    """Angle of each position and pair of coordinates, (B, S, head_dim / 2), in radians: position * base^(-2 i / head_dim)."""
    exponents = torch.arange(0, head_dim, 2, device=positions_BS.device, dtype=torch.float32) / head_dim
    return positions_BS[..., None].to(torch.float32) * ROTARY_BASE**-exponents


def rotate(x_BHSE: Tensor, angles_BSE: Tensor) -> Tensor:
    """Coordinate pairs (i, i + E/2) of each head turned by their position's angle (Su et al. 2021, RoFormer)."""
    cos, sin = (f(angles_BSE)[:, None].to(x_BHSE.dtype) for f in (torch.cos, torch.sin))
    first, second = x_BHSE.chunk(2, dim=-1)
    return torch.cat((first * cos - second * sin, first * sin + second * cos), dim=-1)
