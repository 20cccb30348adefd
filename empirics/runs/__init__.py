"""The run store: every measured run, ours or imported, under one schema in one append-only file."""

from empirics.runs.exchange import export, read_records, repeats
from empirics.runs.layout import StoreDamaged
from empirics.runs.record import Architecture, Budgets, Data, Point, Run, RunError
from empirics.runs.repair import Rescue, repair
from empirics.runs.store import RunStore, Stored
from empirics.runs.tables import read_table

__all__ = [
    "Architecture",
    "Budgets",
    "Data",
    "Point",
    "Rescue",
    "Run",
    "RunError",
    "RunStore",
    "StoreDamaged",
    "Stored",
    "export",
    "read_records",
    "read_table",
    "repair",
    "repeats",
]
