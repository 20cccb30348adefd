"""Relations that a table's numbers satisfy beyond chance, and the cells that break them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from verify.printed.intervals import Interval
from verify.search.relations.candidates import Candidate, Place, across, against_base, down
from verify.search.relations.evaluation import Evaluation, Instance, Relation
from verify.search.relations.numbers import Number, NumberTable

NAMED, UNNAMED = 1e-2, 1e-3
"""How likely a relation by chance may be in a table, among those that its headers name and among all others."""


@dataclass(frozen=True)
class Suspect:
    """A cell that breaks a relation which others satisfy. ``repair`` is what would fit, printed as the cell is.

    ``also`` says which other cells could be wrong in its stead.
    """

    place: Place
    number: Number
    computed: Interval
    relation: Relation
    repair: str
    also: tuple[Place, ...] = ()


@dataclass(frozen=True)
class Findings:
    """What was found in one table: its relations, and the cells that break them."""

    table: NumberTable
    relations: tuple[Relation, ...]
    suspects: tuple[Suspect, ...]


def find(table: NumberTable) -> Findings:
    """Search a table. Nothing here raises because a number is wrong."""
    kept = _without_repetitions(_proposed(table))
    return Findings(table, tuple(kept), tuple(_suspects(table, kept)))


def _proposed(table: NumberTable) -> list[Relation]:
    """The relations whose chance, times the number that were tried, is small.

    What headers name (a mean below "Avg.") is held to `NAMED`, times those that they name; all else to `UNNAMED`, times all.
    """
    evaluation = Evaluation(table)
    named: Counter[bool] = Counter()
    found: list[tuple[bool, Relation]] = []
    candidates: list[Candidate] = [*across(table), *against_base(table), *down(table)]
    for candidate in candidates:
        for counts in evaluation.readings(candidate):
            for steered, tried, relations in evaluation.of(candidate, counts):
                named[steered] += tried
                found += [(steered, relation) for relation in relations]
    everything = named.total()
    return [
        replace(relation, chance=chance, tried=everything)
        for steered, relation in found
        if (chance := relation.chance * (named[True] if steered else everything))
        <= (NAMED if steered else UNNAMED)
    ]


def _without_repetitions(relations: list[Relation]) -> list[Relation]:
    """One relation of those that say the same of the same cells; of those that compute one column, the ones that fit best.

    ``c = a * b`` and ``b = c / a`` are one: the one that computes the column further right is kept, or the lower row.
    """
    ranked = sorted(relations, key=lambda r: (-r.fits / len(r.instances), -r.fits, -r.rightmost, r.chance))
    kept: list[Relation] = []
    seen: list[frozenset[frozenset[Place]]] = []
    for relation in ranked:
        same = frozenset(frozenset(instance.places) for instance in relation.instances)
        if not any(same <= other for other in seen):
            seen.append(same)
            kept.append(relation)
    settled = {i.output for r in kept if not r.broken for i in r.instances}
    return [r for r in kept if not any(i.output in settled for i in r.broken)]


def accusing(table: NumberTable, relation: Relation) -> Iterator[Instance]:
    """The broken instances of a relation that may accuse: the cell's own column must satisfy it elsewhere.

    Where at most one of the cells that satisfy it prints a sign, the column may print sizes: then a cell that fits with its
    sign turned is no suspect, unless it prints one itself.
    """
    fitting = [instance.output for instance in relation.instances if instance.fits]
    for instance in relation.broken:
        column = instance.output[1]
        if all(c != column for _, c in fitting):
            continue
        signs = sum(_prints_a_sign(table, place) for place in fitting)
        sized = signs <= 1 and not _prints_a_sign(table, instance.output)
        low, high = instance.computed.bounds
        if sized and Interval(-high, -low).meets(table.number(instance.output).interval):
            continue
        yield instance


def _prints_a_sign(table: NumberTable, place: Place) -> bool:
    return table.number(place).text.lstrip("$").startswith(("-", "+"))


def _suspects(table: NumberTable, relations: Sequence[Relation]) -> Iterator[Suspect]:
    """The fewest cells that explain every broken instance; among as many, the one that holds in fewer other places."""
    broken = [(relation, instance) for relation in relations for instance in accusing(table, relation)]
    upheld = Counter(place for r in relations for i in r.instances if i.fits for place in set(i.places))
    while broken:
        covered = Counter(place for _, instance in broken for place in set(instance.places))
        outputs = {instance.output for _, instance in broken}
        place = max(covered, key=lambda p: (covered[p], p in outputs, -upheld[p], p))
        mine = [(r, i) for r, i in broken if place in i.places]
        broken = [(r, i) for r, i in broken if place not in i.places]
        relation, instance = max(mine, key=lambda pair: (pair[1].output == place, pair[0].fits))
        number = table.number(place)
        also = tuple(p for p in instance.places if p != place and not upheld[p])
        repair = _repaired(number, instance.computed) if instance.output == place else ""
        yield Suspect(place, number, instance.computed, relation, repair, also)


def _repaired(number: Number, computed: Interval) -> str:
    """The number that would fit, or the two ends of those that would."""
    lo, hi = (number.reading(end) for end in computed.bounds)
    return lo if lo == hi else f"{lo} to {hi}"
