"""The relations that are tried over a table: formulas over its columns, against a base row, and down its rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from verify.search.relations.formulas import (
    AGAINST_BASE,
    CUMULATIVE,
    GEOMETRIC_MEAN,
    MEAN,
    OF_ONE,
    OF_TWO,
    RATIO_OF_RATIOS,
    SUM,
    Formula,
)
from verify.search.relations.numbers import NumberTable

Place = tuple[int, int]
"""Row and column of a number, counted from 0."""

LONGEST_RUN = 12
ALIKE = (SUM, MEAN, GEOMETRIC_MEAN)
"""What is tried of any number of cells beside or below each other."""


@dataclass(frozen=True)
class Candidate:
    """One formula at a list of rows: ``inputs[i]`` are the places that give the value of ``rows[i]``.

    ``outputs`` are the columns that it may be printed in; of a relation down the rows, each column has its own.
    """

    family: str
    formula: Formula
    words: str
    rows: tuple[int, ...]
    inputs: tuple[tuple[Place, ...], ...]
    outputs: tuple[int, ...]

    @property
    def holds_of_totals(self) -> bool:
        """Whether it follows for a row of totals from the rows that it sums."""
        return self.formula.linear and self.family in ("two columns", "runs")


def across(table: NumberTable) -> Iterator[Candidate]:
    """Formulas whose value stands in the same row, in any other column."""
    height, width = len(table.rows), len(table.columns)
    everywhere = tuple(range(height))

    def of(family: str, formula: Formula, columns: Sequence[int], words: str = "") -> Candidate:
        names = words or formula.words.format(*(table.columns[c] for c in columns))
        inputs = tuple(tuple((r, c) for c in columns) for r in everywhere)
        others = tuple(c for c in range(width) if c not in columns)
        return Candidate(family, formula, names, everywhere, inputs, others)

    for a in range(width):
        yield from (of("one column", formula, (a,)) for formula in OF_ONE)
    for a, b in permutations(range(width), 2):
        yield from (of("two columns", f, (a, b)) for f in OF_TWO if a < b or not f.symmetric)
    for start in range(width):
        for end in range(start + 2, min(width, start + LONGEST_RUN) + 1):
            run = tuple(range(start, end))
            names = ", ".join(table.columns[c] for c in run)
            yield from (of("runs", formula, run, formula.words.format(names)) for formula in ALIKE)


def against_base(table: NumberTable) -> Iterator[Candidate]:
    """Formulas with a second input at the first or the last row: changes, speed-ups, shares, efficiencies."""
    height, width = len(table.rows), len(table.columns)
    for base in (0, height - 1):
        rows = tuple(r for r in range(height) if r != base)
        at = f"at {table.rows[base] or 'row ' + str(base + 1)}"
        for a in range(width):
            others = tuple(c for c in range(width) if c != a)
            name = table.columns[a]
            for formula in AGAINST_BASE:
                inputs = tuple(((r, a), (base, a)) for r in rows)
                yield Candidate(
                    "base row", formula, formula.words.format(name, f"{name} {at}"), rows, inputs, others
                )
        if base:
            continue
        for a, b in permutations(range(width), 2):
            others = tuple(c for c in range(width) if c not in (a, b))
            four = tuple(((r, a), (base, a), (r, b), (base, b)) for r in rows)
            names = (
                table.columns[a],
                f"{table.columns[a]} {at}",
                table.columns[b],
                f"{table.columns[b]} {at}",
            )
            words = RATIO_OF_RATIOS.words.format(*names)
            yield Candidate("ratio of ratios", RATIO_OF_RATIOS, words, rows, four, others)
    for a in range(width):
        for b in (c for c in range(width) if c != a):
            rows = tuple(range(1, height))
            inputs = tuple(((r - 1, b), (r, a)) for r in rows)
            yield Candidate("running", CUMULATIVE, f"running total of {table.columns[a]}", rows, inputs, (b,))


def down(table: NumberTable) -> Iterator[Candidate]:
    """Sums and means of the rows above, for each column: of the whole table, and of each of its groups."""
    groups = [
        [r for r in range(len(table.rows)) if table.groups[r] == g] for g in dict.fromkeys(table.groups)
    ]
    last = len(table.rows) - 1
    closing = [(rows[-1], rows[:-1]) for rows in groups if len(rows) > 2]
    partitions = [("rows above", [(last, list(range(last)))])]
    if len(groups) > 1 and closing:
        ends = {end for end, _ in closing}
        partitions.append(("rows of a group", closing))
        partitions.append(("rows outside group ends", [(last, [r for r in range(last) if r not in ends])]))
    for name, aims in partitions:
        for formula in ALIKE:
            rows, inputs, columns = [], [], []
            for c in range(len(table.columns)):
                for end, over in aims:
                    places = tuple((r, c) for r in over if table.cells[r][c])
                    if len(places) > 1 and table.cells[end][c]:
                        rows.append(end)
                        inputs.append(places)
                        columns.append(c)
            if rows:
                yield Candidate(
                    f"down: {name}",
                    formula,
                    f"{formula.name} of the {name}",
                    tuple(rows),
                    tuple(inputs),
                    tuple(columns),
                )
