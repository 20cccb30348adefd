"""What a measured claim has to show: the measurements, the estimate with its intervals, and what a design like this can tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from verify.details import NULLABLE, Details


@dataclass(frozen=True)
class ExactValue:
    """An exact number as it reads, and to six digits."""

    text: str
    value: str


@dataclass(frozen=True)
class RivalValue:
    """A value that the claim must be told apart from."""

    name: str
    text: str
    value: str


@dataclass(frozen=True)
class NextTerm:
    """The coefficient that bends the line, or tilts the level."""

    estimate: str
    interval_95: Sequence[str]
    change_at_the_ends: str


@dataclass(frozen=True)
class DesignPower:
    """The chance of SUPPORTED where the prediction is true, and of REFUTED where the nearest rival is."""

    support: str
    refute: str
    rival: str


@dataclass(frozen=True)
class MeasuredSeries:
    """The measured values, a list a size, and what follows from them; numbers are texts to six digits."""

    direction: str
    quantity: str
    size: str
    sizes: Sequence[int]
    seeds: Sequence[int]
    values: Sequence[Sequence[str]]
    runs: Sequence[Sequence[str]]
    """Where each value comes from: a stored run and its store, or made while judging."""
    code: str
    left_aside: int
    estimate: str
    error: str
    degrees: str
    interval_90: Sequence[str]
    interval_95: Sequence[str]
    uneven_90: Sequence[str]
    uneven_95: Sequence[str]
    by_seed: Sequence[str]
    predicted: ExactValue
    relation: str
    tolerance: ExactValue
    allowed: Sequence[str]
    rivals: Sequence[RivalValue]
    next_term: NextTerm | None = field(metadata=NULLABLE)


@dataclass(frozen=True)
class Measurements(Details):
    """The two p-values on which a verdict rests, the power of the design, and the measured series."""

    figure: ClassVar[str] = "measured"

    p_support: str
    p_refute: str
    power: DesignPower
    measured: MeasuredSeries
