"""What counts as the code of a module."""

from __future__ import annotations

import ast
import subprocess
import sys

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
