"""Ranges contain every sampled value, are attained, and decide rounding ties exactly."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.numbers.arithmetic import OutsideDomain
from theory.numbers.expression import CompiledExpression
from verify.printed.intervals import Interval
from verify.printed.numerals import Rounding, parse_printed
from verify.search.enclosure import enclose, reaches
from verify.search.feasibility import Constraint, jointly_feasible
from verify.search.global_search import global_search

x, y = sp.symbols("x y", positive=True)
EXPRESSIONS = [
    x * y / (x + y), x / (1 + x), x**2 - x, (x - y) ** 2, sp.log(x) * y, x**y, sp.exp(-x) + y**3,
    sp.Max(x, y) - sp.Min(x, y), x ** sp.Rational(1, 3) - y, 1 / (x + y) ** 2,
]  # fmt: skip
sides = st.tuples(
    st.fractions(Fraction(1, 10), 3, max_denominator=50), st.fractions(0, 1, max_denominator=50)
).map(lambda pair: Interval(pair[0], pair[0] + pair[1]))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(EXPRESSIONS), sides, sides, st.data())
def test_outer_range_contains_every_value_and_inner_only_values(expr, first, second, data):
    box = {x: first, y: second}
    found = enclose(expr, box, budget=60)
    for _ in range(5):
        point = {s: data.draw(st.fractions(*i.bounds, max_denominator=10**6)) for s, i in box.items()}
        value = expr.evalf(
            40, subs={s: sp.Float(sp.Rational(*p.as_integer_ratio()), 50) for s, p in point.items()}
        )
        lo, hi = (sp.Float(sp.Rational(*b.as_integer_ratio()), 50) for b in found.outer.bounds)
        assert lo - sp.Float("1e-30") <= value <= hi + sp.Float("1e-30")
    if found.inner is not None:
        assert found.outer.lo <= found.inner.lo <= found.inner.hi <= found.outer.hi


def test_rational_ranges_are_exact_and_keep_open_ends():
    half_up = parse_printed("0.1817").interval(Rounding.HALF_UP)
    found = enclose(x / (1 + x), {x: half_up})
    assert (
        found.outer
        == found.inner
        == Interval(half_up.lo / (1 + half_up.lo), half_up.hi / (1 + half_up.hi), True, False)
    )


def test_a_tie_is_decided_exactly():
    value = enclose(2 / x, {x: Interval.point(32)}).outer  # 0.0625
    assert value.meets(parse_printed("0.063").interval(Rounding.HALF_UP))
    assert not value.meets(parse_printed("0.062").interval(Rounding.HALF_UP))
    assert value.meets(parse_printed("0.062").interval(Rounding.HALF_EVEN))


def test_a_variable_without_influence_does_not_need_a_decision():
    at_one = sp.log(1 / (1 / (0 + 1 / (1 / x - 1 / y)) + 1 / y))  # equals log x whatever y is
    found = enclose(
        at_one, {x: Interval(Fraction(2), Fraction(3)), y: Interval(Fraction(200), Fraction(300))}
    )
    assert found.boxes == 1
    assert found.inner is not None
    assert float(found.outer.lo) == pytest.approx(float(sp.log(2)), abs=1e-12)


def test_reaches_finds_an_interior_extremum():
    box = {x: Interval(Fraction(0), Fraction(1))}
    assert reaches(x**2 - x, box, Interval(None, Fraction(-1, 4) + Fraction(1, 100)))
    assert reaches(x**2 - x, box, Interval(None, Fraction(-1, 4) - Fraction(1, 100))) is False


def test_a_pole_is_reported_and_not_guessed():
    with pytest.raises(OutsideDomain):
        enclose(1 / (x - 1), {x: Interval(Fraction(0), Fraction(2))})
    with pytest.raises(OutsideDomain):
        enclose(sp.log(x - 1), {x: Interval(Fraction(0), Fraction(2))})


# Joint feasibility


def box_of(**text: str) -> dict[sp.Symbol, Interval]:
    return {
        sp.Symbol(name, positive=True): parse_printed(t).interval(Rounding.HALF_UP)
        for name, t in text.items()
    }


def test_cells_that_fit_alone_but_not_together_are_refused_with_the_conflict():
    constraints = [
        Constraint("sum", x + y, Interval(Fraction("1.04"), Fraction("1.06"))),
        Constraint("difference", x - y, Interval(Fraction("0.04"), Fraction("0.06"))),
        Constraint("x", x, Interval(Fraction("0.5"), Fraction("0.52"))),
    ]
    box = {x: Interval(Fraction(0), Fraction(1)), y: Interval(Fraction(0), Fraction(1))}
    for one in constraints:
        assert jointly_feasible([one], box).feasible is True
    answer = jointly_feasible(constraints, box)
    assert answer.feasible is False
    assert set(answer.conflict) == {"sum", "difference", "x"}


@settings(max_examples=40, deadline=None)
@given(
    st.fractions(Fraction(1, 10), Fraction(9, 10), max_denominator=97),
    st.fractions(Fraction(1, 10), Fraction(9, 10), max_denominator=89),
)
def test_values_computed_from_one_point_are_always_jointly_feasible(p, q):
    exprs = {"harmonic": x * y / (x + y), "ratio": x / y, "product": x * y}
    constraints = []
    for name, expr in exprs.items():
        value = Fraction(
            str(
                sp.Rational(
                    expr.subs(
                        {
                            x: sp.Rational(p.numerator, p.denominator),
                            y: sp.Rational(q.numerator, q.denominator),
                        }
                    )
                )
            )
        )
        width = Fraction(1, 5000)
        constraints.append(Constraint(name, expr, Interval(value - width, value + width)))
    box = {
        x: Interval(p - Fraction(1, 300), p + Fraction(1, 200)),
        y: Interval(q - Fraction(1, 200), q + Fraction(1, 300)),
    }
    answer = jointly_feasible(constraints, box)
    assert answer.feasible is True
    point = [answer.point[s] for s in ("x", "y")]
    for c in constraints:
        assert CompiledExpression([c.expr], (x, y)).rational(point)[0] in c.target


def test_nonlinear_infeasibility_is_certified_by_splitting():
    box = {x: Interval(Fraction(1), Fraction(2)), y: Interval(Fraction(1), Fraction(2))}
    constraints = [
        Constraint("circle", x**2 + y**2, Interval(Fraction(3), Fraction(4))),
        Constraint("hyperbola", x * y, Interval(Fraction(5, 2), Fraction(3))),
    ]
    assert jointly_feasible(constraints, box).feasible is False  # x^2 + y^2 >= 2 x y >= 5
    assert jointly_feasible(constraints, box, budget=0).feasible is None


def test_powers_around_zero_are_decided():
    z = sp.Symbol("z", real=True)
    around = {z: Interval(Fraction(-1), Fraction(2))}
    assert reaches(z**2 + 1, around, Interval(None, Fraction(0))) is False
    assert reaches(z**3, around, Interval(Fraction(9), None)) is False


def test_an_exact_target_is_never_confirmed_by_the_floating_point_search():
    box = {x: Interval(Fraction(3, 2), Fraction(5, 2))}
    assert global_search([Constraint("r", 10 * x, Interval.point(20))], box) == ""
