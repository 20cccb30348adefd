"""Experts against each token computed by itself, in values and in gradients, for both ways to multiply."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from empirics.experts import ACTIVATIONS, Experts, groups
from empirics.experts.groups import grouped_mm
from empirics.routing import Routing, route

D = 8
PRODUCTS = ["loop", "grouped"]


def build(experts=5, *, d_ff=12, activation="gelu", bias=True, product="auto", dtype=torch.float32):
    generator = torch.Generator().manual_seed(1)
    module = Experts(experts, D, d_ff, activation=activation, bias=bias, product=product).to(dtype)
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, generator=generator)
    return module


def tokens_and_logits(tokens, experts=5, *, unused=(), dtype=torch.float32):
    generator = torch.Generator().manual_seed(2)
    x = torch.randn(tokens, D, generator=generator, dtype=dtype).requires_grad_()
    logits = torch.randn(tokens, experts, generator=generator, dtype=dtype)
    logits[:, list(unused)] -= 100
    return x, logits.requires_grad_()


def token_by_token(module: Experts, x_TD: torch.Tensor, routing: Routing) -> torch.Tensor:
    """The definition: each token through each of its experts, in plain autograd."""

    def one(x_D, e):
        pre = module.matrix_in[e] @ x_D + (0 if module.bias_in is None else module.bias_in[e])
        hidden = module.activation.forward(pre)
        return module.matrix_out[e] @ hidden + (0 if module.bias_out is None else module.bias_out[e])

    rows = [
        sum(w * one(x_D, e) for w, e in zip(weights, ids, strict=True))
        for x_D, weights, ids in zip(x_TD, routing.weights_TK, routing.ids_TK.tolist(), strict=True)
    ]
    return torch.stack(rows)


def values_and_gradients(function, module, x, logits, k):
    routing = route(logits, k)
    out = function(module, x, routing)
    wanted = [x, logits, *module.parameters()]
    weights = torch.linspace(-1, 1, out.numel(), dtype=out.dtype).view_as(out)
    return [out, *torch.autograd.grad((out * weights).sum(), wanted)]


@pytest.mark.parametrize("product", PRODUCTS)
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize(("tokens", "k", "unused"), [(9, 2, (3,)), (1, 1, ()), (7, 5, ()), (3, 1, (0, 4))])
def test_values_and_gradients_are_those_of_the_definition(activation, bias, product, tokens, k, unused):
    module = build(activation=activation, bias=bias, product=product)
    x, logits = tokens_and_logits(tokens, unused=unused)
    found = values_and_gradients(lambda m, x, r: m(x, r), module, x, logits, k)
    expected = values_and_gradients(token_by_token, module, x, logits, k)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_gradients_are_those_of_finite_differences(activation, bias):
    module = build(3, d_ff=5, activation=activation, bias=bias, dtype=torch.float64)
    x, logits = tokens_and_logits(4, 3, unused=(2,), dtype=torch.float64)
    names, parameters = zip(*module.named_parameters(), strict=True)

    def run(x, logits, *parameters):
        return torch.func.functional_call(
            module, dict(zip(names, parameters, strict=True)), (x, route(logits, 2))
        )

    assert torch.autograd.gradcheck(run, (x, logits, *parameters))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 40), st.integers(1, 9), st.data())
def test_both_products_agree_on_any_loads(tokens, experts, data):
    k = data.draw(st.integers(1, experts))
    crowd = data.draw(st.integers(0, experts - 1))
    x, logits = tokens_and_logits(tokens, experts)
    logits = (logits.detach() + 3 * torch.eye(experts)[crowd]).requires_grad_()
    module = build(experts)
    results = []
    for product in PRODUCTS:
        module.product = product
        results.append(values_and_gradients(lambda m, x, r: m(x, r), module, x, logits, k))
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("product", ["auto", *PRODUCTS])
def test_no_tokens_give_no_output_and_gradients_of_zero(product):
    module = build(product=product)
    x, logits = tokens_and_logits(0)
    out = module(x, route(logits, 2))
    assert out.shape == (0, D)
    out.sum().backward()
    assert all(not p.grad.any() for p in module.parameters())


@pytest.mark.parametrize("product", PRODUCTS)
def test_an_expert_without_tokens_gets_a_gradient_of_zero(product):
    module = build(product=product)
    x, logits = tokens_and_logits(6, unused=(1, 4))
    garbage = [
        torch.full((2000,), torch.nan) for _ in range(50)
    ]  # freed, for an uninitialised gradient to be made of
    del garbage
    module(x, route(logits, 2)).sum().backward()
    for parameter in module.parameters():
        assert not parameter.grad[[1, 4]].any()
        assert parameter.grad.isfinite().all()


def test_counts_may_be_changed_in_place_before_the_backward_pass(monkeypatch):
    """As all-reducing them for a log does."""
    module = build(product="loop")
    x, logits = tokens_and_logits(6, unused=(1, 4))
    wanted = [x, logits, *module.parameters()]
    routing = route(logits, 2)
    expected = torch.autograd.grad(module(x, routing).sum(), wanted)
    monkeypatch.setattr(torch, "empty_like", lambda like: torch.full_like(like, 1000))
    routing = route(logits, 2)
    out = module(x, routing)
    routing.counts_E.add_(5)
    found = torch.autograd.grad(out.sum(), wanted)
    assert all(torch.equal(one, other) for one, other in zip(found, expected, strict=True))


@pytest.mark.parametrize("product", PRODUCTS)
@pytest.mark.parametrize("name", ["ends_E", "permutation_N", "inverse_N"])
def test_other_bookkeeping_that_was_changed_in_place_is_refused(product, name):
    module = build(product=product)
    x, logits = tokens_and_logits(6)
    routing = route(logits, 2)
    out = module(x, routing)
    getattr(routing, name).zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.sum().backward()


@pytest.mark.parametrize("product", PRODUCTS)
def test_repeated_runs_give_the_same_bytes(product):
    module = build(product=product)
    x, logits = tokens_and_logits(33)
    first, second = (values_and_gradients(lambda m, x, r: m(x, r), module, x, logits, 2) for _ in range(2))
    assert all(torch.equal(one, other) for one, other in zip(first, second, strict=True))


def test_inputs_and_gradients_with_any_strides_are_read_right():
    module = build()
    x, logits = tokens_and_logits(6)
    transposed = x.detach().t().contiguous().t().requires_grad_()
    assert not transposed.is_contiguous()
    results = []
    for tokens in (x, transposed):
        out = module(tokens, route(logits, 2))
        (gradient,) = torch.autograd.grad(out.t().contiguous().t().sum(), tokens)
        results.append((out, gradient))
    assert torch.equal(results[0][0], results[1][0])
    assert torch.equal(results[0][1], results[1][1])


def test_a_single_expert_routed_is_the_same_expert_applied_to_every_token():
    module = build(1)
    x, _ = tokens_and_logits(6)
    torch.testing.assert_close(module(x, route(torch.zeros(6, 1), 1)), module(x))


def test_unrouted_experts_are_added_up():
    module = build(3)
    x, _ = tokens_and_logits(6)
    everywhere = route(torch.zeros(6, 3), 3)
    torch.testing.assert_close(module(x), 3 * module(x, everywhere), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("product", PRODUCTS)
def test_autocast_casts_what_the_grouped_product_would_not(product):
    module = build(d_ff=16, product=product)
    x, logits = tokens_and_logits(6)
    exact = module(x, route(logits, 2))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = module(x, route(logits, 2))
    assert out.dtype == torch.bfloat16
    assert (out - exact).abs().max() < 0.03 * exact.abs().max()
    out.float().sum().backward()
    assert all(p.grad.dtype == torch.float32 and p.grad.any() for p in module.parameters())


@pytest.mark.parametrize("product", PRODUCTS)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_rounds_rows_and_not_the_gradient_of_the_gates(product, dtype):
    """<dy W, a> and <dy, b> nearly cancel in places; they are added before anything is rounded."""
    module = build(d_ff=16, activation="relu", product=product).to(dtype)
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            parameter.copy_(parameter.sign())  # whole numbers, so that rows and activations are exact
            if name == "bias_out":
                parameter.copy_(-50 + 0.25 * torch.arange(parameter.numel()).view_as(parameter) % 1)
    x = torch.randint(-2, 3, (64, D), generator=torch.Generator().manual_seed(2)).to(dtype)
    logits = torch.randn(64, 5, generator=torch.Generator().manual_seed(3)).requires_grad_()
    exact = build(d_ff=16, activation="relu", product="loop").double()
    exact.load_state_dict(module.state_dict())
    dy = torch.randint(0, 2, x.shape, generator=torch.Generator().manual_seed(4)).to(dtype)
    found, expected = (
        torch.autograd.grad(m(x.to(t), route(logits, 2)), logits, dy.to(t))[0]
        for m, t in ((module, dtype), (exact, torch.float64))
    )
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-4)


def test_what_the_grouped_product_cannot_do_goes_one_expert_at_a_time():
    x, logits = tokens_and_logits(6)
    narrow = build(d_ff=3)
    assert narrow(x, route(logits, 2)).shape == (6, D)
    narrow.product = "grouped"
    with pytest.raises(ValueError, match=r"multiple of 16 bytes, got 3 x torch\.float32; use product='auto'"):
        narrow(x, route(logits, 2))
    exact = build(dtype=torch.float64, product="grouped")
    with pytest.raises(ValueError, match="float64"):
        exact(x.double(), route(logits, 2))


def test_torch_has_a_grouped_product():
    assert grouped_mm is not None


def test_second_derivatives_are_refused_rather_than_wrong():
    module = build()
    x, logits = tokens_and_logits(6)
    with pytest.raises(RuntimeError, match="expected create_graph=False"):
        torch.autograd.grad(module(x, route(logits, 2)).sum(), x, create_graph=True)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"experts": 0}, "experts=0"),
        ({"d_ff": 2.5}, r"d_ff=2\.5"),
        ({"activation": "tanh"}, "'relu', 'gelu', 'swiglu'"),
        ({"product": "fast"}, "product='fast': expected one of 'auto', 'grouped', 'loop'"),
    ],
)
def test_impossible_experts_are_refused_by_name(changed, said):
    sizes = {"experts": 2, "d_model": 4, "d_ff": 4, **changed}
    with pytest.raises(ValueError, match=said):
        Experts(**sizes)


@pytest.mark.parametrize("shape", [(6, D + 1), (2, 3, D + 1), ()])
def test_inputs_of_another_width_are_refused(shape):
    for routing in (None, route(torch.zeros(6, 5), 2)):
        with pytest.raises(ValueError, match=f"x_TD of shape .* expected rows of width d_model={D}"):
            build()(torch.zeros(shape), routing)


def test_routed_inputs_are_rows():
    with pytest.raises(ValueError, match=rf"x_TD of shape \(2, 3, {D}\): expected \(tokens, {D}\).*flatten"):
        build()(torch.zeros(2, 3, D), route(torch.zeros(6, 5), 2))


@pytest.mark.parametrize(
    ("device", "capability", "dtype", "fast"),
    [
        ("cuda", (9, 0), torch.bfloat16, True),
        ("cuda", (10, 0), torch.bfloat16, True),
        ("cuda", (8, 9), torch.bfloat16, False),
        ("cuda", (9, 0), torch.float32, False),
        ("cuda", (9, 0), torch.float16, False),
        ("cpu", None, torch.bfloat16, False),
    ],
)
def test_the_grouped_product_is_taken_where_torch_has_a_kernel_for_it(
    monkeypatch, device, capability, dtype, fast
):
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
    assert groups.grouped_is_fast(torch.device(device), dtype) is fast


@pytest.mark.parametrize("fast", [False, True])
def test_auto_takes_the_faster_product(monkeypatch, fast):
    monkeypatch.setattr(groups, "grouped_is_fast", lambda device, dtype: fast)
    offsets_E = torch.tensor([0, 2, 4])
    walked = groups.groups(
        "auto", offsets_E, offsets_E[1:].int(), torch.tensor([0, 0, 1, 1]), (torch.zeros(2, 4, 4),)
    )
    assert [type(group) for group in walked] == ([groups.AllExperts] if fast else [groups.OneExpert] * 2)


@pytest.mark.parametrize(("tokens", "experts"), [(5, 5), (7, 5), (6, 4), (6, 6)])
def test_a_routing_of_other_tokens_or_experts_is_refused(tokens, experts):
    x, _ = tokens_and_logits(6)
    with pytest.raises(
        ValueError, match=f"routing of {tokens} tokens to {experts} experts: expected one of 6 tokens to 5"
    ):
        build()(x, route(torch.zeros(tokens, experts), 2))
