"""Objectives against hand-computed values, and balancing against what it is for."""

from __future__ import annotations

import dataclasses
import math

import pytest
import torch

from empirics.model import LanguageModel, ModelConfig, Output, initialise, objectives
from empirics.model.objectives import (
    BalanceLoss,
    Batch,
    CrossEntropy,
    DataTerm,
    LossFreeBalancing,
    Objective,
    ObjectiveTerm,
    SquaredError,
    ZLoss,
    objective_terms,
)
from theory.errors import MoelawsError
from theory.models.architecture import MoETransformer

SIZES = MoETransformer(layers=2, d_model=16, d_ff=8, heads=2, experts=4, active=1, vocabulary=7, context=8)


def build(**changed):
    model = LanguageModel(ModelConfig(architecture=SIZES, **changed))
    initialise(model, "objectives")
    return model


def batch(samples=4):
    tokens = torch.randint(0, 7, (samples, 9), generator=torch.Generator().manual_seed(1))
    return Batch(tokens[:, :-1], tokens[:, 1:])


def test_cross_entropy_is_in_nats_per_scored_token():
    logits = torch.tensor([[[0.0, 0.0], [0.0, math.log(3)], [5.0, 0.0]]])
    targets = torch.tensor([[0, 1, 0]])
    output = Output(logits, ())
    expected = [math.log(2), math.log(4 / 3), math.log1p(math.exp(-5))]
    assert CrossEntropy().value(output, Batch(targets, targets)).item() == pytest.approx(sum(expected) / 3)
    real = torch.tensor([[True, True, False]])
    assert CrossEntropy().value(output, Batch(targets, targets, real)).item() == pytest.approx(
        sum(expected[:2]) / 2
    )
    unscored = torch.tensor([[-1, 1, 0]])
    assert CrossEntropy().value(output, Batch(targets, unscored, real)).item() == pytest.approx(expected[1])
    losses, scored = CrossEntropy().each(output, Batch(targets, unscored, real))
    assert losses.tolist() == [[0, pytest.approx(expected[1]), 0]]
    assert scored.tolist() == [[False, True, False]]


def test_squared_error_adds_coordinates_and_averages_samples():
    output = Output(torch.tensor([[1.0, 2.0], [0.0, 0.0]]), ())
    assert SquaredError().value(output, Batch(output.values, torch.zeros(2, 2))).item() == 2.5
    sequence = Output(torch.tensor([[[1.0], [7.0]]]), ())
    real = torch.tensor([[True, False]])
    assert SquaredError().value(sequence, Batch(output.values, torch.zeros(1, 2, 1), real)).item() == 1
    with pytest.raises(
        ValueError,
        match=r"targets of shape \(2,\): expected \(2, 2\), as the model gave values of shape \(2, 2\)",
    ):
        SquaredError().value(output, Batch(output.values, torch.zeros(2)))


@pytest.mark.parametrize("shape", [(3, 2), (6,), (2, 4), (2, 3, 1)])
def test_targets_of_another_shape_are_refused(shape):
    output, targets = Output(torch.zeros(2, 3, 7), ()), torch.zeros(shape, dtype=torch.int64)
    with pytest.raises(ValueError, match=r"expected \(2, 3\), as the model gave values of shape \(2, 3, 7\)"):
        CrossEntropy().value(output, Batch(targets, targets))
    with pytest.raises(ValueError, match=r"expected \(2, 3, 7\)"):
        SquaredError().value(output, Batch(targets, targets.float()))


@pytest.mark.parametrize("real", [torch.ones(2, 1) > 0, torch.ones(1, 3) > 0, torch.ones(2, 3)])
def test_a_mask_of_another_shape_or_dtype_is_refused(real):
    output, inputs = Output(torch.zeros(2, 3, 7), ()), torch.zeros(2, 3)
    with pytest.raises(ValueError, match=r"real_BS of shape .* expected \(2, 3\) booleans"):
        CrossEntropy().value(output, Batch(inputs, torch.zeros(2, 3, dtype=torch.int64), real))
    with pytest.raises(ValueError, match=r"real_BS of shape .* expected \(2, 3\) booleans"):
        SquaredError().value(output, Batch(inputs, torch.zeros(2, 3, 7), real))


def test_token_ids_that_are_no_whole_numbers_are_refused():
    output, targets = Output(torch.zeros(2, 3, 7), ()), torch.zeros(2, 3)
    with pytest.raises(ValueError, match=r"targets of dtype torch\.float32: expected token ids"):
        CrossEntropy().value(output, Batch(targets, targets))


def test_a_target_at_padding_may_be_no_number():
    values = torch.ones(1, 2, 1, requires_grad=True)
    targets, real = torch.tensor([[[0.0], [torch.nan]]]), torch.tensor([[True, False]])
    loss = SquaredError().value(Output(values, ()), Batch(values, targets, real))
    loss.backward()
    assert loss.item() == 1
    assert values.grad.flatten().tolist() == [2, 0]


@pytest.mark.parametrize("size", [-1, math.nan, math.inf, "0.1"])
@pytest.mark.parametrize("term", [BalanceLoss, ZLoss, LossFreeBalancing])
def test_a_coefficient_that_is_no_size_is_refused(term, size):
    with pytest.raises(ValueError, match=rf"{term.__name__}\(.*: expected a finite number of at least 0"):
        term(size)


@pytest.mark.parametrize("wrong", [3, CrossEntropy])
def test_what_is_no_term_is_refused(wrong):
    with pytest.raises(ValueError, match="expected terms, such as"):
        Objective(CrossEntropy(), wrong)


def test_nothing_to_score_is_a_loss_of_zero():
    nothing = torch.full((1, 3), -1)
    assert CrossEntropy().value(Output(torch.zeros(1, 3, 2), ()), Batch(nothing, nothing)).item() == 0


def test_router_terms_are_sums_over_passes_with_their_gradients():
    model, data = build(), batch()
    output = model(data.inputs)
    objective = Objective(CrossEntropy(), BalanceLoss(0.5), ZLoss(0.25))
    loss = objective(output, data)
    routings = [routing for _, routing in output.routed]
    assert len(routings) == 2
    assert loss.shares["balance"].item() == pytest.approx(0.5 * sum(r.balance_loss.item() for r in routings))
    assert loss.shares["z"].item() == pytest.approx(0.25 * sum(r.z_loss.item() for r in routings))
    assert loss.total.item() == pytest.approx(sum(share.item() for share in loss.shares.values()))
    (with_router,) = torch.autograd.grad(loss.total, model.blocks.layers[1].feed_forward.router)
    # k = 1 with renormalised gates: the gate weight is 1, so only the router's own losses can train it.
    output = model(data.inputs)
    (without,) = torch.autograd.grad(
        Objective(CrossEntropy())(output, data).total, model.blocks.layers[1].feed_forward.router
    )
    assert with_router.any()
    assert not without.any()


def test_a_dense_model_has_no_router_terms():
    model = LanguageModel(ModelConfig(architecture=dataclasses.replace(SIZES, experts=1)))
    data = batch()
    loss = Objective(CrossEntropy(), BalanceLoss(1), ZLoss(1), LossFreeBalancing())(model(data.inputs), data)
    assert list(loss.shares) == ["cross-entropy"]
    with pytest.raises(ValueError, match="none of these has a value"):
        Objective(BalanceLoss(1))(model(data.inputs), data)
    with pytest.raises(ValueError, match="at least one term"):
        Objective()


def test_loss_free_balancing_moves_each_bias_by_the_sign_of_its_lack():
    model, data = build(balancing_bias=True), batch()
    output = model(data.inputs)
    LossFreeBalancing(0.125).after_step(model, output.routed)
    for (layer, routing), block in zip(output.routed, model.blocks.layers, strict=True):
        lack = routing.counts_E.float().mean() - routing.counts_E
        assert torch.equal(block.feed_forward.selection_bias_E, 0.125 * lack.sign()), layer
    assert not any("selection_bias" in name for name, _ in model.named_parameters())
    assert sum("selection_bias" in name for name in model.state_dict()) == 2


def test_loss_free_balancing_adds_up_the_batches_and_rounds_of_a_step():
    looped = dataclasses.replace(SIZES, loop_layers=2, recurrence=2)
    model = LanguageModel(ModelConfig(architecture=looped, balancing_bias=True))
    initialise(model, "objectives")
    passes = [p for samples in (4, 3) for p in model(batch(samples).inputs).routed]
    assert [layer for layer, _ in passes] == [0, 1] * 4
    Objective(LossFreeBalancing(1.0)).after_step(model, iter(passes))
    counts = sum(routing.counts_E for layer, routing in passes if layer == 1)
    expected = (counts.float().mean() - counts).sign()
    assert torch.equal(model.blocks.layers[1].feed_forward.selection_bias_E, expected)


def test_loss_free_balancing_evens_out_loads_without_touching_a_parameter():
    model, data = build(balancing_bias=True), batch(32)
    with torch.no_grad():
        for block in model.blocks.layers:
            block.feed_forward.router[0] += 0.3 * block.feed_forward.router[0].sign()
    before = {name: p.clone() for name, p in model.named_parameters()}
    loads = []
    for _ in range(300):
        with torch.no_grad():
            output = model(data.inputs)
        loads.append(output.routed[0].routing.max_load.item())
        LossFreeBalancing(0.004).after_step(model, output.routed)
    assert loads[0] > 1.5
    assert sum(loads[-20:]) < 20 * 1.2
    assert all(torch.equal(p, before[name]) for name, p in model.named_parameters())


def test_balancing_a_model_without_biases_is_refused():
    model = build()
    with pytest.raises(ValueError, match="balancing_bias=True"):
        LossFreeBalancing().after_step(model, model(batch().inputs).routed)


def test_terms_register_by_being_defined_and_a_new_one_can_reweight_the_data_term(monkeypatch):
    monkeypatch.setattr(objectives, "_TERMS", dict(objectives._TERMS))  # the new one is gone afterwards
    known = {"cross-entropy", "squared-error", "balance", "z", "loss-free-balancing"}
    assert known <= set(objective_terms())
    assert DataTerm not in objective_terms().values()

    @dataclasses.dataclass(frozen=True)
    class Doubled(ObjectiveTerm):
        name = "doubled-for-a-test"
        data: DataTerm

        def value(self, output, batch):
            losses, scored = self.data.each(output, batch)
            return (2 * losses).sum() / scored.sum()

    assert objective_terms()["doubled-for-a-test"] is Doubled
    model, data = build(), batch()
    output = model(data.inputs)
    twice = Objective(Doubled(CrossEntropy()))(output, data)
    assert twice.total.item() == pytest.approx(2 * CrossEntropy().value(output, data).item())
    with pytest.raises(MoelawsError, match="two terms are named 'z'"):
        type("Other", (ObjectiveTerm,), {"name": "z", "value": None})


def test_training_with_every_term_lowers_the_loss():
    model, data = build(balancing_bias=True), batch(8)
    objective = Objective(CrossEntropy(), BalanceLoss(0.01), ZLoss(0.001), LossFreeBalancing())
    optimiser = torch.optim.Adam(model.parameters(), lr=3e-2)
    losses = []
    for _ in range(40):
        optimiser.zero_grad()
        output = model(data.inputs)
        loss = objective(output, data)
        loss.total.backward()
        optimiser.step()
        objective.after_step(model, output.routed)
        losses.append(loss.shares["cross-entropy"].item())
    assert losses[-1] < 0.5 * losses[0]


def test_loss_free_balancing_adds_up_the_loads_of_all_processes(monkeypatch):
    """Two processes, played one after the other: what one would send is added to what the other has."""
    model = build(balancing_bias=True)
    first, second = (model(batch(samples).inputs).routed for samples in (4, 3))
    others = iter([routing.counts_E for _, routing in second])
    monkeypatch.setattr(torch.distributed, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.distributed, "all_reduce", lambda counts_E: counts_E.add_(next(others)))
    before = [routing.counts_E.clone() for _, routing in first]
    LossFreeBalancing(1.0).after_step(model, first)
    for (_, one), (_, other), block in zip(first, second, model.blocks.layers, strict=True):
        counts = one.counts_E + other.counts_E
        assert torch.equal(block.feed_forward.selection_bias_E, (counts.float().mean() - counts).sign())
    assert all(torch.equal(kept, routing.counts_E) for kept, (_, routing) in zip(before, first, strict=True))
