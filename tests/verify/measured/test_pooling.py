"""Cochran's Q: its size under equality and its power, by simulation with a named seed."""

from __future__ import annotations

import numpy as np
import pytest

from verify.measured.pooling import homogeneity, homogeneity_power

ERRORS = [1.5, 0.56, 0.46, 0.31]


def rejections(means, repetitions=4000):
    rng = np.random.default_rng(20260409)
    draws = rng.normal(size=(repetitions, len(means))) * ERRORS + means
    return np.mean([homogeneity(row.tolist(), ERRORS).p_value < 0.05 for row in draws])


def test_equal_means_are_rejected_one_time_in_twenty():
    assert rejections(np.full(4, 22.0)) == pytest.approx(0.05, abs=0.012)  # 99.9% band of 4,000 draws


def test_the_power_is_what_simulation_finds():
    drift = [22.5, 22.1, 21.6, 21.0]
    assert rejections(np.array(drift)) == pytest.approx(homogeneity_power(drift, ERRORS), abs=0.03)
    assert homogeneity_power([1.0, 1.0], [1.0, 1.0]) == 0.05


def test_the_pooled_mean_weighs_by_precision():
    found = homogeneity([10.0, 20.0], [1.0, 2.0])
    assert found.pooled == pytest.approx(12.0)
    assert found.pooled_error == pytest.approx(0.8**0.5)
    assert found.q == pytest.approx(20.0)


@pytest.mark.parametrize(
    ("means", "errors"),
    [([1.0], [1.0]), ([1.0, 2.0], [1.0]), ([1.0, 2.0], [1.0, 0.0]), ([1.0, np.nan], [1.0, 1.0])],
)
def test_bad_input_is_refused(means, errors):
    with pytest.raises(ValueError, match="means"):
        homogeneity(means, errors)
