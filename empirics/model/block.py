"""Transformer blocks, and the stack of them that every model here shares.

Shapes: B sequences, S positions, D width.
"""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor, nn

from empirics.model.attention import Attention, rotary_angles, visible
from empirics.model.config import ModelConfig
from empirics.model.feed_forward import FeedForward
from empirics.routing import Routing
from theory.models.architecture import Norm


class Routed(NamedTuple):
    """One pass of the batch through one block's router; a looped block has one per round."""

    layer: int
    routing: Routing


class Block(nn.Module):
    """Attention and feed-forward layer, each normalised at its input and added to its input.

    Sequential: y = x + Attn(norm(x)), then y + FFN(norm'(y)). Parallel: x + Attn(norm(x)) + FFN(norm'(x)).
    """

    def __init__(self, config: ModelConfig, layer: int) -> None:
        super().__init__()
        a = config.architecture
        self.parallel = config.parallel
        self.attention_norm = build_norm(config)
        self.attention = Attention(
            a.d_model,
            a.heads,
            kv_heads=config.kv_heads,
            head_dim=config.head_dim,
            bias=config.parts.attention_bias,
            causal=config.causal,
            rotary=config.positions == "rotary",
        )
        self.feed_forward_norm = build_norm(config)
        self.feed_forward = FeedForward(config, has_experts=config.has_experts(layer))

    def forward(
        self, x_BSD: Tensor, visible_BSS: Tensor | None, angles_BSE: Tensor | None, real_T: Tensor | None
    ) -> tuple[Tensor, Routing | None]:
        """The block's output and its routing, if it routes."""
        attended_BSD = x_BSD + self.attention(self.attention_norm(x_BSD), visible_BSS, angles_BSE)
        read_BSD = x_BSD if self.parallel else attended_BSD
        out_BSD, routing = self.feed_forward(self.feed_forward_norm(read_BSD), real_T)
        return attended_BSD + out_BSD, routing


class Blocks(nn.Module):
    """The blocks of a model in the order of `ModelConfig.schedule`, and the norm after the last."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config, self.order = config, config.schedule()
        self.layers = nn.ModuleList(Block(config, layer) for layer in range(config.architecture.layers))
        self.final_norm = build_norm(config)

    def forward(
        self, x_BSD: Tensor, positions_BS: Tensor, real_BS: Tensor | None = None
    ) -> tuple[Tensor, tuple[Routed, ...]]:
        """Normalised output of the last block, and every routing on the way."""
        rotary = self.config.positions == "rotary"
        angles_BSE = rotary_angles(positions_BS, self.config.head_dim) if rotary else None
        visible_BSS = None if real_BS is None else visible(real_BS, causal=self.config.causal)
        real_T = None if real_BS is None else real_BS.flatten().nonzero().squeeze(-1)
        routed = []
        for layer in self.order:
            x_BSD, routing = self.layers[layer](x_BSD, visible_BSS, angles_BSE, real_T)
            if routing is not None:
                routed.append(Routed(layer, routing))
        return self.final_norm(x_BSD), tuple(routed)


def build_norm(config: ModelConfig) -> nn.Module:
    """The normalisation that ``config.parts`` names."""
    width = config.architecture.d_model
    if config.parts.norm is Norm.SCALE:
        return nn.RMSNorm(width, eps=1e-6)
    return nn.LayerNorm(width) if config.parts.norm is Norm.SCALE_AND_SHIFT else nn.Identity()
