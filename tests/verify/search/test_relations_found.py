"""Relations found in tables: no cell of a generated true table is accused, planted errors are found."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from generated_tables import Generated, detectable, markdown, table

from verify.printed.readers.reader import read_paper
from verify.search.relations.find import find
from verify.search.relations.numbers import number_table

CASES = Path(__file__).parents[1] / "printed" / "readers" / "cases"


def searched(path):
    return [find(numbers) for read in read_paper(path).tables if (numbers := number_table(read)) is not None]


def searched_table(folder, number, error=""):
    """A generated table, and what was found in it."""
    made = table(number, error=error)
    path = folder / "table.md"
    path.write_text(markdown(made.headers, made.cells))
    [found] = searched(path)
    return made, found


def accused(folder, numbers):
    cells = 0
    for number in numbers:
        made, found = searched_table(folder, number)
        assert found.relations, number
        assert found.suspects == (), (number, found.suspects)
        cells += len(made.cells) * (len(made.headers) - 1)
    return cells


def test_no_true_cell_is_accused(tmp_path):
    assert accused(tmp_path, range(40)) > 1000


@pytest.mark.thorough
def test_no_true_cell_among_ten_thousand_is_accused(tmp_path):
    assert accused(tmp_path, range(1000, 1320)) > 10_000


LEAST = {"digit": 0.95, "swap": 0.9, "sign": 0.9, "stale": 0.95}
"""The share of planted errors that is found at the least, of those that could be."""


@pytest.mark.parametrize("error", LEAST)
def test_most_planted_errors_are_found(tmp_path, error):
    found = [searched_table(tmp_path, number, error) for number in range(25)]
    could = [(made, findings) for made, findings in found if made.planted and detectable(made)]
    hits = [
        any((s.place[0], s.place[1] + 1) in made.planted for s in findings.suspects)
        for made, findings in could
    ]
    assert len(could) > 20
    assert sum(hits) >= LEAST[error] * len(could)


@pytest.mark.parametrize(("name", "value"), [
    ("gap", lambda a, b: abs(a - b)), ("geo. mean", lambda a, b: (a * b) ** 0.5),
])  # fmt: skip
def test_sizes_and_roots_are_relations_too(tmp_path, name, value):
    rows = [(5.21, 3.10), (2.40, 4.92), (7.77, 1.28), (3.31, 2.09), (8.80, 4.06), (6.42, 1.17)]
    cells = [[f"run {i}", f"{a}", f"{b}", f"{value(a, b):.2f}"] for i, (a, b) in enumerate(rows)]
    right, cells[2][3] = cells[2][3], "8.88"
    path = tmp_path / "table.md"
    path.write_text(markdown(["name", "left", "right", name], cells))
    [found] = searched(path)
    [suspect] = found.suspects
    assert suspect.number.text == "8.88"
    low, _, high = suspect.repair.partition(" to ")
    assert float(low) <= float(right) <= float(high or low)


def test_what_could_be_found_is_told_from_what_could_not():
    broken = Generated(["n", "a", "b", "l", "Δ"], [["x", "5.0", "3.0", "1", "2.2"]], "difference", {(0, 4)})
    assert detectable(broken)
    assert not detectable(replace(broken, cells=[["x", "5.0", "3.0", "1", "2.1"]]))


@pytest.mark.parametrize(
    ("case", "suspects"),
    [
        ("h1-arxiv-losses.html", {("2.703", "2.672 to 2.674")}),
        ("h2-ablation.html", {("+2.1", "-2.2 to -2.0")}),
        ("t01-expert-ladder.tex", {("48.7", "32.6 to 32.9"), ("2.84×10^19", "2.42×10^19 to 2.46×10^19")}),
        (
            "t03-durchsatz.tex",
            {("251,5", "261,8 to 262,1"), ("261,9", "251,5 to 251,6"), ("88,8 %", "85,8 %")},
        ),
        ("t04-alder.tex", {("$92.8K", "$79.3K to $80.2K"), ("+0.006", "-0.008 to -0.004")}),
        ("h3-hardware.html", set()),
        ("m1-scores.md", set()),
        ("m3-laws.md", set()),
        ("m4-corpora.md", set()),
        ("t02-optimizer-runs.tex", set()),
        ("t05-by-quantity.tex", set()),
        ("t06-two-blocks.tex", set()),
        ("t08-kernels.tex", set()),
    ],
)
def test_the_errors_of_whole_papers_are_found_unaided(case, suspects):
    found = {(s.number.text, s.repair) for findings in searched(CASES / case) for s in findings.suspects}
    assert found == suspects


def test_a_column_of_sizes_is_not_accused_of_its_signs(tmp_path):
    rows = [(5.21, 3.10), (2.40, 4.92), (7.77, 1.28), (3.31, 2.09), (8.80, 4.06), (6.42, 1.17)]
    cells = [[f"run {i}", f"{a}", f"{b}", f"{abs(a - b):.2f}"] for i, (a, b) in enumerate(rows)]
    path = tmp_path / "table.md"
    path.write_text(markdown(["name", "left", "right", "gap"], cells))
    [found] = searched(path)
    assert found.relations
    assert found.suspects == ()


def test_what_could_be_chance_is_no_relation(tmp_path):
    path = tmp_path / "table.md"
    path.write_text(
        markdown(["name", "a", "b", "c"], [["x", "1", "2", "3"], ["y", "2", "2", "4"], ["z", "1", "1", "9"]])
    )
    assert [findings.relations for findings in searched(path)] in ([], [()])


@pytest.mark.thorough
def test_the_rates_are_those_that_the_readme_prints(tmp_path):
    root = Path(__file__).parents[3]
    spec = importlib.util.spec_from_file_location("checker", root / "benchmarks" / "checker.py")
    checker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(checker)
    readme = " ".join((root / "README.md").read_text().split())
    path = tmp_path / "table.md"
    wrong, cells = checker.accused(path, checker.TABLES)
    assert f"accuses {wrong} of {cells:,} true cells of generated tables" in readme
    found, most = [], []
    for error in ("digit", "swap", "sign", "stale"):
        counts, planted = checker.power(path, error, checker.TABLES // 4)
        assert counts["others"] == 0
        found.append(f"{counts['found'] / planted:.2f}")
        most.append(f"{counts['most'] / planted:.2f}")
    assert (
        "{} of planted wrong digits, {} of swapped cells, {} of turned signs and {} of stale".format(*found)
        in readme
    )
    assert "where {}, {}, {} and {} could be found".format(*most) in readme
    counts, planted = checker.power(path, "total", checker.TABLES // 4)
    assert counts["found"] == 0
    assert f"beside another cell, {counts['beside'] / planted:.2f} of the time" in readme
