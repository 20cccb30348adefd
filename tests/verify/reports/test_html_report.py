"""report.html without a browser: nothing but its own bytes, hostile text as text, formulas kept or shown plain."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from verify import InputError, Report
from verify.judging.papers import load_paper
from verify.judging.runner import run_claims
from verify.reports import diagram
from verify.reports.html import diff_html, to_html
from verify.reports.mathml import to_mathml
from verify.reports.record import report_record

HOSTILE = (
    "<script>alert(1)</script> \"quoted\" 'too' {{ 7*7 }} &amp; \u202e right to left \u200f\x00 "
    + "y" * 10_000
)

CLAIMS = f"""
    import sympy as sp
    from theory.relation import eq
    from verify import Consistent, Identity, Paper, PrintedTable, Verdict, quoted
    paper = Paper.open(__file__)
    table = paper.table("numbers")
    a = sp.Symbol("a", positive=True)
    odd = sp.Symbol({HOSTILE[:80]!r}, positive=True)
    paper.claim("cells", {HOSTILE!r}, where={HOSTILE!r}, quote={HOSTILE!r}, reading={HOSTILE!r},
                check=PrintedTable(table, {{"twice": 2 * a}}),
                mutants={{{HOSTILE!r}: {{"formulas": {{"twice": 3 * a}}}}}})
    paper.claim("relation", "odd", where="there",
                check=Consistent({{odd: quoted("1.0", {HOSTILE!r}), a: quoted("1.0", "here")}}, [eq(odd, a)]),
                mutants={{"twice": {{"relations": [eq(odd, 2 * a)]}}}})
    paper.claim("open", "open", where="there", not_testable={HOSTILE!r})
"""
TABLE = """
    # key: label
    label,a [1],twice [1]
    "<b>one</b> ""x"" \u202e\u05d0",1.0,2.0
    two,2.0,4.1
"""


class Page(HTMLParser):
    """What a parser sees: elements, ids and addresses."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.addresses: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name in ("href", "src", "srcset", "action", "data", "poster"):
                self.addresses.append(value)
            assert not name.startswith("on"), f"{tag} has an inline handler {name}"


@pytest.fixture
def hostile(write_paper):
    paper = load_paper(write_paper(CLAIMS, numbers=TABLE))
    return report_record(run_claims([paper], list(paper.claims.values())))


@pytest.fixture(scope="module")
def installed(full_report):
    return full_report


def test_hostile_text_is_shown_as_text(hostile):
    text = to_html(hostile)
    page = Page(text)
    assert page.tags.count("script") == 1
    assert "b" not in page.tags
    assert "49" not in re.sub(r"<style>.*?</style>", "", text, flags=re.S).split("<main>")[1][:2000]
    assert "&lt;script&gt;alert(1)" in text
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00]", text)


def test_every_link_stays_inside_the_page_and_leads_somewhere(installed):
    page = Page(to_html(installed))
    assert page.addresses
    assert all(address.startswith("#") and address[1:] in page.ids for address in page.addresses)
    assert len(page.ids) == len(set(page.ids))


def test_the_policy_forbids_every_request_and_every_other_script(installed):
    text = to_html(installed)
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)[1]
    assert "default-src &#39;none&#39;" in policy
    assert "unsafe-inline" not in policy.split("script-src")[1].split(";")[0]
    assert "http://" not in re.sub(r'xmlns="[^"]+"', "", text)
    assert "https://" not in text


def test_equal_reports_give_equal_bytes(installed):
    again = json.loads(json.dumps(installed))
    assert to_html(installed) == to_html(again)


def test_every_formula_of_the_installed_claims_is_mathml(installed):
    formulas = [f for entry in installed["claims"] for f in entry["formulas"]]
    assert len(formulas) > 100
    plain = [f["text"] for f in formulas if not to_mathml(f["latex"])]
    assert plain == []


@pytest.mark.parametrize(
    "latex",
    [
        r"\text{<script>alert(1)</script>}",
        r"\text{a & b < c}",
        r"\unknowncommand{x}",
        r"\frac{1}",
        r"\href{javascript:alert(1)}{x}",
        "",
    ],
)
def test_what_cannot_be_mathml_is_left_to_plain_text(latex):
    assert to_mathml(latex) == "" or "<script" not in to_mathml(latex)
    assert "javascript" not in to_mathml(latex)
    assert "\\" not in to_mathml(latex)


def test_a_comparison_shows_both_findings_side_by_side(installed):
    from verify.reports.report_diff import changes

    new = json.loads(json.dumps(installed))
    new["claims"][0] |= {"verdict": "REFUTED", "finding": "<i>now false</i>"}
    text = diff_html(installed, new, changes(installed, new))
    assert "1 change" in text
    assert "&lt;i&gt;now false&lt;/i&gt;" in text
    assert Page(text).tags.count("article") == 1
    assert '<a href="#group-changed">1 changed</a>' in text


def test_changes_are_grouped_into_what_changed_what_is_new_and_what_is_gone():
    from verify.reports.report_diff import Change, changes, grouped

    def report(**verdicts):
        return {
            "claims": [
                {"id": i, "verdict": v, "expected": "holds", "finding": ""} for i, v in verdicts.items()
            ]
        }

    found = changes(
        report(a="PROVED", b="PROVED", c="PROVED"), report(b="REFUTED", c="PROVED", d="SUPPORTED")
    )
    assert grouped(found) == {
        "changed": [Change("b", "verdict", "PROVED", "REFUTED")],
        "new": [Change("d", "new", "", "SUPPORTED")],
        "gone": [Change("a", "gone", "PROVED", "")],
    }
    assert grouped([]) == {}


def test_a_report_shows_cards_in_a_notebook_and_lines_in_a_terminal(installed, tmp_path):
    report = Report(installed)
    part = report["mayaki2026/table2/alpha-d"]
    assert len(part) == 1
    assert Page(part._repr_html_()).tags.count("details") == 1
    assert repr(part).startswith("SUPPORTED     mayaki2026/table2/alpha-d: ")
    with pytest.raises(InputError, match="Did you mean mayaki2026/table2/alpha-n"):
        report["mayaki2026/table2/alpha-m"]


def test_many_claims_are_drawn_as_their_places():
    edges = [(f"paper/table{i % 7}/claim-{i}", "bound") for i in range(500)]
    merged = diagram.grouped(edges)
    assert len(merged) == 7
    assert ("paper/table0/…", "bound") in merged


def test_a_drawn_arrow_is_one_that_no_longer_path_says_already():
    edges = [("a", "b"), ("b", "c"), ("a", "c"), ("d", "c")]
    assert diagram.reduced(edges) == [("a", "b"), ("b", "c"), ("d", "c")]


def test_a_circle_among_merged_claims_still_draws():
    assert "svg" in diagram.draw([("a", "b"), ("b", "a"), ("b", "c")], {})
