"""What a theorist, an engineer and a reviewer type from memory: nearly all of it works, the rest fails in a line that helps.

The lines are chosen from a longer list that was written down before any of it was tried: bare commands, repetitions and typing
errors are left out, and a few lines that failed in a helpful line then as now (``plan chinchilla``, ``fit --laws``).
"""

from __future__ import annotations

import io
import shlex
import shutil
from pathlib import Path

import pytest

from verify.commands.app import status_of
from verify.commands.synonyms import as_meant

CASES = Path(__file__).parents[1] / "printed" / "readers" / "cases"
THEORIST = """
moelaws -h
moelaws help
moelaws help derive
moelaws derive -h
moelaws derive
moelaws derive alpha_N
moelaws derive alpha_D --under total-entropy
moelaws derive alpha_C --format latex
moelaws derive alpha_C --latex
moelaws derive N*
moelaws derive n_star
moelaws derive alphaN
moelaws derive alpha_d
moelaws derive data_exponent
moelaws derive chinchilla
moelaws derive M_star --json
moelaws claims
moelaws claims list theory
moelaws claims list --argued
moelaws verify theory/data_exponent
moelaws verify data_exponent
"""
ENGINEER = """
moelaws --version
moelaws version
moelaws bound --models
moelaws bound --list
moelaws bound mixtral-8x7b
moelaws bound mixtral
moelaws bound Mixtral-8x7B --tokens 1e12
moelaws bound mixtral-8x7b --tokens 1T
moelaws bound deepseek-v3 --tokens 1e12 --json
moelaws models
moelaws laws
moelaws plan --flops 1e21
moelaws plan --budget 1e21
moelaws plan --compute 1e21
moelaws plan --law hoffmann2022 --flops 1e21
moelaws plan --loss 2.0
moelaws plan 1e21
moelaws audit --list
moelaws runs list
moelaws cache clear
"""
REVIEWER = """
moelaws list
moelaws papers
moelaws claims list mayaki2026
moelaws claims show mayaki2026/table5
moelaws show mayaki2026/table5
moelaws verify ludziejewski2025/table1/compute
moelaws verify 2502.05172/table1/compute
moelaws verify ludziejewski2025/table1/compute --brief
moelaws check alder.tex
moelaws check source
moelaws check alder.tex --all
moelaws check alder.tex --json
moelaws check alder.tex --markdown
moelaws check alder.pdf
moelaws check alder.tex --write found
moelaws verify found
moelaws new-paper mine
moelaws new mine2
moelaws verify mine
"""
LINES = [line for who in (THEORIST, ENGINEER, REVIEWER) for line in who.strip().splitlines()]


def test_there_are_sixty_lines():
    assert len(LINES) == len(set(LINES)) == 60


@pytest.mark.thorough
def test_nearly_all_lines_work_and_the_others_say_what_to_type(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shutil.copy(CASES / "t04-alder.tex", "alder.tex")
    shutil.copy(CASES / "t04-cost-rows.tex", ".")
    shutil.copytree(tmp_path, "source")
    Path("alder.pdf").write_bytes(b"%PDF")
    failed = {}
    for line in LINES:
        status = status_of(shlex.split(line)[1:])
        said = capsys.readouterr()
        assert status in (0, 1, 2), line
        if status == 2:
            failed[line] = said.err
        else:
            assert said.out, line
    for line, said in failed.items():
        assert said.startswith("moelaws: "), line
        assert said.count("\n") == 1, line
        assert any(word in said for word in ("Did you mean", "expected", "give ", "starts one", "See ")), (
            line,
            said,
        )
    assert len(LINES) - len(failed) >= 55, list(failed)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("help derive", "derive --help"),
        ("help", "--help"),
        ("list theory --json", "claims list theory --json"),
        ("claims", "claims list"),
        ("claims show x", "claims show x"),
        ("verify list", "verify list"),
        ("plan 1e21", "plan --flops 1e21"),
        ("plan hoffmann2022 --loss 2", "plan --law hoffmann2022 --loss 2"),
        ("derive alpha_C --latex", "derive alpha_C --format=latex"),
        ("verify --latex", "verify --latex"),
        ("", ""),
    ],
)
def test_a_word_for_a_command_is_the_command(typed, meant):
    assert as_meant(typed.split()) == meant.split()


class Watched(io.StringIO):
    """Standard error that a terminal shows."""

    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["derive", "alpha_C"], "deriving"),
        (["claims", "list", "ludziejewski2025"], "loading claims"),
        (["check", str(CASES / "m1-scores.md")], "looking for relations"),
    ],
)
def test_what_takes_a_second_says_on_a_terminal_what_it_does(monkeypatch, capsys, line, words):
    watched = Watched()
    monkeypatch.setattr("sys.stderr", watched)
    assert status_of(line) == 0
    assert words in watched.getvalue()
    assert words not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "result"),
    [
        (["derive", "alpha_C"], "result: alpha_C = beta/(beta + d)"),
        (
            ["derive", "alpha_D", "--under", "total-entropy"],
            "result: risk ~ n**(-2*beta/(2*beta + d)), constants left out",
        ),
        (
            ["derive", "compute_exponent_from_both", "--under", "active-compute"],
            "result: compute_exponent_from_both does not hold under this reading: 2*beta/(2*beta + d) is not",
        ),
    ],
)
def test_a_derivation_begins_with_its_result(capsys, line, result):
    status_of(line)
    assert capsys.readouterr().out.startswith(result)
