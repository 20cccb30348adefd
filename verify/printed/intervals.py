"""Intervals of exact rationals whose ends may be open or closed, finite or infinite."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

from theory.errors import MoelawsError


@dataclass(frozen=True)
class Interval:
    """All x between ``lo`` and ``hi``; an end of None is infinite (and open)."""

    lo: Fraction | None
    hi: Fraction | None
    lo_closed: bool = True
    hi_closed: bool = True

    def __post_init__(self) -> None:
        if self.lo is not None and self.hi is not None and self.lo > self.hi:
            raise MoelawsError(f"Interval({self.lo}, {self.hi}): the lower end exceeds the upper")

    @classmethod
    def point(cls, value: Fraction | int) -> Interval:
        exact = Fraction(value)
        return cls(exact, exact)

    @property
    def is_point(self) -> bool:
        return self.lo is not None and self.lo == self.hi

    @property
    def bounds(self) -> tuple[Fraction, Fraction]:
        """Both ends of a bounded interval; ValueError for an unbounded one."""
        if self.lo is None or self.hi is None:
            raise MoelawsError(f"{self} is unbounded")
        return self.lo, self.hi

    @property
    def midpoint(self) -> Fraction:
        lo, hi = self.bounds
        return (lo + hi) / 2

    @property
    def width(self) -> Fraction:
        lo, hi = self.bounds
        return hi - lo

    def __contains__(self, other: Fraction | Interval) -> bool:
        """Whether a number, or every point of an interval, lies in this one."""
        if not isinstance(other, Interval):
            return self.meets(Interval.point(other))
        low_fits = self.lo is None or (
            other.lo is not None
            and (self.lo < other.lo or (self.lo == other.lo and (self.lo_closed or not other.lo_closed)))
        )
        high_fits = self.hi is None or (
            other.hi is not None
            and (other.hi < self.hi or (self.hi == other.hi and (self.hi_closed or not other.hi_closed)))
        )
        return low_fits and high_fits

    def meets(self, other: Interval) -> bool:
        """Whether the two share a point, ends counted as open or closed as they are."""
        return not self.lies_below(other) and not other.lies_below(self)

    def lies_below(self, other: Interval) -> bool:
        """Whether every point here is smaller than every point there."""
        if self.hi is None or other.lo is None:
            return False
        touching = self.hi_closed and other.lo_closed
        return self.hi < other.lo or (self.hi == other.lo and not touching)

    def hull(self, other: Interval) -> Interval:
        """The smallest interval holding both (bounded ones)."""
        (a, b), (c, e) = self.bounds, other.bounds
        lo, hi = min(a, c), max(b, e)
        return Interval(
            lo,
            hi,
            (self.lo_closed and a == lo) or (other.lo_closed and c == lo),
            (self.hi_closed and b == hi) or (other.hi_closed and e == hi),
        )

    def halves(self) -> tuple[Interval, Interval]:
        """Two intervals that meet in the midpoint and together cover this one."""
        middle = self.midpoint
        return (
            Interval(self.lo, middle, self.lo_closed, True),
            Interval(middle, self.hi, True, self.hi_closed),
        )

    def __str__(self) -> str:
        left, right = "[" if self.lo_closed else "(", "]" if self.hi_closed else ")"
        lo = "-inf" if self.lo is None else decimal(self.lo)
        hi = "inf" if self.hi is None else decimal(self.hi)
        if lo == hi:  # a point, or too narrow for two ends that a reader could tell apart
            return lo
        return f"{left}{lo}, {hi}{right}"


def decimal(value: Fraction | None, digits: int = 7) -> str:
    """A rational as a decimal of at most ``digits`` significant digits (for reading, not computing)."""
    if value is None:
        return "inf"
    if value.denominator == 1 and abs(value) < 10**15:
        return str(value.numerator)
    try:
        return f"{float(value):.{digits}g}"
    except OverflowError:  # beyond the range of floats
        with localcontext(prec=digits):
            return f"{Decimal(value.numerator) / value.denominator:.{digits}g}"
