"""Newton's method along the central path of a geometric program, in logarithms and in high precision.

Nothing here has to be right: what it returns is rounded to exact numbers and
then checked. Arb is used for its precision, with radii thrown away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flint import arb, arb_mat

from theory.numbers.balls import Ball

Vector = list[Ball]
FINAL = 2**70
"""Where the path ends: the gap is at most (number of constraints)/FINAL."""
_STEPS = 400


@dataclass(frozen=True)
class LogSumExp:
    """log sum_j exp(constants[j] + powers[j] . y), convex in y."""

    powers: list[Vector]
    constants: Vector

    def value(self, y: Vector) -> Ball:
        return self.shares(y)[0]

    def shares(self, y: Vector) -> tuple[Ball, Vector]:
        """The value and the share of each term in the sum."""
        heights = [c + _dot(p, y) for p, c in zip(self.powers, self.constants, strict=True)]
        top = max(heights, key=float)
        terms = [(h - top).exp().mid() for h in heights]
        total = sum(terms, start=arb(0))
        return (top + total.log()).mid(), [(t / total).mid() for t in terms]

    def slopes(self, shares: Vector) -> Vector:
        return [_dot(shares, [p[i] for p in self.powers]) for i in range(len(self.powers[0]))]


def _dot(x: Sequence[Ball], y: Sequence[Ball]) -> Ball:
    return sum((a * b for a, b in zip(x, y, strict=True)), start=arb(0)).mid()


@dataclass(frozen=True)
class Barrier:
    """times * objective - sum log(-limit), for limits that are negative inside."""

    objective: LogSumExp
    limits: list[LogSumExp]
    ridge: Ball = 0

    def value(self, y: Vector, times: Ball) -> Ball | None:
        total = times * self.objective.value(y) + self.ridge * _dot(y, y) / 2
        for limit in self.limits:
            height = limit.value(y)
            if not height < 0:
                return None
            total -= (-height).log()
        return total.mid()

    def newton(self, y: Vector, times: Ball) -> tuple[Vector, Ball]:
        """The step to the minimum of the quadratic model, and how much it promises."""
        width = len(y)
        slope = [self.ridge * x for x in y]
        curve = [[self.ridge if i == j else arb(0) for j in range(width)] for i in range(width)]
        for part, is_limit in [(self.objective, False), *((limit, True) for limit in self.limits)]:
            height, shares = part.shares(y)
            tilt = part.slopes(shares)
            weight = -1 / height if is_limit else times
            extra = weight * weight if is_limit else arb(0)
            for i in range(width):
                slope[i] += weight * tilt[i]
                for j in range(i + 1):
                    spread = sum(
                        (
                            s * (p[i] - tilt[i]) * (p[j] - tilt[j])
                            for s, p in zip(shares, part.powers, strict=True)
                        ),
                        start=arb(0),
                    )
                    curve[i][j] += weight * spread + extra * tilt[i] * tilt[j]
                    curve[j][i] = curve[i][j]
        matrix = arb_mat([[x.mid() for x in row] for row in curve])
        step = matrix.solve(arb_mat([[-x.mid()] for x in slope]), algorithm="approx")
        move = [step[i, 0].mid() for i in range(width)]
        return move, -_dot(move, [x.mid() for x in slope])

    def centre(self, y: Vector, times: Ball, *, until: Callable[[Vector], bool] = lambda y: False) -> Vector:
        """The minimiser from a point inside, to the working precision, or the first point with ``until``."""
        current = self.value(y, times)
        for _ in range(_STEPS):
            if until(y):
                return y
            move, promise = self.newton(y, times)
            if not promise > _TINY or current is None:
                return y
            longest = max((abs(x) for x in move), key=float)
            length = arb(1) if not longest > 20 else (20 / longest).mid()
            while True:
                trial = [(a + length * b).mid() for a, b in zip(y, move, strict=True)]
                value = self.value(trial, times)
                if value is not None and value <= current - length * promise / 8:
                    break
                length = length / 2
                if not length > _TINY:
                    return y
            y, current = trial, value
        return y


_TINY = arb(2) ** -150


def follow(objective: LogSumExp, limits: list[LogSumExp], start: Vector) -> tuple[Vector, Ball]:
    """The end of the central path from a point inside all limits, and its weight on the objective."""
    if not start:
        return start, arb(FINAL)
    barrier, y, times = Barrier(objective, limits), start, arb(1)
    while limits and times < FINAL:
        y = barrier.centre(y, times)
        times = times * 32
    return barrier.centre(y, times), times


def inside(limits: list[LogSumExp], start: Vector) -> tuple[Vector, bool]:
    """A point where every limit is negative, and whether it is one; else the point where the largest is least."""
    if not limits or max((g.value(start) for g in limits), key=float) < -_ROOM:
        return start, True
    width = len(start)
    lifted = [LogSumExp([[*p, arb(-1)] for p in g.powers], g.constants) for g in limits]
    height = LogSumExp([[arb(0)] * width + [arb(1)]], [arb(0)])
    barrier = Barrier(height, lifted, arb(2) ** -16)  # holds sizes that the limits leave free
    y = [*start, max((g.value(start) for g in limits), key=float) + 1]

    def deep(point: Vector) -> bool:
        return all(g.value(point[:-1]) < -_ROOM for g in limits)

    times = arb(1)
    while times < FINAL and not deep(y):
        y = barrier.centre(y, times, until=deep)
        if y[-1] * times > 4 * len(limits) + 4:
            break  # the least height is within len(limits)/times of this one, so above 0
        times = times * 32
    y = y[:-1]
    return y, all(g.value(y) < -(arb(2) ** -60) for g in limits)


_ROOM = arb(1) / 16
