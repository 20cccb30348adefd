"""The tutorial notebook runs from top to bottom and finds what its text says."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOK = ROOT / "docs" / "from-bound-to-repair.ipynb"


pytestmark = pytest.mark.thorough  # a kernel has to start and run the whole


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """The notebook with its outputs, run by a kernel of this interpreter in an empty folder."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(NOTEBOOK, as_version=4)
    folder = tmp_path_factory.mktemp("notebook")
    resources = {"metadata": {"path": str(folder)}}
    client = NotebookClient(notebook, kernel_name="python3", timeout=600, resources=resources)
    client.execute(env={**os.environ, "PYTHONPATH": str(ROOT)})
    return notebook


def shown(notebook, containing: str) -> str:
    """What the cell with this code prints or shows as text.

    A kernel sends what one cell prints in as many pieces as its clock cuts it into, also within a line;
    nothing stands between them.
    """
    [cell] = [c for c in notebook.cells if c.cell_type == "code" and containing in c.source]
    printed = "".join(output.text for output in cell.outputs if output.output_type == "stream")
    values = [output["data"]["text/plain"] for output in cell.outputs if "data" in output]
    return "\n".join([*printed.splitlines(), *values])


def test_it_is_kept_without_outputs():
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    assert cells
    assert not [cell for cell in cells if cell.get("outputs") or cell.get("execution_count")]


def test_it_derives_the_exponents(executed):
    assert shown(executed, "alpha_D_rate = ").startswith("n^(-2β/(2β+d))")
    assert "every step of the certificate holds" in shown(executed, "alpha_D_rate.explain")
    assert shown(executed, "given=C, subject_to=[Eq(N * D, C)]").startswith("C^(-β/(β+d))")


def test_it_finds_the_clash_and_the_reading(executed):
    assert shown(executed, "clash = ").startswith("BROKEN")
    assert shown(executed, "every_reading").split() == [
        *("min", "BROKEN"),
        *("max", "CONSISTENT"),
        *("sum", "CONSISTENT"),
    ]
    ratios = [line.split("= ")[-1] for line in shown(executed, "ratio_to_the_statement(").splitlines()]
    assert ratios == ["2.2", "7.1", "23.5", "80.4"]


def test_it_repairs_the_bound(executed):
    text = shown(executed, "repaired = ")
    assert text.startswith("CONSISTENT")
    assert "n^(-2β/(2β+d))" in text
    total, active = shown(executed, "counted, budget").splitlines()
    assert "C^(-β/(β+d))" in total
    assert "C^(-2β/(2β+d))" in active


def test_its_cards_show_as_a_page(executed):
    [cell] = [c for c in executed.cells if "verify_claims(" in c.source]
    assert "REFUTED" in cell.outputs[0]["data"]["text/html"]
