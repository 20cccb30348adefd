"""Sums of products of real powers, in one form: what identities are compared in.

A value is a quotient of two sums; a term is a rational function times a product of powers such as ``x**(2*beta/d)``.
The rational functions are in generators: the variables, pi and e, logarithms of irreducible factors, factorials and
the like, each standing for itself. An exponent is itself such a rational function, and is kept up to an integer,
which goes into the factor: so ``x*x**a`` and ``x**(a + 1)`` have one form. Two values are equal where their
difference, multiplied out, has no term left. Generators may have relations that are not seen here; then equal
values may look different, never the other way round.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from flint import Ordering, fmpz, fmpz_mpoly, fmpz_mpoly_ctx

from verify.recheck.forms import Quotient, nonnegative
from verify.recheck.texts import CONSTANTS, Unreadable, arguments, bounded, called

Key = tuple[tuple[str, str], ...]
"""A product of powers: (base, exponent) in order, both as text."""
Sum = Mapping[Key, Quotient]
_SPARE = 16
_LONGEST_POWER = 40
"""Powers of sums with more than one term are multiplied out up to here."""


class Value(NamedTuple):
    """A quotient of two sums."""

    above: Sum
    below: Sum


class PowerSums:
    """The values of some expressions in variables that are positive; a variable called e takes the constant's place."""

    def __init__(self, trees: Sequence[ast.expr], variables: Sequence[str]) -> None:
        calls = sum(isinstance(node, ast.Call) for tree in trees for node in ast.walk(tree))
        known = sorted({*variables, *CONSTANTS})
        self._has_euler = "e" not in set(variables)
        size = len(known) + 2 * calls + _SPARE
        self._context = fmpz_mpoly_ctx.get(tuple(f"g{i}" for i in range(size)), Ordering.lex)
        self._generators: dict[str, Quotient] = {}
        self._positive: list[bool] = []
        self._quotients: dict[str, Quotient] = {}
        self._one = self._number(1)
        for name in known:
            self._generator(name, positive=True)

    def equal(self, left: ast.expr, right: ast.expr) -> bool:
        """Whether the two are seen to be equal; `Unreadable` where one of them is not of this kind."""
        one, other = self.value(left), self.value(right)
        rest = self._sum(
            self._product(one.above, other.below), self._product(other.above, one.below), sign=-1
        )
        return not rest

    def value(self, node: ast.expr) -> Value:
        """The value of an expression."""
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return self._rational(self._number(node.value))
        if isinstance(node, ast.Name) and node.id in self._generators:
            return self._rational(self._generators[node.id])
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return self._quotient(self.value(node.operand), self._rational(self._number(-1)), ast.Mult())
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            return self._power(self.value(node.left), self._plain(self.value(node.right)))
        if isinstance(node, ast.BinOp):
            return self._quotient(self.value(node.left), self.value(node.right), node.op)
        if called(node) == "log":
            [argument] = arguments(node)
            return self._log_of_power(argument) or self._rational(self._log(self.value(argument)))
        if isinstance(node, ast.Call):
            return self._called(called(node), [self.value(argument) for argument in arguments(node)])
        raise Unreadable(f"{ast.unparse(node)} is not read here")

    def _called(self, name: str, values: Sequence[Value]) -> Value:
        match name, values:
            case "exp", [value] if self._has_euler:
                return self._power(self._rational(self._generators["e"]), self._plain(value))
            case "sqrt", [value]:
                return self._power(value, self._one.over(self._number(2)))
            case (("factorial" | "binomial" | "Min" | "Max"), [_, *_]):
                texts = [self._text(value) for value in values]
                positive = name in ("factorial", "binomial") or all(map(self._is_positive, values))
                ordered = sorted(set(texts)) if name in ("Min", "Max") else texts
                return self._rational(self._generator(f"{name}({'; '.join(ordered)})", positive=positive))
        raise Unreadable(f"{name or 'a function'} of {len(values)} is not read here")

    # Sums

    def _rational(self, value: Quotient) -> Value:
        return Value({} if value.is_zero() else {(): value}, {(): self._one})

    def _plain(self, value: Value) -> Quotient:
        """A value as an exponent; one with real powers in it stands for itself."""
        if set(value.above) | set(value.below) <= {()}:
            return value.above.get((), self._number(0)).over(value.below[()])
        return self._generator(self._text(value))

    def _sum(self, one: Sum, other: Sum, sign: int = 1) -> Sum:
        total = dict(one)
        for key, c in other.items():
            c = c.times(self._number(sign))
            total[key] = total[key].plus(c) if key in total else c
        return {key: c for key, c in total.items() if not c.is_zero()}

    def _product(self, one: Sum, other: Sum) -> Sum:
        total: dict[Key, Quotient] = {}
        for key, a in one.items():
            for more, b in other.items():
                merged, factor = self._merged([*self._read(key), *self._read(more)])
                c = a.times(b).times(factor)
                total[merged] = total[merged].plus(c) if merged in total else c
        return {key: c for key, c in total.items() if not c.is_zero()}

    def _quotient(self, one: Value, other: Value, op: ast.operator) -> Value:
        if isinstance(op, (ast.Add, ast.Sub)):
            left, right = self._product(one.above, other.below), self._product(other.above, one.below)
            above = self._sum(left, right, sign=1 if isinstance(op, ast.Add) else -1)
            return self._lowered(above, self._product(one.below, other.below))
        if isinstance(op, ast.Mult):
            return self._lowered(self._product(one.above, other.above), self._product(one.below, other.below))
        if isinstance(op, ast.Div):
            return self._lowered(self._product(one.above, other.below), self._product(one.below, other.above))
        raise Unreadable(f"there is no reading of {type(op).__name__}")

    def _lowered(self, above: Sum, below: Sum) -> Value:
        """The quotient of two sums; a single term below goes above."""
        if not below:
            raise Unreadable("something is divided by 0")
        if len(below) > 1:
            return Value(above, below)
        [(key, c)] = below.items()
        inverse, factor = self._merged(
            [(base, exponent.times(self._number(-1))) for base, exponent in self._read(key)]
        )
        return Value(self._product(above, {inverse: factor.over(c)}), {(): self._one})

    # Powers

    def _power(self, value: Value, exponent: Quotient) -> Value:
        whole = exponent.constant()
        if whole is not None and whole.denominator == 1:
            return self._whole_power(value, int(whole))
        c, powers = self._term(value)
        factors = self._factors(c)
        factors = [(c, self._one)] if factors is None else factors
        raised = [(base, e.times(exponent)) for base, e in (*factors, *powers)]
        key, factor = self._merged(raised)
        return Value({key: factor}, {(): self._one})

    def _whole_power(self, value: Value, whole: int) -> Value:
        if whole < 0:
            return self._whole_power(self._lowered(value.below, value.above), -whole)
        if bounded(whole) > _LONGEST_POWER and len(value.above) + len(value.below) > 2:
            raise Unreadable(f"the power {whole} of a sum is not multiplied out")
        found = self._rational(self._one)
        for bit in bin(whole)[2:]:
            found = self._quotient(found, found, ast.Mult())
            found = self._quotient(found, value, ast.Mult()) if bit == "1" else found
        return found

    def _term(self, value: Value) -> tuple[Quotient, list[tuple[Quotient, Quotient]]]:
        """A value as a rational function times powers; a sum of several terms stands for itself."""
        if not value.above:
            raise Unreadable("a real power or a logarithm of 0")
        if len(value.above) > 1 or set(value.below) != {()}:
            return self._generator(self._text(value), positive=self._is_positive(value)), []
        [(key, c)] = value.above.items()
        return c, self._read(key)

    def _factors(self, value: Quotient) -> list[tuple[Quotient, Quotient]] | None:
        """The irreducible factors of what is seen to be positive, each with its exponent; None for anything else."""
        rest, factors = self._positive_part(value)
        return factors if rest.constant() == 1 else None

    def _positive_part(self, value: Quotient) -> tuple[Quotient, list[tuple[Quotient, Quotient]]]:
        """What is left of a rational function without the factors that are seen to be positive, and these."""
        rest, found = self._one, []
        for part, side in ((value.above, 1), (value.below, -1)):
            content, factors = part.factor()
            primes = fmpz(abs(int(content))).factor() if abs(int(content)) > 1 else []
            found += [(self._number(int(p)), self._number(int(e) * side)) for p, e in primes]
            rest = rest.times(self._number(-1)) if content < 0 else rest
            for base, e in factors:
                quotient = Quotient(base, self._one.above)
                if self._polynomial_is_positive(base):
                    found.append((quotient, self._number(int(e) * side)))
                else:
                    raised = Quotient(base ** bounded(int(e)), self._one.above)
                    rest = rest.times(raised) if side > 0 else rest.over(raised)
        return rest, found

    def _merged(self, powers: Iterable[tuple[Quotient, Quotient]]) -> tuple[Key, Quotient]:
        """A product of powers in its one form, and the rational factor that comes out of it."""
        total: dict[str, Quotient] = {}
        for base, exponent in powers:
            text = self._named(base)
            total[text] = total[text].plus(exponent) if text in total else exponent
        factor, key = self._one, []
        for text, exponent in sorted(total.items()):
            whole = math.floor(self._somewhere(exponent))
            factor = factor.times(self._raised(self._quotients[text], whole))
            rest = exponent.plus(self._number(-whole))
            if not rest.is_zero():
                key.append((text, self._named(rest)))
        return tuple(key), factor

    def _raised(self, value: Quotient, whole: int) -> Quotient:
        if bounded(abs(whole)) > _LONGEST_POWER and max(len(value.above), len(value.below)) > 1:
            raise Unreadable(f"the power {whole} of a sum is not multiplied out")
        raised = Quotient(value.above ** abs(whole), value.below ** abs(whole))
        return raised if whole >= 0 else self._one.over(raised)

    def _somewhere(self, exponent: Quotient) -> Fraction:
        """The value of an exponent at a fixed point of the generators: it tells how much of it is an integer part."""
        if (constant := exponent.constant()) is not None:
            return constant
        for shift in range(3):
            above, below = (_at(part, shift) for part in (exponent.above, exponent.below))
            if below:
                return above / below
        raise Unreadable("an exponent has a pole at every point that is tried")

    # Logarithms

    def _log_of_power(self, node: ast.expr) -> Value | None:
        """The logarithm of a power of what is positive, whatever the exponent; None for anything else."""
        if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)):
            return None
        base = self.value(node.left)
        if not self._is_positive(base):
            return None
        return self._quotient(self.value(node.right), self._rational(self._log(base)), ast.Mult())

    def _log(self, value: Value) -> Quotient:
        c, powers = self._term(value)
        rest, factors = self._positive_part(c)
        total = self._number(0)
        if rest.constant() != 1:
            if rest.constant() is not None:
                raise Unreadable("the logarithm of a negative number")
            total = self._generator(f"log({self._named(rest)})")
        for base, exponent in factors:
            total = total.plus(exponent.times(self._log_of(base)))
        for base, exponent in powers:
            inner = self._factors(base)
            if inner is None:
                raise Unreadable("the logarithm of a power of what is not seen to be positive")
            for factor, e in inner:
                total = total.plus(exponent.times(e).times(self._log_of(factor)))
        return total

    def _log_of(self, factor: Quotient) -> Quotient:
        text = self._named(factor)
        is_euler = self._has_euler and text == self._named(self._generators["e"])
        return self._one if is_euler else self._generator(f"log({text})")

    # Generators and their texts

    def _number(self, value: int) -> Quotient:
        return Quotient(self._context.constant(value), self._context.constant(1))

    def _generator(self, name: str, *, positive: bool = False) -> Quotient:
        if name not in self._generators:
            if len(self._positive) == self._context.nvars():
                raise Unreadable("the expression has too many parts of its own kind")
            variable = self._context.gens()[len(self._positive)]
            self._generators[name] = Quotient(variable, self._context.constant(1))
            self._positive.append(positive)
        return self._generators[name]

    def _named(self, value: Quotient) -> str:
        """A text that stands for a rational function, the same for the same one."""
        text = f"({value.above})/({value.below})"
        self._quotients[text] = value
        return text

    def _read(self, key: Key) -> list[tuple[Quotient, Quotient]]:
        return [(self._quotients[base], self._quotients[exponent]) for base, exponent in key]

    def _text(self, value: Value) -> str:
        sides = (sorted((key, self._named(c)) for key, c in side.items()) for side in value)
        return " / ".join(map(str, sides))

    def _is_positive(self, value: Value) -> bool:
        """Whether every term is seen to be positive; powers of what is positive are."""
        return bool(value.above) and all(
            self._quotient_is_positive(part)
            for side in value
            for key, c in side.items()
            for part in (c, *(base for base, _ in self._read(key)))
        )

    def _quotient_is_positive(self, value: Quotient) -> bool:
        return self._polynomial_is_positive(value.above) and self._polynomial_is_positive(value.below)

    def _polynomial_is_positive(self, polynomial: fmpz_mpoly) -> bool:
        used = {i for powers in polynomial.to_dict() for i, power in enumerate(powers) if power}
        return not polynomial.is_zero() and nonnegative(polynomial) and all(self._positive[i] for i in used)


def _at(polynomial: fmpz_mpoly, shift: int) -> Fraction:
    """The value where each variable is a fraction of its own."""
    total = Fraction(0)
    for powers, c in polynomial.to_dict().items():
        term = Fraction(int(c))
        for i, power in enumerate(powers):
            if power:
                term *= Fraction(i + 2, 2 * i + 5 + shift) ** int(power)
        total += term
    return total
