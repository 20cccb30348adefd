"""What every law must do, as a list of faults: empty for a law that fitting and planning can rely on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import sympy as sp

from theory.laws.law import Law, Quantity

SIZES = {"parameters": (3e8, 2e9, 7e10), "tokens": (5e9, 4e10, 1.5e12), "1": (1.5, 2, 24)}
"""Values for an input by its unit."""
BUDGETS = (1e18, 6e20, 3e24)


def values_of(quantity: Quantity) -> tuple[float, ...]:
    return tuple(value for value in SIZES[quantity.unit] if value >= (quantity.least or 0))


def points(law: Law) -> list[dict[str, float]]:
    """Three points, no input in the same order of size as the one before it."""
    return [
        {q.name: values_of(q)[(i + j) % len(values_of(q))] for j, q in enumerate(law.inputs)}
        for i in range(3)
    ]


def faults(law: Law) -> Iterator[str]:
    yield from _names(law)
    yield from _values(law)
    yield from _gradient(law)
    yield from _refusals(law)
    yield from _optimum(law)


def close(one: object, other: object, rel: float) -> bool:
    return bool(np.allclose(np.asarray(one, float), np.asarray(other, float), rtol=rel, atol=0))


def _names(law: Law) -> Iterator[str]:
    quantities = (*law.coefficients(), *law.inputs)
    names = [quantity.name for quantity in quantities]
    if len(set(names)) < len(names):
        yield f"a name stands for two things: {names}"
    for quantity in quantities:
        if not (quantity.words and quantity.unit):
            yield f"{quantity.name} has no words or no unit"
    for quantity in law.coefficients():
        value = getattr(law, quantity.name)
        if (quantity.sign, value > 0) in (("positive", False), ("negative", True)):
            yield f"{quantity.name} = {value} is not {quantity.sign}"
    if law.inputs[0].unit != "parameters" or any(q.unit == "tokens" for q in law.inputs) != law.allocates():
        yield "the first input is parameters and the second tokens, on which a budget is spent"


def _values(law: Law) -> Iterator[str]:
    at = points(law)
    one_by_one = [law.loss(**point) for point in at]
    if not close(law.loss(**{name: np.array([p[name] for p in at]) for name in at[0]}), one_by_one, 1e-12):
        yield "the loss of an array is not that of its numbers"
    symbols = {quantity.name: quantity.symbol for quantity in law.inputs}
    formula = type(law).symbolic().loss(**symbols)
    known = {quantity.symbol: getattr(law, quantity.name) for quantity in law.coefficients()}
    for point, value in zip(at, one_by_one, strict=True):
        exact = formula.subs(known | {symbols[name]: number for name, number in point.items()})
        if not close(exact, value, 1e-10):
            yield f"as a formula the loss at {point} is {exact}, as a number {value}"
        if law.loss(*point.values()) != value:
            yield "inputs by position are not those by name"


def _gradient(law: Law) -> Iterator[str]:
    """Against central differences of the loss itself in 60 digits."""
    at = points(law)
    arrays = law.gradient(**{name: np.array([p[name] for p in at]) for name in at[0]})
    for i, point in enumerate(at):
        gradient = law.gradient(**point)
        if list(gradient) != [quantity.name for quantity in (*law.coefficients(), *law.inputs)]:
            yield f"the gradient is in {list(gradient)}"
        for name, slope in gradient.items():
            if not close(slope, _difference(law, point, name), 1e-9):
                yield f"the slope in {name} at {point} is {slope}, by differences {_difference(law, point, name)}"
            if not close(arrays[name][i], slope, 1e-12):
                yield f"the slope in {name} of an array is not that of its numbers"


def _difference(law: Law, point: dict[str, float], name: str) -> float:
    digits = 60

    def loss(shift: sp.Float) -> sp.Expr:
        values = {q.name: sp.Float(str(getattr(law, q.name)), digits) for q in law.coefficients()}
        sizes = {key: sp.Float(str(value), digits) for key, value in point.items()}
        (values if name in values else sizes)[name] += shift
        return type(law)(**values).loss(**sizes)

    step = sp.Float("1e-20", digits)
    return float((loss(step) - loss(-step)) / (2 * step))


def _refusals(law: Law) -> Iterator[str]:
    point = points(law)[0]
    for quantity in law.inputs:
        for wrong in (0, -1.0, "8", True, np.array([1.0, -1.0])):
            try:
                law.loss(**{**point, quantity.name: wrong})
            except ValueError as problem:
                if quantity.name not in str(problem):
                    yield f"{quantity.name}={wrong!r} is refused without its name: {problem}"
            else:
                yield f"{quantity.name}={wrong!r} is accepted"


def _optimum(law: Law) -> Iterator[str]:
    if not law.allocates():
        try:
            yield f"without tokens it allocates {law.compute_optimal(1e20)}"
        except ValueError as problem:
            if type(law).__name__ not in str(problem):
                yield f"an allocation is refused without the name of the law: {problem}"
        return
    parameters, tokens, *others = (quantity.name for quantity in law.inputs)
    for point in points(law):
        given = {name: point[name] for name in others}
        best = [law.compute_optimal(budget, **given) for budget in BUDGETS]
        for budget, found in zip(BUDGETS, best, strict=True):
            at = {parameters: found.parameters, tokens: found.tokens, **given}
            if not close(law.flops(**at), budget, 1e-6):
                yield f"the optimum at {budget} FLOPs costs {law.flops(**at)}"
            if not close(law.loss(**at), found.loss, 1e-12):
                yield f"the loss at the optimum is {law.loss(**at)} and not {found.loss}"
            for factor in (0.5, 0.98, 1.02, 2):
                moved = {**at, parameters: found.parameters * factor}
                moved[tokens] *= budget / law.flops(**moved)
                if close(law.flops(**moved), budget, 1e-6) and law.loss(**moved) < found.loss * (1 - 1e-12):
                    yield f"at {budget} FLOPs a model {factor} times as large has a lower loss"
        if not all(one.loss > more.loss for one, more in pairwise(best)):
            yield "more compute does not lower the loss"
