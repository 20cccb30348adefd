"""What certificates are checked in: quotients of polynomials plus quotients times logarithms, read from text.

A small algebra of its own on flint's polynomials, for `verify.certificates`; it knows
neither sympy nor the search that writes certificates.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from flint import Ordering, arb, fmpz_mpoly, fmpz_mpoly_ctx, fmpz_poly

Domain = Sequence[tuple[str, str]]
"""Lower bounds as (symbol, bound), a bound using earlier symbols only."""


class Rejected(Exception):
    """A certificate that does not prove what it is said to prove, and why."""


class Unreadable(Rejected):
    """A claim beyond the checker, whatever the certificate says: neither is at fault."""


@contextmanager
def the_claim() -> Iterator[None]:
    """What is rejected inside the block is the claim and not its certificate: `Unreadable`."""
    try:
        yield
    except Rejected as problem:
        raise Unreadable(str(problem)) from None


def nonnegative(polynomial: fmpz_mpoly) -> bool:
    return all(int(c) >= 0 for c in polynomial.coeffs())


class Quotient:
    """A quotient of two polynomials in lowest terms, the lower one with positive leading coefficient."""

    def __init__(self, above: fmpz_mpoly, below: fmpz_mpoly) -> None:
        if below.is_zero():
            raise Rejected("division by zero")
        shared = above.gcd(below)
        above, below = divmod(above, shared)[0], divmod(below, shared)[0]
        flip = -1 if below.leading_coefficient() < 0 else 1
        self.above, self.below = above * flip, below * flip

    def plus(self, other: Quotient) -> Quotient:
        return Quotient(self.above * other.below + other.above * self.below, self.below * other.below)

    def times(self, other: Quotient) -> Quotient:
        return Quotient(self.above * other.above, self.below * other.below)

    def over(self, other: Quotient) -> Quotient:
        return Quotient(self.above * other.below, self.below * other.above)

    def slope(self, name: str) -> Quotient:
        rise = self.above.derivative(name) * self.below - self.above * self.below.derivative(name)
        return Quotient(rise, self.below * self.below)

    def at(self, variable: fmpz_mpoly, name: str, end: str) -> Quotient:
        above, below = self.above, self.below
        if end == "oo":
            lift = _degree(above, name) - _degree(below, name)
            above, below = _reversed(above, name), _reversed(below, name)
            above, below = (above, below * variable**lift) if lift >= 0 else (above * variable**-lift, below)
            above, below = (q := Quotient(above, below)).above, q.below
        if (lower := below.subs({name: 0})).is_zero():
            raise Rejected(f"a pole at {name} = {end}")
        return Quotient(above.subs({name: 0}), lower)

    def placed(self, name: str, value: Quotient) -> Quotient:
        """The same with ``value`` in place of a variable."""
        return _placed(self.above, name, value).over(_placed(self.below, name, value))

    def is_zero(self) -> bool:
        return bool(self.above.is_zero())

    def constant(self) -> Fraction | None:
        if not (self.above.is_constant() and self.below.is_constant()):
            return None
        return Fraction(int(self.above.leading_coefficient()), int(self.below.leading_coefficient()))


class Form:
    """``part`` plus the sum of ``logs`` (coefficient times log of a polynomial) and of log factorials."""

    def __init__(self, part: Quotient) -> None:
        self.part = part
        self.logs: dict[str, tuple[fmpz_mpoly, Quotient]] = {}
        self.factorials: dict[str, tuple[Quotient, Quotient]] = {}

    def plus(self, other: Form, sign: int = 1) -> Form:
        one = other.part.above * 0 + sign
        return self._plus(other, Quotient(one, one * 0 + 1))

    def _plus(self, other: Form, c: Quotient) -> Form:
        total = Form(self.part.plus(other.part.times(c)))
        for kind in ("logs", "factorials"):
            entries = dict(getattr(self, kind))
            for key, (base, factor) in getattr(other, kind).items():
                value = factor.times(c)
                entries[key] = (base, entries[key][1].plus(value) if key in entries else value)
            setattr(total, kind, {k: e for k, e in entries.items() if not e[1].is_zero()})
        return total

    def times(self, c: Quotient) -> Form:
        return Form(_zero(c))._plus(self, c)

    def equals(self, other: Form) -> bool:
        rest = self.plus(other, -1)
        return rest.part.is_zero() and not rest.logs and not rest.factorials

    def slope(self, name: str) -> Form:
        total = Form(self.part.slope(name))
        for key, (base, c) in self.logs.items():
            piece = Form(c.times(Quotient(base.derivative(name), base)))
            piece.logs[key] = (base, c.slope(name))
            total = total.plus(piece)
        return total

    def at(self, variable: fmpz_mpoly, reader: Reader, end: str = "0") -> Form:
        """The limit at one end of a variable, with x log x = 0 at 0."""
        name = str(variable)
        if end not in ("0", "oo"):
            raise Rejected(f"there is no end {end!r}")
        form = self
        if end == "oo":
            form = Form(self.part)
            for base, c in self.logs.values():
                form = form.plus(reader.log_of(_reversed(base, name)).times(c))
                form = form.plus(reader.log_of(variable ** _degree(base, name)).times(c), -1)
        total = Form(form.part.at(variable, name, end))
        for base, c in form.logs.values():
            there = base.subs({name: 0})
            if there.is_zero():
                c.over(Quotient(base, base * 0 + 1)).at(variable, name, end)
                continue
            total = total.plus(reader.log_of(there).times(c.at(variable, name, end)))
        for argument, c in form.factorials.values():
            total = total.plus(
                reader.log_factorial(argument.at(variable, name, end)).times(c.at(variable, name, end))
            )
        return total

    def placed(self, name: str, value: Quotient) -> Form:
        """The form with ``value`` in place of a variable."""
        total = Form(self.part.placed(name, value))
        for base, c in self.logs.values():
            there = _placed(base, name, value)
            total = total.plus(
                _log_of(there.above).plus(_log_of(there.below), -1).times(c.placed(name, value))
            )
        return total

    def elementary(self) -> Form:
        """The same without factorials: log (e + 1)! = log e! + log(e + 1); they must cancel."""
        total = Form(self.part)
        total.logs = dict(self.logs)
        left = list(self.factorials.values())
        while left:
            argument = left[0][0]
            shifts = [(argument, e.plus(argument.times(_minus_one(argument))).constant(), c) for e, c in left]
            kin = [(shift, c) for _, shift, c in shifts if shift is not None and shift.denominator == 1]
            left = [
                entry
                for entry, (_, shift, _) in zip(left, shifts, strict=True)
                if shift is None or shift.denominator != 1
            ]
            value = argument.constant()
            lowest = -value if value is not None else min(shift for shift, _ in kin)
            height = _zero(argument)
            for shift, c in kin:
                height = height.plus(c)
                for i in range(int(lowest) + 1, int(shift) + 1):
                    term = argument.plus(Quotient(argument.above * 0 + i, argument.above * 0 + 1))
                    for base, sign in ((term.above, 1), (term.below, -1)):
                        total = total.plus(_log_of(base).times(c), sign)
            if value is None and not height.is_zero():
                raise Rejected("a factorial does not cancel")
        return total


def _zero(like: Quotient) -> Quotient:
    return Quotient(like.above * 0, like.above * 0 + 1)


def _minus_one(like: Quotient) -> Quotient:
    return Quotient(like.above * 0 - 1, like.above * 0 + 1)


def _degree(polynomial: fmpz_mpoly, name: str) -> int:
    place = polynomial.context().names().index(name)
    return max((powers[place] for powers in polynomial.to_dict()), default=0)


def _placed(polynomial: fmpz_mpoly, name: str, value: Quotient) -> Quotient:
    """The polynomial with ``value`` in place of a variable."""
    place, top = polynomial.context().names().index(name), _degree(polynomial, name)
    total = polynomial * 0
    for powers, c in polynomial.to_dict().items():
        rest = polynomial.context().from_dict({(*powers[:place], 0, *powers[place + 1 :]): c})
        total += rest * value.above ** powers[place] * value.below ** (top - powers[place])
    return Quotient(total, value.below**top)


def _has_no_positive_root(polynomial: fmpz_mpoly) -> bool:
    """Whether a polynomial in one variable has none: its complex roots, enclosed, are all elsewhere."""
    powers = polynomial.to_dict()
    used = [i for i in range(len(next(iter(powers)))) if any(p[i] for p in powers)]
    if len(used) != 1:
        return False
    degrees = {p[used[0]]: int(c) for p, c in powers.items()}
    roots: Any = fmpz_poly([degrees.get(i, 0) for i in range(max(degrees) + 1)]).complex_roots()
    return all(bool(root.real <= 0) or bool(root.imag != 0) for root, _ in roots)


def _reversed(polynomial: fmpz_mpoly, name: str) -> fmpz_mpoly:
    """The polynomial at 1/x times x to its degree."""
    place, top = polynomial.context().names().index(name), _degree(polynomial, name)
    turned = {
        (*powers[:place], top - powers[place], *powers[place + 1 :]): c
        for powers, c in polynomial.to_dict().items()
    }
    return polynomial.context().from_dict(turned)


def _log_of(polynomial: fmpz_mpoly) -> Form:
    """log of a polynomial as a sum over its irreducible factors and the primes of its content."""
    one = polynomial * 0 + 1
    found = Form(Quotient(one * 0, one))
    if polynomial.is_zero():
        raise Rejected("log of zero")
    content, factors = polynomial.factor()
    if int(content) < 0 or not all(nonnegative(base) for base, _ in factors):
        raise Rejected(f"log of {polynomial}, which is not seen to be positive")
    primes = [(one * int(p), power) for p, power in abs(content).factor()] if abs(int(content)) > 1 else []
    for base, power in [*primes, *factors]:
        found.logs[str(base)] = (base, Quotient(one * int(power), one))
    return found


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

    def log_of(self, polynomial: fmpz_mpoly) -> Form:
        return _log_of(polynomial)

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
        if isinstance(node, ast.Name) and node.id == "E":
            return Form(self.number(1))
        if isinstance(node, ast.Call):
            arguments = [self._rational(argument, places) for argument in node.args]
            if called(node) == "exp":
                return self._form(node.args[0], places)
            if called(node) == "sqrt":
                return self._log(node.args[0], places).times(self.number(1).over(self.number(2)))
            if called(node) == "factorial":
                return self.log_factorial(arguments[0])
            if called(node) == "binomial":
                top, below = arguments
                rest = top.plus(below.times(self.number(-1)))
                lower = self.log_factorial(below).plus(self.log_factorial(rest))
                return self.log_factorial(top).plus(lower, -1)
        value = self._rational(node, places)
        return _log_of(value.above).plus(_log_of(value.below), -1)

    def log_factorial(self, argument: Quotient) -> Form:
        if not (nonnegative(argument.above) and argument.below.is_one()):
            raise Rejected("the factorial of something not seen to be a nonnegative integer")
        found = Form(self.number(0))
        found.factorials[str(argument.above)] = (argument, self.number(1))
        return found

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
                whole = int(power)
                raised = Quotient(left.above ** abs(whole), left.below ** abs(whole))
                return raised if whole >= 0 else self.number(1).over(raised)
        raise Rejected(f"{ast.unparse(node)} is not a rational function of the domain's symbols")


def parse(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        raise Rejected(f"{text!r} is not an expression") from None


def has_log(node: ast.expr) -> bool:
    """Whether a logarithm stands in it."""
    return any(called(part) == "log" for part in ast.walk(node))


def called(node: ast.AST) -> str:
    """The name of the function that a node calls, empty for anything else."""
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
