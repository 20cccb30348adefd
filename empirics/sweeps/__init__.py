"""Sweeps: from a file that says what to vary to runs in a store, resumed where they stopped."""

from empirics.sweeps.job import Job, Sweep
from empirics.sweeps.plan import read_sweep
from empirics.sweeps.work import Failure, Outcome, sweep

__all__ = ["Failure", "Job", "Outcome", "Sweep", "read_sweep", "sweep"]
