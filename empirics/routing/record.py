"""What a router decides for a batch of tokens.

Shapes: T tokens, E experts, K active experts, N = T K assignments. Assignment token * K + slot is the ``slot``-th choice
of ``token``.
"""

from __future__ import annotations

__all__ = ["Routing"]

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from torch import Tensor

Gate: TypeAlias = Literal["softmax", "sigmoid"]
NonFinite: TypeAlias = Literal["raise", "clean"]
Implementation: TypeAlias = Literal["auto", "reference", "triton"]


class Groups(NamedTuple):
    """Experts in ``groups`` equal groups of neighbours, of which a token may use ``active``."""

    groups: int
    active: int


@dataclass(frozen=True)
class Selection:
    """How a token's experts are selected: how many, by what score, and under which restrictions.

    ``bias_E`` is added to the scores; ``allowed_TE`` (bool) says which experts a token may be given; ``groups`` limits a
    token to the best groups.
    """

    k: int
    gate: Gate
    bias_E: Tensor | None = None
    allowed_TE: Tensor | None = None
    groups: Groups | None = None


@dataclass(frozen=True, eq=False)
class Routing:
    """The experts of each token, their gate weights, and where each assignment goes when sorted by expert.

    ``weights_TK``: gate weights, differentiable; float32, or float64 where the logits are.
    ``ids_TK``: int64, each token's experts in the order of selection: no expert twice, all within 0..E-1.
    ``counts_E``: int64, assignments per expert, those of padding included.
    ``offsets_E``: int64, E + 1 exclusive prefix sums of the counts: expert e owns rows offsets_E[e] to offsets_E[e+1].
    ``ends_E``: int32, the last E of them, as ``torch.nn.functional.grouped_mm`` takes them.
    ``permutation_N``: int64, the assignments sorted by expert, in token order within an expert.
    ``inverse_N``: int64, the row of each assignment after sorting: inverse_N[permutation_N[i]] = i.
    ``balance_loss``: E sum_e f_e P_e, differentiable: 1 when even, up to E/K. f_e, the expert's share of the assignments
    of real tokens, carries no gradient.
    ``z_loss``: mean over tokens of logsumexp(logits)^2 in nats squared, differentiable.
    ``mean_probability_E``: P_e, the mean router probability of each expert.
    ``entropy``: mean entropy of a token's router probabilities, in nats.
    ``max_load``: the largest count over the mean count N/E; 1 when even.
    ``cleaned``: int64, how many rows of real tokens were not finite, or allowed too few experts, and were replaced.

    Losses and statistics are over real tokens. The last four carry no gradient. Counts and statistics may be changed in place, as all-reducing them does; autograd
    refuses a backward pass that needs anything else that was. All are tensors on the logits' device, so that reading one
    as a number is the caller's decision to wait for the device. With no real tokens both losses and the statistics are 0.
    """

    weights_TK: Tensor
    ids_TK: Tensor
    counts_E: Tensor
    offsets_E: Tensor
    ends_E: Tensor
    permutation_N: Tensor
    inverse_N: Tensor
    balance_loss: Tensor
    z_loss: Tensor
    mean_probability_E: Tensor
    entropy: Tensor
    max_load: Tensor
    cleaned: Tensor

    @property
    def tokens_N(self) -> Tensor:
        """int64, the token of each assignment after sorting: ``x_TD[tokens_N]`` are the rows in expert order."""
        return self.permutation_N // self.ids_TK.shape[1]
