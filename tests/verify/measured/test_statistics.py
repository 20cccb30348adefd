"""The statistics of measured claims, by simulation with a named seed: coverage, and how often a verdict is wrong."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest
from scipy import stats

from verify.measured.statistics import (
    Coefficient,
    bends,
    coefficient,
    holm,
    power,
    randomised,
    refuted,
    supported,
)

REPETITIONS = 10_000
STRUCTURES = ["independent", "shared", "tilted", "ragged", "tilted and ragged", "uneven", "heavy"]
RAGGED_UNEVENLY = ["at the ends", "falling", "at one size"]


def log_sizes(sizes):
    return np.linspace(0, np.log(100), sizes)


def noise(structure, sizes, seeds, scale, rng, repetitions=REPETITIONS):
    """Errors of the log, B x S x N: what a seed shares over sizes, and what a size shares over seeds."""
    x = log_sizes(sizes)
    shape = (repetitions, seeds, sizes)
    if structure == "heavy":
        return rng.standard_t(3, size=shape) * scale
    error = rng.normal(size=shape) * scale
    if structure in RAGGED_UNEVENLY:
        place = np.linspace(-1, 1, sizes)
        sizes_off = {
            "at the ends": 0.2 + 3 * place**2,
            "falling": 1.6 - 1.4 * place,
            "at one size": np.where(np.arange(sizes) == 0, 4.0, 0.3),
        }[structure]
        return 0.3 * error + scale * sizes_off * rng.normal(size=(repetitions, 1, sizes))
    if structure == "shared":
        error += 3 * scale * rng.normal(size=(repetitions, seeds, 1))
    if "tilted" in structure:
        error += scale * rng.normal(size=(repetitions, seeds, 1)) * x
    if "ragged" in structure:
        error += 2 * scale * rng.normal(size=(repetitions, 1, sizes))
    if structure == "uneven":
        error *= np.linspace(3, 1, sizes)
    return error


@cache
def unit_fits(structure, sizes, seeds, uneven=False):
    rng = np.random.default_rng([20261130, (STRUCTURES + RAGGED_UNEVENLY).index(structure), sizes, seeds])
    return coefficient(log_sizes(sizes), noise(structure, sizes, seeds, 1.0, rng), 1, uneven=uneven)


def fits(structure, sizes, seeds, scale, truth, *, uneven=False):
    """Fits to lines of slope ``truth`` under errors of this scale: least squares is linear, so one simulation serves."""
    unit = unit_fits(structure, sizes, seeds, uneven)
    return Coefficient(
        truth + scale * unit.value, scale * unit.error, unit.degrees, truth + scale * unit.by_seed
    )


def either_way(rule, structure, sizes, seeds, scale, truth, low, high):
    """Where a verdict stands whether or not sizes scatter alike, as the check asks."""
    return np.logical_and(
        *(rule(fits(structure, sizes, seeds, scale, truth, uneven=u), low, high) for u in (False, True))
    )


def test_the_t_interval_from_seed_to_seed_covers_what_it_says():
    """Where each seed has its own line, the two-way error is that of the seeds, and exact."""
    low, high = stats.binom.interval(0.99, REPETITIONS, 0.9)
    for sizes, seeds in itertools.product((5, 12), (3, 5, 10)):
        rng = np.random.default_rng([20261130, sizes, seeds])
        y = rng.normal(size=(REPETITIONS, seeds, 1)) * log_sizes(sizes) + 1e-3 * rng.normal(
            size=(REPETITIONS, seeds, sizes)
        )
        left, right = coefficient(log_sizes(sizes), y, 1).interval(0.9)
        assert low <= np.sum((left <= 0) & (right >= 0)) <= high, (sizes, seeds)


def test_the_t_interval_from_size_to_size_covers_what_it_says():
    low, high = stats.binom.interval(0.99, REPETITIONS, 0.9)
    for sizes, seeds in itertools.product((5, 12, 30), (3, 10)):
        rng = np.random.default_rng([20261131, sizes, seeds])
        shape = (REPETITIONS, 1, sizes)
        y = rng.normal(size=shape) + 1e-3 * rng.normal(size=(REPETITIONS, seeds, sizes))
        left, right = coefficient(log_sizes(sizes), y, 1).interval(0.9)
        assert low <= np.sum((left <= 0) & (right >= 0)) <= high, (sizes, seeds)


@pytest.mark.parametrize("structure", STRUCTURES + RAGGED_UNEVENLY)
@pytest.mark.parametrize("sizes", [5, 8, 12, 30])
def test_no_verdict_is_wrong_more_than_six_times_in_a_hundred(structure, sizes):
    tolerance = 1 / 12
    for scale, truth in itertools.product((0.02, 0.1, 0.3), (0.0, tolerance, 2 * tolerance)):
        setting = (structure, sizes, 5, scale, truth, -tolerance, tolerance)
        inside, outside = either_way(supported, *setting), either_way(refuted, *setting)
        assert not np.any(inside & outside)
        assert truth < tolerance or np.mean(inside) <= 0.06, (scale, truth)
        assert truth > tolerance or np.mean(outside) <= 0.06, (scale, truth)


def test_without_room_for_uneven_sizes_verdicts_would_be_wrong_twice_as_often():
    edge = 1 / 12
    found = fits("at the ends", 8, 5, 0.02, edge)
    assert np.mean(supported(found, -edge, edge)) > 0.1


@pytest.mark.parametrize("seeds", [3, 4, 10])
def test_nor_with_other_numbers_of_seeds_nor_for_a_half_line(seeds):
    for structure in STRUCTURES + RAGGED_UNEVENLY:
        for rule in (supported, refuted):
            assert np.mean(either_way(rule, structure, 8, seeds, 0.1, 0.0, 0.0, np.inf)) <= 0.06, structure


@pytest.mark.parametrize("structure", STRUCTURES)
def test_a_level_is_wrong_no_more_often(structure):
    rng = np.random.default_rng([20261132, STRUCTURES.index(structure)])
    for sizes in (2, 6) if "ragged" in structure else (1, 2, 6):
        found = coefficient(log_sizes(sizes), noise(structure, sizes, 5, 0.1, rng), 0)
        assert np.mean(supported(found, 0.0, 9.0)) <= 0.06, sizes
        assert np.mean(refuted(found, 0.0, 9.0)) <= 0.06, sizes


def test_a_straight_line_bends_no_more_often_than_one_time_in_twenty_and_a_bent_one_is_seen():
    x = log_sizes(8)
    rng = np.random.default_rng(20261133)
    error = noise("independent", 8, 5, 0.1, rng)
    assert np.mean(bends(coefficient(x, error, 2), np.ptp(x), 0.0)) <= 0.05
    bent = coefficient(x, error - 0.1 * x**2, 2)
    assert np.mean(bends(bent, np.ptp(x), 1 / 12)) > 0.99
    assert np.mean(bends(bent, np.ptp(x), 1.0)) == 0.0


def test_the_fit_is_the_least_squares_one_and_equal_to_the_fit_of_the_means():
    rng = np.random.default_rng(20261134)
    x, y = log_sizes(9), rng.normal(size=(4, 9))
    for degree in (0, 1, 2):
        found = coefficient(x, y, degree)
        assert found.value == pytest.approx(np.polyfit(x, y.mean(axis=0), degree)[0])
        assert found.by_seed == pytest.approx([np.polyfit(x, row, degree)[0] for row in y])


def test_p_values_say_what_the_intervals_say():
    found = fits("tilted", 8, 5, 0.1, 0.1)
    assert np.array_equal(found.p_outside(-0.2, 0.2) <= 0.05, supported(found, -0.2, 0.2))
    assert np.array_equal(found.p_inside(-0.1, 0.05) < 0.05, refuted(found, -0.1, 0.05))


def test_the_power_is_what_simulation_finds():
    """On average over data sets: each prints the power for the error that it saw."""
    tolerance = 0.1
    for truth in (0.0, 2 * tolerance):
        found = fits("tilted", 8, 10, 0.1, truth)
        printed = [
            power(
                Coefficient(*(np.asarray(v)[i] for v in (found.value, found.error, found.degrees, found.by_seed))),
                -tolerance, tolerance, truth=0.0, rival=2 * tolerance,
            )
            for i in range(400)
        ]  # fmt: skip
        support, refute = np.mean(printed, axis=0)
        if truth:
            assert refute == pytest.approx(np.mean(refuted(found, -tolerance, tolerance)), abs=0.1)
        else:
            assert support == pytest.approx(np.mean(supported(found, -tolerance, tolerance)), abs=0.1)


def test_randomisation_agrees_where_the_trend_is_plain_and_not_where_there_is_none():
    x = log_sizes(6)
    rng = np.random.default_rng(20261135)
    for _ in range(20):
        y = noise("independent", 6, 6, 0.1, rng, repetitions=1)[0]
        assert max(randomised(x, y - 0.5 * x, -0.1, degree=1).values()) < 0.02
    plain = [randomised(x, noise("independent", 6, 6, 0.1, rng, 1)[0], 0.0, degree=1) for _ in range(60)]
    for kind in ("signs", "orders"):
        shares = [p[kind] for p in plain]
        assert stats.kstest(shares, "uniform", args=(0, 0.5)).pvalue > 0.001


def test_many_sizes_are_permuted_by_a_named_seed():
    x = log_sizes(30)
    y = np.outer(np.ones(3), -x) + 0.1 * np.sin(7 * x)
    first = randomised(x, y, -0.5, degree=1)
    assert first == randomised(x, y, -0.5, degree=1)
    assert set(first) == {"orders"}
    assert 0 < first["orders"] < 1e-3


def test_looking_again_until_it_is_decided_would_be_wrong_three_times_as_often():
    """Why one look is taken: with more seeds at every look, a value at the edge ends up supported too often."""
    x, tolerance = log_sizes(8), 1 / 12
    rng = np.random.default_rng(20261136)
    y = tolerance * x + noise("tilted", 8, 60, 0.1, rng, repetitions=2000)
    ever = np.zeros(2000, dtype=bool)
    open_still = ~ever
    for seeds in range(3, 61, 3):
        found = coefficient(x, y[:, :seeds], 1)
        ever |= open_still & supported(found, -tolerance, tolerance)
        open_still &= ~(ever | refuted(found, -tolerance, tolerance))
    assert np.mean(ever) > 0.15


def test_holm_is_the_step_down_of_bonferroni():
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03}) == pytest.approx({"a": 0.03, "b": 0.06, "c": 0.06})
    assert holm({"a": 0.9, "b": 0.8}) == {"a": 1.0, "b": 1.0}
    assert holm({}) == {}


def test_too_little_data_is_refused():
    with pytest.raises(ValueError, match="too few"):
        coefficient(log_sizes(1), np.zeros((3, 1)), 1)
    with pytest.raises(ValueError, match="too few"):
        coefficient(log_sizes(5), np.zeros((1, 5)), 1)
