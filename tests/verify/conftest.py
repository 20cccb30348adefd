"""Tests of the harness may import the modules beside them: `from judged import verdict`."""

from __future__ import annotations

import copy
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

_reports: list[dict[str, Any]] = []


@pytest.fixture
def small_report(measured_paper: Path) -> dict[str, Any]:
    """`sample_report.judged`, judged once a process; a copy, which may be changed."""
    from sample_report import judged

    if not _reports:
        _reports.append(judged(measured_paper))
    return copy.deepcopy(_reports[0])
