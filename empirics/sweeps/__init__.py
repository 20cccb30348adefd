"""Sweeps: from a file that says what to vary to runs in a store, resumed where they stopped."""

from empirics.sweeps.plan import Description, Job, Sweep, read_sweep
from empirics.sweeps.work import Failure, SweepOutcome, sweep

__all__ = ["Description", "Failure", "Job", "Sweep", "SweepOutcome", "read_sweep", "sweep"]
