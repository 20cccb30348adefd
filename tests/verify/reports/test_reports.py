"""Renderings of a report: hostile text stays text, JUnit counts, Markdown stays whole."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from verify.judging.papers import load_paper
from verify.judging.runner import run_claims
from verify.reports.html import to_html
from verify.reports.junit import to_junit
from verify.reports.markdown import to_markdown
from verify.reports.record import read_report, report_record, to_json
from verify.reports.terminal import print_verdicts

HOSTILE = "<script>alert(1)</script> | `x` [a](b) \u202e right to left \x00\x1b[31m " + "y" * 10_000

CLAIMS = f"""
    from theory.relation import eq
    from theory.vocabulary import alpha_N, beta
    from verify import Identity, Paper, Verdict
    paper = Paper.open(__file__)
    TRUE, FALSE = (eq(alpha_N, alpha_N),), (eq(alpha_N, 2 * alpha_N),)
    paper.claim("good", {HOSTILE!r}, where={HOSTILE!r}, quote={HOSTILE!r}, check=Identity(TRUE),
                mutants={{{HOSTILE!r}: {{"relations": FALSE}}}})
    paper.claim("erratum", "false", where="there", check=Identity(FALSE), expect=Verdict.REFUTED,
                because={HOSTILE!r}, repairs={{"true": {{"relations": TRUE}}}})
    paper.claim("open", "open", where="there", not_testable={HOSTILE!r})
    paper.claim("wrong", "wrong", where="there", check=Identity(FALSE),
                mutants={{"other": {{"relations": (eq(beta, 3 * beta),)}}}})
    paper.claim("vacuous", "vacuous", where="there", check=Identity(TRUE),
                mutants={{"true too": {{"relations": (eq(beta, beta),)}}}})
"""

SAMPLED = """
    from fractions import Fraction
    import sympy as sp
    from theory.relation import Relation, eq
    from verify import Identity, Paper, Verdict
    from verify.checks.falsifier import Falsifier
    paper = Paper.open(__file__)
    x = sp.Symbol("x", positive=True)
    paper.claim("searched", "no proof yet", where="there",
                check=Falsifier(Relation(sp.sin(x), "<=", x), ((x, Fraction(0), Fraction(1)),)),
                expect=Verdict.INCONCLUSIVE, because="it is searched only",
                mutants={"half": {"relation": Relation(sp.sin(x), "<=", x / 2)}})
    paper.claim("decided", "true", where="there", check=Identity((eq(x, x),)),
                mutants={"twice": {"relations": (eq(x, 2 * x),)}})
"""


@pytest.fixture
def report(write_paper):
    paper = load_paper(write_paper(CLAIMS))
    return report_record(run_claims([paper], list(paper.claims.values())))


def test_summary_counts_every_verdict_and_names_the_unexpected(report):
    assert report["summary"]["verdicts"] == {
        "PROVED": 1, "ARGUED": 0, "SUPPORTED": 0, "INCONCLUSIVE": 0, "NOT_TESTABLE": 1, "REFUTED": 2, "ERROR": 1,
    }  # fmt: skip
    assert report["summary"]["unexpected"] == ["invented/wrong", "invented/vacuous"]


def test_junit_is_valid_xml_with_the_right_outcomes(report):
    root = ElementTree.fromstring(to_junit(report).encode())
    suite = root.find("testsuite")
    assert {k: suite.get(k) for k in ("tests", "failures", "errors", "skipped")} == {
        "tests": "5", "failures": "1", "errors": "1", "skipped": "1",
    }  # fmt: skip


def test_markdown_shows_hostile_text_as_text(report):
    text = to_markdown(report)
    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    assert "\x00" not in text
    assert "\x1b" not in text
    for line in text.splitlines():
        if line.startswith("| row"):
            pytest.fail("no table belongs here")
    assert text.count("### ") == 5


def test_what_was_only_sampled_has_a_section_of_its_own(write_paper, report):
    paper = load_paper(write_paper(SAMPLED))
    found = report_record(run_claims([paper], list(paper.claims.values())))
    assert found["claims"][0]["grade"] == "sampled"
    section = to_markdown(found).split("## Only sampled")[1].split("\n## ")[0]
    assert "no proof yet" in section
    assert "`invented/searched`" in section
    assert "invented/decided" not in section
    page = to_html(found).split('<section id="sampled"')[1].split("</section>")[0]
    assert '<a href="#invented/searched">no proof yet</a>' in page
    assert "invented/decided" not in page
    assert "Only sampled" not in to_markdown(report) + to_html(report)


CONTROLLED = """
    from theory.relation import eq
    from theory.vocabulary import beta
    from verify import Identity, Paper, Verdict
    paper = Paper.open(__file__)
    TRUE, FALSE = (eq(beta, beta),), (eq(beta, 2 * beta),)
    known = dict(check=Identity(FALSE), expect=Verdict.REFUTED, repairs={"true": {"relations": TRUE}})
    paper.claim("theirs", "one is two", where="Table 1", because="one is one", **known)
    paper.claim("ours", "the harness is blind", where="nowhere", because="it sees", control=True, **known)
"""


def test_a_refuted_claim_is_told_in_its_words_before_the_reason_and_a_control_apart(write_paper, capsys):
    paper = load_paper(write_paper(CONTROLLED))
    found = report_record(run_claims([paper], list(paper.claims.values())))
    assert [entry["control"] for entry in found["claims"]] == [False, True]
    assert (found["summary"]["claims"], found["summary"]["controls"]) == (1, 1)
    assert found["summary"]["verdicts"]["REFUTED"] == 1

    text = to_markdown(found)
    assert "- **Table 1: “one is two” does not hold** (wrong number). one is one (`invented/theirs`)" in text
    paper_part, controls = text.split("## Controls")
    assert "`invented/ours`" not in paper_part
    assert "the harness is blind" in controls

    page = to_html(found)
    assert "<strong>invented</strong>: 1 refuted." in page
    assert '<a href="#controls">1 control</a> of the harness is not counted.' in page
    short = page.split('<section id="findings"')[1].split("</section>")[0]
    assert short.index("one is two") < short.index("one is one")
    assert "blind" not in short
    assert "blind" in page.split('<section id="controls"')[1].split("</section>")[0]

    print_verdicts(found)
    assert (
        capsys.readouterr().out.splitlines()[-1] == "1 claim: 1 REFUTED; 1 control besides; all as expected"
    )


def test_a_pipe_gets_one_line_per_claim_without_control_characters(report, capsys):
    print_verdicts(report)
    out = capsys.readouterr().out
    assert len(out.splitlines()) == 6
    assert "\x1b" not in out
    assert "\x00" not in out


def test_a_report_reads_back_and_notices_any_change(report, tmp_path):
    path = tmp_path / "report.json"
    path.write_text(to_json(report))
    assert read_report(path) == report


@pytest.mark.thorough
def test_the_default_report_stays_under_a_mebibyte_of_markdown_and_names_what_is_assumed():
    from verify.judging.cache import Cache
    from verify.judging.papers import select

    papers, claims = select(["theory", "mayaki2026/abstract"])
    text = to_markdown(report_record(run_claims(papers, claims, cache=Cache())))
    assert len(text) < 2**20
    assert "## What is assumed" in text
    assert "**risk\\_bound**" in text or "**risk_bound**" in text
    assert "Proved given:" in text
    assert "```mermaid" in text
