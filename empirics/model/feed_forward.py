"""The feed-forward layer of a block: one dense network, or a router with routed and shared experts.

Shapes: B sequences, S positions, T real tokens, D width, E experts.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from empirics.experts import Experts
from empirics.model.config import ModelConfig
from empirics.routing import Routing, route
from theory.models.architecture import Router


class FeedForward(nn.Module):
    """Sum of what a token's routed experts give, weighted by its gate, and of all that the shared ones give.

    With one expert nothing is routed and the layer is a plain feed-forward network. Padding is not routed at all: it
    counts in no load and gets 0. Router logits are computed in float32 under autocast too.

    ``selection_bias_E`` (with ``config.balancing_bias``), 0 at first, is added to the scores when experts are selected, not
    to the gate weights; it is a buffer that gets no gradient, moved by `empirics.model.objectives.LossFreeBalancing`.
    """

    selection_bias_E: Tensor | None

    def __init__(self, config: ModelConfig, *, has_experts: bool) -> None:
        super().__init__()
        a, parts = config.architecture, config.parts
        experts, shared = (a.experts, a.shared_experts) if has_experts else (1, 0)
        hidden = a.d_ff if has_experts or a.dense_d_ff is None else a.dense_d_ff

        def build(count: int) -> Experts:
            return Experts(
                count,
                a.d_model,
                hidden,
                activation=config.activation,
                bias=parts.expert_bias,
                product=config.product,
            )

        self.active, self.config = a.active, config
        self.experts = build(experts)
        self.shared = build(shared) if shared else None
        routed, biased = experts > 1, parts.router is Router.WEIGHTS_AND_BIAS
        self.router = nn.Parameter(torch.zeros(experts, a.d_model)) if routed else None
        self.router_bias = nn.Parameter(torch.zeros(experts)) if routed and biased else None
        self.register_buffer(
            "selection_bias_E", torch.zeros(experts) if routed and config.balancing_bias else None
        )

    def forward(self, x_BSD: Tensor, real_T: Tensor | None = None) -> tuple[Tensor, Routing | None]:
        """The layer's output and its routing, None without a router. ``real_T``: indices of real tokens among B S."""
        if self.router is None:
            out_BSD, routing = self.experts(x_BSD), None
        else:
            x_TD = x_BSD.flatten(0, -2)
            if real_T is not None:
                x_TD = x_TD.index_select(0, real_T)
            routing = self.route(x_TD)
            out_TD = self.experts(x_TD, routing)
            if real_T is not None:
                everywhere = out_TD.new_zeros(x_BSD.shape[:-1].numel(), out_TD.shape[1])
                out_TD = everywhere.index_copy(0, real_T, out_TD)
            out_BSD = out_TD.view(x_BSD.shape)
        if self.shared is not None:
            out_BSD = out_BSD + self.shared(x_BSD)
        return out_BSD, routing

    def route(self, x_TD: Tensor) -> Routing:
        """Which experts the tokens get."""
        assert self.router is not None
        with torch.autocast(x_TD.device.type, enabled=False):
            logits_TE = linear(x_TD.to(self.router.dtype), self.router, self.router_bias)
        return route(
            logits_TE,
            self.active,
            gate=self.config.gate,
            renormalise=self.config.renormalise,
            bias_E=self.selection_bias_E,
            nonfinite=self.config.nonfinite,
        )
