"""``moelaws check --write DIR``: the folder holds what was read, and ``moelaws verify DIR`` takes over."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from theory.errors import MoelawsError
from verify.commands.app import app
from verify.judging.papers import load_paper
from verify.judging.runner import run_claims
from verify.printed.readers.reader import read_paper
from verify.printed.tables import read_table
from verify.search.relations.find import find
from verify.search.relations.numbers import number_table
from verify.verdicts import Verdict

CASES = Path(__file__).parents[1] / "printed" / "readers" / "cases"
LARGEST = "t07-suite.tex"
PAPERS = [
    pytest.param(name, marks=pytest.mark.thorough if name == LARGEST else ())
    for name in sorted(p.name for p in CASES.iterdir() if p.suffix in (".tex", ".html", ".md", ".csv"))
]


def run(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments)], standalone_mode=False)


def found_in(path):
    return [find(numbers) for read in read_paper(path).tables if (numbers := number_table(read)) is not None]


def judged(folder):
    paper = load_paper(folder)
    return run_claims([paper], list(paper.claims.values())).judgements


@pytest.mark.parametrize(
    "case", ["t01-expert-ladder.tex", "h2-ablation.html", "m4-corpora.md", "t03-durchsatz.tex"]
)
def test_what_is_written_is_judged_as_the_search_says(tmp_path, case):
    done = run("check", CASES / case, "--write", tmp_path / "paper")
    assert done.exception is None, done.exception
    verdicts = judged(tmp_path / "paper")
    assert not any(judgement.unexpected for judgement in verdicts.values())
    found = found_in(CASES / case)
    relations = [relation for findings in found for relation in findings.relations]
    assert len(verdicts) == len(relations) > 0
    refuted = [judgement for judgement in verdicts.values() if judgement.verdict is Verdict.REFUTED]
    assert bool(refuted) == any(findings.suspects for findings in found)
    for findings in found:
        for suspect in findings.suspects:
            assert any(suspect.number.text in judgement.finding for judgement in refuted), suspect


@pytest.mark.parametrize("case", PAPERS)
def test_the_tables_hold_the_same_numbers(tmp_path, case):
    run("check", CASES / case, "--write", tmp_path / "paper")
    for findings in found_in(CASES / case):
        table = findings.table
        [path] = [p for p in (tmp_path / "paper").glob("*.csv") if f"# name: {table.name}\n" in p.read_text()]
        written = read_table(path)
        columns = [name for name in written.names if name not in written.key]
        assert len(columns) == len(table.columns)
        for r, row in enumerate(table.cells):
            for name, number in zip(columns, row, strict=True):
                cell = written.cell(r, name)
                assert cell.text == (number.text if number else "-")


@pytest.mark.parametrize("case", PAPERS)
def test_the_written_tables_are_read_again_with_the_same_suspects(tmp_path, case):
    run("check", CASES / case, "--write", tmp_path / "paper")
    suspects = [
        sorted((s.number.text, s.repair) for findings in found_in(path) for s in findings.suspects)
        for path in (CASES / case, tmp_path / "paper")
    ]
    assert suspects[0] == suspects[1]


HOSTILE = '''| run | a"); open("run", "w"); (" | b\\' + open('run') # | c """ {x} \\\\ |
| --- | --- | --- | --- |
'''


def test_nothing_of_a_paper_is_executed_with_its_claims(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [(5.21, 3.10), (2.40, 4.92), (7.77, 1.28), (3.31, 2.09), (8.80, 4.06), (6.42, 1.17)]
    lines = [f'| r{i}"\\n | {a} | {b} | {a + b + (i == 3):.2f} |' for i, (a, b) in enumerate(rows)]
    Path("paper.md").write_text(HOSTILE + "\n".join(lines) + "\n")
    done = run("check", "paper.md", "--write", "found")
    assert done.exception is None, done.exception
    [judgement] = judged(Path("found")).values()
    assert judgement.verdict is Verdict.REFUTED
    assert not judgement.unexpected
    assert not Path("run").exists()


def test_an_altered_digit_and_a_claim_switched_off_are_noticed(tmp_path):
    folder = tmp_path / "paper"
    run("check", CASES / "m1-scores.md", "--write", folder)
    report = ("--report", tmp_path / "report", "--no-cache")
    assert run("verify", folder, *report).return_value == 0
    [path] = [p for p in folder.glob("*.csv") if "Almanac" in p.read_text()]
    table = read_table(path)
    mean = table.cell(0, "Mean").text if "Mean" in table.names else table.cell(0, table.names[-1]).text
    path.write_text(path.read_text().replace(mean, "9" + mean[1:], 1))
    assert run("verify", folder, *report).return_value == 1
    claims = folder / "claims.py"
    claims.write_text(claims.read_text().replace("    mutants=", "    on=False,\n    mutants=", 1))
    with pytest.raises(MoelawsError, match="no claim is defined"):
        load_paper(folder)


def test_a_claim_that_the_checks_do_not_bear_out_is_switched_off(tmp_path, monkeypatch):
    judged_otherwise = {"table1/mean": "judged REFUTED"}
    monkeypatch.setattr("verify.commands.write_paper.unconfirmed", lambda folder: judged_otherwise)
    path = tmp_path / "paper.md"
    path.write_text(
        "| run | a | b | mean |\n|---|---|---|---|\n"
        + "".join(
            f"| r{i} | {i * i}.25 | {7 * i}.75 | {(i * i + 7 * i + 1) / 2:.2f} |\n" for i in range(1, 7)
        )
    )
    run("check", path, "--write", tmp_path / "found")
    assert "    on=False,  # judged REFUTED\n" in (tmp_path / "found" / "claims.py").read_text()


def test_a_folder_that_holds_something_is_left_alone(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    fault = run("check", CASES / "m1-scores.md", "--write", tmp_path).exception
    assert "is not an empty folder; choose a new name" in str(fault)
    assert [p.name for p in tmp_path.iterdir()] == ["notes.txt"]
