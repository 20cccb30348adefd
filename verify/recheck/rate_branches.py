"""The reading of a rate: which monomials decide, over all alternatives and all sizes of the logarithms' arguments.

A rate is read up to constants, as a list of *ways*: it is the smallest, over the ways, of the largest monomial in
each. A *monomial* is the vector of its exponents on the sizes and then on four levels of the scale n: n itself,
n^delta, n^omega and log n, each of which outgrows every power of the next. Where A >= n^delta, log A counts as
log n; where 1 <= A <= n^omega, as a constant. Nothing is simplified away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product as choices

from verify.recheck.formulas import (
    ONE,
    ZERO,
    Function,
    Node,
    Power,
    Product,
    Sum,
    Symbol,
    exceeds_one,
    is_positive,
    product,
    total,
)
from verify.recheck.ratios import Ratio, sign_of_coefficients
from verify.recheck.rejected import Rejected
from verify.recheck.statements import Statement
from verify.recheck.terms import Term, gather, multiplied_out

LEVELS = ("power", "delta", "omega", "logs")
Monomial = tuple[Ratio, ...]
Ways = list[frozenset[Monomial]]
Branch = tuple[frozenset[Monomial], frozenset[Monomial]]
"""Monomials of which the largest is the rate, and those that the constraints keep at most 1."""
SignOf = Callable[[Ratio], int | None]


def weighted(terms: Iterable[tuple[Monomial, Ratio]], length: int, zero: Ratio) -> Monomial:
    """The product of monomials to their weights."""
    found = [zero] * length
    for monomial, weight in terms:
        for i, exponent in enumerate(monomial):
            if exponent:
                found[i] = found[i] + exponent * weight
    return tuple(found)


def branches(statement: Statement, sign_of: SignOf) -> Iterator[Branch]:
    """Every branch of the statement; on each the rate and the constraints are plain monomials."""
    waiting: list[dict[Monomial, bool]] = [{}]
    while waiting:
        large = waiting.pop()
        reading = Reading(statement, sign_of, large)
        rates = reading.ways(statement.objective)
        limits = [reading.ways(ratio) for ratio in statement.ratios]
        new = [argument for argument in reading.met if argument not in large]
        if new:
            answers = choices((True, False), repeat=len(new))
            waiting += [{**large, **dict(zip(new, answer, strict=True))} for answer in answers]
            continue
        for size in statement.sizes:
            limits.append([frozenset({reading.symbol(size, 1 if size in statement.small else -1)})])
        for argument, is_large in large.items():
            limit = (
                reading.over(reading.level("delta"), argument)
                if is_large
                else reading.over(argument, reading.level("omega"))
            )
            limits.append([frozenset({limit})])
        for chosen in choices(*limits, *reading.extra):
            together = frozenset[Monomial]().union(*chosen)
            for rate in rates:
                yield rate, together


class Reading:
    """Reads formulas where it is settled which arguments of logarithms are ``large``; the others are ``met``."""

    def __init__(self, statement: Statement, sign_of: SignOf, large: dict[Monomial, bool]) -> None:
        self.statement, self.field = statement, statement.field
        self.sign_of, self.large = sign_of, large
        self.met: dict[Monomial, None] = {}
        self.extra: list[Ways] = []
        zero = self.field.zero
        self.unit: Monomial = (zero,) * (len(statement.sizes) + len(LEVELS))

    def level(self, name: str, exponent: Ratio | None = None) -> Monomial:
        """A power of one of the four levels of the scale."""
        return self._placed(len(self.statement.sizes) + LEVELS.index(name), exponent or self.field.one)

    def symbol(self, size: str, exponent: int) -> Monomial:
        return self._placed(self.statement.sizes.index(size), self.field.number(exponent))

    def _placed(self, place: int, exponent: Ratio) -> Monomial:
        return (*self.unit[:place], exponent, *self.unit[place + 1 :])

    def over(self, one: Monomial, other: Monomial) -> Monomial:
        return tuple(a - b for a, b in zip(one, other, strict=True))

    # One case for each kind of formula

    def ways(self, node: Node) -> Ways:
        """The rate of a formula: no way at all where it is infinite, an empty one where it vanishes."""
        if not self.statement.varies(node):
            return self._fixed(node)
        match node:
            case Symbol(name=name) if name in self.statement.given:
                exponent = self.statement.given[name]
                return [frozenset({self.level("power", exponent) if exponent else self.unit})]
            case Symbol(name=name):
                return [frozenset({self.symbol(name, 1)})]
            case Sum(args=args):
                return self._largest(self._times(term) for term in self._gathered(args))
            case Function(name="Max", args=args):
                return self._largest(map(self.ways, args))
            case Function(name="Min", args=args):
                return [way for arg in args for way in self.ways(arg)]
            case Product(args=args):
                return self._product([self.ways(factor) for factor in args])
            case Function(name="exp", args=(exponent,)):
                return [] if self._grows(exponent)[0] > 0 else [frozenset()]
            case Power(base=base, exponent=exponent):
                if self.statement.varies(exponent):
                    raise Rejected("an exponent varies")
                return self._raised(self.ways(base), self.field.of(exponent))
            case Function(name="Abs", args=(argument,)):
                return self.ways(argument)
            case Function(name="log", args=(argument,)):
                return self._log(argument)
        raise Rejected(f"no rate is known for {node}")

    def _fixed(self, node: Node) -> Ways:
        if is_positive(node):
            return [frozenset({self.unit})]
        sign = self.sign_of(self.field.of(node))
        if sign is None or sign < 0:
            raise Rejected(f"the coefficient {node} is not known to be positive")
        return [frozenset({self.unit})] if sign else [frozenset()]

    def _gathered(self, parts: Iterable[Node]) -> list[Term]:
        return gather(parts, self.statement.varies, self.field)

    @staticmethod
    def _largest(found: Iterable[Ways]) -> Ways:
        return [frozenset[Monomial]().union(*chosen) for chosen in choices(*found)]

    def _product(self, factors: Sequence[Ways]) -> Ways:
        if [] in factors and any(frozenset() in ways for ways in factors):
            raise Rejected("something infinite and something that vanishes are multiplied")
        found: Ways = [frozenset({self.unit})]
        for ways in factors:
            found = [
                frozenset(tuple(a + b for a, b in zip(p, q, strict=True)) for p in one for q in other)
                for one, other in choices(found, ways)
            ]
        return found

    def _times(self, term: Term) -> Ways:
        """A coefficient times powers."""
        factors = [self._fixed(term.coefficient)] if term.coefficient != ONE else []
        return self._product([*factors, *(self._raised(self.ways(base), e) for base, e in term.powers)])

    def _raised(self, ways: Ways, exponent: Ratio) -> Ways:
        if exponent == self.field.one:
            return ways
        is_monomial = len(ways) == 1 and len(ways[0]) == 1
        sign = 1 if is_monomial else self.sign_of(exponent)
        if sign is None:
            raise Rejected("the sign of an exponent is not settled on this region")
        if sign == 0:
            return [frozenset({self.unit})]
        chosen = ways if sign > 0 else [frozenset(pick) for pick in choices(*ways)]
        return [frozenset(tuple(e * exponent for e in m) for m in way) for way in chosen]

    def _grows(self, exponent: Node) -> tuple[int, str]:
        """The sign of c in exp(c m), and m: a size taken above every multiple of the scale's logarithm."""
        factors = exponent.args if isinstance(exponent, Product) else (exponent,)
        varying = [factor for factor in factors if self.statement.varies(factor)]
        rate = product(factor for factor in factors if not self.statement.varies(factor))
        if (
            len(varying) != 1
            or not isinstance(varying[0], Symbol)
            or varying[0].name not in self.statement.sizes
        ):
            raise Rejected("exp of what is no multiple of one size")
        sign = 1 if is_positive(rate) else self.sign_of(self.field.of(rate))
        if not sign:
            raise Rejected("exp of what neither grows nor vanishes for certain")
        size = varying[0].name
        self._limit([frozenset({self.over(self.level("logs"), self.symbol(size, 1))})])
        return sign, size

    def _limit(self, ways: Ways) -> None:
        if ways not in self.extra:
            self.extra.append(ways)

    # Logarithms

    def _log(self, argument: Node) -> Ways:
        terms = self._gathered(multiplied_out(argument))
        if len(terms) == 1 and terms[0].coefficient == ONE and len(terms[0].powers) == 1:
            [(base, exponent)] = terms[0].powers
            if exponent != self.field.one and sign_of_coefficients(exponent.above) == 1:
                return self._log(base)  # log A^p is p log A
        if any(
            isinstance(base, Function) and base.name == "exp" for term in terms for base, _ in term.powers
        ):
            return self._log_of_exponentials(terms)
        offset = total(term.coefficient for term in terms if not term.powers)
        rest = self._largest(self._times(term) for term in terms if term.powers)
        is_one = self._is_one(offset)
        if offset == ZERO:
            self._limit(self._raised(rest, self.field.number(-1)))  # a logarithm is positive
        found: Ways = []
        for way in rest:
            counted = [self._counts(monomial) for monomial in way]
            if any(counted):
                found.append(frozenset({self.level("logs")}))
            elif is_one:
                found += [frozenset({self.unit}), way]  # log(1 + A) is A where A is small
            else:
                found.append(frozenset({self.unit}))
        return found

    def _is_one(self, offset: Node) -> bool:
        """Whether a constant beside what varies in a logarithm is 1; `Rejected` unless it is that, more, or absent."""
        if offset in (ZERO, ONE):
            return offset == ONE
        if not exceeds_one(offset):
            sign = self.sign_of(self.field.of(offset) - self.field.one)
            if sign is None or sign < 0:
                raise Rejected(f"a logarithm of {offset} and more may be negative")
            return sign == 0
        return False

    def _log_of_exponentials(self, terms: Sequence[Term]) -> Ways:
        """log of a sum of exp(c m) times rates: the largest of the sizes m that grow in them.

        Rates do not count beside exponentials, and by the calculus neither do exponentials that vanish.
        """
        found: set[Monomial] = set()
        for term in terms:
            if not is_positive(term.coefficient):
                raise Rejected("a coefficient in a logarithm is not known to be positive")
            for base, exponent in term.powers:
                if isinstance(base, Function) and base.name == "exp":
                    if exponent != self.field.one:
                        raise Rejected("a power of an exponential in a logarithm is not read")
                    sign, size = self._grows(base.args[0])
                    found |= {self.symbol(size, 1)} if sign > 0 else set()
        if not found:
            raise Rejected("a logarithm of what vanishes is negative")
        return [frozenset(found)]

    def _counts(self, argument: Monomial) -> bool:
        sizes = len(self.statement.sizes)
        if not any(argument[:sizes]):
            sign = self.sign_of(argument[sizes])
            if sign is not None:
                return sign > 0
        self.met[argument] = None
        return self.large.get(argument, True)
