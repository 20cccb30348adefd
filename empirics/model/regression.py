"""The regression Transformer: real vectors in, real vectors out, on the same blocks as the language model.

Shapes: B samples, S positions, P coordinates of an input, Q of an output, D width.
"""

from __future__ import annotations

__all__ = ["RegressionTransformer"]

from typing import Literal, TypeAlias, get_args

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from empirics.model.block import Blocks
from empirics.model.config import ModelConfig
from empirics.model.output import Output, check_real, positions_of
from theory.errors import MoelawsError
from theory.models.architecture import Embedding

Pool: TypeAlias = Literal["mean", "last", "none"]


class RegressionTransformer(nn.Module):
    """Sequences of vectors to one prediction per sequence, or to one per position (``pool="none"``).

    Two affine maps, P -> D before the blocks and D -> Q after them, come on top of what ``theory.models.architecture`` counts;
    ``inputs=None`` leaves the first out, for inputs that already have width D. ``pool`` averages over real positions
    ("mean") or takes the last real one ("last"; with causal attention the only one that has read all others).

    Raises ValueError for a configuration with token embeddings.
    """

    def __init__(
        self, config: ModelConfig, *, inputs: int | None, outputs: int = 1, pool: Pool = "mean"
    ) -> None:
        super().__init__()
        if config.parts.embedding is not Embedding.NONE:
            raise MoelawsError(
                f"RegressionTransformer(embedding={config.parts.embedding}): expected Embedding.NONE, as inputs are real vectors"
            )
        if pool not in get_args(Pool):
            raise MoelawsError(
                f"RegressionTransformer(pool={pool!r}): expected one of {', '.join(map(repr, get_args(Pool)))}"
            )
        for name, size in (("inputs", inputs), ("outputs", outputs)):
            if size is None and name == "inputs":
                continue
            if isinstance(size, bool) or not isinstance(size, int) or size < 1:
                raise MoelawsError(
                    f"RegressionTransformer({name}={size!r}): expected a whole number of at least 1"
                )
        width = config.architecture.d_model
        self.config, self.pool = config, pool
        self.read_in = None if inputs is None else nn.Parameter(torch.zeros(width, inputs))
        self.read_in_bias = None if inputs is None else nn.Parameter(torch.zeros(width))
        self.blocks = Blocks(config)
        self.read_out = nn.Parameter(torch.zeros(outputs, width))
        self.read_out_bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x_BSP: Tensor, real_BS: Tensor | None = None) -> Output:
        """Predictions (B, Q), or (B, S, Q) without pooling; padding may hold anything, NaN too.

        Raises ValueError for inputs of another width.
        """
        expected = self.config.architecture.d_model if self.read_in is None else self.read_in.shape[1]
        if x_BSP.ndim != 3 or x_BSP.shape[-1] != expected:
            raise MoelawsError(
                f"x_BSP of shape {tuple(x_BSP.shape)}: expected (samples, positions, {expected}); "
                "a point that is no sequence is one of a single position"
            )
        check_real(real_BS, x_BSP.shape[:2])
        if real_BS is not None:  # attention multiplies what it may not read by 0, and 0 times NaN is NaN
            x_BSP = x_BSP.masked_fill(~real_BS[..., None], 0.0)
        x_BSD = x_BSP if self.read_in is None else linear(x_BSP, self.read_in, self.read_in_bias)
        x_BSD, routed = self.blocks(x_BSD, positions_of(x_BSP, real_BS), real_BS)
        if self.pool != "none":
            x_BSD = self._pooled(x_BSD, real_BS)
        return Output(linear(x_BSD, self.read_out, self.read_out_bias), routed)

    def _pooled(self, x_BSD: Tensor, real_BS: Tensor | None) -> Tensor:
        if real_BS is None:
            return x_BSD.mean(1) if self.pool == "mean" else x_BSD[:, -1]
        if self.pool == "mean":
            real_BS1 = real_BS[..., None].to(x_BSD.dtype)
            return (x_BSD * real_BS1).sum(1) / real_BS1.sum(1).clamp_min(1)
        places_S = torch.arange(real_BS.shape[1], device=x_BSD.device)
        last_B = (real_BS * places_S).amax(1)
        return x_BSD[torch.arange(len(x_BSD), device=x_BSD.device), last_B]
