"""The engine against pairs of bounds labelled by derivation, citation and a numeric search that knows nothing of it."""

from __future__ import annotations

import pytest
import sympy as sp
from labelled_pairs import PAIRS, beta, d

from theory import PairVerdict, RateError, consistency

OPEN = {
    "periodic activations": "exp of a root of a size",
    "floor activations": "a size in the exponent of another",
    "count of patterns as accuracy": "a size in the exponent of another",
    "M = e^k, one rate doubled": "a difference",
    "M = e^k, one rate tripled": "a difference",
    "M = e^k, rate in M": "a difference",
    "iterated log in the rate": "log log",
    "iterated log in the entropy": "log log",
    "log against log over log log": "log log",
}
"""The pairs that the calculus leaves open, and what in them is beyond it."""


def judged(pair, point):
    values = dict(zip((beta, d), map(sp.nsimplify, point), strict=True))
    return consistency(
        pair.error.subs(values),
        pair.entropy.subs(values),
        over=pair.sizes,
        dimension=values[d],
        smoothness=values[beta],
        subject_to=[relation.subs(values) for relation in pair.constraints],
    )


def test_there_are_enough_pairs_of_either_label():
    labels = [pair.label for pair in PAIRS]
    assert labels.count("BROKEN") >= 60
    assert labels.count("CONSISTENT") >= 60
    assert len(OPEN) <= len(PAIRS) / 10


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_no_pair_is_judged_wrongly(pair):
    for point in pair.points:
        try:
            found = judged(pair, point)
        except RateError as refusal:
            found = refusal
        if isinstance(found, RateError) or found.verdict is PairVerdict.UNDECIDED:
            print(f"open: {pair.name} at {point}: {found}")
            assert pair.name in OPEN, found
            continue
        assert found.verdict.name == pair.label, found
        assert found.check(), found.check()
        slack = sp.sympify(pair.slack).subs({beta: point[0], d: point[1]})
        if slack.is_finite and found.slack is not sp.nan:
            assert sp.simplify(found.slack - sp.nsimplify(slack)) == 0, found


@pytest.mark.parametrize("name", OPEN)
def test_what_is_left_open_is_open_at_every_point(name):
    (pair,) = [pair for pair in PAIRS if pair.name == name]
    for point in pair.points:
        try:
            verdict = judged(pair, point).verdict
        except RateError:
            verdict = PairVerdict.UNDECIDED
        assert verdict is PairVerdict.UNDECIDED
