"""The linear program behind a rate: solved at a sample point, lifted to all parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import flint

from theory.rates import simplex
from theory.rates.certificate import WeightedBound
from theory.rates.conditions import Point
from theory.rates.elimination import determinant, solve
from theory.rates.field import Field, Fraction
from theory.rates.growth import Growth, Monomial, Scalar


@dataclass(frozen=True)
class LinearProgram:
    """The dual, ``maximise costs . y`` with ``sum y_j columns[j] = (1, 0, ..., 0)`` and ``y >= 0``.

    A row of the primal is a monomial: ``z >= a.t + c`` for one of the rate
    (the first ``top`` rows), ``0 >= g.t + h`` for a constraint.
    """

    monomials: tuple[Monomial, ...]
    top: int
    field: Field

    @classmethod
    def of(
        cls, objective: Iterable[Monomial], constraints: Iterable[Monomial], field: Field
    ) -> LinearProgram:
        """In a fixed order of the monomials, so that equal problems give equal certificates."""
        top, rest = sorted(objective, key=_order), sorted(constraints, key=_order)
        return cls((*top, *rest), len(top), field)

    @property
    def height(self) -> int:
        return 1 + len(self.monomials[0].powers)

    @property
    def rhs(self) -> list[Fraction]:
        return self._unit(0)

    def column(self, j: int) -> list[Fraction]:
        if j >= len(self.monomials):  # an artificial column of phase one
            return self._unit(j - len(self.monomials))
        head = self.field.one if j < self.top else self.field.zero
        return [head, *(-power for power in self.monomials[j].powers)]

    def solve_at(self, point: Point) -> simplex.Basis | simplex.Ray | simplex.Infeasible:
        columns = [[x.at(point) for x in self.column(j)] for j in range(len(self.monomials))]
        costs = [tuple(x.at(point) for x in m.constant.levels) for m in self.monomials]
        return simplex.maximise(columns, costs, [flint.fmpq(int(i == 0)) for i in range(self.height)])

    def weights(self, basis: simplex.Basis) -> list[tuple[int, Fraction]]:
        """The dual solution on the rows of a basis."""
        solution = solve(self._square(basis.columns), self.rhs)
        return list(zip(basis.columns, solution, strict=True))

    def bound(self, basis: simplex.Basis) -> WeightedBound:
        """The weights that prove the optimum."""
        return self._named(self.weights(basis))

    def emptiness(self, ray: simplex.Ray) -> WeightedBound:
        """Farkas multipliers: the entering column with what it takes from the basis."""
        against = solve(self._square(ray.columns), self.column(ray.entering))
        taken = [(j, -y) for j, y in zip(ray.columns, against, strict=True)]
        return self._named([*taken, (ray.entering, self.field.one)])

    def vertex(self, basis: simplex.Basis) -> tuple[Growth, ...]:
        """The sizes' exponents at the primal vertex of a basis."""
        matrix = [self.column(j) for j in basis.columns]
        levels = []
        for costs in zip(*(self.monomials[j].constant.levels for j in basis.columns), strict=True):
            zero = [self.field.zero] * self.height
            levels.append(solve(matrix, costs) if any(costs) else zero)
        return tuple(Growth(*parts) for parts in zip(*levels, strict=True))[1:]

    def ray(self, infeasible: simplex.Infeasible) -> tuple[Fraction, ...]:
        """A direction of the sizes along which the rate falls for ever: phase one's multipliers."""
        matrix = [self.column(j) for j in infeasible.columns]
        real = len(self.monomials)
        costs = [-self.field.one if j >= real else self.field.zero for j in infeasible.columns]
        return tuple(solve(matrix, costs))[1:]

    def determinant(self, basis: simplex.Basis) -> Fraction:
        found: Fraction = determinant([self.column(j) for j in basis.columns])
        return found

    def _named(self, weighted: Iterable[tuple[int, Fraction]]) -> WeightedBound:
        kept = [(j, y) for j, y in weighted if y and j < len(self.monomials)]
        return WeightedBound(
            tuple((self.monomials[j], y) for j, y in kept if j < self.top),
            tuple((self.monomials[j], y) for j, y in kept if j >= self.top),
        )

    def _unit(self, row: int) -> list[Fraction]:
        return [self.field.one if i == row else self.field.zero for i in range(self.height)]

    def _square(self, columns: Sequence[int]) -> list[list[Scalar]]:
        return [list(row) for row in zip(*(self.column(j) for j in columns), strict=True)]


def _order(monomial: Monomial) -> tuple[object, ...]:
    return tuple(x.key for x in (*monomial.powers, *monomial.constant.levels))
