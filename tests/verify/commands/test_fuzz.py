"""Whatever a file or an argument holds, a command ends with its status and at most a line of complaint."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzzing import COMMANDS, Material, run

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
