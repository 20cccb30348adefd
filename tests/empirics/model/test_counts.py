"""A model stores exactly the parameters that `theory.models.architecture` counts, part by part."""

from __future__ import annotations

import dataclasses

import torch
from architectures import configurations
from hypothesis import given, settings

from empirics.model import LanguageModel, RegressionTransformer, initialise, parameter_counts
from theory.models.architecture import Embedding, MoETransformer, Norm, Router

EMBEDDED = tuple(set(Embedding) - {Embedding.NONE})
LEFT_OUT = {"router": Router.NONE, "norms": Norm.NONE, "embeddings": Embedding.NONE}
FIELD = {"router": "router", "norms": "norm", "embeddings": "embedding"}


def stored(model):
    return sum(parameter.numel() for parameter in model.parameters())


@settings(max_examples=150, deadline=None)
@given(configurations(EMBEDDED))
def test_a_language_model_stores_what_theory_counts_whatever_is_left_out(config):
    model = LanguageModel(config)
    parts = parameter_counts(model)
    assert stored(model) == sum(parts.values()) == config.stored_parameters()
    assert parts["interface"] == 0
    for part, field in FIELD.items():
        without = dataclasses.replace(config.parts, **{field: LEFT_OUT[part]})
        assert config.architecture.total_parameters(without) == stored(model) - parts[part]
    nothing = dataclasses.replace(config.parts, **{FIELD[part]: LEFT_OUT[part] for part in FIELD})
    a = config.architecture
    assert a.total_parameters(nothing) == parts["attention"] + parts["experts"]
    assert a.layers * a.attention_parameters(config.parts) == parts["attention"]


@settings(max_examples=50, deadline=None)
@given(configurations([Embedding.NONE]))
def test_a_regression_model_adds_two_affine_maps(config):
    parts = parameter_counts(RegressionTransformer(config, inputs=3, outputs=2))
    width = config.architecture.d_model
    assert parts.pop("interface") == 4 * width + 2 * width + 2
    assert sum(parts.values()) == config.architecture.total_parameters(config.parts)
    without = parameter_counts(RegressionTransformer(config, inputs=None, outputs=2))
    assert without["interface"] == 2 * width + 2


@settings(max_examples=50, deadline=None)
@given(configurations(EMBEDDED))
def test_a_token_passes_through_the_active_parameters(config):
    """Counted on the model's own routing of one token: what its layers do not choose is what N_act leaves out."""
    a, model = config.architecture, LanguageModel(config)
    initialise(model, "any")
    model.blocks.order = list(range(a.layers))  # each block once, looped or not
    output = model(torch.zeros((1, 1), dtype=torch.int64))
    assert len(output.routed) == (a.moe_layers() if a.experts > 1 else 0)
    idle = sum(a.experts - len(set(routing.ids_TK[0].tolist())) for _, routing in output.routed)
    assert a.active_parameters(config.parts) == stored(model) - idle * a.expert_parameters(config.parts)


def test_the_paper_s_convention_counts_attention_and_experts_only():
    from architectures import small

    config = small()
    parts = parameter_counts(LanguageModel(config))
    assert parts["attention"] + parts["experts"] == config.architecture.total_parameters()
    assert min(parts["router"], parts["norms"], parts["embeddings"]) > 0


def test_a_looped_model_counts_shared_weights_once_and_their_flops_each_round():
    once = MoETransformer(layers=4, d_model=8, d_ff=8, experts=4, active=2, moe_every=2)
    looped = dataclasses.replace(once, loop_start=1, loop_layers=2, recurrence=3)
    assert looped.total_parameters() == once.total_parameters()
    again = once.attention_parameters() * 2 + 2 * once.expert_parameters() + once.dense_parameters()
    assert looped.loop_parameters() == again
    assert looped.flops_per_token() == 6 * (once.active_parameters() + 2 * again)
