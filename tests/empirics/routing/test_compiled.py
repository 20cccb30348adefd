"""What the compiler makes of the kernels for a Hopper GPU; none is needed to compile."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def made(kernels, tmp_path_factory) -> dict[str, dict]:
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    script = Path(__file__).with_name("compile_for_hopper.py")
    done = subprocess.run(
        [sys.executable, str(script)],
        env=environment | {"TRITON_CACHE_DIR": str(tmp_path_factory.mktemp("triton"))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_kernel_compiles(made):
    """By both gates, renormalised or not, with a bias, restrictions or padding, at sizes from one token and one expert on."""
    assert {name.partition(",")[0]: 0 for name in made}.keys() == {
        "select_experts", "prefix_over_blocks", "offsets_and_losses", "permute", "gradient_of_logits"
    }  # fmt: skip
    assert len(made) >= 47
    assert all(kernel["bytes"] > 1000 for kernel in made.values())


def test_no_kernel_adds_atomically(made):
    """Float atomics add in any order: results would change from run to run."""
    assert {name: kernel["atomics"] for name, kernel in made.items() if kernel["atomics"]} == {}


def test_no_kernel_computes_in_double_precision(made):
    """Except for reading a bias that was given so."""
    assert {
        name: kernel["doubles"]
        for name, kernel in made.items()
        if kernel["doubles"] and "fp64 bias" not in name
    } == {}


def test_no_product_of_an_address_is_taken_in_32_bits(made):
    """T x E may pass 2^31, and so may any stride."""
    assert {
        name: kernel["narrow_products"] for name, kernel in made.items() if kernel["narrow_products"]
    } == {}
