"""A statement is PROVED only where its conclusion is; one that words reach from its steps is ARGUED."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp
from mutated_statements import TAUTOLOGY, other_conclusions, with_its_step, with_less

from theory.errors import MoelawsError
from theory.relation import Relation, eq
from theory.results.exponents import data_exponent
from theory.results.oracle import approximation, finite_class_oracle, log_functions, risk
from theory.results.regimes import experts_optimal_as_stated
from theory.results.routing import log_choose_le_entropy, log_choose_le_k_log
from theory.statement import Kind, Statement, Step, statements
from theory.vocabulary import N_tot, alpha_D, beta
from verify.checks.base import Budget
from verify.checks.bounds import NumericIsBall
from verify.checks.derivation import DerivationHolds
from verify.checks.theorem import derivation
from verify.judging.judge import judge
from verify.judging.runner import Run
from verify.judging.statement_claims import derivation_claim, theory_paper
from verify.recheck.report import reread_report
from verify.recheck.sealed import seal
from verify.reports.html import to_html
from verify.reports.markdown import headline, to_markdown
from verify.reports.record import report_record
from verify.verdicts import Verdict, combine

THEOREMS = [s for s in statements().values() if s.kind is Kind.THEOREM and not s.proved_in]
ARGUED = [s for s in statements().values() if s.kind is Kind.ARGUED]
SEVENTEEN = (Step("16 + 1", eq(17 * beta, 16 * beta + beta)),)


FIRST = (
    "data_exponent",
    "compute_optimal_tokens",
    "log_patterns_le_k_log",
    "entropy_le_k_log",
    "weighted_am_gm",
)
"""Those whose mutants the first tier tries; the rest are tried in the second."""


def tiered(theorems):
    return [
        pytest.param(s, id=s.name, marks=() if s.name in FIRST else pytest.mark.thorough) for s in theorems
    ]


def verdict(statement: Statement) -> Verdict:
    return combine(derivation(statement).evidence(Budget())).verdict


def judged(statement: Statement):
    claim = derivation_claim(statement)
    return judge(claim, lambda check: combine(check.evidence(Budget())))


def report_on(*chosen: Statement) -> dict:
    claims = [derivation_claim(statement) for statement in chosen]
    found = {c.id: judge(c, lambda check: combine(check.evidence(Budget()))) for c in claims}
    found = {c.id: replace(found[c.id], formulas=tuple(c.check.shown())) for c in claims}
    return report_record(Run([theory_paper()], claims, "quick", found, complete=True))


FALSE = {
    "no price": replace(finite_class_oracle, conclusion=eq(risk, approximation)),
    "no price and no hypotheses": replace(
        finite_class_oracle, conclusion=eq(risk, approximation), hypotheses=()
    ),
    "a thousandth of the price and a tautology": replace(
        finite_class_oracle,
        conclusion=replace(finite_class_oracle.conclusion, rhs=finite_class_oracle.formula / 1000),
        steps=(
            *finite_class_oracle.steps,
            Step("itself", eq(finite_class_oracle.formula / 1000, finite_class_oracle.formula / 1000)),
        ),
    ),
    "another entropy": replace(finite_class_oracle, conclusion=eq(log_functions, sp.sqrt(N_tot))),
    "another exponent": replace(data_exponent, conclusion=eq(alpha_D, 17 * beta), steps=SEVENTEEN),
}


@pytest.mark.parametrize("false", FALSE.values(), ids=FALSE)
def test_a_false_theorem_is_not_proved_and_argued_at_most(false):
    """All of its steps are true: only the conclusion is not, and no rule makes it."""
    formulas = tuple(h for h in false.hypotheses if h.condition is not None and h.condition.op == ">=")
    theorem = replace(false, kind=Kind.THEOREM, to_prove="", hypotheses=formulas)
    assert verdict(theorem) is not Verdict.PROVED
    assert verdict(replace(theorem, uses=())) is not Verdict.PROVED
    argued = replace(false, kind=Kind.ARGUED, to_prove="more than there is")
    found = judged(argued)
    assert found.verdict is Verdict.ARGUED
    assert not found.verdict.holds
    assert "words join these steps" in found.finding


def test_a_false_theorem_with_its_conclusion_as_a_step_is_refuted():
    wrong = Relation(log_choose_le_k_log.conclusion.lhs, "<=", log_choose_le_k_log.formula / 1000)
    assert verdict(with_its_step(log_choose_le_k_log, wrong)) is Verdict.REFUTED


@pytest.mark.parametrize("theorem", tiered(THEOREMS))
def test_steps_and_what_is_used_prove_no_other_conclusion(theorem):
    check = derivation(theorem)
    steps = combine(DerivationHolds(check.steps, check.domain, check.uses).evidence(Budget()))
    with_tautology = DerivationHolds((*check.steps, TAUTOLOGY), check.domain, check.uses)
    and_one_more = combine(with_tautology.evidence(Budget()))
    assert check.concluded(steps).verdict is check.concluded(and_one_more).verdict is Verdict.PROVED
    made = list(other_conclusions(theorem))
    assert made
    for what, conclusion in made:
        for of_steps in (steps, and_one_more):
            found = replace(check, conclusion=conclusion).concluded(of_steps)
            assert found.verdict is Verdict.INCONCLUSIVE, what


@pytest.mark.parametrize("theorem", tiered(s for s in THEOREMS if s.conclusion.op == "=="))
def test_no_mutant_of_an_equality_is_proved(theorem):
    for what, conclusion in other_conclusions(theorem):
        try:
            found = verdict(with_its_step(theorem, conclusion))
        except MoelawsError:
            continue  # no equality that a check takes
        assert found is not Verdict.PROVED, what


@pytest.mark.parametrize("theorem", [s for s in THEOREMS if s.hypotheses or s.uses], ids=lambda s: s.name)
def test_every_hypothesis_and_every_used_theorem_is_needed(theorem):
    for what, weaker in with_less(theorem):
        try:
            found = verdict(weaker)
        except MoelawsError:
            continue  # a domain without a bound for each symbol
        assert found is not Verdict.PROVED, what


@pytest.mark.parametrize("statement", ARGUED, ids=lambda s: s.name)
def test_an_argued_statement_is_expected_to_be_argued(statement):
    claim = derivation_claim(statement)
    assert claim.expected is Verdict.ARGUED
    assert claim.expect is None
    assert statement.to_prove[0].islower() or statement.to_prove.startswith(("N_", "W "))
    assert not statement.to_prove.endswith(".")


def test_a_report_shows_argued_apart():
    report = report_on(experts_optimal_as_stated, log_choose_le_entropy)
    assert report["summary"]["verdicts"]["ARGUED"] == report["summary"]["verdicts"]["PROVED"] == 1
    assert report["summary"]["unexpected"] == []
    argued, proved = report["claims"]
    assert (argued["verdict"], argued["expected"], argued["closed"]) == ("ARGUED", "ARGUED", False)
    assert proved["closed"]
    assert headline(argued) == experts_optimal_as_stated.words
    assert headline(proved) == str(log_choose_le_entropy.conclusion) != log_choose_le_entropy.words
    for page in (to_markdown(report), to_html(report)):
        assert "a rule for optima" in page.replace("\\", "")
    assert "1 proved, 1 argued" in to_html(report)
    found = reread_report(report)
    assert found.holds
    assert (found.argued, found.held.total()) == (1, 1)


def test_an_argued_claim_made_into_a_proved_one_is_noticed():
    report = report_on(experts_optimal_as_stated)
    [entry] = report["claims"]
    entry["verdict"] = entry["evidence"]["verdict"] = "PROVED"
    report["summary"]["verdicts"] |= {"ARGUED": 0, "PROVED": 1}
    report["digest"] = seal(report)
    [(claim, reason)] = reread_report(report).failures
    assert claim == "theory/experts-optimal-as-stated"
    assert "concludes M = (2*beta*n/(L_T*d*ell*k))**(d/(2*beta)), which its card does not show" in reason


def test_argued_cannot_be_expected_of_a_claim_on_a_paper():
    claim = derivation_claim(log_choose_le_entropy)
    with pytest.raises(MoelawsError, match="only a statement of theory is ARGUED"):
        replace(claim, expect=Verdict.ARGUED, because="because")


def test_steps_that_fail_are_not_argued():
    false = replace(experts_optimal_as_stated, steps=(Step("wrong", eq(beta, 2 * beta)),))
    found = judged(false)
    assert found.verdict is Verdict.REFUTED
    assert found.unexpected


def test_agreement_of_evaluators_is_a_control_that_no_count_holds():
    checks = [claim for claim in theory_paper().claims.values() if isinstance(claim.check, NumericIsBall)]
    assert checks
    assert all(claim.control for claim in checks)
