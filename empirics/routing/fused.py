"""Launching the kernels: block sizes, outputs, and the one autograd node that the three differentiable results share.

Shapes: T tokens, E experts, K active experts, N = T K assignments.
"""

from __future__ import annotations

import contextlib
from typing import Any, NamedTuple

import torch
import triton
from torch import Tensor

from empirics.base.errors import NotTwiceDifferentiable
from empirics.routing import triton_kernels
from empirics.routing.record import Groups, Routing, Selection
from theory.errors import MoelawsError

kernels: Any = triton_kernels
"""The module whose kernels are launched."""
INTERPRETED = not isinstance(triton_kernels.select_experts, triton.JITFunction)
"""Whether the kernels run in Triton's interpreter, as TRITON_INTERPRET=1 at their import asks."""

ASSIGNMENTS = 1024
"""Assignments that a program puts in their place."""


class Blocks(NamedTuple):
    """Tile sizes, all powers of two: tokens, experts and slots of a program; warps that share it.

    ``few`` and ``chunk``: experts and blocks that a program of the sum over blocks holds at a time.
    """

    tokens: int
    experts: int
    slots: int
    warps: int
    few: int
    chunk: int


def blocks_for(tokens: int, experts: int, k: int) -> Blocks:
    """Tiles of at most 4,096 logits on a GPU, where larger ones spill. The interpreter's cost is per operation: large ones.

    A function of the shapes alone, so that equal inputs are summed in equal order.
    """
    wide, slots = max(16, triton.next_power_of_2(experts)), triton.next_power_of_2(k)
    if INTERPRETED:
        return Blocks(min(1024, triton.next_power_of_2(tokens)), wide, slots, warps=1, few=wide, chunk=16)
    rows = min(128, 4096 // wide)
    chunk = min(1024, triton.next_power_of_2(triton.cdiv(tokens, rows)))
    return Blocks(rows, wide, slots, warps=8 if rows * wide == 4096 else 4, few=4, chunk=chunk)


def route_fused(
    logits_TE: Tensor, selection: Selection, *, renormalise: bool, real_T: Tensor | None
) -> Routing:
    """`empirics.routing.route` for checked arguments and T >= 1; rows that cannot be routed as they are are cleaned."""
    if not (logits_TE.is_cuda or INTERPRETED):
        raise MoelawsError(
            f"implementation='triton': logits_TE is on {logits_TE.device}; expected a CUDA device, or TRITON_INTERPRET=1 "
            "in the environment before Python starts, for Triton's interpreter"
        )
    apply: Any = _FusedRouting.apply
    return Routing(*apply(logits_TE, selection, renormalise, real_T))


class _FusedRouting(torch.autograd.Function):
    """The fields of `Routing`, in order."""

    @staticmethod
    def forward(
        ctx: Any, logits_TE: Tensor, selection: Selection, renormalise: bool, real_T: Tensor | None
    ) -> tuple[Tensor, ...]:
        (tokens, experts), device = logits_TE.shape, logits_TE.device
        k, sigmoid, bias_E, allowed_TE = (
            selection.k,
            selection.gate == "sigmoid",
            selection.bias_E,
            selection.allowed_TE,
        )
        groups = selection.groups or Groups(1, 1)
        has_real = real_T is not None
        block = blocks_for(tokens, experts, k)
        blocks = triton.cdiv(tokens, block.tokens)

        def floats(*shape: int) -> Tensor:
            return torch.empty(shape, dtype=torch.float32, device=device)

        def integers(*shape: int, dtype: torch.dtype = torch.int64) -> Tensor:
            return torch.empty(shape, dtype=dtype, device=device)

        weights_TK, ids_TK = floats(tokens, k), integers(tokens, k)
        assignments_N = integers(tokens * k)
        counts_E, offsets_E = integers(experts), integers(experts + 1)
        ends_E = integers(experts, dtype=torch.int32)
        permutation_N, inverse_N = integers(tokens * k), integers(tokens * k)
        balance_loss, z_loss, entropy, max_load = floats(), floats(), floats(), floats()
        # For the backward pass; the counts belong to the caller, who may all-reduce them.
        loads_E, share = floats(experts), floats()
        mean_probability_E, cleaned = floats(experts), integers()
        block_counts, block_base = integers(2, blocks, experts, dtype=torch.int32)
        block_cleaned = integers(blocks, dtype=torch.int32)
        # Of real tokens, where there is padding; else pointers that no kernel reads.
        block_real = integers(blocks, experts, dtype=torch.int32) if has_real else block_counts
        block_tokens = integers(blocks, dtype=torch.int32) if has_real else block_cleaned
        real_counts_E = integers(experts, dtype=torch.int32) if has_real else ends_E
        block_probability, block_z, block_entropy = floats(blocks, experts), floats(blocks), floats(blocks)
        with _on(device):
            kernels.select_experts[(blocks,)](
                logits_TE, _given(bias_E, logits_TE), _given(allowed_TE, logits_TE), _given(real_T, logits_TE),
                assignments_N, block_counts, block_real, block_probability, block_z, block_entropy, block_cleaned,
                block_tokens,
                tokens, *logits_TE.stride(), *_strides(bias_E, 1), *_strides(allowed_TE, 2), *_strides(real_T, 1),
                E=experts, K=k, BT=block.tokens, BE=block.experts,
                GROUPS=groups.groups, GROUPS_ACTIVE=groups.active, BG=triton.next_power_of_2(groups.groups),
                SIGMOID=sigmoid, RENORMALISE=renormalise, HAS_BIAS=bias_E is not None,
                HAS_ALLOWED=allowed_TE is not None, HAS_REAL=has_real, num_warps=block.warps, enable_fp_fusion=False,
            )  # fmt: skip
            kernels.prefix_over_blocks[(triton.cdiv(experts, block.few),)](
                block_counts, block_real, block_probability, block_tokens, block_base,
                counts_E, real_counts_E, mean_probability_E,
                tokens, blocks,
                E=experts, BX=block.few, CHUNK=block.chunk, HAS_REAL=has_real, num_warps=4, enable_fp_fusion=False,
            )  # fmt: skip
            kernels.offsets_and_losses[(1,)](
                counts_E, real_counts_E, mean_probability_E, block_z, block_entropy, block_cleaned, block_tokens,
                offsets_E, ends_E, loads_E, balance_loss, z_loss, entropy, max_load, cleaned, share,
                tokens, blocks,
                E=experts, K=k, BE=block.experts, CHUNK=block.chunk, HAS_REAL=has_real, num_warps=4, enable_fp_fusion=False,
            )  # fmt: skip
            kernels.permute[(triton.cdiv(tokens * k, ASSIGNMENTS),)](
                assignments_N, block_base, offsets_E, weights_TK, ids_TK, permutation_N, inverse_N,
                tokens * k,
                E=experts, K=k, BT=block.tokens, BN=ASSIGNMENTS, num_warps=4, enable_fp_fusion=False,
            )  # fmt: skip
        outputs = (
            weights_TK, ids_TK, counts_E, offsets_E, ends_E, permutation_N, inverse_N,
            balance_loss, z_loss, mean_probability_E, entropy, max_load, cleaned,
        )  # fmt: skip
        differentiable = (weights_TK, balance_loss, z_loss)
        ctx.mark_non_differentiable(*(out for out in outputs if not any(out is d for d in differentiable)))
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(logits_TE, allowed_TE, real_T, ids_TK, weights_TK, loads_E, share)
        ctx.options = k, sigmoid, renormalise, block
        return outputs

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> tuple[Tensor | None, ...]:
        if torch.is_grad_enabled():
            raise NotTwiceDifferentiable(
                "the backward pass of fused routing is not differentiable itself: expected create_graph=False; "
                "implementation='reference' has second derivatives"
            )
        logits_TE, allowed_TE, real_T, ids_TK, weights_TK, loads_E, share = ctx.saved_tensors
        k, sigmoid, renormalise, block = ctx.options
        tokens, experts = logits_TE.shape
        grad_weights, grad_balance, grad_z = grads[0], grads[7], grads[8]
        if grad_weights is None and grad_balance is None and grad_z is None:
            return None, None, None, None
        grad_logits = torch.empty((tokens, experts), dtype=logits_TE.dtype, device=logits_TE.device)
        with _on(logits_TE.device):
            kernels.gradient_of_logits[(triton.cdiv(tokens, block.tokens),)](
                logits_TE, _given(allowed_TE, logits_TE), _given(real_T, logits_TE), ids_TK, weights_TK, loads_E, share,
                *(_given(grad, weights_TK) for grad in (grad_weights, grad_balance, grad_z)),
                grad_logits,
                tokens, *logits_TE.stride(), *_strides(allowed_TE, 2), *_strides(real_T, 1), *_strides(grad_weights, 2),
                E=experts, K=k, BT=block.tokens, BE=block.experts, BK=block.slots,
                SIGMOID=sigmoid, RENORMALISE=renormalise, HAS_WEIGHTS=grad_weights is not None,
                HAS_BALANCE=grad_balance is not None, HAS_Z=grad_z is not None,
                HAS_ALLOWED=allowed_TE is not None, HAS_REAL=real_T is not None, num_warps=block.warps, enable_fp_fusion=False,
            )  # fmt: skip
        return grad_logits, None, None, None


def _given(tensor: Tensor | None, absent: Tensor) -> Tensor:
    """A kernel's argument; for what is not given a pointer that the kernel does not read."""
    return absent if tensor is None else tensor


def _strides(tensor: Tensor | None, ndim: int) -> tuple[int, ...]:
    return (0,) * ndim if tensor is None else tensor.stride()


def _on(device: torch.device) -> contextlib.AbstractContextManager[Any]:
    return torch.cuda.device(device) if device.type == "cuda" else contextlib.nullcontext()
