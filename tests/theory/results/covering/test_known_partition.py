"""The risk of cell means over all ways that n samples fall into M cells, exactly; noise of variance 1."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import comb

import pytest
import sympy as sp

from theory.results.covering.known_partition import known_partition_risk
from theory.vocabulary import M, n, sigma


def bound(cells: int, samples: int) -> Fraction:
    value = known_partition_risk.bound.subs({M: cells, n: samples, sigma: 1})
    return Fraction(*sp.Rational(value).as_numer_denom())


@pytest.mark.parametrize(("cells", "samples"), [(2, 2), (2, 7), (3, 3), (3, 6), (4, 5)])
def test_where_every_cell_has_a_sample_the_risk_is_no_less_than_the_bound(cells, samples):
    risks = []
    for places in itertools.product(range(cells), repeat=samples):
        counts = [places.count(cell) for cell in range(cells)]
        if min(counts) > 0:
            risks.append(sum(Fraction(1, count) for count in counts) / cells)
    mean = sum(risks, Fraction(0)) / len(risks)
    assert mean >= bound(cells, samples)
    if cells == samples:
        assert mean == bound(cells, samples)


def test_with_empty_cells_the_risk_may_be_far_below_it():
    """The truth is 0, and so is what is predicted on an empty cell."""
    cells, samples = 64, 16
    falls = Fraction(1, cells)
    risk = sum(
        comb(samples, count) * falls**count * (1 - falls) ** (samples - count) / count
        for count in range(1, samples + 1)
    )
    assert float(risk) == pytest.approx(0.21, abs=0.005)
    assert risk < bound(cells, samples) / 15
