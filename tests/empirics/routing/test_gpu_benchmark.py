"""The benchmark of the kernels says what it needs, and runs to its table at tiny sizes."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from empirics.routing import Routing, route

SCRIPT = Path(__file__).resolve().parents[3] / "benchmarks" / "gpu.py"


sys.path.append(str(SCRIPT.parent))


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_one_line_says_so():
    done = run()
    assert done.returncode == 1
    assert done.stdout == ""
    assert [line[:24] for line in done.stderr.splitlines()] == ["no CUDA device was found"]


def test_a_dry_run_ends_with_the_table(kernels):
    done = run("--dry-run")
    assert done.returncode == 0, done.stderr
    table = done.stdout.partition("\n\n")[2]
    for row in ("equal to the reference", "copy bandwidth", "the same bits", "forward T=32", "backward T=32"):
        assert row in table
    for row in ("equal to the reference", "the same bits"):
        assert any(line.startswith(row) and line.endswith("met") for line in table.splitlines()), row
    assert "NOT MET" not in table
    assert table.endswith("a dry run: the times mean nothing\n")


def spoiled(name: str) -> object:
    """`route` with a NaN, or one more, in the result of that name."""

    def wrong(*arguments, **options) -> Routing:
        routing = route(*arguments, **options)
        value = getattr(routing, name)
        return dataclasses.replace(
            routing, **{name: value * (torch.nan if value.is_floating_point() else 1) + 1}
        )

    return wrong


def test_the_check_passes_the_reference_and_notices_each_wrong_result():
    from gpu_agreement import cases, disagreements

    checked = list(cases([(70, 8, 2), (33, 5, 5)], "cpu"))
    assert [(case.name, wrong) for case in checked if (wrong := disagreements(route, case))] == []
    for field in dataclasses.fields(Routing):
        assert field.name in disagreements(spoiled(field.name), checked[0])


def test_a_measurement_that_breaks_off_leaves_a_row_and_a_failure(kernels):
    import gpu
    from triton.runtime.errors import OutOfResources

    def breaks_off(table: gpu.Table) -> None:
        raise OutOfResources(300000, 232448, "shared memory")

    table = gpu.Table(judged=False)
    table.add("a time", "1 us", "<= 0 us", False)
    assert not table.failed  # a time is judged on a GPU, and never fails the script
    assert gpu.attempt(table, "routing", breaks_off) is None
    assert table.failed
    assert "OutOfResources: out of resource: shared memory" in str(table)
    assert str(table).endswith("NOT MET")
