"""``moelaws check``: from a paper's source to its suspects."""

from __future__ import annotations

import json
from pathlib import Path

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
