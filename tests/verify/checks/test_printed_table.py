"""Printed tables against their formulas: one reading for all cells, jointly where constants are shared."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp
from judged import table, verdict

from verify.checks.base import Budget
from verify.checks.printed_table import PrintedTable
from verify.checks.single_correction import SingleCorrection
from verify.errors import InputError
from verify.printed.numerals import ROUNDED, Rounding
from verify.printed.rounding_readings import EVERY_READING, Reading, describe_readings
from verify.printed.tables import Column, Table, quoted
from verify.verdicts import Verdict, combine

a, b, x, A = sp.symbols("a b x A", positive=True)


def test_one_mode_must_explain_the_table_and_cells_never_choose():
    t = table(n="1 2", a="32 48", r="0.063 0.062")
    check = PrintedTable(t, {"r": sp.Integer(2) / a * (a / a)}, exact=["a"])
    assert verdict(check).verdict is Verdict.REFUTED
    t2 = table(n="1 2", a="7 9", r="0.143 0.112")  # one rounded to nearest, the other up
    assert verdict(PrintedTable(t2, {"r": 1 / a}, exact=["a"])).verdict is Verdict.REFUTED


TIES = table(n="1 2", a="3 9", r="0.1 0.5")  # as a double prints 3/20 and 9/20 with one digit


@pytest.mark.parametrize("readings", [EVERY_READING, (Reading(Rounding.EXACT, Rounding.HALF_UP),)])
@pytest.mark.parametrize("scope", ["table", "column"])
def test_a_tie_printed_either_way_is_not_refuted(readings, scope):
    found = verdict(PrintedTable(TIES, {"r": a / 20}, exact=["a"], readings=readings, scope=scope))
    assert found.verdict is Verdict.SUPPORTED
    assert "ties either way" in found.finding


def test_a_wrong_cell_beside_ties_is_refuted_and_the_ties_are_not_accused():
    t = table(n="1 2 3", a="3 9 13", r="0.1 0.5 0.8")
    found = verdict(PrintedTable(t, {"r": a / 20}, exact=["a"]))
    assert found.verdict is Verdict.REFUTED
    assert [cell["row"] for cell in found.details["unexplained_cells"]] == ["n=3"]
    assert "1 of 3 cells does not follow: r at n=3 is printed 0.8, recomputed 0.65" in found.finding


def test_inputs_that_would_have_to_stand_on_a_tie_decide_nothing():
    t = table(n="1 2", a="0.1 0.3", r="3 5")  # a = 3/20 and 1/4, printed 0.1 and 0.3
    found = verdict(PrintedTable(t, {"r": 20 * a}, exact=["r"]))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "exactly on a tie" in found.finding


@pytest.mark.parametrize("scope", ["table", "column"])
@pytest.mark.parametrize("total", ["6", "8"])
def test_a_sum_of_whole_numbers_that_is_off_by_one_is_refuted(total, scope):
    t = table(n="1 2", a="3 5", b="4 5", r=f"{total} 10")
    found = verdict(PrintedTable(t, {"r": a + b}, exact=["a", "b"], scope=scope))
    assert found.verdict is Verdict.REFUTED


def test_a_ceiling_and_a_step_are_stated_by_the_table():
    stated = Table(
        "T",
        (
            Column("n", "1", ("1", "2")),
            Column("a", "1", ("100", "30")),
            Column("weeks", "1", ("15", "5"), ceiling=True),
            Column("near", "1", ("105", "35"), step=Fraction(5)),
        ),
        ("n",),
    )
    formulas = {"weeks": a / 7, "near": a + 4}
    assert verdict(PrintedTable(stated, formulas, exact=["a"])).verdict is Verdict.SUPPORTED
    for column, text in (("weeks", "14"), ("near", "100")):
        wrong = PrintedTable(stated.with_cell(0, column, text), formulas, exact=["a"])
        assert verdict(wrong).verdict is Verdict.REFUTED


def test_a_row_without_a_value_does_not_hide_a_false_one():
    old, new = sp.symbols("old new")
    t = table(n="1 2", old="0.0 10.0", new="1.2 12.0", rise="100% 90.0%")
    check = PrintedTable(t, {"rise": (new - old) / old})
    found = verdict(check)
    assert found.verdict is Verdict.REFUTED
    assert [cell["row"] for cell in found.details["unexplained_cells"]] == ["n=2"]
    assert "; no value: rise at n=1 (" in found.finding
    right = verdict(check.changed({"table": t.with_cell(1, "rise", "20%")}))
    assert right.verdict is Verdict.INCONCLUSIVE
    assert right.finding.startswith("a formula has no value: rise at n=1")


@pytest.mark.parametrize("scope", ["table", "column"])
@pytest.mark.parametrize("readings", [EVERY_READING, (Reading(Rounding.HALF_UP, Rounding.HALF_UP),)])
def test_cells_that_only_rounded_inputs_explain_are_counted(scope, readings):
    t = table(n="1 2", a="0.5 1.0", b="0.5 1.0", r="0.27 1.00")
    found = verdict(PrintedTable(t, {"r": a * b}, readings=readings, scope=scope))
    assert found.verdict is Verdict.SUPPORTED
    assert "; 1 cell only thanks to rounded inputs" in found.finding
    exactly = verdict(PrintedTable(t.with_cell(0, "r", "0.25"), {"r": a * b}, scope=scope))
    assert "thanks to" not in exactly.finding


def test_one_cell_follows_in_the_singular():
    t = table(n="1", a="7", r="0.143")
    assert verdict(PrintedTable(t, {"r": 1 / a})).finding.startswith("1 cell of T follows from")


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


def test_a_shared_constant_may_be_called_like_a_numbered_input():
    big, constant = sp.symbols("N N_0", positive=True)
    t = table(row="1 2", N="100 200", r="9.6 19.2")
    readings = (Reading(Rounding.HALF_UP, Rounding.HALF_UP),)
    check = PrintedTable(
        t, {"r": big / constant}, shared={constant: quoted("10", "c")}, exact=["N"], readings=readings
    )
    assert verdict(check).verdict is Verdict.SUPPORTED


def test_a_second_constant_that_reconciles_is_confirmed_by_another_evaluator():
    t = table(row="1 2", q="1 2", r="0.60 1.20")
    base = PrintedTable(
        t,
        {"r": A * x * sp.Symbol("q", positive=True)},
        shared={A: quoted("1.00", "A"), x: quoted("0.50", "x")},
        exact=["q"],
        readings=(Reading(Rounding.HALF_UP, Rounding.HALF_UP),),
    )
    found = combine(SingleCorrection(base, [A]).evidence(Budget()))
    assert found.verdict is Verdict.REFUTED
    assert "mpmath" in found.confirmed_by
    assert found.witness["point"]
    assert verdict(SingleCorrection(base, [A, x])).verdict is Verdict.SUPPORTED


def test_a_finding_is_in_the_unit_of_the_table():
    t = table(n="1", a="797", r=r"82\%")
    found = verdict(PrintedTable(t, {"r": a / 1000}, exact=["a"]))
    assert r"r at n=1 is printed 82\%, recomputed 79.7%" in found.finding
    assert found.witness["stands_for"] == "[81.5, 82.5)%"


def test_a_recomputed_value_is_shown_until_it_differs():
    t = table(n="1", b="1", r="3269017.372478")
    found = verdict(PrintedTable(t, {"r": sp.exp(15) * b}, exact=["b"]))
    assert "is printed 3269017.372478, recomputed 3269017.37247211" in found.finding
