"""A trainable member of the covering lemma's class: bounded parameters, bounded inputs, a fixed pattern, a clipped output.

Shapes: B sequences, S positions, D width, M experts.
"""

from __future__ import annotations

__all__ = ["BoundedTransformer"]

from collections.abc import Sequence

import numpy as np
import sympy as sp
import torch
from torch import Tensor, nn

from empirics.model.bounded_layers import bounded_moe
from theory.errors import MoelawsError
from theory.results.covering.bounded_class import BoundedMoE
from theory.results.covering.experts import Gate


class BoundedTransformer(nn.Module):
    """The network of ``empirics.model.bounded_layers`` with the constraints of `theory.results.covering.bounded_class.BoundedMoE`.

    ``pattern`` holds one matrix of mixing weights (positions x experts) per block, of the same number of positions:
    non-negative, each row of sum at most 1 up to the rounding of float32. For ``Gate.SOFTMAX`` only where they are not 0
    matters, and no row may be all 0. ``clip`` is the radius R of the output. Call `project_` after each optimiser step:
    what left the box [-kappa, kappa] is put on its border, and only then is the model in the class and its change per
    change of a parameter at most ``bounded.lipschitz_constant()``.

    float32 or float64: in half precision rounding alone would leave the class. Raises ValueError where a size of
    ``bounded`` is a symbol, or the pattern is not one of the class.
    """

    def __init__(self, bounded: BoundedMoE, pattern: Sequence[Tensor], *, clip: float) -> None:
        super().__init__()
        for name in ("d_model", "d_ff", "heads", "kappa", "radius"):
            if not getattr(bounded, name).is_number:
                raise MoelawsError(
                    f"BoundedTransformer({name}={getattr(bounded, name)}): a model needs a number, not a symbol"
                )
        if not clip > 0:
            raise MoelawsError(f"BoundedTransformer(clip={clip!r}): expected a positive radius")
        trained_gate = bounded.gate is Gate.SOFTMAX
        _check_pattern(pattern, bounded.layers, trained_gate=trained_gate)
        self.bounded, self.positions = bounded, len(pattern[0])
        self.net = bounded_moe(
            int(bounded.d_model),
            int(bounded.d_ff),
            int(bounded.heads),
            pattern,
            clip=clip,
            activation=bounded.activation.name,
            trained_gate=trained_gate,
        )

    def forward(self, x_BSD: Tensor) -> Tensor:
        """One output sequence per input sequence. Raises ValueError for a token outside the ball of the class.

        A token of a dtype is inside or not; one that was rounded after it was put on the border may not be.
        """
        places = (self.positions, int(self.bounded.d_model))
        if x_BSD.ndim != 3 or x_BSD.shape[1:] != places:
            raise MoelawsError(
                f"x_BSD of shape {tuple(x_BSD.shape)}: expected (sequences, {places[0]}, {places[1]}), the positions of "
                "the pattern and the width of the class"
            )
        dtypes = {x_BSD.dtype, *(kept.dtype for kept in self.state_dict().values())}
        if dtypes not in ({torch.float32}, {torch.float64}):
            raise MoelawsError(
                f"x_BSD of dtype {x_BSD.dtype}, in a model of {', '.join(sorted(map(str, dtypes)))}: expected all of it "
                "in float32 or in float64; in half precision rounding alone would leave the class"
            )
        norms_BS = torch.linalg.vector_norm(x_BSD.detach(), dim=-1, dtype=torch.float64)
        slack = 1 + places[1] * torch.finfo(torch.float64).eps  # of the norm as computed
        if not bool((norms_BS <= float(self.bounded.radius) * slack).all()):  # so that NaN is refused
            raise MoelawsError(
                f"x_BSD has tokens of norm up to {float(norms_BS.max()):.17g}: expected norms of at most "
                f"{self.bounded.radius}, the radius of the class"
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


def _check_pattern(pattern: Sequence[Tensor], layers: int, *, trained_gate: bool) -> None:
    if len(pattern) != layers:
        raise MoelawsError(f"pattern has {len(pattern)} matrices: expected one for each of {layers} blocks")
    for block, weights in enumerate(pattern):
        given = f"pattern[{block}] of shape {tuple(weights.shape)} and dtype {weights.dtype}"
        if weights.dtype not in (torch.float32, torch.float64):
            raise MoelawsError(f"{given}: expected float32 or float64; half precision would leave the class")
        if weights.ndim != 2 or not len(weights) or len(weights) != len(pattern[0]):
            raise MoelawsError(
                f"{given}: expected (positions x experts) with at least one position, and as many in every block"
            )
        sums_T = weights.sum(-1, dtype=torch.float64)
        if not (bool((weights >= 0).all()) and bool((sums_T <= 1 + 1e-6).all())):
            raise MoelawsError(f"{given}: expected non-negative weights whose rows sum to at most 1")
        if trained_gate and not bool(sums_T.all()):
            raise MoelawsError(
                f"{given}: row {int((sums_T == 0).nonzero()[0])} selects no expert; a softmax needs one in every row"
            )
