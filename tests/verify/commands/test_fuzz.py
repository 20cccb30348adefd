"""Whatever a file or an argument holds, a command ends with its status and at most a line of complaint."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzzing import COMMANDS, MAP, PUBLIC, SWEEP, TOY, Case, Material, run

CASES = 3000
AT_ONCE, IN_A_CHUNK = 200, 10
"""How many of the cases belong to the first tier, and how many are one test."""


@pytest.fixture
def material(small_report, tmp_path_factory):
    return Material.make(tmp_path_factory.mktemp("material"), small_report)


@pytest.fixture(autouse=True)
def own_surroundings(tmp_path, monkeypatch):
    monkeypatch.setenv("MOELAWS_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("MOELAWS_DEBUG", raising=False)
    monkeypatch.delenv("MOELAWS_RUNS", raising=False)


@pytest.mark.parametrize("first", range(0, AT_ONCE, IN_A_CHUNK))
def test_no_input_is_an_internal_error(material, tmp_path, first):
    check(material, tmp_path, range(first, first + IN_A_CHUNK))


@pytest.mark.thorough
@pytest.mark.parametrize("first", range(AT_ONCE, CASES, 100))
def test_no_input_is_an_internal_error_among_3000(material, tmp_path, first):
    check(material, tmp_path, range(first, first + 100))


def check(material: Material, folder: Path, numbers: range) -> None:
    for number in numbers:
        case = material.case(number)
        (place := folder / str(number)).mkdir()
        status, out, error = run(case, place)
        told = f"case {number}, {case.kind}, {case.arguments!r}: status {status}, {error!r}"
        assert status in (0, 1, 2), told
        assert "internal error" not in error, told
        assert "\x1b" not in out + error, told
        if status == 2:
            lines = [line for line in error.splitlines() if not line.startswith("moelaws: left out: ")]
            assert len(lines) == 1 or error.startswith("Usage: "), told
            assert lines[0].startswith(("moelaws: ", "Usage: ")), told


def test_an_internal_error_would_be_noticed(material, tmp_path, monkeypatch):
    monkeypatch.setattr("verify.recheck.report.reread_report", lambda record: 1 / 0)
    with pytest.raises(AssertionError, match="internal error, ZeroDivisionError"):
        check(material, tmp_path, range(0, 200, 10))


def test_every_command_is_drawn():
    assert {" ".join(path) for path, _ in COMMANDS} >= {
        "diff", "report", "new-paper", "derive", "bound", "recheck", "claims list", "claims show", "cache clear",
        "runs list", "runs show", "runs import", "runs export", "runs repair",
    }  # fmt: skip


@pytest.mark.parametrize("key", ["x" + ".a" * 3000, "x" + ".a" * 30])
def test_a_deep_key_of_toml_is_told(tmp_path, key):
    deep = f"\n{key} = 1\n"
    files = {"runs.csv": PUBLIC, "map.toml": MAP + deep, "toy.py": TOY, "sweep.toml": SWEEP + deep}
    for arguments in (
        ["sweep", "sweep.toml", "--dry-run"],
        ["runs", "import", "runs.csv", "--map", "map.toml"],
    ):
        case = Case("deep", arguments, {name: text.encode() for name, text in files.items()})
        status, _, error = run(case, tmp_path)
        assert (status, error.count("\n")) == (2, 1)
        assert "stand inside one another" in error


@pytest.mark.parametrize(
    "arguments",
    [
        ["verify", "./loop"], ["claims", "list", "loop/x"], ["new-paper", "loop"], ["new-paper", "loop/x"], ["recheck", "loop"],
        ["diff", "loop", "loop"], ["report", "loop"], ["sweep", "loop"], ["runs", "list", "--store", "loop"],
        ["runs", "import", "r.jsonl", "--store", "loop/x.db"], ["verify", "theory/cauchy-schwarz", "--report", "loop"],
    ],
)  # fmt: skip
def test_a_loop_of_links_is_told(tmp_path, arguments):
    (tmp_path / "loop").symlink_to("loop")
    status, _, error = run(Case("loop", arguments, {"r.jsonl": b""}), tmp_path)
    assert (status, error.count("\n")) == (2, 1)
    assert "internal error" not in error
