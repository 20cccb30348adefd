"""Pictures of measured claims: small, said in words, true to the numbers; and families with Holm's p."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.judging.papers import load_paper
from verify.judging.runner import run_claims
from verify.measured.statistics import holm
from verify.reports.axes import Panel, decades, decimals, factors, widened
from verify.reports.html import cards_html, to_html
from verify.reports.markdown import to_markdown
from verify.reports.plots import of_measured, rows_of
from verify.reports.record import report_record


@pytest.fixture
def report(measured_paper):
    paper = load_paper(measured_paper)
    return report_record(run_claims([paper], list(paper.claims.values())))


def measured(report, claim):
    (entry,) = (e for e in report["claims"] if e["id"] == f"invented/{claim}")
    return entry["evidence"]["details"]["measured"]


def test_the_paper_comes_out_as_expected(report):
    assert report["summary"]["unexpected"] == []


def test_every_measured_card_has_its_picture_on_the_page_and_in_a_notebook(report):
    for text in (to_html(report), cards_html(report)):
        pictures = re.findall(r'<figure class="measured">(<svg.*?)\n', text)
        assert len(pictures) == 5
        assert max(map(len, pictures)) < 4096
        for picture in pictures:
            root = ElementTree.fromstring(picture)
            assert root.get("role") == "img"
            assert "90% interval" in root.get("aria-label")


def test_words_of_an_experiment_stay_text(report):
    text = to_html(report) + to_markdown(report)
    for tag in ("<b>", "<i>"):
        assert tag not in text
    assert "excess risk &lt;b&gt;squared&lt;/b&gt; [1]" in text


def test_the_fitted_line_lies_where_the_verdict_says(report):
    """Relative to the prediction, all is level for a true claim and tilted for a false one."""
    tilts = {}
    for claim in ("rate/true", "rate/false"):
        root = ElementTree.fromstring(str(of_measured(measured(report, claim), "SUPPORTED")))
        lower = root.findall(".//svg")[-1]
        lines = {path.get("class"): path.get("d") for path in lower.iter("path")}
        (x0, y0), (x1, y1) = ((float(v) for v in end.split()) for end in lines["fit good"][1:].split("L"))
        tilts[claim] = (y0 - y1) / (x1 - x0)
    assert abs(tilts["rate/true"]) < 0.05
    assert tilts["rate/false"] > 0.15


def test_the_table_beside_the_picture_holds_its_numbers(report):
    details = measured(report, "rate/true")
    rows = rows_of(details)
    assert [row["size"] for row in rows] == ["100", "300", "1,000", "3,000", "10,000", "30,000"]
    for row, values in zip(rows, details["values"], strict=True):
        logs = [math.log(float(value)) for value in values]
        assert float(row["mean"]) == pytest.approx(math.exp(sum(logs) / len(logs)), rel=1e-3)
        assert float(row["low"]) <= float(row["mean"]) <= float(row["high"])
    ratio = float(rows[0]["predicted"]) / float(rows[4]["predicted"])
    assert ratio == pytest.approx(10, rel=1e-2)  # 100 times the size, at an exponent of one half


def test_markdown_says_it_in_short(report):
    text = to_markdown(report)
    assert "predicted at least 1/2, tolerance 1/12; rivals: classical" in text
    assert "| 30,000 |" in text
    assert re.search(r"\*\*Family:\*\* rates, 3 claims: p = \S+, \S+ after Holm", text)


def test_a_family_is_adjusted_as_a_whole_or_not_at_all(report, measured_paper):
    families = {e["id"].partition("/")[2]: e["family"] for e in report["claims"]}
    assert families["level"] is None
    true, false, noisy = (families[f"rate/{name}"] for name in ("true", "false", "open"))
    assert (true["about"], false["about"], noisy["about"]) == ("support", "refute", "support")
    adjusted = holm({name: float(families[f"rate/{name}"]["p"]) for name in ("true", "false", "open")})
    for name, p in adjusted.items():
        assert float(families[f"rate/{name}"]["adjusted_p"]) == pytest.approx(p, rel=0.1), name
    paper = load_paper(measured_paper)
    part = report_record(run_claims([paper], [paper.claims["invented/rate/true"]]))
    (entry,) = part["claims"]
    assert entry["family"] == {**true, "adjusted_p": None}
    assert "not adjusted" in to_markdown(part)
    assert "not adjusted" in to_html(part)


@settings(deadline=None)
@given(st.floats(-300, 300), st.floats(1e-3, 400))
def test_a_logarithmic_axis_always_has_ticks_and_they_say_where_they_stand(low, length):
    ticks = decades(low, low + length)
    assert 1 <= len(ticks) <= 9
    raised = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
    for value, label in ticks:
        assert low - 1e-9 <= value <= low + length + 1e-9
        factor, _, power = label.rpartition("10") if re.search("10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]", label) else (label, "", "0")
        said = math.log(float(factor.rstrip("·") or 1)) + int(power.translate(raised)) * math.log(10)
        assert said == pytest.approx(value, abs=1e-4)


@settings(deadline=None)
@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_a_plain_axis_has_a_handful_of_round_ticks(low, length):
    ticks = decimals(low, low + length)
    assert 2 <= len(ticks) <= 7
    for value, _ in ticks:
        assert low - 1e-6 * length <= value <= low + length * (1 + 1e-6)


@settings(deadline=None)
@given(st.floats(1e-6, 20))
def test_ratios_are_marked_evenly_about_one(extent):
    ticks = factors(extent)
    assert sum(value for value, _ in ticks) == 0
    assert (0.0, "1") in ticks
    assert all(abs(value) <= extent for value, _ in ticks)


def test_a_single_point_has_an_axis():
    assert widened(0.0, 0.0, 0.1) == (-1.0, 1.0)
    low, high = widened(4.6, 4.6, 0.1)
    assert low < 4.6 < high
    assert "M46" in Panel((low, high), (0, 1), 0, 10).frame(decades(low, high), ())
