"""The least value of an expression over a positive symbol, and where it is taken, kept as data.

A statement about an optimum says so in its conclusion, ``Minimum(A*N**-a + B*N/n, N) == ...``, and the closed form is a step
that a posynomial certificate proves. `theory.posynomials.minimise_posynomial` finds it.
"""

from __future__ import annotations

__all__ = ["Minimiser", "Minimum"]

from typing import Any

import sympy as sp

from theory.errors import MoelawsError


class Optimum(sp.Function):  # type: ignore[misc]
    """An expression and the positive symbol that it is minimised over, which is not free in it."""

    nargs = 2

    @classmethod
    def eval(cls, expr: sp.Expr, over: sp.Symbol) -> None:
        if not (over.is_Symbol and over.is_positive):
            raise MoelawsError(f"{cls.__name__}(over={over}): expected a positive symbol to minimise over")

    @property
    def free_symbols(self) -> set[sp.Symbol]:
        expr, over = self.args
        return set(expr.free_symbols) - {over}

    def _eval_subs(self, old: sp.Basic, new: sp.Basic) -> sp.Basic | None:
        """What is minimised over is not replaced, and no value may bring it in."""
        expr, over = self.args
        if old == over:
            return self
        if over in new.free_symbols:
            raise MoelawsError(f"{self}: cannot put {new} for {old}, as {over} is minimised over")
        return self.func(expr._subs(old, new), over)

    def _latex(self, printer: Any) -> str:
        expr, over = (printer.doprint(part) for part in self.args)
        return rf"{self._operator}_{{{over}}}\left[{expr}\right]"


class Minimum(Optimum):
    """``Minimum(expr, x)``: the least value of ``expr`` over all positive x."""

    _operator = r"\min"


class Minimiser(Optimum):
    """``Minimiser(expr, x)``: the positive x at which ``expr`` is smallest."""

    _operator = r"\operatorname*{arg\,min}"
