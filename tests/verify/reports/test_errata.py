"""The errata of a report: what was recomputed beside what is printed, and the table in the forms one takes it elsewhere."""

from __future__ import annotations

import csv
import io

import pytest

from verify.judging.papers import load_paper
from verify.judging.runner import run_claims
from verify.judging.severity import Severity
from verify.reports.errata import COLUMNS, Row, as_csv, as_latex, as_markdown, errata
from verify.reports.figures.base import Erratum
from verify.reports.record import report_record

CLAIMS = """
    import sympy as sp
    from theory.relation import Relation, eq
    from verify import Consistent, Origin, Paper, PrintedTable, Severity, Verdict
    paper = Paper.open(__file__)
    table = paper.table("numbers")
    a, b = sp.symbols("a b", positive=True)
    known = dict(where="Table 1", expect=Verdict.REFUTED, because="it is not")
    places = {a: table.cell(0, "a"), b: table.cell(0, "twice")}
    def twice(factor):
        return PrintedTable(table, {"twice": factor * a}, exact=["a"])
    paper.claim("cell", "twice", check=twice(2), **known,
                repairs={"2.5 there": {"table": table.with_cell(1, "twice", "4.0")}})
    paper.claim("formula", "ten times", check=twice(10), **known,
                repairs={"twice": {"table": table.with_cell(1, "twice", "4.0"), "formulas": {"twice": 2 * a}}})
    def relation(*relations):
        return Consistent(places, list(relations))
    repair = {"true": {"relations": [eq(b, 2 * a)]}}
    paper.claim("equation", "b is 3 a", check=relation(eq(b, 3 * a)), **known, repairs=repair)
    paper.claim("two-numbers", "b is a", check=relation(eq(b, a)), **known, repairs=repair)
    paper.claim("order", "b is less", check=relation(Relation(b, "<", a / 2)), **known, repairs=repair)
    paper.claim("remark", "b is 4 a", check=relation(eq(b, 4 * a)), severity=Severity.REMARK, **known, repairs=repair)
    paper.claim("ours", "b is 5 a", check=relation(eq(b, 5 * a)), origin=Origin.OWN_TEST, **known, repairs=repair)
"""
TABLE = """
    # name: Table 1
    # key: label
    label,a [m],twice [m]
    one,1.0,2.0
    two,2.0,4.7
"""


@pytest.fixture
def report(write_paper):
    paper = load_paper(write_paper(CLAIMS, numbers=TABLE))
    found = report_record(run_claims([paper], list(paper.claims.values())))
    assert found["summary"]["unexpected"] == []
    return found


def test_an_erratum_is_a_printed_number_and_what_was_recomputed_for_it(report):
    wrong = ("wrong number",)
    assert sorted((row.claim.split("/")[1], *row.texts[1:]) for row in errata(report)) == [
        ("cell", "Table 1, label=two, twice", "4.7", "4", "m", *wrong),
        ("equation", "Table 1, label=one, twice", "2.0", "[2.85, 3.15)", "m", *wrong),
        ("formula", "Table 1, label=one, twice and the other one", "2.0", "10", "m", *wrong),
    ]


HOSTILE = Row(
    "p/c", Severity.WRONG_NUMBER, Erratum("a & b_c, 5%", '=HYPERLINK("x")', "2×10^4 | ~<b>\n±\\", "$ {1}")
)


def test_a_spreadsheet_reads_the_table_back_and_runs_none_of_it():
    header, row = csv.reader(io.StringIO(as_csv([HOSTILE])))
    assert tuple(header) == COLUMNS
    assert row == ["p", "a & b_c, 5%", '\'=HYPERLINK("x")', "2×10^4 | ~<b> ±\\", "$ {1}", "wrong number"]
    minus = Row("p/c", Severity.ROUNDING, Erratum("t", "-.1965", "-0.1964", ""))
    assert as_csv([minus]).splitlines()[1] == "p,t,-.1965,-0.1964,,rounding only"


def test_markdown_and_latex_show_hostile_text_as_text():
    assert as_markdown([HOSTILE]).splitlines() == [
        "| paper | place | printed | recomputed | unit | severity |",
        "| --- | --- | --- | --- | --- | --- |",
        '| p | a & b\\_c, 5% | =HYPERLINK("x") | 2×10^4 \\| ~&lt;b&gt; ±\\\\ | $ \\{1\\} | wrong number |',
    ]
    assert as_latex([HOSTILE]).splitlines() == [
        r"\begin{tabular}{llllll}",
        r"paper & place & printed & recomputed & unit & severity \\",
        r"\hline",
        r'p & a \& b\_c, 5\% & =HYPERLINK("x") & 2$\times$10\textasciicircum{}4 | \textasciitilde{}$<$b$>$ '
        r"$\pm$\textbackslash{} & \$ \{1\} & wrong number \\",
        r"\end{tabular}",
    ]
