"""A slow test in the first tier is noticed, and what makes a test thorough keeps it out."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tiers import THOROUGH

TESTS = """
import subprocess, sys
import pytest

def work():
    for _ in range(2):
        subprocess.run([sys.executable, "-c", "import sympy"], check=True)

@pytest.fixture
def chromium():
    work()

def test_quick():
    pass

def test_slow():
    work()

@pytest.mark.thorough
def test_slow_and_marked():
    work()

def test_slow_by_its_fixture(chromium):
    pass
"""


@pytest.fixture
def run(tmp_path):
    (tmp_path / "test_some.py").write_text(TESTS)

    def run(*options):
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "tiers", *options],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.mark.parametrize("processes", [0, 2])
def test_exactly_the_slow_test_of_the_first_tier_fails_the_run(run, processes):
    done = run("--check-tier", "1", "-n", str(processes))
    assert done.returncode == 1, done.stdout
    assert "4 passed" in done.stdout
    assert re.findall(r"^test_some.py::(\w+): [\d.]+ s of the processor", done.stdout, re.M) == ["test_slow"]


def test_the_first_tier_leaves_out_what_is_marked_or_needs_a_costly_fixture(run):
    first, second = (run("-m", chosen, "-v", "--check-tier") for chosen in ("not thorough", "thorough"))
    assert first.returncode == second.returncode == 0
    assert re.findall(r"::(\w+) PASSED", first.stdout) == ["test_quick", "test_slow"]
    assert re.findall(r"::(\w+) PASSED", second.stdout) == [
        "test_slow_and_marked",
        "test_slow_by_its_fixture",
    ]


def test_every_fixture_that_makes_a_test_thorough_exists():
    files = [path.read_text() for path in Path(__file__).parent.rglob("*.py")]
    for name in THOROUGH:
        assert any(re.search(rf"@pytest\.fixture\(.*\)\ndef {name}\(", text) for text in files), name
