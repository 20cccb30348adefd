"""Compiled expressions: balls hold the values of all points in them, and no precision or name leaks."""

from __future__ import annotations

from fractions import Fraction

import flint
import mpmath
import pytest
import sympy as sp
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.numbers.arithmetic import OutsideDomain
from theory.numbers.balls import BALLS, Balls, centre, ends, from_rational, hull, rounded
from theory.numbers.expression import CompiledExpression, Unevaluable
from theory.numbers.floats import Floats
from theory.numbers.precise import Mpmath
from theory.numbers.values import Values, ball, constant_ball, evaluate_expression, number

x, y = sp.symbols("x y", positive=True)
z = sp.Symbol("z", real=True)
ARITHMETICS = (Floats(), Mpmath(30), BALLS)
SIDES = st.tuples(st.fractions("1/10", 5, max_denominator=50), st.fractions(0, 2, max_denominator=50))


def formulas() -> st.SearchStrategy[sp.Expr]:
    """Formulas of x and y that have a value wherever both are positive."""
    leaves = st.sampled_from([x, y, sp.pi, sp.E]) | st.integers(1, 4).map(sp.Integer)

    def larger(parts: st.SearchStrategy[sp.Expr]) -> st.SearchStrategy[sp.Expr]:
        unary = st.sampled_from(
            [lambda e: sp.log(1 + e), sp.sqrt, sp.erf, lambda e: sp.exp(-e), lambda e: 1 / (1 + e), lambda e: e**3,
             lambda e: sp.loggamma(1 + e), sp.floor, sp.ceiling, lambda e: e ** sp.Rational(2, 3)]
        )  # fmt: skip
        binary = st.sampled_from(
            [lambda a, b: a + b, lambda a, b: a * b, sp.Min, sp.Max, lambda a, b: (1 + a) ** (b / (1 + b)),
             lambda a, b: sp.Abs(a - b)]
        )  # fmt: skip
        return st.builds(lambda f, e: f(e), unary, parts) | st.builds(
            lambda f, a, b: f(a, b), binary, parts, parts
        )

    return st.recursive(leaves, larger, max_leaves=6)


@settings(max_examples=80, deadline=None)
@given(formulas(), SIDES, SIDES, st.data())
def test_the_ball_of_a_box_holds_the_values_of_its_points(expr, first, second, data):
    box = [(low, low + width) for low, width in (first, second)]
    point = [data.draw(st.fractions(*side, max_denominator=10**6)) for side in box]
    compiled = CompiledExpression([expr], [x, y])
    with BALLS.working():
        [over] = compiled(BALLS, [hull(*side) for side in box])
        [at] = compiled(BALLS, [from_rational(p) for p in point])
        narrow = [hull(p, p + (high - p) / 1000) for p, (_, high) in zip(point, box, strict=True)]
        [within] = compiled(BALLS, narrow)
    assert over.overlaps(at) or not over.is_finite()
    if over.is_finite() and at.is_exact():
        assert over.contains(at)
    if over.is_finite() and within.is_finite():  # a narrower box never gives a wider answer
        assert within.rad() <= over.rad() * (1 + arb(2) ** -20) + arb(2) ** -100


@settings(max_examples=60, deadline=None)
@given(formulas(), SIDES, SIDES)
def test_more_bits_give_a_narrower_ball_of_the_same_value(expr, first, second):
    at = {x: first[0], y: second[0] + Fraction(1, 7)}
    few, more = (ball(expr, at, bits=bits) for bits in (80, 240))
    if not few.is_finite():  # a floor next to a whole number, say, is never finite by luck
        return
    assert few.overlaps(more)
    assert more.rad() <= few.rad() or few.is_exact()


@settings(max_examples=60, deadline=None)
@given(formulas(), SIDES, SIDES)
def test_float_mpmath_and_ball_agree_on_any_formula(expr, first, second):
    at = {x: first[0], y: second[0]}
    if expr.has(sp.floor, sp.ceiling, sp.Abs, sp.Min, sp.Max):
        return  # next to a jump a float may fall on the other side; the table of functions has these
    enclosed = ball(expr, at)
    using = Mpmath(30)
    with using.working(), BALLS.working():
        precise = evaluate_expression(expr, Values(at), using)
        assert abs(enclosed - arb(mpmath.nstr(precise, 40))) <= (1 + abs(enclosed)) * arb("1e-28")
    assert abs(enclosed - number(expr, at)) <= (1 + abs(enclosed)) * 1e-9


def test_around_a_jump_a_ball_holds_both_sides():
    with BALLS.working():
        floor, ceiling, sign = CompiledExpression([sp.floor(z), sp.ceiling(z), sp.sign(z - 1)], [z])(
            BALLS, [hull(Fraction("0.999"), Fraction("1.001"))]
        )
    for value, wanted in ((floor, (0, 1)), (ceiling, (1, 2)), (sign, (-1, 1))):
        assert all(value.contains(w) for w in wanted)


def test_powers_around_zero_are_enclosed():
    with BALLS.working():
        for power, low, high in ((2, 0, 4), (3, -1, 8), (4, 0, 16)):
            [value] = CompiledExpression([z**power], [z])(BALLS, [arb(-1).union(arb(2))])
            assert value.contains(arb(low).union(arb(high)))
            assert value.is_finite()
        [large] = CompiledExpression([z ** (10**9)], [z])(BALLS, [arb(-1).union(arb(1))])
        assert large.contains(0)


# Symbols: exact, numbers, logarithms


@pytest.mark.parametrize("using", ARITHMETICS, ids=lambda a: type(a).__name__)
def test_a_symbol_given_by_its_logarithm_is_never_formed(using):
    huge = sp.Symbol("huge", positive=True)
    expr = sp.log(1 + x * huge**2 / y) + 1 / sp.log(huge)
    with using.working():
        size = using.exact(10**6)
        found = evaluate_expression(expr, Values({x: 3, y: 7}, {}, {huge: size}), using)
        assert using.as_float(found) == pytest.approx(
            2e6 + float(sp.log(sp.Rational(3, 7))) + 1e-6, rel=1e-14
        )
        assert using.as_float(
            evaluate_expression(huge, Values(logs={huge: using.exact(1)}), using)
        ) == pytest.approx(2.718281828)
        twice = evaluate_expression(sp.log(sp.log(huge)), Values(logs={huge: size}), using)
        assert using.as_float(twice) == pytest.approx(13.815510557964274)


def test_exact_symbols_cancel_exactly():
    third = {x: sp.Rational(1, 3), y: sp.Rational(2, 3)}
    assert ball((1 - x - y) * sp.exp(x), third).is_zero()
    assert number((x + y - 1) * sp.pi, third) == 0
    with BALLS.working():
        [inexact] = CompiledExpression([1 - x - y], [x, y])(BALLS, [arb(1) / 3, arb(2) / 3])
    assert not inexact.is_zero()  # as numbers they do not


def test_symbols_may_have_any_name():
    v0, x0, F = sp.symbols("v0 x0 F", positive=True)
    shared = sp.log(x0 + 1)
    compiled = CompiledExpression([shared + v0, shared * v0, F], [v0, x0, F])
    assert compiled(Floats(), [7.0, 0.0, 2.0]) == [7.0, 0.0, 2.0]
    twins = sp.Symbol("t"), sp.Symbol("t", positive=True)
    assert CompiledExpression([twins[0] - twins[1]], twins)(Floats(), [3.0, 1.0]) == [2.0]


def test_a_subexpression_that_comes_again_is_computed_once():
    counted = []

    class Counting(Floats):
        def log(self, x):
            counted.append(x)
            return super().log(x)

    shared = sp.log(x + y)
    CompiledExpression([shared * x, shared**2, sp.exp(shared) + shared], [x, y])(Counting(), [1.0, 2.0])
    assert counted == [3.0]


# Precision


def test_no_precision_leaks():
    before = flint.ctx.prec, mpmath.mp.prec
    number(sp.log(x), {x: 3})
    ball(sp.log(x), {x: 3}, bits=777)
    for using in (Balls(999), Mpmath(99)):
        with using.working():
            evaluate_expression(sp.exp(x), Values({x: 2}), using)
        with pytest.raises(RuntimeError), using.working():
            raise RuntimeError
    with pytest.raises(Unevaluable):
        ball(sp.zeta(x), {x: 3}, bits=555)
    assert (flint.ctx.prec, mpmath.mp.prec) == before


def test_constants_follow_the_precision():
    compiled = CompiledExpression([x / 3], [x])
    radii = []
    for bits in (60, 300, 60):
        with Balls(bits).working():
            radii.append(centre(compiled(Balls(bits), [arb(1)])[0].rad()))
    assert radii[0] == radii[2] > radii[1] * 2**200 > 0


# Balls and rationals


@given(st.fractions(), st.integers(0, 60))
def test_a_rational_lies_in_its_ball_and_a_binary_one_is_its_centre(value, power):
    binary = Fraction(value.numerator, 2**power)
    with BALLS.working():
        enclosed = from_rational(value)
        off, radius = abs(centre(enclosed) - value), centre(enclosed.rad())
        assert off <= radius <= abs(value) / 2**158
        assert centre(from_rational(binary)) == binary
        assert from_rational(sp.Rational(value)) == enclosed or not enclosed.is_exact()


@given(st.fractions(), st.fractions(0))
def test_a_hull_holds_both_ends_and_its_ends_are_outside(low, width):
    with BALLS.working():
        found = ends(hull(low, low + width))
    assert found[0] <= low <= low + width <= found[1]
    with pytest.raises(OutsideDomain):
        ends(arb.nan())


@settings(max_examples=50)
@given(st.fractions(), st.integers(5, 40))
def test_a_rounded_end_is_strictly_beyond(value, digits):
    with BALLS.working():
        enclosed = constant_ball(sp.Rational(value) + sp.sqrt(2))
        low, high = (rounded(enclosed, up=up, digits=digits) for up in (False, True))
        assert from_rational(low) < enclosed < from_rational(high)
        assert high - low <= 4 * (abs(high) + abs(low)) / sp.Integer(10) ** (digits - 1)
