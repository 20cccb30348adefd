"""Routing in plain torch operations, on any device: what the kernels are held to.

Shapes: T tokens, E experts, K active experts, N = T K assignments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from empirics.routing.record import Gate, Groups, Routing, Selection


def route_reference(
    logits_TE: Tensor, selection: Selection, *, renormalise: bool, real_T: Tensor | None
) -> Routing:
    """`empirics.routing.route` for checked arguments; rows that cannot be routed as they are are cleaned."""
    sound_T1 = (logits_TE.detach() * 0).sum(
        -1, keepdim=True
    ) == 0  # 0 times anything else is NaN; cheaper than isfinite
    if selection.allowed_TE is not None:
        sound_T1 = sound_T1 & (selection.allowed_TE.sum(-1, keepdim=True) >= selection.k)
        selection = replace(selection, allowed_TE=selection.allowed_TE | ~sound_T1)
    exact = torch.float64 if logits_TE.dtype == torch.float64 else torch.float32
    logits_TE = logits_TE.to(exact)
    if (
        logits_TE.is_cuda or not sound_T1.all()
    ):  # to look would wait for the device; elsewhere it saves four passes
        logits_TE = logits_TE.where(sound_T1, 0.0)
    unsound_T = ~sound_T1.squeeze(-1)
    return routing_of(
        logits_TE,
        select(logits_TE, selection),
        gate=selection.gate,
        renormalise=renormalise,
        real_T=real_T,
        cleaned=(unsound_T if real_T is None else unsound_T & real_T).sum(),
    )


def routing_of(
    logits_TE: Tensor,
    ids_TK: Tensor,
    *,
    gate: Gate,
    renormalise: bool,
    cleaned: Tensor,
    real_T: Tensor | None = None,
) -> Routing:
    """The rest of a routing, where the experts of each token are decided and all logits are finite."""
    (tokens, k), experts = ids_TK.shape, logits_TE.shape[1]
    scores_TE = log_scores(logits_TE, gate)
    counts_E, offsets_E, permutation_N, inverse_N = sort_by_expert(ids_TK, experts)
    # Losses and statistics: over real tokens
    real: int | Tensor = max(tokens, 1)
    real_counts_E = counts_E
    probabilities_TE, log_sum_T = scores_TE.softmax(-1), log_sum_exp(logits_TE)
    if real_T is not None:
        real = real_T.sum().clamp_min(1)
        real_counts_E = torch.zeros_like(counts_E).index_add_(
            0, ids_TK.flatten(), real_T.repeat_interleave(k).to(counts_E.dtype)
        )
        probabilities_TE, log_sum_T = (
            probabilities_TE.where(real_T[:, None], 0.0),
            log_sum_T.where(real_T, 0.0),
        )
    mean_probability_E = probabilities_TE.sum(0) / real
    load_E = real_counts_E.to(logits_TE.dtype) * (experts / (real * k))
    return Routing(
        weights_TK=gate_weights(scores_TE, ids_TK, gate=gate, renormalise=renormalise),
        ids_TK=ids_TK,
        counts_E=counts_E,
        offsets_E=offsets_E,
        ends_E=offsets_E[1:].to(torch.int32),
        permutation_N=permutation_N,
        inverse_N=inverse_N,
        balance_loss=(load_E * mean_probability_E).sum(),  # not a dot product: autocast would round one
        z_loss=log_sum_T.square().sum() / real,
        mean_probability_E=mean_probability_E.detach(),
        entropy=entropy(probabilities_TE.detach()) / real,
        max_load=load_E.max(),
        cleaned=cleaned,
    )


def log_scores(logits_TE: Tensor, gate: Gate) -> Tensor:
    """Logarithm of each expert's score up to a constant per token: softmax over it gives the router probabilities."""
    return logits_TE if gate == "softmax" else logsigmoid(logits_TE)


def entropy(probabilities_TE: Tensor) -> Tensor:
    """Sum over tokens of -p log p in nats; 0 where p is 0."""
    smallest = torch.finfo(probabilities_TE.dtype).smallest_normal
    return -(probabilities_TE * probabilities_TE.clamp_min(smallest).log()).sum()


def log_sum_exp(logits_TE: Tensor) -> Tensor:
    """logsumexp of each row, with a gradient that stays exact for large logits.

    torch.logsumexp differentiates as exp(logit - result), where the result of large logits has lost its digits.
    """
    top_T1 = logits_TE.detach().amax(-1, keepdim=True)
    return top_T1.squeeze(-1) + (logits_TE - top_T1).exp().sum(-1).log()


def select(logits_TE: Tensor, selection: Selection) -> Tensor:
    """The k best experts of each token among those it may use, best first, ties to the smallest index.

    Scores grow with logits, so without a bias the logits decide, which no rounding of a softmax can change.
    """
    logits_TE, bias_E = logits_TE.detach(), selection.bias_E
    if bias_E is not None and not bias_E.is_cuda and bool((bias_E == bias_E[0]).all()):
        bias_E = None  # it moves nothing, as before balancing starts; to look would wait for a device
    keys: tuple[Tensor, ...] = (logits_TE,)
    if bias_E is not None or selection.groups is not None:
        scores_TE = logits_TE.softmax(-1) if selection.gate == "softmax" else logits_TE.sigmoid()
        sums = (scores_TE,) if bias_E is None else biased(scores_TE, bias_E)
        keys = keys if bias_E is None else (*sums, logits_TE)
    allowed_TE = selection.allowed_TE
    if selection.groups is not None:
        allowed_TE = in_best_groups(sums[0], selection.groups)
    if allowed_TE is not None:
        keys = (keys[0].where(allowed_TE, -torch.inf), *keys[1:])
    return first_best(keys, selection.k)


def biased(scores_TE: Tensor, bias_E: Tensor) -> tuple[Tensor, Tensor]:
    """Score + bias as a rounded sum and its exact rounding error, which in this order compare as the exact sums do.

    A large bias would otherwise swallow small scores. The error is that of Knuth's two-sum, free of overflow here. A bias
    that is the same for all experts counts as 0.
    """
    largest = torch.finfo(scores_TE.dtype).max  # a bias in float64 may exceed that of float32
    shift_E = bias_E.detach().to(scores_TE.dtype).clamp(-largest, largest).where(bias_E.isfinite(), 0.0)
    shift_E = shift_E.where(shift_E.amax() != shift_E.amin(), 0.0)
    total_TE = scores_TE + shift_E
    part_TE = total_TE - scores_TE
    return total_TE, (scores_TE - (total_TE - part_TE)) + (shift_E - part_TE)


def in_best_groups(sums_TE: Tensor, groups: Groups) -> Tensor:
    """Whether an expert stands in one of its token's best groups: those whose two largest scores have the largest sum."""
    by_group_TGE = sums_TE.view(len(sums_TE), groups.groups, -1)
    best_TG = by_group_TGE.topk(min(2, by_group_TGE.shape[-1])).values.sum(-1)
    chosen_TG = torch.zeros_like(best_TG, dtype=torch.bool).scatter_(
        -1, first_best((best_TG,), groups.active), True
    )
    return chosen_TG.repeat_interleave(by_group_TGE.shape[-1], -1)


def first_best(keys: Sequence[Tensor], k: int) -> Tensor:
    """Columns of the k largest entries of each row by the first key, then by the next; ties go to the smallest column.

    Each key has shape (T, E). Stable sorts, except that on a CPU only rows with a tie among the k + 1 largest of the
    first key are sorted: torch.topk, which is ten times faster there, leaves the order of ties open.
    """
    if keys[0].is_cuda:  # to look for ties would wait for the device
        return _sorted(keys)[:, :k].contiguous()
    best, columns = keys[0].topk(min(k + 1, keys[0].shape[1]))
    ids_TK = columns[:, :k].contiguous()
    tied_T = (best[:, 1:] == best[:, :-1]).any(-1)
    if tied_T.any():
        ids_TK[tied_T] = _sorted([key[tied_T] for key in keys])[:, :k]
    return ids_TK


def _sorted(keys: Sequence[Tensor]) -> Tensor:
    """The columns of each row in descending order of the keys, the last of which is sorted by first."""
    order_TE = None
    for key_TE in reversed(keys):
        key_TE = key_TE + 0.0  # -0.0 and 0.0 are one number
        if order_TE is not None:
            key_TE = key_TE.gather(-1, order_TE)
        found_TE = key_TE.sort(dim=-1, descending=True, stable=True).indices
        order_TE = found_TE if order_TE is None else order_TE.gather(-1, found_TE)
    assert order_TE is not None
    return order_TE


def gate_weights(scores_TE: Tensor, ids_TK: Tensor, *, gate: Gate, renormalise: bool) -> Tensor:
    """Weights of the selected experts. Renormalised ones are a softmax over them: no quotient of underflown scores."""
    chosen_TK = scores_TE.gather(-1, ids_TK)
    if renormalise:
        return chosen_TK.softmax(-1)
    if gate == "sigmoid":
        return chosen_TK.exp()
    return scores_TE.softmax(-1).gather(-1, ids_TK)


def sort_by_expert(ids_TK: Tensor, experts: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Counts, offsets, the stable permutation of the assignments by expert, and its inverse."""
    sorted_N, permutation_N = ids_TK.flatten().sort(stable=True)
    offsets_E = torch.searchsorted(sorted_N, torch.arange(experts + 1, device=ids_TK.device))
    rows_N = torch.arange(len(sorted_N), device=ids_TK.device)
    return (
        offsets_E.diff(),
        offsets_E,
        permutation_N,
        torch.empty_like(rows_N).scatter_(0, permutation_N, rows_N),
    )
