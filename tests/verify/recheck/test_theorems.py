"""The kernel: its rules, what each refuses, and that nothing else makes a theorem."""

from __future__ import annotations

import copy
import pickle

import pytest
import sympy as sp
from kinds import certificate_of

from theory.optima import Minimiser, Minimum
from theory.relation import Relation, eq
from theory.statement import Kind, Source, Statement, Step, statements
from theory.vocabulary import A, B, N, a, alpha_D, beta, d, n
from verify.checks.base import Budget
from verify.checks.derivation import DerivationHolds
from verify.checks.theorem import TheoremHolds, derivation
from verify.recheck import optimum
from verify.recheck import theorems as kernel
from verify.recheck.certificates import ask, reread
from verify.recheck.rejected import Rejected
from verify.recheck.theorems import (
    Defined,
    Positive,
    Stated,
    Theorem,
    asked_positive,
    chained,
    check_premises,
    defined,
    facts,
    given,
    raised,
    reflexive,
    rewritten,
    turned,
)
from verify.verdicts import Verdict, combine

x, y = sp.symbols("x y", positive=True)
LEAST = {"statement": "least", "relation": ["q", "<=", "u + 1"], "domain": [], "integers": []}


def identity(lhs: str, rhs: str, *symbols: str) -> Theorem:
    record = {"relations": [[lhs, rhs]], "symbols": list(symbols), "unread": {}}
    return facts({"kind": "identity", **record})[0]


def bound(lhs: str, op: str, rhs: str, name: str = "bound") -> Theorem:
    return given({"statement": name, "relation": [lhs, op, rhs], "domain": [], "integers": []})


# Nothing but the rules makes one


def test_a_theorem_is_made_by_the_rules_alone():
    theorem = reflexive("x")
    for forged in (
        lambda: Theorem(None, "x", "==", "y", frozenset()),
        lambda: Theorem("key", "1", "<=", "0", frozenset()),
        lambda: copy.copy(theorem),
        lambda: copy.deepcopy(theorem),
        lambda: copy.replace(theorem, rhs="y") if hasattr(copy, "replace") else theorem.__copy__(),
        lambda: pickle.dumps(theorem),
        lambda: setattr(theorem, "rhs", "y"),
        lambda: delattr(theorem, "rhs"),
        lambda: type("Weaker", (Theorem,), {}),
    ):
        with pytest.raises(TypeError):
            forged()
    with pytest.raises(AttributeError):
        _ = object.__new__(Theorem).rhs
    assert (theorem.lhs, theorem.op, theorem.rhs) == ("x", "==", "x")


def test_a_fact_needs_a_certificate_that_its_reader_accepts():
    with pytest.raises(Rejected):
        identity("x", "x + 1", "x")
    with pytest.raises(Rejected, match="makes no theorem"):
        facts(certificate_of(derivation(statements()["data_exponent"])))
    made = identity("(x + 1)**2", "x**2 + 2*x + 1", "x")
    assert made.under == {Positive("x")}


# Each rule, and what it refuses


def test_relations_chain_in_one_direction():
    rising = chained(bound("x", "<=", "y"), bound("y", "<=", "z", "other"))
    assert (rising.lhs, rising.op, rising.rhs) == ("x", "<=", "z")
    assert {p.statement for p in rising.under if isinstance(p, Stated)} == {"bound", "other"}
    assert chained(reflexive("x"), bound("x", "<=", "y")).op == "<="
    with pytest.raises(Rejected, match="do not chain"):
        chained(bound("x", "<=", "y"), bound("y", ">=", "z"))
    with pytest.raises(Rejected, match="do not meet"):
        chained(bound("x", "<=", "y"), bound("z", "<=", "y"))
    assert turned(rising).op == ">="


def test_equals_are_put_for_equals_everywhere_but_where_they_are_bound():
    by = defined("q", "2*x")
    assert rewritten(reflexive("q**2 + log(q)"), by).rhs == "(2 * x) ** 2 + log(2 * x)"
    for inside in ("Derivative(q*x, x)", "Minimum(q + x, x)", "Minimiser(q + x, x)", "Subs(q + x, x, 3)"):
        assert rewritten(reflexive(inside), by).rhs == kernel.spelled(inside), "q may depend on x there"
    assert rewritten(reflexive("Subs(x, x, q)"), by).rhs == "Subs(x, x, 2 * x)"
    same = identity("x + x", "2*x", "x")
    assert rewritten(reflexive("Derivative(x + x, x)"), same).rhs == "Derivative(2 * x, x)"
    assert rewritten(reflexive("Minimum(x + x, x)"), same).rhs == "Minimum(x + x, x)"
    with pytest.raises(Rejected, match="no equality"):
        rewritten(reflexive("q"), bound("q", "<=", "u"))


def test_a_statement_about_one_point_is_not_put_into_a_derivative():
    """From x == 1 nothing follows about the slope of x**2: rewritten inside, it would be 0."""
    at_a_point = bound("x", "==", "1")
    assert rewritten(reflexive("Derivative(x**2, x)"), at_a_point).rhs == "Derivative(x ** 2, x)"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("3*q + 1", "3 * (u + 1) + 1"),
        ("1 + 2*log(q)/n", "1 + 2 * log(u + 1) / n"),
        ("exp(q) - n", "exp(u + 1) - n"),
        ("n + q**2", "n + (u + 1) ** 2"),
        ("sqrt(q)*n/(1 + n)", "sqrt(u + 1) * n / (1 + n)"),
    ],
)
def test_a_bound_is_put_where_the_expression_rises(text, found):
    for start in (reflexive(text), bound("risk", "<=", text)):
        made = raised(start, given(LEAST))
        assert (made.op, made.rhs) == ("<=", found)
        assert Positive("q") in made.under


@pytest.mark.parametrize(
    "text",
    ["n - q", "n/q", "-q", "q*(n - 1)", "q**(n - 2)", "2**q", "Min(q, n)", "Minimum(q*x, x)", "log(q - n)"],
)
def test_a_bound_is_not_put_where_the_expression_is_not_seen_to_rise(text):
    with pytest.raises(Rejected, match=r"not seen to|not read"):
        raised(reflexive(text), given(LEAST))


def test_an_upper_bound_is_not_put_below():
    with pytest.raises(Rejected, match="bounds nothing"):
        raised(bound("risk", ">=", "3*q"), given(LEAST))
    with pytest.raises(Rejected, match="bounds nothing"):
        raised(reflexive("3*q"), bound("q", "==", "u"))


# Premises


def test_a_definition_defines_nothing_by_itself_and_no_constant():
    for symbol, formula in (("q", "q + 1"), ("e", "3"), ("pi", "3"), ("q r", "3"), ("2", "3")):
        with pytest.raises(Rejected, match="is not defined by"):
            defined(symbol, formula)


def test_a_symbol_said_positive_is_not_defined_to_be_negative():
    """With q = -1, and sqrt(q**2) = q for positive q, everything would follow."""
    absurd = rewritten(identity("sqrt(q**2)", "q", "q"), defined("q", "0 - 1"))
    assert {Positive("q"), Defined("q", "0 - 1")} <= absurd.under
    with pytest.raises(Rejected, match="not seen to be positive"):
        check_premises(absurd, (), ())


def test_premises_are_of_the_domain():
    made = identity("x*y", "y*x", "x", "y")
    assert asked_positive(made, [("x", ">", "0"), ("y", ">=", "1 + x")]) == []
    assert asked_positive(made, [("x", ">", "0")]) == ["y"]
    assert asked_positive(made, [("x", ">=", "0"), ("y", ">=", "x")]) == ["x", "y"]
    assert asked_positive(made, [("x", ">=", "1"), ("y", ">=", "x - 1")]) == ["y"]
    assert asked_positive(made, [("x", ">=", "1"), ("y", ">=", "z")]) == ["z"]
    assert asked_positive(reflexive("x"), [("x", ">=", "0")]) == []
    at_least = {
        "statement": "s",
        "relation": ["k", "<=", "M"],
        "domain": [["k", ">=", "1"]],
        "integers": ["k"],
    }
    check_premises(given(at_least), [("k", ">=", "1")], ["k"])
    for domain, integers in (((("k", ">=", "0"),), ("k",)), ((("k", ">=", "1"),), ())):
        with pytest.raises(Rejected, match="it asks that k"):
            check_premises(given(at_least), domain, integers)


# Optima


def test_the_closed_form_of_an_optimum():
    objective = A * N**-a + B * N / n
    best = (a * A * n / B) ** (1 / (1 + a))
    steps = (
        Step("where", eq(Minimiser(objective, N), best)),
        Step("least", eq(Minimum(objective, N), (1 + a) * A * best**-a)),
    )
    found = combine(DerivationHolds(steps, ()).evidence(Budget()))
    assert found.verdict is Verdict.PROVED
    for certificate in found.details["certificate"]["steps"]:
        optimum.reread(certificate)
        lhs, _, rhs = certificate["relation"]
        for wrong in (
            ["Minimum" if lhs.startswith("Minimiser") else "Minimiser", lhs[lhs.index("(") :]],
            [lhs.replace("B*N", "2*B*N"), ""],
            [lhs.replace(", N)", ", n)"), ""],
        ):
            with pytest.raises(Rejected):
                optimum.reread({**certificate, "relation": ["".join(wrong), "==", rhs]})
        with pytest.raises(Rejected):
            optimum.reread({**certificate, "relation": [lhs, "==", f"2*({rhs})"]})
        with pytest.raises(Rejected):
            optimum.reread({**certificate, "relation": [lhs, "<=", rhs]})


@pytest.mark.parametrize(
    ("relation", "verdict"),
    [
        (eq(Minimum(x + y / x, x), 2 * sp.sqrt(y)), Verdict.PROVED),
        (eq(Minimum(x + y / x, x), sp.sqrt(y)), Verdict.REFUTED),
        (eq(Minimiser(x + y / x, x), sp.sqrt(2 * y)), Verdict.REFUTED),
        (eq(Minimum(x + y, x), y), Verdict.INCONCLUSIVE),  # approached as x falls to 0, and taken nowhere
        (eq(Minimum(x**2 - x * y, x), -(y**2) / 4), Verdict.INCONCLUSIVE),  # no posynomial
    ],
    ids=str,
)
def test_an_optimum_is_proved_refuted_or_left_open(relation, verdict):
    found = combine(DerivationHolds((Step("optimum", relation),), ()).evidence(Budget()))
    assert found.verdict is verdict, found.finding


# Whole theorems


def theorem(conclusion: Relation, steps=(), uses=()) -> Verdict:
    check = TheoremHolds(conclusion, (Step("itself", eq(beta, beta)), *steps), (), tuple(uses))
    return combine(check.evidence(Budget())).verdict


def test_a_conclusion_needs_what_makes_it():
    is_twice = Statement("twice", "w", eq(alpha_D, 2 * beta), Source("s"), kind=Kind.DEFINITION)
    assert theorem(eq(alpha_D, 2 * beta)) is Verdict.INCONCLUSIVE
    assert theorem(eq(alpha_D, 2 * beta), uses=[is_twice]) is Verdict.PROVED
    assert theorem(eq(alpha_D, 3 * beta), uses=[is_twice]) is Verdict.INCONCLUSIVE
    assert (
        theorem(eq(alpha_D, 17 * beta), [Step("16 + 1", eq(17 * beta, 16 * beta + beta))])
        is Verdict.INCONCLUSIVE
    )
    assert theorem(eq(2 * beta, beta + beta), uses=[is_twice]) is Verdict.INCONCLUSIVE, "twice is idle"


def test_a_bound_follows_from_assumptions_and_says_which():
    risk = sp.Symbol("risk", positive=True)
    entropy = sp.Symbol("entropy", positive=True)
    oracle = Statement(
        "oracle", "w", Relation(risk, "<=", A + 16 * entropy / n), Source("s"), kind=Kind.ASSUMPTION
    )
    cover = Statement("cover", "w", Relation(entropy, "<=", d * N), Source("s"), kind=Kind.ASSUMPTION)
    whole = Relation(risk, "<=", A + 16 * d * N / n)
    assert theorem(whole, uses=[oracle, cover]) is Verdict.PROVED
    for wrong in (
        Relation(risk, "<=", A + 15 * d * N / n),
        Relation(risk, "<=", A),
        Relation(risk, ">=", A + 16 * d * N / n),
        Relation(risk, "<=", A + 16 * d * N / n**2),
        eq(risk, A + 16 * d * N / n),
    ):
        assert theorem(wrong, uses=[oracle, cover]) is not Verdict.PROVED
    assert theorem(whole, uses=[oracle]) is not Verdict.PROVED
    assert theorem(whole, uses=[cover]) is not Verdict.PROVED
    check = TheoremHolds(whole, (Step("itself", eq(beta, beta)),), (), (oracle, cover))
    assert [name for name, *_ in ask(certificate_of(check), "lemmas")] == ["cover", "oracle"]


def test_a_certificate_names_no_more_and_no_less_than_it_rests_on():
    certificate = certificate_of(derivation(statements()["data_exponent_from_model_exponent"]))
    reread(certificate)
    for part in ("given", "lines", "steps"):
        with pytest.raises(Rejected):
            reread({**certificate, part: certificate[part][:-1]})
    with pytest.raises(Rejected):
        reread({**certificate, "given": [*certificate["given"], LEAST]})
    with pytest.raises(Rejected):
        reread({**certificate, "definitions": [["beta", "2*d"]]})
    with pytest.raises(Rejected, match="its lines make"):
        reread({**certificate, "relation": ["alpha_D", "==", "alpha_N/(2 + alpha_N)"]})
