"""Plans spend their budget, respect limits, and the run they propose narrows a prediction as much as they say."""

from __future__ import annotations

import math

import numpy as np
import pytest

from empirics.fitting.design import next_run
from empirics.fitting.fit import fit
from empirics.fitting.intervals import bootstrap
from empirics.fitting.objective import FitObjective
from empirics.fitting.observations import Observations
from empirics.fitting.plan import budget_for_loss, plan
from theory import JMSL, SeparableLaw
from theory.errors import MoelawsError
from theory.laws.law import LAWS

TRUE = LAWS["hoffmann2022"].law
NOISE = 0.005


def table(seed, extra=None):
    draws = np.random.default_rng(seed)
    size, tokens = np.meshgrid(np.geomspace(5e7, 4e9, 8), np.geomspace(2e9, 2e11, 6))
    size, tokens = size.ravel(), tokens.ravel()
    if extra:
        size, tokens = np.r_[size, extra["parameters"]], np.r_[tokens, extra["tokens"]]
    loss = TRUE.loss(size, tokens) * np.exp(NOISE * draws.standard_normal(size.size))
    return Observations(SeparableLaw, {"parameters": size, "tokens": tokens}, loss)


def fitted(seed, extra=None):
    start = SeparableLaw(TRUE.m, TRUE.u, TRUE.n, TRUE.v, TRUE.floor)
    return fit(table(seed, extra), objective=FitObjective.squared(), start=start, starts=1)


def test_a_plan_without_limits_is_the_optimum_of_the_law():
    found = plan(JMSL, 1e21, given={"expansion": 8})
    assert (found.parameters, found.tokens, found.loss) == pytest.approx(tuple(JMSL.compute_optimal(1e21, 8)))
    assert found.limited == ""


@pytest.mark.parametrize(
    ("limits", "said"), [({"most_parameters": 1e9}, "parameters"), ({"most_tokens": 1e10}, "tokens")]
)
def test_within_a_limit_no_size_is_better(limits, said):
    found = plan(TRUE, 1e21, **limits)
    assert found.limited == said
    assert 6 * found.parameters * found.tokens == pytest.approx(1e21)
    for size in np.geomspace(1e8, 1e12, 2000):
        if size <= limits.get("most_parameters", math.inf) and 1e21 / 6 / size <= limits.get(
            "most_tokens", math.inf
        ):
            assert TRUE.loss(size, 1e21 / 6 / size) >= found.loss * (1 - 1e-12)


def test_the_least_budget_reaches_the_loss_and_no_smaller_one_does():
    flops = budget_for_loss(TRUE, 2.0)
    assert TRUE.compute_optimal(flops).loss <= 2.0 < TRUE.compute_optimal(flops * (1 - 1e-6)).loss


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: plan(TRUE, 0), "flops=0"),
        (lambda: plan(TRUE, math.nan), "flops=nan"),
        (lambda: plan(JMSL, 1e20), "needs given expansion"),
        (lambda: plan(TRUE, 1e24, most_parameters=1e9, most_tokens=1e9), "raise a limit"),
        (lambda: plan(LAWS["clark2022-rl"].law, 1e20, given={}), "ClarkLaw allocates no compute"),
        (lambda: budget_for_loss(TRUE, 1.6), "does not fall so low"),
    ],
)
def test_bad_input_is_one_clear_error(call, said):
    with pytest.raises(MoelawsError, match=said):
        call()


def test_an_interval_of_the_loss_and_a_warning_where_it_extrapolates():
    found = fitted(0)
    resampled = bootstrap(found, 200)
    near = plan(found.law, 1e20, samples=resampled, runs=found.observations)
    far = plan(found.law, 1e25, samples=resampled, runs=found.observations)
    assert near.remarks == ()
    assert "extrapolates: parameters is" in far.remarks[0]
    assert near.interval.low < near.loss < near.interval.high
    assert far.interval.high - far.interval.low > near.interval.high - near.interval.low


@pytest.mark.thorough
def test_the_proposed_run_narrows_the_prediction_as_promised():
    """400 tables with and without the run, seeds 0 to 399; what is promised rests on a table too, so the median of 40 is taken."""
    target = {"parameters": 7e10, "tokens": 1.4e12}
    proposals = [next_run(fitted(seed), target, 1e22) for seed in range(40)]
    before, after = (float(np.median([each[i] for each in proposals])) for i in (1, 2))

    def spread(extra):
        return np.std([math.log(fitted(seed, extra).law.loss(**target)) for seed in range(400)])

    assert spread(None) == pytest.approx(before, rel=0.1)
    assert spread(proposals[0].inputs) == pytest.approx(after, rel=0.1)
    assert after < 0.95 * before


@pytest.mark.thorough
def test_profile_intervals_cover_the_truth():
    """Coverage of 95% intervals in 200 tables is within the binomial 99% band, seeds 0 to 199."""
    from scipy.stats import binom

    from empirics.fitting.intervals import profile

    low, high = binom.interval(0.99, 200, 0.95)
    for name in ("u", "v", "floor"):
        truth = getattr(TRUE, name)
        hits = sum(i.low <= truth <= i.high for i in (profile(fitted(seed), name) for seed in range(200)))
        assert low <= hits <= high, (name, hits)
