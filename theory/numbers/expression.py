"""The one walker over expressions: it compiles them to straight-line code, which runs on any `Arithmetic`.

Each subexpression is computed once. A symbol stands for a number of the arithmetic; or for an exact rational, and then
whatever is rational in such symbols is computed exactly before it becomes a number; or, where its size is out of the
reach of floats (Lambda), for its logarithm, and logarithms of such symbols are taken term by term.

A factor that is exactly 0 takes the logarithms beside it with it, so that ``x log x`` is 0 at 0.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from theory.errors import MoelawsError
from theory.numbers.arithmetic import Arithmetic, Number, OutsideDomain
from theory.numbers.rationals import RATIONALS, NotRational
from theory.vocabulary import as_formula

RATIONAL_FUNCTIONS = {
    sp.Abs: "absolute", sp.sign: "sign", sp.floor: "floor", sp.ceiling: "ceiling",
    sp.Min: "smallest", sp.Max: "largest",
}  # fmt: skip
"""The functions that give rationals at rationals, as an `Arithmetic` calls them."""
FUNCTIONS = RATIONAL_FUNCTIONS | {
    sp.exp: "exp", sp.erf: "erf", sp.erfc: "erfc", sp.uppergamma: "upper_gamma", sp.lowergamma: "lower_gamma",
    sp.betainc_regularized: "beta_share", sp.gamma: "gamma", sp.loggamma: "log_gamma", sp.binomial: "binomial",
}  # fmt: skip
"""The functions that are known, beside log, factorial and polygamma, which `_Code` takes apart.

A new one is a row here, a method of `Arithmetic` and its four kinds, and a row in the table of tests, which ask for it.
"""
KNOWN = "+ - * / and powers, pi, E, log, factorial, polygamma, " + ", ".join(f.__name__ for f in FUNCTIONS)
_LARGEST_EXACT_POWER = 1000


class Unevaluable(MoelawsError):
    """An expression holds a function that is not known here, or a symbol without a value."""


class CompiledExpression:
    """Straight-line code for several expressions of ``symbols``, those of ``exact`` and ``logs`` among them.

    Raises `Unevaluable` for a function that is not known, and for a symbol that is not among ``symbols``.
    """

    def __init__(
        self,
        expressions: Sequence[sp.Expr],
        symbols: Sequence[sp.Symbol],
        *,
        exact: Collection[sp.Symbol] = (),
        logs: Collection[sp.Symbol] = (),
    ) -> None:
        code = _Code(symbols, exact, logs)
        results = [code.number(as_formula(expression, "formula")) for expression in expressions]
        arguments = ", ".join(["F", "C", *(f"x{i}" for i in range(len(symbols)))])
        source = "\n    ".join([f"def run({arguments}):", *code.lines, f"return [{', '.join(results)}]"])
        scope: dict[str, Any] = {"Q": RATIONALS, "Fraction": Fraction}
        exec(compile(source, "<expression>", "exec"), scope)
        self.symbols = tuple(symbols)
        self._run: Callable[..., list[Number]] = scope["run"]
        self._constants = code.constants
        self._converted: dict[tuple[type[Arithmetic], int], list[Number]] = {}

    def __call__(self, using: Arithmetic, values: Sequence[Number]) -> list[Number]:
        """The values in an arithmetic, those outside a domain undefined (call inside its `working`)."""
        key = type(using), using.bits()
        constants = self._converted.get(key)
        if constants is None:
            constants = self._converted[key] = [using.exact(c) for c in self._constants]
        return self._run(using, constants, *values)

    def rational(self, values: Sequence[Fraction | int]) -> list[Fraction] | None:
        """Values at an exact point, None where they are not seen to be rational or are too long to write out.

        `OutsideDomain` at a pole.
        """
        try:
            return [Fraction(value) for value in self(RATIONALS, values)]
        except NotRational:
            return None
        except ZeroDivisionError:
            raise OutsideDomain("division by zero") from None


class _Code:
    """The lines, each of which names one number; a subexpression that comes again has a name already."""

    def __init__(
        self, symbols: Sequence[sp.Symbol], exact: Collection[sp.Symbol], logs: Collection[sp.Symbol]
    ) -> None:
        self.lines: list[str] = []
        self.constants: list[Fraction] = []
        self._arguments = {symbol: f"x{i}" for i, symbol in enumerate(symbols)}
        self._exact, self._logs = frozenset(exact), frozenset(logs)
        self._names: dict[tuple[str, sp.Expr], str] = {}
        self._rationals: dict[sp.Expr, str | None] = {}

    def number(self, expr: sp.Expr) -> str:
        """The name of an expression's value."""
        return self._once("number", expr, self._number)

    def log(self, expr: sp.Expr) -> str:
        """The name of the value of an expression's logarithm."""
        return self._once("log", expr, self._log)

    def _once(self, kind: str, expr: sp.Expr, write: Callable[[sp.Expr], str]) -> str:
        if (kind, expr) not in self._names:
            self._names[kind, expr] = self._line(write(expr))
        return self._names[kind, expr]

    def _line(self, code: str) -> str:
        if code.isidentifier():
            return code
        self.lines.append(f"v{len(self.lines)} = {code}")
        return f"v{len(self.lines) - 1}"

    def _constant(self, value: sp.Rational) -> str:
        self.constants.append(Fraction(int(value.p), int(value.q)))
        return f"C[{len(self.constants) - 1}]"

    def _number(self, expr: sp.Expr) -> str:
        if expr.is_Rational:
            return self._constant(expr)
        if (exactly := self._rational(expr)) is not None:
            return f"F.computed(lambda: {exactly})"
        if expr.is_Symbol:
            if expr not in self._arguments:
                raise Unevaluable(f"no value for {expr}; give one for each symbol of the formula")
            return f"F.exp({self._arguments[expr]})" if expr in self._logs else self._arguments[expr]
        if expr is sp.pi:
            return "F.pi()"
        if expr is sp.E:
            return f"F.exp({self.number(sp.Integer(1))})"
        if expr.is_Add:
            return " + ".join(self._parts(expr))
        if expr.is_Mul:
            return self._product(expr)
        if expr.is_Pow:
            return self._power(expr.base, expr.exp)
        if isinstance(expr, sp.log):
            return self.log(expr.args[0])
        if isinstance(expr, sp.factorial):
            return f"F.gamma({self.number(expr.args[0] + 1)})"
        if isinstance(expr, sp.polygamma) and expr.args[0].is_Integer and expr.args[0] >= 0:
            return f"F.polygamma({int(expr.args[0])}, {self.number(expr.args[1])})"
        if expr.func in FUNCTIONS:
            return f"F.{FUNCTIONS[expr.func]}({', '.join(map(self.number, expr.args))})"
        raise Unevaluable(f"cannot evaluate {expr.func.__name__} in {expr}; expected {KNOWN}")

    def _parts(self, expr: sp.Expr) -> list[str]:
        """The arguments of a sum or product, what is exact in them taken together."""
        exactly = [arg for arg in expr.args if arg.free_symbols and self._rational(arg) is not None]
        rest = [self.number(arg) for arg in expr.args if arg not in exactly]
        return [self.number(expr.func(*exactly)), *rest] if exactly else rest

    def _product(self, expr: sp.Expr) -> str:
        logs = [arg for arg in expr.args if arg.has(sp.log)]
        plain = [arg for arg in expr.args if arg not in logs]
        if not logs or not any(arg.free_symbols for arg in plain) or not all(map(_is_slow, logs)):
            return " * ".join(self._parts(expr))
        factor, beside = self.number(sp.Mul(*plain)), " * ".join(map(self.number, logs))
        inside = {log.args[0] for arg in logs for log in arg.atoms(sp.log)}
        known = sorted(self.number(arg) for arg in inside if not self._is_large(arg))
        vanishes = " and ".join([f"F.is_zero({factor})", *(f"not {name} < 0" for name in known)])
        return f"{factor} if {vanishes} else {factor} * {beside}"

    def _power(self, base: sp.Expr, exponent: sp.Expr) -> str:
        if base is sp.E:
            return f"F.exp({self.number(exponent)})"
        if self._is_large(base):
            return f"F.exp({self.number(exponent)} * {self.log(base)})"
        if exponent.is_Integer:
            return f"F.power({self.number(base)}, {int(exponent)})"
        if exponent == sp.Rational(1, 2):
            return f"F.sqrt({self.number(base)})"
        if exponent == sp.Rational(-1, 2):
            return f"F.power({self.number(sp.sqrt(base))}, -1)"
        return f"F.real_power({self.number(base)}, {self.number(exponent)})"

    def _log(self, expr: sp.Expr) -> str:
        if isinstance(expr, sp.binomial):
            return f"F.log_binomial({', '.join(map(self.number, expr.args))})"
        if (exactly := self._rational(expr)) is not None:
            return f"F.log_computed(lambda: {exactly})"
        if self._is_large(expr):
            return self._log_by_terms(expr)
        if isinstance(expr, (sp.factorial, sp.gamma)):
            return f"F.log_gamma({self.number(expr.args[0] + (1 if isinstance(expr, sp.factorial) else 0))})"
        return f"F.log({self.number(expr)})"

    def _log_by_terms(self, expr: sp.Expr) -> str:
        """log of what is large, without forming it."""
        if expr.is_Symbol:
            return self._arguments[expr]
        if expr.is_Mul:
            return " + ".join(map(self.log, expr.args))
        if expr.is_Add:
            return f"F.log_of_sum([{', '.join(map(self.log, expr.args))}])"
        return f"{self.number(expr.exp)} * {self.log(expr.base)}"

    def _is_large(self, expr: sp.Expr) -> bool:
        """Whether it is a symbol given by its logarithm, or a sum, product or power of such."""
        if expr.is_Pow:
            return self._is_large(expr.base)
        return expr in self._logs or ((expr.is_Add or expr.is_Mul) and any(map(self._is_large, expr.args)))

    def _rational(self, expr: sp.Expr) -> str | None:
        """Code on exact numbers for what is rational in exact symbols, else None."""
        if expr not in self._rationals:
            self._rationals[expr] = self._exactly(expr)
        return self._rationals[expr]

    def _exactly(self, expr: sp.Expr) -> str | None:
        if expr.is_Integer:
            return f"({int(expr)})"
        if expr.is_Rational:
            return f"Fraction({int(expr.p)}, {int(expr.q)})"
        if expr.is_Symbol:
            return self._arguments[expr] if expr in self._exact else None
        if expr.is_Pow:
            base = self._rational(expr.base)
            short = expr.exp.is_Integer and abs(expr.exp) <= _LARGEST_EXACT_POWER
            return f"Q.power({base}, {int(expr.exp)})" if base is not None and short else None
        if not (expr.is_Add or expr.is_Mul or expr.func in RATIONAL_FUNCTIONS):
            return None
        parts = [self._rational(arg) for arg in expr.args]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        if expr.is_Add or expr.is_Mul:
            return f"({(' + ' if expr.is_Add else ' * ').join(known)})"
        return f"Q.{RATIONAL_FUNCTIONS[expr.func]}({', '.join(known)})"


def _is_slow(expr: sp.Expr) -> bool:
    """Whether 0 is the limit of what vanishes times this: logs of rational functions, with constants and whole powers."""
    if isinstance(expr, sp.log):
        inside = expr.args[0]
        return not inside.atoms(sp.Function) and all(p.exp.is_Integer for p in inside.atoms(sp.Pow))
    if expr.is_Pow:
        return bool(expr.exp.is_Integer and expr.exp > 0) and _is_slow(expr.base)
    return expr.is_number or ((expr.is_Add or expr.is_Mul) and all(map(_is_slow, expr.args)))
