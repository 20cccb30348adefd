"""Standard streams as a shell may leave them: closed, full, of ASCII, or a pipe whose reader has left."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from verify.reports.junit import to_junit
from verify.text import one_line

PAPER = """
    from verify import Paper
    paper = Paper.open(__file__)
    paper.claim("a", "caf\\u00e9 \\x1b[31m red\\nand \\U0001f600 \\ufffe", where="here", not_testable="\\ufffe nothing")
"""


@pytest.fixture
def shell(tmp_path):
    """A command line of bash in which ``moelaws`` is the command, and ``$?`` of the first part of a pipe is the status."""

    def run(line, **environment):
        moelaws = f'moelaws() {{ "{sys.executable}" -m moelaws "$@"; }}'
        done = subprocess.run(
            ["bash", "-c", f"{moelaws}; {line}; exit ${{PIPESTATUS[0]}}"],
            cwd=tmp_path,
            capture_output=True,
            check=False,
            env={**os.environ, **environment},
        )
        assert b"Traceback" not in done.stderr
        assert b"Exception ignored" not in done.stderr
        assert b"internal error" not in done.stderr
        return done

    return run


@pytest.mark.parametrize(
    "command", ["claims list", "verify mayaki2026/table2", "bound --list --json", "--help"]
)
def test_a_reader_that_leaves_the_pipe_gives_141_or_0(shell, command):
    done = shell(f"moelaws {command} | head -c 1")
    assert done.returncode in (0, 141), done.stderr  # 0 where all was written before the reader left
    assert done.stderr == b""
    assert len(done.stdout) == 1


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("moelaws bound --list >&-", 0),
        ("moelaws --nothing 2>&-", 2),
        ("moelaws --nothing >&- 2>&-", 2),
        ("moelaws --nothing 2>/dev/full", 2),
    ],
)
def test_a_closed_stream_changes_no_status(shell, line, status):
    done = shell(line)
    assert (done.returncode, done.stderr) == (status, b"")


def test_a_full_standard_output_is_one_line_and_status_2(shell):
    done = shell("moelaws bound --list > /dev/full")
    assert done.returncode == 2
    assert done.stderr == b"moelaws: output: No space left on device\n"


def test_ascii_holds_every_text_and_its_json_reads_back(shell, write_paper):
    folder = write_paper(PAPER)
    shown = shell(f"moelaws claims list {folder}", PYTHONIOENCODING="ascii:strict")
    assert shown.returncode == 0, shown.stderr
    assert b"caf\\u00e9 \\ufffd[31m red and \\ud83d\\ude00 \\ufffd" in shown.stdout
    record = shell(f"moelaws claims list {folder} --json", PYTHONIOENCODING="ascii:strict")
    assert json.loads(record.stdout)[0]["words"].startswith("café \x1b[31m red\nand \U0001f600")


@pytest.mark.parametrize(
    "command", ["verify", "recheck", "sweep", "diff x", "runs list --store", "new-paper"]
)
def test_a_name_that_is_no_utf8_is_told(shell, command):
    done = shell(f"moelaws {command} $'caf\\xe9'")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "command", ["verify", "claims show", "derive", "bound", "recheck", "runs list --store", "sweep"]
)
def test_a_newline_and_colours_in_a_name_neither_start_a_line_nor_colour_it(shell, command):
    done = shell(f"moelaws {command} $'a\\nb\\e[31m/x'")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert b"\x1b" not in done.stderr


def test_junit_is_well_formed_whatever_a_claim_says(shell, write_paper, tmp_path):
    assert shell(f"moelaws verify {write_paper(PAPER)}").returncode == 0
    case = ElementTree.parse(tmp_path / "moelaws-report" / "invented" / "junit.xml").find(".//skipped")
    assert "\N{REPLACEMENT CHARACTER} nothing" in case.get("message")


def test_what_is_no_character_is_replaced():
    assert one_line("\ufffe|\uffff|\ufdd0|\U0001ffff|\x00|\ud800|\u202e") == "|".join(
        "\N{REPLACEMENT CHARACTER}" * 7
    )
    assert one_line("é \U0001f600 \u4e2d") == "é \U0001f600 \u4e2d"


def test_junit_cleans_the_names_too():
    entry = {"id": "p/\ufffe", "verdict": "PROVED", "as_expected": True, "expected": "holds", "finding": ""}
    text = to_junit({"papers": [{"id": "p"}], "claims": [entry], "complete": True, "not_run": []})
    assert ElementTree.fromstring(text).find(".//testcase").get("name") == "p/\N{REPLACEMENT CHARACTER}"
