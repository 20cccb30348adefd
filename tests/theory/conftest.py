"""Tests of the theory may import the modules beside them: `from ray_search import search`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
