"""Critical regions: at a sample point exact simplex finds the bases, which hold on a whole region.

A basis is lifted from the sample point to the parameter field by one exact
solve, and its region is where its weights and its slacks stay non-negative.
Sample points come from the real solver until nothing is left uncovered, which
proves the list of regions complete.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from theory.rates import real_solver, simplex
from theory.rates.certificate import Cell, RateOutcome, WeightedBound
from theory.rates.conditions import Condition, Point
from theory.rates.domain import Domain
from theory.rates.field import Fraction
from theory.rates.growth import Growth, Monomial, weighted_product
from theory.rates.linear_program import LinearProgram
from theory.rates.normal_form import Case, MonomialProgram
from theory.rates.problem import RateProblem

MOST_REGIONS = 64


@dataclass(frozen=True)
class Found:
    """A cell with what the search knows beside it: whether its point is proved the only one, and whether
    a factor log log n was too small to see."""

    cell: Cell
    unique: bool = False
    drops_loglog: bool = False


def cover(problem: RateProblem, case: Case) -> tuple[list[Found], bool]:
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


@dataclass(frozen=True)
class _Solved:
    """One program with its optimal basis and its value."""

    program: MonomialProgram
    linear: LinearProgram
    basis: simplex.Basis
    value: Growth


@dataclass
class _CellMaker:
    """Solves every program of a case at one sample point, and collects what keeps the solutions right."""

    problem: RateProblem
    case: Case
    sample: Point
    needs: list[Condition] = field(default_factory=list)

    def found(self) -> Found:
        solved: list[_Solved] = []
        empty: list[WeightedBound] = []
        for program in self.case.programs:
            linear = LinearProgram.of(program.objective, program.constraints, self.problem.field)
            outcome = linear.solve_at(self.sample) if linear.top else simplex.Infeasible(())
            if isinstance(outcome, simplex.Basis):
                value = self._product(linear.bound(outcome)).constant
                solved.append(_Solved(program, linear, outcome, value))
            elif isinstance(outcome, simplex.Ray):
                empty.append(linear.emptiness(outcome))
            else:
                unbounded = self._unbounded(program, linear, outcome)
                if isinstance(unbounded, Cell):
                    return Found(unbounded)
                empty.append(unbounded)
        if solved:
            return self._attained(solved, empty)
        bounds = self._bounds(empty, None)
        return Found(Cell(self._region(), RateOutcome.INFEASIBLE, bounds=bounds))

    def _unbounded(
        self, program: MonomialProgram, linear: LinearProgram, outcome: simplex.Infeasible
    ) -> Cell | WeightedBound:
        """Where the dual has no point the rate is unbounded, unless the program has no point either."""
        feasible = LinearProgram.of([self._unit], program.constraints, self.problem.field)
        inner = feasible.solve_at(self.sample)
        if isinstance(inner, simplex.Ray):
            return feasible.emptiness(inner)
        assert isinstance(inner, simplex.Basis)
        point = feasible.vertex(inner)
        ray = linear.ray(outcome) if linear.top else (self.problem.field.zero,) * len(point)
        for monomial in program.objective:
            self._need(-_slope(monomial, ray), strict=True)
        for monomial in program.constraints:
            self._need(-_slope(monomial, ray))
            self._need(-monomial.at(point))
        return Cell(self._region(), RateOutcome.UNBOUNDED, point=point, ray=ray)

    def _attained(self, solved: list[_Solved], empty: list[WeightedBound]) -> Found:
        lowest = min(self._at_sample(s.value) for s in solved)
        ties = [s for s in solved if self._at_sample(s.value) == lowest]
        candidates = [(s, *self._least(s)) for s in ties]
        best, linear, basis = min(
            candidates, key=lambda c: self._at_sample(self._total_size.at(c[1].vertex(c[2])))
        )
        point = linear.vertex(basis)
        for monomial in best.program.objective:
            self._need(best.value - monomial.at(point))
        for monomial in best.program.constraints:
            self._need(-monomial.at(point))
        least = self._least_bound(best, linear, basis)
        bounds = self._bounds([*(s.linear.bound(s.basis) for s in solved), *empty], best.value)
        cell = Cell(self._region(), RateOutcome.ATTAINED, best.value, point, bounds=bounds, least=least)
        return Found(cell, self._is_unique(cell, solved), self._drops_loglog(point))

    # The least of the points that attain the minimum

    @property
    def _unit(self) -> Monomial:
        zero = self.problem.field.zero
        return Monomial((zero,) * len(self.problem.sizes), Growth(zero, zero, zero, zero))

    @property
    def _total_size(self) -> Monomial:
        one = self.problem.field.one
        powers = tuple(-one if s in self.problem.small else one for s in self.problem.sizes)
        return Monomial(powers, self._unit.constant)

    def _least(self, solved: _Solved) -> tuple[LinearProgram, simplex.Basis]:
        """Minimise the product of the sizes where the rate is at most its minimum: the same primitive again."""
        optimal = {_shifted(m, solved.value) for m in solved.program.objective}
        constraints = optimal | solved.program.constraints
        linear = LinearProgram.of([self._total_size], constraints, self.problem.field)
        basis = linear.solve_at(self.sample)
        assert isinstance(basis, simplex.Basis)
        return linear, basis

    def _least_bound(self, solved: _Solved, linear: LinearProgram, basis: simplex.Basis) -> WeightedBound:
        """The multipliers that prove it, those on ``m / n^value`` written on the monomials m themselves."""
        multipliers = linear.bound(basis).multipliers
        for _, weight in multipliers:
            self._need(weight)
        rate = {_shifted(m, solved.value): m for m in solved.program.objective}
        return WeightedBound(
            tuple((rate[m], y) for m, y in multipliers if m in rate),
            tuple((m, y) for m, y in multipliers if m not in rate),
        )

    def _is_unique(self, cell: Cell, solved: list[_Solved]) -> bool:
        """Whether positive weights pin each optimal point of each program to the one found, all over the region."""
        domain = Domain(self.problem.field, [*self.case.common, *cell.region])

        def positive(growth: Growth | Fraction) -> bool:
            return all(domain.implies(c) for c in domain.conditions(growth, strict=True, at=self.sample))

        assert cell.value is not None
        for one in solved:
            excess = one.value - cell.value
            if any(self._at_sample(excess)) and positive(excess):
                continue
            weights = [y for _, y in one.linear.weights(one.basis)]
            if not all(y.at(self.sample) and positive(y) for y in weights):
                return False
            regular = domain.sign(one.linear.determinant(one.basis)) in (1, -1)
            if not regular or one.linear.vertex(one.basis) != cell.point:
                return False
        return True

    def _drops_loglog(self, point: tuple[Growth, ...]) -> bool:
        sizes = [argument.at(point) for argument in self.case.log_arguments]
        return any(not size.power and size.is_resolved and bool(size.logs) for size in sizes)

    # Bounds and the region on which all of it holds

    def _bounds(self, candidates: Iterable[WeightedBound], value: Growth | None) -> tuple[WeightedBound, ...]:
        """Bounds enough for every program, none to spare, with their conditions noted."""
        kept = list(dict.fromkeys(candidates))
        for bound in list(kept):
            others = [b for b in kept if b != bound]
            if all(any(_serves(b, program) for b in others) for program in self.case.programs):
                kept = others
        for bound in kept:
            for _, weight in (*bound.weights, *bound.multipliers):
                self._need(weight)
            total = self._product(bound).constant
            if bound.total and value is not None:
                self._need(total - value)
            else:
                self._need(total, strict=True)
        return tuple(kept)

    def _product(self, bound: WeightedBound) -> Monomial:
        return weighted_product((*bound.weights, *bound.multipliers), self._unit)

    def _need(self, growth: Growth | Fraction, *, strict: bool = False) -> None:
        self.needs += self.case.domain.conditions(growth, strict=strict, at=self.sample)

    def _at_sample(self, growth: Growth) -> tuple[object, ...]:
        return tuple(level.at(self.sample) for level in growth.levels)

    def _region(self) -> tuple[Condition, ...]:
        """The case's own conditions with those collected, each once and none that the others imply."""
        own = self.case.domain.assumptions[len(self.case.common) :]
        kept = list(dict.fromkeys([*own, *(c for c in self.needs if c not in self.case.common)]))
        for condition in list(kept):
            others = [c for c in kept if c != condition]
            if (others or self.case.common) and Domain(
                self.problem.field, [*self.case.common, *others]
            ).implies(condition):
                kept = others
        return tuple(kept)


def _serves(bound: WeightedBound, program: MonomialProgram) -> bool:
    used, limits = {m for m, _ in bound.weights}, {m for m, _ in bound.multipliers}
    return used <= program.objective and limits <= program.constraints


def _shifted(monomial: Monomial, value: Growth) -> Monomial:
    """The monomial over ``n^value``."""
    return Monomial(monomial.powers, monomial.constant - value)


def _slope(monomial: Monomial, ray: Sequence[Fraction]) -> Fraction:
    """How fast the exponent of a monomial grows along a ray."""
    zero = monomial.constant.power * 0
    total: Fraction = sum(
        (power * step for power, step in zip(monomial.powers, ray, strict=True)), start=zero
    )
    return total
