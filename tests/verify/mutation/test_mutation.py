"""The mutation score: misprints are made and noticed, maxima are right, survivors have their reason."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from theory.relation import Relation, eq
from verify import EVERY_READING, Consistent, Identity, PrintedTable, Rounding, quoted
from verify.checks.base import Budget
from verify.judging.claims import Claim
from verify.judging.papers import load_paper, select
from verify.mutation.cells import Baseline, cell_mutants, judge_cell
from verify.mutation.columns import column_score, derived_columns
from verify.mutation.digits import misprints
from verify.mutation.formulas import falsified
from verify.mutation.maximum import printable
from verify.mutation.run import _cells as column_scores
from verify.printed.derived import DerivedTable
from verify.printed.intervals import Interval
from verify.printed.numerals import parse_printed
from verify.printed.tables import Misprint, misprinted, read_table

a, b = sp.symbols("a b", positive=True)

TABLE = """
    # key: label
    label,a [1],twice [1],remark [1],free [1]
    one,1.0,2.0,seen,7.25
    two,2.0,4.0,seen,0.31
"""
CLAIMS = """
    import sympy as sp
    from theory.relation import Relation
    from verify import Consistent, Paper, PrintedTable
    paper = Paper.open(__file__)
    table = paper.table("numbers")
    a, first, second = sp.symbols("a first second", positive=True)
    paper.claim("twice", "the column twice is 2 a", where="Table 1", check=PrintedTable(table, {"twice": 2 * a}),
                mutants={"thrice": {"formulas": {"twice": 3 * a}}})
    paper.claim("rising", "a rises", where="Table 1",
                check=Consistent({first: table.cell(0, "a"), second: table.cell(1, "a")}, [Relation(first, "<", second)]),
                mutants={"falling": {"relations": [Relation(first, ">", second)]}})
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.063", ["0.064", "0.062", "0.069", "0.057"]),
        ("5", ["6", "4"]),
        ("10", ["11", "9"]),
        ("-0.1817", ["-0.1816", "-0.1818", "-0.1999", "-0.1635"]),
        ("22.9 ± 2.9", ["23.0 ± 2.9", "22.8 ± 2.9", "25.2 ± 2.9", "20.6 ± 2.9",
                        "22.9 ± 3.0", "22.9 ± 2.8", "22.9 ± 3.2", "22.9 ± 2.6"]),
        ("gpt2-large", []),
        ("-", []),
    ],
)  # fmt: skip
def test_misprints_are_a_unit_in_the_last_digit_and_a_tenth(text, expected):
    assert [other.text for other in misprints(text)] == expected


@given(
    st.decimals("0.0001", "9.9999", places=4).map(str),
    st.sampled_from([Rounding.HALF_UP, Rounding.HALF_EVEN, Rounding.TRUNCATED]),
)
def test_every_misprint_reads_back_as_another_number(text, mode):
    for other in misprints(text):
        assert parse_printed(other.text).value != parse_printed(text).value
        assert parse_printed(other.text).last_digit == parse_printed(text).last_digit


@given(
    st.fractions(Fraction(1, 10), 10, max_denominator=97),
    st.fractions(Fraction(1, 1000), Fraction(1, 10), max_denominator=1000),
    st.sampled_from([Rounding.HALF_UP, Rounding.HALF_EVEN, Rounding.TRUNCATED]),
    st.booleans(),
    st.booleans(),
)
def test_what_a_formula_can_print_as_is_what_its_values_round_to(low, width, mode, low_closed, high_closed):
    box = {a: Interval(low, low + width, low_closed, high_closed), b: Interval.point(Fraction(3, 2))}
    unit = Fraction(1, 100)
    limits = printable(a / (a + b), box, unit, mode)
    values = [low + width * Fraction(i, 200) for i in range(201)]
    values = values[not low_closed : 201 - (not high_closed)]
    printed = {u for x in values for u in _prints_as(x / (x + Fraction(3, 2)), unit, mode)}
    assert limits.least <= min(printed)
    assert limits.greatest >= max(printed)
    assert not any(limits.excludes(units) for units in printed)
    assert limits.least >= min(printed) - 1
    assert limits.greatest <= max(printed) + 1


def _prints_as(value, unit, mode):
    """The units whose interval, by the harness's own definition, holds the value."""
    around = int(value / unit)
    return [u for u in range(around - 1, around + 3) if value in parse_printed(f"{u}e-2").interval(mode)]


def test_what_is_not_monotone_has_no_known_maximum():
    box = {a: Interval(Fraction(-1), Fraction(1))}
    assert printable(a**2, box, Fraction(1, 10), Rounding.HALF_UP) is None


@pytest.mark.thorough
def test_every_derived_column_of_tables_2_to_5_reaches_its_maximum_under_every_reading():
    _, claims = select(["mayaki2026"])
    holding = {claim.id for claim in claims if claim.check is not None and claim.expect is None}
    columns = derived_columns(claims, holding)
    assert {(c.table, c.name) for c in columns} >= {
        ("Table 2", "alpha_N"), ("Table 2", "alpha_D"), ("Table 2", "consistency"),
        ("Table 3", "N_act"), ("Table 4", "N_act"), ("Table 5", "r_C"), ("Table 5", "rel_err_D"),
    }  # fmt: skip
    lost = excludable = made = 0
    for column in columns:
        for reading in column_score(column, Budget())["readings"]:
            assert reading["noticed"] == reading["maximum"], (column.table, column.name, reading)
            assert len(reading["survivors"]) == reading["mutants"] - reading["noticed"]
            excludable += reading["maximum"]
            made += reading["mutants"]
            lost += len(reading["excluded"])
    assert made > 2000
    assert excludable < made  # free inputs leave room for some misprints
    assert lost > 0  # truncated columns contradict ordinary rounding


def test_a_check_that_is_too_loose_falls_short_of_the_maximum(write_paper):
    class LooseTable(DerivedTable):
        def cell(self, row, column):
            cell = super().cell(row, column)
            return replace(cell, text=cell.text[:-1] + "0") if column in self.formulas else cell

    class Loose(PrintedTable):
        @cached_property
        def derived(self):
            return LooseTable(self.table, self.expressions, self.names, self.exact, self.shared)

    table = load_paper(write_paper(CLAIMS, numbers=TABLE)).table("numbers")
    claim = Claim(
        "p/x", "w", "t", check=Loose(table, {"twice": 2 * a}), mutants={"m": {"formulas": {"twice": 3 * a}}}
    )
    column = derived_columns([claim], {"p/x"})[0]
    first = column_score(column, Budget())["readings"][0]
    assert first["noticed"] < first["maximum"]


@pytest.fixture
def baseline(write_paper):
    folder = write_paper(CLAIMS, numbers=TABLE)
    return Baseline.of([folder], Budget(), None)


def test_a_misprint_is_noticed_by_the_claim_whose_verdict_it_changes(baseline):
    (folder,) = baseline.papers
    path = (folder / "numbers.csv").resolve()
    found = judge_cell(baseline, path, 0, "twice", {"invented/twice", "invented/rising"})
    assert {m["noticed_by"] for m in found["misprints"]} == {"", "invented/twice"}
    free = judge_cell(baseline, path, 0, "free", {"invented/twice", "invented/rising"})
    assert free["read"] is False
    unchosen = judge_cell(baseline, path, 0, "twice", {"invented/rising"})
    assert unchosen["read"] is False


def test_a_misprint_lasts_no_longer_than_its_block(write_paper):
    path = (write_paper(CLAIMS, numbers=TABLE) / "numbers.csv").resolve()
    with misprinted(Misprint(path, 0, "a", "9.9")):
        assert read_table(path).cell(0, "a").text == "9.9"
        assert read_table(path).cell(1, "a").text == "2.0"
    assert read_table(path).cell(0, "a").text == "1.0"


def kinds(check):
    claim = Claim("p/x", "w", "t", check=check, mutants=_mutant(check))
    return {(f.kind, str(f.relation)) for f in falsified(claim)}


def _mutant(check):
    if isinstance(check, PrintedTable):
        return {"m": {"formulas": dict.fromkeys(check.formulas, 7 * a)}}
    return {"m": {"relations": (eq(a, 7 * a),)}}


def test_an_identity_is_changed_in_sign_exponent_inequality_and_index():
    found = kinds(Identity((eq(a + b, b + a), eq(a, a))))
    assert ("sign", "a + b = a - b") in found
    assert ("exponent", "a + b = a + b**2") in found
    assert ("inequality", "a + b < a + b") in found
    assert ("index", "2*b = a + b") in found


def test_a_change_that_says_the_same_again_is_left_out():
    found = kinds(Identity((eq(a * b, b * a),)))
    assert all("(" not in text or text for _, text in found)
    assert ("index", "a*b = a*b") not in found
    assert not any(text == "a*b = a*b" for _, text in found)


def test_places_are_mistaken_only_for_their_own_kind():
    x1, x2, y1 = (sp.Symbol(name, positive=True) for name in ("x[E=1]", "x[E=2]", "y[E=1]"))
    places = {x1: quoted("1", "t"), x2: quoted("2", "t"), y1: quoted("1", "t")}
    found = kinds_of_places(places, Relation(x1, "<", x2))
    assert ("index", "x[E=2] < x[E=2]") in found
    assert not any("y" in text for _, text in found)
    assert ("inequality", "x[E=1] > x[E=2]") in found


def kinds_of_places(places, relation):
    check = Consistent(places, [relation])
    other = Relation(relation.rhs, relation.op, relation.lhs)
    claim = Claim("p/x", "w", "t", check=check, mutants={"m": {"relations": [other]}})
    return {(f.kind, str(f.relation)) for f in falsified(claim)}


def test_a_cell_that_holds_no_number_is_named_among_the_unconstrained(write_paper):
    folder = write_paper(CLAIMS, numbers=TABLE.replace("0.31", "O.31"))
    baseline = Baseline.of([folder], Budget(), None)
    [(path, printed)] = baseline.tables(folder)
    assert (1, "free") in list(cell_mutants(printed))
    assert not any(column in ("label", "remark") for _, column in cell_mutants(printed))
    found = {"paper": "p", "table": "t", **judge_cell(baseline, path, 1, "free", set())}
    [score] = column_scores([found])
    assert score["unconstrained"] == ["label=two (not a number: O.31)"]


def test_misprints_keep_the_decimal_comma():
    assert [m.text for m in misprints("0,34", decimal_comma=True)] == ["0,35", "0,33", "0,37", "0,31"]


@pytest.mark.thorough
def test_the_command_prints_the_score_and_the_report_holds_it(moelaws, write_paper, tmp_path):
    folder = write_paper(CLAIMS, numbers=TABLE)
    one = moelaws("verify", folder, "--mutate", "--jobs", 1, "--report", tmp_path / "one")
    two = moelaws("verify", folder, "--mutate", "--jobs", 2, "--report", tmp_path / "two")
    assert one.returncode == two.returncode == 0, one.stderr + two.stderr
    assert "mutation score: " in one.stdout
    assert one.stdout.replace("one/", "two/") == two.stdout
    record = json.loads((tmp_path / "one" / "report.json").read_text())
    assert (tmp_path / "one" / "report.json").read_bytes() == (tmp_path / "two" / "report.json").read_bytes()
    by_column = {item["column"]: item for item in record["mutation"]["cells"]}
    assert by_column["free"]["unread"] == ["label=one", "label=two"]
    assert "remark" not in by_column
    assert all(s["why"] for item in by_column.values() for s in item["survivors"])
    assert record["mutation"]["claims"]["by_kind"]["inequality"] == [1, 1]
    for name in ("report.html", "report.md"):
        assert "Would it have noticed?" in (tmp_path / "one" / name).read_text()


@pytest.mark.thorough
def test_a_run_without_tables_has_a_score_of_its_claims_only(moelaws, tmp_path):
    done = moelaws("verify", "theory/model-exponent", "--mutate", "--report", tmp_path / "report")
    assert done.returncode == 0, done.stderr
    assert "0 of 0 misprints noticed" in done.stdout
    assert "falsified claims rejected" in done.stdout


def test_every_reading_is_scored_once(baseline):
    (paper,) = baseline.papers.values()
    (column,) = derived_columns(list(paper.claims.values()), {"invented/twice", "invented/rising"})
    readings = column_score(column, Budget())["readings"]
    assert len(readings) <= len(EVERY_READING)
    assert all(r["noticed"] == r["maximum"] for r in readings)


def test_an_inequality_is_turned_cut_by_a_constant_and_stripped_of_terms():
    from theory.results.routing import log_choose_le_k_log
    from verify.judging.statement_claims import derivation_claim

    found = {(f.kind, str(f.relation)) for f in falsified(derivation_claim(log_choose_le_k_log))}
    assert ("inequality", "log(binomial(M, k)) >= k*log(e*M/k)") in found
    assert ("constant", "log(binomial(M, k)) <= k*log(e*M/k)/2") in found
    assert ("constant", "log(binomial(M, k)) + 1 <= k*log(e*M/k)") in found  # true: survives, with its reason
    assert {kind for kind, _ in found} == {"inequality", "constant", "term"}


@pytest.mark.thorough
def test_the_score_of_an_inequality_says_which_changes_are_true_as_well(moelaws, tmp_path):
    done = moelaws(
        "verify",
        "theory/entropy-symmetric",
        "theory/entropy-le-k-log",
        "--mutate",
        "--report",
        tmp_path / "r",
    )
    assert done.returncode == 0, done.stderr
    score = json.loads((tmp_path / "r" / "report.json").read_text())["mutation"]["claims"]
    assert score["by_kind"]["inequality"][0] >= 1
    assert all(s["why"] for claim in score["claims"] for s in claim["survivors"])
