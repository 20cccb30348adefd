"""Each way in which a calculus of rates can go wrong, with its smallest input."""

from __future__ import annotations

import subprocess
import sys

import pytest
import sympy as sp
from sympy import E, Max, Min, ceiling, floor, log

from theory import C, D, M, N, RateError, beta, d, eq, k, minimise, n
from theory.rates import sign_proofs
from theory.rates.certificate import RateOutcome
from theory.relation import Relation
from verify.recheck.rates import reread
from verify.recheck.rejected import Rejected

a, b, mu, nu, m, p = sp.symbols("a b mu nu m p", positive=True)
m1, m2 = sp.symbols("m1 m2", positive=True)


def shown(rate, over, **arguments):
    found = minimise(rate, over=over, **{"given": n, **arguments})
    assert found.complete
    audit = found.check()
    assert audit, str(audit)
    return repr(found)


def test_a_program_that_starts_outside_its_constraints_gets_its_first_phase():
    found = minimise(k**-a + k / n + k * log(E * M / k) / n, over=(k, M), given=n)
    assert len(found.pieces) == 1
    assert found.power == -a / (a + 1)


def test_a_power_of_a_sum_whose_sign_the_parameters_decide_is_split():
    found = minimise((M + N) ** (beta - d) + M / n, over=(M, N), given=n)
    assert found.complete
    assert {p.region_text: p.power for p in found.pieces} == {"β >= d": 0, "β < d": -1}
    assert found.check()


def test_a_monomial_has_powers_of_any_sign_without_a_split():
    assert len(minimise(N ** (beta - d) + 1 / N, over=N, given=n).pieces) == 2
    assert len(minimise(N ** (-beta) * N**d + N ** (-d), over=N, given=n, subject_to=[beta < d]).pieces) == 1


def test_a_coefficient_of_unknown_sign_is_asked_about_not_dropped():
    with pytest.raises(RateError, match=r"sign of the coefficient -?.*beta.* is not known.*subject_to"):
        minimise((d - beta) * N + 1 / N, over=N, given=n)
    assert shown((d - beta) * N + n / N, N, subject_to=[beta < d]) == "n^(1/2)  at  N = n^(1/2)"
    with pytest.raises(RateError, match="negative"):
        minimise((d - beta) * N + n / N, over=N, given=n, subject_to=[beta > d])


def test_like_terms_are_collected_before_their_sign_is_asked():
    assert shown(d * N - beta * N + n / N, N, subject_to=[beta < d]) == "n^(1/2)  at  N = n^(1/2)"


def test_an_empty_log_face_is_recorded_with_its_farkas_multipliers():
    found = minimise(log(E * M / k), over=M, given={n: 1, k: mu}, subject_to=[n * k <= M])
    (piece,) = found.pieces
    assert (piece.power, piece.log_power) == (0, 1)
    farkas = [bound for cell in piece.cells for bound in cell.bounds if not bound.total]
    assert len(farkas) == 1
    assert farkas[0].multipliers
    assert found.check()


def test_of_several_choices_the_least_is_reported_and_said_not_to_be_the_only_one():
    found = minimise(1 / N + (1 + 1 / M) / n, over=(N, M), given=n)
    assert found.argmin == {N: n, M: 1}
    assert not found.unique
    assert "(least choice)" in repr(found)
    assert minimise(1 / N + N / n, over=N, given=n).unique


def test_equal_pieces_are_one():
    found = minimise(k**-a + k / n + k * log(E * M / k) / n, over=k, given={n: 1, M: mu}, subject_to=[k <= M])
    assert sorted(p.region_text for p in found.pieces) == ["μ <= 1/(a+1)", "μ > 1/(a+1)"]


def test_a_thin_piece_is_kept_where_it_says_something_else():
    found = minimise(log(2 + M / N + N / M), over=(), given={n: 1, M: mu, N: nu})
    assert {p.region_text: p.log_power for p in found.pieces} == {"μ < ν or μ > ν": 1, "μ = ν": 0}
    assert found.complete
    assert found.check()


@pytest.mark.parametrize(
    ("rate", "words"),
    [
        (N - M + 1, "-M in .*difference has no rate"),
        (1 / (N - 5), "-5 in .*difference has no rate"),
        (N * (1 - 1 / M), "-1/M in .*difference"),
        (log(sp.binomial(M, k)), r"k\*log\(M/k\) and k\*log\(E\*M/k\)"),
        (ceiling(N / M) + 1 / N, "1 \\+ N/M up to a factor 2"),
        (floor(N / M) + 1 / N, "N/M up to a factor 2"),
        (sp.factorial(N), "factorial"),
        (sp.sin(N), "sin is not a rate"),
        (N**M, "may not vary"),
        (N ** sp.sqrt(2), "rational function"),
        (log(sp.exp(-M) * N), "vanishes"),
        (sp.exp(M * N), "one size"),
        (N * sp.Float("0.5"), "float 0.5.*no exact value"),
        (sp.Symbol("r") * N, "Symbol\\('r', positive=True\\)"),
        ("N +", "rate='N \\+'.*sympy expression"),
    ],
)
def test_what_is_no_rate_is_refused_by_name(rate, words):
    sizes = [size for size in (N, M, k) if size in getattr(rate, "free_symbols", {N})]
    with pytest.raises(RateError, match=words):
        minimise(rate, over=sizes, given=n)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"over": (N, D), "given": n}, "D occurs neither in the rate nor in a constraint"),
        (
            {"over": sp.Symbol("N", positive=True, integer=True), "given": n},
            "two different symbols are named N",
        ),
        ({"over": (N, N), "given": n}, "listed twice"),
        ({"over": "N", "given": n}, "expected sympy symbols, got 'N'"),
        ({"over": (N, n), "given": n}, "both in over= and in given="),
        ({"over": N, "given": {n: mu}}, "with exponent 1"),
        ({"over": N, "given": {n: 1, M: sp.sqrt(mu)}}, "rational function of positive parameters"),
        ({"over": N, "given": n, "small": M}, "list it in over="),
        ({"over": N, "given": n, "subject_to": [N]}, r"subject_to\[0\]=N\): expected a relation"),
        ({"over": N, "given": n, "subject_to": [sp.false]}, "that can hold"),
        ({"over": N, "given": n, "subject_to": [eq(N, 0)]}, "never at most 0"),
        ({"over": N, "given": n, "subject_to": [a < b, b < a]}, "no positive parameters satisfy"),
    ],
)
def test_a_wrong_argument_is_named(arguments, words):
    with pytest.raises(RateError, match=words):
        minimise(1 / N + N / n, **arguments)


# Logarithms


def test_two_levels_are_not_enough_for_logs():
    """With polylog sizes left out the answer would be log n / n; the truth is log log n / n."""
    assert shown(M**-a * log(n) ** 3 / n + log(E * M) / n, M) == (
        "1/n  at  M = (log n)^(3/a)  (least choice)\n[up to log log n]"
    )


def test_a_log_that_lowers_the_rate_is_not_counted_where_its_argument_is_small():
    assert shown(M / log(E * M), M) == "1  at  M = 1"


def test_a_large_and_a_small_log_do_not_meet_in_the_middle():
    assert minimise(log(E * m2) / log(E * m1), over=(m1, m2), given=n, subject_to=[m1 <= m2]).value == 1


def test_a_log_vanishes_with_its_argument_only_as_one_plus_a_small_number():
    found = minimise(n * k * log(1 + M / k), over=(k, M), given=n, subject_to=[k >= n, M <= 1])
    assert found.power == 1  # k log(1 + M/k) is M where M is below k
    assert found.check()


def test_a_log_is_read_the_same_however_its_argument_is_written():
    for written in (
        log((M + k) / k),
        log((1 + M / k) ** 2),
        log((1 + M / k) ** sp.Rational(1, 2)),
        log(1 + M / k),
    ):
        found = minimise(n * k * written, over=(k, M), given=n, subject_to=[k >= n, M <= 1])
        assert found.power == 1, written
        assert found.check()


def test_a_log_that_is_negative_is_refused():
    with pytest.raises(RateError, match="at most 1, so the logarithm is negative"):
        minimise(N * log(1 / N), over=N, given=n)
    assert shown(a * N + log(1 / N) / n, N, small=N) == "log n / n  at  N = log n / n  (least choice)"


def test_a_relation_between_parameters_may_stand_against_zero():
    assert minimise(N ** (beta - d) + N / n, over=N, given=n, subject_to=[beta - d < 0]).complete


def test_without_sizes_the_rate_is_read_as_it_stands():
    assert shown(M**2 * log(n) / n, (), given={n: 1, M: mu}) == "n^(2μ-1) log n"


def test_the_log_of_a_sum_is_that_of_its_largest_term():
    assert minimise(log(M + N), over=N, given={n: 1, M: mu}).value == log(n)
    assert minimise(log(M + N), over=(M, N), given=n).value == 1


def test_a_log_asks_for_an_argument_of_at_least_one():
    found = minimise(n / k + log(E * M / k), over=k, given={n: 1, M: mu}, subject_to=[mu < 1])
    assert found.argmin == {k: n**mu}


def test_a_log_of_given_sizes_is_split_by_their_exponents():
    found = minimise(log(E * M / k), over=(), given={n: 1, M: mu, k: nu})
    assert {
        p.region_text: (p.outcome, p.log_power if p.outcome is RateOutcome.ATTAINED else None)
        for p in found.pieces
    } == {
        "μ > ν": (RateOutcome.ATTAINED, 1),
        "μ = ν": (RateOutcome.ATTAINED, 0),
        "μ < ν": (RateOutcome.INFEASIBLE, None),
    }
    assert found.complete
    assert found.check()


def test_log_log_is_below_the_resolution_and_said_to_be():
    found = minimise(N * log(log(n)) / n + 1 / N, over=N, given=n)
    assert repr(found).endswith("[up to log log n]")
    assert found.log_power == 0


def test_between_the_powers_of_log_n_and_those_of_n_nothing_is_resolved_and_said_not_to_be():
    found = minimise(1 / M, over=M, given=n, subject_to=[log(E * M) ** 2 <= log(n)])
    assert not found.pieces[0].growth.is_resolved
    assert "does not resolve" in repr(found)


def test_exponential_sizes_are_taken_above_every_power_of_n():
    assert shown(sp.exp(-a * m) + m / n, m) == "log n / n  at  m = log n"
    assert (
        shown(Min(1 / k, sp.exp(-m)) + k * log(E * sp.exp(m) / k) / n, (k, m))
        == "log n / n  at  k = 1, m = log n"
    )


# Boundedness


def test_a_rate_without_a_minimum_says_along_what_it_falls():
    found = minimise(1 / M + N / M, over=(M, N), given=n)
    (piece,) = found.pieces
    assert piece.outcome is RateOutcome.UNBOUNDED
    assert found.value == 0
    assert piece.ray[M] > 0
    assert found.check()


def test_constraints_that_exclude_each_other_are_said_to():
    found = minimise(M, over=M, given=n, subject_to=[M * n <= 1])
    assert found.pieces[0].outcome is RateOutcome.INFEASIBLE
    assert found.value == sp.oo
    assert found.check()


def test_whether_a_rate_has_a_minimum_may_depend_on_the_parameters():
    found = minimise(N ** (a - b) + n / n, over=N, given=n)
    assert found.value == 1
    found = minimise(N ** (a - b), over=N, given=n)
    assert {p.region_text: p.outcome for p in found.pieces} == {
        "a >= b": RateOutcome.ATTAINED,
        "a < b": RateOutcome.UNBOUNDED,
    }
    assert found.check()


def test_a_constraint_that_is_also_a_term_keeps_its_own_multiplier():
    assert shown(N + n / N, N, subject_to=[N <= 1]) == "n  at  N = 1"


def test_equality_of_a_sum_holds_up_to_constants():
    found = minimise(N**-a + D**-a, over=(N, D), given=C, subject_to=[sp.Eq(N + D, C)])
    assert found.argmin == {N: C, D: C}


def test_the_solver_is_loaded_only_when_a_sign_must_be_asked():
    code = (
        "import sys; from theory import *; minimise(N**(-2*beta/d) + N/n, over=N, given=n); "
        "assert 'z3' not in sys.modules; minimise(N**(beta-d) + 1/N, over=N, given=n); assert 'z3' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_two_exponential_sides_are_not_compared():
    with pytest.raises(RateError, match="compare their logarithms"):
        minimise(1 / M + N / n, over=(M, N), given=n, subject_to=[Relation(sp.exp(M), "<=", sp.exp(N))])


def test_exp_of_a_size_of_the_order_of_a_logarithm_is_told_apart():
    assert "n^(-1/2)" in repr(minimise(sp.exp(-M) + sp.exp(M) / n, over=M, given=n))
    assert "n^(-1/2)" in repr(minimise(2 ** (-M) + 2**M / n, over=M, given=n))


def test_a_size_in_the_exponent_of_a_number_is_read_twice_from_what_was_written():
    assert shown(2**-M + 2**M / n, M) == "n^(-1/2)  at  2^M = n^(1/2)"
    assert shown(4**-M + 8**M / n + M / n, M) == "n^(-2/5)  at  4^M = n^(2/5)"
    found = minimise(2**-M + 2**M / n, over=M, given=n)
    assert found.exported["statement"]["objective"] == "2**M/n + 2**(-M)"
    assert found.exported["statement"]["bases"] == {"M": "2"}


def test_a_size_that_vanishes_is_not_read_as_a_logarithm():
    """M + 2^M/n falls to 1/n as M does; log(e 2^M) would stay at 1."""
    with pytest.raises(RateError, match="may not vary"):
        minimise(M + 2**M / n, over=M, given=n, small=M)


def test_a_bound_by_what_is_not_chosen_is_said_to_be_constant():
    assert "[M read as constant" in repr(minimise(1 / N + N / n, over=N, given=n, subject_to=[N <= M]))
    assert "constant" not in repr(minimise(1 / N + N / n, over=N, given={n: 1, M: a}, subject_to=[N <= M]))
    assert "constant" not in repr(minimise(1 / N + d * N / n, over=N, given=n))


def test_a_constraint_may_be_a_difference():
    for relation in (k - M <= 0, M - k >= 0):
        assert shown(1 / k + M * k / n, (k, M), subject_to=[relation]) == shown(
            1 / k + M * k / n, (k, M), subject_to=[k <= M]
        )


def test_what_a_log_of_n_may_do_is_asked_for():
    with pytest.raises(RateError, match="say in over= or given= how n grows"):
        minimise(1 / M + M * log(n) / d, over=M, given=N)


def test_a_sign_that_no_proof_is_found_for_is_said_to_be_open_and_no_fault(monkeypatch):
    found = minimise(Max(N**-a, N**-beta) + N / n, over=N, given=n)
    assert found.check()
    monkeypatch.setattr(sign_proofs, "MOST_PLACES", 0)
    again = minimise(Max(N**-a, N**-beta) + N / n, over=N, given=n)
    audit = again.check()
    assert not audit
    assert audit.is_open
    assert "a step is open" in str(audit)


def test_a_size_in_an_exponent_may_be_of_the_order_of_a_logarithm():
    assert shown(sp.exp(-2 * beta * m) + sp.exp(d * m) / n, m) == "n^(-2β/(2β+d))  at  e^m = n^(1/(2β+d))"
    assert shown(1 / m + sp.exp(m) / n, m).startswith("(log n)^(-1)  at  e^m = n^δ")


@pytest.mark.parametrize("falling", [sp.exp(-m), 2**-m], ids=["exp", "power of a number"])
def test_a_size_in_an_exponent_may_be_above_every_multiple_of_a_logarithm(falling):
    assert shown(1 / m + m / n + falling, m) == "n^(-1/2)  at  m = n^(1/2)"


def test_the_ranges_of_a_size_in_an_exponent_are_certified_each():
    found = minimise(1 / m + m / n + sp.exp(-m), over=m, given=n)
    [moderate] = found.exported["corners"]
    assert moderate["statement"]["bases"] == {"m": "e"}
    assert found.check()
    moderate["statement"]["bases"] = {}
    with pytest.raises(Rejected):
        reread(found.exported)


def test_what_cannot_be_read_in_one_range_is_said():
    found = minimise(2**-M + log(1 + 2**-M) + 1 / n, over=M, given=n)
    assert "not read for sizes in exponents of another order" in repr(found)
    assert not found.complete


def test_a_rate_that_vanishes_only_where_its_size_shrinks_takes_it_small():
    eps = sp.Symbol("eps", positive=True)
    found = shown(eps**2 + eps ** (-d / beta) / n, eps)
    assert found.startswith("n^(-2β/(2β+d))  at  eps = n^(-β/(2β+d))")
    assert "eps taken at most 1" in found


def test_any_small_power_is_explained():
    assert "n^δ is any small power of n" in shown(log(E * M) ** (-4 * beta / d) + log(E * M) / n, M)
