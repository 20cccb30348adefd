"""The best number of active experts: every stationary point of the bound in k, certified, and both endpoints.

The bound A (c + k p)^-a + (B (c + k p) + B_route L_T ell price(k))/n is not convex in k, so a single root of its
slope may be a maximum, and the minimum may lie at k = 1 or k = M (`theory.results.regimes`). Roots are isolated by
bisection with balls: an interval is dropped where the slope is proved to have no zero, and kept where the slope is
proved to be monotone with opposite signs at its ends. What is left undecided is returned as such.
"""

from __future__ import annotations

__all__ = ["ActiveExperts", "RoutingPrice", "optimal_active_experts"]

import enum
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property

import sympy as sp
from flint import arb

from theory.errors import MoelawsError
from theory.numbers.balls import BALLS, Ball, centre, from_rational, rounded
from theory.numbers.expression import CompiledExpression
from theory.numbers.values import constant_ball
from theory.vocabulary import M, as_formula, k

_PIECES = 20000
_WIDTH = sp.Rational(1, 10**12)


class RoutingPrice(enum.Enum):
    """The nats charged for one token's choice in one layer, as a function of real k."""

    K_LOG = "k log(eM/k)"
    ENTROPY = "M H(k/M)"
    LOG_CHOOSE = "log C(M,k), by the gamma function"


class Shape(enum.Enum):
    """What a stationary point is."""

    MINIMUM = "local minimum"
    MAXIMUM = "local maximum"


@dataclass(frozen=True)
class Candidate:
    """A number of active experts, between ``low`` and ``high``, with the bound's value there.

    For an endpoint or a whole number both are the same.
    """

    low: sp.Rational
    high: sp.Rational
    lower: sp.Rational
    upper: sp.Rational

    def __repr__(self) -> str:
        where = str(self.low) if self.low == self.high else f"{sp.N(self.low, 8)}"
        return f"k = {where} (bound {sp.N(self.upper, 6)})"


@dataclass(frozen=True)
class StationaryPoint(Candidate):
    """The only zero of the slope between ``low`` and ``high``."""

    shape: Shape

    def __repr__(self) -> str:
        return f"{super().__repr__()}, {self.shape.value}"


@dataclass(frozen=True)
class ActiveExperts:
    """Where the bound is stationary in k, and where it is least.

    ``best`` lists the minimisers over real k in [1, M] and ``best_integer`` those over whole k:
    one, or several that the balls do not tell apart. ``undecided`` are intervals in which stationary points could
    neither be found nor excluded; where it is empty, ``stationary`` is the complete list.
    """

    stationary: tuple[StationaryPoint, ...]
    endpoints: tuple[Candidate, Candidate]
    undecided: tuple[tuple[sp.Rational, sp.Rational], ...]
    best: tuple[Candidate, ...]
    best_integer: tuple[Candidate, ...]

    @property
    def complete(self) -> bool:
        """Whether every stationary point between 1 and M is proved to be listed."""
        return not self.undecided

    def __repr__(self) -> str:
        lines = [f"{len(self.stationary)} stationary point{'' if len(self.stationary) == 1 else 's'} inside"]
        lines += [f"  {point!r}" for point in self.stationary]
        lines += [f"  undecided between {sp.N(a, 8)} and {sp.N(b, 8)}" for a, b in self.undecided]
        lines.append(f"least over real k: {' or '.join(map(repr, map(_plain, self.best)))}")
        lines.append(f"least over whole k: {' or '.join(map(repr, self.best_integer))}")
        return "\n".join(lines)


def _plain(candidate: Candidate) -> Candidate:
    return Candidate(candidate.low, candidate.high, candidate.lower, candidate.upper)


def optimal_active_experts(
    *,
    experts: int,
    samples: object,
    attention: object,
    expert: object,
    exponent: object,
    tokens: object,
    layers: object = 1,
    approximation_constant: object = 1,
    estimation_constant: object = 1,
    routing_constant: object = 1,
    price: RoutingPrice = RoutingPrice.K_LOG,
) -> ActiveExperts:
    """Minimise the bound over the number k of active experts, 1 <= k <= M, certified.

    ``experts`` is M; ``samples`` n, in sequences of ``tokens`` (ell) tokens; ``attention`` and ``expert`` are
    Pi_attn and Pi_exp, in parameters, of one of ``layers`` blocks; ``exponent`` is a = 2 beta/d; the three
    constants are A, B and B_route. All are exact numbers: integers, or sympy rationals in place of floats.

    Two answers that differ only in ``price`` show what rests on the looseness of k log(eM/k) near k = M.
    What the answer does not mean: it minimises an upper bound, and says nothing about how experts train.
    ValueError names an argument that is out of range.

    >>> from sympy import Rational
    >>> from theory import optimal_active_experts
    >>> optimal_active_experts(experts=64, samples=10**6, attention=10**4, expert=10**4,
    ...                        exponent=Rational(1, 2), tokens=1024).best_integer
    (k = 1 (bound 0.0323538),)
    """
    if isinstance(experts, bool) or not isinstance(experts, int | sp.Integer) or experts < 1:
        raise MoelawsError(
            f"optimal_active_experts(experts={experts!r}): expected a whole number of at least 1"
        )
    numbers = {
        name: _number(name, value)
        for name, value in {
            "samples": samples, "attention": attention, "expert": expert, "exponent": exponent, "tokens": tokens,
            "layers": layers, "approximation_constant": approximation_constant,
            "estimation_constant": estimation_constant, "routing_constant": routing_constant,
        }.items()
    }  # fmt: skip
    with BALLS.working():
        bound = _Bound(int(experts), numbers, RoutingPrice(price))
        return _solve(bound)


def _number(name: str, value: object) -> sp.Expr:
    found = as_formula(value, f"optimal_active_experts: {name}")
    if found.has(sp.Float) or found.free_symbols:
        raise MoelawsError(
            f"optimal_active_experts({name}={value!r}): expected an exact number; write sympy.Rational('0.1') for 0.1"
        )
    least_is_zero = name in ("attention", "approximation_constant", "estimation_constant", "routing_constant")
    if not (found.is_positive or (least_is_zero and found == 0)):
        raise MoelawsError(f"optimal_active_experts({name}={value!r}): expected a positive number")
    return found


_size_alone, _size_each, _approximation, _estimation, _routing, _exponent = sp.symbols(
    "s_0 s_1 A B R a", positive=True
)
_PARAMETERS = (M, _size_alone, _size_each, _approximation, _estimation, _routing, _exponent)
_PRICES = {
    RoutingPrice.K_LOG: k * (1 + sp.log(M / k)),
    RoutingPrice.ENTROPY: M * sp.log(M) - k * sp.log(k) - (M - k) * sp.log(M - k),
    RoutingPrice.LOG_CHOOSE: sp.loggamma(M + 1) - sp.loggamma(k + 1) - sp.loggamma(M - k + 1),
}


@cache
def _compiled(price: RoutingPrice) -> tuple[CompiledExpression, ...]:
    """The bound and its first two derivatives in k."""
    size = _size_alone + k * _size_each
    bound = _approximation * size**-_exponent + _estimation * size + _routing * _PRICES[price]
    return tuple(CompiledExpression([sp.diff(bound, k, order)], (k, *_PARAMETERS)) for order in range(3))


class _Bound:
    """The bound and its first two derivatives in k, on balls."""

    def __init__(self, experts: int, numbers: dict[str, sp.Expr], price: RoutingPrice) -> None:
        value = {name: constant_ball(number) for name, number in numbers.items()}
        self.experts, self.price = experts, price
        self.exponent = value["exponent"]
        self.fixed = value["layers"] * value["attention"]
        self.each = value["layers"] * value["expert"]
        self.approximation = value["approximation_constant"]
        self.estimation = value["estimation_constant"] / value["samples"]
        self.routing = value["routing_constant"] * value["layers"] * value["tokens"] / value["samples"]
        self.top = sp.Integer(experts)
        self._parameters = (
            arb(experts), self.fixed, self.each, self.approximation, self.estimation, self.routing, self.exponent,
        )  # fmt: skip

    def value(self, active: Ball) -> Ball:
        return self._derivative(0, active)

    def slope(self, active: Ball) -> Ball:
        return self._derivative(1, active)

    def curvature(self, active: Ball) -> Ball:
        return self._derivative(2, active)

    def _derivative(self, order: int, active: Ball) -> Ball:
        return _compiled(self.price)[order](BALLS, (active, *self._parameters))[0]

    @cached_property
    def end(self) -> sp.Rational:
        """Where the last stretch begins, on which the slope is proved to fall: for the entropy, without limit."""
        if self.price is not RoutingPrice.ENTROPY or not self.routing > 0 or self.experts == 1:
            return self.top
        bends = self.exponent * (1 + self.exponent) * self.approximation * self.each**2
        gap = (self.top - 1) / 2
        while gap > _WIDTH**4:
            size = self.fixed + from_rational(self.top - gap) * self.each
            falls = bends * size ** (-2 - self.exponent) < self.routing / from_rational(
                gap
            )  # M/(k (M-k)) >= 1/gap
            if falls and _has_sign(self.slope(from_rational(self.top - gap))):
                return self.top - gap
            gap /= 2
        return self.top


def _solve(bound: _Bound) -> ActiveExperts:
    endpoints = (_at(bound, sp.Integer(1)), _at(bound, bound.top))
    found, undecided = _roots(bound) if bound.experts > 1 else ([], [])
    stationary = tuple(_stationary(bound, *root) for root in found)
    candidates: list[Candidate] = [*endpoints, *stationary]
    whole = {sp.Integer(1), bound.top}
    for low, high in [*((p.low, p.high) for p in stationary), *undecided]:
        whole |= {sp.Integer(i) for i in range(int(sp.floor(low)), int(sp.ceiling(high)) + 1)}
        candidates += [_at(bound, low), _at(bound, high)] if (low, high) in undecided else []
    at_integers = [_at(bound, i) for i in sorted(whole) if 1 <= i <= bound.top]
    return ActiveExperts(stationary, endpoints, tuple(undecided), _least(candidates), _least(at_integers))


def _least(candidates: list[Candidate]) -> tuple[Candidate, ...]:
    """Those that no other is proved to lie below, each place once."""
    ceiling = min(c.upper for c in candidates)
    kept: dict[tuple[sp.Rational, sp.Rational], Candidate] = {}
    for candidate in candidates:
        if candidate.lower <= ceiling:
            kept.setdefault((candidate.low, candidate.high), candidate)
    return tuple(sorted(kept.values(), key=lambda c: c.low))


def _at(bound: _Bound, k: sp.Rational) -> Candidate:
    value = bound.value(from_rational(k))
    return Candidate(k, k, rounded(value, up=False, digits=30), rounded(value, up=True, digits=30))


def _stationary(bound: _Bound, low: sp.Rational, high: sp.Rational, rises: bool) -> StationaryPoint:
    if low == bound.end:  # a maximum in the last stretch: the bound is concave there
        value = bound.value(from_rational(low))
        above = value + bound.slope(from_rational(low)) * from_rational(high - low)
        ends = rounded(value, up=False, digits=30), rounded(above, up=True, digits=30)
        return StationaryPoint(low, high, *ends, Shape.MAXIMUM)
    middle = from_rational((low + high) / 2)
    inside = from_rational(low).union(from_rational(high))
    value = bound.value(middle) + bound.slope(inside) * (inside - middle)  # mean value form
    shape = Shape.MINIMUM if rises else Shape.MAXIMUM
    ends = rounded(value, up=False, digits=30), rounded(value, up=True, digits=30)
    return StationaryPoint(low, high, *ends, shape)


def _short(value: sp.Rational) -> sp.Rational:
    """A nearby rational whose denominator is a power of 2, so that halving does not lengthen it."""
    return sp.Rational(centre(from_rational(value)))


Root = tuple[sp.Rational, sp.Rational, bool]


def _roots(bound: _Bound) -> tuple[list[Root], list[tuple[sp.Rational, sp.Rational]]]:
    """Intervals with exactly one zero of the slope, and whether it rises there; intervals left open."""
    waiting = [(sp.Integer(1), bound.end)]
    found: list[Root] = []
    undecided: list[tuple[sp.Rational, sp.Rational]] = []
    pieces = 0
    if bound.end < bound.top and bound.slope(from_rational(bound.end)) > 0:
        found.append((bound.end, bound.top, False))
    while waiting:
        low, high = waiting.pop()
        pieces += 1
        inside = from_rational(low).union(from_rational(high))
        if _has_sign(bound.slope(inside)) or _has_sign(_mean_value(bound, low, high)):
            continue
        if _has_sign(bound.curvature(inside)):
            ends = bound.slope(from_rational(low)), bound.slope(from_rational(high))
            if all(map(_has_sign, ends)):
                if (ends[0] > 0) != (ends[1] > 0):
                    found.append(_narrowed(bound.slope, low, high, rises=bool(ends[1] > 0)))
                continue
        if high - low < _WIDTH or pieces > _PIECES:
            undecided.append((low, high))
            continue
        middle = _short((low + high) / 2)
        waiting += [(middle, high), (low, middle)]
    return sorted(found), sorted(undecided)


def _has_sign(value: Ball) -> bool:
    return bool(value > 0) or bool(value < 0)


def _mean_value(bound: _Bound, low: sp.Rational, high: sp.Rational) -> Ball:
    middle = from_rational((low + high) / 2)
    inside = from_rational(low).union(from_rational(high))
    return bound.slope(middle) + bound.curvature(inside) * (inside - middle)


def _narrowed(slope: Callable[[Ball], Ball], low: sp.Rational, high: sp.Rational, *, rises: bool) -> Root:
    """Bisect an interval with one zero of a monotone function."""
    while high - low > _WIDTH:
        middle = _short((low + high) / 2)
        value = slope(from_rational(middle))
        if not _has_sign(value):
            break
        low, high = (low, middle) if bool(value > 0) == rises else (middle, high)
    return low, high, rises
