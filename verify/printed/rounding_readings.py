"""How a printed table may be read: its inputs and its outputs each under a rounding mode."""

from __future__ import annotations

__all__ = ["EVERY_READING", "Reading"]

from collections.abc import Sequence
from typing import NamedTuple

from verify.printed.numerals import ROUNDED, Rounding


class Reading(NamedTuple):
    """How to read a table: its inputs as printed or as rounded/truncated values, its outputs as digits of a mode."""

    inputs: Rounding
    outputs: Rounding

    @property
    def either_way(self) -> Reading:
        """This reading where every end of an interval may print as either neighbour, as binary floats print ties."""
        return Reading(self.inputs.either_way, self.outputs.either_way)

    def __str__(self) -> str:
        inputs = "inputs as printed" if self.inputs is Rounding.EXACT else f"inputs {self.inputs.value}"
        return f"{inputs}, outputs {self.outputs.value}"


EVERY_READING = tuple(Reading(i, o) for i in (Rounding.EXACT, *ROUNDED) for o in ROUNDED)
"""Inputs as printed or under any rounding mode, outputs under any rounding mode: twelve readings."""


def either_way(readings: Sequence[Reading]) -> tuple[Reading, ...]:
    """The same readings with ties either way, each once."""
    return tuple(dict.fromkeys(reading.either_way for reading in readings))


def output_modes(readings: Sequence[Reading]) -> list[str]:
    return list(dict.fromkeys(r.outputs.value for r in readings))


def either(modes: Sequence[str]) -> str:
    """Rounding modes in one phrase, ``rounded half up or half to even``."""
    return " or ".join(modes).replace(f"{Rounding.HALF_UP.value} or rounded", f"{Rounding.HALF_UP.value} or")


def describe_readings(explains: Sequence[Reading], tried: Sequence[Reading]) -> str:
    """The readings that explain a table, as briefly as they can be told apart from the others tried."""
    if len(explains) == len(tried) and tuple(tried) != either_way(tried):
        return "under every reading tried"
    modes = output_modes(explains)
    every_input = list(dict.fromkeys(r.inputs.value for r in tried))
    if len(every_input) > 1 and all(r.inputs is r.outputs for r in explains):
        return f"inputs and outputs alike {either(modes)}"
    alike: dict[str, list[str]] = {}
    for mode in modes:
        inputs = [r.inputs.value for r in explains if r.outputs.value == mode]
        alike.setdefault(_inputs_phrase(inputs, every_input), []).append(mode)
    return "; or ".join(f"{either(outputs)}{phrase}" for phrase, outputs in alike.items())


def _inputs_phrase(inputs: Sequence[str], tried: Sequence[str]) -> str:
    if list(inputs) == list(tried) or len(tried) == 1:
        return ""
    if Rounding.EXACT.value not in inputs and len(inputs) == len(tried) - 1:
        return " if the inputs carried more digits than printed"
    return f" with inputs {either(inputs)}"
