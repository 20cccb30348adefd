"""Experts applied to the tokens that are routed to them, dropless, with a backward pass of their own.

Autograd through "gather, multiply, scatter" adds rows into place one by one and keeps the gathered tokens, the hidden
activations and the outputs. Here a token's rows are gathered in both directions (through the permutation or through its
inverse, with a sum over its K rows), and only the input and the pre-activations are kept. The gate weights multiply the
experts' outputs; their gradient is <dy W_out, a> + <dy, b_out>, so those outputs are not kept either. It is summed in the
gate weights' own dtype, at least float32, since the two may cancel.

Shapes: T tokens, D width, F hidden units, G pre-activations (F or 2F), E experts, K active experts, N = T K rows sorted
by expert.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import embedding_bag

from empirics.base.errors import NotTwiceDifferentiable
from empirics.experts.activation import Activation
from empirics.experts.groups import Group, OneExpert, Product, groups
from empirics.routing import Routing
from theory.errors import MoelawsError


class ExpertWeights(NamedTuple):
    """Stacked parameters of E experts; a bias may be missing."""

    matrix_in_EGD: Tensor
    bias_in_EG: Tensor | None
    matrix_out_EDF: Tensor
    bias_out_ED: Tensor | None


def apply_routed(
    x_TD: Tensor,
    routing: Routing,
    weights: ExpertWeights,
    activation: Activation,
    *,
    product: Product = "auto",
) -> Tensor:
    """The sum over each token's experts of gate weight times expert output, in the dtype of ``x_TD`` and ``weights``.

    ``product`` is how rows meet matrices: torch's "grouped" product, a "loop" over experts, or the faster one ("auto").
    Both give the same up to rounding, and the same bytes when repeated. Gradients are those of the exact function;
    second derivatives are refused (RuntimeError). Raises ValueError for a product that the dtype, the sizes or torch do
    not allow, for inputs of another width or rank, and for a routing of other tokens or experts.
    """
    width = weights.matrix_in_EGD.shape[2]
    if x_TD.ndim != 2 or x_TD.shape[1] != width:
        raise MoelawsError(
            f"x_TD of shape {tuple(x_TD.shape)}: expected (tokens, {width}), a row for each routed token; flatten the others"
        )
    tokens, experts = len(routing.ids_TK), len(routing.counts_E)
    if (tokens, experts) != (len(x_TD), len(weights.matrix_in_EGD)):
        raise MoelawsError(
            f"routing of {tokens} tokens to {experts} experts: expected one of {len(x_TD)} tokens to "
            f"{len(weights.matrix_in_EGD)} experts, as given"
        )
    chosen = groups(
        product,
        routing.offsets_E,
        routing.ends_E,
        routing.ids_TK.flatten()[routing.permutation_N],
        (weights.matrix_in_EGD, weights.matrix_out_EDF),
    )
    plan = _Plan(
        permutation_N=routing.permutation_N,
        inverse_TK=routing.inverse_N.view_as(routing.ids_TK),
        ends_E=routing.ends_E,
        tokens_N=routing.tokens_N,
        groups=chosen,
        separate=not any(group.rows == slice(None) for group in chosen),
    )
    out_TD: Tensor = _Routed.apply(x_TD.contiguous(), routing.weights_TK, *weights, plan, activation)  # type: ignore[no-untyped-call]
    return out_TD


class _Plan(NamedTuple):
    """Where each row comes from and goes to, and which rows are multiplied together: each expert's apart, or all."""

    permutation_N: Tensor
    inverse_TK: Tensor
    ends_E: Tensor
    tokens_N: Tensor
    groups: list[Group]
    separate: bool

    def borrowed(self) -> tuple[Tensor, ...]:
        """What belongs to the caller: saved with the node, so that autograd refuses what was changed in place since."""
        return self.permutation_N, self.inverse_TK, self.ends_E

    def gather(self, x_TD: Tensor, group: Group) -> Tensor:
        """The tokens of a group's rows."""
        return x_TD.index_select(0, self.tokens_N[group.rows])

    def sum_over_choices(self, rows_ND: Tensor, weights_TK: Tensor | None = None) -> Tensor:
        """Each token's K rows, weighted and added in the order of choice."""
        weights_TK = None if weights_TK is None else weights_TK.to(rows_ND.dtype)
        out_TD: Tensor = embedding_bag(self.inverse_TK, rows_ND, mode="sum", per_sample_weights=weights_TK)
        return out_TD

    def room_for(self, like: Tensor, width: int) -> Tensor:
        """Where separate groups put their rows."""
        return like.new_empty(len(self.tokens_N) if self.separate else 0, width)

    def gradient_of(self, parameter_E: Tensor) -> Tensor:
        """Where separate groups put their gradients: 0 for an expert without rows."""
        if not self.separate:
            return parameter_E
        gradient_E = torch.empty_like(parameter_E)
        walked = {group.expert for group in self.groups if isinstance(group, OneExpert)}
        gradient_E[[expert for expert in range(len(parameter_E)) if expert not in walked]] = 0
        return gradient_E


class _Routed(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        x_TD: Tensor,
        weights_TK: Tensor,
        matrix_in: Tensor,
        bias_in: Tensor | None,
        matrix_out: Tensor,
        bias_out: Tensor | None,
        plan: _Plan,
        activation: Activation,
    ) -> Tensor:
        pre_NG, out_ND = plan.room_for(x_TD, matrix_in.shape[1]), plan.room_for(x_TD, x_TD.shape[1])
        for group in plan.groups:
            pre = group.product(plan.gather(x_TD, group), matrix_in, bias_in, pre_NG[group.rows])
            out = group.product(activation.forward(pre), matrix_out, bias_out, out_ND[group.rows])
            if not plan.separate:
                pre_NG, out_ND = pre, out
        ctx.save_for_backward(
            x_TD, weights_TK, matrix_in, bias_in, matrix_out, bias_out, pre_NG, *plan.borrowed()
        )
        ctx.plan, ctx.activation = plan, activation
        return plan.sum_over_choices(out_ND, weights_TK)

    @staticmethod
    def backward(ctx: Any, dy_TD: Tensor) -> Any:
        x_TD, weights_TK, matrix_in, bias_in, matrix_out, bias_out, pre_NG, *_ = ctx.saved_tensors
        if torch.is_grad_enabled():
            raise NotTwiceDifferentiable(
                "the backward pass of routed experts is not differentiable itself: expected create_graph=False"
            )
        plan, activation = ctx.plan, ctx.activation
        dy_TD = dy_TD.contiguous()
        weights_N = weights_TK.flatten()[plan.permutation_N]
        dweights_N = torch.empty_like(weights_N)
        dx_ND = plan.room_for(x_TD, x_TD.shape[1])
        dmatrix_in, dmatrix_out = plan.gradient_of(matrix_in), plan.gradient_of(matrix_out)
        dbias_in = None if bias_in is None else plan.gradient_of(bias_in)
        dbias_out = None if bias_out is None else plan.gradient_of(bias_out)
        for group in plan.groups:
            pre, gate_N = pre_NG[group.rows], weights_N[group.rows]
            dy = plan.gather(dy_TD, group)
            hidden = activation.forward(pre)
            dhidden = group.product_transposed(dy, matrix_out, None)
            dgate_N = torch.mul(dhidden, hidden).sum(-1, dtype=gate_N.dtype)
            if bias_out is not None:
                dgate_N += group.dot_bias(dy, bias_out)
                dbias_out = group.total(dy, gate_N, dbias_out)
            dweights_N[group.rows] = dgate_N
            dmatrix_out = group.outer(dy, hidden.mul_(gate_N[:, None]), dmatrix_out)
            dpre = activation.backward(dhidden.mul_(gate_N[:, None]), pre)
            dmatrix_in = group.outer(dpre, plan.gather(x_TD, group), dmatrix_in)
            if bias_in is not None:
                dbias_in = group.total(dpre, None, dbias_in)
            dx = group.product_transposed(dpre, matrix_in, dx_ND[group.rows])
            if not plan.separate:
                dx_ND = dx
        dx_TD = plan.sum_over_choices(dx_ND)
        dweights_TK = dweights_N[plan.inverse_TK]
        return dx_TD, dweights_TK, dmatrix_in, dbias_in, dmatrix_out, dbias_out, None, None
