"""Formulas of statements as definitions in Coq."""

from __future__ import annotations

import sympy as sp
from sympy.printing.str import StrPrinter

from theory.errors import MoelawsError
from theory.statement import statements

_HEAD = """(** Bounds as the statements of [theory.results] have them; [make proofs] holds this file to them. *)
From Coq Require Import Reals.
Local Open Scope R_scope.
"""


def generated() -> str:
    """The text of `Generated.v`: one definition for each formula that a formal statement takes from here."""
    lines = [_HEAD]
    for statement in statements().values():
        for name, formula in statement.emitted:
            lines.append(definition(name, formula))
    return "\n".join(lines)


def definition(name: str, formula: sp.Expr) -> str:
    """``Definition name (a b : R) : R := formula.``, the symbols in the order of their names.

    Coq's powers of real numbers are exp of a logarithm, so a formula with one means what it says where its base is positive.
    """
    symbols = sorted((s.name for s in formula.free_symbols), key=lambda s: (s.lower(), s))
    if unfit := [s for s in symbols if not (s.isascii() and s.isidentifier())]:
        raise MoelawsError(f"{name}: {', '.join(unfit)} cannot be a name in Coq; expected a plain identifier")
    return f"Definition {name} ({' '.join(symbols)} : R) : R := {_Coq().doprint(formula)}.\n"


class _Coq(StrPrinter):  # type: ignore[misc]
    def _print_Integer(self, expr: sp.Integer) -> str:
        return str(expr.p) if expr.p >= 0 else f"(- {-expr.p})"

    def _print_Rational(self, expr: sp.Rational) -> str:
        return f"({expr.p} / {expr.q})"

    def _print_Symbol(self, expr: sp.Symbol) -> str:
        return str(expr.name)

    def _print_Exp1(self, expr: sp.Basic) -> str:
        return "(exp 1)"

    def _print_Pi(self, expr: sp.Basic) -> str:
        return "PI"

    def _print_Add(self, expr: sp.Add, order: object = None) -> str:
        return f"({' + '.join(self._print(part) for part in expr.as_ordered_terms())})"

    def _print_Mul(self, expr: sp.Mul) -> str:
        above, below = expr.as_numer_denom() if expr.is_commutative else (expr, sp.Integer(1))
        _expect_positive(below, expr)
        product = " * ".join(self._print(part) for part in sp.Mul.make_args(above))
        return f"({product})" if below == 1 else f"(({product}) / {self._print(below)})"

    def _print_Pow(self, expr: sp.Pow, rational: bool = False) -> str:
        base, power = expr.base, expr.exp
        if power == sp.Rational(1, 2):
            return f"(sqrt {self._print(base)})"
        if power.is_Integer and power > 0:
            return f"({self._print(base)} ^ {power})"
        if power.is_Rational and power < 0:
            _expect_positive(base, expr)
            return f"(/ {self._print(base**-power)})"
        if not base.is_positive:
            raise MoelawsError(
                f"{expr}: a real power of what is not seen to be positive has no meaning in Coq"
            )
        return f"(Rpower {self._print(base)} {self._print(power)})"

    def _print_log(self, expr: sp.log) -> str:
        if not expr.args[0].is_positive:
            raise MoelawsError(
                f"{expr}: Coq's ln is 0 where its argument is not positive, and {expr.args[0]} may not be"
            )
        return f"(ln {self._print(expr.args[0])})"

    def _print_exp(self, expr: sp.exp) -> str:
        return f"(exp {self._print(expr.args[0])})"

    def _print_Function(self, expr: sp.Function) -> str:
        raise MoelawsError(f"{expr}: there is no {expr.func.__name__} to emit")

    emptyPrinter = _print_Function


def _expect_positive(below: sp.Expr, expr: sp.Expr) -> None:
    """MoelawsError unless what is divided by is seen to be positive: Coq's x/0 is 0, which a bound could exploit."""
    if not below.is_positive:
        raise MoelawsError(
            f"{expr}: it divides by {below}, which is not seen to be positive; give that a positive symbol of its own"
        )
