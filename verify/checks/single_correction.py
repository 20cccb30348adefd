"""Which one printed constant, if altered, makes a whole table consistent, and to what value?"""

from __future__ import annotations

__all__ = ["SingleCorrection"]

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from numbers import Rational

import sympy as sp

from theory.relation import Relation
from verify.checks import arguments
from verify.checks.base import Budget, Check
from verify.checks.printed_table import PrintedTable
from verify.details import Details
from verify.errors import InputError
from verify.printed.intervals import Interval, decimal
from verify.printed.numerals import Rounding
from verify.printed.rounding_readings import Reading
from verify.search.feasibility import Constraint, Feasibility, jointly_feasible
from verify.search.global_search import global_search
from verify.search.second_opinion import DIGITS, as_float
from verify.search.table_fit import joint_system
from verify.verdicts import Evidence, Grade, Verdict

NEAREST = Reading(Rounding.HALF_UP, Rounding.HALF_UP)


@dataclass(frozen=True)
class NothingToCorrect(Details):
    """How many boxes it took to see that the table needs no correction, or that the budget does not tell."""

    boxes: int


@dataclass(frozen=True)
class Corrections(Details):
    """Why the table as printed is infeasible, and what each constant altered alone does."""

    as_printed: str
    altered_alone: Mapping[str, str]
    reading: str
    search: str
    altered_value: Mapping[str, str] | None = None


@dataclass(frozen=True)
class SingleCorrection(Check):
    """Exactly the constants ``corrected`` can each, altered alone, reconcile the table.

    ``base`` is a `PrintedTable` with shared constants. Each constant in turn is
    freed between 1/``factor`` and ``factor`` times its printed value, all others
    staying within their rounding, and all cells must fit jointly. SUPPORTED:
    the table as printed is infeasible (certified) and the constants that
    reconcile it are exactly those claimed. The bracket of the altered value is
    certified from outside and attained from inside.
    """

    base: PrintedTable
    corrected: Sequence[sp.Symbol]
    factor: Fraction = Fraction(2)
    reading: Reading = NEAREST

    def validate(self) -> None:
        if not isinstance(self.base, PrintedTable):
            raise arguments.refuse(
                "SingleCorrection: base", self.base, "a PrintedTable with shared constants"
            )
        arguments.reading("SingleCorrection: reading", self.reading)
        arguments.each_is("SingleCorrection: corrected", self.corrected, sp.Symbol, "a Symbol of base.shared")
        if not isinstance(self.factor, Rational) or self.factor <= 1:
            raise InputError(
                f"SingleCorrection: factor={self.factor!r}, expected an int or a Fraction of more than 1"
            )
        unknown = [str(s) for s in self.corrected if s not in self.base.shared]
        if unknown or not self.base.shared:
            raise InputError(
                f"SingleCorrection: {', '.join(unknown) or 'no constant'} is not a shared constant of the table; "
                f"expected some of {', '.join(s.name for s in self.base.shared) or 'none given'}"
            )

    def claimed(self) -> Sequence[Relation]:
        return self.base.claimed()

    def claiming(self, relations: Sequence[Relation]) -> SingleCorrection:
        return replace(self, base=self.base.claiming(relations))

    def relevant(self) -> SingleCorrection:
        """This check with its table reduced to the columns it reads."""
        return replace(self, base=self.base.relevant())

    def evidence(self, budget: Budget) -> Iterable[Evidence]:
        constraints, box = self._system()
        limit = max(100, budget.boxes // 5)
        printed = jointly_feasible(constraints, box, budget=limit)
        if printed.feasible is not False:
            yield Evidence(
                Verdict.INCONCLUSIVE,
                Grade.BALL,
                "the table is consistent with its constants as printed, so nothing needs correcting"
                if printed.feasible
                else "the printed constants could be neither confirmed nor excluded within the budget",
                NothingToCorrect(printed.boxes),
            )
            return
        answers = {s: self._free(s, constraints, box, limit) for s in self.base.shared}
        undecided = [s.name for s, a in answers.items() if a.feasible is None]
        works = [s for s, a in answers.items() if a.feasible]
        details = Corrections(
            as_printed=f"infeasible; conflict of {', '.join(printed.conflict[:4])}",
            altered_alone={
                s.name: "reconciles" if a.feasible else f"does not; conflict of {', '.join(a.conflict[:3])}"
                for s, a in answers.items()
            },
            reading=str(self.reading),
            search=f"each constant between 1/{self.factor} and {self.factor} times its printed value",
        )
        if undecided:
            yield Evidence(
                Verdict.INCONCLUSIVE,
                Grade.BALL,
                f"undecided for {', '.join(undecided)} within the budget",
                details,
            )
            return
        brackets = {s: self._bracket(s, answers[s], constraints, box, limit) for s in works}
        details = replace(details, altered_value={s.name: _bracket_text(*b) for s, b in brackets.items()})
        says = [
            f"{s.name} altered from the printed {self.base.shared[s].text} to a value in {_bracket_text(*b)}"
            for s, b in brackets.items()
        ]
        finding = (
            f"with the constants as printed the table is infeasible ({', '.join(printed.conflict[:3])}); "
            + (
                f"what reconciles all {len(constraints)} cells, one constant at a time: {'; '.join(says)}; none of the other "
                f"{len(answers) - len(works)} constants does"
                if says
                else "no single constant reconciles it"
            )
        )
        if set(works) == set(self.corrected):
            yield Evidence(Verdict.SUPPORTED, Grade.BALL, finding, details)
            return
        wrong = [s for s in self.corrected if s not in works] or [s for s in works if s not in self.corrected]
        yield Evidence(
            Verdict.REFUTED,
            Grade.BALL,
            finding,
            details,
            witness={
                "constant": wrong[0].name,
                "answer": details.altered_alone[wrong[0].name],
                "point": {name: decimal(x, 12) for name, x in answers[wrong[0]].point.items()},
            },
            confirmed_by=self._confirm(wrong[0], answers[wrong[0]]),
        )

    def _system(self) -> tuple[list[Constraint], dict[sp.Symbol, Interval]]:
        return joint_system(self.base.derived, self.reading, range(len(self.base.table)))

    def _range(self, symbol: sp.Symbol) -> Interval:
        value = self.base.shared[symbol].printed.value
        ends = sorted((value / self.factor, value * self.factor))
        return Interval(ends[0], ends[1])

    def _free(
        self, symbol: sp.Symbol, constraints: list[Constraint], box: dict[sp.Symbol, Interval], limit: int
    ) -> Feasibility:
        return jointly_feasible(constraints, {**box, symbol: self._range(symbol)}, budget=limit)

    def _bracket(
        self,
        symbol: sp.Symbol,
        answer: Feasibility,
        constraints: list[Constraint],
        box: dict[sp.Symbol, Interval],
        limit: int,
    ) -> tuple[Interval, Interval]:
        """(certified outer, attained inner) bracket of the altered value, ends found by bisection."""
        whole = self._range(symbol)
        attained = answer.point[symbol.name]
        step = self.base.shared[symbol].printed.last_digit / 8
        ends = []
        inner = []
        for edge in whole.bounds:
            inside, outside = attained, edge
            while abs(outside - inside) > step:
                middle = (inside + outside) / 2
                part = Interval(min(middle, outside), max(middle, outside))
                found = jointly_feasible(constraints, {**box, symbol: part}, budget=limit)
                if found.feasible is False:
                    outside = middle
                elif found.feasible:
                    inside = found.point[symbol.name]
                else:
                    break
            ends.append(outside)
            inner.append(inside)
        return Interval(min(ends), max(ends)), Interval(min(inner), max(inner))

    def _confirm(self, symbol: sp.Symbol, answer: Feasibility) -> str:
        """Second evaluator of the answer for one constant."""
        if answer.feasible:
            constraints, _ = self._system()
            point = {sp.Symbol(name): x for name, x in answer.point.items()}
            return NAMED_POINT if all(_holds_at(c, point) for c in constraints) else ""
        constraints, box = self._system()
        return global_search(constraints, {**box, symbol: self._range(symbol)})


NAMED_POINT = "mpmath at 40 digits, at a point that satisfies every cell"


def _holds_at(constraint: Constraint, point: Mapping[sp.Symbol, Fraction]) -> bool:
    values = {s: as_float(x) for s, x in point.items()}
    by_name = {s: values[sp.Symbol(s.name)] for s in constraint.expr.free_symbols}
    value = constraint.expr.evalf(DIGITS, subs=by_name)
    lo, hi = (as_float(x) for x in constraint.target.bounds)
    return bool(lo <= value <= hi)


def _bracket_text(outer: Interval, inner: Interval) -> str:
    return (
        f"[{decimal(outer.lo, 8)}, {decimal(outer.hi, 8)}] "
        f"(attained from {decimal(inner.lo, 8)} to {decimal(inner.hi, 8)})"
    )
