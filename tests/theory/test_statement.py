"""Statements and relations keep what they are given, and refuse what has no exact meaning."""

from __future__ import annotations

import dataclasses

import pytest
import sympy as sp

from theory.relation import Relation, eq
from theory.results.regimes import experts_optimal_as_stated
from theory.statement import Hypothesis, Kind, Source, Statement, Step, statements
from theory.vocabulary import GLOSSARY, M, beta, d, to_latex


def test_relations_do_not_collapse():
    relation = Relation(beta, ">", sp.Integer(0))  # sympy's own beta > 0 is already True
    assert (relation.lhs, relation.op, relation.rhs) == (beta, ">", 0)
    assert str(eq(beta, d)) == "beta = d"


@pytest.mark.parametrize(("op", "rhs"), [("=", beta), ("==", sp.Float("0.1"))])
def test_relations_refuse_unknown_operators_and_floats(op, rhs):
    with pytest.raises(ValueError, match="Relation"):
        Relation(beta, op, rhs)


def test_a_theorem_without_a_derivation_is_refused():
    with pytest.raises(ValueError, match="derivation step"):
        Statement("bare", "no steps", eq(beta, d), Source("nowhere"))


def test_every_statement_has_words_a_source_and_a_unique_name():
    found = statements()
    assert len(found) >= 12
    for name, statement in found.items():
        assert statement.name == name
        assert statement.words
        assert statement.source.reference


def test_every_symbol_has_words_a_unit_and_a_latex_name():
    for symbol, meaning in GLOSSARY.items():
        assert symbol.is_positive
        assert all(meaning)
        assert to_latex(symbol) == meaning.latex
    assert len({meaning.latex for meaning in GLOSSARY.values()}) == len(GLOSSARY)


def test_a_step_is_given_only_statements_that_are_listed_as_used():
    from theory.results.routing import log_choose_add_one_le_k_log, log_choose_le_k_log

    with pytest.raises(ValueError, match="list it in uses"):
        dataclasses.replace(log_choose_le_k_log, uses=())
    instance = log_choose_add_one_le_k_log.at({M: 2 * M})
    assert instance.relation.rhs == log_choose_add_one_le_k_log.conclusion.rhs.subs(M, 2 * M)
    assert [str(c) for c in instance.conditions] == ["k >= 1", "2*M >= k"]


def test_a_theorem_rests_on_no_words():
    itself = eq(beta + d, d + beta)
    steps = (Step("itself", itself),)
    with pytest.raises(ValueError, match="no check reads its hypotheses in words \\(smooth\\)"):
        Statement("t", "w", itself, Source("s"), steps=steps, hypotheses=(Hypothesis("smooth", "in C^beta"),))


def test_an_argued_statement_and_no_other_says_what_would_prove_it():
    for kind, to_prove in ((Kind.ARGUED, ""), (Kind.ARGUED, " "), (Kind.THEOREM, "a proof")):
        with pytest.raises(ValueError, match="what would prove it"):
            dataclasses.replace(experts_optimal_as_stated, kind=kind, to_prove=to_prove)
    assert "argued in prose; it would be proved by a rule for optima" in experts_optimal_as_stated.explain()


@pytest.mark.parametrize(
    "conclusion", [Relation(beta, "<=", d), eq(2 * beta, d), eq(beta, beta + 1)], ids=str
)
def test_a_definition_names_a_formula_and_says_nothing_more(conclusion):
    """Nothing names a definition as assumed, so an inequality must not come in as one."""
    with pytest.raises(ValueError, match="a definition is 'symbol = formula without it'"):
        Statement("d", "w", conclusion, Source("s"), kind=Kind.DEFINITION)
    assert Statement("d", "w", eq(beta, 2 * d), Source("s"), kind=Kind.DEFINITION)
