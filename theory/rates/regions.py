"""Critical regions: at a sample point exact simplex finds the bases, which hold on a whole region.

A basis is lifted from the sample point to the parameter field by one exact
solve, and its region is where its weights and its slacks stay non-negative.
Sample points come from the real solver until nothing is left uncovered, which
proves the list of regions complete.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import flint

from theory.rates import real_solver, simplex
from theory.rates.certificate import Bound, Cell, Outcome, Weighted
from theory.rates.conditions import Condition, Point
from theory.rates.domain import Domain
from theory.rates.field import Fraction
from theory.rates.growth import Growth, Monomial, Scalar
from theory.rates.normal_form import Case, Program
from theory.rates.problem import Problem

MOST_REGIONS = 64


@dataclass(frozen=True)
class LinearProgram:
    """The dual, ``maximise costs . y`` with ``sum y_j columns[j] = (1, 0, ..., 0)`` and ``y >= 0``.

    A row of the primal is a monomial: ``z >= a.t + c`` for one of the rate
    (``top`` many, first), ``0 >= g.t + h`` for a constraint.
    """

    monomials: tuple[Monomial, ...]
    top: int
    domain: Domain

    def column(self, j: int) -> list[Fraction]:
        if j >= len(self.monomials):  # an artificial column of phase one
            unit = j - len(self.monomials)
            return [self.domain.field.constant(int(i == unit)) for i in range(self.height)]
        head = self.domain.field.constant(int(j < self.top))
        return [head, *(-power for power in self.monomials[j].powers)]

    @property
    def height(self) -> int:
        return 1 + len(self.monomials[0].powers)

    @property
    def rhs(self) -> list[Fraction]:
        return [self.domain.field.constant(int(i == 0)) for i in range(self.height)]

    def solve_at(self, point: Point) -> simplex.Basis | simplex.Ray | simplex.Infeasible:
        columns = [[x.at(point) for x in self.column(j)] for j in range(len(self.monomials))]
        costs = [tuple(x.at(point) for x in m.constant.levels) for m in self.monomials]
        return simplex.maximise(columns, costs, [flint.fmpq(int(i == 0)) for i in range(self.height)])

    def weights(self, basis: Sequence[int]) -> list[tuple[Monomial, Fraction]]:
        matrix = _transposed([self.column(j) for j in basis])
        solution = simplex.solve(matrix, self.rhs)
        return [
            (self.monomials[j], y) for j, y in zip(basis, solution, strict=True) if j < len(self.monomials)
        ]

    def direction(self, ray: simplex.Ray) -> list[tuple[Monomial, Fraction]]:
        """Multipliers of a Farkas proof: the entering column with what it takes from the basis."""
        matrix = _transposed([self.column(j) for j in ray.columns])
        against = simplex.solve(matrix, self.column(ray.entering))
        pairs = zip(ray.columns, against, strict=True)
        found = [(self.monomials[j], -y) for j, y in pairs if j < len(self.monomials)]
        return [*found, (self.monomials[ray.entering], self.domain.field.one)]

    def vertex(self, basis: Sequence[int]) -> tuple[Growth, ...]:
        """The sizes' exponents at the primal vertex of a basis."""
        matrix = [self.column(j) for j in basis]
        levels = []
        for level in range(4):
            rhs = [self.monomials[j].constant.levels[level] for j in basis]
            zero = [self.domain.field.zero] * self.height
            levels.append(simplex.solve(matrix, rhs) if any(rhs) else zero)
        return tuple(Growth(*parts) for parts in zip(*levels, strict=True))[1:]

    def primal_ray(self, infeasible: simplex.Infeasible) -> tuple[Fraction, ...]:
        """A direction of the sizes along which the rate falls for ever: phase one's multipliers."""
        matrix = [self.column(j) for j in infeasible.columns]
        costs = [-self.domain.field.constant(int(j >= len(self.monomials))) for j in infeasible.columns]
        return tuple(simplex.solve(matrix, costs))[1:]


def _transposed(rows: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    return [list(column) for column in zip(*rows, strict=True)]


@dataclass(frozen=True)
class Found:
    """A cell with what the search knows beside it: whether its point is proved the only one, and whether
    a factor log log n was too small to see."""

    cell: Cell
    unique: bool = False
    drops_loglog: bool = False


def cover(problem: Problem, case: Case) -> tuple[list[Found], bool]:
    """Cells that cover the case's part of the parameters, and whether they are proved to."""
    found: list[Found] = []
    while len(found) < MOST_REGIONS:
        try:
            sample = case.domain.point(outside=[f.cell.region for f in found])
        except real_solver.GaveUp:
            return found, False
        if sample is None:
            return found, True
        found.append(_CellMaker(problem, case, sample).found())
    return found, False


@dataclass
class _CellMaker:
    """Solves every program of a case at one sample point and collects what must hold for it all to stay true."""

    problem: Problem
    case: Case
    sample: Point

    def __post_init__(self) -> None:
        self.needs: list[Condition] = []

    def need(self, growth: Growth | Fraction, *, strict: bool = False) -> None:
        self.needs += self.case.domain.conditions(growth, strict=strict, at=self.sample)

    def need_weights(self, weighted: Iterable[tuple[Monomial, Fraction]]) -> Weighted:
        kept = tuple((m, y) for m, y in weighted if y)
        for _, weight in kept:
            self.need(weight)
        return kept

    def found(self) -> Found:
        attained: list[tuple[Program, LinearProgram, simplex.Basis]] = []
        bounds: list[Bound] = []
        for program in self.case.programs:
            linear = self._linear(program.objective, program.constraints)
            outcome = linear.solve_at(self.sample) if linear.top else simplex.Infeasible(())
            if isinstance(outcome, simplex.Basis):
                attained.append((program, linear, outcome))
            elif isinstance(outcome, simplex.Ray):
                bounds.append(Bound((), self.need_weights(linear.direction(outcome))))
                self._need_empty(bounds[-1])
            else:
                empty = self._unbounded(program, linear, outcome)
                if isinstance(empty, Cell):
                    return Found(empty)
                bounds.append(empty)
        if not attained:
            return Found(Cell(self._region(), Outcome.INFEASIBLE, bounds=self._distinct(bounds)))
        return self._attained(attained, bounds)

    def _linear(self, objective: Iterable[Monomial], constraints: Iterable[Monomial]) -> LinearProgram:
        top, rest = sorted(objective, key=_order), sorted(constraints, key=_order)
        return LinearProgram((*top, *rest), len(top), self.case.domain)

    def _need_empty(self, bound: Bound) -> None:
        total = self._product(bound.multipliers)
        self.need(total.constant, strict=True)

    def _product(self, weighted: Weighted) -> Monomial:
        zero = self.problem.field.zero
        total = Monomial((zero,) * len(self.problem.sizes), Growth(zero, zero, zero, zero))
        for monomial, weight in weighted:
            total = total * monomial**weight
        return total

    def _unbounded(
        self, program: Program, linear: LinearProgram, outcome: simplex.Infeasible
    ) -> Cell | Bound:
        """Where the dual has no point the rate is unbounded, unless the program has no point either."""
        nothing = self._product(())
        feasible = self._linear([nothing], program.constraints)
        inner = feasible.solve_at(self.sample)
        if isinstance(inner, simplex.Ray):
            bound = Bound((), self.need_weights(feasible.direction(inner)))
            self._need_empty(bound)
            return bound
        assert isinstance(inner, simplex.Basis)
        self.needs = []
        point = feasible.vertex(inner.columns)
        ray = linear.primal_ray(outcome) if linear.top else (self.problem.field.zero,) * len(point)
        for monomial in program.objective:
            self.need(-_slope(monomial, ray), strict=True)
        for monomial in program.constraints:
            self.need(-_slope(monomial, ray))
            self.need(-monomial.at(point))
        return Cell(self._region(), Outcome.UNBOUNDED, point=point, ray=ray)

    def _attained(
        self, attained: list[tuple[Program, LinearProgram, simplex.Basis]], bounds: list[Bound]
    ) -> Found:
        solved = []
        for program, linear, basis in attained:
            weighted = self.need_weights(linear.weights(basis.columns))
            inside = {*program.objective}
            bound = Bound(
                tuple(p for p in weighted if p[0] in inside),
                tuple(p for p in weighted if p[0] not in inside),
            )
            bounds.append(bound)
            solved.append((program, self._product(weighted).constant))
        values = [tuple(x.at(self.sample) for x in value.levels) for _, value in solved]
        smallest = min(values)
        ties = [pair for pair, value in zip(solved, values, strict=True) if value == smallest]
        leasts = [(program, value, *self._least(program, value)) for program, value in ties]
        program, value, linear, basis = min(
            leasts, key=lambda found: self._size_at_sample(found[2], found[3])
        )
        for _, other in solved:
            self.need(other - value)
        point = linear.vertex(basis.columns)
        for monomial in program.objective:
            self.need(value - monomial.at(point))
        for monomial in program.constraints:
            self.need(-monomial.at(point))
        least = self._least_bound(program, value, self.need_weights(linear.weights(basis.columns)))
        cell = Cell(
            self._region(), Outcome.ATTAINED, value, point, bounds=self._distinct(bounds), least=least
        )
        return Found(cell, self._is_unique(cell, attained), self._drops_loglog(point))

    def _least_bound(self, program: Program, value: Growth, weighted: Weighted) -> Bound:
        """The least point's multipliers, those on ``m / n^value`` written on the monomials m themselves."""
        rate = {_shifted(m, value): m for m in program.objective}
        others = [p for p in weighted if p[0] != self._total_size]
        return Bound(
            tuple((rate[m], y) for m, y in others if m in rate),
            tuple((m, y) for m, y in others if m not in rate),
        )

    def _is_unique(self, cell: Cell, attained: list[tuple[Program, LinearProgram, simplex.Basis]]) -> bool:
        """Whether positive weights pin every optimal point of every program to the one found, all over the region."""
        domain = Domain(self.problem.field, [*self.case.common, *cell.region])

        def positive(growth: Growth | Fraction) -> bool:
            return all(domain.implies(c) for c in domain.conditions(growth, strict=True, at=self.sample))

        assert cell.value is not None
        for _, linear, basis in attained:
            weighted = linear.weights(basis.columns)
            excess = self._product(tuple(weighted)).constant - cell.value
            if any(x.at(self.sample) for x in excess.levels) and positive(excess):
                continue
            determinant = simplex.determinant([linear.column(j) for j in basis.columns])
            pinned = all(y and positive(y) for _, y in weighted) and domain.sign(determinant) in (1, -1)
            if not pinned or linear.vertex(basis.columns) != cell.point:
                return False
        return True

    def _drops_loglog(self, point: tuple[Growth, ...]) -> bool:
        sizes = [argument.at(point) for argument in self.case.log_arguments]
        return any(not size.power and size.is_resolved and bool(size.logs) for size in sizes)

    @property
    def _total_size(self) -> Monomial:
        zero, one = self.problem.field.zero, self.problem.field.one
        powers = tuple(-one if s in self.problem.small else one for s in self.problem.sizes)
        return Monomial(powers, Growth(zero, zero, zero, zero))

    def _least(self, program: Program, value: Growth) -> tuple[LinearProgram, simplex.Basis]:
        """Among the points that attain the value, the one whose sizes have the least product."""
        optimal = [_shifted(m, value) for m in program.objective]
        linear = self._linear([self._total_size], [*optimal, *program.constraints])
        basis = linear.solve_at(self.sample)
        assert isinstance(basis, simplex.Basis)
        return linear, basis

    def _size_at_sample(self, linear: LinearProgram, basis: simplex.Basis) -> tuple[Scalar, ...]:
        growth = self._total_size.at(linear.vertex(basis.columns))
        return tuple(x.at(self.sample) for x in growth.levels)

    def _distinct(self, bounds: Iterable[Bound]) -> tuple[Bound, ...]:
        return tuple(dict.fromkeys(bounds))

    def _region(self) -> tuple[Condition, ...]:
        """The case's own conditions with those collected, each once and none that the others imply."""
        own = self.case.domain.assumptions[len(self.case.common) :]
        kept = list(dict.fromkeys([*own, *(c for c in self.needs if c not in self.case.common)]))
        for condition in list(kept):
            if len(kept) > 1:
                others = [c for c in kept if c != condition]
                if Domain(self.problem.field, [*self.case.common, *others]).implies(condition):
                    kept = others
        return tuple(kept)


def _shifted(monomial: Monomial, value: Growth) -> Monomial:
    """The monomial over ``n^value``."""
    return Monomial(monomial.powers, monomial.constant - value)


def _slope(monomial: Monomial, ray: Sequence[Fraction]) -> Fraction:
    """How fast the exponent of a monomial grows along a ray."""
    total = ray[0] * 0
    for power, step in zip(monomial.powers, ray, strict=True):
        total = total + power * step
    return total


def _order(monomial: Monomial) -> tuple[object, ...]:
    """A fixed order of monomials, so that equal problems give equal certificates."""
    return tuple(x.key for x in (*monomial.powers, *monomial.constant.levels))
