"""Each check: what it supports, what it refutes, and what it leaves open."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

from theory.exponents import data_exponent
from theory.statement import Relation, eq
from verify.checks.base import Budget
from verify.checks.consistent import Consistent
from verify.checks.conventions import ConventionSearch
from verify.checks.homogeneous import Homogeneous
from verify.checks.identity import Identity
from verify.checks.printed_table import PrintedTable
from verify.errors import InputError
from verify.printed import ROUNDED, Rounding
from verify.readings import EVERY_READING, Reading, describe_readings
from verify.tables import Column, Table, quoted
from verify.verdicts import Verdict, combine

a, b, c, d, x = sp.symbols("a b c d x", positive=True)


def verdict(check, budget=None):
    return combine(check.evidence(budget or Budget()))


def table(**columns):
    cells = {name: tuple(values.split()) for name, values in columns.items()}
    return Table("T", tuple(Column(n, "1", v) for n, v in cells.items()), (next(iter(cells)),))


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


# Printed tables


def test_one_mode_must_explain_the_table_and_cells_never_choose():
    t = table(n="1 2", a="32 48", r="0.063 0.062")
    check = PrintedTable(t, {"r": sp.Integer(2) / a * (a / a)}, exact=["a"])
    t2 = table(n="1 2", a="32 48", b="2 3", r="0.063 0.062")
    tie = PrintedTable(t2, {"r": b / a}, exact=["a", "b"])  # 0.0625 printed both ways
    assert verdict(tie).verdict is Verdict.REFUTED
    assert verdict(check).verdict is Verdict.REFUTED


def test_modes_are_told_apart_and_named():
    truncated = table(n="1 2 3", a="7 9 11", r="0.142 0.111 0.090")
    found = verdict(PrintedTable(truncated, {"r": 1 / a}, exact=["a"]))
    assert found.verdict is Verdict.SUPPORTED
    assert found.details["explained_by"] == [str(r) for r in EVERY_READING if r.outputs is Rounding.TRUNCATED]


@pytest.mark.parametrize(
    ("explains", "said"),
    [
        ("PE PT", "rounded half to even or truncated with inputs as printed"),
        ("UU UE EU EE", "rounded half up or half to even with inputs rounded half up or half to even"),
        ("UU EE", "inputs and outputs alike rounded half up or half to even"),
        ("UT ET TT", "truncated if the inputs carried more digits than printed"),
    ],
)
def test_readings_are_told_briefly(explains, said):
    mode = {"P": Rounding.EXACT, "U": Rounding.HALF_UP, "E": Rounding.HALF_EVEN, "T": Rounding.TRUNCATED}
    readings = [Reading(mode[i], mode[o]) for i, o in explains.split()]
    assert describe_readings(readings, EVERY_READING) == said


def test_every_wrong_cell_is_named_and_no_right_one():
    t = table(n="1 2 3 4", a="7 9 11 13", r="0.143 0.112 0.091 0.076")
    found = verdict(PrintedTable(t, {"r": 1 / a}, exact=["a"]))
    assert found.verdict is Verdict.REFUTED
    assert [cell["row"] for cell in found.details["unexplained_cells"]] == ["n=2", "n=4"]
    assert found.confirmed_by


def test_inputs_may_be_taken_as_printed_or_free_within_their_last_digit():
    t = table(n="1", a="0.5", b="0.5", r="0.27")  # 0.25 as printed; [0.2025, 0.3025) when free
    as_printed = tuple(Reading(Rounding.EXACT, m) for m in ROUNDED)
    free = tuple(Reading(m, m) for m in ROUNDED)
    assert verdict(PrintedTable(t, {"r": a * b}, readings=as_printed)).verdict is Verdict.REFUTED
    assert verdict(PrintedTable(t, {"r": a * b}, readings=free)).verdict is Verdict.SUPPORTED


def test_derived_cells_of_a_row_must_fit_together():
    t = table(n="1", a="0.5", r="0.54", s="0.46")  # r = a and s = a cannot both hold
    check = PrintedTable(t, {"r": a, "s": a}, readings=(Reading(Rounding.HALF_UP, Rounding.HALF_UP),))
    found = verdict(check)
    assert found.verdict is Verdict.REFUTED
    assert set(found.witness["conflict"]) == {"r (n=1)", "s (n=1)"}
    assert verdict(check.changed({"scope": "column"})).verdict is Verdict.SUPPORTED


def test_shared_constants_are_one_choice_for_all_rows():
    t = table(n="1 2", x="1 2", r="0.54 0.94")
    free = {a: quoted("0.5", "constant")}
    readings = (Reading(Rounding.HALF_UP, Rounding.HALF_UP),)
    check = PrintedTable(t, {"r": a * x}, exact=["x"], shared=free, readings=readings)
    assert verdict(check).verdict is Verdict.REFUTED  # a = 0.54 in one row, 0.47 in the other
    steady = check.changed({"table": t.with_cell(1, "r", "1.08")})
    assert verdict(steady).verdict is Verdict.SUPPORTED


BLANKS = table(name="one two three four", a="2 3 – 5", b="4 - 8 10", c="6 9 12 15")


def test_a_dash_holds_nothing_and_is_counted():
    found = verdict(PrintedTable(BLANKS, {"b": 2 * a, "c": 3 * a}))
    assert found.verdict is Verdict.SUPPORTED
    assert found.finding.startswith("5 cells of T follow")
    assert found.finding.endswith("; left out: 3 cells without a printed number or printed inputs")
    assert found.details["left_out"] == 3
    assert len(found.details["cells"]) == 5


def test_a_wrong_cell_beside_dashes_is_still_found():
    wrong = BLANKS.with_cell(3, "c", "16")
    found = verdict(PrintedTable(wrong, {"b": 2 * a, "c": 3 * a}, exact=["a"]))
    assert found.verdict is Verdict.REFUTED
    assert [cell["column"] for cell in found.details["unexplained_cells"]] == ["c"]
    assert "; left out: 3 cells" in found.finding


def test_a_dash_in_a_formula_s_other_column_does_not_matter():
    found = verdict(PrintedTable(BLANKS, {"c": 3 * b / 2}, scope="column"))
    assert found.details["left_out"] == 1
    assert found.verdict is Verdict.SUPPORTED


def test_a_column_of_dashes_cannot_be_checked():
    with pytest.raises(InputError, match="no cell of 'b' in T can be recomputed"):
        PrintedTable(table(a="1 2", b="- -"), {"b": 2 * a})


def test_power_is_the_share_of_wrong_last_digits_that_are_noticed():
    t = table(n="1 2", a="7 9", r="0.143 0.111")
    one_mode = PrintedTable(
        t, {"r": 1 / a}, exact=["a"], readings=(Reading(Rounding.EXACT, Rounding.HALF_UP),)
    )
    assert verdict(one_mode).details["power"] == "100%"
    coarse = table(n="1", a="0.5", r="0.25")  # any of nine last digits fits a free input
    loose = PrintedTable(coarse, {"r": a**2}, readings=(Reading(Rounding.HALF_UP, Rounding.HALF_UP),))
    assert verdict(loose).details["power"] == "0%"
    assert verdict(loose).finding.endswith("would be noticed 0% of the time, so this says little")


def test_what_a_cell_is_recomputed_as_is_what_explains_it():
    t = table(n="1", a="0.5", b="0.5", r="0.27", s="1.65")  # r needs free inputs, s fits them as printed
    [r, s] = verdict(PrintedTable(t, {"r": a * b, "s": sp.exp(b)})).details["cells"]
    assert r["recomputed"] == "[0.2025, 0.3025)"
    assert s["recomputed"] == "1.648721271"  # enclosed, and too narrow for two ends
    [off] = verdict(PrintedTable(t.with_cell(0, "r", "0.9"), {"r": a * b})).details["cells"]
    assert off["recomputed"] == "0.25"


def test_a_table_check_names_the_columns_it_cannot_find():
    with pytest.raises(InputError, match="no column 'q'"):
        PrintedTable(table(n="1", a="1"), {"q": a})
    with pytest.raises(InputError, match="no column 'z'"):
        PrintedTable(table(n="1", a="1"), {"a": sp.Symbol("z")})
    with pytest.raises(InputError, match="uses 'a' itself"):
        PrintedTable(table(n="1", a="1"), {"a": 2 * a / 2})
    with pytest.raises(InputError, match="formulas is empty"):
        PrintedTable(table(n="1", a="1"), {})


@pytest.mark.parametrize("scope", ["table", "column"])
def test_a_cell_that_the_budget_leaves_open_is_inconclusive_and_not_refuted(scope):
    t = table(n="1", a="0.5", r="0.25")  # a kink in the middle of the input hides the slope
    kinked = PrintedTable(
        t,
        {"r": sp.Max(a, 1 - a) * sp.Min(a, 1 - a)},
        readings=(Reading(Rounding.HALF_UP, Rounding.HALF_UP),),
        scope=scope,
    )
    assert verdict(kinked).verdict is Verdict.SUPPORTED
    off = kinked.changed({"table": t.with_cell(0, "r", "0.255")})
    assert verdict(off, Budget(boxes=1)).verdict is Verdict.INCONCLUSIVE
    assert verdict(off).verdict is Verdict.REFUTED


# Consistency of places


def test_a_relation_is_refuted_only_if_no_unrounded_values_satisfy_it():
    places = {a: quoted("0.5", "here"), b: quoted("0.54", "there")}
    assert verdict(Consistent(places, [eq(a, b)])).verdict is Verdict.SUPPORTED
    apart = {**places, b: quoted("0.56", "there")}
    found = verdict(Consistent(apart, [eq(a, b)], modes=(Rounding.HALF_UP,)))
    assert found.verdict is Verdict.REFUTED
    assert "here" in found.finding
    assert "there" in found.finding


@pytest.mark.parametrize(
    ("op", "left", "right", "holds"),
    [
        ("<", "1.0", "1.1", True), ("<", "1.1", "1.0", False), ("<=", "1.0", "1.0", True),
        (">", "1.0", "2.0", False), (">=", "2.0", "1.0", True), ("!=", "1.0", "1.0", False),
        ("!=", "1.0", "1.1", True), ("==", "1.0", "1.00", True), ("<", "1.0", "1.0", False),
    ],
)  # fmt: skip
def test_relations_between_exact_counts(op, left, right, holds):
    places = {a: quoted(left, "left", exact=True), b: quoted(right, "right", exact=True)}
    expected = Verdict.SUPPORTED if holds else Verdict.REFUTED
    assert verdict(Consistent(places, [Relation(a, op, b)])).verdict is expected


def test_a_refuted_relation_names_the_printed_numbers_in_it():
    places = {a: quoted("0.5", "Table 1"), b: quoted("0.6", "Table 2")}
    found = verdict(Consistent(places, [eq(a, b)], modes=[Rounding.HALF_UP])).finding
    assert found.startswith(
        "the relation cannot hold for any values that print as given: a = b fails: [0.45, 0.55)"
    )
    assert found.endswith("with a = 0.5 (Table 1), b = 0.6 (Table 2)")
    assert (
        "and no printed number stands in it: 1 > 2"
        in verdict(Consistent({}, [Relation(sp.Integer(1), ">", sp.Integer(2))])).finding
    )


def test_a_relation_without_a_place_is_refused():
    with pytest.raises(InputError, match="no place for b"):
        Consistent({a: quoted("1", "x")}, [eq(a, b)])


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
        Homogeneous(cells("10.0", "10.1"), Fraction(12, 10), "rival")
    with pytest.raises(InputError, match="rival_ratio"):
        Homogeneous(cells("1 ± 1", "1 ± 1"), Fraction(1), "none")


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
