"""Sign slips in a printed formula for the optimal size: which one minus repairs it?"""

from __future__ import annotations

import ast
import copy
import math
from collections.abc import Callable, Iterator, Mapping

from empirics.audits.publication import Audit, Finding, Publication, Weight
from theory.errors import MoelawsError

_OPERATIONS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: lambda x, y: x + y,
    ast.Sub: lambda x, y: x - y,
    ast.Mult: lambda x, y: x * y,
    ast.Div: lambda x, y: x / y,
    ast.Pow: lambda x, y: math.pow(x, y),
}
_BUDGETS = (1e20, 1e21, 1e22)


def _value(node: ast.expr, names: Mapping[str, float]) -> float:
    """A formula of numbers, names, + - * / and ** in floats; MoelawsError for anything else."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return float(node.value)  # type: ignore[arg-type]
    if isinstance(node, ast.Name):
        if node.id not in names:
            raise MoelawsError(f"formula: no {node.id!r}; known are {', '.join(names)}")
        return names[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, names)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
        return _OPERATIONS[type(node.op)](_value(node.left, names), _value(node.right, names))
    raise MoelawsError(f"formula: {ast.unparse(node)!r} is none of number, name, + - * / and **")


def _flipped(tree: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    """The formula with a minus before one exponent, and that exponent as text."""
    count = sum(isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) for node in ast.walk(tree))
    for i in range(count):
        changed = copy.deepcopy(tree)
        powers = [n for n in ast.walk(changed) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Pow)]
        exponent = powers[i].right
        powers[i].right = ast.UnaryOp(ast.USub(), exponent)
        yield changed, ast.unparse(exponent)


def _names(publication: Publication, flops: float) -> dict[str, float]:
    names = {name: number.value for name, number in publication.printed.items()}
    law = publication.law
    at = getattr(law, "fixed", None) or getattr(law, "at", None)
    if at is not None:  # a law that is separable in N and D where the others are fixed
        fixed = at(**publication.others)
        names |= {"m": fixed.m, "mu": -fixed.u, "n": fixed.n, "nu": -fixed.v}
    return names | dict(publication.others) | {"C": flops}


def _errors(tree: ast.expr, publication: Publication) -> list[float]:
    """log(formula/optimum) at three budgets; infinite where the formula has no positive value."""
    found = []
    for flops in _BUDGETS:
        right = publication.law.compute_optimal(flops, **publication.others).parameters
        try:
            value = _value(tree, _names(publication, flops))
        except (ValueError, ArithmeticError) as problem:
            if isinstance(problem, MoelawsError):
                raise
            value = 0.0
        found.append(math.log(value / right) if value > 0 else math.inf)
    return found


def _find(publication: Publication) -> Iterator[Finding]:
    if not publication.formula:
        return
    try:
        tree = ast.parse(publication.formula.replace("^", "**"), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise MoelawsError(f"formula = {publication.formula[:60]!r}: not a formula") from None
    errors = _errors(tree, publication)
    if max(map(abs, errors)) < 0.05:
        return
    off = (
        "nothing positive"
        if math.inf in errors
        else f"{math.exp(errors[0]):.3g} to {math.exp(errors[-1]):.3g} times the optimum"
    )
    repairs = [
        exponent
        for changed, exponent in _flipped(tree)
        if max(map(abs, _errors(changed, publication))) < 0.05
    ]
    how = f"; a minus before the exponent {repairs[0]} repairs it" if len(repairs) == 1 else ""
    yield Finding(
        "formula",
        Weight.CONTRADICTION,
        f"the printed formula gives {off} of the law at {_BUDGETS[0]:g} to {_BUDGETS[-1]:g} FLOPs{how}",
    )


formula = Audit("formula", "does the printed formula give the optimum of the printed law?", _find)
