"""Experiments and designs refuse what could not be reported or repeated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest

from empirics import Design, Experiment, Measurement
from empirics.experiments.experiment import run


@dataclass(frozen=True)
class Square(Experiment):
    quantity: ClassVar[str] = "area [m^2]"
    size: ClassVar[str] = "side [m]"
    held: object = 1

    def measure(self, size, seed):
        return float(size**2 + seed)


@dataclass(frozen=True)
class Wordless(Square):
    quantity: ClassVar[str] = " "


@dataclass(frozen=True)
class Endless(Square):
    def measure(self, size, seed):
        return float("inf")


def test_a_run_holds_every_size_under_every_seed():
    assert run(Square(), (2, 3), (0, 5)) == (
        Measurement(2, 0, 4.0), Measurement(2, 5, 9.0), Measurement(3, 0, 9.0), Measurement(3, 5, 14.0),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("sizes", "seeds"),
    [((), (0,)), ((1,), ()), ((1, 1), (0,)), ((1,), (0, 0)), ((0,), (0,)), ((1,), (-1,)), ((1.5,), (0,)), ((True,), (0,))],
)  # fmt: skip
def test_a_bad_design_is_refused(sizes, seeds):
    with pytest.raises(ValueError, match="Design"):
        Design(sizes, seeds)


@pytest.mark.parametrize(
    ("experiment", "why"),
    [
        (Wordless(), "Wordless.quantity is empty"),
        (Square([1]), "hashable"),
        (Endless(), r"Endless.measure\(1, 0\) gave inf"),
    ],
)
def test_what_cannot_be_reported_is_refused(experiment, why):
    with pytest.raises(ValueError, match=why):
        run(experiment, (1,), (0,))


def test_a_missing_module_is_named():
    class Needy(Square):
        needs: ClassVar[tuple[str, ...]] = ("math", "no_such_module_anywhere")

    assert Square().missing() == ""
    assert Needy().missing() == "no_such_module_anywhere"
