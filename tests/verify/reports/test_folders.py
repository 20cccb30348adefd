"""Each target has its own folder for its report, and a command without one takes the report written last."""

from __future__ import annotations

import os

import pytest

from verify.errors import InputError
from verify.judging.papers import select
from verify.recheck.sealed import latest
from verify.reports.folders import folder_for
from verify.reports.record import read_report


@pytest.mark.parametrize(
    ("targets", "folder"),
    [
        ([], "all"),
        (["mayaki2026"], "mayaki2026"),
        (["mayaki2026/table5/"], "mayaki2026/table5"),
        (["theory/log-choose-le-k-log"], "theory/log-choose-le-k-log"),
    ],
)
def test_a_target_has_the_folder_of_its_name(targets, folder):
    assert folder_for(targets, []).as_posix() == f"moelaws-report/{folder}"


def test_other_targets_have_other_folders_inside_of_the_one_of_reports():
    targets = [
        ["mayaki2026/table[12]"],
        ["mayaki2026/table?12?"],
        ["mayaki2026/table1", "mayaki2026/table2"],
        ["mayaki2026/table1-mayaki2026/table2"],
        ["mayaki2026/" + "x" * 300],
        ["mayaki2026/" + "x" * 301],
        ["mayaki2026/../../escape*"],
    ]
    folders = [folder_for(each, []) for each in targets]
    assert len(set(folders)) == len(targets)
    for folder in folders:
        assert folder.parts[0] == "moelaws-report"
        assert ".." not in folder.parts
        assert max(map(len, folder.parts)) < 100


def test_a_paper_of_ones_own_has_the_folder_of_its_id(write_paper, tmp_path, monkeypatch):
    folder = write_paper(
        "from verify import Paper\npaper = Paper.open(__file__)\npaper.claim('a/b', 'c', where='d', not_testable='e')\n"
    )
    (folder / "paper.toml").write_text((folder / "paper.toml").read_text() + 'id = "other-id"\n')
    monkeypatch.chdir(tmp_path)
    for target, wanted in (
        ("invented", "other-id"),
        ("./invented/a", "other-id/a"),
        (str(folder), "other-id"),
    ):
        papers, _ = select([target])
        assert folder_for([target], papers).as_posix() == f"moelaws-report/{wanted}"


def test_a_command_without_a_report_takes_the_one_written_last(tmp_path):
    with pytest.raises(InputError, match="no report there"):
        read_report(latest(tmp_path))
    for second, name in enumerate(("a", "a/b", "c")):
        (tmp_path / name).mkdir()
        path = tmp_path / name / "report.json"
        path.write_text("{}")
        os.utime(path, (10 - second, 10 - second))
    assert latest(tmp_path) == tmp_path / "a"
    os.utime(tmp_path / "a" / "b" / "report.json", (20, 20))
    assert latest(tmp_path) == tmp_path / "a" / "b"
    (tmp_path / "report.json").write_text("{}")
    assert latest(tmp_path) == tmp_path
