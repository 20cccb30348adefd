"""Every known function in every arithmetic, against mpmath at 60 digits; an arithmetic with one wrong function is caught."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import mpmath
import pytest
import sympy as sp
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.numbers.arithmetic import Arithmetic, OutsideDomain
from theory.numbers.balls import Balls, centre, ends
from theory.numbers.expression import FUNCTIONS, CompiledExpression, Unevaluable
from theory.numbers.floats import Floats
from theory.numbers.precise import Mpmath
from theory.numbers.rationals import RATIONALS, NotRational
from theory.numbers.values import ball, number, rational

x, y = sp.symbols("x y", real=True)
ARITHMETICS = (Floats(), Mpmath(30), Balls(160))
POSITIVE = st.fractions(Fraction(1, 20), 20, max_denominator=40)
REAL = st.fractions(-20, 20, max_denominator=40)
SMALL = st.fractions(-4, 4, max_denominator=40)


@dataclass(frozen=True)
class Known:
    """A function, where its arguments are drawn from, what mpmath calls it, and what an `Arithmetic` does."""

    expr: sp.Expr
    drawn: tuple[st.SearchStrategy[Fraction], ...]
    reference: object
    method: str


TABLE = [
    Known(sp.log(x), (POSITIVE,), mpmath.log, "log"),
    Known(sp.exp(x), (SMALL,), mpmath.exp, "exp"),
    Known(sp.sqrt(x), (POSITIVE,), mpmath.sqrt, "sqrt"),
    Known(1 / sp.sqrt(x), (POSITIVE,), lambda x: 1 / mpmath.sqrt(x), "sqrt"),
    Known((x + sp.pi) ** 3, (SMALL,), lambda x: (x + mpmath.pi) ** 3, "power"),
    Known((y + 1) ** x, (SMALL, POSITIVE), lambda x, y: (y + 1) ** x, "real_power"),
    Known(sp.pi * x, (SMALL,), lambda x: mpmath.pi * x, "pi"),
    Known(sp.Abs(x - sp.pi), (REAL,), lambda x: abs(x - mpmath.pi), "absolute"),
    Known(sp.sign(x - sp.pi), (REAL,), lambda x: mpmath.sign(x - mpmath.pi), "sign"),
    Known(sp.floor(x + sp.pi), (REAL,), lambda x: mpmath.floor(x + mpmath.pi), "floor"),
    Known(sp.ceiling(x + sp.pi), (REAL,), lambda x: mpmath.ceil(x + mpmath.pi), "ceiling"),
    Known(sp.Max(x, y, sp.pi), (REAL, REAL), lambda x, y: max(x, y, +mpmath.pi), "largest"),
    Known(sp.Min(x, y, sp.pi), (REAL, REAL), lambda x, y: min(x, y, +mpmath.pi), "smallest"),
    Known(sp.erf(x), (SMALL,), mpmath.erf, "erf"),
    Known(sp.erfc(x), (SMALL,), mpmath.erfc, "erfc"),
    Known(sp.uppergamma(x, y), (POSITIVE, POSITIVE), mpmath.gammainc, "upper_gamma"),
    Known(sp.lowergamma(x, y), (POSITIVE, POSITIVE), lambda x, y: mpmath.gammainc(x, 0, y), "lower_gamma"),
    Known(
        sp.betainc_regularized(x, y, 0, x / (x + 2)),
        (POSITIVE, POSITIVE),
        lambda x, y: mpmath.betainc(x, y, 0, x / (x + 2), regularized=True),
        "beta_share",
    ),
    Known(sp.gamma(x), (POSITIVE,), mpmath.gamma, "gamma"),
    Known(sp.factorial(x), (POSITIVE,), mpmath.factorial, "gamma"),
    Known(sp.loggamma(x), (POSITIVE,), mpmath.loggamma, "log_gamma"),
    Known(sp.log(sp.factorial(x)), (POSITIVE,), lambda x: mpmath.loggamma(x + 1), "log_gamma"),
    Known(sp.polygamma(0, x), (POSITIVE,), mpmath.digamma, "polygamma"),
    Known(sp.polygamma(2, x), (POSITIVE,), lambda x: mpmath.psi(2, x), "polygamma"),
    Known(sp.binomial(x + y, y), (POSITIVE, POSITIVE), lambda x, y: mpmath.binomial(x + y, y), "binomial"),
    Known(
        sp.log(sp.binomial(x + y, y)),
        (POSITIVE, POSITIVE),
        lambda x, y: mpmath.log(mpmath.binomial(x + y, y)),
        "log_binomial",
    ),
]
SYMBOLS = {known: [s for s in (x, y) if s in known.expr.free_symbols] for known in TABLE}


def reference(known: Known, point: list[Fraction]) -> Fraction:
    with mpmath.workdps(60):
        value = known.reference(*(mpmath.mpf(p.numerator) / p.denominator for p in point))
        return exactly(mpmath.mpf(value))


def exactly(value: object) -> Fraction:
    if isinstance(value, arb):
        return centre(value)
    if isinstance(value, mpmath.mpf):
        sign, mantissa, exponent, _ = value._mpf_
        return Fraction(-int(mantissa) if sign else int(mantissa)) * Fraction(2) ** int(exponent)
    return Fraction(value)


ROOM = {Floats: Fraction(1, 10**12), Mpmath: Fraction(1, 10**30), Balls: Fraction(1, 10**40)}


def is_off(using: Arithmetic, known: Known, point: list[Fraction], exact: bool) -> bool:
    """Whether the value is further from mpmath's than this arithmetic may be; of a ball, whether it misses it too."""
    symbols = SYMBOLS[known]
    compiled = CompiledExpression([known.expr], symbols, exact=symbols if exact else ())
    wanted = reference(known, point)
    with using.working():
        [found] = compiled(using, point if exact else [using.exact(p) for p in point])
        if not using.is_finite(found):
            return True
        if isinstance(using, Balls):
            low, high = ends(found)
            slack = (1 + abs(wanted)) / 10**55  # the reference is rounded too
            if not low - slack <= wanted <= high + slack:
                return True
        room = next(room for kind, room in ROOM.items() if isinstance(using, kind))
        return abs(exactly(found) - wanted) > room * (10 + abs(wanted))


@pytest.mark.parametrize("using", ARITHMETICS, ids=lambda a: type(a).__name__)
@pytest.mark.parametrize("known", TABLE, ids=lambda k: str(k.expr))
@settings(max_examples=25, deadline=None)
@given(st.data())
def test_a_known_function_has_the_value_that_mpmath_gives(using, known, data):
    point = [data.draw(strategy) for strategy in known.drawn]
    assert not is_off(using, known, point, exact=data.draw(st.booleans()))


def test_the_table_has_every_known_function():
    covered = {known.expr.func for known in TABLE} | {
        f for k in TABLE for f in (e.func for e in k.expr.atoms(sp.Function))
    }
    assert covered >= set(FUNCTIONS) | {sp.log, sp.factorial, sp.polygamma}


def wrong(using: Arithmetic, method: str) -> Arithmetic:
    """The same arithmetic with one function a little off."""
    right = getattr(type(using), method)

    class Wrong(type(using)):  # type: ignore[misc]
        pass

    setattr(Wrong, method, lambda self, *args: right(self, *args) + self.exact(Fraction(1, 10**6)))
    return Wrong(*vars(using).values())


@pytest.mark.parametrize("using", ARITHMETICS, ids=lambda a: type(a).__name__)
@pytest.mark.parametrize("method", sorted({known.method for known in TABLE}))
def test_an_arithmetic_with_one_wrong_function_is_caught(using, method):
    sabotaged = wrong(using, method)
    point = [Fraction(7, 3), Fraction(5, 4)]
    rows = [known for known in TABLE if known.method == method]
    assert all(is_off(sabotaged, row, point[: len(SYMBOLS[row])], exact=False) for row in rows)
    assert not any(is_off(using, row, point[: len(SYMBOLS[row])], exact=False) for row in rows)


# Exact rationals


@settings(max_examples=60, deadline=None)
@given(REAL, REAL)
def test_what_is_rational_is_computed_exactly(p, q):
    expr = (x - y) ** 3 / (1 + y**2) + sp.Max(x, y) * sp.floor(x) - sp.ceiling(y) * sp.Abs(x) + sp.sign(x)
    by_hand = (p - q) ** 3 / (1 + q**2) + max(p, q) * (p // 1) + (-q // 1) * abs(p) + (p > 0) - (p < 0)
    assert rational(expr, {x: p, y: q}) == by_hand


def test_what_is_not_rational_is_left_to_balls():
    at = {x: Fraction(2)}
    for expr in (
        sp.log(x),
        sp.exp(x),
        sp.sqrt(x),
        sp.pi * x,
        sp.erf(x),
        sp.loggamma(x + 1),
        sp.polygamma(0, x),
    ):
        assert rational(expr, at) is None, expr
    at_one = {x: Fraction(1)}
    assert [rational(e, at_one) for e in (sp.log(x), sp.sqrt(x), sp.factorial(x), sp.loggamma(x))] == [
        0,
        1,
        1,
        0,
    ]
    assert rational(sp.binomial(x + 9, 3), at_one) == 120
    with pytest.raises(NotRational):
        CompiledExpression([sp.log(x)], [x])(RATIONALS, [2])
    with pytest.raises(OutsideDomain, match="division by zero"):
        rational(1 / (x - 2), at)


# Outside the domain


OUTSIDE = [
    (sp.log(x), -1), (sp.log(x), 0), (1 / x, 0), (sp.sqrt(x), -1), (1 / sp.sqrt(x), 0), (x**sp.Rational(1, 3), -8),
    (x ** (sp.pi - 4), 0), (sp.gamma(x), 0), (sp.gamma(x), -2), (sp.loggamma(x), 0), (sp.loggamma(x), -sp.Rational(1, 2)),
    (sp.polygamma(0, x), 0), (sp.polygamma(1, x), -1), (sp.factorial(x), -1), (sp.log(sp.factorial(x)), -3),
    (sp.log(sp.binomial(x, 5)), 3), (sp.floor(1 / x), 0), (sp.Max(1 / x, 1), 0), (sp.Min(sp.log(x), 1), -1),
    (sp.sign(1 / x), 0), ((x - 1) / sp.log(x), 1), (x * (1 / x + sp.log(x)), 0), (x * sp.log(x - 1), 0), (x * sp.sqrt(sp.log(x)), 0), ((1 / x) ** sp.Abs(x), 0), (sp.log(x) ** sp.floor(x), 0),
    (x * sp.log(sp.sqrt(x - 4)), 0),
]  # fmt: skip


@pytest.mark.parametrize(("expr", "value"), OUTSIDE, ids=str)
def test_outside_a_domain_there_is_no_value(expr, value):
    with pytest.raises(OutsideDomain, match="no finite value"):
        number(expr, {x: value})
    assert not ball(expr, {x: value}).is_finite()
    using = Mpmath(30)
    with using.working():
        [found] = CompiledExpression([expr], [x])(
            using, [mpmath.mpf(sp.Rational(value).p) / sp.Rational(value).q]
        )
        assert not using.is_finite(found)


def test_beyond_the_range_of_floats_is_outside_their_domain():
    for expr in (sp.exp(x), x**x, 10**x * 10**x):
        with pytest.raises(OutsideDomain, match=r"range of floats|no finite value"):
            number(expr, {x: 1000})
        assert ball(expr, {x: 1000}).is_finite()
    assert number(sp.log(x), {x: 10**400}) == pytest.approx(921.034037)
    assert number(sp.log(sp.binomial(x, 5 * 10**5)), {x: 10**6}) == pytest.approx(693140.046)


def test_what_vanishes_takes_its_logarithm_with_it():
    for expr in (x * sp.log(x), x * sp.log(y / x), x * sp.log(x) ** 2, sp.sqrt(x) * (1 + sp.log(x))):
        at = {x: 0, y: 3} if expr.has(y) else {x: 0}
        assert number(expr, at) == 0
        assert ball(expr, at) == 0
    assert ball((x - y) * sp.log(x - y), {x: sp.Rational(1, 3), y: sp.Rational(1, 3)}) == 0


def test_powers_at_zero_and_of_negative_numbers():
    assert [number((x + sp.Rational(1, 2)) ** y, {x: -sp.Rational(1, 2), y: e}) for e in (0, 3)] == [1, 0]
    assert number(x**y, {x: 0, y: sp.Rational(1, 2)}) == 0
    assert number(x**y, {x: -2, y: 3}) == -8
    assert ball(x**y, {x: -2, y: 3}) == -8


# What is refused


def test_an_unknown_function_is_refused_with_what_is_known():
    for using in (lambda: number(sp.sin(x), {x: 1}), lambda: ball(sp.zeta(x), {x: 3})):
        with pytest.raises(
            Unevaluable, match=r"cannot evaluate (sin|zeta) in .*; expected \+ - \* / and powers.*erf"
        ):
            using()
    with pytest.raises(Unevaluable, match="no value for y"):
        number(x * y, {x: 1})
    with pytest.raises(Unevaluable, match="zoo"):
        number(sp.zoo * x, {x: 1})
