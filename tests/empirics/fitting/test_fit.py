"""Fits find what they should, say when they did not, and do not depend on the objective's scale."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from empirics.fitting.certificate import certify
from empirics.fitting.compare import compare
from empirics.fitting.descent import Descent, descend
from empirics.fitting.fit import fit
from empirics.fitting.intervals import bootstrap, identified, over_identification, profile
from empirics.fitting.objective import FitObjective
from empirics.fitting.observations import Observations
from theory import JMSL, SeparableLaw
from theory.errors import MoelawsError
from theory.laws.kaplan import KaplanLaw
from theory.laws.law import LAWS
from theory.laws.repeated import RepeatedDataLaw

OBJECTIVES = {
    "log-Huber": FitObjective(),
    "log": FitObjective.squared(),
    "nats": FitObjective.squared(log=False),
}
TRUE, KAPLAN = LAWS["hoffmann2022"].law, LAWS["kaplan2020"].law


def runs_of(law, rows=60, seed=0, noise=0.0):
    draws = np.random.default_rng(seed)
    ranges = {"parameters": (7, 10), "tokens": (9, 11.5), "1": (0.3, 1.5)}
    inputs = {q.name: 10 ** draws.uniform(*ranges[q.unit], rows) for q in law.inputs}
    loss = law.loss(**inputs) * np.exp(noise * draws.standard_normal(rows))
    return Observations(type(law), inputs, loss)


# What is known


def test_the_refit_of_240_points(refitted):
    assert len(refitted) == 240
    found = fit(refitted)
    assert found.value == pytest.approx(1.0182740e-3, rel=1e-6)
    expected = {"m": 477.83, "u": 0.347310, "n": 2143.4, "v": 0.367172, "floor": 1.81722}
    for name, value in found.coefficients().items():
        assert value == pytest.approx(expected[name], rel=1e-3 if name in "mn" else 1e-5)
    assert found.certificate.converged
    assert found.certificate.optima[0][1] >= 30


def test_all_245_points(chinchilla):
    assert len(chinchilla) == 245
    assert fit(chinchilla).law.v == pytest.approx(0.4530, abs=1e-4)


@pytest.mark.parametrize("scale", [1 / 240, 1e6])
def test_the_scale_of_the_objective_changes_nothing(scale):
    runs = runs_of(TRUE, noise=0.01)
    one = fit(runs)
    other = fit(Observations(runs.kind, runs.inputs, runs.loss, weights=np.full(len(runs), scale)), starts=32)
    assert other.value == pytest.approx(one.value * scale, rel=1e-9)
    for name, value in one.coefficients().items():
        assert other.coefficients()[name] == pytest.approx(value, rel=1e-7)
    assert other.certificate.converged
    assert profile(other, "u") == pytest.approx(profile(one, "u"), rel=1e-3)


@pytest.mark.parametrize("objective", OBJECTIVES.values(), ids=OBJECTIVES)
@pytest.mark.parametrize("name", ["hoffmann2022", "kaplan2020"])
def test_noise_free_losses_give_their_law_back(name, objective):
    law = LAWS[name].law
    found = fit(runs_of(law), objective=objective)
    for quantity, value in found.coefficients().items():
        assert value == pytest.approx(getattr(law, quantity), rel=1e-8)
    assert found.certificate.converged, str(found.certificate)


def test_the_joint_law_fits_its_own_losses():
    runs = runs_of(JMSL, rows=200)
    found = fit(runs, objective=FitObjective.squared(), starts=4)
    assert found.rms() < 1e-6


def test_weights_and_copies_of_rows_are_the_same():
    runs = runs_of(TRUE, rows=20, noise=0.01)
    twice = runs.take(np.r_[np.arange(20), np.arange(5)])
    weighted = Observations(runs.kind, runs.inputs, runs.loss, weights=np.r_[np.full(5, 2.0), np.ones(15)])
    for one, other in zip(
        fit(twice).coefficients().values(), fit(weighted).coefficients().values(), strict=True
    ):
        assert one == pytest.approx(other, rel=1e-6)


# The certificate


def test_a_descent_that_was_stopped_is_not_certified():
    runs = runs_of(TRUE, noise=0.01)
    whole = fit(runs)
    surface = whole.surface
    start = surface.starts(runs.loss, 8, 0) + 0.2
    halted = descend(surface, start, runs.loss, runs.weight, whole.objective, most=2)
    certificate = certify(surface, start, halted, runs.loss, runs.weight, whole.objective)
    assert not certificate.converged
    assert "NOT CONVERGED" in str(certificate)


def test_a_coefficient_left_at_its_start_is_named():
    runs = runs_of(TRUE, noise=0.01)
    whole = fit(runs)
    start = np.repeat(whole.at[None], 2, axis=0)
    start[:, 3] += 0.1
    held = np.zeros_like(start)
    held[:, 3] = 1
    found = descend(whole.surface, start, runs.loss, runs.weight, whole.objective, held=held)
    certificate = certify(whole.surface, start, found, runs.loss, runs.weight, whole.objective)
    assert certificate.stuck == ("v",)
    assert not certificate.converged


def test_a_law_of_one_distinct_size_has_no_curvature_to_show():
    runs = runs_of(TRUE, noise=0.01)
    one = Observations(runs.kind, {**runs.inputs, "parameters": np.full(len(runs), 1e9)}, runs.loss)
    found = fit(one)
    assert any("parameters takes 1 value" in remark for remark in one.remarks())
    assert "flat in some direction" in str(found.certificate) or not found.certificate.converged
    assert "not identified" in identified(found, "u", profile(found, "u"))


def test_a_coefficient_that_runs_to_zero_is_named():
    """Losses that fall with the size alone, and rise a little with data: the term in data wants to vanish."""
    draws = np.random.default_rng(0)
    inputs = {"parameters": 10 ** draws.uniform(7, 10, 60), "tokens": 10 ** draws.uniform(9, 11.5, 60)}
    loss = (400 * inputs["parameters"] ** -0.34 + 1.7) * (inputs["tokens"] / 1e10) ** 0.002
    found = fit(Observations(SeparableLaw, inputs, loss), objective=FitObjective.squared())
    assert {"n", "v"} & set(found.certificate.vanishing)
    assert "NOT CONVERGED" in str(found.certificate)
    assert "runs to 0 or to infinity" in str(found.certificate)


@pytest.mark.parametrize("seed", [1, 6, 10])
def test_a_descent_that_passes_an_edge_comes_back(seed):
    """E_start ran to 1e-300 from the truth itself, the fit stayed there, and its profile was a tenth as wide as it should be."""
    law = LAWS["clark2022-sbase"].law
    design = np.random.default_rng(12)
    inputs = {
        "active_parameters": 10 ** design.uniform(7.5, 10, 80),
        "expansion": 10 ** design.uniform(0, 1.8, 80),
    }
    noise = np.exp(0.005 * np.random.default_rng(seed).standard_normal(80))
    runs = Observations(type(law), inputs, law.loss(**inputs) * noise)
    one, many = (fit(runs, objective=FitObjective.squared(), start=law, starts=count) for count in (1, 16))
    assert one.value == pytest.approx(many.value, rel=1e-6)
    interval = profile(one, "a")
    assert interval.high - interval.low > 0.002


def test_distinct_optima_are_told_apart():
    runs = runs_of(TRUE, noise=0.01)
    whole = fit(runs)
    ends = Descent(
        np.repeat(whole.at[None], 3, axis=0), np.array([2 * whole.value, whole.value, whole.value]), 1
    )
    optima = certify(whole.surface, ends.at - 1, ends, runs.loss, runs.weight, whole.objective).optima
    assert [count for _, count in optima] == [2, 1]


# Intervals


@pytest.mark.thorough
def test_bootstrapped_standard_deviations_of_the_refit(refitted):
    """The scale of the data term has a heavy tail: samples of 4,000 give 1270 to 1450, so 20,000 are drawn."""
    found = bootstrap(fit(refitted), 20_000, seed=0).standard_deviations()
    expected = {"m": 124.5, "n": 1293, "floor": 0.0257, "u": 0.0154, "v": 0.0206}
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=0.1), name


def test_the_refit_misses_the_exponent_that_theory_predicts(refitted):
    ratio, interval = over_identification(bootstrap(fit(refitted), 500, seed=0))
    assert ratio == pytest.approx(1.424, abs=1e-3)
    assert interval.low > 1


def test_rows_of_one_run_are_drawn_together():
    runs = runs_of(TRUE, rows=20, noise=0.01)
    copies = np.repeat(np.arange(20), 4)
    rows = runs.take(copies)
    alone, together = (
        Observations(rows.kind, rows.inputs, rows.loss, clusters=c)
        for c in (None, [f"run {i}" for i in copies])
    )
    objective = FitObjective.squared()
    wide = bootstrap(fit(together, objective=objective), 300).standard_deviations()["u"]
    narrow = bootstrap(fit(alone, objective=objective), 300).standard_deviations()["u"]
    assert wide > 1.5 * narrow


def test_a_profile_of_least_squares_covers_where_the_curvature_says():
    found = fit(runs_of(TRUE, rows=400, noise=1e-4), objective=FitObjective.squared())
    interval = profile(found, "u")
    spread = bootstrap(found, 1000).standard_deviations()["u"]
    assert interval.high - interval.low == pytest.approx(2 * 1.96 * spread, rel=0.1)
    assert interval.low < found.law.u < interval.high


def test_an_asymptote_that_few_runs_do_not_show_is_said_to_be_open():
    inputs = {"parameters": np.geomspace(1e7, 4e7, 6), "tokens": np.geomspace(1e9, 3e9, 6)[::-1]}
    loss = TRUE.loss(**inputs) * (1 + 0.02 * np.array([1, -1, 1, 1, -1, -1]))
    found = fit(Observations(SeparableLaw, inputs, loss), objective=FitObjective.squared())
    assert "not identified by 6 runs" in identified(found, "floor", profile(found, "floor"))


def test_the_largest_runs_are_held_out_together():
    runs = runs_of(TRUE, noise=0.01)
    rest, largest = runs.without_largest(0.1)
    assert len(largest) == 6
    assert rest.flops().max() < largest.flops().min()
    assert fit(runs).held_out() == pytest.approx(0.01, rel=0.7)


# Two laws


@pytest.fixture(scope="module")
def two_laws():
    runs = runs_of(TRUE, rows=100, noise=0.003)
    kaplan = Observations(KaplanLaw, runs.inputs, runs.loss)
    return tuple(fit(each, objective=FitObjective.squared()) for each in (runs, kaplan))


def test_the_law_that_made_the_losses_predicts_the_largest_better(two_laws):
    found = compare(*two_laws)
    assert found.held_out[0] < found.held_out[1]
    assert found.difference < -2 * found.standard_error
    assert found.p_value is None
    swapped = compare(*reversed(two_laws))
    assert swapped.held_out == pytest.approx(found.held_out[::-1])


@pytest.mark.parametrize(("unique", "pays"), [((9, 10), True), ((13, 14), False)])
def test_a_larger_law_pays_only_where_it_is_needed(unique, pays):
    """Losses with and without repeated tokens, to which the law without and with them are fitted."""
    law = LAWS["muennighoff2023"].law
    draws = np.random.default_rng(1)
    inputs = {name: 10 ** draws.uniform(*ends, 150) for name, ends in
              {"parameters": (7, 9), "tokens": (9.5, 11), "unique": unique}.items()}  # fmt: skip
    loss = law.loss(**inputs) * np.exp(0.002 * draws.standard_normal(150))
    large = fit(
        Observations(RepeatedDataLaw, inputs, loss), objective=FitObjective.squared(), start=law, starts=4
    )
    plain = {name: inputs[name] for name in ("parameters", "tokens")}
    small = fit(Observations(SeparableLaw, plain, loss), objective=FitObjective.squared())
    found = compare(small, large, nested=True)
    assert (found.p_value < 1e-6) == pays


# What is refused


def lost():
    """A fit of the separable law whose objective is that of no optimum."""
    runs = runs_of(KAPLAN, noise=0.1)
    return replace(fit(Observations(SeparableLaw, runs.inputs, runs.loss)), value=1e9)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: fit(runs_of(TRUE, rows=4)), "not identified by fewer rows"),
        (lambda: fit(runs_of(TRUE), start=JMSL), "expected a SeparableLaw"),
        (lambda: fit(runs_of(TRUE), starts=0), "starts=0"),
        (lambda: FitObjective(delta=0), "delta=0"),
        (lambda: FitObjective(delta=math.nan), "delta=nan"),
        (lambda: bootstrap(fit(runs_of(TRUE)), 0), "samples=0"),
        (lambda: profile(fit(runs_of(TRUE)), "E"), "no coefficient 'E'"),
        (lambda: profile(fit(runs_of(TRUE, rows=5)), "u"), "leave nothing to judge"),
        (lambda: runs_of(TRUE).without_largest(0), "share"),
        (lambda: compare(fit(runs_of(TRUE)), fit(runs_of(TRUE, rows=50))), "different runs"),
        (lambda: compare(fit(runs_of(TRUE)), fit(runs_of(TRUE)), nested=True), "not nested"),
        (lambda: compare(fit(runs_of(KAPLAN, noise=0.1)), lost(), nested=True), "did not arrive"),
    ],
)
def test_bad_input_is_one_clear_error(call, said):
    with pytest.raises(MoelawsError, match=said):
        call()
