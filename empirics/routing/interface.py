"""`route`: router logits in, a `Routing` out. Arguments are checked here, whoever does the work.

Shapes: T tokens, E experts, K active experts, N = T K assignments.
"""

from __future__ import annotations

__all__ = ["route"]

import importlib.util
from typing import get_args

import torch
from torch import Tensor

from empirics.routing.record import Gate, Groups, Implementation, NonFinite, Routing, Selection
from empirics.routing.reference import route_reference
from theory.errors import MoelawsError

KERNEL_EXPERTS = 1024
"""The most experts that the Triton kernels take."""
KERNEL_ACTIVE = 64
"""The most active experts that the Triton kernels take."""
KERNEL_DTYPES = (torch.float32, torch.bfloat16, torch.float16)
DTYPES = (*KERNEL_DTYPES, torch.float64)


def route(
    logits_TE: Tensor,
    k: int,
    *,
    gate: Gate = "softmax",
    renormalise: bool = True,
    bias_E: Tensor | None = None,
    allowed_TE: Tensor | None = None,
    groups: tuple[int, int] | None = None,
    real_T: Tensor | None = None,
    nonfinite: NonFinite = "raise",
    implementation: Implementation = "auto",
) -> Routing:
    """Send each token to ``k`` of E experts by its router logits.

    *Scores.* ``gate="softmax"``: a token's scores are the softmax of its logits. ``"sigmoid"``: the sigmoid of each
    logit. bfloat16, float16 and float32 logits are computed with in float32, float64 ones in float64.

    *Selection.* The k highest scores, best first; ties go to the smallest index. Without a bias the logits themselves
    are compared, so no rounding of a score makes or breaks a tie. With ``bias_E`` (one number per expert, as kept by
    auxiliary-loss-free balancing) score + bias is compared, the sum as if it were not rounded, then the logits; the bias
    changes the selection and its order and nothing else, and gets no gradient. One that is the same for all experts changes
    nothing. Between different biases the order of sums closer than the rounding of a score (1e-6) is not specified.

    *Restrictions.* ``allowed_TE`` (bool) says which experts a token may be given: at least k for each. ``groups=(G, g)``:
    experts stand in G equal groups of neighbours, and a token uses only its g best groups, those whose two largest scores
    (with the bias) have the largest sum; ties go to the smallest group. Both change the selection and nothing else:
    an expert that is left out is never selected, whatever its score, and still has its probability.

    *Padding.* ``real_T`` (bool) says which tokens are real. The others are routed like them, so that shapes and counts
    stay whole, but take no part in the losses and the statistics, and their logits may be anything.

    *Weights.* The scores of the selected experts, without bias; with ``renormalise`` divided by their sum, also where
    all of them underflow.

    *Statistics.* ``balance_loss`` is that of Switch and GShard over all k choices, E sum_e f_e P_e; P_e is the
    mean over tokens of score over sum of scores. ``z_loss`` is the router z-loss of ST-MoE, for both gates that
    of the logits. Multiply both by coefficients of your own; nothing is added to any loss here. Their gradients and
    that of the weights add up in ``logits_TE.grad``; second derivatives need the reference, the kernels refuse them
    (RuntimeError).

    *Rows that are not finite.* A real token's row of logits that holds a NaN or an infinity, or allows fewer than k experts,
    is refused with its number (``nonfinite="raise"``; this waits for the device once). ``"clean"`` does not wait: such a row
    is treated as if its logits were all 0 and all experts allowed, gets no gradient, and is counted in ``cleaned``; a bias
    that is not finite counts as 0. Infinite logits are no mask: exclude an expert by ``allowed_TE``. A bias beyond the range
    in which scores are computed counts as the end of that range.

    *Implementations.* ``"triton"`` is four kernel launches forward and one backward, bitwise reproducible, without
    atomic additions, for up to 1,024 experts and k = 64; ``"reference"`` is plain torch. ``"auto"`` takes the kernels for
    what they support on a CUDA device. k = E, E = 1, T = 0, experts without tokens and any strides are fine in both.

    Sources: Shazeer et al. 2017 (top-k gates); Lepikhin et al. 2020 and Fedus et al. 2021, eq. 4 (balance loss); Zoph et al.
    2022, eq. 5 (z-loss); Wang et al. 2024 (bias); DeepSeek-AI 2024, arXiv 2412.19437, section 2.1.2 (groups). Raises ValueError for k < 1, k > E, E = 0, a rank other than 2, integers
    or floats of 8 bits, what is no tensor, T k >= 2^31, or rows that are not finite.

    >>> import torch
    >>> from empirics.routing import route
    >>> routing = route(torch.tensor([[2.0, 0.0, 1.0], [0.0, 0.0, 0.0]]), 2)
    >>> routing.ids_TK.tolist(), routing.counts_E.tolist(), routing.permutation_N.tolist()
    ([[0, 2], [0, 1]], [2, 1, 1], [0, 2, 3, 1])
    """
    _check(logits_TE, k, bias_E)
    _check_masks(logits_TE, allowed_TE, real_T)
    selection = Selection(
        k, gate, bias_E, allowed_TE, _checked_groups(groups, logits_TE.shape[1], k, allowed_TE)
    )
    for name, value, known in (
        ("gate", gate, Gate),
        ("nonfinite", nonfinite, NonFinite),
        ("implementation", implementation, Implementation),
    ):
        if value not in get_args(known):
            raise MoelawsError(f"{name}={value!r}: expected one of {', '.join(map(repr, get_args(known)))}")
    if not isinstance(renormalise, bool):
        raise MoelawsError(f"renormalise={renormalise!r}: expected True or False")
    work = route_reference
    if implementation == "triton" or (implementation == "auto" and logits_TE.is_cuda):
        unsupported = _unsupported_by_kernels(logits_TE, k)
        if implementation == "triton" and unsupported:
            raise MoelawsError(f"implementation='triton': {unsupported}; use implementation='reference'")
        if len(logits_TE) and not unsupported:  # kernels are not launched for no tokens
            from empirics.routing.fused import route_fused

            work = route_fused
    routing = work(logits_TE, selection, renormalise=renormalise, real_T=real_T)
    if nonfinite == "raise":
        _refuse_unsound(logits_TE, selection, real_T, routing.cleaned)
    return routing


def _check(logits_TE: Tensor, k: int, bias_E: Tensor | None) -> None:
    for name, value in (("logits_TE", logits_TE), ("bias_E", bias_E)):
        if value is not None and not isinstance(value, Tensor):
            raise MoelawsError(
                f"{name} is a {type(value).__name__}: expected a tensor; torch.as_tensor makes one"
            )
    if logits_TE.ndim != 2:
        raise MoelawsError(
            f"logits_TE of shape {tuple(logits_TE.shape)}: expected two dimensions (tokens, experts); flatten the others"
        )
    if logits_TE.dtype not in DTYPES:
        raise MoelawsError(
            f"logits_TE of dtype {logits_TE.dtype}: expected floating-point router logits in bfloat16, float16, float32 or float64"
        )
    tokens, experts = logits_TE.shape
    if experts < 1:
        raise MoelawsError(f"logits_TE of shape {tuple(logits_TE.shape)}: expected at least one expert")
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= experts:
        raise MoelawsError(f"k={k!r}: expected a whole number from 1 to E={experts} active experts")
    if tokens * k >= 2**31:
        raise MoelawsError(
            f"T k = {tokens * k}: expected fewer than 2^31 assignments, which is what grouped products index; split the batch"
        )
    if bias_E is not None and (bias_E.shape != (experts,) or bias_E.dtype not in DTYPES):
        raise MoelawsError(
            f"bias_E of shape {tuple(bias_E.shape)} and dtype {bias_E.dtype}: expected E={experts} floating-point numbers of 16, 32 or 64 bits"
        )
    if bias_E is not None and bias_E.device != logits_TE.device:
        raise MoelawsError(
            f"bias_E on {bias_E.device}: expected it on {logits_TE.device}, where logits_TE is"
        )


def _check_masks(logits_TE: Tensor, allowed_TE: Tensor | None, real_T: Tensor | None) -> None:
    for name, mask, shape in (
        ("allowed_TE", allowed_TE, logits_TE.shape),
        ("real_T", real_T, logits_TE.shape[:1]),
    ):
        if mask is None:
            continue
        if not isinstance(mask, Tensor) or mask.dtype != torch.bool or mask.shape != shape:
            found = (
                f"{mask.dtype} of shape {tuple(mask.shape)}"
                if isinstance(mask, Tensor)
                else type(mask).__name__
            )
            raise MoelawsError(f"{name} is {found}: expected a torch.bool tensor of shape {tuple(shape)}")
        if mask.device != logits_TE.device:
            raise MoelawsError(
                f"{name} on {mask.device}: expected it on {logits_TE.device}, where logits_TE is"
            )


def _checked_groups(
    groups: tuple[int, int] | None, experts: int, k: int, allowed_TE: Tensor | None
) -> Groups | None:
    if groups is None:
        return None
    given = tuple(groups) if isinstance(groups, tuple | list) else ()
    if len(given) != 2 or any(isinstance(n, bool) or not isinstance(n, int) for n in given):
        raise MoelawsError(
            f"groups={groups!r}: expected two whole numbers (groups, groups that a token may use)"
        )
    found = Groups(*given)
    if not 1 <= found.active <= found.groups or experts % found.groups:
        raise MoelawsError(
            f"groups={given}: expected equal groups, so a divisor of E={experts}, and from 1 to all of them for a token"
        )
    if found.active * (experts // found.groups) < k:
        raise MoelawsError(
            f"groups={given}: {found.active} groups of {experts // found.groups} hold fewer than k={k} experts"
        )
    if allowed_TE is not None:
        raise MoelawsError(
            "groups and allowed_TE are not taken together: a token's best groups may allow too few experts"
        )
    return found


def _unsupported_by_kernels(logits_TE: Tensor, k: int) -> str:
    if importlib.util.find_spec("triton") is None:
        return "triton is not installed (the gpu extra)"
    if logits_TE.dtype not in KERNEL_DTYPES:
        return f"the kernels take float32, bfloat16 and float16 logits, got {logits_TE.dtype}"
    if logits_TE.shape[1] > KERNEL_EXPERTS:
        return f"the kernels take up to {KERNEL_EXPERTS} experts, got {logits_TE.shape[1]}"
    if k > KERNEL_ACTIVE:
        return f"the kernels take k up to {KERNEL_ACTIVE}, got {k}"
    return ""


def _refuse_unsound(logits_TE: Tensor, selection: Selection, real_T: Tensor | None, cleaned: Tensor) -> None:
    """Waits for the device once, where nothing is wrong."""
    bias_E, allowed_TE = selection.bias_E, selection.allowed_TE
    wrong = cleaned if bias_E is None else cleaned + (~bias_E.isfinite()).sum()
    if not wrong.item():
        return
    if bias_E is not None and not bias_E.isfinite().all():
        expert = int((~bias_E.isfinite()).nonzero()[0])
        raise MoelawsError(f"bias_E[{expert}]={bias_E[expert].item()}: expected finite numbers")
    wrong_TE = ~logits_TE.isfinite() if real_T is None else ~logits_TE.isfinite() & real_T[:, None]
    if allowed_TE is not None and not wrong_TE.any():
        few_T = (allowed_TE.sum(-1) < selection.k) & (True if real_T is None else real_T)
        row = int(few_T.nonzero()[0])
        raise MoelawsError(
            f"allowed_TE[{row}] allows {int(allowed_TE[row].sum())} of {allowed_TE.shape[1]} experts, and {cleaned.item()} of "
            f"{len(logits_TE)} rows allow too few: expected at least k={selection.k} for each real token"
        )
    row, expert = wrong_TE.nonzero()[0].tolist()
    raise MoelawsError(
        f"logits_TE[{row}, {expert}]={logits_TE[row, expert].item()}: row {row} is not finite, as are "
        f"{cleaned.item()} of {len(logits_TE)} rows; expected finite router logits. "
        "Look for an overflow before the router, or pass nonfinite='clean'"
    )
