"""The bounded model is in the covering lemma's class, stays there, and is the general model where both exist."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import pytest
import torch
from architectures import SMALL

from empirics.model import BoundedTransformer, ModelConfig, RegressionTransformer
from empirics.model.bounded_layers import Residual, bounded_moe
from theory.models.architecture import Convention
from theory.results.covering.bounded_class import BoundedMoE
from theory.results.covering.experts import Gate

CLASS = BoundedMoE(layers=2, d_model=4, d_ff=6, heads=2, kappa="0.1", radius="0.8")
PATTERN = [torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.3, 0.7], [1.0, 0.0, 0.0]])] * 2


def build(bounded=CLASS, clip=1.0, dtype=torch.float32):
    model = BoundedTransformer(bounded, [p.to(dtype) for p in PATTERN], clip=clip).to(dtype)
    model.draw_(seed=1)
    return model


def inputs(dtype=torch.float32, samples=8):
    x = torch.randn(samples, 3, 4, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    return ((0.8 - 1e-6) * x / x.norm(dim=-1, keepdim=True)).to(dtype)  # inside after rounding, too


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_step_out_of_the_box_is_put_back_on_its_border_exactly(dtype):
    model = build(dtype=dtype)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(100)
    model.project_()
    entries = torch.cat([p.detach().flatten() for p in model.parameters()]).double().tolist()
    assert max(Fraction(abs(entry)) for entry in entries) <= Fraction(1, 10)
    assert max(map(abs, entries)) > 0.0995
    assert Fraction(torch.tensor(0.1, dtype=torch.float32).item()) > Fraction(1, 10)  # why rounding matters


def test_outputs_are_clipped_and_move_no_faster_than_lambda():
    one = build(dtype=torch.float64)
    other = build(dtype=torch.float64)
    with torch.no_grad():
        for parameter in other.parameters():
            parameter.sub_(1e-3 * parameter.sign())
    x = inputs(torch.float64)
    assert one(x).norm(dim=-1).max().item() <= 1 + 1e-12
    moved = (one(x) - other(x)).norm(dim=-1).max().item()
    assert 0 < moved <= float(CLASS.lipschitz_constant()) * 1e-3


def test_a_drawn_model_is_named_by_its_seed():
    one, same, other = build(), build(), build()
    other.draw_(seed=2)
    assert torch.equal(one(inputs()), same(inputs()))
    assert not torch.equal(one(inputs()), other(inputs()))


def test_with_one_expert_it_is_the_general_model_without_norms():
    """Same weights, same function: attention and experts exist once in each form, and the two forms agree."""
    architecture = dataclasses.replace(SMALL, experts=1, active=1, vocabulary=0, context=0)
    config = ModelConfig(
        architecture=architecture, parts=Convention(), activation="relu", positions="none", causal=False
    )
    general = RegressionTransformer(config, inputs=None, outputs=16, pool="none")
    net = bounded_moe(16, 24, 4, [torch.ones(6, 1)] * 2, clip=1e9)
    generator = torch.Generator().manual_seed(3)
    for parameter in net.parameters():
        torch.nn.init.normal_(parameter, std=0.3, generator=generator)
    attentions, experts = ([m.layer for m in net if isinstance(m, Residual)][i::2] for i in (0, 1))
    with torch.no_grad():
        general.read_out.copy_(torch.eye(16))
        for block, attention, expert in zip(general.blocks.layers, attentions, experts, strict=True):
            parts = (attention.query, attention.key, attention.value)
            block.attention.query_key_value.copy_(torch.cat([p.flatten(0, 1) for p in parts]))
            block.attention.output.copy_(attention.output)
            block.feed_forward.experts.load_state_dict(expert.state_dict(), strict=False)
    x = torch.randn(3, 6, 16, generator=generator)
    torch.testing.assert_close(general(x).values, torch.vmap(net)(x), rtol=1e-4, atol=1e-4)


def test_gradients_reach_a_trained_gate():
    model = build(dataclasses.replace(CLASS, gate=Gate.SOFTMAX))
    model(inputs()).square().sum().backward()
    assert all(p.grad.any() for p in model.parameters())


def test_what_is_not_in_the_class_is_refused():
    with pytest.raises(ValueError, match="norms of at most 4/5"):
        build()(inputs() * 1.01)
    with pytest.raises(ValueError, match="a model needs a number"):
        BoundedTransformer(BoundedMoE(layers=2), PATTERN, clip=1)
    with pytest.raises(ValueError, match="expected one for each of 2 blocks"):
        BoundedTransformer(CLASS, PATTERN[:1], clip=1)
    with pytest.raises(ValueError, match=r"pattern\[1\].*rows sum to at most 1"):
        BoundedTransformer(CLASS, [PATTERN[0], 2 * PATTERN[0]], clip=1)
    with pytest.raises(ValueError, match=r"pattern\[1\] of shape \(2, 3\).*as many in every block"):
        BoundedTransformer(CLASS, [PATTERN[0], PATTERN[0][:2]], clip=1)
    with pytest.raises(ValueError, match="clip=0"):
        BoundedTransformer(CLASS, PATTERN, clip=0)


def test_a_token_that_is_no_number_or_just_outside_is_refused():
    model, x = build(), inputs()
    outside = torch.zeros(1, 3, 4)
    outside[0, 1, 2] = torch.nextafter(torch.tensor(0.8), torch.tensor(1.0))
    for value in (outside, x.index_fill(2, torch.tensor([1]), torch.nan)):
        with pytest.raises(ValueError, match="norms of at most 4/5"):
            model(value)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_is_refused_wherever_it_comes_from(dtype):
    """Its rounding is larger than any slack: at width 512, bfloat16 norms are off by a factor."""
    thirds = [torch.full((3, 3), 1 / 3)] * 2
    with pytest.raises(ValueError, match=r"pattern\[0\].*expected float32 or float64"):
        BoundedTransformer(CLASS, [p.to(dtype) for p in thirds], clip=1)
    for model, x in (
        (build().to(dtype), inputs(dtype)),
        (build(), inputs(dtype)),
        (build().to(dtype), inputs()),
    ):
        with pytest.raises(ValueError, match="expected all of it in float32 or in float64"):
            model(x)


@pytest.mark.parametrize("shape", [(2, 1, 4), (2, 4, 4), (2, 3, 5), (3, 4)])
def test_sequences_of_other_positions_or_another_width_are_refused(shape):
    with pytest.raises(ValueError, match=r"expected \(sequences, 3, 4\)"):
        build()(torch.zeros(shape))


def test_a_softmax_over_no_expert_is_refused():
    empty = PATTERN[0].clone()
    empty[1] = 0
    BoundedTransformer(CLASS, [PATTERN[0], empty], clip=1)  # fixed weights may be 0
    with pytest.raises(ValueError, match=r"pattern\[1\].*row 1 selects no expert"):
        BoundedTransformer(dataclasses.replace(CLASS, gate=Gate.SOFTMAX), [PATTERN[0], empty], clip=1)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_clipped_outputs_are_in_the_ball_exactly(dtype):
    model = build(clip=0.1, dtype=dtype)
    tokens = model(inputs(dtype, samples=400)).detach().double().flatten(0, 1).tolist()
    squares = [sum(Fraction(entry) ** 2 for entry in token) for token in tokens]
    assert max(squares) <= Fraction(0.1) ** 2
    assert max(squares) > Fraction(0.0999) ** 2
