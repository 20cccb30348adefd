"""What a check of measured values stands on: runs that stores hold, and where they are cheap the ones made here."""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

import numpy as np

from empirics.base.provenance import source_digest
from empirics.experiments.experiment import Design, Experiment, check_words, measure_once
from verify.checks.base import Budget, Check
from verify.errors import InputError
from verify.measured.statistics import Floats
from verify.measured.stored import MADE, STORED_RUNS, RunSource, StoredRuns
from verify.verdicts import Evidence, Grade, Verdict


@dataclass(frozen=True)
class FromRuns(Check):
    """A check that needs one value of an experiment at every size and seed of a design.

    ``design`` is the quick one, ``full`` that of ``--profile full``. `with_runs` puts in ``stored``, what a paper's stores
    hold. What is lacking is made here where the experiment is ``cheap``; else the claim is NOT_TESTABLE until a
    sweep has made it. NOT_TESTABLE, too, where a run came to no finite value; ERROR where stored runs contradict each other.
    """

    experiment: Experiment
    _: KW_ONLY
    design: Design
    full: Design | None = None
    stored: StoredRuns = field(default_factory=StoredRuns)

    def validate(self) -> None:
        name = type(self).__name__
        if not isinstance(self.experiment, Experiment):
            raise InputError(f"{name}: experiment={self.experiment!r}, expected an empirics.Experiment")
        try:
            check_words(self.experiment)
        except ValueError as problem:
            raise InputError(f"{name}: {problem}") from None

    def with_runs(self, source: RunSource, budget: Budget) -> FromRuns:
        return replace(self, stored=source.stored(self.experiment, self.design_of(budget)))

    def changed(self, changes: Mapping[str, Any]) -> Check:
        return super().changed(
            {"stored": StoredRuns(), **changes}
        )  # they are those of this experiment and design

    def design_of(self, budget: Budget) -> Design:
        """The design that a budget allows."""
        return self.full if budget.full and self.full else self.design

    def lacking(self, budget: Budget) -> list[tuple[int, int]]:
        """The sizes and seeds of the design that ``stored`` has no run of."""
        design, there = self.design_of(budget), {(run.size, run.seed) for run in self.stored.runs}
        return [place for place in itertools.product(design.sizes, design.seeds) if place not in there]

    def evidence(self, budget: Budget) -> Iterable[Evidence]:
        design, lacking = self.design_of(budget), self.lacking(budget)
        if few := self.too_few(design):
            yield not_testable(few)
        elif self.stored.contradiction:
            said = f"stored runs contradict each other: {self.stored.contradiction}"
            yield Evidence(Verdict.ERROR, Grade.STATISTICAL, said)
        elif lacking and not self.experiment.cheap:
            yield not_testable(self._in_no_store(len(lacking), design), missing=STORED_RUNS)
        elif lacking and (module := self.experiment.missing()):
            yield not_testable(f"the experiment needs the module {module}", missing=module)
        else:
            yield self._of_values(design, lacking)

    @abstractmethod
    def too_few(self, design: Design) -> str:
        """Why a design is too small to be judged, or an empty string."""

    @abstractmethod
    def judged(self, design: Design, values_SN: Floats) -> Evidence:
        """The evidence of the values, one row a seed and one column a size."""

    def _of_values(self, design: Design, lacking: Iterable[tuple[int, int]]) -> Evidence:
        values = {(run.size, run.seed): run.value for run in self.stored.runs}
        values |= {place: measure_once(self.experiment, *place) for place in lacking}
        rows = [[values[size, seed] for size in design.sizes] for seed in design.seeds]
        values_SN = np.array(rows, dtype=float)  # None, of a run that diverged, becomes nan
        if not np.all(np.isfinite(values_SN)):
            row, column = np.argwhere(~np.isfinite(values_SN))[0]
            place = f"at size {design.sizes[column]}, seed {design.seeds[row]}"
            return not_testable(f"{type(self.experiment).__name__} came to no finite value {place}")
        return self.judged(design, values_SN)

    def _in_no_store(self, lacking: int, design: Design) -> str:
        needed, aside = len(design.sizes) * len(design.seeds), self.stored.left_aside
        other = f"; {aside} of another version of the code {'was' if aside == 1 else 'were'} left aside"
        return (
            f"{lacking} of the {needed} runs of {type(self.experiment).__name__} that this needs are in no store, "
            f"and they are too expensive to be made here{other if aside else ''}"
        )

    def runs_used(self, design: Design) -> dict[str, Any]:
        """For evidence: where each value comes from, a list for each size, and by which code."""
        stored = {(run.size, run.seed): f"{run.record} in {run.store}" for run in self.stored.runs}
        return {
            "runs": [[stored.get((size, seed), MADE) for seed in design.seeds] for size in design.sizes],
            "code": self._code(),
            "left_aside": self.stored.left_aside,
        }

    def _code(self) -> str:
        try:
            return source_digest(type(self.experiment).__module__)[:12]
        except LookupError:  # defined at a prompt: its source is nowhere
            return ""


def not_testable(finding: str, *, missing: str = "") -> Evidence:
    """What is said where nothing can be measured, or what was measured has no meaning."""
    return Evidence(Verdict.NOT_TESTABLE, Grade.STATISTICAL, finding, missing=missing)
