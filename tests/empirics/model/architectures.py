"""Small configurations for tests, and hypothesis strategies of them."""

from __future__ import annotations

import dataclasses

from hypothesis import strategies as st

from empirics.model import ModelConfig
from theory.models.architecture import Convention, Embedding, Expert, MoETransformer, Norm, Router

SMALL = MoETransformer(layers=2, d_model=16, d_ff=24, heads=4, experts=5, active=2, vocabulary=19, context=12)


def small(
    *, parts: dict[str, object] | None = None, architecture: dict[str, object] | None = None, **changed
):
    """A small language model's configuration with some fields changed."""
    config = ModelConfig(architecture=SMALL)
    return dataclasses.replace(
        config,
        architecture=dataclasses.replace(SMALL, **(architecture or {})),
        parts=dataclasses.replace(config.parts, **(parts or {})),
        **changed,
    )


@st.composite
def routed_models(draw, products=("loop", "grouped")):
    """A small language model's configuration with 2 to 5 routed experts and a router bias."""
    experts = draw(st.integers(2, 5))
    positions = draw(st.sampled_from(["learned", "rotary"]))
    learned = positions == "learned"
    return small(
        architecture={
            "layers": draw(st.integers(1, 2)),
            "experts": experts,
            "active": draw(st.integers(1, experts)),
            "kv_heads": draw(st.sampled_from([1, 2, 4])),
        },
        parts={
            "router": Router.WEIGHTS_AND_BIAS,
            "embedding": Embedding.TOKEN_AND_POSITION if learned else Embedding.TOKEN,
        },
        positions=positions,
        causal=draw(st.booleans()),
        parallel=draw(st.booleans()),
        gate=draw(st.sampled_from(["softmax", "sigmoid"])),
        renormalise=draw(st.booleans()),
        product=draw(st.sampled_from(products)),
    )


@st.composite
def configurations(draw, embeddings=tuple(Embedding)):
    """Any configuration that a model can have, of few parameters."""
    count = st.integers(1, 3)
    kv_heads, layers, experts = draw(count), draw(st.integers(1, 4)), draw(st.integers(1, 5))
    heads = kv_heads * draw(st.integers(1, 2))
    head_dim = 2 * draw(count)
    default = draw(st.booleans())
    loop_start = draw(st.integers(0, layers - 1))
    loop_layers = draw(st.integers(0, layers - loop_start))
    architecture = MoETransformer(
        layers=layers,
        d_model=heads * head_dim if default else draw(st.integers(1, 9)),
        d_ff=draw(st.integers(1, 9)),
        experts=experts,
        active=draw(st.integers(1, experts)),
        shared_experts=draw(st.integers(0, 2)),
        heads=heads,
        kv_heads=None if kv_heads == heads else kv_heads,
        head_dim=None if default else head_dim,
        vocabulary=draw(st.integers(1, 9)),
        context=draw(st.integers(1, 9)),
        moe_every=draw(count),
        dense_layers=draw(st.integers(0, layers)),
        dense_d_ff=draw(st.none() | st.integers(1, 9)),
        loop_start=loop_start,
        loop_layers=loop_layers,
        recurrence=draw(count) if loop_layers else 1,
    )
    parts = Convention(
        attention_bias=draw(st.booleans()),
        expert=draw(st.sampled_from(Expert)),
        expert_bias=draw(st.booleans()),
        router=draw(st.sampled_from([Router.WEIGHTS, Router.WEIGHTS_AND_BIAS])),
        norm=draw(st.sampled_from(Norm)),
        embedding=draw(st.sampled_from(embeddings)),
    )
    learned = parts.embedding is Embedding.TOKEN_AND_POSITION
    gated = parts.expert is Expert.GATED
    return ModelConfig(
        architecture=architecture,
        parts=parts,
        activation="swiglu" if gated else draw(st.sampled_from(["relu", "gelu"])),
        parallel=draw(st.booleans()),
        causal=draw(st.booleans()),
        positions="learned" if learned else draw(st.sampled_from(["rotary", "none"])),
        gate=draw(st.sampled_from(["softmax", "sigmoid"])),
        renormalise=draw(st.booleans()),
        balancing_bias=draw(st.booleans()),
    )
