"""Shared fixtures: a cache of its own for the whole test run, and papers written by tests."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """No test reads or fills the user's cache."""
    folder = tmp_path_factory.mktemp("cache")
    os.environ["MOELAWS_CACHE"] = str(folder)
    return folder


@pytest.fixture
def write_paper(tmp_path: Path) -> Callable[..., Path]:
    """Write a paper's folder from the text of its claims and tables."""

    def write(claims: str, *, name: str = "invented", **tables: str) -> Path:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        (folder / "paper.toml").write_text(
            'title = "Invented"\nauthors = "A test"\nyear = 2026\nreference = "none"\n'
        )
        (folder / "claims.py").write_text(textwrap.dedent(claims))
        for table, text in tables.items():
            (folder / f"{table}.csv").write_text(textwrap.dedent(text).lstrip())
        return folder

    return write


@pytest.fixture
def moelaws(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command line in a process of its own, from a folder outside the project."""

    def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "moelaws", *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, "COLUMNS": "120", **environment},
            capture_output=True,
            text=True,
            timeout=300,
        )

    return run
