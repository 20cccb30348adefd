"""Products of powers as sums of logarithms, compared exactly, and numbers in balls.

A form is a combination of logs of integers, irreducible polynomials and whatever no rule splits further. Integers are
compared by a coprime base, so that no number has to be factored into primes; every other base is taken to be
independent, so a form may be 0 without being seen to be, never the other way round.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from flint import arb, fmpq

from verify.recheck.formulas import Constant, Function, Node, Number, Power, Product, Sum, is_positive
from verify.recheck.ratios import Polynomial, Ratio
from verify.recheck.rejected import Rejected
from verify.recheck.signs import Signs

LogForm = Mapping[int | str | Node, Ratio]
Ball = arb


def log_form(node: Node, signs: Signs) -> LogForm:
    """log of a formula; `Rejected` where it is not seen to be positive or an exponent is no rational function."""
    field = signs.field
    try:
        ratio = field.of(node)
    except Rejected:
        pass
    else:
        if not is_positive(node) and signs.of(ratio) != 1:
            raise Rejected(f"{node} is not known to be positive")
        return log_of_ratio(ratio)
    match node:
        case Product(args=args):
            return combine(*((log_form(arg, signs), field.one) for arg in args))
        case Power(base=base, exponent=exponent):
            return combine((log_form(base, signs), field.of(exponent)))
        case Function(name="exp", args=(exponent,)):
            return {Constant("e"): field.of(exponent)}
    if not is_positive(node):
        raise Rejected(f"{node} is not known to be positive")
    base = Sum(tuple(sorted(node.args, key=repr))) if isinstance(node, Sum) else node
    return {base: field.one}


def log_of_ratio(ratio: Ratio) -> LogForm:
    """log of a rational function where it is positive, by the factors of its parts, each taken positive."""
    one = Ratio(ratio.below * 0 + 1, ratio.below * 0 + 1)
    found: dict[int | str | Node, Ratio] = {}
    for polynomial, sign in ((ratio.above, one), (ratio.below, -one)):
        content, factors = polynomial.factor()
        bases: list[tuple[int | str, Ratio]] = [(abs(int(content.p)), sign), (int(content.q), -sign)]
        bases += [(_spelled(base), sign.times(int(power))) for base, power in factors]
        for base, exponent in bases:
            if base != 1:
                found[base] = found[base] + exponent if base in found else exponent
    return found


def _spelled(polynomial: Polynomial) -> str:
    """The same for a polynomial and its negative."""
    return str(polynomial / polynomial.leading_coefficient())


def combine(*parts: tuple[LogForm, Ratio]) -> LogForm:
    """The sum of forms, each times a factor."""
    found: dict[int | str | Node, Ratio] = {}
    for form, factor in parts:
        for base, power in form.items():
            term = power * factor
            found[base] = found[base] + term if base in found else term
    return found


def vanishes(form: LogForm) -> bool:
    """Whether the form is seen to be 0."""
    numbers = {base: power for base, power in form.items() if isinstance(base, int) and power}
    if any(power for base, power in form.items() if not isinstance(base, int)):
        return False
    for factor in _coprime(list(numbers)):
        first, *others = (power.times(_multiplicity(factor, number)) for number, power in numbers.items())
        if sum(others, start=first):
            return False
    return True


def _coprime(numbers: list[int]) -> list[int]:
    """Pairwise coprime integers above 1 of which every given one is a product of powers."""
    base: list[int] = []
    waiting = list(numbers)
    while waiting:
        number = waiting.pop()
        if number == 1:
            continue
        other = next((b for b in base if math.gcd(b, number) > 1), None)
        if other is None:
            base.append(number)
        elif other != number:
            common = math.gcd(other, number)
            base.remove(other)
            waiting += [common, number // common, other // common]
    return base


def _multiplicity(factor: int, number: int) -> int:
    count = 0
    while number % factor == 0:
        number, count = number // factor, count + 1
    return count


def ball(node: Node) -> Ball:
    """An enclosure of a number; `Rejected` where it is more than powers, exp and log of exact numbers."""
    match node:
        case Number(value=number):
            return arb(fmpq(number.numerator, number.denominator))
        case Constant(name=name):
            return arb.pi() if name == "pi" else arb(1).exp()
        case Sum(args=args):
            return sum(map(ball, args), start=arb(0))
        case Product(args=args):
            return math.prod(map(ball, args), start=arb(1))
        case Power(base=base, exponent=Number(value=power)) if power.denominator == 1:
            return ball(base) ** int(power)
        case Power(base=base, exponent=exponent):
            return (ball(base).log() * ball(exponent)).exp()
        case Function(name="exp", args=(argument,)):
            return ball(argument).exp()
        case Function(name="log", args=(argument,)):
            return ball(argument).log()
    raise Rejected(f"{node} cannot be evaluated")
