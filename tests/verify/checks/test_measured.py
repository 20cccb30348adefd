"""Measured claims: the three-way rule, tolerance from rivals, what cannot be tested, mutants, and replication."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from empirics import Design, Experiment
from empirics.experiments.experiment import run
from verify import Budget, Claim, Evidence, InputError, MeasuredExponent, MeasuredLevel, Verdict
from verify.measured.rivals import tolerance
from verify.verdicts import combine


@dataclass(frozen=True)
class Decay(Experiment):
    """size^-exponent with lognormal noise; each seed may tilt it, and all may bend."""

    quantity: ClassVar[str] = "error [1]"
    size: ClassVar[str] = "samples [1]"
    exponent: float = 0.5
    noise: float = 0.05
    tilt: float = 0.0
    bend: float = 0.0

    def measure(self, size, seed):
        tilt = self.tilt * np.random.default_rng([seed]).normal()
        noise = self.noise * np.random.default_rng([seed, size]).normal()
        return np.exp(noise - (self.exponent + tilt) * np.log(size) + self.bend * np.log(size) ** 2)


@dataclass(frozen=True)
class OffAtOneEnd(Experiment):
    """size^-1/2, but for a smallest size that lies off the line under every seed."""

    quantity: ClassVar[str] = "error [1]"
    size: ClassVar[str] = "samples [1]"

    def measure(self, size, seed):
        noise = 1e-3 * np.random.default_rng([seed, size]).normal()
        return np.exp(noise - 0.5 * np.log(size) + (0.17 if size == 10 else 0.0))


SIZES = Design((10, 30, 100, 300, 1000), range(6))
RIVALS = {"cubic": "1/3"}


def judged(check: MeasuredExponent | MeasuredLevel, *, full: bool = False) -> Evidence:
    return combine(check.evidence(Budget(full=full)))


def exponent(measured: Experiment, predicted: object = "1/2", **rest: object) -> MeasuredExponent:
    return MeasuredExponent(measured, predicted, **{"rivals": RIVALS, "design": SIZES, **rest})


def test_three_verdicts():
    assert judged(exponent(Decay(0.5))).verdict is Verdict.SUPPORTED
    assert judged(exponent(Decay(0.7))).verdict is Verdict.REFUTED
    undecided = judged(exponent(Decay(0.5, noise=0.6)))
    assert undecided.verdict is Verdict.INCONCLUSIVE
    assert "this design supports a true claim with probability 0.0" in undecided.finding


def test_a_refutation_names_its_witness_and_a_second_evaluator():
    found = judged(exponent(Decay(0.7)))
    assert found.witness["allowed"] == "1/2 ± 1/12"
    assert "orders of the sizes" in found.confirmed_by
    assert "sign patterns of the seeds" in found.confirmed_by
    assert "each half of the seeds refutes it by itself" in found.confirmed_by


def test_seeds_that_tilt_the_line_widen_the_interval():
    """The scatter about the mean line is small here; the targets differ, and that is the error."""
    found = judged(exponent(Decay(0.5, noise=0.001, tilt=0.3)))
    low, high = map(float, found.details["measured"]["interval_90"])
    assert found.verdict is Verdict.INCONCLUSIVE
    assert high - low > 0.2


def test_a_bend_within_the_tolerance_does_no_harm_and_a_larger_one_decides_nothing():
    assert judged(exponent(Decay(0.5, noise=1e-4, bend=1e-3))).verdict is Verdict.SUPPORTED
    bent = judged(exponent(Decay(0.2, noise=1e-4, bend=-0.04)))
    assert bent.verdict is Verdict.INCONCLUSIVE
    assert bent.finding.startswith("no power law shown in this range")


def test_what_a_supported_claim_leaves_to_explain_is_said():
    straight, off, bent = (
        judged(exponent(found)).finding
        for found in (Decay(0.5), Decay(0.54, noise=1e-4), Decay(0.5, noise=1e-4, bend=1e-3))
    )
    assert straight.endswith("all of it within 1/2 ± 1/12")
    assert "; the predicted value itself lies outside the 95% interval, 0.54 to 0.54" in off
    assert "; a significant bend moves it by 0.00462 at an end of the range" in bent


def test_a_verdict_has_to_stand_where_sizes_scatter_unevenly():
    """One end lies off the line: by the common variance of all sizes the exponent is 1/2, by its own it is open."""
    found = judged(exponent(OffAtOneEnd()))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "where sizes may scatter unevenly the 90% interval is" in found.finding
    even, uneven = (
        [float(end) for end in found.details["measured"][kind]] for kind in ("interval_90", "uneven_90")
    )
    assert even[0] > 5 / 12
    assert even[1] < 7 / 12
    assert uneven[0] < 5 / 12 or uneven[1] > 7 / 12
    assert float(found.details["p_support"]) > 0.05


def test_a_bend_that_stays_on_one_side_leaves_a_one_sided_claim_alone():
    check = exponent(Decay(0.5, noise=1e-4, bend=-0.04), "1/2", relation="at least")
    assert judged(check).verdict is Verdict.SUPPORTED
    assert (
        judged(exponent(Decay(0.1, noise=1e-4, bend=-0.04), relation="at least")).verdict
        is Verdict.INCONCLUSIVE
    )


@pytest.mark.parametrize(
    ("relation", "truth", "verdict"),
    [
        ("at least", 0.9, Verdict.SUPPORTED),
        ("at least", 0.5, Verdict.SUPPORTED),
        ("at least", 0.3, Verdict.REFUTED),
        ("at most", 0.1, Verdict.SUPPORTED),
        ("at most", 0.5, Verdict.SUPPORTED),
        ("at most", 0.75, Verdict.REFUTED),
    ],
)
def test_one_sided(relation, truth, verdict):
    rivals = {"rival": "1/3" if relation == "at least" else "2/3"}
    assert judged(exponent(Decay(truth), relation=relation, rivals=rivals)).verdict is verdict


def test_growth_has_the_other_sign():
    assert judged(exponent(Decay(-1), 1, grows=True, rivals={"root": "1/2"})).verdict is Verdict.SUPPORTED
    assert judged(exponent(Decay(-1), 1, rivals={"root": "1/2"})).verdict is Verdict.REFUTED


def test_a_level():
    flat = Decay(0.0, noise=0.1)
    check = MeasuredLevel(flat, 1, rivals={"half": "1/2"}, design=Design((10, 100), range(8)))
    assert judged(check).verdict is Verdict.SUPPORTED
    assert judged(check.changed({"predicted": "1/2"})).verdict is Verdict.REFUTED
    drifting = check.changed({"experiment": Decay(0.5, noise=0.01), "design": Design((1, 2, 4, 8), range(8))})
    assert judged(drifting).finding.startswith("no constant level shown in this range")


def test_sizes_that_hardly_differ_show_no_exponent():
    near = exponent(Decay(), design=Design((1000, 1001, 1002, 1003, 3000), range(6)))
    assert judged(near).verdict is Verdict.NOT_TESTABLE
    assert judged(near).finding == "the largest size is 3 times the smallest: to show a power law takes 4"


def test_a_level_under_many_seeds_can_be_refuted():
    check = MeasuredLevel(Decay(0.0), 2, rivals={"one": 1}, design=Design((10,), range(20)))
    found = judged(check)
    assert found.verdict is Verdict.REFUTED
    assert found.confirmed_by.startswith("randomisation")


def test_the_statements_behind_a_prediction_are_what_the_claim_rests_on_but_not_part_of_its_key():
    from theory import data_exponent
    from verify.judging.fingerprint import check_key

    check = exponent(Decay())
    resting = check.changed({"theory": (data_exponent,)})
    claim = Claim("a/b", "falls", "here", resting, mutants={"cubic": {"predicted": "1/3"}})
    assert claim.statements() == (data_exponent,)
    assert check_key(resting, Budget()) == check_key(check, Budget())


def test_a_family_needs_a_check_that_gives_a_p_value():
    with pytest.raises(InputError, match="needs a check that gives a p value"):
        Claim("a/b", "falls", "here", not_testable="nothing to measure", family="rates")


def test_tolerance_is_half_the_distance_to_the_nearest_rival():
    assert tolerance("1/2", {"a": "1/3", "b": 1}) == sp.Rational(1, 12)
    assert tolerance("1/2", {"a": "1/3"}, relation="at least") == sp.Rational(1, 12)
    for bad in ({}, {"same": "0.5"}):
        with pytest.raises(InputError, match="rivals"):
            tolerance("1/2", bad)
    with pytest.raises(InputError, match="the claim \\(at least 1/2\\) allows it"):
        tolerance("1/2", {"a": 1}, relation="at least")


@settings(deadline=None)
@given(
    st.fractions(-3, 3, max_denominator=50),
    st.lists(st.fractions(-3, 3, max_denominator=50), min_size=1, max_size=4),
    st.floats(-4, 4),
)
def test_no_value_lies_within_the_tolerance_of_both_claim_and_rival(predicted, rivals, value):
    rivals = {str(r): r for r in rivals if r != predicted} or {"next": predicted + 1}
    around = tolerance(predicted, rivals)
    if abs(value - predicted) < around:
        assert all(abs(value - rival) > around for rival in rivals.values())


def test_a_stricter_tolerance_needs_a_reason_and_a_wider_one_is_refused():
    check = exponent(Decay(0.55), stricter="0.01", stricter_because="the theory is exact here")
    assert judged(check).verdict is Verdict.REFUTED
    with pytest.raises(InputError, match="stricter_because"):
        exponent(Decay(), stricter="0.01")
    with pytest.raises(InputError, match="at most 1/12"):
        exponent(Decay(), stricter="0.1", stricter_because="it would pass")


def test_a_mutant_that_predicts_a_rivals_value_has_the_claim_as_its_rival():
    mutant = exponent(Decay(), stricter="0.01", stricter_because="why not").changed({"predicted": "1/3"})
    assert mutant.rivals == {"the claim": "1/2"}
    assert mutant.tolerance == sp.Rational(1, 12)
    assert judged(mutant).verdict is Verdict.REFUTED


def test_the_full_profile_runs_the_full_design():
    check = exponent(Decay(), full=Design(SIZES.sizes, range(9)))
    assert len(judged(check).details["measured"]["seeds"]) == 6
    assert len(judged(check, full=True).details["measured"]["seeds"]) == 9


@dataclass(frozen=True)
class NeverRun(Decay):
    def measure(self, size, seed):
        raise AssertionError("measured although nothing can come of it")


@pytest.mark.parametrize(
    ("design", "why"),
    [(Design((1, 2, 4, 8), range(9)), "4 sizes"), (Design((1, 2, 4, 8, 16), range(2)), "2 seeds")],
)
def test_too_small_a_design_is_not_testable_and_not_run(design, why):
    found = judged(exponent(NeverRun(), design=design))
    assert found.verdict is Verdict.NOT_TESTABLE
    assert why in found.finding


@dataclass(frozen=True)
class NeedsMore(NeverRun):
    needs: ClassVar[tuple[str, ...]] = ("numpy", "no_such_module_anywhere")


def test_a_missing_module_is_a_missing_input():
    found = judged(exponent(NeedsMore()))
    assert found.verdict is Verdict.NOT_TESTABLE
    assert found.missing == "no_such_module_anywhere"


@dataclass(frozen=True)
class Crossing(Decay):
    def measure(self, size, seed):
        return 10 - size


def test_values_that_have_no_logarithm_are_not_testable():
    assert judged(exponent(Crossing())).verdict is Verdict.NOT_TESTABLE


def test_an_exact_power_law_without_noise_is_supported_and_its_rival_refuted():
    check = exponent(Decay(noise=0.0))
    assert judged(check).verdict is Verdict.SUPPORTED
    assert judged(check.changed({"predicted": "1/3"})).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    "wrong",
    [
        {"predicted": 0.5},
        {"predicted": "half"},
        {"predicted": sp.Symbol("x")},
        {"predicted": sp.I},
        {"predicted": sp.Float("0.5")},
        {"relation": "about"},
        {"experiment": "none"},
    ],
)
def test_bad_input_is_refused(wrong):
    with pytest.raises(InputError):
        exponent(Decay()).changed(wrong)


def test_equal_measurements_are_made_once():
    calls = []

    @dataclass(frozen=True)
    class Counted(Decay):
        def measure(self, size, seed):
            calls.append((size, seed))
            return 1.0

    first = run(Counted(), (1, 2), (0, 1))
    assert run(Counted(), (2, 1), (1, 0)) != first
    assert len(calls) == 4
    assert [(m.size, m.seed) for m in first] == [(1, 0), (1, 1), (2, 0), (2, 1)]
