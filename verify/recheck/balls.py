"""Arb balls of exact rationals and back: all that search and checkers of certificates have in common."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, fmpq


def exact_ball(value: Fraction) -> arb:
    """The ball of a rational, as narrow as the working precision allows."""
    return arb(fmpq(value.numerator, value.denominator))


def middle(ball: arb) -> Fraction:
    """The exact centre of a ball."""
    mantissa, exponent = ball.mid().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
