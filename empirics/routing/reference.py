"""Routing in plain torch operations, on any device: what the kernels are held to.

Shapes: T tokens, E experts, K active experts, N = T K assignments.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from empirics.routing.record import Gate, Routing


def route_reference(
    logits_TE: Tensor, k: int, *, gate: Gate, renormalise: bool, bias_E: Tensor | None
) -> Routing:
    """`empirics.routing.route` for checked arguments; what is not finite is cleaned."""
    finite_T1 = (logits_TE.detach() * 0).sum(
        -1, keepdim=True
    ) == 0  # 0 times anything else is NaN; cheaper than isfinite
    exact = torch.float64 if logits_TE.dtype == torch.float64 else torch.float32
    logits_TE = logits_TE.to(exact)
    if (
        logits_TE.is_cuda or not finite_T1.all()
    ):  # to look would wait for the device; elsewhere it saves four passes
        logits_TE = logits_TE.where(finite_T1, 0.0)
    ids_TK = select(logits_TE, k, gate=gate, bias_E=bias_E)
    return routing_of(logits_TE, ids_TK, gate=gate, renormalise=renormalise, cleaned=(~finite_T1).sum())


def routing_of(
    logits_TE: Tensor, ids_TK: Tensor, *, gate: Gate, renormalise: bool, cleaned: Tensor
) -> Routing:
    """The rest of a routing, where the experts of each token are decided and all logits are finite."""
    experts, tokens, assignments = logits_TE.shape[1], max(len(ids_TK), 1), max(ids_TK.numel(), 1)
    scores_TE = log_scores(logits_TE, gate)
    probabilities_TE = scores_TE.softmax(-1)
    mean_probability_E = probabilities_TE.sum(0) / tokens
    counts_E, offsets_E, permutation_N, inverse_N = sort_by_expert(ids_TK, experts)
    load_E = counts_E.to(logits_TE.dtype) * (experts / assignments)
    return Routing(
        weights_TK=gate_weights(scores_TE, ids_TK, gate=gate, renormalise=renormalise),
        ids_TK=ids_TK,
        counts_E=counts_E,
        offsets_E=offsets_E,
        ends_E=offsets_E[1:].to(torch.int32),
        permutation_N=permutation_N,
        inverse_N=inverse_N,
        balance_loss=(load_E * mean_probability_E).sum(),  # not a dot product: autocast would round one
        z_loss=log_sum_exp(logits_TE).square().sum() / tokens,
        mean_probability_E=mean_probability_E.detach(),
        entropy=entropy(probabilities_TE.detach()) / tokens,
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


def select(logits_TE: Tensor, k: int, *, gate: Gate, bias_E: Tensor | None) -> Tensor:
    """The k best experts of each token, best first, ties to the smallest index.

    Scores grow with logits, so without a bias the logits decide, which no rounding of a softmax can change.
    """
    logits_TE = logits_TE.detach()
    if bias_E is None or (
        not bias_E.is_cuda and bool((bias_E == bias_E[0]).all())
    ):  # as it is before balancing starts
        return first_best((logits_TE,), k)
    return first_best((*biased_scores(logits_TE, gate, bias_E), logits_TE), k)


def biased_scores(logits_TE: Tensor, gate: Gate, bias_E: Tensor) -> tuple[Tensor, Tensor]:
    """Score + bias as a rounded sum and its exact rounding error, which in this order compare as the exact sums do.

    A large bias would otherwise swallow small scores. The error is that of Knuth's two-sum, free of overflow here. A bias
    that is the same for all experts moves nothing, so both are 0 and the logits are left to decide.
    """
    scores_TE = logits_TE.softmax(-1) if gate == "softmax" else logits_TE.sigmoid()
    largest = torch.finfo(scores_TE.dtype).max  # a bias in float64 may exceed that of float32
    shift_E = bias_E.detach().to(scores_TE.dtype).clamp(-largest, largest).where(bias_E.isfinite(), 0.0)
    total_TE = scores_TE + shift_E
    shift_TE = total_TE - scores_TE
    error_TE = (scores_TE - (total_TE - shift_TE)) + (shift_E - shift_TE)
    varies = shift_E.amax() != shift_E.amin()
    return total_TE.where(varies, 0.0), error_TE.where(varies, 0.0)


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
