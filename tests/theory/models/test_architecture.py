"""Parameter counts against published models, and symbolic counts against numeric ones."""

from __future__ import annotations

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.models.architecture import (
    GPT2_CONVENTION,
    LLAMA_CONVENTION,
    Convention,
    MoETransformer,
)
from theory.vocabulary import L_T, M, R, d_ff, d_model, k

GPT2 = {  # (layers, width, heads): parameters of the released checkpoints (Radford et al. 2019)
    (12, 768, 12): 124_439_808,
    (24, 1024, 16): 354_823_168,
    (36, 1280, 20): 774_030_080,
    (48, 1600, 25): 1_557_611_200,
}


@pytest.mark.parametrize("shape", GPT2)
def test_gpt2_counts_are_those_of_the_released_models(shape):
    layers, width, heads = shape
    model = MoETransformer(
        layers=layers, d_model=width, d_ff=4 * width, heads=heads, vocabulary=50_257, context=1024
    )
    assert model.total_parameters(GPT2_CONVENTION) == GPT2[shape]
    assert model.active_parameters(GPT2_CONVENTION) == GPT2[shape]


def test_mixtral_8x7b_counts_are_those_of_the_released_model():
    model = MoETransformer(
        layers=32, d_model=4096, d_ff=14_336, heads=32, kv_heads=8, experts=8, active=2, vocabulary=32_000
    )
    assert model.total_parameters(LLAMA_CONVENTION) == 46_702_792_704
    assert model.active_parameters(LLAMA_CONVENTION) == 12_879_925_248


sizes = st.integers(1, 64)


@settings(deadline=None)
@given(sizes, sizes, sizes, sizes, st.data())
def test_symbolic_and_numeric_counts_agree(layers, width, hidden, experts, data):
    active = data.draw(st.integers(1, experts))
    convention = data.draw(st.sampled_from(list(Convention.every())))
    numeric = MoETransformer(layers=layers, d_model=width, d_ff=hidden, experts=experts, active=active)
    symbolic = MoETransformer(layers=L_T, d_model=d_model, d_ff=d_ff, experts=M, active=k)
    values = {L_T: layers, d_model: width, d_ff: hidden, M: experts, k: active}
    for count in ("active_parameters", "total_parameters"):
        expected = getattr(numeric, count)(convention)
        found = getattr(symbolic, count)(convention).subs(values)
        router = 0 if experts > 1 else layers * symbolic.router_parameters(convention)
        router = sp.sympify(router).subs(values)
        assert found - router == expected


@settings(deadline=None)
@given(sizes, sizes, st.integers(1, 8))
def test_a_dense_model_is_the_case_of_one_expert(layers, width, factor):
    model = MoETransformer(layers=layers, d_model=width, d_ff=factor * width)
    for convention in Convention.every():
        assert model.active_parameters(convention) == model.total_parameters(convention)


def test_training_costs_six_flops_per_active_parameter_plus_the_attention_scores():
    model = MoETransformer(layers=2, d_model=64, d_ff=128, experts=8, active=2, heads=4)
    active = model.active_parameters()
    assert model.flops_per_token() == 6 * active
    assert model.flops_per_token(training=False) == 2 * active
    assert model.flops_per_token(scores_over=256) == 6 * active + 12 * 2 * 64 * 256


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"layers": 0}, "layers=0"),
        ({"d_ff": 1.5}, "d_ff=1.5"),
        ({"active": 9}, "cannot exceed"),
        ({"experts": True}, "experts=True"),
    ],
)
def test_impossible_sizes_are_refused_by_name(changed, said):
    with pytest.raises(ValueError, match=said):
        MoETransformer(**{"layers": 2, "d_model": 64, "d_ff": 64, "experts": 8, "active": 2, **changed})


def test_heads_that_do_not_divide_the_width_are_refused():
    with pytest.raises(ValueError, match="not a multiple of heads"):
        MoETransformer(layers=1, d_model=10, d_ff=10, heads=3).active_parameters()


@settings(deadline=None)
@given(sizes, sizes, st.integers(1, 9), st.data())
def test_blocks_without_experts_and_looped_blocks_are_counted_one_by_one(layers, experts, every, data):
    start = data.draw(st.integers(0, layers))
    looped = data.draw(st.integers(0, layers - start))
    rounds = data.draw(st.integers(1, 5)) if looped else 1
    dense = data.draw(st.integers(0, layers))
    convention = data.draw(st.sampled_from(list(Convention.every())))
    model = MoETransformer(
        layers=layers, d_model=6, d_ff=5, experts=experts, active=1, shared_experts=2, heads=2, moe_every=every,
        dense_layers=dense, dense_d_ff=11, loop_start=start, loop_layers=looped, recurrence=rounds,
    )  # fmt: skip
    mixture = 3 * model.expert_parameters(convention) + model.router_parameters(convention)
    blocks = [
        model.attention_parameters(convention)
        + (mixture if layer > dense and (layer - dense) % every == 0 else model.dense_parameters(convention))
        for layer in range(1, layers + 1)
    ]
    rest = model.norm_parameters(convention) + model.embedding_parameters(convention)
    assert model.active_parameters(convention) == sum(blocks) + rest
    norms = model.norm_parameters(convention) - 2 * layers * (
        model.norm_parameters(convention) // (2 * layers + 1)
    )
    per_block = 2 * norms  # two norms a block, one at the end
    again = sum(blocks[start : start + looped]) + looped * per_block
    assert model.loop_parameters(convention) == again
    assert model.flops_per_token(convention) == 6 * (sum(blocks) + rest + (rounds - 1) * again)


def test_loops_and_gaps_may_be_symbols():
    model = MoETransformer(
        layers=8,
        d_model=d_model,
        d_ff=d_ff,
        experts=M,
        active=k,
        moe_every=2,
        loop_start=2,
        loop_layers=4,
        recurrence=R,
    )
    block = 2 * model.attention_parameters() + k * model.expert_parameters() + model.dense_parameters()
    assert sp.expand(model.flops_per_token() - 6 * (4 * block + (R - 1) * 2 * block)) == 0


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"loop_start": 1, "loop_layers": 2}, "after the last of layers=2"),
        ({"recurrence": 3}, "no block is looped"),
        ({"moe_every": 0}, "moe_every=0"),
    ],
)
def test_loops_that_no_model_can_have_are_refused(changed, said):
    with pytest.raises(ValueError, match=said):
        MoETransformer(layers=2, d_model=64, d_ff=64, **changed)


def test_dense_layers_have_one_feed_forward_in_place_of_experts():
    shape = {"d_model": 64, "d_ff": 32, "experts": 8, "active": 2, "heads": 4}
    mixed = MoETransformer(layers=3, dense_layers=1, dense_d_ff=128, **shape)
    apart = MoETransformer(layers=2, **shape), MoETransformer(layers=1, d_model=64, d_ff=128, heads=4)
    for count in ("active_parameters", "total_parameters"):
        assert getattr(mixed, count)() == sum(getattr(model, count)() for model in apart)
    with pytest.raises(ValueError, match="dense_layers=4"):
        MoETransformer(layers=3, dense_layers=4, **shape)


def test_attention_given_outright_is_counted_as_given():
    for convention in Convention.every():
        model = MoETransformer(layers=1, d_model=64, d_ff=64, attention=1000)
        assert model.attention_parameters(convention) == 1000
