"""What a sweep file asks for: an experiment, what stays fixed, what varies, and the runs that follow from it.

    experiment = "empirics.experiments.known_truth.risk:TunedRisk"   # or "file.py:Class", beside the sweep file

    [fixed]
    world = { kind = "MaternTorus", d = 1, beta = 0.5, points = 4096 }
    degree = 0

    [grid]
    noise = [0.5, 1.0]
    size = { from = 64, to = 4096, factor = 2 }
    seed = { from = 0, count = 5 }

``size`` and ``seed`` are the arguments of `Experiment.measure`, every other name is a field of the experiment. A table
with a ``kind`` stands for the frozen dataclass of that name in the experiment's module, or in one that it imports from.
"""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import inspect
import itertools
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from empirics.base.provenance import digest, forget_sources
from empirics.experiments.experiment import Experiment, check_words
from empirics.runs.exchange import read_toml
from empirics.runs.record import RunError, why
from empirics.sweeps.job import Job, Sweep
from theory.errors import suggest

_MOST = 1_000_000


def read_sweep(path: Path) -> Sweep:
    """The sweep of a TOML file; RunError names the file, the entry, and what was expected."""
    data = read_toml(path)
    if unknown := sorted(set(data) - {"experiment", "fixed", "grid"}):
        raise RunError(f"{path}: unknown entry {unknown[0]!r}; expected experiment, [fixed] and [grid]")
    kind = _experiment(data.get("experiment"), path)
    build = partial(_field, kind=kind, path=path)
    varied = {name: _values(name, value, path, build) for name, value in _table(data, "grid", path).items()}
    fixed = {name: (build(name, value),) for name, value in _table(data, "fixed", path).items()}
    if both := sorted(set(varied) & set(fixed)):
        raise RunError(f"{path}: {both[0]!r} is both in [fixed] and in [grid]")
    choices = {**fixed, **varied}
    _check_names(choices, kind, path)
    if (count := math.prod(map(len, choices.values()))) > _MOST:
        raise RunError(f"{path}: it asks for {count:,} runs; expected at most {_MOST:,}, so split it")
    return Sweep(str(path), tuple(_jobs(kind, choices, path)), partial(read_sweep, path))


def _jobs(kind: type[Experiment], choices: Mapping[str, Sequence[Any]], path: Path) -> Iterator[Job]:
    seen = set()
    for values in itertools.product(*choices.values()):
        chosen = dict(zip(choices, values, strict=True))
        size, seed = chosen.pop("size"), chosen.pop("seed")
        if size < 1 or seed < 0:
            raise RunError(f"{path}: size = {size}, seed = {seed}; expected sizes from 1, seeds from 0")
        try:
            experiment = kind(**chosen)
            check_words(experiment)
        except Exception as problem:
            raise RunError(f"{path}: {kind.__name__} refuses {chosen}: {why(problem)}") from None
        job = Job(experiment, size, seed)
        if job in seen:
            raise RunError(f"{path}: {job} is asked for twice; give every value of [grid] once")
        seen.add(job)
        try:
            job.planned()  # what is wrong with it shows here and not in the middle of the sweep
        except RunError as problem:
            raise RunError(f"{path}: {problem}") from None
        yield job


def _check_names(choices: Iterable[str], kind: type[Experiment], path: Path) -> None:
    known = [f.name for f in dataclasses.fields(kind) if f.init] + ["size", "seed"]
    _check_known(choices, known, f"{path}: {kind.__name__}")
    for name in [*_needed(kind), "size", "seed"]:
        if name not in choices:
            raise RunError(f"{path}: {name!r} is missing; give it in [fixed] or in [grid]")


def _check_known(names: Iterable[str], known: list[str], where: str) -> None:
    for name in names:
        if name not in known:
            raise RunError(f"{where} has no {name!r}, expected {', '.join(known)}.{suggest(name, known)}")


def _needed(kind: type[Any]) -> list[str]:
    """The fields that have no default."""
    missing = dataclasses.MISSING
    return [
        f.name
        for f in dataclasses.fields(kind)
        if f.init and f.default is missing and f.default_factory is missing
    ]


def _experiment(given: Any, path: Path) -> type[Experiment]:
    if not isinstance(given, str) or given.count(":") != 1:
        raise RunError(f'{path}: experiment = {given!r}; expected "module:Class" or "file.py:Class"')
    home, name = given.split(":")
    try:
        module = _from_file(path.parent / home) if home.endswith(".py") else importlib.import_module(home)
    except (Exception, SystemExit) as problem:
        raise RunError(f"{path}: experiment {home!r} cannot be imported: {why(problem)}") from None
    kind = getattr(module, name, None)
    if not (isinstance(kind, type) and issubclass(kind, Experiment) and dataclasses.is_dataclass(kind)):
        offered = [
            n
            for n, v in vars(module).items()
            if isinstance(v, type) and issubclass(v, Experiment) and v is not Experiment
        ]
        raise RunError(
            f"{path}: {home} has no experiment {name!r}; it has {', '.join(offered) or 'none'} "
            "(an experiment is a frozen dataclass derived from empirics.experiments.experiment.Experiment)"
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


def _values(name: str, given: Any, path: Path, build: Callable[[str, Any], Any]) -> Sequence[Any]:
    """The values of one name of the grid: a list, or a range by factor or by count."""
    where = f"{path}: {name} = {given!r}"
    if isinstance(given, list) and given:
        return tuple(build(name, value) for value in given)
    if isinstance(given, dict) and all(type(value) is int for value in given.values()):
        if set(given) == {"from", "count"} and given["count"] > 0:
            if given["count"] > _MOST:
                raise RunError(f"{where}; expected a count of at most {_MOST:,}")
            return tuple(build(name, given["from"] + i) for i in range(given["count"]))
        if set(given) == {"from", "to", "factor"} and given["factor"] > 1 and given["from"] > 0:
            if given["from"] > given["to"]:
                raise RunError(f"{where} holds no value; expected one in which 'from' is at most 'to'")
            powers = (given["from"] * given["factor"] ** power for power in itertools.count())
            return tuple(build(name, v) for v in itertools.takewhile(lambda v: v <= given["to"], powers))
    raise RunError(
        f"{where}; expected a list, {{ from = 0, count = 5 }} or {{ from = 16, to = 4096, factor = 2 }}"
    )


def _field(name: str, given: Any, *, kind: type[Experiment], path: Path) -> Any:
    """The value of one name of [fixed] or [grid], as the experiment's field or ``measure`` takes it."""
    declared = {f.name: f.type for f in dataclasses.fields(kind)} | {"size": int, "seed": int}
    return _of_type(_built(given, kind=kind, path=path), declared.get(name), f"{path}: {name}")


def _built(given: Any, *, kind: type[Experiment], path: Path) -> Any:
    """A value as a field holds it: lists become tuples, and tables the frozen dataclass that their ``kind`` names."""
    build = partial(_built, kind=kind, path=path)
    if isinstance(given, list):
        return tuple(map(build, given))
    if not isinstance(given, dict):
        return given
    offered, name = _offered(kind), given.get("kind")
    if name not in offered:
        raise RunError(
            f"{path}: {given} has the kind {name!r}; expected one of {', '.join(offered) or 'none'} "
            f"(frozen dataclasses that the module of {kind.__name__} sees).{suggest(str(name), offered)}"
        )
    values = {field: build(value) for field, value in given.items() if field != "kind"}
    made = offered[name]
    fields = {f.name: f.type for f in dataclasses.fields(made) if f.init}
    _check_known(values, list(fields), f"{path}: {name}")
    for field in _needed(made):
        if field not in values:
            raise RunError(f"{path}: {name}: {field!r} is missing; expected {', '.join(fields)}")
    for field, value in values.items():
        values[field] = _of_type(value, fields[field], f"{path}: {name}: {field}")
    try:
        return made(**values)
    except Exception as problem:
        raise RunError(f"{path}: {name} refuses {values}: {why(problem)}") from None


def _of_type(value: Any, declared: Any, where: str) -> Any:
    """The value, as a float where one is declared (so that 1 and 1.0 are one configuration)."""
    wanted = declared if isinstance(declared, str) else getattr(declared, "__name__", "")
    if wanted == "float" and type(value) is int and abs(value) <= sys.float_info.max:
        return float(value)
    if wanted in ("bool", "float", "int", "str") and type(value).__name__ != wanted:
        raise RunError(f"{where} = {value!r}; expected {'a number' if wanted == 'float' else wanted}")
    if isinstance(value, float) and not math.isfinite(value):
        raise RunError(f"{where} = {value!r}; expected a finite number")
    return value


def _offered(kind: type[Experiment]) -> dict[str, type[Any]]:
    """The frozen dataclasses that are defined in the experiment's module or in a module that it imports from."""
    home = sys.modules[kind.__module__]
    sources = {getattr(value, "__module__", None) for value in vars(home).values()}
    found: dict[str, type[Any]] = {}
    for module in [*sorted(source for source in sources if isinstance(source, str)), kind.__module__]:
        for name, value in vars(sys.modules[module]).items() if module in sys.modules else ():
            frozen = isinstance(value, type) and getattr(value, "__dataclass_params__", None)
            if (
                frozen
                and frozen.frozen
                and not inspect.isabstract(value)
                and not issubclass(value, Experiment)
            ):
                found[name] = value
    return dict(sorted(found.items()))
