"""Finding papers and claims: every way to name one's own, and what is said where nothing is meant."""

from __future__ import annotations

import re

import pytest

from verify.commands.new_paper import scaffold
from verify.errors import InputError
from verify.judging.claims import Paper
from verify.judging.papers import select

CLAIMS = """
    from verify import Paper
    paper = Paper.open(__file__)
    for slug in ("table3/cutoff", "table3/slope", "table4/mean"):
        paper.claim(slug, "words", where="here", not_testable="no data")
"""
ALL = ["clark/table3/cutoff", "clark/table3/slope", "clark/table4/mean"]


@pytest.fixture
def beside(write_paper, monkeypatch):
    """The working folder is the one that holds ``clark/``."""
    folder = write_paper(CLAIMS, name="clark")
    monkeypatch.chdir(folder.parent)
    return folder


@pytest.mark.parametrize(
    ("targets", "found"),
    [
        (["clark"], ALL),
        (["clark/"], ALL),
        (["./clark"], ALL),
        (["clark/table3"], ALL[:2]),
        (["./clark/table3/"], ALL[:2]),
        (["clark/table3/cutoff"], ALL[:1]),
        (["clark/*/mean"], ALL[2:]),
        (["clark", "clark/table3/cutoff"], ALL[:1]),
        (["clark/table3/cutoff", "clark/table4"], [ALL[0], ALL[2]]),
    ],
)
def test_ones_own_claims_are_reached_through_their_folder(beside, targets, found):
    assert [claim.id for claim in select(targets)[1]] == found
    whole = [target.replace("clark", str(beside), 1) for target in targets if not target.startswith(".")]
    assert not whole or [claim.id for claim in select(whole)[1]] == found


def test_a_folder_whose_paper_has_another_id_is_still_the_way_to_it(beside):
    toml = beside / "paper.toml"
    toml.write_text('id = "clark2022"\n' + toml.read_text())
    assert [claim.id for claim in select(["clark/table4"])[1]] == ["clark2022/table4/mean"]
    assert [claim.id for claim in select(["clark", "clark2022/table4"])[1]] == ["clark2022/table4/mean"]


def test_what_is_not_there_is_named_with_the_command_that_lists_what_is(beside):
    with pytest.raises(
        InputError, match=r"Did you mean clark/table3/cutoff.*'moelaws claims list clark' shows"
    ):
        select(["clark/table3/cutof"])
    (beside / "paper.toml").unlink()
    for target in ("clark", "clark/table3", "./clark"):
        with pytest.raises(InputError, match=re.escape("clark/paper.toml is missing")):
            select([target])
    (beside / "claims.py").unlink()
    with pytest.raises(InputError, match=re.escape("clark/paper.toml is missing")):
        select(["clark"])
    with pytest.raises(InputError, match="nowhere: no such folder"):
        select(["./nowhere"])


def test_a_folder_of_the_working_folder_does_not_hide_the_theory(beside):
    (beside.parent / "theory").mkdir()
    assert select(["theory/data-exponent"])[1][0].id == "theory/data-exponent"


def test_a_claim_may_be_given_with_or_without_its_papers_id(beside):
    paper = Paper.open(beside / "claims.py")
    paper.claim("clark/table3/cutoff", "words", where="here", not_testable="no data")
    paper.claim("table3/slope", "words", where="here", not_testable="no data", uses=("table3/cutoff",))
    paper.claim("table4", "words", where="here", not_testable="no data", uses=("clark/table3/cutoff",))
    assert list(paper.claims) == ["clark/table3/cutoff", "clark/table3/slope", "clark/table4"]
    assert {claim.uses for claim in paper.claims.values()} == {(), ("clark/table3/cutoff",)}
    with pytest.raises(InputError, match="two claims are called 'clark/table3/slope'"):
        paper.claim("clark/table3/slope", "words", where="here", not_testable="no data")


def test_a_new_paper_can_be_verified_from_where_it_was_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written = scaffold(tmp_path / "My Paper")
    assert [claim.id for claim in select(["My Paper"])[1]] == ["my-paper/table1/alpha-c"]
    assert f"moelaws verify '{tmp_path / 'My Paper'}'" in written[-1].read_text()


def test_a_paper_of_the_same_name_elsewhere_reads_its_own_modules(write_paper, tmp_path, monkeypatch):
    """The import system keeps where a relative folder was when it first looked there."""
    words = []
    for place in ("first", "second"):
        (tmp_path / place).mkdir()
        folder = write_paper(CLAIMS.replace('"words"', "WORDS"), name=f"{place}/clark")
        (folder / "claims.py").write_text("from .words import WORDS\n" + (folder / "claims.py").read_text())
        (folder / "words.py").write_text(f"WORDS = {place!r}\n")
        monkeypatch.chdir(tmp_path / place)
        words.append({claim.words for claim in select(["./clark"])[1]})
    assert words == [{"first"}, {"second"}]


@pytest.mark.parametrize("target", ["mayaki2026", "mayaki2026/", "mayaki2026/table2", "theory"])
def test_a_folder_that_bears_an_installed_id_is_not_run(write_paper, tmp_path, monkeypatch, target):
    write_paper("raise SystemExit('this was run')\n", name=target.split("/")[0])
    monkeypatch.chdir(tmp_path)
    assert select([target])[1]
    with pytest.raises(InputError, match="this was run"):
        select([f"./{target}"])


@pytest.mark.parametrize("target", ["~nobody-of-this-name/x", "a\0b", "x" * 5000, "loop/x"])
def test_what_is_no_path_is_told(tmp_path, monkeypatch, target):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(InputError):
        select([target])


def test_a_group_of_claims_is_suggested_by_its_name():
    with pytest.raises(InputError, match="Did you mean mayaki2026/table2"):
        select(["mayaki2026/tabel2"])


def test_an_absent_folder_is_called_a_folder():
    with pytest.raises(InputError, match="my-paper/: no such folder"):
        select(["my-paper/"])
