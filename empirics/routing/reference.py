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
    """`empirics.routing.route` for checked arguments; rows that are not finite are cleaned."""
    finite_T1 = logits_TE.isfinite().all(-1, keepdim=True)
    exact = torch.float64 if logits_TE.dtype == torch.float64 else torch.float32
    logits_TE = logits_TE.to(exact).where(finite_T1, 0.0)
    scores_TE = log_scores(logits_TE, gate)
    ids_TK = select(logits_TE, k, gate=gate, bias_E=bias_E)
    counts_E, offsets_E, permutation_N, inverse_N = sort_by_expert(ids_TK, logits_TE.shape[1])
    probabilities_TE = scores_TE.softmax(-1)
    mean_probability_E = probabilities_TE.sum(0) / max(len(logits_TE), 1)
    return Routing(
        weights_TK=gate_weights(scores_TE, ids_TK, gate=gate, renormalise=renormalise),
        ids_TK=ids_TK,
        counts_E=counts_E,
        offsets_E=offsets_E,
        ends_E=offsets_E[1:].to(torch.int32),
        permutation_N=permutation_N,
        inverse_N=inverse_N,
        balance_loss=(
            _even(counts_E, ids_TK.numel(), exact) * mean_probability_E
        ).sum(),  # no product: autocast rounds those
        z_loss=logits_TE.logsumexp(-1).square().sum() / max(len(logits_TE), 1),
        mean_probability_E=mean_probability_E.detach(),
        entropy=torch.special.entr(probabilities_TE.detach()).sum() / max(len(logits_TE), 1),
        max_load=_even(counts_E, ids_TK.numel(), exact).max(),
        cleaned=(~finite_T1).sum(),
    )


def log_scores(logits_TE: Tensor, gate: Gate) -> Tensor:
    """Logarithm of each expert's score up to a constant per token: softmax over it gives the router probabilities."""
    return logits_TE if gate == "softmax" else logsigmoid(logits_TE)


def select(logits_TE: Tensor, k: int, *, gate: Gate, bias_E: Tensor | None) -> Tensor:
    """The k best experts of each token, best first, ties to the smallest index.

    Scores grow with logits, so without a bias the logits decide, which no rounding of a softmax can change.
    """
    keys_TE = logits_TE.detach()
    if bias_E is not None:
        scores_TE = keys_TE.softmax(-1) if gate == "softmax" else keys_TE.sigmoid()
        keys_TE = scores_TE + bias_E.detach().to(scores_TE.dtype)
    keys_TE = keys_TE + 0.0  # -0.0 and 0.0 are one number
    return keys_TE.sort(dim=-1, descending=True, stable=True).indices[:, :k].contiguous()


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


def _even(counts_E: Tensor, assignments: int, dtype: torch.dtype) -> Tensor:
    """Counts over the mean count; all 1 when even."""
    return counts_E.to(dtype) * (len(counts_E) / max(assignments, 1))
