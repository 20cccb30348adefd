"""Do a bound's float, its 40-digit value and its ball say the same?"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import mpmath
import sympy as sp
from flint import arb

from theory.numbers.values import ball, number
from theory.relation import Relation, eq
from verify.checks.base import Budget, Check
from verify.errors import InputError
from verify.recheck.balls import exact_ball
from verify.search.compiled import BITS, precision
from verify.search.domains import check_domain
from verify.search.second_opinion import DIGITS
from verify.verdicts import Evidence, Grade, Verdict

POINTS = 8
_FLOAT = Fraction(1, 10**9)
"""How far a float may lie from the ball, relative to the largest summand: room for some thousand roundings."""
_PRECISE = Fraction(1, 10**30)


@dataclass(frozen=True)
class NumericValues(Check):
    """The float of ``evaluated`` and mpmath's value of ``bound`` lie where the ball of ``bound`` does.

    At 8 points of ``domain`` drawn from ``seed``, and nothing is said of any other. PROVED: at each of them the
    ball, which holds the true value, is within 1e-9 of the float and 1e-30 of mpmath's value, relative to the
    largest summand. REFUTED: at one of them the float is further off, and mpmath agrees with the ball.
    """

    bound: sp.Expr
    domain: tuple[Relation, ...]
    evaluated: sp.Expr
    seed: int = 20260409

    def __post_init__(self) -> None:
        tame = {s: sp.Symbol(f"{s.name}_") for s in self.bound.free_symbols if s.name in ("e", "pi")}
        domain = [Relation(c.lhs.xreplace(tame), c.op, c.rhs.xreplace(tame)) for c in self.domain]
        check_domain(domain, self.bound.xreplace(tame).free_symbols, "NumericValues")
        if unbound := self.evaluated.free_symbols - {c.lhs for c in self.domain}:
            raise InputError(f"NumericValues: the domain has no {', '.join(sorted(map(str, unbound)))}")

    def claimed(self) -> Sequence[Relation]:
        return (eq(sp.Symbol("value"), self.evaluated),)

    def evidence(self, budget: Budget) -> Iterable[Evidence]:
        points = list(self._points())
        symbols = [condition.lhs for condition in self.domain]
        compiled = sp.lambdify(symbols, self.bound, "mpmath")
        for point in points:
            at = ", ".join(f"{s} = {x}" for s, x in point.items())
            try:
                enclosed = ball(self.bound, point)
                value = number(self.evaluated, point)
            except (ValueError, ArithmeticError, AttributeError) as problem:
                yield Evidence(Verdict.INCONCLUSIVE, Grade.SAMPLED, f"no value at {at}: {problem}")
                return
            if not enclosed.is_finite():
                yield Evidence(Verdict.INCONCLUSIVE, Grade.SAMPLED, f"no finite ball at {at}")
                return
            with mpmath.workdps(DIGITS):
                precise = compiled(*(mpmath.mpf(int(point[s].p)) / int(point[s].q) for s in symbols))
            scale = self._largest_summand(point)
            second = _distance(enclosed, Fraction(*_as_ratio(precise)), scale)
            first = _distance(enclosed, Fraction(value), scale)
            if not second < exact_ball(_PRECISE):
                yield Evidence(Verdict.ERROR, Grade.BALL, f"mpmath and ball disagree at {at}: {precise}")
                return
            if not first < exact_ball(_FLOAT):
                yield Evidence(
                    Verdict.REFUTED,
                    Grade.BALL,
                    f"the float at {at} is {value!r}, the value {mpmath.nstr(precise, 17)}",
                    witness={**{s.name: str(x) for s, x in point.items()}, "float": repr(value)},
                    confirmed_by=f"mpmath at {DIGITS} digits (the first evaluator is Arb)",
                )
                return
        yield Evidence(
            Verdict.PROVED,
            Grade.BALL,
            f"checked at {len(points)} points drawn from seed {self.seed}, and only there: float, {DIGITS}-digit value and "
            "ball of the bound agree",
            {"points": [{s.name: str(x) for s, x in p.items()} for p in points], "seed": self.seed},
        )

    def _points(self) -> Iterator[dict[sp.Symbol, sp.Rational]]:
        rng = random.Random(self.seed)
        for _ in range(POINTS):
            point: dict[sp.Symbol, sp.Rational] = {}
            for condition in self.domain:
                step = (
                    Fraction(rng.randint(1, 40))
                    if condition.lhs.is_integer
                    else Fraction(rng.randint(1, 64), rng.randint(1, 16))
                )
                point[condition.lhs] = sp.Rational(condition.rhs.subs(point)) + sp.Rational(step)
            yield point

    def _largest_summand(self, point: dict[sp.Symbol, sp.Rational]) -> arb:
        sizes = [abs(ball(term, point)) for term in sp.Add.make_args(sp.expand(self.bound))]
        largest: arb = max(sizes, key=float)
        return largest


def _as_ratio(value: mpmath.mpf) -> tuple[int, int]:
    """A binary float as an exact quotient."""
    mantissa, exponent = mpmath.frexp(value)
    whole = int(mpmath.ldexp(mantissa, 4 * DIGITS))
    power = int(exponent) - 4 * DIGITS
    return (whole << power, 1) if power >= 0 else (whole, 1 << -power)


def _distance(enclosed: arb, value: Fraction, scale: arb) -> arb:
    with precision(BITS):
        found: arb = abs(enclosed - exact_ball(value)) / scale
    return found
