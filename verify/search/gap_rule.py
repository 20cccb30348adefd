"""The gap rule: an expression is nonnegative because it is so at one end and moves away from it.

Expressions here are sums of rational functions and rational functions times
logarithms, on the orthant where every variable is nonnegative (a domain is put into the
parametrisation, see `verify.search.domains`). To prove ``f >= 0``:

- *coefficients*: f is rational, and no coefficient of its numerator or denominator is negative;
- *product*: f is a sum of ``c log p`` with rational c, and the product of ``p^c`` is at least 1 likewise;
- *number*: f has no variable left, and a ball decides its sign;
- *wider*: f >= 0 even where one variable may be as low as -1;
- *end*: f >= 0 at one end (0 or infinity) of a variable, and its slope leads upwards from there;
- *split*: f >= 0 with a + x and with a/(1 + x) in place of one variable, so above a > 0 and between 0 and a.

The answer is a tree in which every node says what it proves; `verify.recheck.gap_rule`
re-checks it with its own arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sympy as sp

from theory.numbers.balls import BALLS
from theory.numbers.expression import CompiledExpression

Node = dict[str, Any]
Form = dict[sp.Expr, sp.Expr]
"""Base -> coefficient: the coefficient of log(base), of log(e!) for a `_Factorial`, or the rational part under 1."""

ONE = sp.Integer(1)
PI = sp.Symbol("pi", positive=True)
"""The circle constant where it is only known to be positive, which is all that any rule but *number* uses."""
_Factorial = sp.Function("_Factorial")
_LARGEST_PRODUCT = 12


class NotElementary(ValueError):
    """An expression outside the class that the gap rule handles."""


# Normal forms


def normal_form(expr: sp.Expr) -> Form:
    """A sum of rational functions times logs of irreducible polynomials and of factorials."""
    return _linear(sp.sympify(expr).xreplace({sp.pi: PI}))


def less(form: Form, other: Form) -> Form:
    """The difference of two forms."""
    found = dict(form)
    _add(found, other, sp.Integer(-1))
    return found


def expression(form: Form) -> sp.Expr:
    """The expression a normal form stands for."""
    return sp.Add(*(c if base == 1 else c * sp.log(base) for base, c in form.items()))


def _add(total: Form, more: Form, factor: sp.Expr) -> None:
    for base, c in more.items():
        value = sp.cancel(total.get(base, sp.Integer(0)) + factor * c)
        if value == 0:
            total.pop(base, None)
        else:
            total[base] = value


def _linear(expr: sp.Expr) -> Form:
    found: Form = {}
    if expr.is_Add:
        for arg in expr.args:
            _add(found, _linear(arg), ONE)
        return found
    if isinstance(expr, sp.log):
        return _log(expr.args[0])
    transcendental = [arg for arg in sp.Mul.make_args(expr) if arg.has(sp.log)]
    if not transcendental:
        if not expr.is_rational_function(*expr.free_symbols) or expr.has(sp.E):
            raise NotElementary(f"{expr} is not a rational function")
        return {ONE: sp.cancel(sp.together(expr))} if expr != 0 else {}
    if len(transcendental) > 1 or transcendental[0].is_Pow:
        raise NotElementary(f"{expr} has a product of logarithms")
    factor = sp.cancel(expr / transcendental[0])
    if not factor.is_rational_function(*factor.free_symbols) or factor.has(sp.E):
        raise NotElementary(f"{factor} is not a rational function")
    _add(found, _linear(transcendental[0]), factor)
    return found


def _log(arg: sp.Expr) -> Form:
    """log of a positive expression, as a sum of logs of irreducible polynomials."""
    found: Form = {}
    if arg is sp.E:
        return {ONE: ONE}
    if arg.is_Rational:
        if arg <= 0:
            raise NotElementary(f"log({arg}) is not real")
        _add(found, {sp.Integer(p): sp.Integer(e) for p, e in sp.factorrat(arg).items()}, ONE)
    elif isinstance(arg, sp.exp):
        return _linear(arg.args[0])
    elif arg.is_Mul:
        for factor in arg.args:
            _add(found, _log(factor), ONE)
    elif arg.is_Pow:
        _add(found, _log(arg.base), arg.exp)
    elif arg.func is _Factorial or isinstance(arg, sp.factorial):
        found[_Factorial(sp.expand(arg.args[0]))] = ONE
    elif isinstance(arg, sp.binomial):
        top, below = map(sp.expand, arg.args)
        for part, sign in ((top, 1), (below, -1), (sp.expand(top - below), -1)):
            _add(found, {_Factorial(part): ONE}, sp.Integer(sign))
    else:
        factored = sp.factor(sp.together(arg))
        if not factored.is_rational_function(*factored.free_symbols):
            raise NotElementary(f"log({arg}) is not the log of a rational function")
        if factored.is_Mul or factored.is_Pow or factored.is_Rational:
            return _log(factored)
        found[factored] = ONE
    return found


def without_factorials(form: Form) -> Form:
    """log (e + 1)! = log e! + log(e + 1), downwards until nothing is left of them."""
    left = sorted((base for base in form if base.func is _Factorial), key=sp.default_sort_key)
    rest = {base: c for base, c in form.items() if base not in left}
    while left:
        first = left[0].args[0]
        kin = [key for key in left if (key.args[0] - first).is_Integer]
        lowest = sp.Integer(0) if first.is_Integer else min((k.args[0] for k in kin), key=lambda e: e - first)
        if not lowest.is_Integer and sp.cancel(sum(form[key] for key in kin)) != 0:
            raise NotElementary(f"the factorial of {lowest} does not cancel")
        for key in kin:
            for i in range(1, int(key.args[0] - lowest) + 1):
                _add(rest, _log(lowest + i), form[key])
        left = [key for key in left if key not in kin]
    return rest


# Ends and slopes


def at_end(form: Form, variable: sp.Symbol, end: str) -> Form | None:
    """The limit of a form as ``variable`` goes to 0 (end "0") or to infinity ("oo"); None where not seen.

    ``x log x`` is 0 at 0.
    """
    if end == "oo":
        form = _placed(form, variable, 1 / variable)
    found: Form = {}
    for base, c in form.items():
        there = base.subs(variable, 0)
        if base != 1 and there == 0:
            if _value_at_zero(c / base, variable) is None:
                return None
            continue
        value = _value_at_zero(c, variable)
        if value is None:
            return None
        _add(found, {ONE: ONE} if base == 1 else _log(there), value)
    return found


def _value_at_zero(c: sp.Expr, variable: sp.Symbol) -> sp.Expr | None:
    numerator, denominator = sp.fraction(sp.cancel(sp.together(c)))
    below = denominator.subs(variable, 0)
    return None if below == 0 else sp.cancel(numerator.subs(variable, 0) / below)


def slope(form: Form, variable: sp.Symbol) -> Form:
    """The derivative of a form."""
    found: Form = {}
    for base, c in form.items():
        _add(found, {base: ONE}, sp.diff(c, variable))
        if base != 1:
            _add(found, {ONE: ONE}, c * sp.diff(base, variable) / base)
    return found


def one_signed(polynomial: sp.Expr) -> int:
    """1 or -1 where all coefficients of a polynomial have that sign, else 0 (and 0 for the zero polynomial)."""
    symbols = sorted(polynomial.free_symbols, key=lambda s: s.name)
    terms = sp.Poly(polynomial, *symbols).coeffs() if symbols else [polynomial]
    if all(c > 0 for c in terms):
        return 1
    return -1 if all(c < 0 for c in terms) else 0


# The search


@dataclass
class Search:
    """A depth-first search for a proof, with a counted number of nodes."""

    budget: int
    deepest: int = 5
    nodes: int = 0

    def prove(self, form: Form, depth: int = 0) -> Node | None:
        """A tree that proves ``form >= 0`` on the orthant, or None."""
        self.nodes += 1
        if self.nodes > self.budget or any(one_signed(b) != 1 for b in form):
            return None
        for scaled, times in _scalings(form):
            node: Node = {"claim": str(expression(scaled)), "times": str(times)}
            rule = _leaf(scaled)
            if rule is not None:
                return {**node, "rule": rule}
            if depth < self.deepest and any(base != 1 for base in scaled):
                for variable, shifted in _widened(scaled) if depth == 0 else ():
                    found = self.prove(shifted, depth + 1)
                    if found is not None:
                        return {**node, "rule": "wider", "variable": variable.name, "shifted": found}
                for variable, end in _ends(scaled):
                    found = self._from_end(scaled, variable, end, depth)
                    if found is not None:
                        return {**node, "rule": "end", **found}
                for variable, at in _turns(scaled) if depth == 0 else ():
                    found = self._from_inside(scaled, variable, at)
                    if found is not None:
                        return {**node, "rule": "split", **found}
        return None

    def _from_end(self, form: Form, variable: sp.Symbol, end: str, depth: int) -> Node | None:
        there = at_end(form, variable, end)
        below = None if there is None else self.prove(there, depth + 1)
        if below is None:
            return None
        sign = 1 if end == "0" else -1
        away = self.prove({b: sign * c for b, c in slope(form, variable).items()}, depth + 1)
        return None if away is None else {"variable": variable.name, "at": end, "there": below, "slope": away}

    def _from_inside(self, form: Form, variable: sp.Symbol, at: sp.Rational) -> Node | None:
        above = self.prove(_placed(form, variable, at + variable), 1)
        below = None if above is None else self.prove(_placed(form, variable, at / (1 + variable)), 1)
        if below is None:
            return None
        return {"variable": variable.name, "at": str(at), "above": above, "below": below}


def _placed(form: Form, variable: sp.Symbol, value: sp.Expr) -> Form:
    """The form with ``value`` in place of a variable."""
    found: Form = {}
    for base, c in form.items():
        there = {ONE: ONE} if base == 1 else _log(sp.together(base.xreplace({variable: value})))
        _add(found, there, c.xreplace({variable: value}))
    return found


def _turns(form: Form) -> Iterator[tuple[sp.Symbol, sp.Rational]]:
    """Where a form in one variable turns between the ends: at the positive rational roots of its slope."""
    if len(variables := _variables(form)) == 1 and set(rate := slope(form, variables[0])) == {ONE}:
        numerator, _ = sp.fraction(sp.together(rate[ONE]))
        if not numerator.has(PI):
            roots = sp.Poly(numerator, *variables).ground_roots()
            yield from ((variables[0], root) for root in sorted(roots) if root > 0)


def _widened(form: Form) -> Iterator[tuple[sp.Symbol, Form]]:
    """The form with a variable x as x - 1, so that x >= 0 asks for more, where it is then zero at 0."""
    for variable in _variables(form):
        shifted: Form = {}
        for base, c in form.items():
            back = {variable: variable - 1}
            moved = sp.expand(base.xreplace(back))
            if base != 1 and one_signed(moved) != 1:
                break
            _add(shifted, {ONE: ONE} if base == 1 else _log(moved), c.xreplace(back))
        else:
            if at_end(shifted, variable, "0") == {}:
                yield variable, shifted


def _variables(form: Form) -> list[sp.Symbol]:
    symbols = set().union(*(b.free_symbols | c.free_symbols for b, c in form.items())) - {PI}
    return sorted(symbols, key=lambda s: str(s.name))


def _ends(form: Form) -> Iterator[tuple[sp.Symbol, str]]:
    for variable in _variables(form):
        yield variable, "0"
        yield variable, "oo"


def _scalings(form: Form) -> Iterator[tuple[Form, sp.Expr]]:
    """The form times positive rational functions: one that frees its logs of common factors, and 1.

    A constant factor of a logarithm is what makes its slope rational.
    """
    factors = [c for base, c in form.items() if base != 1]
    if factors and not all(c.is_Rational for c in factors):
        parts = [sp.fraction(c) for c in factors]
        shared = sp.gcd_list([numerator for numerator, _ in parts])
        common = sp.lcm_list([denominator for _, denominator in parts])
        signs = (one_signed(sp.expand(common)), one_signed(sp.expand(shared)))
        if 0 not in signs:
            times = sp.cancel(signs[0] * common / (signs[1] * shared))
            if times != 1:
                yield {base: sp.cancel(c * times) for base, c in form.items()}, times
    yield form, ONE


def _leaf(form: Form) -> str | None:
    """The rule that proves a form by itself, if one does."""
    if all(base == 1 for base in form):
        numerator, denominator = sp.fraction(sp.cancel(form.get(ONE, sp.Integer(0))))
        same = one_signed(sp.expand(numerator)) * one_signed(sp.expand(denominator))
        return "coefficients" if numerator == 0 or same == 1 else None
    if ONE not in form and all(c.is_Rational for c in form.values()):
        scale = sp.ilcm(1, *(c.q for c in form.values()))
        powers = {base: int(c * scale) for base, c in form.items()}
        if sum(map(abs, powers.values())) <= _LARGEST_PRODUCT:
            above = sp.Mul(*(b**p for b, p in powers.items() if p > 0))
            below = sp.Mul(*(b**-p for b, p in powers.items() if p < 0))
            excess = sp.expand(above - below)
            if excess == 0 or one_signed(excess) == 1:
                return "product"
    return None if _variables(form) else _number(form)


def _number(form: Form) -> str | None:
    with BALLS.working():
        [value] = CompiledExpression([expression(form)], (PI,))(BALLS, [BALLS.pi()])
        return "number" if value > 0 else None
