"""The language model against a plain Transformer, and what must and must not change what it computes."""

from __future__ import annotations

import dataclasses

import pytest
import torch
from architectures import configurations, routed_models, small
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn.functional import gelu, scaled_dot_product_attention

from empirics.model import LanguageModel, ModelConfig, initialise
from theory.models.architecture import Embedding, Expert, Norm, Router

EMBEDDED = tuple(set(Embedding) - {Embedding.NONE})


class PlainTransformer(nn.Module):
    """A GPT-2-like decoder in torch's own layers, dense."""

    def __init__(self, vocabulary, context, layers, width, hidden, heads):
        super().__init__()
        self.token, self.position = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
        self.heads = heads
        self.layers = nn.ModuleList(
            nn.ModuleDict(
                {
                    "norm1": nn.LayerNorm(width),
                    "qkv": nn.Linear(width, 3 * width, bias=False),
                    "out": nn.Linear(width, width, bias=False),
                    "norm2": nn.LayerNorm(width),
                    "up": nn.Linear(width, hidden),
                    "down": nn.Linear(hidden, width),
                }
            )
            for _ in range(layers)
        )
        self.norm = nn.LayerNorm(width)

    def forward(self, tokens):
        x = self.token(tokens) + self.position(torch.arange(tokens.shape[1]))
        for layer in self.layers:
            q, k, v = (
                part.unflatten(-1, (self.heads, -1)).transpose(1, 2)
                for part in layer["qkv"](layer["norm1"](x)).chunk(3, -1)
            )
            read = scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + layer["out"](read.transpose(1, 2).flatten(2))
            x = x + layer["down"](gelu(layer["up"](layer["norm2"](x))))
        return self.norm(x) @ self.token.weight.T


def test_with_one_expert_it_is_a_plain_dense_transformer_to_the_bit(language_model, tokens):
    model = language_model(small(architecture={"experts": 1, "active": 1}))
    plain = PlainTransformer(vocabulary=19, context=12, layers=2, width=16, hidden=24, heads=4)
    with torch.no_grad():
        plain.token.weight.copy_(model.token)
        plain.position.weight.copy_(model.position)
        plain.norm.load_state_dict(model.blocks.final_norm.state_dict())
        for block, layer in zip(model.blocks.layers, plain.layers, strict=True):
            experts = block.feed_forward.experts
            layer["norm1"].load_state_dict(block.attention_norm.state_dict())
            layer["norm2"].load_state_dict(block.feed_forward_norm.state_dict())
            layer["qkv"].weight.copy_(block.attention.query_key_value)
            layer["out"].weight.copy_(block.attention.output)
            layer["up"].load_state_dict({"weight": experts.matrix_in[0], "bias": experts.bias_in[0]})
            layer["down"].load_state_dict({"weight": experts.matrix_out[0], "bias": experts.bias_out[0]})
    output = model(tokens)
    assert output.routed == ()
    expected = plain(tokens)
    assert torch.equal(output.values, expected)
    output.values.square().sum().backward()
    expected.square().sum().backward()
    assert torch.equal(model.token.grad, plain.token.weight.grad)
    assert torch.equal(
        model.blocks.layers[0].feed_forward.experts.matrix_in.grad[0], plain.layers[0]["up"].weight.grad
    )


def test_equal_experts_are_one_dense_expert_whatever_the_router_says(language_model, tokens):
    model = language_model(small())
    dense = language_model(small(architecture={"experts": 1, "active": 1}))
    state = {
        name: value[:1] if ".experts." in name else value
        for name, value in model.state_dict().items()
        if "router" not in name
    }
    dense.load_state_dict(state)
    with torch.no_grad():
        for block in model.blocks.layers:
            for parameter in block.feed_forward.experts.parameters():
                parameter.copy_(parameter[:1].expand_as(parameter))
    torch.testing.assert_close(model(tokens).values, dense(tokens).values)


def tokens_of(config, shape, seed):
    """Random tokens of a configuration's vocabulary."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, config.architecture.vocabulary, shape, generator=generator)


@settings(max_examples=20)
@given(routed_models(), st.data())
def test_permuting_experts_with_their_router_rows_changes_nothing(random_model, config, data):
    order = torch.tensor(data.draw(st.permutations(range(config.architecture.experts))))
    tokens = tokens_of(config, (2, 6), data.draw(st.integers(0, 99)))
    model, permuted = (random_model(config) for _ in range(2))
    with torch.no_grad():
        for block in permuted.blocks.layers:
            layer = block.feed_forward
            for parameter in (layer.router, layer.router_bias, *layer.experts.parameters()):
                parameter.copy_(parameter[order])
    for one, other in zip(model(tokens).routed, permuted(tokens).routed, strict=True):
        assert torch.equal(one.routing.ids_TK, order[other.routing.ids_TK])
    torch.testing.assert_close(model(tokens).values, permuted(tokens).values)


@settings(max_examples=20)
@given(routed_models(), st.data())
def test_experts_that_nobody_chooses_change_nothing(random_model, config, data):
    """k of M where only a group of k to M is ever chosen is k of that group."""
    sizes = config.architecture
    group = data.draw(st.sets(st.integers(0, sizes.experts - 1), min_size=max(2, sizes.active)))
    kept, tokens = sorted(group), tokens_of(config, (2, 6), data.draw(st.integers(0, 99)))
    architecture = dataclasses.replace(sizes, experts=len(kept))
    model = random_model(config)
    fewer = random_model(dataclasses.replace(config, architecture=architecture))
    with torch.no_grad():
        for block in model.blocks.layers:
            block.feed_forward.router_bias[sorted(set(range(sizes.experts)) - group)] -= 1e4
    cut = (
        "router",
        "router_bias",
        "matrix_in",
        "bias_in",
        "matrix_out",
        "bias_out",
    )
    state = model.state_dict()
    fewer.load_state_dict({n: v[kept] if n.rpartition(".")[2] in cut else v for n, v in state.items()})
    torch.testing.assert_close(model(tokens).values, fewer(tokens).values)


def loss_and_gradients(model, tokens, real):
    output = model(tokens, real)
    scored = output.values if real is None else output.values[real]
    # Every routing, too, sees the same tokens; losses of the router are means over real ones.
    loss = scored.square().mean() + sum(p.routing.balance_loss + p.routing.z_loss for p in output.routed)
    names, parameters = zip(*model.named_parameters(), strict=True)
    gradients = torch.autograd.grad(loss, parameters)
    return scored.detach().flatten(0, -2), dict(zip(names, gradients, strict=True))


@settings(max_examples=20)
@given(
    routed_models(products=("loop",)),  # the grouped product has no float64
    st.integers(0, 4),
    st.integers(0, 4),
    st.integers(1, 4),
    st.integers(0, 99),
)
def test_padding_changes_neither_outputs_nor_gradients(random_model, config, left, right, length, seed):
    model = random_model(config).double()
    sequence = tokens_of(config, (3, length), seed)
    padded = tokens_of(config, (3, left + length + right), seed + 100)
    padded[:, left : left + length] = sequence
    real = torch.zeros_like(padded, dtype=torch.bool)
    real[:, left : left + length] = True
    values, gradients = loss_and_gradients(model, sequence, None)
    padded_values, padded_gradients = loss_and_gradients(model, padded, real)
    torch.testing.assert_close(padded_values, values)
    for name, gradient in gradients.items():
        torch.testing.assert_close(
            padded_gradients[name], gradient, msg=lambda said, name=name: f"{name}: {said}"
        )


def test_padding_is_routed_nowhere(language_model, tokens):
    model = language_model(small())
    real = torch.ones_like(tokens, dtype=torch.bool)
    real[0, 4:] = False
    for _, routing in model(tokens, real).routed:
        assert int(routing.counts_E.sum()) == 2 * int(real.sum())


def test_a_sequence_of_nothing_but_padding_is_finite(language_model, tokens):
    model = language_model(small())
    real = torch.zeros_like(tokens, dtype=torch.bool)
    output = model(tokens, real)
    assert output.values.isfinite().all()
    output.values.sum().backward()
    assert all(p.grad is None or p.grad.isfinite().all() for p in model.parameters())


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("shape", [(0, 3), (2, 0), (0, 0)])
def test_a_batch_of_nothing_gives_nothing_and_gradients_of_zero(language_model, shape, padded):
    model = language_model(small(architecture={"kv_heads": 2}))
    nothing = torch.zeros(shape, dtype=torch.int64)
    output = model(nothing, torch.ones(shape, dtype=torch.bool) if padded else None)
    assert output.values.shape == (*shape, 19)
    output.values.sum().backward()
    assert not any(p.grad is not None and p.grad.any() for p in model.parameters())


def test_a_causal_model_reads_no_later_token(language_model, tokens):
    changed = tokens.clone()
    changed[:, 6:] = (changed[:, 6:] + 1) % 19
    for causal in (True, False):
        model = language_model(small(causal=causal))
        same = torch.allclose(model(tokens).values[:, :6], model(changed).values[:, :6], atol=1e-5)
        assert same is causal


def test_parallel_and_sequential_blocks_differ_in_what_the_experts_read(language_model, tokens):
    sequential, parallel = (language_model(small(parallel=p)) for p in (False, True))
    assert not torch.allclose(sequential(tokens).values, parallel(tokens).values, atol=1e-3)
    x = torch.randn(2, 5, 16, generator=torch.Generator().manual_seed(5))
    for model in (sequential, parallel):
        block = model.blocks.layers[0]
        attended = x + block.attention(block.attention_norm(x))
        read = x if model is parallel else attended
        expected = attended + block.feed_forward(block.feed_forward_norm(read))[0]
        assert torch.equal(block(x, None, None, None)[0], expected)


def test_one_round_of_a_loop_is_no_loop_and_two_rounds_run_its_blocks_twice(language_model, tokens):
    plain = language_model(small())
    once = language_model(small(architecture={"loop_layers": 1, "recurrence": 1}))
    twice = language_model(small(architecture={"loop_start": 1, "loop_layers": 1, "recurrence": 2}))
    deep = language_model(small(architecture={"layers": 3}))
    for model in (once, twice):
        model.load_state_dict(plain.state_dict())
    assert torch.equal(once(tokens).values, plain(tokens).values)
    state = dict(plain.state_dict())
    copies = {n.replace("layers.1.", "layers.2."): v for n, v in state.items() if "layers.1." in n}
    deep.load_state_dict(state | copies)
    output = twice(tokens)
    assert torch.equal(output.values, deep(tokens).values)
    assert [layer for layer, _ in output.routed] == [0, 1, 1]


def test_experts_sit_in_every_nth_block(language_model, tokens):
    sizes = {"layers": 6, "dense_layers": 1, "moe_every": 2, "dense_d_ff": 7}
    model = language_model(small(architecture=sizes))
    assert [layer for layer, _ in model(tokens).routed] == [2, 4]
    assert model.blocks.layers[0].feed_forward.experts.matrix_in.shape == (1, 7, 16)


def test_shared_experts_are_added_to_what_is_routed(language_model, tokens):
    layer = language_model(small(architecture={"shared_experts": 2})).blocks.layers[0].feed_forward
    x = torch.randn(2, 5, 16, generator=torch.Generator().manual_seed(5))
    out, _ = layer(x)
    shared, layer.shared = layer.shared, None
    torch.testing.assert_close(out - layer(x)[0], shared(x))


def test_rotary_attention_depends_on_distances_only(language_model):
    parts = {"embedding": Embedding.TOKEN}
    attention = language_model(small(parts=parts, positions="rotary")).blocks
    x = torch.randn(1, 6, 16, generator=torch.Generator().manual_seed(5))
    near, far, mixed = (
        attention(x, places[None])[0]
        for places in (torch.arange(6), torch.arange(6) + 40, torch.arange(6) * 3)
    )
    torch.testing.assert_close(near, far, rtol=1e-4, atol=1e-5)
    assert not torch.allclose(near, mixed, atol=1e-3)


def test_grouped_queries_are_heads_that_share_keys_and_values(language_model, tokens):
    grouped = language_model(small(architecture={"kv_heads": 2}))
    full = language_model(small())
    state = grouped.state_dict()
    for layer in range(2):
        name = f"blocks.layers.{layer}.attention.query_key_value"
        query, key, value = state[name].split([16, 8, 8])
        repeated = (part.view(2, 4, 16).repeat_interleave(2, 0).flatten(0, 1) for part in (key, value))
        state[name] = torch.cat([query, *repeated])
    full.load_state_dict(state)
    torch.testing.assert_close(grouped(tokens).values, full(tokens).values)


@settings(max_examples=40, deadline=None)
@given(configurations(EMBEDDED))
def test_every_configuration_runs_and_every_parameter_that_can_learn_gets_a_gradient(config):
    model = LanguageModel(config)
    initialise(model, "any")
    length = min(config.architecture.context, 5)
    tokens = torch.arange(2 * length).view(2, length) % config.architecture.vocabulary
    output = model(tokens)
    assert output.values.shape == (2, length, config.architecture.vocabulary)
    assert output.values.isfinite().all()
    output.values.square().sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name


def test_bfloat16_autocast_stays_close_and_routes_in_float32(language_model, tokens):
    model = language_model(small())
    exact = model(tokens).values
    with torch.autocast("cpu", dtype=torch.bfloat16):
        output = model(tokens)
    assert all(p.routing.weights_TK.dtype == torch.float32 for p in output.routed)
    assert (output.values - exact).abs().mean() < 0.05 * exact.abs().mean()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"activation": "tanh"}, "activation='tanh'"),
        ({"activation": "swiglu"}, "'relu' or 'gelu' for experts of two matrices"),
        ({"parts": {"expert": Expert.GATED}}, "'swiglu' for gated experts"),
        ({"parts": {"router": Router.NONE}}, "need a router"),
        ({"renormalise": "no"}, "renormalise='no'.*expected True or False"),
        ({"positions": "rotary"}, "positions='rotary'.*expected 'learned'"),
        ({"parts": {"embedding": Embedding.TOKEN}}, "positions='learned'.*expected 'rotary' or 'none'"),
        ({"architecture": {"context": 0}}, "longest sequence"),
        ({"architecture": {"heads": 3}}, "not a multiple of heads"),
        ({"architecture": {"kv_heads": 3}}, "divisor of heads"),
        ({"architecture": {"attention": 1024}}, "four projections"),
        ({"architecture": {"recurrence": 2}}, "no block is looped"),
        ({"architecture": {"loop_start": 1, "loop_layers": 2}}, "the loop ends after"),
    ],
)
def test_configurations_that_no_model_can_have_are_refused(changed, said):
    with pytest.raises(ValueError, match=said):
        small(**changed)


def test_an_odd_head_cannot_turn():
    with pytest.raises(ValueError, match="even"):
        small(parts={"embedding": Embedding.TOKEN}, positions="rotary", architecture={"head_dim": 3})


def test_symbols_are_no_sizes():
    from theory.vocabulary import M

    with pytest.raises(ValueError, match=r"architecture\.experts=M.*not symbols"):
        ModelConfig(architecture=dataclasses.replace(small().architecture, experts=M))


def test_inputs_that_do_not_fit_are_refused(language_model, tokens):
    model = language_model(small())
    with pytest.raises(ValueError, match="at most context=12"):
        model(torch.zeros((1, 13), dtype=torch.int64))
    for dtype in (torch.float32, torch.bool, torch.uint8):
        with pytest.raises(ValueError, match="expected whole numbers"):
            model(tokens.to(dtype))
    for wrong in (19, -1):
        outside = tokens.clone()
        outside[1, 4] = wrong
        with pytest.raises(ValueError, match=rf"tokens_BS\[1, 4\]={wrong}: expected ids from 0 to 18"):
            model(outside)
    with pytest.raises(ValueError, match=r"real_BS of shape \(3, 10\) and dtype torch\.int64"):
        model(tokens, torch.ones_like(tokens))
    with pytest.raises(ValueError, match="use RegressionTransformer"):
        LanguageModel(small(architecture={"vocabulary": 0}))


def test_norms_are_those_of_the_parts(language_model):
    kinds = {Norm.NONE: nn.Identity, Norm.SCALE: nn.RMSNorm, Norm.SCALE_AND_SHIFT: nn.LayerNorm}
    for norm, kind in kinds.items():
        assert isinstance(language_model(small(parts={"norm": norm})).blocks.final_norm, kind)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("architecture", [{}, {"shared_experts": 1, "kv_heads": 2}, {"d_ff": 23}])
def test_a_gpu_computes_what_a_cpu_does(language_model, tokens, architecture):
    model = language_model(small(architecture=architecture))
    real = torch.ones_like(tokens, dtype=torch.bool)
    real[0, 7:] = False
    expected, gradients = loss_and_gradients(model, tokens, real)
    found, found_gradients = loss_and_gradients(model.cuda(), tokens.cuda(), real.cuda())
    torch.testing.assert_close(found.cpu(), expected, rtol=1e-3, atol=1e-3)
    for name, gradient in gradients.items():
        torch.testing.assert_close(found_gradients[name].cpu(), gradient, rtol=1e-2, atol=1e-3)
