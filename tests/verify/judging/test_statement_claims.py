"""What a statement says of its bound is a claim with a mutant: cases of equality, and shapes that no rule infers."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from theory.relation import Relation, eq
from theory.results.routing import k_log_ratio_le_log_choose, log_choose_le_k_log, log_choose_le_stirling
from theory.shapes.infer import infer_shape
from theory.shapes.signs import domain_of
from theory.statement import statements
from theory.vocabulary import M, beta, d, k, tau
from verify.checks.base import Budget
from verify.checks.shape import Shape
from verify.judging.runner import judge_fresh
from verify.judging.statement_claims import bound_claims
from verify.verdicts import Verdict, combine

BOUNDS = {name: s for name, s in statements().items() if s.is_bound and not s.bound.has(sp.Sum)}


@pytest.mark.parametrize(
    "claim", [c for s in statements().values() for c in bound_claims(s)], ids=lambda c: c.id
)
def test_every_case_of_equality_and_stated_shape_holds(claim):
    found = judge_fresh(claim, Budget(), None)
    assert found.verdict is Verdict.PROVED, found.finding


def test_what_is_stated_is_what_the_rules_do_not_infer():
    """A shape that a rule infers needs no claim; where a new rule infers a stated one, the statement drops it."""
    stated = [(s, *said) for s in BOUNDS.values() for said in s.stated]
    assert [
        s.name for s, shape, symbol in stated if getattr(infer_shape(s.bound, symbol, s.domain), shape)
    ] == []
    assert 0 < len(stated) < 10


def test_a_wrong_case_of_equality_is_an_unexpected_verdict():
    for wrong in ({k: 2}, eq(d, 2 * d)):
        [claim] = bound_claims(replace(k_log_ratio_le_log_choose, attained_at=(wrong,)))
        assert judge_fresh(claim, Budget(), None).unexpected


def test_a_wrong_stated_shape_is_an_unexpected_verdict():
    [claim] = bound_claims(replace(log_choose_le_stirling, stated=(("decreasing", M),)))
    assert claim.id == "theory/log-choose-le-stirling/decreasing-in-M"
    assert judge_fresh(claim, Budget(), None).unexpected


@pytest.mark.parametrize("stated", [("increasing", beta), ("rising", M)])
def test_a_shape_of_another_formula_or_another_word_is_refused(stated):
    with pytest.raises(ValueError, match="expected one of increasing"):
        replace(log_choose_le_k_log, stated=(stated,))


FEW_SYMBOLS = [s for s in BOUNDS.values() if len(s.bound.free_symbols) <= 6]
"""With more, the search for a proof that the check cannot find takes minutes."""


@pytest.mark.parametrize("statement", FEW_SYMBOLS, ids=lambda s: s.name)
def test_the_shape_check_refutes_nothing_that_the_rules_infer(statement):
    """The check knows no upper ends, so tau in (0, 1) is 1/(1 + odds) there."""
    odds = sp.Symbol("odds", positive=True)
    for symbol, shape in statement.shapes().items():
        if symbol == tau:
            continue
        bound = shape.node.formula.xreplace({1 - tau: odds / (1 + odds), tau: 1 / (1 + odds)})
        domain = _without_upper_ends(bound, statement.conditions)
        for word in (shape.direction, shape.curvature):
            if word not in ("unknown", "constant"):
                check = Shape(bound, symbol, word, domain)
                found = combine(check.evidence(Budget(boxes=100, samples=8)))
                assert found.verdict in (Verdict.PROVED, Verdict.INCONCLUSIVE), found.finding


def _without_upper_ends(bound: sp.Expr, conditions: tuple[Relation, ...]) -> tuple[Relation, ...]:
    return domain_of(bound, [c for c in conditions if c.op != "<"])
