"""A model's stored parameters by part, as ``theory.models.architecture`` names the parts."""

from __future__ import annotations

__all__ = ["parameter_counts"]

from collections import Counter

from torch import nn

PART_OF = {
    "attention": "attention",
    "experts": "experts",
    "shared": "experts",
    "router": "router",
    "router_bias": "router",
    "attention_norm": "norms",
    "feed_forward_norm": "norms",
    "final_norm": "norms",
    "token": "embeddings",
    "position": "embeddings",
    "head": "embeddings",
    "read_in": "interface",
    "read_in_bias": "interface",
    "read_out": "interface",
    "read_out_bias": "interface",
}
"""The part to which a parameter belongs, by the first of these words in its name."""


def parameter_counts(model: nn.Module) -> dict[str, int]:
    """Parameters of each part: attention, experts (dense and shared ones too), router, norms, embeddings, interface.

    "interface" is what `RegressionTransformer` reads and writes with; `theory` does not count it. The others add
    up to `theory.MoETransformer.total_parameters` under ``config.parts``. Weights of looped blocks count once.
    """
    counts = Counter(dict.fromkeys(PART_OF.values(), 0))
    for name, parameter in model.named_parameters():
        counts[next(PART_OF[word] for word in name.split(".") if word in PART_OF)] += parameter.numel()
    return dict(counts)
