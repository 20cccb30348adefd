"""Relations between expressions, kept as data: sympy's own ``Eq`` and ``<`` collapse to ``True`` as soon as they can."""

from __future__ import annotations

__all__ = ["Relation", "eq"]

from dataclasses import dataclass

import sympy as sp

from theory.errors import MoelawsError
from theory.vocabulary import as_formula, as_text, to_latex

_PLAIN = {"==": "=", "!=": "!=", "<=": "<=", "<": "<", ">=": ">=", ">": ">"}
_LATEX = {"==": "=", "!=": r"\neq", "<=": r"\leq", "<": "<", ">=": r"\geq", ">": ">"}


@dataclass(frozen=True)
class Relation:
    """``lhs op rhs`` kept as data; ``op`` is one of ``== != <= < >= >``."""

    lhs: sp.Expr
    op: str
    rhs: sp.Expr

    def __post_init__(self) -> None:
        if self.op not in _PLAIN:
            raise MoelawsError(
                f"Relation(op={self.op!r}): expected one of {', '.join(_PLAIN)}; write an equality as '=='"
            )
        for side in ("lhs", "rhs"):
            value = as_formula(getattr(self, side), f"Relation: {side}")
            if value.has(sp.Float):
                raise MoelawsError(
                    f"Relation({side}={value}): a float has no exact value; "
                    "write sympy.Rational('0.1') or an integer ratio"
                )
            object.__setattr__(self, side, value)

    def __str__(self) -> str:
        return f"{as_text(self.lhs)} {_PLAIN[self.op]} {as_text(self.rhs)}"

    def latex(self) -> str:
        return f"{to_latex(self.lhs)} {_LATEX[self.op]} {to_latex(self.rhs)}"

    @property
    def value(self) -> sp.Expr | None:
        """The one side of an equality whose sides are written alike, for which it says no more; else None."""
        return self.lhs if self.op == "==" and self.lhs == self.rhs else None

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"


def eq(lhs: object, rhs: object) -> Relation:
    """The equality ``lhs = rhs`` as data."""
    return Relation(lhs, "==", rhs)
