"""The decoder language model.

Shapes: B sequences, S positions, D width, V vocabulary.
"""

from __future__ import annotations

__all__ = ["LanguageModel"]

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding, linear

from empirics.model.block import Blocks
from empirics.model.config import ModelConfig
from empirics.model.output import Output, check_real, positions_of
from theory.errors import MoelawsError
from theory.models.architecture import Embedding


class LanguageModel(nn.Module):
    """Tokens to logits of the next token at every position.

    Parameters are 0, and norms 1, until `initialise` draws them or a state is loaded. Raises ValueError for
    a configuration without vocabulary or without token embeddings.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        a, kind = config.architecture, config.parts.embedding
        if not a.vocabulary or kind is Embedding.NONE:
            raise MoelawsError(
                f"LanguageModel(vocabulary={a.vocabulary}, embedding={kind}): expected a vocabulary and a token "
                "embedding; for inputs that are real vectors use RegressionTransformer"
            )
        self.config = config
        self.token = nn.Parameter(torch.zeros(a.vocabulary, a.d_model))
        learned, untied = config.positions == "learned", kind is Embedding.UNTIED
        self.position = nn.Parameter(torch.zeros(a.context, a.d_model)) if learned else None
        self.blocks = Blocks(config)
        self.head = nn.Parameter(torch.zeros(a.vocabulary, a.d_model)) if untied else None

    def forward(self, tokens_BS: Tensor, real_BS: Tensor | None = None) -> Output:
        """Logits (B, S, V); ``real_BS`` is False at padding, which changes nothing for real tokens on either side of it.

        Logits at padding mean nothing. Raises ValueError for sequences longer than learned positions reach, and for ids
        outside the vocabulary, at padding too; on a GPU with ``nonfinite="clean"``, which does not wait, CUDA raises.
        """
        if tokens_BS.ndim != 2 or tokens_BS.dtype not in (torch.int32, torch.int64):
            raise MoelawsError(
                f"tokens_BS of shape {tuple(tokens_BS.shape)} and dtype {tokens_BS.dtype}: expected whole numbers "
                "in two dimensions (sequences, positions)"
            )
        check_real(real_BS, tokens_BS.shape)
        if self.config.nonfinite == "raise" or not tokens_BS.is_cuda:  # to look waits for the device
            self._check_range(tokens_BS)
        positions_BS = positions_of(tokens_BS, real_BS)
        x_BSD = embedding(tokens_BS, self.token)
        if self.position is not None:
            if tokens_BS.shape[1] > len(self.position):
                raise MoelawsError(
                    f"tokens_BS has {tokens_BS.shape[1]} positions: expected at most context={len(self.position)}"
                )
            x_BSD = x_BSD + embedding(positions_BS, self.position)
        x_BSD, routed = self.blocks(x_BSD, positions_BS, real_BS)
        logits_BSV = linear(x_BSD, self.token if self.head is None else self.head)
        return Output(logits_BSV, routed)

    def _check_range(self, tokens_BS: Tensor) -> None:
        vocabulary = len(self.token)
        wrong_BS = (tokens_BS < 0) | (tokens_BS >= vocabulary)
        if wrong_BS.any():
            sequence, position = wrong_BS.nonzero()[0].tolist()
            raise MoelawsError(
                f"tokens_BS[{sequence}, {position}]={int(tokens_BS[sequence, position])}: expected ids from 0 to "
                f"{vocabulary - 1}, the vocabulary; padding needs one, too"
            )
