"""Sweeps: from a file that says what to vary to runs in a store, resumed where they stopped."""

from empirics.sweeps.job import Job, Sweep
from empirics.sweeps.plan import read_sweep
from empirics.sweeps.work import Failure, SweepOutcome, sweep

__all__ = ["Failure", "Job", "Sweep", "SweepOutcome", "read_sweep", "sweep"]
