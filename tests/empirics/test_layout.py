"""`import empirics` is light: torch loads with the first name that needs it."""

from __future__ import annotations

import subprocess
import sys


def test_importing_empirics_imports_neither_torch_nor_scipy():
    code = "import sys, empirics; dir(empirics); print([m for m in ('torch', 'scipy', 'triton') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_without_torch_a_name_that_needs_it_says_what_to_install():
    code = "import sys; sys.modules['torch'] = None; import empirics; empirics.LanguageModel"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "empirics.LanguageModel needs torch: pip install 'moelaws[train]'" in done.stderr


def test_routing_needs_no_triton_and_says_so_where_kernels_are_asked_for():
    code = """
import sys
sys.modules["triton"] = None
import torch
from empirics import route
print(route(torch.zeros(2, 3), 1).counts_E.tolist())
try:
    route(torch.zeros(2, 3), 1, implementation="triton")
except ValueError as problem:
    print(problem)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "[2, 0, 0]",
        "implementation='triton': triton is not installed (the gpu extra); use implementation='reference'",
    ]
