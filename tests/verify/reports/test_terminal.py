"""What a run prints: the findings on one screen, what is not as expected before them, and what one sends to an author."""

from __future__ import annotations

import copy
import os
import pty
import re
import subprocess
import sys

import pytest

from verify.judging.papers import load_paper
from verify.judging.runner import run_claims
from verify.reports.brief import brief
from verify.reports.record import report_record
from verify.reports.terminal import LINES, screen

CLAIMS = """
    import sympy as sp
    from theory.relation import eq
    from verify import Identity, Origin, Paper, Severity, Verdict
    paper = Paper.open(__file__)
    x = sp.Symbol("x", positive=True)
    def wrong(slug, factor, **rest):
        paper.claim(slug, f"x is {factor} x", where="Table 1", check=Identity((eq(x, factor * x),)), expect=Verdict.REFUTED,
                    because="One is not " + str(factor) + ".", repairs={"once": {"relations": (eq(x, x),)}}, **rest)
    wrong("number", 2, headline="Table 1: two for one")
    wrong("number-too", 3, headline="Table 1: two for one")
    wrong("fatal", 4, headline="Theorem 1: it is false", severity=Severity.CONTRADICTS)
    wrong("remark", 5, headline="Table 1: odd", severity=Severity.REMARK)
    wrong("ours", 6, headline="Table 1: small", origin=Origin.OWN_TEST)
    paper.claim("true", "x is x", where="Table 1", check=Identity((eq(x, x),)), mutants={"no": {"relations": (eq(x, 2 * x),)}})
"""


@pytest.fixture
def report(write_paper):
    folder = write_paper(CLAIMS)
    (folder / "paper.toml").write_text((folder / "paper.toml").read_text() + 'caveat = "seen from afar"\n')
    paper = load_paper(folder)
    return report_record(run_claims([paper], list(paper.claims.values())))


def test_a_screen_says_the_counts_then_the_findings_gravest_first_each_once(report):
    assert [text for _, text in screen(report, 100)] == [
        "invented: 1 proved, 5 refuted",
        "seen from afar",
        "Contradicts a conclusion",
        "  Theorem 1: it is false",
        "Wrong number",
        "  Table 1: two for one",
        "Remark",
        "  Table 1: odd",
        "Our own test",
        "  Table 1: small",
        "",
        "6 claims: nothing has changed; every refutation was already known",
    ]


def test_what_is_not_as_expected_stands_before_the_findings(report):
    report["claims"][-1] |= {"verdict": "ERROR", "as_expected": False, "finding": "the check failed"}
    report["summary"]["unexpected"] = ["invented/true"]
    lines = [text for _, text in screen(report, 100)]
    assert lines[2:5] == [
        "Not as expected",
        "  invented/true: ERROR, expected holds: the check failed",
        "Contradicts a conclusion",
    ]
    assert lines[-1] == "6 claims: 1 NOT AS EXPECTED"


def test_more_findings_than_fit_are_counted(report):
    one = report["claims"][2]
    report["claims"] += [
        copy.deepcopy(one) | {"id": f"invented/more-{i}", "headline": f"Table {i}: no"} for i in range(200)
    ]
    lines = [text for _, text in screen(report, 100)]
    assert len(lines) == LINES
    assert lines[-3] == "  and 155 lines more: --all, or the page"
    assert lines[3] == "  Theorem 1: it is false"


@pytest.mark.thorough
def test_the_installed_papers_fill_one_screen_and_their_gravest_findings_stand_on_top(full_report):
    lines = [text for _, text in screen(full_report, 100)]
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= 100
    assert not any(line.startswith("  and ") for line in lines)
    above = "\n".join(lines[:24])
    for words in (
        "neither identity holds",
        "cannot both hold",
        "log(n)/n",
        "OpenWebText change",
        "active compute",
    ):
        assert words in above


def test_what_is_sent_to_an_author_is_the_papers_own_with_reasons_and_commands(report):
    text = brief(report)
    assert text.splitlines()[:2] == ["A test: Invented (none)", "seen from afar"]
    assert text.index("Theorem 1: it is false") < text.index("Table 1: two for one")
    for words in (
        "One is not 2.",
        "One is not 3.",
        "moelaws verify PATH/TO/invented invented/number-too",
        "Left out: 1 remark and 1 test of our own.",
    ):
        assert words in text
    for words in ("odd", "small", "invented/true"):
        assert words not in text
    report["claims"] = report["claims"][-2:]
    assert brief(report) == "Nothing that a paper prints or implies was refuted."


def on_a_terminal(folder, *arguments: str) -> str:
    """What the command shows on a terminal of 60 columns."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "moelaws", *arguments],
        cwd=folder,
        env={**os.environ, "COLUMNS": "60", "TERM": "xterm"},
        stdout=theirs,
        stderr=subprocess.DEVNULL,
    ):
        os.close(theirs)
        shown = b""
        while True:
            try:
                shown += (part := os.read(ours, 65536))
            except OSError:  # the other end is closed
                break
            if not part:
                break
    os.close(ours)
    return re.sub(r"\x1b\[[0-9;]*m|\r", "", shown.decode())


def test_on_a_terminal_no_finding_is_wider_than_it_and_all_shows_every_claim(write_paper, tmp_path):
    write_paper(CLAIMS.replace("it is false", "it is false " + "and wide " * 20))
    shown = on_a_terminal(tmp_path, "verify", "./invented")
    *lines, page = shown.splitlines()
    assert "invented: 1 proved, 5 refuted" in lines
    assert max(map(len, lines)) <= 60
    assert "…" in shown
    assert page.startswith("report: ")
    every = on_a_terminal(tmp_path, "verify", "./invented", "--all")
    for slug in ("number", "number-too", "fatal", "remark", "ours", "true"):
        assert slug in every


def test_a_pipe_gets_what_is_sent_to_an_author_alone(moelaws, write_paper):
    done = moelaws("verify", write_paper(CLAIMS), "--brief")
    assert done.returncode == 0
    assert done.stdout.startswith("A test: Invented (none)\n")
    assert "report:" not in done.stdout
