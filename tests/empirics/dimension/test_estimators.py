"""Every estimator of dimension: exact on the neighbours of a Poisson process, and a sentence where nothing can be read."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from empirics.base.randomness import named_generator
from empirics.dimension.estimator import DimensionEstimator, dimension_estimators
from empirics.dimension.estimators.gride import Gride
from empirics.dimension.estimators.levina_bickel import LevinaBickel
from empirics.dimension.estimators.local_pca import LocalPCA
from empirics.dimension.estimators.mackay_ghahramani import MacKayGhahramani
from empirics.dimension.estimators.two_nn import TwoNN
from empirics.dimension.neighbours import Neighbours, nearest_neighbours
from empirics.worlds.manifolds import Gaussian
from theory.errors import MoelawsError

ESTIMATORS = dimension_estimators()
BY_DISTANCE = [LevinaBickel(), MacKayGhahramani(), TwoNN(), TwoNN(method="linear"), Gride(1), Gride(4)]


def poisson(d: int, n: int, k: int = 20, seed: int = 0) -> Neighbours:
    """Distances to the first k points of a Poisson process in d dimensions: the volumes they enclose are sums of exponentials."""
    rng = named_generator("poisson neighbours", d, n, seed)
    distances = np.cumsum(rng.exponential(size=(n, k)), axis=1) ** (1 / d)
    return Neighbours(
        np.zeros((n, d)), distances, np.zeros((n, k), dtype=np.intp), np.arange(n), "euclidean", 0, 0
    )


@pytest.mark.parametrize("d", [2, 5, 10, 30, 100])
@pytest.mark.parametrize("estimator", BY_DISTANCE, ids=repr)
def test_exact_ratios_give_the_dimension(estimator, d):
    n = 20_000
    found = estimator.estimate(poisson(d, n))
    ratios = {LevinaBickel: 18, MacKayGhahramani: 19}.get(
        type(estimator), 1
    )  # of them each point has so many
    assert abs(found / d - 1) < 5 / np.sqrt(n * ratios)


def test_what_is_biased_is_biased_as_said():
    table = poisson(10, 20_000)
    assert LevinaBickel(unbiased=False).estimate(table) == pytest.approx(
        LevinaBickel().estimate(table) * 19 / 18
    )
    assert LevinaBickel(centre="median").estimate(table) < LevinaBickel().estimate(table)
    few = poisson(10, 3, 5)
    likelihood = 3 * 4 / MacKayGhahramani(5).local(few).sum()
    assert MacKayGhahramani(5).estimate(few) == pytest.approx(likelihood * (3 * 4 - 1) / (3 * 4))


def test_gride_at_one_neighbour_is_the_likelihood_of_two_nn():
    table = poisson(7, 500)
    assert Gride(1).estimate(table) == pytest.approx(TwoNN().estimate(table) * 500 / 499)


def test_ties_are_left_out_and_do_not_count():
    local = Gride(4).local(poisson(10, 2000))
    tied = np.where(np.arange(len(local)) % 2, 0, local)
    assert Gride(4).pooled(tied) == pytest.approx(Gride(4).pooled(local[::2]))


@pytest.mark.parametrize("near", [1, 2, 5])
def test_gride_is_where_its_likelihood_is_largest(near):
    local = Gride(near).local(poisson(6, 400))
    mu = np.exp(local)

    def log_likelihood(d):
        return np.sum(np.log(d) + (near - 1) * np.log(mu**d - 1) - ((2 * near - 1) * d + 1) * np.log(mu))

    best = Gride(near).pooled(local)
    assert log_likelihood(best) > max(log_likelihood(best * 0.999), log_likelihood(best * 1.001))


# The contract


@pytest.mark.parametrize("kind", ESTIMATORS.values(), ids=lambda kind: kind.__name__)
class TestContract:
    def test_it_reads_a_plane_in_many_coordinates(self, kind):
        rng = named_generator("plane", 2)
        cloud = rng.normal(size=(600, 2)) @ rng.normal(size=(2, 9))
        assert kind().estimate(nearest_neighbours(cloud)) == pytest.approx(2, rel=0.15)

    def test_moving_turning_scaling_and_reordering_change_nothing(self, kind):
        rng = named_generator("invariance", 3)
        cloud = Gaussian(3).sample(300, rng)
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        found = kind().estimate(nearest_neighbours(cloud))
        for other in (cloud @ turn, cloud + 1e4, cloud * 1e-6, np.hstack([cloud, np.ones((300, 4))])):
            assert kind().estimate(nearest_neighbours(other)) == pytest.approx(found, rel=1e-6)
        assert kind(**_small(kind)).estimate(nearest_neighbours(cloud[::-1])) == pytest.approx(
            kind(**_small(kind)).estimate(nearest_neighbours(cloud)), rel=1e-9
        )

    def test_duplicates_change_nothing(self, kind):
        cloud = Gaussian(3).sample(300, named_generator("duplicates", 3))
        found = nearest_neighbours(np.vstack([cloud, cloud[:40]]))
        assert found.dropped == 40
        assert kind().estimate(found) == kind().estimate(nearest_neighbours(cloud))

    def test_settings_are_read_and_changed_by_name(self, kind):
        made = kind()
        assert type(made)(**made.get_params()) == made
        with pytest.raises(MoelawsError, match="has no setting 'kk'"):
            made.with_params(kk=3)
        with pytest.raises(dataclasses.FrozenInstanceError):
            made.name_of_no_setting = 3
        cloud = Gaussian(2).sample(200, named_generator("fit", 2))
        assert made.fit(cloud).dimension_ == made.estimate(nearest_neighbours(cloud, made.neighbours_needed))

    def test_too_few_points_are_told(self, kind):
        made = kind()
        cloud = Gaussian(2).sample(max(3, made.neighbours_needed), named_generator("few", 2))
        if made.neighbours_needed > 2:
            with pytest.raises(MoelawsError, match=r"needs \d+ neighbours of each point"):
                made.estimate(nearest_neighbours(cloud))

    def test_what_has_no_dimension_is_told_and_never_nan(self, kind):
        corners = np.eye(120)  # all at one distance from each other
        if kind is LocalPCA:
            assert kind().estimate(nearest_neighbours(corners)) > 40
        else:
            with pytest.raises(MoelawsError, match="no dimension can be read off"):
                kind().estimate(nearest_neighbours(corners))


def _small(kind: type[DimensionEstimator]) -> dict[str, int]:
    return {"points": 300} if kind is LocalPCA else {}


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: LevinaBickel(k=2), "k=2: expected a whole number of at least 3"),
        (lambda: LevinaBickel(centre="mode"), "centre='mode'"),
        (lambda: TwoNN(method="guess"), "method='guess'"),
        (lambda: TwoNN(discard=1), "discard=1"),
        (lambda: Gride(near=0), "near=0"),
        (lambda: LocalPCA(share=1), "share=1"),
        (lambda: MacKayGhahramani(k=True), "k=True"),
    ],
)
def test_wrong_settings_are_told(make, what):
    with pytest.raises(MoelawsError, match=what):
        make()
