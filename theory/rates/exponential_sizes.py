"""Constraints between exponentially large sizes, as constraints between their logarithms.

With x = exp(u) and y = exp(v) the constraint x <= y says u <= v, and x <= y^2
says u <= 2v. The calculus drops constants, so it would read these alike. That
does no harm as long as constants can be found that meet all constraints at
once: sizes of one order of growth then take these constants, and between sizes
of different orders constants do not count. This is what is checked here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

import sympy as sp

from theory.rates.problem import RateError
from theory.relation import Relation


@dataclass(frozen=True)
class _Order:
    """``ratio * low <= high`` for two logarithms; ``strict`` where something positive is added on the left."""

    low: sp.Symbol
    high: sp.Symbol
    ratio: sp.Expr
    strict: bool


def in_logarithms(relations: Sequence[object], logs: set[sp.Symbol]) -> tuple[object, ...] | None:
    """The relations with every comparison of exp(u) and exp(v), u and v in ``logs``, as one of u and v.

    None where no constants meet all of them. Raises `RateError` for a comparison of
    more than two exponentially large sizes, or where parameters decide.
    """
    found: list[object] = []
    orders: list[_Order] = []
    for relation in relations:
        sides = list(_sides(relation))
        if not any(_has_exponential(side, logs) for pair in sides for side in pair):
            found.append(relation)
            continue
        for left, right in sides:
            for term in _terms(left):
                order = _order(term / _one_term(right), logs)
                if isinstance(order, _Order):
                    orders.append(order)
                    found.append(Relation(order.low, "<=", order.high))
                elif order is False:
                    return None
    return tuple(found) if _constants_exist(orders) else None


def _sides(relation: object) -> Iterator[tuple[sp.Expr, sp.Expr]]:
    """The relation as ``left <= right``, an equality as both ways."""
    op = getattr(relation, "op", None) or getattr(relation, "rel_op", "")
    lhs, rhs = (getattr(relation, side, sp.S.Zero) for side in ("lhs", "rhs"))
    if op in ("<=", "<", "=="):
        yield lhs, rhs
    if op in (">=", ">", "=="):
        yield rhs, lhs


def _has_exponential(expr: sp.Expr, logs: set[sp.Symbol]) -> bool:
    """Whether exp of a size stands there, outside logarithms."""
    outside = expr.replace(sp.log, lambda _: sp.Integer(1))
    return any(e.free_symbols & logs for e in outside.atoms(sp.exp))


def _terms(expr: sp.Expr) -> tuple[sp.Expr, ...]:
    """What is to stay below the other side, each by itself up to a constant."""
    expr = sp.expand(expr)
    return expr.args if isinstance(expr, sp.Add | sp.Max) else (expr,)


def _one_term(expr: sp.Expr) -> sp.Expr:
    if isinstance(expr, sp.Add | sp.Max | sp.Min):
        raise RateError(f"{expr}: one of its terms may decide; state a constraint with one of them")
    return expr


def _order(ratio: sp.Expr, logs: set[sp.Symbol]) -> _Order | bool:
    """What ``ratio <= 1`` says of the logarithms: an order of two, or whether it holds for all large ones."""
    factors = sp.Mul.make_args(sp.powsimp(ratio))
    exponent = sp.expand(sp.Add(*(f.exp for f in factors if isinstance(f, sp.exp))))
    rest = sp.Mul(*(f for f in factors if not isinstance(f, sp.exp)))
    powers = {log: exponent.coeff(log) for log in sorted(logs, key=str) if exponent.has(log)}
    if sp.expand(exponent - sp.Add(*(c * log for log, c in powers.items()))) != 0 or any(
        not (c.is_positive or c.is_negative) for c in powers.values()
    ):
        raise RateError(f"{ratio} <= 1: the growth of the exponent {exponent} is not known")
    rising = [log for log, power in powers.items() if power.is_positive]
    falling = [log for log, power in powers.items() if power.is_negative]
    if not rising or not falling:
        return not rising
    if len(rising) + len(falling) > 2:
        raise RateError(f"{ratio} <= 1: it compares more than two exponentially large sizes")
    [low], [high] = rising, falling
    return _Order(low, high, -powers[low] / powers[high], not _is_at_most_one(rest))


def _is_at_most_one(factor: sp.Expr) -> bool:
    """Whether a factor is seen to be at most 1: a number, over powers of sizes that are at least 1."""
    number, rest = factor.as_coeff_Mul()
    return bool(number <= 1) and all(
        part.as_base_exp()[0].is_Symbol and part.as_base_exp()[1].is_negative
        for part in sp.Mul.make_args(rest)
        if part != 1
    )


def _constants_exist(orders: Sequence[_Order]) -> bool:
    """Whether some positive constants meet every order: along each cycle the ratios multiply to at most 1."""
    logs = sorted({log for order in orders for log in (order.low, order.high)}, key=str)
    steps = [(order.low, order.high, order) for order in orders]
    for length in range(1, len(logs) + 1):
        for cycle in permutations(logs, length):
            if cycle[0] != min(cycle, key=str):
                continue
            for chosen in _along(cycle, steps):
                product = sp.simplify(sp.Mul(*(order.ratio for order in chosen)))
                if not product.is_number:
                    raise RateError(f"whether {product} is at most 1 decides what the constraints allow")
                if product > 1:
                    return False
                if product == 1 and any(order.strict for order in chosen):
                    raise RateError(f"the constraints tie {', '.join(map(str, cycle))} to each other exactly")
    return True


def _along(
    cycle: Sequence[sp.Symbol], steps: Sequence[tuple[sp.Symbol, sp.Symbol, _Order]]
) -> Iterator[list[_Order]]:
    """Every way to go round a cycle by the orders."""
    ways: list[list[_Order]] = [[]]
    for low, high in zip(cycle, (*cycle[1:], cycle[0]), strict=True):
        ways = [[*way, order] for way in ways for a, b, order in steps if (a, b) == (low, high)]
    yield from ways
