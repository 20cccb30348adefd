"""The wheel holds all that the command needs, and runs from a folder that is not the project."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.thorough
@pytest.mark.usefixtures("full_report")  # equal sources have equal keys: the wheel finds the evidence
def test_the_wheel_verifies_from_another_folder(tmp_path):
    source = tmp_path / "source"  # a copy, so that building leaves nothing in the tree
    shutil.copytree(
        ROOT, source, ignore=shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "__pycache__")
    )
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path / "dist", source],
        check=True,
        capture_output=True,
    )
    (wheel,) = (tmp_path / "dist").glob("moelaws-*.whl")
    site = tmp_path / "site"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", site, wheel],
        check=True,
        capture_output=True,
    )
    environment = {**os.environ, "PYTHONPATH": str(site)}
    where = subprocess.run(
        [sys.executable, "-c", "import theory, verify, paper_checks, moelaws; from empirics import Experiment; print(theory.__file__, verify.__file__)"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert where.stdout.count(str(site)) == 2
    done = subprocess.run(
        [sys.executable, "-m", "moelaws", "verify", "theory", "mayaki2026/table2", "ludziejewski2025/table1"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "all as expected" in done.stdout
