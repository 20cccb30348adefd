"""Gradients of the reference against finite differences in double precision."""

from __future__ import annotations

import pytest
import torch

from empirics.routing import route


@pytest.mark.parametrize("bias_E", [None, torch.tensor([0.3, 0.0, -0.2, 0.0, 0.1])])
@pytest.mark.parametrize("renormalise", [True, False])
@pytest.mark.parametrize("gate", ["softmax", "sigmoid"])
def test_gradients_of_weights_and_losses(gate, renormalise, bias_E):
    logits_TE = torch.randn(6, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(7))

    def differentiable(x_TE):
        routing = route(x_TE, 2, gate=gate, renormalise=renormalise, bias_E=bias_E)
        return routing.weights_TK, routing.balance_loss, routing.z_loss

    assert torch.autograd.gradcheck(differentiable, (logits_TE.requires_grad_(),))


def test_nothing_else_carries_a_gradient():
    routing = route(torch.zeros(3, 4, requires_grad=True), 2)
    carrying = {name for name, value in vars(routing).items() if value.requires_grad}
    assert carrying == {"weights_TK", "balance_loss", "z_loss"}
