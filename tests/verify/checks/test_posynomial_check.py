"""Claims on minima with constants: closed forms, numbers between two ends, and what is refused."""

from __future__ import annotations

import json

import pytest
import sympy as sp

from theory import A, B, N, a, n
from theory.vocabulary import as_text
from verify import Budget, InputError, PosynomialMinimum, Verdict
from verify.recheck import posynomials
from verify.verdicts import combine

x, y = sp.symbols("x y", positive=True)
SIZE = (a * A * n / B) ** (1 / (1 + a))


def found(check):
    return combine(check.evidence(Budget()))


@pytest.mark.parametrize(
    ("value", "argmin", "verdict"),
    [
        ((1 + a) * A * SIZE**-a, {N: SIZE}, Verdict.PROVED),
        ((1 + a) * A * SIZE**-a, {N: SIZE / 2}, Verdict.REFUTED),
        ((1 + 2 * a) * A * SIZE**-a, {}, Verdict.REFUTED),
    ],
)
def test_closed_forms_with_their_sizes(value, argmin, verdict):
    answer = found(PosynomialMinimum(A * N**-a + B * N / n, [N], value, argmin=argmin))
    assert answer.verdict is verdict
    assert verdict is Verdict.PROVED or answer.confirmed_by


@pytest.mark.parametrize(
    "check",
    [
        PosynomialMinimum(A * N**-a + B * N / n, [N], (1 + a) * A * SIZE**-a, argmin={N: SIZE}),
        PosynomialMinimum(
            x + 1 / x + x**2 * y + 1 / y, [x, y], between=(sp.Rational("3.46"), sp.Rational("3.47")), at={}
        ),
        PosynomialMinimum(A * x + 1 / x + x**2, [x], between=(2, 4), at={A: 1}),
    ],
    ids=["closed form", "two ends", "numbers for symbols"],
)
def test_the_evidence_keeps_a_certificate_that_concludes_the_claim(check):
    certificate = json.loads(json.dumps(found(check).details["certificate"]))
    posynomials.reread(certificate)
    claimed = [(f"{r.lhs} {'=' if r.op == '==' else r.op} {as_text(r.rhs)}", "") for r in check.claimed()]
    assert sorted(posynomials.shown(certificate)) == sorted(claimed)


@pytest.mark.parametrize(
    ("ends", "verdict"),
    [
        ((sp.Rational("3.46"), sp.Rational("3.47")), Verdict.PROVED),
        ((4, 5), Verdict.REFUTED),
        ((1, 3), Verdict.REFUTED),
        ((2 * sp.sqrt(3), 4), Verdict.INCONCLUSIVE),
    ],
)
def test_numbers_between_two_ends(ends, verdict):
    check = PosynomialMinimum(x + 1 / x + x**2 * y + 1 / y, [x, y], between=ends, at={})
    answer = found(check)
    assert answer.verdict is verdict
    assert verdict is not Verdict.REFUTED or answer.witness["lower"].startswith("3.4641")


def test_a_minimum_that_does_not_exist_is_refuted():
    answer = found(PosynomialMinimum(1 / x, [x], sp.Integer(1)))
    assert answer.verdict is Verdict.REFUTED
    assert "falls to 0" in answer.finding
    assert found(PosynomialMinimum(1 / x, [x], between=(1, 2), at={})).verdict is Verdict.REFUTED


def test_what_cannot_be_judged_is_bad_input():
    with pytest.raises(InputError, match="either value"):
        PosynomialMinimum(x + 1 / x, [x])
    with pytest.raises(InputError, match="goes with the closed form"):
        PosynomialMinimum(x + 1 / x, [x], between=(1, 3), argmin={x: 1})
    with pytest.raises(InputError, match="y in argmin"):
        PosynomialMinimum(x + 1 / x, [x], 2, argmin={y: 1})
    with pytest.raises(InputError, match="degree of difficulty 1"):
        found(PosynomialMinimum(A / x + B * x + x**2, [x], 2))
