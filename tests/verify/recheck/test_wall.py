"""The wall: readers of certificates import the standard library and python-flint, and nothing else of the house."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from kinds import KINDS, certificate_of

ROOT = Path(__file__).resolve().parents[3]
READERS = sorted((ROOT / "verify" / "recheck").glob("*.py"))
ALLOWED = {"flint", *sys.stdlib_module_names}


def faults(source: str) -> list[str]:
    """What a reader may not import, anywhere in its source; a relative import cannot leave the folder by one dot."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""] if node.level == 0 else ["." * node.level]
        else:
            continue
        found += [
            name
            for name in names
            if name.split(".")[0] not in ALLOWED
            and name != "."
            and not f"{name}.".startswith("verify.recheck.")
        ]
    return found


@pytest.mark.parametrize("path", READERS, ids=lambda path: path.stem)
def test_a_reader_imports_the_standard_library_flint_and_other_readers(path):
    assert faults(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "line",
    [
        "import sympy",
        "from verify.search.means import x",
        "from verify import Budget",
        "def f():\n    import numpy as np",
        "from .. import errors",
        "import verify.recheckers",
        "from theory.relation import Relation",
    ],
)
def test_an_import_through_the_wall_is_noticed(line):
    assert len(faults(line)) == 1


ALONE = """
import importlib, json, sys, types

package = types.ModuleType("verify")  # the package without its __init__, which loads the public names
package.__path__ = [sys.argv[1]]
sys.modules["verify"] = package
ALLOWED = {"flint", *sys.stdlib_module_names}

class Wall:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in ALLOWED and not (name + ".").startswith("verify.recheck."):
            raise ImportError("no " + name + " behind the wall")

sys.meta_path.insert(0, Wall())
for name in sys.argv[2:]:
    try:
        importlib.import_module(name)
    except ImportError:
        continue
    raise SystemExit("the wall has a hole: " + name)

from verify.recheck.certificates import ask, reread, readers
from verify.recheck.rejected import Rejected
import verify.recheck.report

for certificate in json.load(sys.stdin):
    reread(certificate)
    assert ask(certificate, "shown")
    try:
        reread({**certificate, "more": 1})
    except Rejected:
        continue
    raise SystemExit("accepted with an entry too many")
print(*sorted(readers()), sep="\\n")
"""


def test_the_readers_run_where_nothing_else_can_be_imported():
    certificates = [certificate_of(checks[0]) for checks in KINDS.values()]
    outside = ["sympy", "numpy", "scipy", "z3", "mpmath", "typer", "theory", "empirics", "verify.errors"]
    done = subprocess.run(
        [sys.executable, "-c", ALONE, str(ROOT / "verify"), *outside],
        input=json.dumps(certificates),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert set(KINDS) <= set(done.stdout.splitlines())
