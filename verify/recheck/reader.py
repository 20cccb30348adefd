"""Reads the texts of a claim and its certificate into the forms that certificates are checked in.

For `verify.recheck.gap_rule` and the other checkers; it knows neither sympy nor the search that writes certificates.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from flint import Ordering, arb, fmpz_mpoly, fmpz_mpoly_ctx, fmpz_poly

from verify.recheck.forms import Form, Quotient, log_factorial, log_of, nonnegative
from verify.recheck.rejected import Rejected
from verify.recheck.texts import bounded, called, has_log, parse

Domain = Sequence[tuple[str, str]]
"""Lower bounds as (symbol, bound), a bound using earlier symbols only."""


class Reader:
    """Turns texts into forms over the parameters of a domain."""

    def __init__(self, names: Sequence[str], strict: Sequence[str] = ()) -> None:
        self.closed = [f"t_{name}" for name in names if name not in strict]
        self.names = [f"t_{name}" for name in names]
        self.context = fmpz_mpoly_ctx.get((*self.names, "pi"), Ordering.lex)
        self.parameters = list(self.context.gens())[:-1]

    def number(self, value: int) -> Quotient:
        return Quotient(self.context.constant(value), self.context.constant(1))

    def parameter(self, name: str) -> fmpz_mpoly:
        return self.parameter_named(f"t_{name}")

    def parameter_named(self, name: str) -> fmpz_mpoly:
        if name not in self.names:
            raise Rejected(f"there is no variable {name}")
        return self.parameters[self.names.index(name)]

    def at_origin(self, polynomial: fmpz_mpoly) -> fmpz_mpoly:
        """Where every variable that may be 0 is 0; without a negative coefficient and not 0 there, it is never 0."""
        return polynomial.subs(dict.fromkeys(self.closed, 0))

    def check_divisors(self, node: ast.expr, places: Mapping[str, Quotient], *, edge: bool = True) -> None:
        """`Rejected` unless nothing is divided by what may be 0 on the domain; without ``edge``, inside it.

        A logarithm is read by its factors, and x log x = 0 at 0, so what stands in one may grow towards the edge.
        """
        below = None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            below = node.right
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            power = self._rational(node.right, places).constant()
            below = node.left if power is not None and power < 0 else None
        if below is not None and self._may_vanish(self._rational(below, places).above, edge):
            raise Rejected(f"{ast.unparse(below)}, which is divided by, is not seen to be nonzero")
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self.check_divisors(part, places, edge=edge and called(node) != "log")

    def _may_vanish(self, polynomial: fmpz_mpoly, edge: bool) -> bool:
        """Whether a factor is neither of one sign by its coefficients nor, in one variable, by where its roots are."""
        return polynomial.is_zero() or any(
            (edge and self.at_origin(factor).is_zero())
            or not (nonnegative(factor) or nonnegative(-factor) or _has_no_positive_root(factor))
            for factor, _ in polynomial.factor()[1]
        )

    def ball(self, value: Quotient) -> arb:
        found = []
        for part in (value.above, value.below):
            total = arb(0)
            for powers, c in part.to_dict().items():
                if any(powers[:-1]):
                    raise Rejected("a number may hold no variable")
                total += arb(int(c)) * arb.pi() ** int(powers[-1])
            found.append(total)
        return found[0] / found[1]

    def places(self, domain: Domain, *, beyond: str = "") -> dict[str, Quotient]:
        """Every symbol in terms of the parameters; bounds that use ``beyond`` are taken at beyond + 1."""
        found: dict[str, Quotient] = {}
        for (name, bound), parameter in zip(domain, self.parameters, strict=True):
            known = {**found, beyond: found[beyond].plus(self.number(1))} if beyond in found else found
            lower = self.rational(bound, known)
            self.check_divisors(parse(bound), known)
            if beyond and (lower.above.total_degree() > 1 or not lower.below.is_one()):
                raise Rejected(f"an induction needs linear integer bounds, not {bound}")
            found[name] = lower.plus(Quotient(parameter, self.context.constant(1)))
        return found

    def gap(self, relation: tuple[str, str, str], places: Mapping[str, Quotient]) -> Form:
        """The larger side less the smaller one; `Rejected` unless both are seen to have a value on the domain."""
        lhs, op, rhs = relation
        if op not in ("<=", ">="):
            raise Rejected(f"{op} is not handled")
        for side in (lhs, rhs):
            self.check_divisors(parse(side), places)
        low, high = (lhs, rhs) if op == "<=" else (rhs, lhs)
        return self.form(high, places).plus(self.form(low, places), -1)

    def rational(self, text: str, places: Mapping[str, Quotient] | None = None) -> Quotient:
        return self._rational(parse(text), places or {})

    def form(self, text: str, places: Mapping[str, Quotient]) -> Form:
        return self._form(parse(text), places)

    def _form(self, node: ast.expr, places: Mapping[str, Quotient]) -> Form:
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
            sign = 1 if isinstance(node.op, ast.Add) else -1
            return self._form(node.left, places).plus(self._form(node.right, places), sign)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return self._form(node.operand, places).times(self.number(-1))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and has_log(node):
            one, other = (node.left, node.right) if has_log(node.left) else (node.right, node.left)
            return self._form(one, places).times(self._rational(other, places))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and has_log(node.left):
            return self._form(node.left, places).times(
                self.number(1).over(self._rational(node.right, places))
            )
        if called(node) == "log":
            assert isinstance(node, ast.Call)
            return self._log(node.args[0], places)
        return Form(self._rational(node, places))

    def _log(self, node: ast.expr, places: Mapping[str, Quotient]) -> Form:
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
            sign = 1 if isinstance(node.op, ast.Mult) else -1
            return self._log(node.left, places).plus(self._log(node.right, places), sign)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            return self._log(node.left, places).times(self._rational(node.right, places))
        if isinstance(node, ast.Name) and node.id == "e" and node.id not in places:
            return Form(self.number(1))
        if isinstance(node, ast.Call):
            arguments = [self._rational(argument, places) for argument in node.args]
            if called(node) == "exp":
                return self._form(node.args[0], places)
            if called(node) == "sqrt":
                return self._log(node.args[0], places).times(self.number(1).over(self.number(2)))
            if called(node) == "factorial":
                return log_factorial(arguments[0])
            if called(node) == "binomial":
                top, below = arguments
                rest = top.plus(below.times(self.number(-1)))
                lower = log_factorial(below).plus(log_factorial(rest))
                return log_factorial(top).plus(lower, -1)
        value = self._rational(node, places)
        return log_of(value.above).plus(log_of(value.below), -1)

    def _rational(self, node: ast.expr, places: Mapping[str, Quotient]) -> Quotient:
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return self.number(node.value)
        if isinstance(node, ast.Name):
            if node.id in places:
                return places[node.id]
            generators = dict(zip([*self.names, "pi"], self.context.gens(), strict=True))
            if node.id in generators:
                return Quotient(generators[node.id], self.context.constant(1))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return self._rational(node.operand, places).times(self.number(-1))
        if isinstance(node, ast.BinOp):
            left = self._rational(node.left, places)
            right = self._rational(node.right, places)
            if isinstance(node.op, (ast.Add, ast.Sub)):
                return left.plus(right if isinstance(node.op, ast.Add) else right.times(self.number(-1)))
            if isinstance(node.op, ast.Mult):
                return left.times(right)
            if isinstance(node.op, ast.Div):
                return left.over(right)
            power = right.constant()
            if isinstance(node.op, ast.Pow) and power is not None and power.denominator == 1:
                whole = bounded(int(power))
                raised = Quotient(left.above ** abs(whole), left.below ** abs(whole))
                return raised if whole >= 0 else self.number(1).over(raised)
        raise Rejected(f"{ast.unparse(node)} is not a rational function of the domain's symbols")


def _has_no_positive_root(polynomial: fmpz_mpoly) -> bool:
    """Whether a polynomial in one variable has none: its complex roots, enclosed, are all elsewhere."""
    powers = polynomial.to_dict()
    used = [i for i in range(len(next(iter(powers)))) if any(p[i] for p in powers)]
    if len(used) != 1:
        return False
    degrees = {p[used[0]]: int(c) for p, c in powers.items()}
    roots: Any = fmpz_poly([degrees.get(i, 0) for i in range(max(degrees) + 1)]).complex_roots()
    return all(bool(root.real <= 0) or bool(root.imag != 0) for root, _ in roots)
