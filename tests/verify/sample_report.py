"""A small report with every figure, a certificate, an assumption, a family and a score of mutants."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from verify.judging.papers import select
from verify.judging.runner import run_claims
from verify.recheck.sealed import seal
from verify.reports.record import report_record, to_json

ALSO = {
    "mutation": {
        "cells": [
            {
                "paper": "p", "table": "t", "column": "c", "size": 1, "scores": {"tenth": [0, 1]}, "unread": [],
                "unconstrained": ["r"], "survivors": [{"row": "r", "printed": "1", "misprint": "2", "kind": "tenth", "why": "-"}],
            }
        ],
        "columns": [
            {
                "paper": "p", "table": "t", "column": "c", "formula": {"text": "c = 1", "latex": "c"},
                "readings": [{"inputs": "i", "outputs": "o", "mutants": 1, "noticed": 1, "maximum": None, "excluded": ["r"], "survivors": []}],
            }
        ],
        "claims": {
            "by_kind": {"sign": [1, 2]},
            "claims": [{"claim": "p/c", "mutants": 1, "survivors": [{"kind": "sign", "says": "x", "verdict": "PROVED", "why": "-"}]}],
        },
    },
}  # fmt: skip


def judged(folder: Path) -> dict[str, Any]:
    """A report on the paper in ``folder`` and a few claims beside it, in which everything there is to show is shown."""
    targets = [
        "mayaki2026/table2/alpha-n",
        "mayaki2026/table4/mid-scale",
        "mayaki2026/table1",
        "theory/cauchy-schwarz",
    ]
    papers, claims = select([*targets, str(folder)])
    run = run_claims(papers, claims)
    found = json.loads(to_json(report_record(run)))
    found |= ALSO
    found["digest"] = seal(found)
    figures = {entry["evidence"].get("details", {}).get("figure") for entry in found["claims"]}
    assert {"cells", "intervals", "sides", "measured"} <= figures
    return found
