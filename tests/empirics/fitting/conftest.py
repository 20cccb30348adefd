"""Public tables, where a folder of them is at hand."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np
import pytest

from empirics.fitting.observations import Observations
from theory import SeparableLaw


@pytest.fixture(scope="session")
def chinchilla():
    """The 245 points read off Figure 4 of Hoffmann et al. 2022, and which 240 of them were refitted."""
    if not (folder := os.environ.get("MOELAWS_DATA")):
        pytest.skip("MOELAWS_DATA names no folder of public tables")
    path = Path(folder) / "epoch_chinchilla" / "epoch_chinchilla_NDL.csv"
    if not path.is_file():
        pytest.skip(f"no {path}")
    with path.open() as file:
        rows = list(csv.DictReader(file))
    size, tokens, loss = (np.array([float(row[name]) for row in rows]) for name in ("N", "D", "loss"))
    return Observations(SeparableLaw, {"parameters": size, "tokens": tokens}, loss)


@pytest.fixture(scope="session")
def refitted(chinchilla):
    """The 240 points: without the five of highest loss."""
    return chinchilla.take(chinchilla.loss < np.sort(chinchilla.loss)[-5])
