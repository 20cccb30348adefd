"""Arb balls of exact rationals and back: all that search and checkers of certificates have in common."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, fmpq


def exact_ball(value: Fraction) -> arb:
    """The ball of a rational, as narrow as the working precision allows."""
    return arb(fmpq(value.numerator, value.denominator))


def whole_power(ball: arb, exponent: int) -> arb:
    """A ball to an integer power; around 0, where flint's own is nan, by its ends."""
    if exponent <= 0 or not ball.is_finite() or not ball.contains(0):
        return ball**exponent
    low, high = (ball.lower(), ball.upper()) if exponent % 2 else (arb(0), abs(ball).upper())
    return (low**exponent).union(high**exponent)


def middle(ball: arb) -> Fraction:
    """The exact centre of a ball."""
    mantissa, exponent = ball.mid().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
