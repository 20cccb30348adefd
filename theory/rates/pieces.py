"""Critical regions put together for reading: equal formulas merged, each with its whole region.

A region on which another piece's formula says the same is absorbed by it; one
on which it does not is kept, however thin (a logarithm may vanish on a line).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from theory.rates import real_solver
from theory.rates.certificate import Cell, RateOutcome
from theory.rates.conditions import Condition
from theory.rates.domain import Domain
from theory.rates.growth import Growth
from theory.rates.regions import Found

Region = tuple[tuple[Condition, ...], ...]


@dataclass(frozen=True)
class Merged:
    """One formula with the cells it holds on; ``region`` is a union of conjunctions."""

    cells: tuple[Cell, ...]
    region: Region
    unique: bool
    drops_loglog: bool

    @property
    def cell(self) -> Cell:
        return self.cells[0]


def merge(found: Sequence[Found], domain: Domain) -> tuple[Merged, ...]:
    """The cells grouped by formula, thin ones absorbed where a neighbour's formula holds on them too."""
    rewritten = [_absorbed(f, found, domain) for f in found]
    groups: dict[object, list[Found]] = {}
    for f in rewritten:
        groups.setdefault((f.cell.outcome, f.cell.value, f.cell.point, f.cell.ray), []).append(f)
    return tuple(
        Merged(
            tuple(f.cell for f in group),
            _joined([f.cell.region for f in group], domain),
            all(f.unique for f in group),
            any(f.drops_loglog for f in group),
        )
        for group in groups.values()
    )


def _absorbed(one: Found, found: Sequence[Found], domain: Domain) -> Found:
    if one.cell.outcome is not RateOutcome.ATTAINED:
        return one
    here = domain.restricted(*one.cell.region)
    for other in found:
        if other is one or other.cell.outcome is not RateOutcome.ATTAINED:
            continue
        if (other.cell.value, other.cell.point) == (one.cell.value, one.cell.point):
            return one
        if _agree(one.cell, other.cell, here):
            cell = replace(one.cell, value=other.cell.value, point=other.cell.point)
            return replace(one, cell=cell)
    return one


def _agree(one: Cell, other: Cell, here: Domain) -> bool:
    """Whether two formulas give the same value and the same point all over ``here``."""
    assert one.value is not None and other.value is not None  # noqa: PT018
    assert one.point is not None and other.point is not None  # noqa: PT018
    gaps: list[Growth] = [one.value - other.value]
    gaps += [a - b for a, b in zip(one.point, other.point, strict=True)]
    levels = [level for gap in gaps for level in gap.levels if level]
    try:
        sample = here.point()
    except real_solver.GaveUp:
        return False
    if sample is None or any(not level.den(*sample) or level.at(sample) for level in levels):
        return False
    return all(here.sign(level) == 0 and here.sign(level.denominator) in (1, -1) for level in levels)


def _joined(regions: Sequence[tuple[Condition, ...]], domain: Domain) -> Region:
    """One conjunction equivalent to the union where the conditions at hand contain one; else the union itself."""
    if len(regions) == 1:
        return (regions[0],)
    if any(not region for region in regions):
        return ((),)
    candidates = dict.fromkeys(
        Condition(c.levels, strict) for region in regions for c in region for strict in (c.strict, False)
    )
    common = [c for c in candidates if all(domain.restricted(*region).implies(c) for region in regions)]
    try:
        if domain.point(*common, outside=regions) is not None:
            return tuple(regions)
    except real_solver.GaveUp:
        return tuple(regions)
    for condition in list(common):
        others = [c for c in common if c != condition]
        if domain.restricted(*others).implies(condition):
            common = others
    return (tuple(common),)
