"""Derivatives and substitutions in an expression, worked out on its tree."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from verify.recheck.texts import Unreadable, arguments, called, names

ZERO, ONE, TWO = (ast.Constant(value) for value in (0, 1, 2))
_HIGHEST_DERIVATIVE = 10


def worked_out(node: ast.expr) -> ast.expr:
    """The expression with ``Derivative(f, x)``, ``Derivative(f, (x, 2))`` and ``Subs(f, x, value)`` carried out."""
    if isinstance(node, ast.BinOp):
        return ast.BinOp(worked_out(node.left), node.op, worked_out(node.right))
    if isinstance(node, ast.UnaryOp):
        return ast.UnaryOp(node.op, worked_out(node.operand))
    if not isinstance(node, ast.Call):
        return node
    if called(node) == "Derivative":
        inner, *variables = arguments(node)
        found = worked_out(inner)
        for variable in variables:
            name, times = _variable(variable)
            for _ in range(times):
                found = derivative(found, name)
        return found
    if called(node) == "Subs":
        inner, old, new = arguments(node)
        olds, news = ([*part.elts] if isinstance(part, ast.Tuple) else [part] for part in (old, new))
        if not all(isinstance(part, ast.Name) for part in olds) or len(olds) != len(news):
            raise Unreadable(f"{ast.unparse(node)} is not read here")
        values = {part.id: worked_out(value) for part, value in zip(olds, news, strict=True)}  # type: ignore[attr-defined]
        return substituted(worked_out(inner), values)
    return ast.Call(node.func, [worked_out(argument) for argument in arguments(node)], [])


def _variable(node: ast.expr) -> tuple[str, int]:
    match node:
        case ast.Name(id=name):
            return name, 1
        case ast.Tuple(elts=[ast.Name(id=name), ast.Constant(value=int(times))]) if (
            0 < times <= _HIGHEST_DERIVATIVE
        ):
            return name, times
    raise Unreadable(f"no derivative is taken in {ast.unparse(node)}")


def substituted(node: ast.expr, values: Mapping[str, ast.expr]) -> ast.expr:
    """The expression with values in place of names, all at once."""
    if isinstance(node, ast.Name):
        return values.get(node.id, node)
    if isinstance(node, ast.BinOp):
        return ast.BinOp(substituted(node.left, values), node.op, substituted(node.right, values))
    if isinstance(node, ast.UnaryOp):
        return ast.UnaryOp(node.op, substituted(node.operand, values))
    if isinstance(node, ast.Call):
        return ast.Call(node.func, [substituted(argument, values) for argument in arguments(node)], [])
    return node


def derivative(node: ast.expr, name: str) -> ast.expr:
    """The derivative in one variable, by the rules of differentiation."""
    if name not in names(node):
        return ZERO
    if isinstance(node, ast.Name):
        return ONE
    if isinstance(node, ast.UnaryOp):
        return ast.UnaryOp(node.op, derivative(node.operand, name))
    if isinstance(node, ast.BinOp):
        u, v, op = node.left, node.right, node.op
        du, dv = derivative(u, name), derivative(v, name)
        if isinstance(op, (ast.Add, ast.Sub)):
            return ast.BinOp(du, op, dv)
        if isinstance(op, ast.Mult):
            return _plus(_times(du, v), _times(u, dv))
        if isinstance(op, ast.Div):
            above = ast.BinOp(_times(du, v), ast.Sub(), _times(u, dv))
            return _over(above, _power(v, TWO))
        if isinstance(op, ast.Pow):
            falling = _times(_times(v, _power(u, ast.BinOp(v, ast.Sub(), ONE))), du)
            if dv is ZERO:
                return falling
            return _plus(falling, _times(_times(node, _function("log", u)), dv))
    function = called(node)
    if function in ("log", "exp", "sqrt"):
        [u] = arguments(node)
        du = derivative(u, name)
        return {"log": _over(du, u), "exp": _times(node, du), "sqrt": _over(du, _times(TWO, node))}[function]
    raise Unreadable(f"no derivative is known of {ast.unparse(node)}")


def _plus(a: ast.expr, b: ast.expr) -> ast.expr:
    return b if a is ZERO else a if b is ZERO else ast.BinOp(a, ast.Add(), b)


def _times(a: ast.expr, b: ast.expr) -> ast.expr:
    return ZERO if ZERO in (a, b) else b if a is ONE else a if b is ONE else ast.BinOp(a, ast.Mult(), b)


def _over(a: ast.expr, b: ast.expr) -> ast.expr:
    return ast.BinOp(a, ast.Div(), b)


def _power(a: ast.expr, b: ast.expr) -> ast.expr:
    return ast.BinOp(a, ast.Pow(), b)


def _function(name: str, argument: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name), [argument], [])
