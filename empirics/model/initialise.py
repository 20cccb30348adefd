"""Weights drawn from a named seed, each parameter by itself."""

from __future__ import annotations

__all__ = ["initialise"]

import hashlib

import numpy as np
import torch
from torch import Tensor, nn

from empirics.model.config import ModelConfig

EMBEDDING_SCALE = 0.02
"""Standard deviation of embeddings, that of GPT-2 (Radford et al. 2019)."""
WRITES_TO_RESIDUAL = ("output", "matrix_out")
"""The matrices whose products are added to the residual stream."""


@torch.no_grad()
def initialise(model: nn.Module, seed: int | str) -> None:
    """Draw a model's weights: the same seed gives the same bytes, on every device.

    Each parameter has a generator of its own, seeded by ``seed`` and the parameter's name, so that it does not depend on
    what else the model has. Matrices are Gaussian with standard deviation fan-in^(-1/2); those that write to the residual
    stream are divided by sqrt(2 L) in addition, with L blocks run (GPT-2's rule; looped blocks count once a round).
    Embeddings have standard deviation 0.02, biases are 0, norms the identity. Draws are made in float32 by numpy.
    """
    config: ModelConfig = model.config  # type: ignore[assignment]
    residual = (2 * len(config.schedule())) ** -0.5
    for name, parameter in model.named_parameters():
        owner, _, leaf = name.rpartition(".")
        if "norm" in owner:
            parameter.fill_(1.0 if leaf == "weight" else 0.0)
        elif "bias" in leaf:
            parameter.zero_()
        else:
            scale = EMBEDDING_SCALE if leaf in ("token", "position") else parameter.shape[-1] ** -0.5
            scale *= residual if leaf in WRITES_TO_RESIDUAL else 1.0
            parameter.copy_(_gaussian(parameter.shape, f"{seed}/{name}") * scale)


def _gaussian(shape: torch.Size, seed: str) -> Tensor:
    words = np.frombuffer(hashlib.sha256(seed.encode()).digest(), dtype="<u4").tolist()
    drawn = np.random.Generator(np.random.PCG64(words)).standard_normal(tuple(shape), dtype=np.float32)
    return torch.from_numpy(drawn)
