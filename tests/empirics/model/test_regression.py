"""The regression Transformer: pooling, padding, and a function that it can learn."""

from __future__ import annotations

import pytest
import torch
from architectures import SMALL, small

from empirics.model import ModelConfig, RegressionTransformer, initialise
from empirics.model.objectives import Batch, Objective, SquaredError
from theory.models.architecture import Convention, Embedding, Router

PARTS = Convention(router=Router.WEIGHTS)
POOLS = ["mean", "last", "none"]


def build(pool="mean", inputs=3, **changed):
    config = ModelConfig(architecture=SMALL, parts=PARTS, positions="none", **changed)
    model = RegressionTransformer(config, inputs=inputs, outputs=2, pool=pool)
    initialise(model, "regression")
    return model


def points(samples=4, positions=6, width=3):
    return torch.randn(samples, positions, width, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("pool", POOLS)
def test_padding_does_not_change_a_prediction(pool, side):
    model, x = build(pool), points()
    filler = torch.full((4, 2, 3), 9.0)
    both = [filler, x] if side == "left" else [x, filler]
    real = torch.cat([torch.full(part.shape[:2], part is x) for part in both], 1)
    found = model(torch.cat(both, 1), real).values
    expected = model(x).values
    torch.testing.assert_close(found[real].view_as(expected) if pool == "none" else found, expected)


@pytest.mark.parametrize("filler", [torch.nan, torch.inf])
@pytest.mark.parametrize("pool", POOLS)
def test_padding_may_hold_anything(pool, filler):
    model, x = build(pool), points()
    real = torch.ones(4, 6, dtype=torch.bool)
    real[0, 4:] = real[2, :3] = False
    targets = torch.zeros(4, 6, 2) if pool == "none" else torch.zeros(4, 2)
    results = []
    for value in (0.0, filler):
        padded = x.masked_fill(~real[..., None], value)
        aims = targets.masked_fill(~real[..., None], value) if pool == "none" else targets
        output = model(padded, real)
        loss = SquaredError().value(output, Batch(padded, aims, real))
        results.append([output.values, loss, *torch.autograd.grad(loss, list(model.parameters()))])
    assert all(torch.equal(one, other) for one, other in zip(*results, strict=True))


def test_pools_are_those_of_the_positions():
    x = points()
    each, mean, last = (build(pool)(x).values for pool in ("none", "mean", "last"))
    torch.testing.assert_close(each.mean(1), mean)
    torch.testing.assert_close(each[:, -1], last)


def test_without_positions_and_causality_the_order_of_tokens_does_not_matter():
    x, order = points(), torch.tensor([3, 1, 0, 5, 4, 2])
    blind, causal = build(causal=False), build(causal=True)
    torch.testing.assert_close(blind(x).values, blind(x[:, order]).values)
    assert not torch.allclose(causal(x).values, causal(x[:, order]).values, atol=1e-3)


def test_inputs_of_the_model_s_width_need_no_map():
    model = build(inputs=None)
    assert model.read_in is None
    assert model(points(width=16)).values.shape == (4, 2)


def test_training_finds_a_smooth_function():
    x = points(samples=64, positions=1)
    targets = torch.stack([x[:, 0, 0].sin(), x[:, 0, 1] * x[:, 0, 2]], -1)
    model, objective, batch = build(), Objective(SquaredError()), Batch(x, targets)
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-2)
    start = objective(model(x), batch).total.item()
    for _ in range(60):
        optimiser.zero_grad()
        objective(model(x), batch).total.backward()
        optimiser.step()
    assert objective(model(x), batch).total.item() < 0.05 * start


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match=r"expected \(samples, positions, 3\)"):
        build()(points(width=4))
    with pytest.raises(ValueError, match=r"expected \(samples, positions, 3\)"):
        build()(torch.zeros(4, 3))
    for size in ({"inputs": 0}, {"inputs": True}, {"outputs": -1}, {"outputs": None}):
        with pytest.raises(ValueError, match="expected a whole number of at least 1"):
            RegressionTransformer(build().config, **({"inputs": 3} | size))
    with pytest.raises(ValueError, match="pool='max'"):
        build(pool="max")
    with pytest.raises(ValueError, match=r"expected Embedding\.NONE"):
        RegressionTransformer(small(parts={"embedding": Embedding.TOKEN_AND_POSITION}), inputs=3)
