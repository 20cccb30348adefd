"""The gap rule: what it proves, refutes and leaves open, and certificates that cannot be altered."""

from __future__ import annotations

import copy
import itertools

import mpmath
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.relation import Relation
from theory.statement import Step
from theory.vocabulary import M, k, n
from verify.checks.base import Budget
from verify.checks.derivation import DerivationHolds
from verify.checks.gap_rule import GapRule, recheck_relation
from verify.checks.theorem import derivation
from verify.errors import InputError
from verify.recheck.gap_rule import reread
from verify.recheck.rejected import Rejected
from verify.search.counterexamples import _closest_first, counterexample
from verify.search.gap_rule import NotElementary, Search, at_end, expression, normal_form, slope
from verify.verdicts import Grade, Verdict, combine

x, y = sp.symbols("x y", positive=True)
HALF_LINE = (Relation(x, ">=", 0),)
PLANE = (Relation(x, ">=", 0), Relation(y, ">=", 0))
TRIANGLE = (Relation(k, ">=", 1), Relation(M, ">=", k))
log_choose = sp.log(sp.binomial(M, k))
k_log = k * sp.log(sp.E * M / k)


def judged(check, budget=None):
    return combine(check.evidence(budget or Budget()))


PROVED = [
    (Relation(sp.log(1 + x), "<=", x), HALF_LINE, None),
    (Relation(x / (1 + x), "<=", sp.log(1 + x)), HALF_LINE, None),
    (Relation(x * sp.log(1 + 1 / x), "<=", 1), HALF_LINE, None),
    (Relation(sp.log(x), "<=", x - 1), (Relation(x, ">=", 1),), None),
    (Relation(sp.log(x), "<=", x - 1), (Relation(x, ">", 0),), None),  # tight inside, at 1
    (Relation(1 - 1 / x, "<=", sp.log(x)), (Relation(x, ">", 0),), None),
    (Relation(sp.log(2 * x), "<=", 3 * x - sp.log(3 / sp.E / 2)), (Relation(x, ">", 0),), None),  # at 1/3
    (Relation((x + 1) ** 3, ">=", 1 + 3 * x), HALF_LINE, None),
    (Relation(x * y / (x + y + 1), "<=", x), PLANE, None),
    (Relation((x + sp.Rational(1, 2)) * sp.log(1 + 1 / x), ">=", 1), (Relation(x, ">=", 1),), None),
    (Relation(sp.log(sp.factorial(k)), ">=", k * sp.log(k) - k), (Relation(k, ">=", 1),), k),
    (Relation(sp.log(sp.factorial(k)), "<=", k * sp.log(k)), (Relation(k, ">=", 1),), k),
]
REFUTED = [
    (Relation(log_choose, "<=", k_log - sp.Rational(1001, 1000)), TRIANGLE, k),
    (Relation(log_choose, "<=", k * sp.log(M / k)), TRIANGLE, M),
    (Relation(sp.log(1 + x), "<=", x * sp.Rational(99, 100)), HALF_LINE, None),
    (Relation(sp.log(1 + x), ">=", x), HALF_LINE, None),
    (Relation(sp.log(sp.pi * x), "<=", x), (Relation(x, ">=", 1),), None),
]
OPEN = [
    (Relation(2 * x, "<=", x**2 + 1), HALF_LINE, None),  # true, but its zero lies inside
    (Relation(sp.sin(x), "<=", x), HALF_LINE, None),
    (Relation(log_choose, "<=", M * sp.log(2)), TRIANGLE, M),  # true, but no induction on M shows it
    (Relation(log_choose, "<=", k_log), TRIANGLE, None),  # needs its induction
    (Relation(x, "<=", 10**9), HALF_LINE, None),  # false, but only far outside the grid
    (Relation(sp.log(1 + x) ** 2, ">=", 0), HALF_LINE, None),
]


@pytest.mark.parametrize(("relation", "domain", "on"), PROVED, ids=str)
def test_proved_with_a_certificate(relation, domain, on):
    found = judged(GapRule(relation, domain, on))
    assert found.verdict is Verdict.PROVED, found.finding
    assert found.grade >= Grade.BALL
    assert found.details["certificate"]["kind"] == "gap rule"


@pytest.mark.parametrize(("relation", "domain", "on"), REFUTED, ids=str)
def test_refuted_at_a_point_that_two_evaluators_confirm(relation, domain, on):
    found = judged(GapRule(relation, domain, on))
    assert found.verdict is Verdict.REFUTED
    assert "mpmath" in found.confirmed_by
    assert set(found.witness) > {"left", "right"}


@pytest.mark.parametrize(("relation", "domain", "on"), OPEN, ids=str)
def test_left_open(relation, domain, on):
    assert judged(GapRule(relation, domain, on)).verdict is Verdict.INCONCLUSIVE


def test_a_budget_of_no_nodes_leaves_it_open():
    relation, domain, on = PROVED[0]
    assert judged(GapRule(relation, domain, on), Budget(boxes=0)).verdict is Verdict.INCONCLUSIVE


def certificate_of(relation, domain, on=None):
    found = judged(GapRule(relation, domain, on))
    return found.details["certificate"]


CERTIFIED = [
    *(PROVED[i] for i in (1, 2, 9)),
    (Relation(sp.log((1 + x) / 2), "<=", (x - 1) / 2), HALF_LINE, None),
    (Relation(log_choose + 1, "<=", k_log), TRIANGLE, k),
]


def places_of(tree, path=()):
    """Every dict inside a certificate, by its path."""
    if isinstance(tree, dict):
        yield path, tree
        for key, value in tree.items():
            yield from places_of(value, (*path, key))


def altered(certificate):
    """The certificate with one thing changed, in every way tried."""
    for path, node in places_of(certificate):
        for key, value in node.items():
            changes = []
            if key == "claim":
                changes = [f"{value} + 1", f"2*({value}) - 1", f"-({value}) + t_x", "nonsense(", ""]
            elif key == "times":
                changes = ["2", "-1", "0", f"({value})*3", "t_k - 1"]
            elif key == "rule":
                rules = ("coefficients", "product", "number", "end", "wider", "split", "")
                changes = [r for r in rules if r != value]
            elif key == "at":
                changes = ["0" if value == "oo" else "oo", "7/5", "-1", "t_x"]
            elif key == "variable":
                changes = [v for v in ("t_x", "t_k", "t_M", "pi", "") if v != value]
            elif key == "domain":
                changes = [
                    [[n, op, f"{bound} + 1"] for n, op, bound in value],
                    [],
                    [*value, ["z", ">=", "0"]],
                ]
            elif key == "integers":
                changes = [[*value, "z"], ["x"], []] if value else [["x"], ["z"]]
            elif key == "relation":
                changes = [
                    value[::-1],
                    [value[0], "==", value[2]],
                    [f"{value[0]} + 1", *value[1:]],
                    value[:2],
                ]
            elif key == "kind":
                changes = ["means", ""]
            elif key == "given":
                changes = [None, ["x"], [{"statement": "s", "relation": ["1", "<=", "0"]}]]
            elif key == "on":
                changes = ["M" if value == "k" else "k", "z"]
            elif isinstance(value, dict):
                changes = [
                    {},
                    *(other for name, other in node.items() if name != key and isinstance(other, dict)),
                ]
            for change in changes:
                yield _with(certificate, (*path, key), change)
            yield _without(certificate, (*path, key))
        yield _with(certificate, (*path, "extra"), "0")


def _with(certificate, path, value):
    made = copy.deepcopy(certificate)
    node = made
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    return made


def _without(certificate, path):
    made = copy.deepcopy(certificate)
    node = made
    for key in path[:-1]:
        node = node[key]
    del node[path[-1]]
    return made


@pytest.mark.parametrize(("relation", "domain", "on"), CERTIFIED, ids=str)
def test_every_alteration_of_a_certificate_is_rejected(relation, domain, on):
    certificate = certificate_of(relation, domain, on)
    recheck_relation(relation, domain, certificate)
    count = 0
    for bad in altered(certificate):
        count += 1
        with pytest.raises(Rejected):
            recheck_relation(relation, domain, bad)
    assert count > 20


def test_a_certificate_proves_no_other_relation():
    relation, domain, _ = PROVED[0]
    certificate = certificate_of(relation, domain)
    for other in (
        Relation(sp.log(2 + x), "<=", x),
        Relation(sp.log(1 + x), "<=", x / 2),
        Relation(x, "<=", sp.log(1 + x)),
    ):
        with pytest.raises(Rejected):
            recheck_relation(other, domain, certificate)


@pytest.mark.parametrize(
    ("relation", "node", "why"),
    [
        ("log(x - 1) <= x", {"claim": "x", "times": "1", "rule": "coefficients"}, "positive"),
        ("-1/x <= 0", {"claim": "1/t_x", "times": "1", "rule": "coefficients"}, "divided by"),
        ("0 <= log(x) + 1", {"claim": "log(t_x) + 1", "times": "1", "rule": "coefficients"}, "edge"),
        ("__import__('os') <= x", {}, "not a rational function"),
        ("x <= t_x", {"claim": "0", "times": "1", "rule": "coefficients"}, "not of the domain"),
        ("x[0] <= x", {}, "not a rational function"),
    ],
)
def test_the_checker_refuses_what_it_cannot_see(relation, node, why):
    lhs, rhs = relation.split(" <= ")
    with pytest.raises(Rejected, match=why):
        reread(
            {
                "kind": "gap rule",
                "relation": [lhs, "<=", rhs],
                "domain": [["x", ">=", "0"]],
                "integers": [],
                "given": [],
                "proof": {"gap": node},
            }
        )


def test_a_gap_that_is_closed_by_a_pole_is_not_proved():
    """1/x - 1/x^2 tends to no limit at 0, so nothing may be concluded from that end."""
    found = judged(GapRule(Relation(1 / x, "<=", 1 / x**2), HALF_LINE))
    assert found.verdict is not Verdict.PROVED


def test_what_a_gap_rule_refuses():
    with pytest.raises(InputError, match="expected <= or >="):
        GapRule(Relation(x, "<", 1), HALF_LINE)
    with pytest.raises(InputError, match="no lower bound for y"):
        GapRule(Relation(y, "<=", x), HALF_LINE)
    with pytest.raises(InputError, match="bounded before it"):
        GapRule(Relation(y, "<=", x), (Relation(y, ">=", x), Relation(x, ">=", 0)))
    with pytest.raises(InputError, match="declare it an integer"):
        GapRule(Relation(sp.log(sp.factorial(x)), ">=", 0), HALF_LINE)
    with pytest.raises(InputError, match="declare it an integer"):
        GapRule(Relation(x, ">=", 0), HALF_LINE, on=x)
    with pytest.raises(InputError, match="symbol of the domain"):
        GapRule(Relation(k, ">=", 0), (Relation(k, ">=", 1),), on=M)


def test_given_statements_must_be_satisfied_where_they_are_used():
    from theory.results.routing import robbins

    m = robbins.conditions[0].lhs
    inside, outside = robbins.at({m: M - k}), robbins.at({m: M - k - 1})
    domain = (Relation(k, ">=", 1), Relation(M, ">=", k + 1))
    relation = inside.relation
    assert judged(GapRule(relation, domain, given=(inside,))).verdict is Verdict.PROVED
    shifted = outside.relation
    assert judged(GapRule(shifted, domain, given=(outside,))).verdict is not Verdict.PROVED


def test_a_statement_for_integers_is_not_used_between_them():
    from theory.results.routing import robbins

    m = robbins.conditions[0].lhs
    with pytest.raises(InputError, match="not seen to be an integer"):
        GapRule(Relation(k, ">=", 1), (Relation(k, ">=", 1),), given=(robbins.at({m: k / 2}),))


# Derivations


def test_a_derivation_is_as_strong_as_its_weakest_step():
    true = Step("true", Relation(sp.log(1 + x), "<=", x))
    open_ = Step("true, not shown", Relation(2 * x, "<=", x**2 + 1))
    false = Step("false", Relation(x, "<=", sp.log(1 + x)))
    assert judged(DerivationHolds((true,), HALF_LINE)).verdict is Verdict.PROVED
    assert judged(DerivationHolds((true, open_), HALF_LINE)).verdict is Verdict.INCONCLUSIVE
    assert judged(DerivationHolds((true, false), HALF_LINE)).verdict is Verdict.REFUTED


def test_the_routing_bound_is_proved_given_nothing_and_stirlings_given_robbins():
    from theory.results import routing

    assert routing.log_choose_le_k_log.assumptions() == ()
    assert [s.name for s in routing.log_choose_le_stirling.assumptions()] == ["robbins"]
    for statement in (
        routing.log_choose_add_one_le_k_log,
        routing.log_choose_le_k_log,
        routing.log_choose_le_entropy,
    ):
        found = judged(derivation(statement))
        assert (found.verdict, found.grade) == (Verdict.PROVED, Grade.EXACT), found.finding


# Normal forms against mpmath


@st.composite
def forms(draw):
    """A sum of rational functions times logs, with small coefficients."""
    number = st.integers(-4, 4)
    total = sp.Integer(draw(number))
    for _ in range(draw(st.integers(1, 3))):
        coefficient = sp.Rational(draw(number), draw(st.integers(1, 3))) * x ** draw(st.integers(-1, 1))
        argument = (x + draw(st.integers(1, 4))) ** draw(st.integers(1, 2)) / (x + draw(st.integers(1, 4)))
        total += coefficient * sp.log(argument)
    return total


def value(expr, at):
    with mpmath.workdps(30):
        return mpmath.mpf(sp.N(expr.subs(x, sp.Rational(at)), 30))


@settings(max_examples=60, deadline=None)
@given(forms(), st.integers(1, 9))
def test_normal_forms_and_slopes_keep_their_values(expr, at):
    form = normal_form(expr)
    assert abs(value(expression(form), at) - value(expr, at)) < mpmath.mpf(10) ** -20
    assert abs(value(expression(slope(form, x)), at) - value(sp.diff(expr, x), at)) < mpmath.mpf(10) ** -20


@settings(max_examples=60, deadline=None)
@given(forms(), st.sampled_from(["0", "oo"]))
def test_limits_at_an_end_are_those_of_values_close_to_it(expr, end):
    there = at_end(normal_form(expr), x, end)
    if there is not None:
        close = value(expr, sp.Rational(1, 10**12) if end == "0" else 10**12)
        assert abs(close - value(expression(there), 1)) < mpmath.mpf(10) ** -8


@pytest.mark.thorough
@settings(max_examples=60, deadline=None)
@given(forms())
def test_what_is_proved_is_nonnegative_wherever_it_is_sampled(expr):
    node = Search(60).prove(normal_form(expr))
    if node is not None:
        for at in (sp.Rational(1, 1000), sp.Rational(1, 3), 1, 7, 1000):
            assert value(expr, at) > -(mpmath.mpf(10) ** -20)


def test_products_of_logs_are_outside_the_class():
    with pytest.raises(NotElementary):
        normal_form(sp.log(x) * sp.log(1 + x))
    with pytest.raises(NotElementary):
        normal_form(n ** sp.Rational(1, 2) * sp.log(n))


@given(
    st.lists(
        st.lists(st.integers(0, 20), min_size=1, max_size=4, unique=True).map(sorted), min_size=1, max_size=4
    )
)
def test_points_of_a_grid_come_in_the_order_of_their_sum(choices):
    expected = sorted(itertools.product(*choices), key=lambda steps: (sum(steps), steps))
    assert list(_closest_first(choices)) == expected


def test_a_domain_of_many_symbols_is_searched_at_once():
    symbols = sp.symbols("x:12", positive=True)
    domain = [Relation(symbol, ">=", 0) for symbol in symbols]
    assert counterexample(Relation(sp.Add(*symbols), ">=", 0), domain, points=5) is None
