"""Candidates over a table: at which places each fits what is printed, and how likely that is by chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
import numpy.typing as npt

from verify.printed.intervals import Interval
from verify.search.relations.candidates import Candidate, Place, down
from verify.search.relations.chance import Floats, at_least, chance_of_a_fit, chance_of_an_input
from verify.search.relations.formulas import MEAN, SUM, Formula
from verify.search.relations.numbers import NumberTable

LEVEL = 1e-2
"""No relation is proposed whose fits have a larger chance than this, however few were tried."""
FEWEST_FITS = 3
TELLING = 0.02
"""How narrow the values are, against the number printed, whose sum shows a row of totals."""
ROOT_STEPS = 10**20
"""Roots are taken in steps of one over this, outward."""
CORNERS = 4
"""Inputs up to which every corner of their box is looked at; sums and means of more rise with each of them."""


@dataclass(frozen=True)
class Instance:
    """A relation at one place: the cell that prints its value, its inputs, what they give, and whether it fits."""

    output: Place
    inputs: tuple[Place, ...]
    computed: Interval
    fits: bool

    @property
    def places(self) -> tuple[Place, ...]:
        return (self.output, *self.inputs)


@dataclass(frozen=True)
class Relation:
    """A relation and where it was looked at. ``chance`` is that of so many fits by luck, times ``tried``, the relations tried.

    ``exact_counts`` where it holds only if whole numbers are exact. A value is ``scale`` times what ``formula`` gives.
    """

    words: str
    instances: tuple[Instance, ...]
    chance: float
    formula: Formula
    scale: Fraction = Fraction(1)
    tried: int = 0
    exact_counts: bool = False

    @property
    def fits(self) -> int:
        return sum(instance.fits for instance in self.instances)

    @property
    def broken(self) -> tuple[Instance, ...]:
        return tuple(instance for instance in self.instances if not instance.fits)

    @property
    def rightmost(self) -> int:
        return max(instance.output[1] for instance in self.instances)


class Evaluation:
    """A table's intervals as pairs of floats, rounded outward; a broken place is looked at again in exact arithmetic."""

    def __init__(self, table: NumberTable) -> None:
        self.table = table
        shape = len(table.rows), len(table.columns)
        self.low, self.high, self.middle = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self.there = np.zeros(shape, dtype=bool)
        for r, row in enumerate(table.cells):
            for c, number in enumerate(row):
                if number:
                    lo, hi = number.interval.bounds
                    self.low[r, c], self.high[r, c] = (
                        np.nextafter(float(e), s * np.inf) for e, s in ((lo, -1), (hi, 1))
                    )
                    self.middle[r, c], self.there[r, c] = float(number.printed.value), True
        counts = np.array([all(n.count for row in table.cells if (n := row[c])) for c in range(shape[1])])
        self.exact = np.broadcast_to(counts, shape)
        per_cent = any("%" in name for name in table.columns) or any(
            n and "%" in n.text for row in table.cells for n in row
        )
        self.scales = (Fraction(1), Fraction(100), Fraction(1, 100)) if per_cent else (Fraction(1),)

        self.closing = np.zeros(shape[0], dtype=bool)
        self.closing[[*self._closing_rows()]] = True

    def _closing_rows(self) -> Iterator[int]:
        """The rows that sum up others, as their names say or two of their numbers show: a formula need not hold in them.

        A number shows it where what fits is narrow against its size: that 16 is 8 and 8 is no sign of a total.
        """
        yield from (r for r, name in enumerate(self.table.rows) if SUM.names(name) or MEAN.names(name))
        shown: Counter[int] = Counter()
        for candidate in (candidate for candidate in down(self.table) if candidate.formula is SUM):
            for i, (row, column) in enumerate(zip(candidate.rows, candidate.outputs, strict=True)):
                [low], [high] = self._boxes(candidate, [i], False)
                printed = self.low[row, column], self.high[row, column]
                narrow = high - low + printed[1] - printed[0] < TELLING * abs(self.middle[row, column])
                shown[row] += bool(narrow and low <= printed[1] and high >= printed[0])
        yield from (row for row, count in shown.items() if count > 1)

    def readings(self, candidate: Candidate) -> tuple[bool, ...]:
        """Whether whole numbers are read as rounded; and, where the candidate has some, also as exact."""
        return (False, True) if any(self.exact[place] for place in candidate.inputs[0]) else (False,)

    def of(self, candidate: Candidate, counts: bool) -> Iterator[tuple[bool, int, list[Relation]]]:
        """Whether a header names the relation, how many were tried, and those that fit in enough places."""
        if candidate.family.startswith("down"):
            name = self.table.rows[candidate.rows[0]]
            yield candidate.formula.names(name), 1, list(self._down(candidate, counts))
            return
        full = [i for i, places in enumerate(candidate.inputs) if all(self.there[place] for place in places)]
        if len(full) < FEWEST_FITS:
            return
        boxes = self._boxes(candidate, full, counts)
        for column in candidate.outputs:
            relations = [
                r for s in self.scales for r in self._across(candidate, full, boxes, column, s, counts)
            ]
            yield candidate.formula.names(self.table.columns[column]), len(self.scales), relations

    def _sides(
        self, candidate: Candidate, chosen: Sequence[int], counts: bool
    ) -> list[tuple[Floats, Floats]]:
        """The lower and the upper end of each input."""
        places = np.array([candidate.inputs[i] for i in chosen])
        rows, columns = places[:, :, 0], places[:, :, 1]
        middle, exact = self.middle[rows, columns], self.exact[rows, columns] & counts
        low = np.where(exact, middle, self.low[rows, columns])
        high = np.where(exact, middle, self.high[rows, columns])
        return [(low[:, k], high[:, k]) for k in range(places.shape[1])]

    def _boxes(self, candidate: Candidate, chosen: Sequence[int], counts: bool) -> tuple[Floats, Floats]:
        """The computed interval at each place; nan where a pole lies inside."""
        sides = self._sides(candidate, chosen, counts)
        corners = list(product(*sides)) if len(sides) <= CORNERS else list(zip(*sides, strict=True))
        parts = [candidate.formula.parts(*corner) for corner in corners]
        tops, bottoms = (np.array([part[i] + 0 * sides[0][0] for part in parts]) for i in (0, 1))
        with np.errstate(all="ignore"):
            values = tops / bottoms
            slack = 1e-12 * np.abs(values).max(axis=0)
            low, high = values.min(axis=0) - slack, values.max(axis=0) + slack
        pole = (bottoms.min(axis=0) <= 0) & (bottoms.max(axis=0) >= 0)
        if candidate.formula.size:
            crosses = (low < 0) & (high > 0)
            ends = np.abs(low), np.abs(high)
            low, high = np.where(crosses, 0.0, np.minimum(*ends)), np.maximum(*ends)
        if candidate.formula.root:
            pole = pole | (np.array([side[0] for side in sides]).min(axis=0) <= 0)
            with np.errstate(all="ignore"):
                low, high = (
                    end ** (1 / len(sides)) * (1 + slip) for end, slip in ((low, -1e-12), (high, 1e-12))
                )
        return np.where(pole, np.nan, low), np.where(pole, np.nan, high)

    def _across(
        self,
        candidate: Candidate,
        full: Sequence[int],
        boxes: tuple[Floats, Floats],
        column: int,
        scale: Fraction,
        counts: bool,
    ) -> Iterator[Relation]:
        rows = np.array([candidate.rows[i] for i in full])
        low, high = (float(scale) * side for side in boxes)
        printed_low, printed_high = self.low[rows, column], self.high[rows, column]
        usable = self.there[rows, column] & ~np.isnan(low)
        ends = low[usable], high[usable], printed_low[usable], printed_high[usable]
        fits = _meet(*ends)
        if not candidate.holds_of_totals and (aside := ~fits & self.closing[rows[usable]]).any():
            usable[np.flatnonzero(usable)[aside]] = False
            ends = low[usable], high[usable], printed_low[usable], printed_high[usable]
            fits = fits[~aside]
        slips = _slips(fits, *ends)
        explained = int((fits | (slips > 0)).sum())
        if not (_enough(int(fits.sum()), len(fits)) or (fits.sum() >= 2 and explained == len(fits) >= 4)):
            return
        chosen = [full[int(i)] for i in np.flatnonzero(usable)]
        chances = np.maximum(chance_of_a_fit(*ends), self._of_inputs(candidate, chosen, scale, *ends))
        chance = at_least(explained, list(np.minimum(chances * np.maximum(slips, 1), 1.0)))
        if chance <= LEVEL:
            instances = [
                self._instance(candidate, i, (candidate.rows[i], column), scale, counts) for i in chosen
            ]
            yield self._relation(candidate, instances, chance, scale, counts)

    def _of_inputs(
        self,
        candidate: Candidate,
        chosen: Sequence[int],
        scale: Fraction,
        low: Floats,
        high: Floats,
        *printed: Floats,
    ) -> Floats:
        """The largest chance that an input drawn from its own column would do as well."""
        places = np.array([candidate.inputs[i] for i in chosen])
        values = self.middle[places[:, :, 0], places[:, :, 1]]
        reach = (high - low) + (printed[1] - printed[0])
        worst = np.zeros(len(chosen))
        for k in range(values.shape[1]):
            if values[:, k].min() < values[:, k].max():
                worst = np.maximum(
                    worst, chance_of_an_input(candidate.formula, values, k, float(scale), reach)
                )
        return worst

    def _down(self, candidate: Candidate, counts: bool) -> Iterator[Relation]:
        """One relation for all columns together, each cell judged against the numbers of its own column."""
        chances: list[float] = []
        instances: list[Instance] = []
        for i, (row, column) in enumerate(zip(candidate.rows, candidate.outputs, strict=True)):
            [low], [high] = self._boxes(candidate, [i], counts)
            span = float(np.ptp(self.middle[[place[0] for place in candidate.inputs[i]], column]))
            if span > 0 and not np.isnan(low):
                chances.append(min(1.0, (high - low + self.high[row, column] - self.low[row, column]) / span))
                instances.append(self._instance(candidate, i, (row, column), Fraction(1), counts))
        fits = sum(instance.fits for instance in instances)
        if _enough(fits, len(instances)) and (chance := at_least(fits, chances)) <= LEVEL:
            yield self._relation(candidate, instances, chance, Fraction(1), counts)

    def _relation(
        self,
        candidate: Candidate,
        instances: Sequence[Instance],
        chance: float,
        scale: Fraction,
        counts: bool,
    ) -> Relation:
        words = candidate.words if scale == 1 else f"({candidate.words}) {'* 100' if scale > 1 else '/ 100'}"
        return Relation(words, tuple(instances), chance, candidate.formula, scale, exact_counts=counts)

    def _instance(
        self, candidate: Candidate, i: int, output: Place, scale: Fraction, counts: bool
    ) -> Instance:
        """One place in exact arithmetic."""
        places = candidate.inputs[i]
        boxes = [self._box(place, counts) for place in places]
        corners = product(*boxes) if len(boxes) <= CORNERS else zip(*boxes, strict=True)
        values = [
            scale * top / bottom for top, bottom in (candidate.formula.parts(*corner) for corner in corners)
        ]
        computed = Interval(*_finished(candidate.formula, min(values), max(values), len(places)))
        return Instance(output, places, computed, computed.meets(self.table.number(output).interval))

    def _box(self, place: Place, counts: bool) -> tuple[Fraction, Fraction]:
        number = self.table.number(place)
        exact = counts and bool(self.exact[place])
        return (number.printed.value, number.printed.value) if exact else number.interval.bounds


def _finished(formula: Formula, low: Fraction, high: Fraction, inputs: int) -> tuple[Fraction, Fraction]:
    """The ends of what a formula gives, where its fraction lies between these."""
    if formula.size:
        return (Fraction(0) if low < 0 < high else min(abs(low), abs(high))), max(abs(low), abs(high))
    if formula.root:
        return _root(low, inputs), _root(high, inputs) + Fraction(1, ROOT_STEPS)
    return low, high


def _root(value: Fraction, degree: int) -> Fraction:
    """The largest multiple of a tiny step whose power is no larger than ``value``, found by halving."""
    target = value * ROOT_STEPS**degree
    low, high = 0, max(ROOT_STEPS, int(value * ROOT_STEPS)) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**degree <= target else (low, middle)
    return Fraction(low, ROOT_STEPS)


def _enough(fits: int, usable: int) -> bool:
    """At least three fit, and those that do not are a third at most."""
    return fits >= FEWEST_FITS and 3 * (usable - fits) <= usable


def _meet(low: Floats, high: Floats, printed_low: Floats, printed_high: Floats) -> npt.NDArray[np.bool_]:
    return (low <= printed_high) & (high >= printed_low)


def _slips(
    fits: npt.NDArray[np.bool_], low: Floats, high: Floats, printed_low: Floats, printed_high: Floats
) -> Floats:
    """Where a broken cell fits after a slip of the pen: in how many ways it could have; 0 where it does not.

    With its sign turned there are two ways; changed with the only other broken cell, as many as there are cells.
    """
    ways = np.where(~fits & _meet(low, high, -printed_high, -printed_low), 2.0, 0.0)
    broken = np.flatnonzero(~fits)
    if len(broken) == 2:
        other = broken[::-1]
        if _meet(low[broken], high[broken], printed_low[other], printed_high[other]).all():
            ways[broken] = len(fits)
    return ways
