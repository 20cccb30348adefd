"""Signs of rational functions of positive parameters: conditions, and the domain they hold on.

Most signs are settled by looking: a polynomial whose coefficients are all
positive is positive wherever the parameters are. Only what remains is asked of
the real solver, after every factor of known sign has been dropped.
"""

from __future__ import annotations

from collections.abc import Sequence

import flint
import sympy as sp

from theory.rates import real_solver
from theory.rates.conditions import Condition, Point, definite_sign
from theory.rates.field import Field, Fraction, NotRational
from theory.rates.growth import Growth
from theory.rates.problem import RateError, RateProblem


class Domain:
    """All positive parameters that meet the assumptions."""

    def __init__(self, field: Field, assumptions: Sequence[Condition] = ()) -> None:
        self.field = field
        self.assumptions = tuple(assumptions)

    def restricted(self, *more: Condition) -> Domain:
        return Domain(self.field, (*self.assumptions, *more))

    def sign(self, element: Fraction) -> int | None:
        """+1, 0 or -1 where the sign is the same all over the domain and can be proved; None otherwise."""
        num, den = definite_sign(element.num), definite_sign(element.den)
        if num is not None and den:
            return num * den
        if not self.assumptions:
            return None
        product = self.field.constant(1) * Fraction(element.num * element.den, self.field.context.constant(1))
        for sign, levels in ((1, (product,)), (-1, (-product,))):
            if self.implies(Condition(levels, strict=True)):
                return sign
        if self.implies(Condition((product,), strict=False)) and self.implies(
            Condition((-product,), strict=False)
        ):
            return 0
        return None

    def implies(self, condition: Condition) -> bool:
        """Whether the condition is proved on the whole domain."""
        if condition in self.assumptions:
            return True
        try:
            return self.point(condition.negated()) is None
        except real_solver.GaveUp:
            return False

    def without_idle(self, region: Sequence[Condition]) -> tuple[Condition, ...]:
        """The region without the conditions that follow from its others."""
        kept = list(region)
        for condition in region:
            others = [c for c in kept if c is not condition]
            if self.restricted(*others).implies(condition):
                kept = others
        return tuple(kept)

    def is_empty(self) -> bool:
        """Whether it is proved that no parameters are left."""
        try:
            return self.point() is None
        except real_solver.GaveUp:
            return False

    def point(self, *where: Condition, outside: Sequence[Sequence[Condition]] = ()) -> Point | None:
        """A rational point of the domain that meets ``where``, outside all listed regions; None: there is none.

        Raises `real_solver.GaveUp` where the solver cannot tell.
        """
        inside = [*self.assumptions, *where]
        trial = tuple(flint.fmpq(p) for p in _TRIAL[: len(self.field.parameters)])
        if len(trial) == len(self.field.parameters) and self._is_in(trial, inside, outside):
            return trial
        if any(not region for region in outside):
            return None
        found = real_solver.find_point(
            len(self.field.parameters),
            [c.levels for c in inside],
            [c.strict for c in inside],
            [[(c.levels, c.strict) for c in region] for region in outside],
        )
        if found is not None and not self._is_in(found, inside, outside):
            raise real_solver.GaveUp("the only points found are irrational")
        return found

    def point_in(self, region: Sequence[Sequence[Condition]], *where: Condition) -> Point | None:
        """A point of a union of conjunctions that meets ``where``; None where none is found."""
        for conjunction in region:
            try:
                if (found := self.restricted(*conjunction).point(*where)) is not None:
                    return found
            except real_solver.GaveUp:
                continue
        return None

    def _is_in(
        self, point: Point, inside: Sequence[Condition], outside: Sequence[Sequence[Condition]]
    ) -> bool:
        return all(c.holds_at(point) for c in inside) and not any(
            all(c.holds_at(point) for c in region) for region in outside
        )

    def conditions(self, growth: Growth | Fraction, *, strict: bool, at: Point) -> list[Condition]:
        """What must be asked of the parameters for ``growth >= 0`` (``> 0``), knowing that it holds at a point.

        Factors of known sign are dropped; the empty list means that it holds everywhere.
        Factors of a denominator keep the sign they have at the point.
        """
        found: list[Condition] = []
        levels: list[Fraction] = []
        for level in growth.levels if isinstance(growth, Growth) else (growth,):
            if not level:
                continue
            reduced, sides = self._without_definite_factors(level, at)
            found += sides
            sign = definite_sign(reduced.num)
            if sign is not None:
                strict = sign < 0
                if levels or sign > 0:
                    break
                raise AssertionError("a condition that is false everywhere cannot hold at the sample point")
            levels.append(reduced)
        if levels:
            found.append(Condition(tuple(levels), strict))
        return found

    def _without_definite_factors(self, element: Fraction, at: Point) -> tuple[Fraction, list[Condition]]:
        one = self.field.context.constant(1)
        if definite_sign(element.num) is not None and definite_sign(element.den) is not None:
            return self.field.constant(definite_sign(element.num) * definite_sign(element.den)), []  # type: ignore[operator]
        kept, sides = one, []
        for poly, is_denominator in ((element.num, False), (element.den, True)):
            content, factors = poly.factor()
            kept = kept * (1 if content > 0 else -1)
            for factor, multiplicity in factors:
                sign = definite_sign(factor)
                if sign is not None:
                    kept = kept * sign**multiplicity
                elif is_denominator:
                    here = 1 if flint.fmpq(factor(*at)) > 0 else -1
                    sides.append(Condition((Fraction(factor * here, one),), strict=True))
                    kept = kept * here**multiplicity
                else:
                    kept = kept * factor ** (1 if multiplicity % 2 else 2)
        return Fraction(kept, one), sides


_TRIAL = (2, 3, 5, 7, 11, 13, 17, 19)  # a first guess costs nothing; the solver is asked only after it


def domain_of(caller: str, problem: RateProblem) -> Domain:
    """The domain of a problem's parameters; `RateError` where an assumption is not rational in them."""
    conditions = []
    for lhs, rhs, strict in problem.assumptions:
        try:
            difference = problem.field.read(rhs - lhs)
        except NotRational:
            raise RateError(
                f"{caller}(subject_to: {lhs} <= {rhs}): expected a relation between rational functions of parameters"
            ) from None
        if not definite_sign(difference.den):
            raise RateError(
                f"{caller}(subject_to: {lhs} <= {rhs}): the sign of the denominator in {sp.together(rhs - lhs)} "
                "is not known; multiply it out"
            )
        sign = definite_sign(difference.den)
        conditions.append(
            Condition((Fraction(difference.num * sign, problem.field.context.constant(1)),), strict)
        )
    return Domain(problem.field, conditions)
