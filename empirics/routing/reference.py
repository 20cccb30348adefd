"""Routing in plain torch operations, on any device: what the kernels are held to.

Shapes: T tokens, E experts, K active experts, N = T K assignments.
"""

from __future__ import annotations

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
    keys_TE = logits_TE.detach()
    if bias_E is not None:
        scores_TE = keys_TE.softmax(-1) if gate == "softmax" else keys_TE.sigmoid()
        largest = torch.finfo(scores_TE.dtype).max  # a bias in float64 may exceed that of float32
        shift_E = bias_E.detach().to(scores_TE.dtype).clamp(-largest, largest)
        keys_TE = scores_TE + shift_E.where(bias_E.isfinite(), 0.0)
    return first_best(keys_TE, k)


def first_best(keys_TE: Tensor, k: int) -> Tensor:
    """Columns of the k largest keys of each row, largest first, ties to the smallest column.

    A stable sort, except that on a CPU only rows with a tie among the k + 1 largest are sorted: torch.topk, which is
    ten times faster there, leaves the order of ties open.
    """
    if keys_TE.is_cuda:  # to look for ties would wait for the device; -0.0 and 0.0 are one number
        return (keys_TE + 0.0).sort(dim=-1, descending=True, stable=True).indices[:, :k].contiguous()
    best, columns = keys_TE.topk(min(k + 1, keys_TE.shape[1]))
    ids_TK = columns[:, :k].contiguous()
    tied_T = (best[:, 1:] == best[:, :-1]).any(-1)
    if tied_T.any():
        ids_TK[tied_T] = keys_TE[tied_T].sort(dim=-1, descending=True, stable=True).indices[:, :k]
    return ids_TK


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
