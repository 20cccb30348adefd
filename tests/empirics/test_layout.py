"""`import empirics` is light: torch loads with the first name that needs it."""

from __future__ import annotations

import subprocess
import sys


def test_importing_empirics_imports_neither_torch_nor_scipy():
    code = "import sys, empirics; dir(empirics); print([m for m in ('torch', 'scipy', 'triton') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_routing_needs_no_triton():
    code = (
        "import sys; sys.modules['triton'] = None; import torch; from empirics import route; "
        "print(route(torch.zeros(2, 3), 1).counts_E.tolist())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[2, 0, 0]"
