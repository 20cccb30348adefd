"""The benchmark of the kernels says what it needs, and runs to its table at tiny sizes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

SCRIPT = Path(__file__).resolve().parents[3] / "benchmarks" / "gpu.py"


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
    assert "NOT MET" not in table
    assert table.endswith("a dry run: the times mean nothing\n")
