"""What certificates are checked in: quotients of polynomials plus quotients times logarithms.

A small algebra of its own on flint's polynomials, for `verify.recheck.gap_rule`; it knows
neither sympy nor the search that writes certificates.
"""

from __future__ import annotations

from fractions import Fraction

from flint import fmpz_mpoly

from verify.recheck.rejected import Rejected


def nonnegative(polynomial: fmpz_mpoly) -> bool:
    return all(int(c) >= 0 for c in polynomial.coeffs())


class Quotient:
    """A quotient of two polynomials in lowest terms, the lower one with positive leading coefficient."""

    def __init__(self, above: fmpz_mpoly, below: fmpz_mpoly) -> None:
        if below.is_zero():
            raise Rejected("division by zero")
        if below.is_one():
            self.above, self.below = above, below
            return
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

    def at(self, variable: fmpz_mpoly, end: str = "0") -> Form:
        """The limit at one end of a variable, with x log x = 0 at 0."""
        name = str(variable)
        if end not in ("0", "oo"):
            raise Rejected(f"there is no end {end!r}")
        form = self
        if end == "oo":
            form = Form(self.part)
            for base, c in self.logs.values():
                form = form.plus(log_of(_reversed(base, name)).times(c))
                form = form.plus(log_of(variable ** _degree(base, name)).times(c), -1)
        total = Form(form.part.at(variable, name, end))
        for base, c in form.logs.values():
            there = base.subs({name: 0})
            if there.is_zero():
                c.over(Quotient(base, base * 0 + 1)).at(variable, name, end)
                continue
            total = total.plus(log_of(there).times(c.at(variable, name, end)))
        for argument, c in form.factorials.values():
            total = total.plus(
                log_factorial(argument.at(variable, name, end)).times(c.at(variable, name, end))
            )
        return total

    def placed(self, name: str, value: Quotient) -> Form:
        """The form with ``value`` in place of a variable."""
        total = Form(self.part.placed(name, value))
        for base, c in self.logs.values():
            there = _placed(base, name, value)
            total = total.plus(log_of(there.above).plus(log_of(there.below), -1).times(c.placed(name, value)))
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
                        total = total.plus(log_of(base).times(c), sign)
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


def _reversed(polynomial: fmpz_mpoly, name: str) -> fmpz_mpoly:
    """The polynomial at 1/x times x to its degree."""
    place, top = polynomial.context().names().index(name), _degree(polynomial, name)
    turned = {
        (*powers[:place], top - powers[place], *powers[place + 1 :]): c
        for powers, c in polynomial.to_dict().items()
    }
    return polynomial.context().from_dict(turned)


def log_of(polynomial: fmpz_mpoly) -> Form:
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


def log_factorial(argument: Quotient) -> Form:
    """log of a factorial, which stands for itself until it cancels against others; `Rejected` where it may not exist."""
    if not (nonnegative(argument.above) and argument.below.is_one()):
        raise Rejected("the factorial of something not seen to be a nonnegative integer")
    found = Form(_zero(argument))
    found.factorials[str(argument.above)] = (argument, Quotient(argument.below, argument.below))
    return found
