"""What an experiment is: a frozen configuration that measures one number at a size, under a seed.

`verify.MeasuredExponent` and `verify.MeasuredLevel` judge claims about such numbers. To measure is not to judge:
nothing here knows what is claimed.
"""

from __future__ import annotations

__all__ = ["Description", "Design", "Experiment", "Measurement"]

import importlib.util
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import lru_cache
from typing import Any, ClassVar

from theory.errors import MoelawsError


@dataclass(frozen=True)
class Description:
    """What an experiment trains on what at one size, in plain data; what is not known is left out or None.

    The entries are fields of the three parts of a run's record (in ``empirics.runs``): what was trained, on what, and at
    what cost in parameters, tokens, samples and FLOPs.
    """

    architecture: Mapping[str, Any]
    data: Mapping[str, Any]
    budgets: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("architecture", "data", "budgets"):
            if not isinstance(given := getattr(self, name), Mapping):
                raise MoelawsError(
                    f"Description: {name}={given!r}, expected a mapping such as {{'kind': 'moe-transformer'}}"
                )


@dataclass(frozen=True)
class Experiment(ABC):
    """One measured quantity as a function of one size, all else fixed.

    Subclasses are frozen dataclasses. Their fields are the configuration (hashable values: numbers, strings,
    tuples, frozen dataclasses) and are part of what evidence is cached under, together with the code.
    ``quantity`` and ``size`` say in words, with units in brackets, what is measured against what; reports show
    them. ``needs`` names the optional modules it imports: without them a claim is NOT_TESTABLE, not false.

    ``cheap`` says that a claim may make the runs it lacks while it is judged. Set it to False where a run takes long or
    needs a large machine: such a claim is judged from stored runs, or is NOT_TESTABLE until a sweep has made them.
    """

    quantity: ClassVar[str]
    size: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ()
    cheap: ClassVar[bool] = True

    @abstractmethod
    def measure(self, size: int, seed: int) -> float:
        """The quantity at this size; equal arguments give equal values, whatever ran before.

        A seed is one replicate. It may draw what all sizes share (a target, a data distribution) and what they
        do not (samples, noise, initial weights), the latter from ``numpy.random.default_rng([seed, size])``.
        Values under different seeds must be independent; values under one seed need not be.
        """

    def describe(self, size: int) -> Description:
        """What is trained on what at this size, for the record of a run."""
        return Description({"kind": type(self).__name__}, {"name": "as configured"})

    def configuration(self) -> dict[str, Any]:
        """The fields as JSON values: dataclasses by their kind and fields, what is no JSON value as its text."""
        return {f.name: _as_json(getattr(self, f.name)) for f in fields(self)}

    def missing(self) -> str:
        """The first module of ``needs`` that is not installed, or an empty string."""
        return next((name for name in self.needs if importlib.util.find_spec(name) is None), "")


def _as_json(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_as_json(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {
            "kind": type(value).__name__,
            **{f.name: _as_json(getattr(value, f.name)) for f in fields(value)},
        }
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


@dataclass(frozen=True)
class Measurement:
    """One value, and where it was measured."""

    size: int
    seed: int
    value: float


@dataclass(frozen=True)
class Design:
    """Where an experiment is run: every size under every seed. It is stated before the run.

    Sizes are distinct positive integers; seeds are distinct. Geometric spacing of sizes tells most about an
    exponent, and at least five seeds let its error be taken from seed to seed.
    """

    sizes: Sequence[int]
    seeds: Sequence[int]

    def __post_init__(self) -> None:
        for name in ("sizes", "seeds"):
            values = tuple(getattr(self, name))
            object.__setattr__(self, name, values)
            if not values or len(set(values)) < len(values) or any(type(v) is not int for v in values):
                raise MoelawsError(f"Design: {name}={values!r}, expected distinct integers, at least one")
        if min(self.sizes) < 1 or min(self.seeds) < 0:
            raise MoelawsError(
                f"Design: sizes={self.sizes}, seeds={self.seeds}; expected sizes from 1 and seeds from 0"
            )


def run(experiment: Experiment, sizes: Sequence[int], seeds: Sequence[int]) -> tuple[Measurement, ...]:
    """Measure at every size under every seed, sizes outermost; what this process has measured is not repeated.

    Raises ValueError for a bad design, an experiment without words, or a value that is not a finite number.
    """
    design = Design(sizes, seeds)
    check_words(experiment)
    return tuple(
        Measurement(size, seed, _finite(experiment, size, seed))
        for size in design.sizes
        for seed in design.seeds
    )


def check_words(experiment: Experiment) -> None:
    """ValueError unless the experiment can be hashed and says what it measures."""
    name = type(experiment).__name__
    for word in ("quantity", "size"):
        if not str(getattr(experiment, word, "")).strip():
            raise MoelawsError(
                f'{name}.{word} is empty; say in words what it is, e.g. {word}: ClassVar[str] = "... [unit]"'
            )
    try:
        hash(experiment)
    except TypeError as problem:
        raise MoelawsError(
            f"{name}: its fields must be hashable (tuples, not lists or mappings): {problem}"
        ) from None


def _finite(experiment: Experiment, size: int, seed: int) -> float:
    value = measure_once(experiment, size, seed)
    if not math.isfinite(value):
        raise MoelawsError(
            f"{type(experiment).__name__}.measure({size}, {seed}) gave {value}, expected a finite number"
        )
    return value


@lru_cache(maxsize=65536)
def measure_once(experiment: Experiment, size: int, seed: int) -> float:
    """The experiment's value, finite or not; what this process has measured is not measured again."""
    return float(experiment.measure(size, seed))
