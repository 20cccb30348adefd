"""Which pairs of bounds contradict each other, exactly, and by how much the others escape."""

from __future__ import annotations

from typing import NamedTuple

import pytest
import sympy as sp
from sympy import E, Max, Min, log

from theory import (
    M,
    N,
    PairVerdict,
    RateError,
    beta,
    consistency,
    d,
    every_reading,
    k,
    minimax_consistency,
    minimise,
    n,
)
from theory.rates import real_solver

j, J, h = sp.symbols("j J h", positive=True)
W, Lam, lam, s, p, m = sp.symbols("W Lambda lam s p m", positive=True)
L = sp.Symbol("L", positive=True)
b = beta / d
routing = k + k * log(E * M / k)
BROKEN, CONSISTENT = PairVerdict.BROKEN, PairVerdict.CONSISTENT


class Pair(NamedTuple):
    name: str
    error: sp.Expr
    entropy: sp.Expr
    over: object
    verdict: PairVerdict
    slack: sp.Expr
    log_slack: int
    ray: dict[sp.Symbol, sp.Expr] | None = None
    given: tuple[sp.Basic, ...] = ()


PAIRS = [
    Pair("min with active entropy", Min(k**-b, M**-b), routing, (k, M), BROKEN, -1 / b, 1, {k: 1, M: L ** (d / beta)}),
    Pair("max with active entropy", Max(k**-b, M**-b), routing, (k, M), CONSISTENT, 0, 0),
    Pair("sum with active entropy", k**-b + M**-b, routing, (k, M), CONSISTENT, 0, 0),
    Pair("min with total entropy", Min(k**-b, M**-b), M + k * log(E * M / k), (k, M), CONSISTENT, 0, 0),
    Pair("M/k with total entropy", (M / k) ** -b, M + k * log(E * M / k), (k, M), CONSISTENT, 0, 0),
    Pair("M/k with active entropy", (M / k) ** -b, routing, (k, M), BROKEN, -1 / b, 1, {k: 1, M: L ** (d / beta)}),
    Pair("ReLU", W**-b, W * log(W), W, CONSISTENT, 0, 1),
    Pair("deep ReLU, shallow entropy", W ** (-2 * b), W * log(W), W, BROKEN, -1 / (2 * b), 1, {W: L ** (d / (2 * beta))}),
    Pair("deep ReLU, its entropy", W ** (-2 * b), W**2 * log(W), W, CONSISTENT, 0, 1),
    Pair("depth as a size", (W * Lam) ** -b, W * Lam * log(W * Lam), (W, Lam), CONSISTENT, 0, 1),
    Pair("deep rate without its depth", W ** (-2 * b), W * Lam * log(W), (W, Lam), BROKEN, -1 / (2 * b), 1,
         {W: L ** (d / (2 * beta)), Lam: 1}),
    Pair("deep rate with its depth", W ** (-2 * b), W * Lam * log(W), (W, Lam), CONSISTENT, 0, 1, None, (Lam >= W,)),
    Pair("piecewise polynomials", W**-b, W, W, CONSISTENT, 0, 0),
    Pair("linear wavelets, Besov p < 2", W ** (-b + 1 / p - sp.Rational(1, 2)), W, W, CONSISTENT,
         1 / (b - 1 / p + sp.Rational(1, 2)) - 1 / b, 0, None, (p < 2, beta * p > d)),
    Pair("exponentially many experts", Min(k**-b, sp.exp(-b * m)), k + k * log(E * sp.exp(m) / k), (k, m), BROKEN,
         -1 / b, 1, {k: 1, m: log(L)}),
]  # fmt: skip


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_the_verdict_with_slack_and_ray(pair):
    found = consistency(pair.error, pair.entropy, over=pair.over, subject_to=pair.given)
    assert found.verdict is pair.verdict
    assert sp.simplify(found.slack - pair.slack) == 0
    assert found.log_slack == pair.log_slack
    if pair.ray:
        assert found.ray == pair.ray
    audit = found.check()
    assert audit, str(audit)


RISKS = [
    ("kernel ridge saturates", lam ** (beta / s) + lam**2 + lam ** (-d / (2 * s)) / n,
     {"over": lam, "small": lam}, CONSISTENT, 2),
    ("two-term bound", W ** (-2 * b) + W / n, {"over": W}, CONSISTENT, 1),
    ("linear wavelets, Besov p < 2", W ** (-2 * b + 2 / p - 1) + W / n,
     {"over": W, "subject_to": [p < 2, beta * p > d]}, CONSISTENT, 1),
    ("min with active entropy", Min(k ** (-2 * b), M ** (-2 * b)) + routing / n, {"over": (k, M)}, BROKEN, 1),
]  # fmt: skip


@pytest.mark.parametrize(("name", "risk", "arguments", "verdict", "pieces"), RISKS, ids=[r[0] for r in RISKS])
def test_a_risk_is_held_against_the_minimax_rate(name, risk, arguments, verdict, pieces):
    found = minimax_consistency(risk, given=n, **arguments)
    assert found.verdict is verdict
    assert len(found.optimum.pieces) == pieces
    assert found.check()


def test_the_reading_decides():
    verdicts = {word: c.verdict for word, c in every_reading(Min(k**-b, M**-b), routing, over=(k, M)).items()}
    assert verdicts == {"min": BROKEN, "max": CONSISTENT, "sum": CONSISTENT}
    with pytest.raises(RateError, match="one reading only"):
        every_reading(W**-b, W, over=W)


def test_the_sentence_can_stand_in_a_review():
    found = consistency(Min(k**-b, M**-b), routing, over=(k, M))
    assert found.sentence() == (
        "BROKEN: the two bounds cannot both hold; at k = 1, M = L^(d/β) the entropy for a sup-norm error of at most 1/L "
        "is only log L, below the L^(d/β) that the entropy of the Hölder ball requires (Kolmogorov and Tikhomirov); "
        "with n samples they would promise a risk of log n / n; read as the smaller of M^(-β/d), k^(-β/d)."
    )


def test_a_pair_may_be_broken_on_part_of_the_parameters_only():
    found = consistency(W**-b, W**s, over=W)
    assert found.verdict is BROKEN
    assert found.where == "s < 1"
    assert consistency(W**-b, W**s, over=W, subject_to=[s >= 1]).verdict is CONSISTENT


def test_a_claim_that_undercuts_by_a_log_is_broken():
    found = consistency(W**-b, W / log(E * W), over=W)
    assert found.verdict is BROKEN
    assert (found.slack, found.log_slack) == (0, -1)


def test_a_claim_that_undercuts_by_more_than_every_log_is_broken():
    found = consistency(
        1 / W, W / Lam, over=(W, Lam), dimension=1, smoothness=1, subject_to=[log(E * Lam) ** 2 <= log(W)]
    )
    assert found.verdict is BROKEN
    assert found.slack == 0
    assert not found.piece.growth.is_resolved


def test_where_the_solver_gives_up_nothing_is_concluded(monkeypatch):
    def give_up(*_):
        raise real_solver.GaveUp("no time left")

    monkeypatch.setattr(real_solver, "find_point", give_up)
    found = minimax_consistency(RISKS[0][1], given=n, over=lam, small=lam)
    assert found.verdict is PairVerdict.UNDECIDED
    assert not found.optimum.complete
    assert "[the solver gave up: not all parameters are covered]" in repr(found.optimum)


def test_with_sizes_not_tied_to_n_the_minimax_exponent_is_minus_2_over_2_plus_r():
    for pair in PAIRS:
        found = consistency(pair.error, pair.entropy, over=pair.over, subject_to=pair.given)
        least = found.optimum.power
        promised = minimise(pair.error**2 + pair.entropy / n, over=pair.over, given=n, subject_to=pair.given)
        assert sp.simplify(promised.power + 2 / (2 + least)) == 0, pair.name


def test_numbers_may_stand_for_the_dimension_and_the_smoothness():
    assert consistency(W ** sp.Rational(-1, 3), W, over=W, dimension=3, smoothness=1).verdict is CONSISTENT
    assert consistency(W ** sp.Rational(-2, 3), W, over=W, dimension=3, smoothness=1).verdict is BROKEN


def test_a_logarithm_that_can_vanish_breaks_a_pair_where_it_does():
    literal = consistency(k ** (-beta / d), k * log(M / k), over=(k, M), subject_to=[k <= M])
    assert literal.verdict is PairVerdict.BROKEN
    assert "where log(M/k) vanishes" in literal.sentence()
    for entropy, limit in (
        (k * log(E * M / k), k <= M),
        (k * log(s * M / k), k <= M),
        (k * log(M / k), 2 * k <= M),
    ):
        assert (
            consistency(k ** (-beta / d), entropy, over=(k, M), subject_to=[limit]).verdict
            is PairVerdict.CONSISTENT
        )


def test_an_error_in_the_logarithm_of_a_size_is_tested_at_exponential_sizes():
    found = consistency(log(E * M) ** (-2 * beta / d), k * log(E * M / k), over=(k, M), subject_to=[k <= M])
    assert found.verdict is PairVerdict.BROKEN
    assert "M is exponentially large" in found.sentence()
    assert found.check()


def test_a_size_in_the_exponent_of_a_number_is_read_as_its_power():
    h = sp.Symbol("h", positive=True)
    tree = consistency(2 ** (-beta * h / d), 2**h, over=h)
    assert tree.verdict is PairVerdict.CONSISTENT
    assert tree.slack == 0
    assert tree.check()
    assert consistency(2 ** (-beta * h / d), 2 ** (h / 2), over=h).verdict is PairVerdict.BROKEN
    assert "log n / n  at  2^h = n" in repr(minimise(2 ** (-h) + h / n, over=h, given=n))


def test_what_log_log_decides_is_left_undecided():
    found = consistency((M * log(log(16 * M))) ** (-beta / d), M, over=M)
    assert found.verdict is PairVerdict.UNDECIDED
    assert "log log" in found.sentence()


@pytest.mark.parametrize(
    ("error", "entropy", "over", "relations", "place"),
    [
        (
            sp.Max(k**-b, j**-b),
            k * log(M / k) + j * log(J / j),
            (k, M, j, J),
            [k <= M, j <= J],
            "where log(J/j) and log(M/k) vanish",
        ),
        (
            sp.Max(1 / log(h), k**-b),
            k * log(M / k) + log(h),
            (k, M, h),
            [k <= M],
            "where log(M/k) vanishes and h is exponentially large",
        ),
        (1 / log(k), log(M), (k, M), [k <= M], "where k, M are exponentially large"),
        (1 / log(k), k * log(M / k), (k, M), [k <= M], "where log(M/k) vanishes and k, M are exponentially large"),
    ],
)  # fmt: skip
def test_corners_are_taken_together(error, entropy, over, relations, place):
    found = consistency(error, entropy, over=over, subject_to=relations)
    assert found.verdict is PairVerdict.BROKEN
    assert place in found.sentence()
    assert found.check()


def test_a_small_size_may_be_exponentially_small():
    cheap = consistency(1 / log(1 / h), log(1 / h), over=h, small=h, dimension=2, smoothness=1)
    assert cheap.verdict is PairVerdict.BROKEN
    assert "h is exponentially small" in cheap.sentence()
    assert consistency(1 / log(1 / h), 1 / h, over=h, small=h).verdict is PairVerdict.CONSISTENT


def test_constraints_between_exponential_sizes_are_those_of_their_logarithms():
    """k <= M and M^2 <= k leave nothing; M <= k^2 leaves log k of the order of log M."""
    pair = {"error": 1 / log(k), "entropy": log(M), "over": (k, M), "dimension": 2, "smoothness": 1}
    assert consistency(**pair, subject_to=[k <= M, k >= M**2]).verdict is PairVerdict.CONSISTENT
    assert consistency(**pair, subject_to=[k <= M, k**2 >= M]).verdict is PairVerdict.BROKEN
    with_j = {**pair, "over": (k, M, j)}
    assert consistency(**with_j, subject_to=[k <= M, k * j >= M]).verdict is PairVerdict.BROKEN
    tied = consistency(**pair, subject_to=[2 * k <= M, 2 * k >= M])
    assert tied.verdict is PairVerdict.UNDECIDED
    assert "tie" in tied.sentence()


def test_a_risk_is_tested_at_its_corners_too():
    vanishing = minimax_consistency(
        k ** (-2 * b) + k * log(M / k) / n, over=(k, M), given=n, subject_to=[k <= M]
    )
    assert vanishing.verdict is PairVerdict.BROKEN
    assert "where log(M/k) vanishes" in vanishing.sentence()
    slow = minimax_consistency(1 / log(M) ** 2 + log(M) / n, over=M, given=n, dimension=2, smoothness=1)
    assert slow.verdict is PairVerdict.BROKEN
    assert "log M = n^(1/3)" in slow.sentence()
    assert (
        minimax_consistency(N ** (-2 * b) * log(N) + N / n, over=N, given=n).verdict is PairVerdict.CONSISTENT
    )


@pytest.mark.parametrize("wrong", [0, -1, -d, beta - d])
def test_dimension_and_smoothness_are_positive(wrong):
    for name in ("dimension", "smoothness"):
        with pytest.raises(RateError, match=f"{name}=.*expected something positive"):
            consistency(k**-b, k, over=k, **{name: wrong})
    with pytest.raises(RateError, match="at least one size"):
        consistency(k**-b, k, over=())


def test_sizes_of_the_order_of_a_logarithm_break_a_pair_too():
    m = sp.Symbol("m", positive=True)
    found = consistency(sp.exp(-m), sp.exp(m), over=m)
    assert found.verdict is BROKEN
    assert found.where == "β < d"
    assert found.check()
    assert consistency(sp.exp(-2 * beta * m), sp.exp(d * m), over=m).verdict is BROKEN
    assert consistency(sp.exp(-beta * m), sp.exp(d * m), over=m).verdict is CONSISTENT


def test_every_broken_part_of_the_parameters_is_named():
    p = sp.Symbol("p", positive=True)
    found = consistency(1 / N, Min(N**p, N ** (6 - p)), over=N, dimension=2, smoothness=1, subject_to=[p < 6])
    assert found.where == "p < 2 or p > 4"


def test_a_pair_that_lacks_a_logarithm_only_says_so():
    found = consistency((W * log(W)) ** -b, W, over=W)
    assert found.verdict is BROKEN
    assert "only logarithms are missing" in found.sentence()
    assert consistency((W * log(W)) ** -b, W * log(W), over=W).verdict is CONSISTENT
