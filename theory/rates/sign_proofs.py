"""Finds the proofs of signs that a certificate carries, so that a reader needs no solver: trees whose leaves are identities.

An identity shows that facts about polynomials exclude each other: products of facts, with polynomials of non-negative
coefficients before them, add up to 0 although one is positive (Positivstellensatz, in the form of Handelman and
Schmüdgen for positive parameters). A linear program finds the coefficients, in floats first and then exactly.
Random points guide the search and decide nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from math import lcm
from typing import Any

import flint

from verify.recheck.ratios import Field, Polynomial
from verify.recheck.signs import OPEN, REFUTED, Alternatives, Condition, Place, facts_of

Fact = tuple[Polynomial, str]
EFFORT = ((0, 1), (1, 2), (2, 2), (3, 3))
"""Rising (extra degree, factors in a product) of the identities that are tried."""
MOST_PLACES = 600
MOST_COLUMNS = 20_000
POINTS, SEED = 1024, 20


class _Refuted(Exception):
    """At a point the context holds and no alternative does."""


class _GaveUp(Exception):
    """No proof within the effort."""


def prove_covering(context: Sequence[Condition], alternatives: Alternatives, field: Field) -> Any:
    """The proof that one of the alternatives holds wherever the context does, as `verify.recheck.signs` reads it.

    ``OPEN`` where none is found, ``REFUTED`` where there is none.
    """
    try:
        return _Search(context, alternatives, field).proof(Place(field, facts_of(context)))
    except _GaveUp:
        return OPEN
    except _Refuted:
        return REFUTED


class _Search:
    def __init__(self, context: Sequence[Condition], alternatives: Alternatives, field: Field) -> None:
        self.context, self.alternatives, self.field = tuple(context), alternatives, field
        self.places = 0
        self._values: dict[str, Any] = {}
        self._points: Any = None

    def proof(self, place: Place) -> Any:
        """A tree, None where it is a leaf that the signs settle."""
        if place.is_settled(self.context, self.alternatives):
            return None
        self.places += 1
        if self.places > MOST_PLACES:
            raise _GaveUp
        seen = self._is_met(place)
        if not seen and (terms := impossibility(place.facts, self.field)) is not None:
            return terms
        asked = self._undecided(place)
        if asked is None:
            raise _Refuted if seen else _GaveUp
        polynomial, cases = asked
        proofs = {case: self.proof(place.with_fact(polynomial, case)) for case in cases}
        return {"on": self.field.spelled(polynomial), "cases": proofs}

    def _undecided(self, place: Place) -> tuple[Polynomial, tuple[str, ...]] | None:
        """The first polynomial whose sign some condition waits for, and the cases to tell apart."""
        waiting = [c for conjunction in self.alternatives for c in self._open(place, conjunction)]
        waiting += [condition for condition in self.context if place.truth(condition) is None]
        for condition in waiting:
            for i, level in enumerate(condition.levels):
                if len(place.signs(level.above)) == 1:
                    continue
                factors = self.field.factored(level.above).factors
                if len(factors) > 1:
                    open_ones = (f for f in factors if len(place.signs(f)) > 1)
                    return next(open_ones, level.above), (">", "=", "<")
                if i < len(condition.levels) - 1:
                    return level.above, (">", "=", "<")
                return level.above, ((">", "<=") if condition.strict else (">=", "<"))
        return None

    @staticmethod
    def _open(place: Place, conjunction: Sequence[Condition]) -> list[Condition]:
        told = [(condition, place.truth(condition)) for condition in conjunction]
        return [] if any(t is False for _, t in told) else [condition for condition, t in told if t is None]

    def _is_met(self, place: Place) -> bool:
        """Whether some random point meets the context and everything known at a place."""
        import numpy as np

        met = np.ones(POINTS, dtype=bool)
        for polynomial, relation in place.facts:
            values = self._at_points(polynomial)
            met &= {">": values > 0, ">=": values >= 0, "=": values == 0}[relation]
        for condition in self.context:
            met &= self._holds(condition)
        return bool(met.any())

    def _holds(self, condition: Condition) -> Any:
        import numpy as np

        decided = np.zeros(POINTS, dtype=bool)
        holds = np.full(POINTS, not condition.strict)
        for level in condition.levels:
            values = self._at_points(level.above)
            holds = np.where(~decided & (values != 0), values > 0, holds)
            decided |= values != 0
        return holds

    def _at_points(self, polynomial: Polynomial) -> Any:
        import numpy as np

        if self._points is None:
            rng = np.random.default_rng(SEED)
            self._points = np.exp(rng.uniform(-4, 4, (POINTS, len(self.field.parameters))))
        key = str(polynomial)
        if key not in self._values:
            total = np.zeros(POINTS)
            for powers, c in polynomial.to_dict().items():
                total += (
                    float(c.p) / float(c.q) * np.prod(self._points ** np.array(powers, dtype=float), axis=1)
                )
            self._values[key] = total
        return self._values[key]


def impossibility(facts: Sequence[Fact], field: Field) -> list[Any] | None:
    """Terms ``[coefficient, facts multiplied]`` that add up to 0, none negative and one positive; None if none is found."""
    if not facts:
        return None
    highest = max(int(polynomial.total_degree()) for polynomial, _ in facts)
    for extra, factors in EFFORT:
        columns = list(_columns(facts, highest + extra, factors, field))
        if len(columns) <= MOST_COLUMNS and (weights := _balanced(columns)) is not None:
            return _terms(columns, weights, field)
    return None


@dataclass(frozen=True)
class _Column:
    """A product of facts times a monomial, as powers -> coefficient; ``sign`` is -1 where its weight is taken off."""

    chosen: tuple[int, ...]
    monomial: tuple[int, ...]
    terms: dict[tuple[int, ...], Any]
    is_positive: bool
    sign: int = 1


def _columns(facts: Sequence[Fact], degree: int, factors: int, field: Field) -> Iterator[_Column]:
    monomials = [m for m in product(range(degree + 1), repeat=len(field.parameters)) if sum(m) <= degree]
    for size in range(factors + 1):
        for chosen in combinations_with_replacement(range(len(facts)), size):
            relations = {facts[i][1] for i in chosen}
            if "=" in relations and size > 1:
                continue
            whole = field.context.constant(1)
            for i in chosen:
                whole = whole * facts[i][0]
            terms = {tuple(map(int, powers)): flint.fmpq(c) for powers, c in whole.to_dict().items()}
            room = degree - int(whole.total_degree()) if terms else -1
            for monomial in monomials:
                if sum(monomial) > room:
                    continue
                moved = {tuple(a + b for a, b in zip(p, monomial, strict=True)): c for p, c in terms.items()}
                yield _Column(chosen, monomial, moved, relations <= {">"})
                if "=" in relations:
                    yield _Column(chosen, monomial, {p: -c for p, c in moved.items()}, False, -1)


def _balanced(columns: Sequence[_Column]) -> dict[int, Any] | None:
    """Non-negative weights, by column, under which the columns add up to 0 and the positive ones' weights to 1."""
    import numpy as np
    from scipy.optimize import linprog

    rows = {powers: i for i, powers in enumerate(sorted({p for column in columns for p in column.terms}))}
    matrix = np.zeros((len(rows) + 1, len(columns)))
    for j, column in enumerate(columns):
        for powers, c in column.terms.items():
            matrix[rows[powers], j] = float(c.p) / float(c.q)
        matrix[-1, j] = column.is_positive
    goal = np.zeros(len(rows) + 1)
    goal[-1] = 1
    found = linprog(np.abs(matrix).max(axis=0), A_eq=matrix, b_eq=goal, method="highs")
    if found.status != 0:
        return None
    return _exact(columns, rows, [int(j) for j in np.nonzero(found.x > 1e-11)[0]])


def _exact(
    columns: Sequence[_Column], rows: dict[tuple[int, ...], int], support: list[int]
) -> dict[int, Any] | None:
    """The weights on the support that satisfy the equations exactly, if they are not negative."""
    table = flint.fmpq_mat(len(rows) + 1, len(support) + 1)
    for place, j in enumerate(support):
        for powers, c in columns[j].terms.items():
            table[rows[powers], place] = c
        table[len(rows), place] = int(columns[j].is_positive)
    table[len(rows), len(support)] = 1
    reduced, rank = table.rref()
    weights = dict.fromkeys(support, flint.fmpq(0))
    for row in range(rank):
        pivot = next(place for place in range(len(support) + 1) if reduced[row, place] != 0)
        if pivot == len(support):
            return None
        weights[support[pivot]] = reduced[row, len(support)]
    return weights if all(w >= 0 for w in weights.values()) else None


def _terms(columns: Sequence[_Column], weights: dict[int, Any], field: Field) -> list[Any]:
    """The identity in whole numbers, one coefficient for each product of facts."""
    common = lcm(*(int(w.q) for w in weights.values()))
    found: dict[tuple[int, ...], Polynomial] = {}
    for j, weight in weights.items():
        part = field.context.from_dict({columns[j].monomial: weight * common * columns[j].sign})
        found[columns[j].chosen] = found.get(columns[j].chosen, field.context.constant(0)) + part
    return [[field.spelled(c), list(chosen)] for chosen, c in found.items() if not c.is_zero()]
