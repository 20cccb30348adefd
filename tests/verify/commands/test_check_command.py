"""``moelaws check``: from a paper's source to its suspects."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from verify.commands.app import app

CASES = Path(__file__).parents[1] / "printed" / "readers" / "cases"


def run(*arguments):
    return CliRunner().invoke(app, ["check", *map(str, arguments)], standalone_mode=False)


def test_each_suspect_is_a_line_with_its_place_and_what_would_fit():
    done = run(CASES / "h1-arxiv-losses.html")
    line, last = done.stdout.splitlines()
    assert line.startswith("h1-arxiv-losses.html:")
    assert "Teal-16, Mean: printed 2.703, where 2.672 to 2.674 would fit: mean of" in line
    assert "holds in 4 of 5 places" in line
    assert last.endswith("1 suspect")
    assert done.return_value == 1


def test_a_paper_without_suspects_ends_with_status_0():
    done = run(CASES / "m1-scores.md")
    assert done.return_value == 0
    assert done.stdout.endswith("0 suspects\n")


def test_what_was_found_is_shown_on_request():
    shown = run(CASES / "m1-scores.md", "--all").stdout
    assert "mean of Almanac, Abacus, Snippets, Stairs, 4 of 4; by chance at most" in shown


def test_json_holds_the_same():
    record = json.loads(run(CASES / "h1-arxiv-losses.html", "--json").stdout)
    [suspect] = [s for found in record["tables"] for s in found["suspects"]]
    assert (suspect["printed"], suspect["would_fit"]) == ("2.703", "2.672 to 2.674")


def test_what_is_no_paper_is_told_in_a_line(tmp_path):
    fault = run(tmp_path / "absent.tex").exception
    assert "absent.tex: cannot be read" in str(fault)
    assert "\n" not in str(fault)


def test_suspects_are_told_as_an_author_pastes_them():
    case = CASES / "t04-alder.tex"
    markdown = run(case, "--format", "markdown").stdout
    assert (
        r"| tab:cost, Length stage, Cost | $92.8K | $79.3K to $80.2K | GPU-hours \* Price ($) holds"
        in markdown
    )
    latex = run(case, "--format", "latex", "--cite", "alder2025").stdout
    assert r"\item \cite{alder2025}, tab:cost, Length stage, Cost: printed \$92.8K, where" in latex
    assert latex.startswith("\\begin{itemize}\n")
    assert latex.endswith("\\end{itemize}\n")


def test_a_build_server_is_given_the_file_and_the_line(tmp_path, monkeypatch):
    (tmp_path / "source" / "sections").mkdir(parents=True)
    shutil.copy(CASES / "h1-arxiv-losses.html", tmp_path / "source" / "sections" / "a,b.html")
    monkeypatch.chdir(tmp_path)
    [line] = run("source", "--format", "github").stdout.splitlines()
    assert line.startswith(
        "::warning file=source/sections/a%2Cb.html,line=64,title=moelaws check::S3.T1, Teal-16"
    )


def test_known_errata_fail_nothing_and_one_that_is_gone_is_named(tmp_path):
    known = tmp_path / "errata.toml"
    entry = (
        '[[erratum]]\nplace = "S3.T1, Teal-16, Mean"\nprinted = "{}"\nbecause = "corrected in version 2"\n'
    )
    known.write_text(entry.format("2.703"))
    done = run(CASES / "h1-arxiv-losses.html", "--known", known, "--all")
    assert done.return_value == 0
    assert "known: S3.T1, Teal-16, Mean: printed 2.703" in done.stdout
    assert done.stdout.endswith("0 suspects, 1 known\n")
    known.write_text(entry.format("2.704"))
    done = run(CASES / "h1-arxiv-losses.html", "--known", known)
    assert done.return_value == 1
    assert "no longer a suspect: S3.T1, Teal-16, Mean, printed 2.704; take it out of" in done.stdout


@pytest.mark.parametrize("text", ["[[erratum]]\nplace = 'a'\n", "erratum = 3\n", "[[errata]]\n", "["])
def test_errata_that_are_not_understood_are_refused_in_a_line(tmp_path, text):
    known = tmp_path / "errata.toml"
    known.write_text(text)
    fault = str(run(CASES / "h1-arxiv-losses.html", "--known", known).exception)
    assert fault.startswith(str(known))
    assert "\n" not in fault


@pytest.mark.parametrize(("fail_on", "verdict", "status"), [
    ("suspect", "REFUTED", 1), ("never", "REFUTED", 0), ("refuted", "REFUTED", 1), ("refuted", "INCONCLUSIVE", 0),
])  # fmt: skip
def test_what_fails_is_chosen(monkeypatch, fail_on, verdict, status):
    if verdict != "REFUTED":
        monkeypatch.setattr(
            "verify.commands.write_paper.unconfirmed", lambda folder: {"s3-t1/mean": f"judged {verdict}"}
        )
    assert run(CASES / "h1-arxiv-losses.html", "--fail-on", fail_on).return_value == status


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--format", "word"), "--format word: expected text, markdown, latex or github"),
        (("--fail-on", "rain"), "--fail-on rain: expected suspect, refuted or never"),
        (("--cite", "a}b"), "--cite 'a}b': expected letters, digits"),
    ],
)
def test_an_option_that_is_not_known_is_refused_in_a_line(options, sentence):
    assert sentence in str(run(CASES / "m1-scores.md", *options).exception)
