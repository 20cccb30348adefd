"""Each check: what it supports, what it refutes, and what it leaves open."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp
from judged import verdict

from theory.relation import eq
from theory.results.exponents import data_exponent
from verify.checks.consistent import Consistent
from verify.checks.conventions import ConventionSearch
from verify.checks.homogeneous import Homogeneous
from verify.checks.identity import Identity
from verify.errors import InputError
from verify.printed.tables import quoted
from verify.verdicts import Verdict

a, b, c, x = sp.symbols("a b c x", positive=True)


# Identity


@pytest.mark.parametrize(
    "relation",
    [
        eq((x + 1) ** 2, x**2 + 2 * x + 1),
        eq(1 / (1 / x + 1 / a), x * a / (x + a)),
        eq((x**a) ** b, x ** (a * b)),
        eq(sp.sqrt(x) * sp.sqrt(x), x),
        eq(sp.log(6 * x**2), sp.log(2) + sp.log(3) + 2 * sp.log(x)),
        eq(sp.Derivative(x**a, x) * x / x**a, a),
        eq((a / 2 + 1) ** b * 2**b, (a + 2) ** b),
        eq(a * sp.factorial(x) ** 2 / sp.factorial(x), a * sp.factorial(x)),
    ],
)
def test_true_identities_are_proved(relation):
    assert verdict(Identity((relation,))).verdict is Verdict.PROVED


@pytest.mark.parametrize(
    "relation",
    [
        eq((x + 1) ** 2, x**2 + 1),
        eq(sp.log(a + b), sp.log(a) + sp.log(b)),
        eq((a + b) ** c, a**c + b**c),
        eq(sp.factorial(x + 1), x * sp.factorial(x)),
        eq(x ** (a + b), x ** (a * b)),
        eq(sp.Integer(2), sp.Integer(3)),
        eq(x * (1 + sp.Rational(1, 10**9)), x),
    ],
)
def test_false_identities_are_refuted_with_a_point(relation):
    found = verdict(Identity((relation,)))
    assert found.verdict is Verdict.REFUTED
    assert found.witness["left"] != found.witness["right"]
    assert "mpmath" in found.confirmed_by


def test_what_can_be_neither_proved_nor_refuted_stays_open():
    assert verdict(Identity((eq(sp.sin(x) ** 2, 1 - sp.cos(x) ** 2),))).verdict is Verdict.INCONCLUSIVE


def test_one_false_step_among_true_ones_refutes_the_whole():
    steps = tuple(s.relation for s in data_exponent.steps)
    assert verdict(Identity((*steps, eq(a, 2 * a)))).verdict is Verdict.REFUTED


def test_an_identity_between_undefined_expressions_is_not_proved():
    nothing = ((x + 1) ** 2 - x**2 - 2 * x - 1) / ((x + 2) ** 2 - x**2 - 4 * x - 4)
    assert verdict(Identity((eq(nothing, 7),))).verdict is Verdict.INCONCLUSIVE


def test_an_identity_needs_positive_symbols():
    negative = sp.Symbol("s", negative=True)
    with pytest.raises(InputError, match="not declared positive"):
        Identity((eq(sp.sqrt(negative**2), -negative),))


def test_sums_and_undefined_expressions_are_not_proved():
    index, n = sp.Symbol("k", integer=True), sp.Symbol("n", positive=True, integer=True)
    assert verdict(Identity((eq(sp.Sum(1, (index, 5, n)), n - 4),))).verdict is not Verdict.PROVED
    nothing = ((x + 1) ** 2 - x**2 - 2 * x - 1) / ((x + 2) ** 2 - x**2 - 4 * x - 4)
    assert verdict(Identity((eq(sp.floor(x) * nothing, 7 * sp.floor(x)),))).verdict is not Verdict.PROVED


# Conventions


def test_a_search_pays_for_what_it_tried():
    targets = [quoted("1,234,567", "count", exact=True)]
    few = {"right": [1_234_567], "wrong": [999_999_999]}
    assert verdict(ConventionSearch(targets, few)).verdict is Verdict.SUPPORTED
    many = {f"guess {i}": [1_234_500 + i] for i in range(100)}
    found = verdict(ConventionSearch(targets, many))
    assert found.verdict is Verdict.INCONCLUSIVE  # one of a hundred neighbours fits by luck
    assert found.details["fits"] == ["guess 67"]


def test_no_fit_is_a_refutation_that_names_the_closest():
    targets = [quoted("10", "first", exact=True), quoted("20", "second", exact=True)]
    found = verdict(ConventionSearch(targets, {"near": [10, 21], "far": [11, 21]}))
    assert found.verdict is Verdict.REFUTED
    assert found.witness["convention"] == "near"
    with pytest.raises(InputError, match="predicts 1 values"):
        ConventionSearch(targets, {"short": [10]})


def test_one_absurd_convention_does_not_buy_significance():
    family = {f"c{i}": [10 + i] for i in range(10)} | {"absurd": [10**9]}
    assert verdict(ConventionSearch([quoted("13", "t", exact=True)], family)).verdict is Verdict.INCONCLUSIVE


def test_an_outlier_among_few_conventions_buys_nothing():
    family = {"a": [100], "b": [101], "c": [102], "d": [10**9]}
    assert verdict(ConventionSearch([quoted("100", "t", exact=True)], family)).verdict is Verdict.INCONCLUSIVE


def test_absurd_conventions_do_not_make_luck_smaller():
    targets = [quoted("13", "t", exact=True)]
    absurd = {f"absurd {i}": [10**9 + i * 10**7] for i in range(39)}
    assert verdict(ConventionSearch(targets, {"right": [13], **absurd})).verdict is Verdict.INCONCLUSIVE
    near = {"right": [13], "one more": [14], "one less": [12]}
    found = [
        float(verdict(ConventionSearch(targets, f)).details["chance_bound"]) for f in (near, near | absurd)
    ]
    assert found[0] <= found[1]


def test_the_closest_conventions_are_all_named():
    family = {f"sum {k}": [Fraction(k, 20)] for k in (100, 68, 69, 70)} | {"also 69": [Fraction(69, 20)]}
    found = verdict(ConventionSearch([quoted("3.47", "t")], family))
    assert found.verdict is Verdict.REFUTED
    assert "the closest, sum 69; or also 69, miss 3.47 (t) against 3.45" in found.finding
    assert found.witness["equally_close"] == ["also 69"]


def test_a_convention_is_not_refuted_on_ties():
    targets = [quoted("0.1", "first"), quoted("0.5", "second")]
    family = {"of 20": [Fraction(3, 20), Fraction(9, 20)], "of 30": [Fraction(3, 30), Fraction(9, 30)]}
    assert verdict(ConventionSearch(targets, family)).verdict is not Verdict.REFUTED


# Homogeneity


def cells(*texts):
    return tuple(quoted(t, f"mean {i}") for i, t in enumerate(texts))


def test_homogeneity_has_three_answers():
    rival = {"rival_ratio": Fraction(12, 10), "rival": "a drift by a fifth"}
    equal = Homogeneous(cells("10.0 ± 0.5", "10.1 ± 0.5", "9.9 ± 0.5"), **rival)
    different = Homogeneous(cells("10.0 ± 0.5", "12.1 ± 0.5", "9.9 ± 0.5"), **rival)
    noisy = Homogeneous(cells("10.0 ± 5.0", "10.1 ± 5.0", "9.9 ± 5.0"), **rival)
    assert verdict(equal).verdict is Verdict.SUPPORTED
    assert verdict(different).verdict is Verdict.REFUTED
    assert len(verdict(different).details["disjoint_intervals"]) == 2
    assert verdict(noisy).verdict is Verdict.INCONCLUSIVE


def test_homogeneity_needs_error_bars_and_a_rival():
    with pytest.raises(InputError, match="no ± part"):
        verdict(Homogeneous(cells("10.0", "10.1"), Fraction(12, 10), "rival"))
    with pytest.raises(InputError, match="rival_ratio"):
        Homogeneous(cells("1 ± 1", "1 ± 1"), Fraction(1), "none")


def test_homogeneity_does_not_depend_on_the_unit():
    found = set()
    for scale in ("", "e-6", "e-9"):
        texts = ("1.0 ± 0.2", "1.3 ± 0.2", "1.35 ± 0.2", "1.0 ± 0.1", "1.0 ± 0.01")
        means = [quoted(" ± ".join(part + scale for part in t.split(" ± ")), t) for t in texts]
        check = Homogeneous(means, Fraction(5, 4), "rival", least_power=Fraction(1, 10))
        found.add(verdict(check).verdict)
    assert found == {Verdict.INCONCLUSIVE}


def test_a_half_width_of_zero_and_numbers_beyond_floats():
    rival = {"rival_ratio": Fraction(12, 10), "rival": "a drift by a fifth"}
    with pytest.raises(InputError, match=r"mean 0, after ±: a half-width of 0 .* expected a positive one"):
        verdict(Homogeneous(cells("1.2 ± 0.0", "1.3 ± 0.1"), **rival))
    small = Homogeneous(cells("10.0 ± 0.5", "12.1 ± 0.5", "9.9 ± 0.5"), **rival)
    huge = Homogeneous(cells("10.0e400 ± 0.5e400", "12.1e400 ± 0.5e400", "9.9e400 ± 0.5e400"), **rival)
    assert verdict(huge).verdict is verdict(small).verdict is Verdict.REFUTED
    assert verdict(huge).details["p"] == verdict(small).details["p"]


# Variants


def test_an_unknown_field_of_a_variant_suggests_the_right_one():
    with pytest.raises(InputError, match="Did you mean relations"):
        Identity((eq(a, a),)).changed({"relation": ()})


def test_a_check_of_nothing_is_refused():
    for empty in (
        lambda: Identity(()),
        lambda: Consistent({}, []),
        lambda: ConventionSearch([], {"a": []}),
        lambda: ConventionSearch([quoted("1", "x")], {}),
    ):
        with pytest.raises(InputError, match=r"nothing would be checked|at least one"):
            empty()
