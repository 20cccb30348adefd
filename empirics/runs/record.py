"""The one schema of a measured run, whoever measured it: what was trained, on what, and how it ended.

A field that is not known is absent, never guessed. Losses are in the run's own `Run.unit`; budgets
are in parameters, tokens, samples and FLOPs.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    FiniteFloat,
    JsonValue,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError

from empirics.base.provenance import canonical_json, digest
from theory.errors import MoelawsError

SCHEMA = 1

Count = Annotated[int, Field(ge=0)]
Amount = Annotated[FiniteFloat, Field(ge=0)]
Whole = Annotated[Amount, AfterValidator(lambda value: _whole(value))]
Words = Annotated[str, Field(min_length=1)]


class RunError(MoelawsError):
    """A run, a store or a sweep that cannot be read or written; its text is one complete, readable line."""

    def __init__(self, text: str) -> None:
        super().__init__(_one_line(text))


def why(problem: BaseException) -> str:
    """An exception in one line: its type and what it says."""
    said = _one_line(str(problem))
    return f"{type(problem).__name__}: {said}" if said else type(problem).__name__


def _one_line(text: str) -> str:
    return " ".join(line.strip() for line in text.splitlines())


def _finite(value: Any, place: str = "") -> Any:
    """The same JSON value; an error names the first number in it that is not finite, which JSON cannot hold."""
    if isinstance(value, float) and not math.isfinite(value):
        raise PydanticCustomError(
            "not_finite", "its {place} is {value}, expected a finite number", {"place": place, "value": value}
        )
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in parts:
        _finite(part, f"{place}.{name}" if place else str(name))
    return value


def _whole(value: float) -> float:
    if value != int(value):
        raise PydanticCustomError(
            "not_whole", "it counts something, so expected a whole number, got {value}", {"value": value}
        )
    return value


Config = Annotated[dict[str, JsonValue], AfterValidator(_finite)]


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Architecture(_Record):
    """What was trained. ``kind`` names the family, such as ``moe-transformer`` or ``constructive-moe``."""

    kind: Words
    layers: Count | None = None
    d_model: Count | None = None
    d_ff: Count | None = None
    heads: Count | None = None
    experts: Count | None = None
    active: Count | None = None
    shared_experts: Count | None = None
    sequence: Count | None = None
    vocabulary: Count | None = None


class Budgets(_Record):
    """What was spent: parameters (active ones per token), training tokens or samples, training FLOPs."""

    active_parameters: Whole | None = None
    total_parameters: Whole | None = None
    tokens: Whole | None = None
    samples: Whole | None = None
    flops: Amount | None = None


class Data(_Record):
    """What it was trained on; dimension and smoothness only where they are known by construction."""

    name: Words
    dimension: Amount | None = None
    smoothness: Amount | None = None
    noise: Amount | None = None


class Point(_Record):
    """One point of a loss curve."""

    loss: FiniteFloat
    step: Count | None = None
    tokens: Amount | None = None


class Run(_Record):
    """One measured run.

    ``loss`` is the final loss, None where it is not known or where training `diverged`; ``not_finite`` says that a source
    gives nan or an infinity for it. ``code`` is a digest of the code that measured it, empty for an imported run. Two runs of equal `identity` measured the same
    thing with the same seed and code, so they must agree.
    """

    name: Words
    unit: Words
    architecture: Architecture
    data: Data
    source: Words
    budgets: Budgets = Budgets()
    config: Config = Field(default_factory=dict)
    seed: int | None = None
    loss: FiniteFloat | None = None
    not_finite: bool = False
    results: dict[str, FiniteFloat | None] = Field(default_factory=dict)
    curve: tuple[Point, ...] = ()
    code: str = ""
    hardware: str = ""
    seconds: Amount | None = None
    finished: datetime | None = None

    @model_validator(mode="after")
    def _one_outcome(self) -> Self:
        if self.not_finite and self.loss is not None:
            raise PydanticCustomError(
                "two_outcomes", "not_finite beside a loss that is finite; leave one out"
            )
        return self

    @property
    def config_hash(self) -> str:
        """A digest of everything that was decided before the run, but for the seed and the code."""
        decided = self.model_dump(
            mode="json", include={"name", "unit", "architecture", "data", "budgets", "config"}
        )
        return digest(decided)

    @property
    def identity(self) -> str:
        """A digest of configuration, seed, code and source: what a rerun shares with the first run."""
        return digest([self.config_hash, self.seed, self.code, self.source])

    @property
    def diverged(self) -> bool:
        """Whether the run came to no finite loss: one that was measured here and has none, or one whose source says so."""
        return self.loss is None and (bool(self.code) or self.not_finite)

    @property
    def outcome(self) -> str:
        """A digest of what was found, without the circumstances (hardware, seconds, date)."""
        found = self.model_dump(mode="json", include={"loss", "results", "curve"})
        return digest(found | ({"not_finite": True} if self.not_finite else {}))

    def text(self) -> str:
        """The run as canonical JSON; `read_run` is its inverse."""
        return canonical_json(self.model_dump(mode="json", exclude_defaults=True))

    def sealed_text(self) -> str:
        """The same with a digest of it, for a file that travels; `read_sealed_run` is its inverse."""
        return canonical_json({**json.loads(self.text()), "digest": digest(json.loads(self.text()))})


def read_run(text: str, where: str) -> Run:
    """The run that a JSON text holds; RunError says which field is wrong and what was expected."""
    with refused_in_a_line(where):
        return Run.model_validate_json(text)


def read_sealed_run(text: str, where: str, *, unsealed_too: bool = False) -> Run:
    """The run of a JSON text that holds its digest; RunError where it is not as it was written.

    ``unsealed_too`` takes a text without a digest as well, such as a record of somebody else's.
    """
    given = None
    with suppress(ValueError, RecursionError):  # `read_run` says what is wrong with it
        record = json.loads(text)
        if isinstance(record, dict) and "digest" in record:
            given = record.pop("digest")
            text = json.dumps(record)
    run = read_run(text, where)
    if given is None and not unsealed_too:
        raise RunError(f"{where}: the record has no digest; write the file with 'moelaws runs export'")
    if given not in (None, digest(json.loads(run.text()))):
        raise RunError(
            f"{where}: the record was altered after it was written: its digest does not fit. Export it again from its "
            "store, or import it without its digest if the change is meant"
        )
    return run


@contextmanager
def refused_in_a_line(where: str) -> Iterator[None]:
    """Where a record is not built for its fields, RunError says which one is wrong and what was expected."""
    try:
        yield
    except ValidationError as problem:
        first = problem.errors()[0]
        field = ".".join(map(str, first["loc"])) or "the record"
        said = first["type"] in ("missing", "json_invalid", "not_finite", "not_whole")
        given = "" if said else f", got {_short(repr(first['input']))}"
        more = f" (and {problem.error_count() - 1} more)" if problem.error_count() > 1 else ""
        raise RunError(
            f"{where}: {field}: {first['msg'][:1].lower()}{first['msg'][1:]}{given}{more}"
        ) from None


def _short(text: str) -> str:
    return text if len(text) <= 100 else f"{text[:97]}..."
