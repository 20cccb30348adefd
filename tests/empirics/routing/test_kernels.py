"""The kernels against the reference, on a GPU where there is one and in Triton's interpreter elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import defaultdict

import pytest
import torch
from agreement import EXAMPLES, Case, cases, disagreements, far_apart
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils._python_dispatch import TorchDispatchMode

from empirics.routing import route

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def with_rows(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    """Programs of so many tokens."""
    from empirics.routing import fused

    usual = fused.blocks_for
    monkeypatch.setattr(fused, "blocks_for", lambda *shape: usual(*shape)._replace(tokens=rows, chunk=4))


@settings(max_examples=EXAMPLES, deadline=None)
@given(case=cases(), rows=st.sampled_from([8, 32]))
def test_kernels_equal_the_reference(kernels, case, rows):
    with pytest.MonkeyPatch.context() as patch:
        with_rows(patch, rows)
        assert disagreements(kernels, case) == []


@settings(max_examples=EXAMPLES, deadline=None)
@given(case=cases())
def test_the_reference_in_single_precision_equals_itself_in_double(case):
    assert disagreements(route, case) == []


@pytest.mark.parametrize(("tokens", "experts", "k"), [(1025, 3, 2), (70, 1024, 64)])
def test_the_largest_shapes(kernels, tokens, experts, k):
    logits_TE = torch.randn(tokens, experts, generator=torch.Generator().manual_seed(1))
    assert disagreements(kernels, Case(logits_TE, k)) == []


def test_addresses_beyond_31_bits(kernels):
    for case in far_apart():
        assert disagreements(kernels, case) == []


@pytest.mark.parametrize("used", ["weights_TK", "balance_loss", "z_loss"])
def test_gradients_of_one_result_alone(kernels, used):
    logits_TE = torch.randn(9, 5, generator=torch.Generator().manual_seed(2))
    gradients = []
    for by in (kernels, route):
        leaf_TE = logits_TE.clone().requires_grad_()
        getattr(by(leaf_TE, 2, renormalise=False), used).sum().backward()
        gradients.append(leaf_TE.grad)
    torch.testing.assert_close(*gradients, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("renormalise", [True, False])
def test_gradients_arrive_with_any_strides(kernels, renormalise):
    logits_TE = torch.randn(9, 5, generator=torch.Generator().manual_seed(2))
    cotangent_TK = torch.randn(3, 9, generator=torch.Generator().manual_seed(3)).T
    gradients = []
    for by in (kernels, route):
        leaf_TE = logits_TE.clone().requires_grad_()
        by(leaf_TE, 3, renormalise=renormalise).weights_TK.backward(cotangent_TK)
        gradients.append(leaf_TE.grad)
    torch.testing.assert_close(*gradients, rtol=1e-5, atol=1e-7)


def test_only_the_weights_and_the_losses_carry_a_gradient(kernels):
    routing = kernels(torch.zeros(3, 4, requires_grad=True), 2)
    carrying = {name for name, value in vars(routing).items() if value.requires_grad}
    assert carrying == {"weights_TK", "balance_loss", "z_loss"}


@pytest.mark.parametrize("used", ["weights_TK", "balance_loss", "z_loss"])
def test_second_derivatives_are_refused(kernels, used):
    """Also where another term of the loss has them, which would hide that this one's are missing."""
    logits_TE = torch.randn(4, 3, requires_grad=True)
    loss = getattr(kernels(logits_TE, 2), used).square().sum() + 1e-3 * logits_TE.square().sum()
    with pytest.raises(RuntimeError, match="create_graph=False; implementation='reference'"):
        torch.autograd.grad(loss, logits_TE, create_graph=True)


def test_the_same_input_gives_the_same_bits(kernels):
    logits_TE = torch.randn(300, 24, generator=torch.Generator().manual_seed(3))

    def everything() -> list[torch.Tensor]:
        leaf_TE = logits_TE.clone().requires_grad_()
        routing = kernels(leaf_TE, 4)
        (routing.weights_TK.square().sum() + routing.balance_loss + routing.z_loss).backward()
        return [*(value.detach() for value in vars(routing).values()), leaf_TE.grad]

    first = everything()
    for _ in range(3):
        assert all(torch.equal(a, b) for a, b in zip(first, everything(), strict=True))


def test_the_size_of_a_program_changes_no_decision(kernels, monkeypatch):
    """Sums over tokens are added in another order; weights and all integers keep their bits."""
    logits_TE = torch.randn(100, 24, generator=torch.Generator().manual_seed(4))
    first = kernels(logits_TE, 4)
    for rows in (8, 32):
        with_rows(monkeypatch, rows)
        again = kernels(logits_TE, 4)
        for name in ("weights_TK", "ids_TK", "counts_E", "offsets_E", "permutation_N", "inverse_N"):
            assert torch.equal(getattr(first, name), getattr(again, name)), name
        torch.testing.assert_close(first.balance_loss, again.balance_loss)


def test_four_launches_forward_and_one_backward(kernels, monkeypatch):
    from empirics.routing import fused

    launched = []

    class Counting:
        def __getattr__(self, name: str) -> object:
            launched.append(name)
            return getattr(fused.triton_kernels, name)

    monkeypatch.setattr(fused, "kernels", Counting())
    logits_TE = torch.randn(40, 6, requires_grad=True)
    routing = kernels(logits_TE, 2, nonfinite="clean")
    assert launched == ["select_experts", "prefix_over_blocks", "offsets_and_losses", "permute"]
    (routing.weights_TK.sum() + routing.balance_loss + routing.z_loss).backward()
    assert launched[4:] == ["gradient_of_logits"]


class HostOperations(TorchDispatchMode):
    """Names of the torch operations that run: on a GPU each but an allocation or a view is a launch, or a wait."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        self.names.add(str(operation))
        return operation(*args, **(kwargs or {}))


@pytest.mark.parametrize("biased", [False, True])
def test_nothing_but_the_kernels_is_launched_and_nothing_waits(kernels, monkeypatch, biased):
    from empirics.routing import fused

    class Nothing:
        def __getattr__(self, name: str) -> object:
            return defaultdict(lambda: lambda *arguments, **options: None)

    bias_E = torch.zeros(6, device=DEVICE) if biased else None
    logits_TE = torch.randn(40, 6, device=DEVICE, requires_grad=True)
    cotangents = torch.ones(40, 2, device=DEVICE), *torch.ones(2, device=DEVICE)
    monkeypatch.setattr(fused, "kernels", Nothing())
    with HostOperations() as forward:
        routing = route(logits_TE, 2, bias_E=bias_E, nonfinite="clean", implementation="triton")
    results = routing.weights_TK, routing.balance_loss, routing.z_loss
    with HostOperations() as backward:
        torch.autograd.grad(results, logits_TE, cotangents)
    allowed = {"aten.empty.memory_format", "aten.unbind.int", "aten.detach.default"}
    assert forward.names | backward.names <= allowed


@pytest.mark.skipif(DEVICE != "cuda", reason="needs a CUDA device")
def test_no_step_waits_for_the_device(kernels):
    logits_TE = torch.randn(4096, 64, device=DEVICE, requires_grad=True)

    def step() -> None:
        routing = route(logits_TE, 4, nonfinite="clean", implementation="triton")
        (routing.weights_TK[:, 0].sum() + routing.balance_loss + routing.z_loss).backward()

    step()  # compiles
    torch.cuda.set_sync_debug_mode("error")
    try:
        step()
    finally:
        torch.cuda.set_sync_debug_mode("default")


@pytest.mark.parametrize(
    ("logits_TE", "k", "named"),
    [
        (torch.zeros(2, 4, dtype=torch.float64), 2, "take float32, bfloat16 and float16 logits, got torch.float64"),
        (torch.zeros(2, 1025), 2, "up to 1024 experts, got 1025"),
        (torch.zeros(2, 100), 65, "k up to 64, got 65"),
    ],
)  # fmt: skip
def test_what_the_kernels_do_not_take_is_named(kernels, logits_TE, k, named):
    with pytest.raises(ValueError, match=f"{named}; use implementation='reference'"):
        kernels(logits_TE, k)


def test_kernels_on_a_cpu_ask_for_the_interpreter(kernels):
    code = "import torch; from empirics import route; route(torch.zeros(2, 3), 1, implementation='triton')"
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert "MoelawsError: implementation='triton': logits_TE is on cpu" in done.stderr
    assert "TRITON_INTERPRET=1" in done.stderr
