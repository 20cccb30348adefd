"""The one door to z3: a rational point where polynomial signs are as asked, or the word that there is none.

z3 is loaded on first use. An answer of "none" is a proof for all real
parameters; where the solver runs out of its budget, `GaveUp` is raised and
nothing is concluded. The budget is counted in the solver's own steps, so that an
answer does not depend on the machine.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import flint

from theory.rates.field import Fraction

STEPS = 250_000
Levels = Sequence[Fraction]


class GaveUp(Exception):
    """The solver could not tell."""


def find_point(
    parameters: int,
    inside: Sequence[Levels],
    strict: Sequence[bool],
    outside: Sequence[Sequence[tuple[Levels, bool]]],
) -> tuple[Any, ...] | None:
    """Positive parameters with every ``inside`` condition true and each ``outside`` conjunction false."""
    import z3

    names = _variables(parameters)
    solver = z3.SolverFor("QF_NRA")
    solver.set("rlimit", STEPS)
    solver.add(*[x > 0 for x in names])
    solver.add(*[_formula(levels, s, names) for levels, s in zip(inside, strict, strict=True)])
    for region in outside:
        solver.add(z3.Not(z3.And([_formula(levels, s, names) for levels, s in region])))
    answer = solver.check()
    if answer == z3.unsat:
        return None
    if answer != z3.sat:
        raise GaveUp(solver.reason_unknown())
    model = solver.model()
    return tuple(_rational(model.eval(x, model_completion=True)) for x in names)


@functools.cache
def _variables(count: int) -> tuple[Any, ...]:
    import z3

    return tuple(z3.Real(f"p{i}") for i in range(count))


def _formula(levels: Levels, strict: bool, names: Sequence[Any]) -> Any:
    """The first level that is not zero decides: ``a > 0 or (a == 0 and the rest)``."""
    import z3

    first, rest = _polynomial(levels[0], names), levels[1:]
    if not rest:
        return first > 0 if strict else first >= 0
    return z3.Or(first > 0, z3.And(first == 0, _formula(rest, strict, names)))


def _polynomial(element: Fraction, names: Sequence[Any]) -> Any:
    import z3

    total = z3.RealVal(0)
    for powers, coefficient in element.num.to_dict().items():
        term = z3.RealVal(f"{int(coefficient.p)}/{int(coefficient.q)}")
        for name, power in zip(names, powers, strict=True):
            for _ in range(int(power)):
                term = term * name
        total = total + term
    return total


def _rational(value: Any) -> Any:
    """A rational value of the model; an algebraic one is rounded, and the caller tests it again."""
    import z3

    if not z3.is_rational_value(value):
        value = value.approx(12)
    return flint.fmpq(value.numerator_as_long(), value.denominator_as_long())
