"""The stored runs that a measured claim may use, in plain data: evidence names them, and its key covers them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from empirics.experiments.experiment import Design, Experiment

MADE = "made"
"""What evidence says of a run that was made while its claim was judged."""
STORED_RUNS = "stored runs"
"""What evidence says is missing where only a sweep can make the runs that a claim needs."""


@dataclass(frozen=True)
class StoredRun:
    """A finished run of an experiment: its value (None where it came to no finite one), its record and its store."""

    size: int
    seed: int
    value: float | None
    record: str
    store: str


@dataclass(frozen=True)
class StoredRuns:
    """What the stores hold for a design: at most one run for each size and seed.

    ``left_aside`` counts runs of the same configuration that other code made. ``contradiction`` says which two runs of
    one configuration, seed and code found different values, where some did.
    """

    runs: tuple[StoredRun, ...] = ()
    left_aside: int = 0
    contradiction: str = ""


class RunSource(Protocol):
    """Where stored runs come from."""

    def stored(self, experiment: Experiment, design: Design) -> StoredRuns:
        """The finished runs of this experiment, by its present code, at the sizes and seeds of a design."""
