"""Every gate of the constructive MoE that is defined partitions the cube; broken ones are caught."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from empirics.constructive.cell_gate import CellGate
from empirics.constructive.constructive_moe import ConstructiveMoE
from empirics.constructive.gate import Gate
from theory.defined import modules_of

SEED = 20260411


def kinds() -> dict[str, type[Gate]]:
    found = [value for module in modules_of("empirics.constructive") for value in vars(module).values()]
    return {v.__name__: v for v in found if isinstance(v, type) and issubclass(v, Gate) and v is not Gate}


def faults(kind: type[Gate]) -> Iterator[str]:
    for d, most in ((1, 1), (1, 7), (2, 9), (3, 40)):
        gate = kind.of_size(d, most)
        if gate.d != d or not 1 <= gate.experts <= most:
            yield f"of_size({d}, {most}) has {gate.experts} experts in {gate.d} dimensions"
            continue
        x = np.random.default_rng([SEED, d, most]).random((2000, d))
        expert, place = gate.hard(x.copy())
        if expert.shape != (2000,) or place.shape != (d, 2000):
            yield f"shapes {expert.shape} and {place.shape}"
            continue
        if set(expert.tolist()) - set(range(gate.experts)):
            yield f"experts {set(expert.tolist())} of {gate.experts}"
        if np.abs(place).max() > 1:
            yield "a place outside [-1, 1]"
        yield from _not_affine(x, expert, place)
        for outside in (-0.01, 1.0):
            try:
                gate.hard(np.full((1, d), outside))
            except ValueError:
                continue
            yield f"the point {outside} outside the cube is accepted"
        y = 1 + x @ np.arange(1.0, d + 1)
        if not np.allclose(ConstructiveMoE(gate, 1).fit(x, y).predict(x), y, atol=1e-7):
            yield "experts of degree 1 do not fit an affine function"


def _not_affine(x, expert, place) -> Iterator[str]:
    for cell in set(expert.tolist()):
        mine = expert == cell
        design = np.column_stack([np.ones(mine.sum()), x[mine]])
        if len(design) > 2 * design.shape[1]:
            fitted = design @ np.linalg.lstsq(design, place[:, mine].T, rcond=None)[0]
            if not np.allclose(fitted, place[:, mine].T, atol=1e-9):
                yield f"the place in cell {cell} is no affine function of the point"


@pytest.mark.parametrize("name", kinds())
def test_every_gate_partitions_the_cube(name):
    assert list(faults(kinds()[name])) == []
    assert kinds()[name].__doc__


def test_the_gate_of_the_theorem_is_among_them():
    assert kinds()["CellGate"] is CellGate


@dataclass(frozen=True)
class Curved(CellGate):
    def hard(self, x):
        expert, place = super().hard(x)
        return expert, place**3


@dataclass(frozen=True)
class OneTooMany(CellGate):
    def hard(self, x):
        expert, place = super().hard(x)
        return expert + (x[:, 0] > 0.5), place


@dataclass(frozen=True)
class Wide(CellGate):
    def hard(self, x):
        return super().hard(np.clip(x, 0, 0.999))


@pytest.mark.parametrize(
    ("broken", "said"), [(Curved, "no affine function"), (OneTooMany, "experts {"), (Wide, "is accepted")]
)
def test_a_broken_gate_is_caught(broken, said):
    assert any(said in fault for fault in faults(broken))
