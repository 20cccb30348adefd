"""A trainable member of the covering lemma's class: bounded parameters, bounded inputs, a fixed pattern, a clipped output.

Shapes: B sequences, S positions, D width, M experts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sympy as sp
import torch
from torch import Tensor, nn

from empirics.bounded_moe import bounded_moe
from theory.covering.bounded_class import BoundedMoE
from theory.covering.experts import Gate


class BoundedTransformer(nn.Module):
    """The network of ``empirics.bounded_moe`` with the constraints of `theory.covering.bounded_class.BoundedMoE`.

    ``pattern`` holds one matrix of mixing weights (positions x experts) per block: non-negative, each row of sum at most 1;
    for ``Gate.SOFTMAX`` only where they are not 0 matters. ``clip`` is the radius R of the output. Call `project_` after
    each optimiser step: what left the box [-kappa, kappa] is put on its border, and only then is the model in the class
    and its change per change of a parameter at most ``bounded.lipschitz_constant()``.

    Raises ValueError where a size of ``bounded`` is a symbol, or the pattern is not one of the class.
    """

    def __init__(self, bounded: BoundedMoE, pattern: Sequence[Tensor], *, clip: float) -> None:
        super().__init__()
        for name in ("d_model", "d_ff", "heads", "kappa", "radius"):
            if not getattr(bounded, name).is_number:
                raise ValueError(
                    f"BoundedTransformer({name}={getattr(bounded, name)}): a model needs a number, not a symbol"
                )
        if not clip > 0:
            raise ValueError(f"BoundedTransformer(clip={clip!r}): expected a positive radius")
        _check_pattern(pattern, bounded.layers)
        self.bounded = bounded
        self.net = bounded_moe(
            int(bounded.d_model),
            int(bounded.d_ff),
            int(bounded.heads),
            pattern,
            clip=clip,
            activation=bounded.activation.name,
            trained_gate=bounded.gate is Gate.SOFTMAX,
        )

    def forward(self, x_BSD: Tensor) -> Tensor:
        """One output sequence per input sequence. Raises ValueError for a token outside the ball of the class."""
        norms_BS = torch.linalg.vector_norm(x_BSD.detach(), dim=-1)
        radius = _at_most(self.bounded.radius, x_BSD.dtype)
        slack = 1 + x_BSD.shape[-1] * torch.finfo(x_BSD.dtype).eps  # of the norm as computed
        if x_BSD.ndim != 3 or bool((norms_BS > radius * slack).any()):
            raise ValueError(
                f"x_BSD of shape {tuple(x_BSD.shape)} with tokens of norm up to {float(norms_BS.max()):.6g}: expected "
                f"(sequences, positions, width) with norms of at most {self.bounded.radius}, the radius of the class"
            )
        out_BSD: Tensor = torch.vmap(self.net)(x_BSD)
        return out_BSD

    @torch.no_grad()
    def project_(self) -> None:
        """Put every parameter back in the box: to the nearest number of its dtype that lies in [-kappa, kappa]."""
        for parameter in self.parameters():
            kappa = _at_most(self.bounded.kappa, parameter.dtype)
            parameter.clamp_(-kappa, kappa)

    @torch.no_grad()
    def draw_(self, seed: int) -> None:
        """Parameters uniform in the box, the same ones for the same seed."""
        drawn = np.random.default_rng(seed)
        for parameter in self.parameters():
            uniform = torch.from_numpy(drawn.uniform(-1, 1, tuple(parameter.shape)))
            parameter.copy_(uniform * float(self.bounded.kappa))
        self.project_()


def _at_most(bound: sp.Expr, dtype: torch.dtype) -> float:
    """The largest number of ``dtype`` that is at most ``bound``."""
    nearest = torch.tensor(float(bound), dtype=dtype)
    if sp.Rational(nearest.item()) > bound:
        nearest = torch.nextafter(nearest, torch.zeros_like(nearest))
    return float(nearest)


def _check_pattern(pattern: Sequence[Tensor], layers: int) -> None:
    if len(pattern) != layers:
        raise ValueError(f"pattern has {len(pattern)} matrices: expected one for each of {layers} blocks")
    for block, weights in enumerate(pattern):
        fits = weights.ndim == 2 and bool((weights >= 0).all()) and bool((weights.sum(-1) <= 1 + 1e-6).all())
        if not fits:
            raise ValueError(
                f"pattern[{block}] of shape {tuple(weights.shape)}: expected non-negative weights (positions x experts) "
                "whose rows sum to at most 1"
            )
