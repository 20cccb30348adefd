"""The measured claims as they are designed: coverage, tolerances and seeds. What they find is in `test_papers`."""

from __future__ import annotations

import pytest
import sympy as sp

from verify import MeasuredExponent
from verify.judging.papers import installed_folders, load_paper


@pytest.fixture(scope="module")
def measured():
    claims = load_paper(installed_folders()["mayaki2026"]).claims.values()
    found = [claim for claim in claims if isinstance(claim.check, MeasuredExponent)]
    assert len(found) >= 12
    return found


def test_every_claim_about_the_number_of_experts_is_in_a_family(measured):
    names = ("known-truth/alpha-n/", "known-truth/either-route/", "known-truth/overlap/")
    families = [claim.family for claim in measured if claim.id.partition("/")[2].startswith(names)]
    assert {family: families.count(family) for family in families} == {
        "known truth: alpha_N in squared L2": 19,
        "known truth: alpha_N in squared sup-norm": 5,
    }


def test_the_bound_on_the_diagonal_has_seeds_of_its_own(measured):
    own = next(claim for claim in measured if claim.id.endswith("at-least-a-branch"))
    seeds = {*own.check.design.seeds, *own.check.full.seeds}
    for claim in measured:
        if claim is not own:
            assert not seeds & {*claim.check.design.seeds, *claim.check.full.seeds}, claim.id


def test_dimensions_and_smoothness_are_covered_by_claims_that_should_hold(measured):
    worlds = [claim.check.experiment.world for claim in measured if hasattr(claim.check.experiment, "world")]
    assert {world.d for world in worlds} >= {1, 2, 3, 4}
    assert {world.beta for world in worlds} >= {0.5, 0.7, 1.0, 1.5, 2.0}
    assert sum(claim.expect is None for claim in measured) >= 20


def test_every_tolerance_is_half_the_distance_to_the_nearest_rival(measured):
    for claim in measured:
        gaps = [abs(value - claim.check.predicted) for value in claim.check.rivals.values()]
        assert claim.check.tolerance == sp.Min(*gaps) / 2, claim.id
        assert claim.check.stricter is None


def test_the_full_profile_uses_at_least_ten_seeds_that_the_quick_one_does_not(measured):
    for claim in measured:
        quick, full = claim.check.design, claim.check.full
        assert len(full.seeds) >= 10
        assert not set(quick.seeds) & set(full.seeds)
        assert len(quick.sizes) >= 5
        assert max(*quick.seeds, *full.seeds) < 1000  # from there on seeds are for trying designs out


def test_every_claim_that_should_hold_has_its_nearest_rival_as_a_mutant(measured):
    for claim in measured:
        if claim.expect is None:
            nearest = min(claim.check.rivals.values(), key=lambda v: abs(v - claim.check.predicted))
            assert nearest in [changes["predicted"] for changes in claim.mutants.values()], claim.id
