"""The same named seed gives the same bytes, and weights have the scale that is promised."""

from __future__ import annotations

import hashlib

import pytest
import torch
from architectures import small

from empirics.model import LanguageModel, initialise
from theory.models.architecture import Router


def drawn(config, seed):
    model = LanguageModel(config)
    initialise(model, seed)
    return dict(model.named_parameters())


def digest(parameters):
    return hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in parameters.values())).hexdigest()


def test_a_seed_names_the_weights_bit_for_bit():
    assert digest(drawn(small(), "a")) == digest(drawn(small(), "a"))
    assert digest(drawn(small(), "a")) != digest(drawn(small(), "b"))
    assert digest(drawn(small(), 7)) == digest(drawn(small(), "7"))


def test_the_weights_of_a_seed_do_not_change_from_one_version_to_the_next():
    weights = drawn(small(), "fixed")["blocks.layers.1.feed_forward.experts.matrix_in"][4, 23, :3]
    torch.testing.assert_close(
        weights, torch.tensor([-0.1310816556, 0.0092840837, -0.1177658961]), rtol=1e-6, atol=0
    )


def test_a_parameter_s_weights_do_not_depend_on_what_else_there_is():
    one, other = drawn(small(), "a"), drawn(small(parts={"router": Router.WEIGHTS_AND_BIAS}), "a")
    assert set(one) < set(other)
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_the_global_generator_neither_matters_nor_moves():
    before = torch.get_rng_state()
    expected = digest(drawn(small(), "a"))
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(99)
    assert digest(drawn(small(), "a")) == expected


@pytest.mark.parametrize("rounds", [1, 3])
def test_scales_are_those_of_fan_in_and_of_the_residual_stream(rounds):
    config = small(
        architecture={"d_model": 256, "d_ff": 512, "loop_layers": 2, "recurrence": rounds, "vocabulary": 1000}
    )
    parameters = drawn(config, "scale")
    block = "blocks.layers.0."
    residual = (2 * 2 * rounds) ** -0.5
    expected = {
        "token": 0.02,
        block + "attention.query_key_value": 256**-0.5,
        block + "attention.output": 256**-0.5 * residual,
        block + "feed_forward.router": 256**-0.5,
        block + "feed_forward.experts.matrix_in": 256**-0.5,
        block + "feed_forward.experts.matrix_out": 512**-0.5 * residual,
    }
    for name, scale in expected.items():
        assert parameters[name].std().item() == pytest.approx(scale, rel=0.05), name
    assert not any(p.any() for name, p in parameters.items() if "bias" in name.rpartition(".")[2])
    assert (parameters[block + "attention_norm.weight"] == 1).all()
