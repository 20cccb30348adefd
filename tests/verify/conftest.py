"""Tests of the harness may import the modules beside them: `from judged import verdict`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
