"""What a sweep is made of: runs to be made, each with the record that it will have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from empirics.base.provenance import source_digest, version_of
from empirics.experiments.experiment import Description, Experiment
from empirics.runs.record import Architecture, Budgets, Data, Run, RunError, refused_in_a_line, why


@dataclass(frozen=True)
class Job:
    """One run to be made."""

    experiment: Experiment
    size: int
    seed: int

    def planned(self) -> Run:
        """The run as far as it is known before it is made; its identity is the finished run's.

        RunError where the experiment describes it wrongly, or a field of it has no place in a record.
        """
        kind, said = type(self.experiment), self._description()
        with refused_in_a_line(str(self)):
            return Run(
                name=kind.__name__,
                unit=kind.quantity,
                source=f"moelaws {version_of('moelaws')}",
                architecture=Architecture.model_validate(dict(said.architecture)),
                data=Data.model_validate(dict(said.data)),
                budgets=Budgets.model_validate(dict(said.budgets)),
                config={**self.experiment.configuration(), "size": self.size},
                seed=self.seed,
                code=self._code(),
            )

    def _code(self) -> str:
        try:
            return source_digest(type(self.experiment).__module__)
        except LookupError as problem:
            raise RunError(f"{self}: {problem.args[0]}; define the experiment in a file") from None

    def _description(self) -> Description:
        try:
            said = self.experiment.describe(self.size)
        except Exception as problem:
            raise RunError(f"{self}: its describe({self.size}) raises {why(problem)}") from None
        if not isinstance(said, Description):
            raise RunError(
                f"{self}: its describe({self.size}) gives {said!r}; expected an empirics.Description"
            )
        return said

    def __str__(self) -> str:
        return f"{self.experiment} at size {self.size}, seed {self.seed}"


@dataclass(frozen=True)
class Sweep:
    """Runs to be made, in order.

    ``name`` is what messages call it. ``again`` plans the same jobs in another process, which has loaded none of the
    experiments: their classes may come from files that no module name leads to.
    """

    name: str
    jobs: tuple[Job, ...]
    again: Callable[[], Sweep]
