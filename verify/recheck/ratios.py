"""Rational functions of the parameters of a statement, in lowest terms, on flint's exact polynomials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import fmpq, fmpq_mpoly_ctx

from verify.recheck.formulas import Node, Number, Power, Product, Sum, Symbol, quoted, read
from verify.recheck.rejected import Rejected

Polynomial = Any  # a flint.fmpq_mpoly
LARGEST_POWER = 100
"""Beyond this no power is multiplied out, so that no text keeps a reader busy for ever."""


class Ratio:
    """A quotient of polynomials in lowest terms, the lower one monic, so that equal functions are equal objects."""

    __slots__ = ("_key", "above", "below")

    def __init__(self, above: Polynomial, below: Polynomial) -> None:
        if below.is_zero():
            raise Rejected("division by zero")
        if not below.is_one():
            shared = above.gcd(below)
            if not shared.is_one():
                above, below = divmod(above, shared)[0], divmod(below, shared)[0]
            lead = below.leading_coefficient()
            above, below = above / lead, below / lead
        self.above, self.below = above, below
        self._key: tuple[str, str] | None = None

    @property
    def key(self) -> tuple[str, str]:
        if self._key is None:
            self._key = (str(self.above), str(self.below))
        return self._key

    def __add__(self, other: Ratio) -> Ratio:
        if self.below == other.below:
            return Ratio(self.above + other.above, self.below)
        return Ratio(self.above * other.below + other.above * self.below, self.below * other.below)

    def __neg__(self) -> Ratio:
        return Ratio(-self.above, self.below)

    def __sub__(self, other: Ratio) -> Ratio:
        return self + -other

    def __mul__(self, other: Ratio) -> Ratio:
        return Ratio(self.above * other.above, self.below * other.below)

    def __truediv__(self, other: Ratio) -> Ratio:
        return Ratio(self.above * other.below, self.below * other.above)

    def times(self, number: int) -> Ratio:
        return Ratio(self.above * number, self.below)

    def __bool__(self) -> bool:
        return not self.above.is_zero()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ratio) and bool(self.above == other.above and self.below == other.below)

    def __hash__(self) -> int:
        return hash(self.key)

    def at(self, point: Sequence[Fraction]) -> Fraction:
        """The value at rational parameters; `Rejected` at a pole."""
        above, below = (value(polynomial, point) for polynomial in (self.above, self.below))
        if not below:
            raise Rejected("a pole at the point")
        return above / below


def value(polynomial: Polynomial, point: Sequence[Fraction]) -> Fraction:
    """The value of a polynomial at rational parameters."""
    found = fmpq(polynomial(*(fmpq(x.numerator, x.denominator) for x in point)))
    return Fraction(int(found.p), int(found.q))


def spelled(polynomial: Polynomial, names: Sequence[str]) -> str:
    """The text of a polynomial in variables of these names, as formulas are read."""
    text = ""
    for powers, coefficient in polynomial.to_dict().items():
        factors = [
            quoted(name) + (f"**{int(power)}" if power != 1 else "")
            for name, power in zip(names, powers, strict=True)
            if power
        ]
        size = abs(coefficient)
        body = "*".join([*([str(size)] if size != 1 or not factors else []), *factors])
        minus = "-" if coefficient < 0 else ""
        text += f" {minus or '+'} {body}" if text else minus + body
    return text or "0"


def sign_of_coefficients(polynomial: Polynomial) -> int | None:
    """The sign of a polynomial at positive parameters where its coefficients show it."""
    coefficients = polynomial.coeffs()
    if not coefficients:
        return 0
    if all(c > 0 for c in coefficients):
        return 1
    return -1 if all(c < 0 for c in coefficients) else None


@dataclass(frozen=True)
class Factored:
    """A polynomial as a part of a known ``sign`` times irreducible ``factors`` of unknown sign; ``odd`` are their parities."""

    sign: int
    factors: tuple[Polynomial, ...]
    odd: tuple[bool, ...]

    @property
    def key(self) -> tuple[tuple[str, bool], ...]:
        return tuple(sorted((str(factor), odd) for factor, odd in zip(self.factors, self.odd, strict=True)))


class Field:
    """The rational functions of named parameters."""

    def __init__(self, parameters: Sequence[str]) -> None:
        self.parameters = tuple(parameters)
        self.context = fmpq_mpoly_ctx.get(tuple(f"p{i}" for i in range(len(self.parameters))), "lex")
        self.zero, self.one = self.number(Fraction(0)), self.number(Fraction(1))
        self._read: dict[Node, Ratio] = {}
        self._factored: dict[str, Factored] = {}

    def number(self, number: Fraction | int) -> Ratio:
        number = Fraction(number)
        constant = self.context.constant(fmpq(number.numerator, number.denominator))
        return Ratio(constant, self.context.constant(1))

    def text(self, text: str) -> Ratio:
        """The function that a text spells; `Rejected` where it spells none."""
        return self.of(read(text))

    def polynomial(self, text: str) -> Polynomial:
        """The polynomial that a text spells."""
        found = self.text(text)
        if not found.below.is_one():
            raise Rejected(f"{text} is no polynomial in {', '.join(self.parameters) or 'no parameter'}")
        return found.above

    def spelled(self, polynomial: Polynomial) -> str:
        """The text of a polynomial, as `polynomial` reads it."""
        return spelled(polynomial, self.parameters)

    def factored(self, polynomial: Polynomial) -> Factored:
        """Its factors, each with a positive leading coefficient, those of one sign at positive parameters left out."""
        text = str(polynomial)
        if text not in self._factored:
            self._factored[text] = self._factors(polynomial)
        return self._factored[text]

    @staticmethod
    def _factors(polynomial: Polynomial) -> Factored:
        if polynomial.is_zero():
            return Factored(0, (), ())
        content, factors = polynomial.factor()
        sign = 1 if content > 0 else -1
        kept = []
        for factor, power in factors:
            known = sign_of_coefficients(factor)
            lead = 1 if factor.leading_coefficient() > 0 else -1
            if power % 2:
                sign *= known or lead
            if known is None:
                kept.append((factor / factor.leading_coefficient(), bool(power % 2)))
        return Factored(sign, tuple(factor for factor, _ in kept), tuple(odd for _, odd in kept))

    def of(self, node: Node) -> Ratio:
        """The function that a formula is; `Rejected` where it is none."""
        if node not in self._read:
            self._read[node] = self._of(node)
        return self._read[node]

    def _of(self, node: Node) -> Ratio:
        match node:
            case Number(value=number):
                return self.number(number)
            case Symbol(name=name) if name in self.parameters:
                generator = self.context.gens()[self.parameters.index(name)]
                return Ratio(generator, self.context.constant(1))
            case Sum(args=args):
                total = self.zero
                for arg in args:
                    total = total + self.of(arg)
                return total
            case Product(args=args):
                total = self.one
                for arg in args:
                    total = total * self.of(arg)
                return total
            case Power(base=base, exponent=Number(value=power)) if power.denominator == 1:
                if abs(power) > LARGEST_POWER:
                    raise Rejected(f"the power {power} is too large to be multiplied out")
                found, times = self.of(base), abs(int(power))
                raised = Ratio(found.above**times, found.below**times)
                return raised if power >= 0 else self.one / raised
        raise Rejected(f"{node} is no rational function of {', '.join(self.parameters) or 'no parameter'}")
