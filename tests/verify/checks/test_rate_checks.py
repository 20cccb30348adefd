"""Checks on rates: optima proved and refuted, pairs of bounds judged, both with a second evaluator."""

from __future__ import annotations

import json

import pytest
import sympy as sp
from sympy import E, Max, Min, log

from theory import C, D, M, N, Relation, beta, d, eq, k, n
from theory.rates import sign_proofs
from theory.vocabulary import as_text
from verify import BoundsAgree, InputError, RateOptimum, RiskAboveMinimax, Verdict
from verify.checks.base import Budget
from verify.judging.fingerprint import check_key
from verify.recheck import rates
from verify.recheck.rejected import Rejected
from verify.verdicts import combine

b = beta / d
patterns = k * log(E * M / k)
error = Min(k**-b, M**-b)


def found(check):
    return combine(check.evidence(Budget()))


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        (n ** (-2 * beta / (2 * beta + d)), Verdict.PROVED),
        (5 * n ** (-2 * beta / (2 * beta + d)), Verdict.PROVED),
        (n ** (-beta / (beta + d)), Verdict.REFUTED),
        (n ** (-2 * beta / (2 * beta + d)) * log(n), Verdict.REFUTED),
    ],
)
def test_an_optimum_is_proved_or_another_is_shown(value, verdict):
    answer = found(RateOptimum(N ** (-2 * b) + N / n, [N], n, value))
    assert answer.verdict is verdict
    assert verdict is Verdict.PROVED or "N = n^(d/(2β+d))" in answer.witness["sizes"]


def test_an_optimum_that_differs_only_on_some_parameters_is_refuted_there():
    s = sp.Symbol("s", positive=True)
    rate = N ** (-beta / s) + N**-2 + N ** (d / (2 * s)) / n  # saturation of kernel ridge regression
    check = RateOptimum(rate, [N], n, n ** (-2 * beta / (2 * beta + d)))
    answer = found(check)
    assert answer.verdict is Verdict.REFUTED
    assert "s" in answer.witness["where"]


def test_compute_optimum_under_a_constraint():
    check = RateOptimum(
        N ** (-2 * b) + N / D, [N, D], C, C ** (-beta / (beta + d)), subject_to=[eq(N * D, C)]
    )
    assert found(check).verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("approximation", "entropy", "verdict"),
    [
        (error, k + patterns, Verdict.REFUTED),
        (error, M + patterns, Verdict.PROVED),
        (Max(k**-b, M**-b), k + patterns, Verdict.PROVED),
        ((M / k) ** -b, k + patterns, Verdict.REFUTED),
        ((M / k) ** -b, M + patterns, Verdict.PROVED),
    ],
)
def test_a_pair_of_bounds_is_judged(approximation, entropy, verdict):
    answer = found(BoundsAgree(approximation, entropy, [k, M], [Relation(k, "<=", M)]))
    assert answer.verdict is verdict
    if verdict is Verdict.REFUTED:
        assert answer.witness["sizes"]["k"] == "1"
        assert "mpmath" in answer.confirmed_by


def test_a_risk_below_the_minimax_rate_is_refuted():
    active = RiskAboveMinimax(error**2 + (k + patterns) / n, [k, M], n)
    assert found(active).verdict is Verdict.REFUTED
    total = RiskAboveMinimax(error**2 + (M + patterns) / n, [k, M], n)
    assert found(total).verdict is Verdict.PROVED


def test_what_is_below_the_resolution_is_left_open():
    answer = found(BoundsAgree((M * log(log(16 * M))) ** -b, M, [M]))
    assert answer.verdict is Verdict.INCONCLUSIVE
    assert "log log" in answer.finding


@pytest.mark.parametrize(
    ("rate", "value", "verdict"),
    [
        (N**-d + N / n, n ** (-beta / (beta + 1)), Verdict.REFUTED),  # another parameter, at the same place
        (beta * N**-d + N / n, n ** (-d / (d + 1)), Verdict.PROVED),  # fewer parameters than the rate has
    ],
)
def test_a_claimed_rate_is_compared_in_the_parameters_of_both(rate, value, verdict):
    assert found(RateOptimum(rate, [N], n, value)).verdict is verdict


@pytest.mark.parametrize(
    ("check", "relation"),
    [
        (RateOptimum(N ** (-2 * b) + N / n, [N], n, n ** (-2 * beta / (2 * beta + d))), "=="),
        (RateOptimum(N ** (-2 * b) + N / n, [N], n, 1 / n), "!="),
        (BoundsAgree(error, M + patterns, [k, M], [Relation(k, "<=", M)]), ">="),
        (BoundsAgree(error, k + patterns, [k, M], [Relation(k, "<=", M)]), "<"),
        (RiskAboveMinimax(error**2 + (M + patterns) / n, [k, M], n), ">="),
        (RiskAboveMinimax(error**2 + (k + patterns) / n, [k, M], n), "<"),
    ],
    ids=lambda x: x if isinstance(x, str) else type(x).__name__,
)
def test_the_evidence_keeps_a_certificate_that_concludes_the_verdict(check, relation):
    certificate = json.loads(json.dumps(found(check).details["certificate"]))
    assert certificate["conclusion"]["relation"] == relation
    rates.reread(certificate)
    claimed = [(f"{r.lhs} {'=' if r.op == '==' else r.op} {as_text(r.rhs)}", "") for r in check.claimed()]
    assert rates.shown(certificate) == (claimed if relation in ("==", ">=") else [])
    assert len(json.dumps(certificate)) < 4_000


def test_an_open_step_is_no_proof_and_no_error(monkeypatch):
    monkeypatch.setattr(sign_proofs, "MOST_PLACES", 0)
    check = RiskAboveMinimax(M ** (1 - 2 * b) + M * log(M * n) / n, [M], n)
    answer = found(check)
    assert answer.verdict is Verdict.INCONCLUSIVE
    assert "a step is open" in answer.finding
    monkeypatch.undo()
    assert found(check).verdict is Verdict.PROVED


def test_a_bound_without_a_rate_is_bad_input():
    with pytest.raises(InputError, match="a difference has no rate"):
        found(RateOptimum(N - sp.sqrt(N), [N], n, n))


def test_the_key_of_a_rate_check_depends_on_the_bound_and_on_the_solver():
    one = RateOptimum(N ** (-2 * b) + N / n, [N], n, 1 / n)
    other = RateOptimum(N ** (-3 * b) + N / n, [N], n, 1 / n)
    assert check_key(one, Budget()) != check_key(other, Budget())
    assert check_key(one, Budget()) == check_key(one.changed({"value": 1 / n}), Budget())


LOGS = sp.Symbol("m", positive=True)


@pytest.mark.parametrize(
    ("rate", "value"),
    [
        (1 / LOGS + LOGS / n + 2**-LOGS, n ** sp.Rational(-1, 2)),
        (1 / LOGS + LOGS / n + sp.exp(-LOGS), n ** sp.Rational(-1, 2)),
        (sp.exp(-2 * beta * LOGS) + sp.exp(d * LOGS) / n, n ** (-2 * beta / (2 * beta + d))),
    ],
)
def test_an_optimum_is_shown_to_be_none_less_in_any_range_of_a_size_in_an_exponent(rate, value):
    judged = found(RateOptimum(rate, (LOGS,), n, value))
    assert judged.verdict is Verdict.PROVED
    certificate = judged.details["certificate"]
    rates.reread(certificate)
    with pytest.raises(Rejected, match="nothing is shown of a range"):
        rates.reread({**certificate, "corners": []})
    [other] = certificate["corners"]
    with pytest.raises(Rejected):
        rates.reread({**certificate, "corners": [{**other, "conclusion": None}]})


def test_a_value_of_one_range_alone_is_refuted():
    assert (
        found(RateOptimum(1 / LOGS + LOGS / n + 2**-LOGS, (LOGS,), n, 1 / sp.log(n))).verdict
        is Verdict.REFUTED
    )


def test_the_sizes_that_break_a_pair_are_those_of_the_pair():
    judged = found(BoundsAgree(sp.exp(-2 * beta * LOGS), sp.exp(d * LOGS), (LOGS,)))
    assert judged.verdict is Verdict.REFUTED
