"""Checks built to mislead: none of them may come out PROVED, SUPPORTED or REFUTED wrongly.

Each case says what is the truth: True, False, or None for a question without sense, which has to be refused or left open.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import NamedTuple

import pytest
import sympy as sp
from judged import table

from theory.errors import MoelawsError
from theory.posynomials.minimise import minimise_posynomial
from theory.rates.minimise import minimise
from theory.relation import Relation, eq
from theory.results.routing import binary_entropy, log_choose_le_k_log
from theory.shapes.infer import infer_shape
from theory.statement import Step
from verify.checks.ball_inequality import BallInequality
from verify.checks.base import Budget, Check
from verify.checks.consistent import Consistent
from verify.checks.derivation import DerivationHolds
from verify.checks.falsifier import Falsifier
from verify.checks.gap_rule import GapRule
from verify.checks.identity import Identity
from verify.checks.integer_range import IntegerRange
from verify.checks.polynomial import PolynomialInequality
from verify.checks.printed_table import PrintedTable
from verify.checks.shape import Shape
from verify.judging.claims import Claim
from verify.judging.judge import judge
from verify.judging.runner import evaluate
from verify.printed.tables import quoted
from verify.verdicts import Verdict

x, y, a, b = sp.symbols("x y a b", positive=True)
real, other = sp.symbols("real other", real=True)
n, k = sp.symbols("n k", integer=True, positive=True)
half = sp.Rational(1, 2)


class Case(NamedTuple):
    """A check, made when it is asked for, and whether its claim is true."""

    name: str
    make: Callable[[], Check]
    truth: bool | None


def at_least(low, *symbols):
    return tuple(Relation(symbol, ">=", low) for symbol in symbols)


def box(low, high, *symbols):
    return tuple((symbol, Fraction(low), Fraction(high)) for symbol in symbols)


def on_a_domain(relation, low, *symbols) -> Iterator[Callable[[], Check]]:
    """The checks of an inequality for all values above a bound, or on a box above it."""
    yield lambda: GapRule(relation, at_least(low, *symbols))
    yield lambda: PolynomialInequality(relation, at_least(low, *symbols))
    yield lambda: BallInequality(relation, box(low, low + 9, *symbols))
    yield lambda: Falsifier(relation, box(low, low + 9, *symbols))
    yield lambda: DerivationHolds((Step("so", relation),), at_least(low, *symbols))


def namesakes() -> Iterator[Case]:
    """Two symbols of one name are one in every text, and two for the algebra."""
    kinds = [
        {},
        {"positive": True},
        {"nonnegative": True},
        {"real": True},
        {"positive": True, "integer": True},
    ]
    for one, two in itertools.combinations(kinds, 2):
        u, v = sp.Symbol("u", **one), sp.Symbol("u", **two)
        for make in on_a_domain(Relation(u, "<=", u + v), 1, u, v):
            yield Case("namesakes", make, None)
        yield Case("namesakes", lambda u=u, v=v: Shape(u - v, u, "increasing", at_least(1, u, v)), None)
        yield Case("namesakes", lambda u=u, v=v: Identity((eq(u, v),)), None)
        yield Case(
            "namesakes", lambda u=u, v=v: IntegerRange(Relation(u, "<=", v), ((u, 1, 3), (v, 4, 6))), None
        )
        cells = {u: quoted("1.0", "A"), v: quoted("2.0", "B")}
        yield Case("namesakes", lambda u=u, v=v, cells=cells: Consistent(cells, [eq(u, v)]), None)


def assumptions() -> Iterator[Case]:
    """What sympy simplifies for the values that a symbol is declared for, over values that it is not."""
    for kind in ({"positive": True}, {"nonnegative": True}, {"integer": True, "nonnegative": True}):
        s = sp.Symbol("s", **kind)
        for relation in (
            Relation(sp.sqrt(s**2), "<=", s),
            Relation(sp.Abs(s), "<=", s),
            Relation(0, "<=", s),
        ):
            for make in on_a_domain(relation, -5, s):
                yield Case("assumed above 0, from -5 on", make, None)
        yield Case(
            "a range below 0", lambda s=s: IntegerRange(Relation(sp.Abs(s), "<=", s), ((s, -3, 3),)), None
        )
        yield Case("a shape below 0", lambda s=s: Shape(s**2, s, "increasing", at_least(-5, s)), None)
        for text in ("-3.0", "-0.1", "0.0", "-1e9"):
            yield Case(
                "a printed value below 0",
                lambda s=s, t=text: Consistent({s: quoted(t, "T")}, [eq(sp.sqrt(s**2) + 1, s + 2)]),
                None,
            )
            yield Case(
                "a column below 0",
                lambda s=s, t=text: PrintedTable(
                    table(row="1", s=t, out=t), {"out": sp.sqrt(s**2)}, names={"s": "s"}
                ),
                None,
            )
    for kind in (
        "negative",
        "nonpositive",
        "even",
        "odd",
        "prime",
        "composite",
        "zero",
        "noninteger",
        "irrational",
        "imaginary",
    ):
        s = sp.Symbol("s", **{kind: True})
        for make in on_a_domain(Relation(s, "<=", s + s**2), 1, s):
            yield Case(f"declared {kind}", make, None)
    chained = (Relation(real, ">=", -5), Relation(y, ">=", real))
    yield Case("bounded by what is negative", lambda: GapRule(Relation(sp.Abs(y), "<=", y), chained), None)
    yield Case(
        "bounded by what is negative", lambda: PolynomialInequality(Relation(0, "<=", y), chained), None
    )
    for text in ("2.5", "2", "7.1"):
        yield Case(
            "no integer printed",
            lambda t=text: Consistent({n: quoted(t, "T")}, [eq(sp.floor(n) + 1, n + half)]),
            None,
        )
    for low, high in ((1, 2), (2, 3), (4, 5)):  # negative between two integers, and at none
        between = Relation(0, "<=", (n - low) * (n - high))
        yield Case("true of integers", lambda r=between: PolynomialInequality(r, at_least(1, n)), True)
        yield Case("true of integers", lambda r=between: Falsifier(r, box(1, 9, n)), True)
        yield Case("true of integers", lambda r=between: IntegerRange(r, ((n, 1, 9),)), True)
        yield Case("true of integers", lambda r=between: GapRule(r, at_least(1, n)), True)
        yield Case("a box of an integer", lambda r=between: BallInequality(r, box(1, 9, n)), None)
        for make in on_a_domain(Relation(0, "<=", (real - low) * (real - high)), 1, real):
            yield Case("false between integers", make, False)


def poles() -> Iterator[Case]:
    """What has no value somewhere is not proved there, and what has one is not refuted by a pole."""
    for inside in (
        1 / (real - 1) ** 2,
        1 / real**2,
        real / real**3,
        (real - 2) ** -4,
        1 / (real**2 - 2) ** 2,
    ):
        yield Case("a pole inside", lambda f=inside: GapRule(Relation(0, "<=", f), at_least(-1, real)), None)
        yield Case(
            "a pole inside", lambda f=inside: BallInequality(Relation(0, "<=", f), box(-1, 4, real)), None
        )
    for f in (1 / (real - 1), 1 / (real - 1) ** 3, 1 / (2 - real) + 9, sp.log(real) + 9, sp.log(real) ** 3):
        yield Case(
            "both signs at a pole", lambda f=f: GapRule(Relation(0, "<=", f), at_least(0, real)), False
        )
        yield Case(
            "both signs at a pole", lambda f=f: BallInequality(Relation(0, "<=", f), box(0, 5, real)), False
        )
    for lhs, rhs in (
        ((x**2 - 1) / (x - 1), x + 1),
        (x / (x - y) - y / (x - y), sp.S.One),
        (sp.log(x - y) / sp.log(x - y), 1),
    ):
        yield Case("true where it is defined", lambda p=(lhs, rhs): Identity((eq(*p),)), True)
    for lhs, rhs in (
        (sp.sqrt((x - y) ** 2), x - y),
        (sp.log((x - y) ** 2), 2 * sp.log(x - y) + 1),
        (sp.Abs(x - y), x - y),
    ):
        yield Case("true on a part only", lambda p=(lhs, rhs): Identity((eq(*p),)), False)
    yield Case("never defined", lambda: Identity((eq(sp.log(-x), sp.log(-x) + 1),)), None)
    yield Case("never defined", lambda: Identity((eq(sp.sqrt(-x), sp.sqrt(-x)),)), None)
    for shape in ("increasing", "convex"):
        yield Case(
            "a shape across a pole", lambda s=shape: Shape(-1 / (real - 2), real, s, at_least(0, real)), False
        )
    zero = quoted("0.0", "T")
    yield Case("divided by a printed 0", lambda: Consistent({real: zero}, [eq(1 / real, 10**6)]), True)
    yield Case(
        "a logarithm of a printed 0",
        lambda: Consistent({real: zero}, [Relation(sp.log(real), "<=", -4)]),
        True,
    )


def limits() -> Iterator[Case]:
    """Limits that hold for some values of their parameters only, and true ones that sympy gets wrong."""

    def at_infinity(f, value, truth):
        return Case("a limit", lambda: Identity((eq(sp.Limit(f, x, sp.oo), value),)), truth)

    for p, q in itertools.product((a, a + b, 2 * a, a * b), (1, 2, b, half)):
        f = x**p / (x**p + x**q)
        yield from (at_infinity(f, value, False) for value in (0, 1, half))
    for f in ((x**a + x) / (x**a + x**2), x ** (y - 2) / (x ** (y - 2) + 1), sp.exp(x) / (sp.exp(x) + sp.exp(x * y)), x ** (a - b) + 1,
              sp.exp((a - b) * x) + 1, (a - 1) * x / (1 + (a - 1) * x), (x + 1) ** a / x**b):  # fmt: skip
        yield from (at_infinity(f, value, False) for value in (0, 1))
    for f, value in (
        (x / (x + a), 1),
        ((a * x + 1) / (b * x + 2), a / b),
        (a / x, 0),
        ((x + 1) ** 2 / (x**2 + a), 1),
    ):
        yield at_infinity(f, value, True)
        yield at_infinity(f, value + 1, False)
    for f, value in ((x ** (a + 1) / (x ** (a + 1) + x), 1), (sp.log(x) / x**a, 0), (x**a * sp.exp(-x), 0)):
        yield at_infinity(f, value, True)
    yield Case(
        "a limit at a point", lambda: Identity((eq(sp.Limit(sp.Abs(x - 1) / (x - 1), x, 1, "-"), 1),)), False
    )
    yield Case("a sum", lambda: Identity((eq(sp.Sum(1, (k, 5, n)), n - 4),)), False)
    yield Case("a sum", lambda: Identity((eq(sp.Sum(a**k, (k, 0, sp.oo)), 1 / (1 - a)),)), False)
    yield Case(
        "an integral", lambda: Identity((eq(sp.Integral(x ** (-a), (x, 1, sp.oo)), 1 / (a - 1)),)), False
    )
    for f in (sp.floor(x), sp.Abs(x - y), sp.Max(x, y)):
        yield Case(
            "a slope with a corner",
            lambda f=f: Identity((eq(sp.Derivative(f, x), sp.S.One + sp.Derivative(f, x)),)),
            False,
        )


def emptiness() -> Iterator[Case]:
    """Nothing is claimed where there is nothing, and nothing is proved of it."""
    false = Relation(n + 1, "<=", n)
    yield Case("an empty range", lambda: IntegerRange(false, ((n, 3, 2),)), None)
    yield Case("an empty range", lambda: IntegerRange(false, ((n, 1, 3), (k, n + 1, n))), None)
    yield Case(
        "no integer in it", lambda: IntegerRange(false, ((n, sp.Rational(5, 4), sp.Rational(7, 4)),)), None
    )
    yield Case("no integer in it", lambda: Falsifier(false, box(Fraction(5, 4), Fraction(7, 4), n)), None)
    yield Case("no box", lambda: BallInequality(Relation(0, "<=", 1), ()), None)
    yield Case("ends before it begins", lambda: BallInequality(Relation(x + 1, "<=", x), box(3, 2, x)), None)
    yield Case("no relation", lambda: Identity(()), None)
    yield Case("no relation", lambda: Consistent({x: quoted("1.0", "T")}, []), None)
    yield Case("no step", lambda: DerivationHolds((), at_least(1, x)), None)
    yield Case("reads no cell", lambda: Consistent({x: quoted("1.0", "T")}, [eq(x, x)]), None)
    yield Case(
        "nothing printed", lambda: PrintedTable(table(row="1 2", x="- -", out="1 2"), {"out": x}), None
    )
    yield Case("a column by itself", lambda: PrintedTable(table(row="1 2", x="1 2"), {"x": x}), None)


def huge_numbers() -> Iterator[Case]:
    """What floats absorb: a 1 beside a large number, digits beyond the sixteenth, near misses of identities."""
    for size in (10**16, 10**25):
        yield Case(
            "one more", lambda s=size: GapRule(Relation(x + s + 1, "<=", x + s), at_least(0, x)), False
        )
        yield Case(
            "one more",
            lambda s=size: PolynomialInequality(Relation(x * s, "<=", x * s - 1), at_least(0, x)),
            False,
        )
        yield Case(
            "one more", lambda s=size: BallInequality(Relation(x + s + 1, "<=", x + s), box(0, 1, x)), False
        )
        yield Case("one more", lambda s=size: IntegerRange(Relation(n + 1, "<=", n), ((n, s, s + 2),)), False)
        yield Case("one more", lambda s=size: IntegerRange(Relation(n, "<=", n + 1), ((n, s, s + 2),)), True)
        yield Case(
            "a hair above",
            lambda s=size: GapRule(Relation(x, "<=", x + sp.Rational(1, s)), at_least(0, x)),
            True,
        )
        yield Case("a hair above", lambda s=size: Identity((eq(x + sp.Rational(1, s), x),)), False)
        yield Case("a hair above", lambda s=size: Identity((eq(sp.log(1 + sp.Rational(1, s)), 0),)), False)
        texts = [str(size), str(size + 1)]
        yield Case(
            "the last digit",
            lambda t=texts: Consistent(
                {x: quoted(t[0], "A", exact=True), y: quoted(t[1], "B", exact=True)}, [eq(x, y)]
            ),
            False,
        )
        yield Case(
            "the last digit",
            lambda t=texts: Consistent(
                {x: quoted(t[0], "A", exact=True), y: quoted(t[1], "B", exact=True)}, [eq(x + 1, y)]
            ),
            True,
        )
        yield Case(
            "beyond floats",
            lambda s=size: Consistent(
                {x: quoted("1.0e400", "A"), y: quoted("1.0e399", "B")}, [Relation(x * s, "<=", y)]
            ),
            False,
        )
    near = sp.exp(sp.pi * sp.sqrt(163)) - 640320**3 - 744  # about -7.5e-13
    yield Case("nearly an integer", lambda: Identity((eq(near, 0),)), False)
    yield Case(
        "nearly an integer",
        lambda: BallInequality(Relation(0, "<=", near + x * 0 + 0 * x), box(0, 1, x)),
        False,
    )
    yield Case("nearly an integer", lambda: BallInequality(Relation(0, "<=", near + x), box(0, 1, x)), False)
    yield Case(
        "products of powers",
        lambda: GapRule(Relation(19 * sp.log(3) / 5, "<=", 12 * sp.log(2) + x), at_least(0, x)),
        True,
    )
    yield Case(
        "products of powers",
        lambda: GapRule(Relation(12 * sp.log(2), "<=", 19 * sp.log(3) / 5 + x), at_least(0, x)),
        False,
    )


def ties() -> Iterator[Case]:
    """Where sides touch, and where a value lies half between two printed ones."""
    touching = (real - 1) ** 2
    for make in on_a_domain(Relation(0, "<=", touching), -2, real):
        yield Case("touches", make, True)
    for make in (
        *on_a_domain(Relation(touching, "<=", 0), -2, real),
        *on_a_domain(Relation(sp.Rational(1, 10**12), "<=", touching), -2, real),
    ):
        yield Case("touches", make, False)
    for even in ((real - 1) ** 2 + 1, real**2 + 1, real**4 + real**2 + half, (real - other) ** 2 + 1):
        symbols = sorted(even.free_symbols, key=str)
        yield Case(
            "powers around 0",
            lambda f=even, s=symbols: BallInequality(Relation(0, "<=", f), box(-1, 1, *s)),
            True,
        )
        yield Case(
            "powers around 0",
            lambda f=even, s=symbols: BallInequality(Relation(2, "<=", f), box(-1, 1, *s)),
            False,
        )
    rules = (ROUND_HALF_UP, ROUND_HALF_EVEN, ROUND_DOWN)
    for twentieths in range(1, 20, 2):
        printed = {
            str(Decimal(twentieths * 5).scaleb(-2).quantize(Decimal("0.1"), rule)) for rule in rules
        } | {f"{twentieths / 20:.1f}"}
        for text in sorted(printed):
            cell = quoted(text, "T")
            yield Case(
                "a tie",
                lambda c=cell, v=twentieths: Consistent({real: c}, [eq(real, sp.Rational(v, 20))]),
                True,
            )
            yield Case(
                "beside a tie",
                lambda c=cell, v=twentieths: Consistent({real: c}, [eq(real, sp.Rational(v + 4, 20))]),
                False,
            )


CASES = [
    case
    for group in (namesakes, assumptions, poles, limits, emptiness, huge_numbers, ties)
    for case in group()
]


def outcome(case: Case) -> str:
    try:
        return evaluate(case.make(), Budget(boxes=200)).verdict.name
    except MoelawsError:
        return "refused"


WRONG = {True: {"REFUTED"}, False: {"PROVED", "SUPPORTED"}, None: {"REFUTED", "PROVED", "SUPPORTED"}}


@pytest.mark.parametrize("case", CASES, ids=[f"{i}-{case.name}" for i, case in enumerate(CASES)])
def test_no_check_is_misled(case):
    assert outcome(case) not in WRONG[case.truth] | {"ERROR"}


def test_the_cases_are_many_and_of_every_truth():
    assert len(CASES) >= 200
    assert all(Counter(case.truth for case in CASES)[truth] >= 30 for truth in (True, False, None))


TEXT = "__import__('os')"


@pytest.mark.parametrize(
    "entry",
    [
        lambda: eq(x, TEXT),
        lambda: eq(TEXT, x),
        lambda: Relation(TEXT, "<=", x),
        lambda: Relation(x, "<=", TEXT),
        lambda: minimise(TEXT, over=x, given=n),
        lambda: minimise(x + n / x, over=TEXT, given=n),
        lambda: minimise(x + n / x, over=x, given=TEXT),
        lambda: minimise(x + n / x, over=x, given=n, subject_to=[TEXT]),
        lambda: minimise_posynomial(TEXT, over=x),
        lambda: minimise_posynomial(x + a / x, over=x, at={a: TEXT}),
        lambda: infer_shape(TEXT, x),
        lambda: binary_entropy(TEXT),
        lambda: log_choose_le_k_log.at({k: TEXT}),
        lambda: IntegerRange(Relation(n, "<=", 5), ((n, TEXT, 3),)),
        lambda: IntegerRange(Relation(n, "<=", 5), ((n, 1, TEXT),)),
        lambda: PrintedTable(table(row="1", x="1", out="1"), {"out": TEXT}),
    ],
)
def test_a_text_is_never_executed_as_a_formula(entry):
    with pytest.raises(MoelawsError):
        entry()


@pytest.mark.parametrize(
    ("check", "mutant"),
    [
        (BallInequality(Relation(x, "<=", 2), box(0, 1, x)), Relation(sp.sin(x) - 2, "<=", 0)),
        (GapRule(Relation(x, "<=", x + 1), at_least(0, x)), Relation(sp.sqrt(x) + 1, ">=", 0)),
        (IntegerRange(Relation(n, ">=", 0), ((n, 1, 5),)), Relation(sp.gamma(n + 2), ">=", 0)),
    ],
    ids=["ball", "gap", "range"],
)
def test_a_true_mutant_that_cannot_be_evaluated_is_not_rejected(check, mutant):
    claim = Claim("adversary", "words", "here", check, mutants={"true as well": {"relation": mutant}})
    judged = judge(claim, lambda variant: evaluate(variant, Budget()))
    assert judged.verdict is Verdict.ERROR
    assert "should be rejected" in judged.fault


def test_no_check_can_leave_out_what_is_asked_of_its_symbols():
    """`Check` asks it of every check, and a check says what it asks besides in ``validate``."""
    with pytest.raises(MoelawsError, match="belongs in validate"):
        type("Hasty", (GapRule,), {"__post_init__": lambda self: None})
