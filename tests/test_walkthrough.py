"""Follow CONTRIBUTING in a copy of the project: each of its files is added, and found without another line changed."""

from __future__ import annotations

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FILE = re.compile(r"```python\n# (\S+\.py)\n(.*?)```", re.DOTALL)
ADDED = dict(FILE.findall(CONTRIBUTING))
LAW, BOUND = "theory/laws/equal_exponents.py", "theory/bounds/unrouted.py"
CHECK, GATE = "verify/checks/falling.py", "empirics/constructive/slab_gate.py"
READER, ESTIMATOR = "verify/printed/readers/org.py", "empirics/dimension/estimators/growth.py"
MOST_FILES = {LAW: 2, BOUND: 3, CHECK: 2, READER: 2, ESTIMATOR: 2, GATE: 3}
"""How many files one opens for each: CONTRIBUTING, the new one, and those that its section points to."""

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A copy of the project with the files of CONTRIBUTING added and the stubs written; runs Python modules in it."""
    copy = tmp_path_factory.mktemp("followed") / "project"
    leave = shutil.ignore_patterns("__pycache__", ".*")
    for name in ("theory", "empirics", "verify", "paper_checks", "tests", "tools"):
        shutil.copytree(ROOT / name, copy / name, ignore=leave)
    for name in ("moelaws.py", "pyproject.toml", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, copy)
    for name, text in ADDED.items():
        assert not (copy / name).exists()
        (copy / name).write_text(text, encoding="utf-8")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(copy), "COLUMNS": "200"}
        environment.pop("PYTEST_ADDOPTS", None)
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=copy,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done

    run("tools/stubs.py")
    return run


def test_a_file_of_each_kind_is_followed():
    assert set(ADDED) == set(MOST_FILES)


@pytest.mark.parametrize("name", MOST_FILES)
def test_few_files_are_opened(name):
    sections = re.split(r"^## ", CONTRIBUTING, flags=re.MULTILINE)
    [section] = [text for text in sections if f"# {name}\n" in text]
    pointed_to = {path for path in re.findall(r"`([\w/]+\.py)`", section) if not path.startswith("tests/")}
    assert all((ROOT / path).is_file() for path in pointed_to)
    assert len(pointed_to) + 2 <= MOST_FILES[name]


@pytest.mark.parametrize("name", ADDED)
def test_its_imports_run_downhill(name):
    rooms = runpy.run_path(str(ROOT / "tests" / "test_rooms.py"))
    assert rooms["climbs"](ADDED[name], name.removesuffix(".py").replace("/", ".")) == []


def test_the_new_names_are_public(run):
    code = "from theory import EqualExponentsLaw, unrouted_bound; from verify import Falling; import theory; print(theory.__file__)"
    assert "followed" in run("-c", code).stdout
    assert run("tools/stubs.py", "--check").stdout == ""


def test_the_bound_is_listed_evaluated_and_claimed(run):
    listed = json.loads(run("-m", "moelaws", "bound", "--list", "--json").stdout)
    assert {"name": "unrouted", "terms": ["approximation", "parameters"]}.items() <= listed[-1].items()
    [found] = json.loads(
        run(
            "-m", "moelaws", "bound", "mixtral-8x7b", "--tokens", "1e12", "--bound", "unrouted", "--json"
        ).stdout
    )
    assert found["regime"] == "parameters"
    assert "theory/bounds/unrouted/numeric-is-ball" in run("-m", "moelaws", "claims", "list", "theory").stdout
    assert "unrouted-bound" in run("-m", "moelaws", "derive").stdout.replace("_", "-")


def test_its_claim_is_judged(run):
    assert "PROVED" in run("-m", "moelaws", "verify", "theory/bounds/unrouted").stdout


def test_a_paper_may_use_the_check(run, tmp_path):
    paper = tmp_path / "mine"
    run("-m", "moelaws", "new-paper", str(paper))
    (paper / "claims.py").write_text(
        "from verify import Falling, Paper, Verdict\n"
        "paper = Paper.open(__file__)\n"
        "table = paper.table('table1')\n"
        "for name, rest in {\n"
        "    'alpha_N': {'expect': Verdict.REFUTED, 'because': 'it rises', 'repairs': {'one row': {'table': table.only_row(0)}}},\n"
        "}.items():\n"
        "    paper.claim('table1/falls', 'falls', where='Table 1', check=Falling(table, name), **rest)\n"
    )
    printed = run("-m", "moelaws", "verify", str(paper)).stdout
    assert "REFUTED" in printed
    assert "prints 0.35, the row above 0.34" in printed


def test_the_contracts_hold_what_was_added(run):
    contracts = ("theory/laws/test_contract.py", "theory/bounds/test_bounds_found.py", "verify/checks/test_contract.py",
                 "empirics/constructive/test_gates.py", "verify/printed/readers/test_readers.py",
                 "empirics/dimension/test_estimators.py", "test_public_names.py")  # fmt: skip
    done = run(
        "-m", "pytest", "-v", "-p", "no:cacheprovider", "-n", "0", *(f"tests/{name}" for name in contracts)
    )
    for found in ("[muennighoff2023-one-pass]", "[Falling]", "[SlabGate]", "[Org]", "[Growth]"):
        assert f"{found} PASSED" in done.stdout
