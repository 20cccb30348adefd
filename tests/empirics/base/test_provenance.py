"""What counts as the code of a module."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from empirics.base import provenance


def executed(text: str) -> set[str]:
    found = provenance._executed(ast.parse(text).body)
    return {alias.name for node in found if isinstance(node, ast.Import) for alias in node.names}


@pytest.mark.parametrize(
    "around",
    [
        "def f():\n    {}",
        "async def f():\n    async with x:\n        {}",
        "class A:\n    def f(self):\n        while x:\n            {}",
        "try:\n    pass\nexcept ValueError:\n    {}",
        "try:\n    pass\nfinally:\n    {}",
        "for x in y:\n    pass\nelse:\n    {}",
        "match x:\n    case 1:\n        {}",
        "if TYPE_CHECKING:\n    import never\nelse:\n    {}",
    ],
)
def test_an_import_counts_wherever_it_can_run(around):
    assert executed(around.format("import counted")) == {"counted"}


def test_an_import_for_the_type_checker_does_not_count():
    assert executed("if TYPE_CHECKING:\n    import never") == set()


def test_asking_what_a_module_imports_does_not_import_it():
    """Keys are computed for every claim at every start; the experiments and their libraries are not needed for that."""
    asked = (
        "import sys; from empirics.base.provenance import closure\n"
        "found = closure('empirics.constructive.overlapping')\n"
        "assert 'empirics.constructive.cell_gate' in found, found\n"
        "assert 'empirics.constructive.overlapping' not in sys.modules and 'scipy' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def beside(tmp_path, monkeypatch):
    """A module in a folder of its own, and the files beside it that count as its code."""
    (tmp_path / "own.py").write_text("from . import used\n")
    (tmp_path / "used.py").write_text("x = 1\n")
    monkeypatch.setitem(sys.modules, "own_check", SimpleNamespace(__file__=str(tmp_path / "own.py")))
    provenance.forget_sources()
    yield tmp_path, lambda: {Path(name).name for name in provenance.closure("own_check")}
    provenance.forget_sources()


@pytest.mark.parametrize(
    "unreadable",
    [
        b"print 'python 2'\n",
        "x = 'caf\u00e9'\n".encode("latin-1"),
        b"# coding: none-such\n",
        b"x = 1\0\n",
        b"((((" * 200,
    ],
)
def test_a_file_beside_a_check_that_is_no_python_counts_by_its_bytes_and_stops_nothing(beside, unreadable):
    folder, closure = beside
    (folder / "old.py").write_bytes(unreadable)
    assert {"own_check", "own.py", "used.py", "old.py"} <= closure()
    before = provenance.source_digest("own_check")
    (folder / "old.py").write_bytes(unreadable + b"#")
    provenance.forget_sources()
    assert provenance.source_digest("own_check") != before


def test_what_cannot_be_imported_from_beside_a_check_is_not_looked_for(beside):
    folder, closure = beside
    (folder / "dangling.py").symlink_to("nothing")
    (folder / "loop.py").symlink_to("loop.py")
    (folder / "folder.py").mkdir()
    (folder / "below").mkdir()
    (folder / "below" / "other.py").write_text("x = 1\n")
    assert closure() == {"own_check", "own.py", "used.py"}


def test_what_is_imported_from_a_folder_below_counts(beside):
    folder, closure = beside
    (folder / "below").mkdir()
    (folder / "below" / "other.py").write_text("x = 1\n")
    (folder / "used.py").write_text("from .below import other\n")
    assert "other.py" in closure()
