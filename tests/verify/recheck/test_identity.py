"""The second reading of identities: what is true it mostly sees, what is false it never does."""

from __future__ import annotations

import ast
import dataclasses

import mpmath
import pytest
import sympy as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from theory.optima import Optimum
from theory.relation import Relation, eq
from theory.statement import statements
from theory.vocabulary import as_text
from verify.checks.base import Budget
from verify.checks.identity import Identity
from verify.recheck.calculus import derivative, worked_out
from verify.recheck.identity import check_equal, reread, unread
from verify.recheck.rejected import Rejected
from verify.recheck.texts import Unreadable, parse
from verify.verdicts import Verdict, combine

x, y, z, e = sp.symbols("x y z e", positive=True)
SYMBOLS = ["x", "y", "z"]


def equal(lhs, rhs, symbols=SYMBOLS):
    try:
        check_equal(lhs, rhs, symbols)
    except Unreadable:
        return False
    return True


TRUE = [
    ("x*x**y", "x**(y + 1)"),
    ("(x*y)**z", "x**z*y**z"),
    ("x**(y/(y + z))*x**(z/(y + z))", "x"),
    ("sqrt(8*x**2)", "2*sqrt(2)*x"),
    ("(x + y)**(5/2)", "(x + y)**2*sqrt(x + y)"),
    ("1/(sqrt(x) + 1)", "(sqrt(x) - 1)/(x - 1)"),
    ("log(x**y/(6*z))", "y*log(x) - log(2) - log(3) - log(z)"),
    ("log(2**(x**y))", "x**y*log(2)"),
    ("log(e*x)", "1 + log(x)"),
    ("exp(x)**y*e**z", "exp(x*y + z)"),
    ("log(1 - x/y) + log(y)", "log(y - x)"),
    ("factorial(x)*binomial(x + 1, 1 + y)/factorial(x)", "binomial(1 + x, y + 1)"),
    ("Min(x, y*z) - Min(z*y, x)", "0"),
    ("Derivative(x**y, x)", "y*x**(y - 1)"),
    ("Derivative(x**y, y)", "x**y*log(x)"),
    ("Derivative(x*log(x), (x, 2))", "1/x"),
    ("Derivative(1/(1 + exp(-x)), x)", "exp(-x)/(1 + exp(-x))**2"),
    ("Subs(Derivative(x**3, x), x, y)", "3*y**2"),
    ("Subs(x/y, (x, y), (y, x))", "y/x"),
    ("(x - y)**2", "(y - x)**2"),
    ("((x - y)**2)**(1/2)*sqrt((y - x)**2)", "(x - y)**2"),
    ("pi*x/pi", "x"),
]
UNSEEN = [
    ("sqrt(x + 2*sqrt(x) + 1)", "sqrt(x) + 1"),  # true, and beyond this reading
    ("x", "x + 1"),
    ("x**y", "y**x"),
    ("sqrt(x + y)", "sqrt(x) + sqrt(y)"),
    ("log(x + y)", "log(x) + log(y)"),
    ("((x - y)**2)**(1/2)", "x - y"),  # false where x < y
    ("log((x - y)**2)", "2*log(x - y)"),  # the right-hand side is not real where x < y
    ("sqrt((x - y)*(x - z))", "sqrt(x - y)*sqrt(x - z)"),  # false where both are negative
    ("exp(x)", "x**e"),
    ("factorial(x)", "binomial(x, 1)"),
    ("Min(x, y)", "Max(x, y)"),
    ("pi", "3"),
    ("e", "3"),
    ("2**x", "4**x"),
    ("x**1000000", "x**1000001"),
    ("sin(x)", "sin(x)"),
    ("Limit(x, x, 0)", "0"),
    ("Derivative(factorial(x), x)", "1"),
    ("1/0", "1/0"),
    ("x + w", "w + x"),  # w is no symbol here
    ("x +", "x"),
    ("__import__('os')", "x"),
    ("(lambda: x)()", "x"),
    ("x if x else y", "x"),
    ("9**9**9**9", "1"),
    (f"{'(' * 80}x{'+ 1)' * 80}", "x"),
    (f"{'-' * 5000}x", "x"),
]  # fmt: skip


@pytest.mark.parametrize(("lhs", "rhs"), TRUE)
def test_an_identity_is_seen(lhs, rhs):
    assert equal(lhs, rhs)
    assert equal(rhs, lhs)
    assert not equal(lhs, f"2*({rhs}) + 1")


@pytest.mark.parametrize(("lhs", "rhs"), UNSEEN)
def test_what_is_false_or_beyond_the_reading_is_not_seen(lhs, rhs):
    assert not equal(lhs, rhs)


def test_a_symbol_called_like_a_constant_is_the_symbol():
    assert equal("log(e)", "1", [])
    assert not equal("log(e)", "1", ["e"])
    assert equal("log(e**x)", "x*log(e)", ["e", "x"])
    assert Identity((eq(e * x, x * e),)).relations
    with pytest.raises(Exception, match="called e beside Euler's number"):
        Identity((eq(e * sp.E, sp.E * e),))


def test_every_identity_of_the_theory_but_one_is_decided_again_and_no_falsified_one():
    """The one is a limit. Doubling a side that is not 0 makes an identity false."""
    theorems = (s for s in statements().values() if s.steps)
    equalities = [step.relation for s in theorems for step in s.steps if step.relation.op == "=="]
    relations = [relation for relation in equalities if not isinstance(relation.lhs, Optimum)]
    assert len(relations) > 100
    open_ = []
    for relation in relations:
        names = sorted(s.name for s in relation.lhs.free_symbols | relation.rhs.free_symbols)
        lhs, rhs = as_text(relation.lhs), as_text(relation.rhs)
        if not equal(lhs, rhs, names):
            open_.append(lhs)
        assert relation.rhs == 0 or not equal(lhs, f"2*({rhs})", names)
    assert [text.partition("(")[0] for text in open_] == ["Limit"]


leaves = st.sampled_from(["x", "y", "z", "1", "2", "3"])
exponents = st.sampled_from(["2", "-1", "(1/2)", "(-1/3)", "y", "(y/(y + z))", "(z/(y + z) - 1)"])
expressions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from("+-*/"), inner),
        st.builds("({})**{}".format, inner, exponents),
        st.builds("{}({})".format, st.sampled_from(["log", "sqrt", "exp"]), inner),
    ),
    max_leaves=5,
)


def at(text, point):
    known = {name: getattr(mpmath, name) for name in ("log", "sqrt", "exp")}
    exact = ast.unparse(_Exact().visit(ast.parse(text, mode="eval")))
    return eval(exact, {"__builtins__": {}}, {**known, **point, "mpf": mpmath.mpf, "e": mpmath.e})


class _Exact(ast.NodeTransformer):
    def visit_Constant(self, node):
        return ast.Call(ast.Name("mpf"), [node], [])


@settings(max_examples=300)
@given(expressions, expressions)
def test_two_expressions_that_are_seen_to_be_equal_are_equal(one, other):
    """Also for a pair that differs by a rewriting: the same value, or it is not seen."""
    for lhs, rhs in (
        (one, other),
        (f"({one})*({other})/({other})", one),
        (f"log(({one})**y)", f"y*log({one})"),
    ):
        if not equal(lhs, rhs):
            continue
        with mpmath.workdps(40):
            for point in ({"x": 2, "y": 3, "z": 5}, {"x": 7, "y": 1, "z": 2}):
                values = {name: mpmath.mpf(value) / 3 for name, value in point.items()}
                try:
                    left, right = at(lhs, values), at(rhs, values)
                except (ZeroDivisionError, OverflowError, ValueError):
                    continue
                if mpmath.im(left) or mpmath.im(right) or not mpmath.isfinite(left):
                    continue
                assert abs(left - right) <= mpmath.mpf(10) ** -25 * (1 + abs(left)), (lhs, rhs)


@settings(max_examples=100)
@given(expressions)
def test_a_derivative_is_the_slope(text):
    tree = derivative(worked_out(parse(text)), "x")
    with mpmath.workdps(40):
        here = {name: mpmath.mpf(value) / 7 for name, value in {"x": 11, "y": 5, "z": 3}.items()}
        step = mpmath.mpf(10) ** -12
        try:
            slope = at(ast.unparse(ast.fix_missing_locations(tree)), here)
            values = [at(text, {**here, "x": here["x"] + d}) for d in (step, -step)]
        except (ZeroDivisionError, OverflowError, ValueError):
            assume(False)
        assume(all(mpmath.isfinite(v) and not mpmath.im(v) and abs(v) < 10**6 for v in (*values, slope)))
        assert (
            abs((values[0] - values[1]) / (2 * step) - slope) <= mpmath.mpf(10) ** -6 * (1 + abs(slope)) ** 3
        )


def judged(*relations):
    return combine(Identity(relations).evidence(Budget()))


def test_what_is_beyond_the_reading_is_listed_and_may_not_be_listed_where_it_is_not():
    limit = eq(sp.Limit(x / (x + 1), x, sp.oo, "-"), 1)
    found = judged(eq((x + 1) ** 2, x**2 + 2 * x + 1), limit)
    assert found.verdict is Verdict.PROVED
    certificate = found.details["certificate"]
    assert list(certificate["unread"]) == ["1"]
    assert "1 of 2 relations" in found.details["rechecked_by"]
    reread(certificate)
    assert len(unread(certificate)) == 1
    with pytest.raises(Rejected, match="is not read here"):
        reread({**certificate, "unread": {}})
    with pytest.raises(Rejected, match="is listed as beyond the reader, and is not"):
        reread({**certificate, "unread": {**certificate["unread"], "0": "too hard"}})
    with pytest.raises(Rejected, match="which it does not have"):
        reread({**certificate, "unread": {**certificate["unread"], "2": "too hard"}})


def test_a_relation_that_sympy_proves_by_mistake_would_be_noticed(monkeypatch):
    """The first reading made blind: the second one still reads, and the evidence says what it did not confirm."""
    monkeypatch.setattr("verify.checks.identity.is_identity", lambda relation: True)
    monkeypatch.setattr("verify.checks.identity._sample", lambda *arguments: (1, None))
    found = judged(Relation(x, "==", 2 * x))
    assert found.details["certificate"]["unread"]
    assert dataclasses.asdict(found)["details"]["rechecked_by"].endswith("0 of 1 relations")
