"""A refuted claim says what is wrong, how much it matters and whose claim it is; nothing is made graver than was shown."""

from __future__ import annotations

import pytest

from verify.errors import InputError
from verify.judging.papers import load_paper, select
from verify.judging.runner import run_claims
from verify.reports.findings import findings
from verify.reports.record import report_record
from verify.verdicts import Verdict

CLAIMS = """
    import sympy as sp
    from theory.relation import eq
    from verify import Consistent, Identity, Origin, Paper, PrintedTable, Severity, Verdict, quoted
    paper = Paper.open(__file__)
    a = sp.Symbol("a", positive=True)
    x = sp.Symbol("x", positive=True)
    false = dict(expect=Verdict.REFUTED, because="it is not")
    def doubled(table):
        return PrintedTable(paper.table(table), {"twice": 2 * a}, exact=["a"])
    def identity(factor):
        return Identity((eq(x, factor * x),))
    one = dict(repairs={"true": {"relations": (eq(x, x),)}})
    paper.claim("last-digit", "twice", where="Table 1", check=doubled("near"), **false,
                repairs={"as it is": {"formulas": {"twice": 2 * a + sp.Rational(1, 100)}}})
    paper.claim("far", "twice", where="Table 2", check=doubled("far"), **false,
                repairs={"as it is": {"formulas": {"twice": 2 * a + 1}}})
    paper.claim("weighed", "twice", where="Here", quote="twice", check=identity(2), headline="All of it is wrong",
                severity=Severity.CONTRADICTS, **false, **one)
    paper.claim("weighed-too", "thrice", where="There", check=identity(3), headline="All of it is wrong", **false, **one)
    paper.claim("unweighed", "four times", where="There", check=identity(4), **false, **one)
    paper.claim("ours", "five times", where="There", check=identity(5), origin=Origin.OWN_TEST, **false, **one)
    paper.claim("control", "six times", where="There", check=identity(6), control=True, **false, **one)
    paper.claim("true", "once", where="There", check=identity(1), mutants={"twice": {"relations": (eq(x, 2 * x),)}})
"""
NEAR = """
    # key: label
    label,a [1],twice [1]
    one,1.00,2.01
"""
FAR = """
    # key: label
    label,a [1],twice [1]
    one,1.00,3.00
"""


@pytest.fixture
def report(write_paper):
    paper = load_paper(write_paper(CLAIMS, near=NEAR, far=FAR))
    found = report_record(run_claims([paper], list(paper.claims.values())))
    assert found["summary"]["unexpected"] == []
    return found


def test_severity_is_stated_or_shown_by_the_last_digit_and_a_conclusion_falls_only_where_a_person_says_so(
    report,
):
    assert {claim["id"].split("/")[1]: claim["severity"] for claim in report["claims"]} == {
        "last-digit": "rounding only",
        "far": "wrong number",
        "weighed": "contradicts a conclusion",
        "weighed-too": "wrong number",
        "unweighed": "wrong number",
        "ours": "remark",
        "control": "remark",
        "true": "",
    }


def test_whose_claim_it_is_is_stated_or_told_by_the_quotation(report):
    assert {claim["id"].split("/")[1]: claim["origin"] for claim in report["claims"]} == {
        "last-digit": "implied",
        "far": "implied",
        "weighed": "printed",
        "weighed-too": "implied",
        "unweighed": "implied",
        "ours": "our own test",
        "control": "our own test",
        "true": "implied",
    }


def test_findings_are_merged_by_headline_gravest_first_and_the_papers_before_our_own(report):
    found = findings(report)
    assert [finding.headline for finding in found] == [
        "All of it is wrong",
        "Table 2: “twice” does not hold",
        "There: “four times” does not hold",
        "Table 1: “twice” does not hold",
        "There: “five times” does not hold",
    ]
    assert [claim["id"] for claim in found[0].claims] == ["invented/weighed", "invented/weighed-too"]
    assert found[0].severity.value == "contradicts a conclusion"
    assert found[0].origin.value == "printed"


@pytest.mark.parametrize(
    ("rest", "said"),
    [
        ("headline='x'", "needs expect=Verdict.REFUTED"),
        ("severity='grave'", "expected one of Severity.CONTRADICTS"),
        ("origin='theirs'", "expected one of Origin.PRINTED"),
        ("headline=3", "headline=3 is not a text"),
    ],
)
def test_what_is_no_severity_headline_or_origin_is_refused_in_a_line(write_paper, rest, said):
    text = "from verify import Paper\npaper = Paper.open(__file__)\n"
    with pytest.raises(InputError, match=said):
        load_paper(write_paper(text + f"paper.claim('a', 'b', where='c', not_testable='d', {rest})\n"))


def test_every_refuted_claim_of_an_installed_paper_has_a_headline_that_fits_a_terminal():
    _, claims = select([])
    refuted = [claim for claim in claims if claim.expect is Verdict.REFUTED and not claim.control]
    assert {claim.id for claim in refuted if not claim.headline} == set()
    assert [claim.headline for claim in refuted if len(claim.headline) > 96] == []


def test_a_caveat_stands_in_the_report_and_only_as_text(write_paper):
    folder = write_paper(CLAIMS, near=NEAR, far=FAR)
    with (folder / "paper.toml").open("a") as file:
        file.write('caveat = "read in a photograph"\n')
    paper = load_paper(folder)
    assert report_record(run_claims([paper], []))["papers"][0]["caveat"] == "read in a photograph"
    (folder / "paper.toml").write_text(
        (folder / "paper.toml").read_text().replace('"read in a photograph"', "3")
    )
    with pytest.raises(InputError, match="expected caveat = a quoted text"):
        load_paper(folder)
