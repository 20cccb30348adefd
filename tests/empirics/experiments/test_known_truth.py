"""Experiments on known truth: what they measure at small sizes, that they repeat, and what they refuse."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from empirics.base.randomness import named_generator
from empirics.constructive.axis_experts import AxisMoE
from empirics.experiments.experiment import Experiment
from empirics.experiments.known_truth.approximation import (
    ErrorByCapacity,
    ErrorByOverlap,
    ErrorOnTheDiagonal,
    LargestSquaredError,
    LargestSquaredErrorOverLog,
    MeanSquaredError,
    degree_of,
)
from empirics.experiments.known_truth.compute import BestRiskAtCompute, BestSizeAtCompute
from empirics.experiments.known_truth.risk import ExcessRisk, RiskAtFixedSize, RiskOfEitherGate, TunedRisk
from empirics.experiments.known_truth.worlds import (
    AdditiveTorus,
    MaternTorus,
    WeierstrassTorus,
    cells_per_axis,
    ladder,
)
from empirics.sweeps import Job

LINE, PLANE = MaternTorus(1, 0.7, 512, 2), MaternTorus(2, 0.7, 48)
EVERY: list[tuple[Experiment, int]] = [
    (MeanSquaredError(LINE, 1), 16),
    (LargestSquaredError(WeierstrassTorus(2, 0.7, 48, 2), 0), 16),
    (LargestSquaredErrorOverLog(LINE, 0), 16),
    (ErrorByCapacity(PLANE, 4), 6),
    (ErrorOnTheDiagonal(LINE), 4),
    (ErrorByOverlap(PLANE, 6), 4),
    (TunedRisk(LINE, 0, 1.0), 300),
    (TunedRisk(LINE, 0, 1.0, "validation"), 300),
    (RiskAtFixedSize(LINE, 0, 1.0, 8), 300),
    (RiskOfEitherGate(AdditiveTorus(2, 0.7, 20), 0.5), 300),
    (ExcessRisk(300, 0.3), 8),
    (BestRiskAtCompute(LINE, 0, 0.5), 2**14),
    (BestSizeAtCompute(LINE, 0, 0.5, "active"), 2**12),
]


@pytest.mark.parametrize(("experiment", "size"), EVERY, ids=lambda value: type(value).__name__)
def test_a_measurement_is_positive_and_depends_on_its_seed_alone(experiment, size):
    from empirics.experiments.known_truth import worlds

    first = experiment.measure(size, 5)
    worlds._problem.cache_clear()
    assert experiment.measure(size, 5) == first > 0
    assert experiment.measure(size, 6) != first


@pytest.mark.parametrize(("experiment", "size"), EVERY, ids=lambda value: type(value).__name__)
def test_a_description_says_what_is_known_of_the_data(experiment, size):
    said = Job(experiment, size, 0).planned()
    world = getattr(experiment, "world", None)
    assert (said.data.dimension, said.data.smoothness) == ((world.d, world.beta) if world else (None, None))
    assert said.data.noise == getattr(experiment, "noise", 0)
    if said.architecture.experts and world:
        each = said.budgets.total_parameters / said.architecture.experts
        assert said.budgets.active_parameters == said.architecture.active * each


def test_more_experts_more_capacity_and_more_data_lower_the_error():
    for experiment, sizes in (
        (MeanSquaredError(PLANE, 0), (4, 16, 64, 256)),
        (ErrorByCapacity(PLANE, 4), (1, 3, 6, 10)),
        (TunedRisk(LINE, 0, 1.0), (100, 1000, 10_000)),
    ):
        values = [np.mean([experiment.measure(size, seed) for seed in range(3)]) for size in sizes]
        assert sorted(values, reverse=True) == values


def test_a_tuned_risk_is_least_for_the_oracle_and_at_most_that_of_one_cell():
    oracle = TunedRisk(LINE, 0, 1.0).measure(400, 1)
    problem = LINE.problem(1)
    assert oracle < problem.squared_error(np.zeros_like(problem.values))
    # The validated choice is fitted to fewer samples, so it can win by luck, not by half.
    assert TunedRisk(LINE, 0, 1.0, "validation").measure(400, 1) > oracle / 2


def test_the_excess_risk_is_the_noise_over_the_counts():
    """noise^2 E[mean of 1/N_j], for n = 4000 and noise .3: known to four digits by summing binomials."""
    for experts, wanted in ((16, 3.61e-4), (64, 1.463e-3)):
        found = [ExcessRisk(4000, 0.3).measure(experts, seed) for seed in range(6)]
        error = np.std(found) / 5**0.5
        assert np.mean(found) == pytest.approx(wanted, abs=4 * error)


def test_the_floor_is_taken_off_a_risk_at_fixed_size():
    whole = RiskAtFixedSize(LINE, 0, 0.3, 8).measure(2000, 3)
    above = RiskAtFixedSize(LINE, 0, 0.3, 8, above_floor=True).measure(2000, 3)
    assert whole - above == pytest.approx(MeanSquaredError(LINE, 0).measure(8, 3))


def test_experts_of_single_coordinates_are_fitted_exactly():
    rng = named_generator("axis experts test")
    x = rng.random((500, 3))
    truth = np.floor(x[:, 0] * 4) - 2 * np.floor(x[:, 1] * 4) + 0.5 * np.floor(x[:, 2] * 4)
    np.testing.assert_allclose(AxisMoE(3, 4).fit(x, truth).predict(x), truth, atol=1e-8)
    y = rng.standard_normal(500)
    fitted = AxisMoE(3, 4).fit(x, y)
    columns = np.zeros((500, 12))
    np.put_along_axis(columns, fitted.model.selected(x).T, 1 / 3, axis=1)
    best = columns @ np.linalg.lstsq(columns, y, rcond=None)[0]
    np.testing.assert_allclose(fitted.predict(x), best, atol=1e-8)
    assert np.abs(AxisMoE(3, 4, clip=0.1).fit(x, y).predict(x)).max() <= 0.1


def test_additive_bins_beat_cells_on_an_additive_target_only():
    def best(world, gate):
        problem = world.problem(1)
        x, y = problem.sample(4000, 0.3, named_generator("gates", 1))
        if gate == "bins":
            return min(
                problem.squared_error(AxisMoE(2, m).fit(x, y).predict(problem.x)) for m in (8, 16, 32, 64)
            )
        return TunedRisk(world, 0, 0.3).measure(4000, 1)

    additive, tensor = AdditiveTorus(2, 0.7, 60), WeierstrassTorus(2, 0.7, 60)
    assert best(additive, "bins") < best(additive, "cells") / 2
    assert best(tensor, "cells") < best(tensor, "bins") / 2


def test_candidates_are_close_and_sizes_are_powers():
    steps = ladder(200)
    assert steps[:5] == [1, 2, 3, 4, 5]
    assert max(b / a for a, b in itertools.pairwise(steps[4:])) < 1.27
    assert steps[-1] <= 200
    assert [cells_per_axis(m**3, 3) for m in (1, 5, 11)] == [1, 5, 11]
    assert [degree_of(p, 2) for p in (1, 3, 6, 10)] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: cells_per_axis(10, 2), "size=10"),
        (lambda: degree_of(4, 2), "size=4"),
        (lambda: MeanSquaredError(LINE, 0).measure(400, 0), "400 cells"),
        (lambda: ErrorOnTheDiagonal(PLANE).measure(4, 0), "dimension 1"),
        (lambda: TunedRisk(LINE, 0, 1.0, "luck"), "tuning='luck'"),
        (lambda: BestRiskAtCompute(LINE, 0, 1.0, "wall clock"), "counted='wall clock'"),
        (lambda: BestSizeAtCompute(LINE, 0, 1.0).measure(16, 0), "end of what can be tried"),
        (lambda: MaternTorus(1, 0.7, 64, 0).problem(0), "patch=0"),
        (lambda: WeierstrassTorus(1, 0.7, 64, 0).problem(0), "patch=0"),
    ],
)
def test_what_cannot_be_measured_is_named(call, said):
    with pytest.raises(ValueError, match=said):
        call()
