"""Where measured claims look for runs: those packaged with their paper, then a run store.

A run is a claim's where its configuration (the digest that covers name, quantity, fields and size), its seed and the digest
of its code are those of the claim's experiment as it stands now, and where it is finished. Who made it does not matter.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from empirics.experiments.experiment import Design, Experiment
from verify.errors import InputError
from verify.measured.stored import StoredRun, StoredRuns

if TYPE_CHECKING:
    from empirics.runs import Run, RunStore

PACKAGED = "runs.jsonl"
"""The file in a paper's folder that holds its packaged runs, as 'moelaws runs export' writes it."""
DEFAULT_STORE = Path("moelaws-runs.db")
STORE_VARIABLE = "MOELAWS_RUNS"
_AGREE = 1e-6
"""How far apart, relative to them, two values of one run may lie: other processors round otherwise."""


def chosen_store(named: Path | None) -> Path:
    """The store that a user named, or else $MOELAWS_RUNS, or moelaws-runs.db here.

    InputError where a named one is not there; the others may be absent, which is as good as empty.
    """
    if named is not None and not named.exists():
        raise InputError(
            f"{named}: there is no run store; 'moelaws sweep' or 'moelaws runs import' starts one"
        )
    return named or Path(os.environ.get(STORE_VARIABLE) or DEFAULT_STORE)


class RunSources:
    """The packaged runs of one paper and, after them, a store: a `RunSource` that reads each once, when first asked.

    ``folder`` is the paper's; a folder without packaged runs and a store that is not there hold nothing. Asking
    raises InputError where a packaged record was altered or a store is damaged: nothing is read from either.
    """

    def __init__(self, folder: Path | None, store: Path | None = None) -> None:
        self.folder, self.store = folder, store
        self._packaged: list[Run] | None = None
        self._opened: RunStore | None = None
        self._by_name: dict[str, dict[tuple[str, int | None], list[tuple[str, Run]]]] = {}

    def stored(self, experiment: Experiment, design: Design) -> StoredRuns:
        """At each size and seed of a design the first finished run; packaged ones come first."""
        if not (named := self._named(type(experiment).__name__)):
            return StoredRuns()
        from empirics.runs import RunError
        from empirics.sweeps import Job

        found: list[StoredRun] = []
        left_aside, contradiction = 0, ""
        for size in design.sizes:
            try:
                planned = Job(experiment, size, design.seeds[0]).planned()
            except RunError:  # a run that cannot be recorded is in no store
                return StoredRuns()
            for seed in design.seeds:
                runs = named.get((planned.config_hash, seed), [])
                ours = [
                    StoredRun(size, seed, run.loss, run.identity[:12], store)
                    for store, run in runs
                    if run.code == planned.code and run.finished is not None
                ]
                left_aside += sum(run.code != planned.code for _, run in runs)
                contradiction = contradiction or _contradiction(ours)
                found += ours[:1]
        return StoredRuns(tuple(found), left_aside, contradiction)

    def _named(self, name: str) -> dict[tuple[str, int | None], list[tuple[str, Run]]]:
        """The runs of the experiments of one name, by configuration and seed, each with its store."""
        if name not in self._by_name:
            known = self._by_name[name] = {}
            for store, runs in self._read(name):
                for run in runs:
                    known.setdefault((run.config_hash, run.seed), []).append((store, run))
        return self._by_name[name]

    def _read(self, name: str) -> Iterator[tuple[str, Sequence[Run]]]:
        if self.folder is not None and (path := self.folder / PACKAGED).exists():
            with _in_one_line():
                from empirics.runs import read_records

                self._packaged = self._packaged or read_records(path, unsealed_too=False)
            yield PACKAGED, [run for run in self._packaged if run.name == name]
        if self.store is not None and self.store.exists():
            with _in_one_line():
                from empirics.runs import RunStore

                self._opened = self._opened or RunStore(self.store, create=False)
                found = [item.run for item in self._opened.runs(f"name = '{name}'")]
            yield str(self.store), found


@contextmanager
def _in_one_line() -> Iterator[None]:
    from empirics.runs import RunError

    try:
        yield
    except RunError as problem:
        raise InputError(str(problem)) from None


def _contradiction(runs: Sequence[StoredRun]) -> str:
    for other in runs[1:]:
        if not _agree(runs[0].value, other.value):
            both = " and ".join(f"{run.value} (run {run.record} in {run.store})" for run in (runs[0], other))
            return f"at size {other.size}, seed {other.seed} the same code found {both}"
    return ""


def _agree(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=_AGREE)
