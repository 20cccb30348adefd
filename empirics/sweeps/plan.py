"""What a sweep file asks for: an experiment, what stays fixed, what varies, and the runs that follow from it.

    experiment = "empirics.known_truth:CellExperts"   # or "file.py:Class", beside the sweep file

    [fixed]
    dimension = 2

    [grid]
    smoothness = [0.5, 1.5]
    size = { from = 16, to = 4096, factor = 2 }
    seed = { from = 0, count = 5 }

``size`` and ``seed`` are the arguments of `Experiment.measure`, every other name is a field of the experiment.
"""

from __future__ import annotations

import dataclasses
import difflib
import importlib
import importlib.util
import itertools
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from empirics.experiment import Experiment, check_words
from empirics.provenance import digest, forget_sources, source_digest, version_of
from empirics.runs.record import Architecture, Budgets, Data, Run, RunError


@dataclass(frozen=True)
class Description:
    """What an experiment says of its runs at one size: the answer of its optional method ``describe(size)``."""

    architecture: Architecture
    data: Data
    budgets: Budgets


@dataclass(frozen=True)
class Job:
    """One run to be made."""

    experiment: Experiment
    size: int
    seed: int

    def planned(self) -> Run:
        """The run as far as it is known before it is made; its identity is the finished run's."""
        kind = type(self.experiment)
        describe = getattr(self.experiment, "describe", None)
        said = (
            describe(self.size)
            if describe
            else Description(Architecture(kind=kind.__name__), Data(name="as configured"), Budgets())
        )
        fields = {f.name: getattr(self.experiment, f.name) for f in dataclasses.fields(self.experiment)}
        return Run(
            name=kind.__name__,
            unit=kind.quantity,
            source=f"moelaws {version_of('moelaws')}",
            architecture=said.architecture,
            data=said.data,
            budgets=said.budgets,
            config={**{name: _as_json(value) for name, value in fields.items()}, "size": self.size},
            seed=self.seed,
            code=source_digest(kind.__module__),
        )

    def __str__(self) -> str:
        return f"{self.experiment} at size {self.size}, seed {self.seed}"


@dataclass(frozen=True)
class Sweep:
    """A sweep file's jobs in the order of its grid, the last name varying fastest."""

    path: Path
    jobs: tuple[Job, ...]


def read_sweep(path: Path) -> Sweep:
    """The sweep of a TOML file; RunError names the file, the entry, and what was expected."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RunError(f"{path}: not found") from None
    except (OSError, UnicodeDecodeError) as problem:
        raise RunError(f"{path}: cannot be read: {problem}") from None
    except tomllib.TOMLDecodeError as problem:
        raise RunError(f"{path}: not valid TOML: {problem}") from None
    if unknown := sorted(set(data) - {"experiment", "fixed", "grid"}):
        raise RunError(f"{path}: unknown entry {unknown[0]!r}; expected experiment, [fixed] and [grid]")
    kind = _experiment(data.get("experiment"), path)
    varied = {name: _values(name, value, path) for name, value in _table(data, "grid", path).items()}
    fixed = {name: (_hashable(value),) for name, value in _table(data, "fixed", path).items()}
    if both := sorted(set(varied) & set(fixed)):
        raise RunError(f"{path}: {both[0]!r} is both in [fixed] and in [grid]")
    choices = {**fixed, **varied}
    _check_names(choices, kind, path)
    return Sweep(path, tuple(_jobs(kind, choices, path)))


def _jobs(kind: type[Experiment], choices: Mapping[str, tuple[Any, ...]], path: Path) -> Iterator[Job]:
    for values in itertools.product(*choices.values()):
        chosen = dict(zip(choices, values, strict=True))
        size, seed = chosen.pop("size"), chosen.pop("seed")
        if type(size) is not int or type(seed) is not int or size < 1 or seed < 0:
            raise RunError(
                f"{path}: size = {size!r}, seed = {seed!r}; expected integers, sizes from 1, seeds from 0"
            )
        try:
            experiment = kind(**chosen)
            check_words(experiment)
        except (TypeError, ValueError) as problem:
            raise RunError(f"{path}: {kind.__name__} refuses {chosen}: {problem}") from None
        yield Job(experiment, size, seed)


def _check_names(choices: Iterable[str], kind: type[Experiment], path: Path) -> None:
    fields = {f.name: f for f in dataclasses.fields(kind) if f.init}
    known = [*fields, "size", "seed"]
    for name in choices:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise RunError(f"{path}: {kind.__name__} has no {name!r}, expected {', '.join(known)}{hint}")
    needed = [
        name
        for name, f in fields.items()
        if f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING
    ]
    for name in [*needed, "size", "seed"]:
        if name not in choices:
            raise RunError(f"{path}: {name!r} is missing; give it in [fixed] or in [grid]")


def _experiment(given: Any, path: Path) -> type[Experiment]:
    if not isinstance(given, str) or given.count(":") != 1:
        raise RunError(f'{path}: experiment = {given!r}; expected "module:Class" or "file.py:Class"')
    home, name = given.split(":")
    try:
        module = _from_file(path.parent / home) if home.endswith(".py") else importlib.import_module(home)
    except Exception as problem:
        raise RunError(
            f"{path}: experiment {home!r} cannot be imported: {type(problem).__name__}: {problem}"
        ) from None
    kind = getattr(module, name, None)
    if not (isinstance(kind, type) and issubclass(kind, Experiment) and dataclasses.is_dataclass(kind)):
        offered = [
            n
            for n, v in vars(module).items()
            if isinstance(v, type) and issubclass(v, Experiment) and v is not Experiment
        ]
        raise RunError(
            f"{path}: {home} has no experiment {name!r}; it has {', '.join(offered) or 'none'} "
            "(an experiment is a frozen dataclass derived from empirics.experiment.Experiment)"
        )
    return kind


def _from_file(path: Path) -> Any:
    forget_sources()  # the file may have changed since this process last read one
    name = f"_sweep_{path.stem}_{digest(str(path.resolve()))[:12]}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up by name
    spec.loader.exec_module(module)
    return module


def _table(data: Mapping[str, Any], name: str, path: Path) -> dict[str, Any]:
    table = data.get(name, {})
    if not isinstance(table, dict):
        raise RunError(f"{path}: {name} = {table!r}; expected a table [{name}]")
    return table


def _values(name: str, given: Any, path: Path) -> tuple[Any, ...]:
    """The values of one name of the grid: a list, or a range by factor or by count."""
    if isinstance(given, list) and given:
        return tuple(map(_hashable, given))
    if isinstance(given, dict) and all(type(value) is int for value in given.values()):
        if set(given) == {"from", "count"} and given["count"] > 0:
            return tuple(range(given["from"], given["from"] + given["count"]))
        if set(given) == {"from", "to", "factor"} and given["factor"] > 1 and given["from"] > 0:
            powers = itertools.count()
            values = (given["from"] * given["factor"] ** power for power in powers)
            return tuple(itertools.takewhile(lambda value: value <= given["to"], values))
    raise RunError(
        f"{path}: {name} = {given!r}; expected a list, {{ from = 0, count = 5 }} or {{ from = 16, to = 4096, factor = 2 }}"
    )


def _hashable(value: Any) -> Any:
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


def _as_json(value: Any) -> Any:
    """A field as JSON: itself where it is that already, else its text."""
    if isinstance(value, tuple):
        return [_as_json(item) for item in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
