"""Verdicts combine, checks that cannot fail are caught, and expectations are strict both ways."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import pytest
import sympy as sp
from judged import table

from theory.relation import Relation, eq
from theory.results.exponents import compute_exponent, data_exponent
from theory.vocabulary import alpha_N, beta
from verify.checks.base import Budget, Check
from verify.checks.consistent import Consistent
from verify.checks.falsifier import Falsifier
from verify.checks.identity import Identity
from verify.checks.printed_table import PrintedTable
from verify.errors import InputError
from verify.judging.claims import Claim
from verify.judging.graph import check_acyclic, standings
from verify.judging.judge import evidence_from_record, evidence_record, judge
from verify.judging.papers import load_paper
from verify.judging.runner import evaluate, run_claims
from verify.printed.tables import quoted
from verify.reports.markdown import to_markdown
from verify.reports.record import report_record
from verify.verdicts import Evidence, Grade, Verdict, combine

x, y = sp.symbols("x y", positive=True)


@dataclass(frozen=True)
class Says(Check):
    """A check that answers what it is told, whatever it is asked."""

    verdict: Verdict
    about: str = "the claim"
    raises: bool = False

    def evidence(self, budget: Budget) -> Iterable[Evidence]:
        if self.raises:
            raise ZeroDivisionError("inside the check")
        witness = {"x": "1"} if self.verdict is Verdict.REFUTED else None
        yield Evidence(
            self.verdict, Grade.EXACT, f"said of {self.about}", witness=witness, confirmed_by="a test"
        )


def judged(claim):
    return judge(claim, lambda check: evaluate(check, Budget()))


def claim(check, **rest):
    return Claim("test/claim", "words", "nowhere", check, **rest)


MUTANT = {"a false variant": {"about": "a false variant"}}
REPAIR = {"a true variant": {"about": "a true variant"}}


def test_a_vacuous_check_is_an_error():
    found = judged(claim(Says(Verdict.SUPPORTED), mutants=MUTANT))
    assert found.verdict is Verdict.ERROR
    assert "should be rejected but came out SUPPORTED" in found.fault
    assert not found.as_expected


def test_an_always_refuting_check_is_an_error_where_refutation_is_expected():
    found = judged(claim(Says(Verdict.REFUTED), expect=Verdict.REFUTED, because="a reason", repairs=REPAIR))
    assert found.verdict is Verdict.ERROR
    assert "should be accepted but came out REFUTED" in found.fault


def test_an_always_refuting_check_is_unexpected_where_the_claim_should_hold():
    found = judged(claim(Says(Verdict.REFUTED), mutants=MUTANT))
    assert (found.verdict, found.as_expected) == (Verdict.REFUTED, False)


def test_an_always_inconclusive_check_is_caught_whatever_is_expected():
    assert not judged(claim(Says(Verdict.INCONCLUSIVE), mutants=MUTANT)).as_expected
    expecting = claim(
        Says(Verdict.INCONCLUSIVE),
        expect=Verdict.INCONCLUSIVE,
        because="a reason",
        mutants=MUTANT,
        repairs=REPAIR,
    )
    assert judged(expecting).verdict is Verdict.ERROR


def test_a_mutant_that_crashes_its_check_is_not_a_rejection():
    good = Identity((eq(alpha_N, alpha_N),))
    crashing = claim(Says(Verdict.SUPPORTED), mutants={"crash": {"raises": True}})
    assert "came out ERROR" in judged(crashing).fault
    assert judged(claim(good, mutants={"doubled": {"relations": (eq(alpha_N, 2 * alpha_N),)}})).as_expected


def test_a_check_that_raises_is_an_error_and_not_a_traceback():
    found = judged(claim(Says(Verdict.SUPPORTED, raises=True), mutants=MUTANT))
    assert found.verdict is Verdict.ERROR
    assert "ZeroDivisionError: inside the check" in found.finding


def test_expectations_are_strict_both_ways():
    holds = Identity((eq(alpha_N, alpha_N),))
    fails = {"relations": (eq(alpha_N, 2 * alpha_N),)}
    expecting_refutation = claim(
        holds,
        expect=Verdict.REFUTED,
        because="wrongly expected",
        repairs={"also true": {"relations": (eq(beta, beta),)}},
    )
    assert judged(expecting_refutation).unexpected
    assert judged(
        claim(holds.changed(fails), mutants={"another": {"relations": (eq(beta, 3 * beta),)}})
    ).unexpected


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "list at least one mutant"),
        ({"expect": Verdict.REFUTED, "repairs": REPAIR}, "needs because"),
        ({"expect": Verdict.REFUTED, "because": "so"}, "list at least one repair"),
        ({"expect": Verdict.SUPPORTED, "mutants": MUTANT}, "already means that it holds"),
        ({"mutants": {"nothing": {"about": "the claim"}}}, "changes nothing"),
        ({"mutants": {"typo": {"abuot": "x"}}}, "Did you mean about"),
        ({"mutants": MUTANT, "not_testable": "both"}, "give either check"),
    ],
)
def test_a_claim_without_its_safeguards_is_refused(arguments, said):
    with pytest.raises(InputError, match=said):
        claim(Says(Verdict.SUPPORTED), **arguments)


def test_a_claim_that_cannot_be_tested_says_why():
    found = judged(Claim("test/open", "words", "nowhere", not_testable="no data"))
    assert (found.verdict, found.finding, found.as_expected) == (Verdict.NOT_TESTABLE, "no data", True)


# Combining evidence


def piece(verdict, grade=Grade.EXACT, **rest):
    if verdict is Verdict.REFUTED:
        rest = {"witness": {"x": 1}, "confirmed_by": "a test", **rest}
    return Evidence(verdict, grade, verdict.name.lower(), **rest)


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([], Verdict.ERROR),
        ([piece(Verdict.PROVED), piece(Verdict.REFUTED, Grade.SAMPLED)], Verdict.ERROR),
        ([piece(Verdict.SUPPORTED, Grade.BALL), piece(Verdict.REFUTED, Grade.BALL)], Verdict.ERROR),
        ([piece(Verdict.SUPPORTED, Grade.STATISTICAL), piece(Verdict.REFUTED, Grade.BALL)], Verdict.REFUTED),
        ([piece(Verdict.INCONCLUSIVE), piece(Verdict.SUPPORTED, Grade.STATISTICAL)], Verdict.SUPPORTED),
        ([piece(Verdict.SUPPORTED, Grade.SAMPLED)], Verdict.ERROR),
        ([piece(Verdict.PROVED, Grade.STATISTICAL)], Verdict.ERROR),
        ([piece(Verdict.REFUTED, witness=None)], Verdict.ERROR),
        ([piece(Verdict.REFUTED, confirmed_by="")], Verdict.ERROR),
        ([piece(Verdict.ERROR), piece(Verdict.PROVED)], Verdict.ERROR),
        ([piece(Verdict.INCONCLUSIVE, Grade.SAMPLED)], Verdict.INCONCLUSIVE),
    ],
)
def test_combination_of_evidence(pieces, expected):
    assert combine(pieces).verdict is expected


def test_evidence_survives_being_written_down():
    one = piece(Verdict.REFUTED, Grade.BALL, details={"cells": [1]})
    assert evidence_from_record(evidence_record(one)) == one


# What rests on what

PROOF = """
    from theory.relation import eq
    from theory.vocabulary import alpha_N
    from theory.results.routing import log_choose_le_stirling
    from verify import Identity, Paper
    paper = Paper.open(__file__)
    TRUE = Identity((eq(alpha_N, alpha_N),), uses=(log_choose_le_stirling,))
    FALSE = {"doubled": {"relations": (eq(alpha_N, 2 * alpha_N),)}}
"""


def test_a_proof_is_closed_given_the_assumptions_it_names(write_paper):
    folder = write_paper(PROOF + '    paper.claim("one", "words", where="here", check=TRUE, mutants=FALSE)\n')
    paper = load_paper(folder)
    claims = list(paper.claims.values())
    known = standings(claims, {c.id: judged(c) for c in claims})
    assert known["invented/one"].closed
    assert known["invented/one"].given == ("robbins",)
    assert known["invented/one"].argued == ()


def test_what_rests_on_an_argument_in_prose_says_so_and_is_not_closed(write_paper):
    argued = PROOF.replace("results.routing", "results.approximation.cells").replace(
        "log_choose_le_stirling", "local_polynomial_rate"
    )
    folder = write_paper(
        argued
        + '    paper.claim("one", "words", where="here", check=TRUE, mutants=FALSE)\n'
        + '    paper.claim("two", "words", where="here", check=TRUE, mutants=FALSE, uses=("one",))\n'
    )
    paper = load_paper(folder)
    claims = list(paper.claims.values())
    known = standings(claims, {c.id: judged(c) for c in claims})
    for standing in (known["invented/one"], known["invented/two"]):
        assert not standing.closed
        assert standing.open == ()
        assert standing.argued == (
            "local_polynomial_rate",
            "local_polynomials_on_cells",
            "taylor_remainder_bound",
        )
        assert standing.given == ()
    told = to_markdown(report_record(run_claims([paper], claims)))
    assert told.count("**Given an argument in prose:** local") == 2


def test_a_claim_that_uses_an_unproved_claim_stays_open(write_paper):
    folder = write_paper(
        PROOF
        + '    paper.claim("base", "words", where="here", not_testable="not done")\n'
        + '    paper.claim("top", "words", where="here", check=TRUE, mutants=FALSE, uses=("base",))\n'
    )
    claims = list(load_paper(folder).claims.values())
    known = standings(claims, {c.id: judged(c) for c in claims})
    assert not known["invented/top"].closed
    assert known["invented/top"].open == ("invented/base",)


def test_claims_that_use_each_other_are_refused(write_paper):
    folder = write_paper(
        PROOF
        + '    paper.claim("a", "words", where="here", check=TRUE, mutants=FALSE, uses=("b",))\n'
        + '    paper.claim("b", "words", where="here", check=TRUE, mutants=FALSE, uses=("a",))\n'
    )
    with pytest.raises(InputError, match="in a circle: invented/"):
        check_acyclic(list(load_paper(folder).claims.values()))


def test_statements_are_found_in_the_objects_that_a_check_uses():
    check = Identity((eq(alpha_N, alpha_N),), uses=(data_exponent, compute_exponent))
    found = claim(check, mutants={"doubled": {"relations": (eq(alpha_N, 2 * alpha_N),)}}).statements()
    assert [s.name for s in found] == ["data_exponent", "compute_exponent"]


def test_a_check_that_only_refutes_stays_open_and_its_mutants_must_be_refuted():
    x = sp.Symbol("x", positive=True)
    box = ((x, Fraction(0), Fraction(1)),)
    search = Falsifier(Relation(x, "<=", sp.Integer(1)), box)
    false = {"half of it": {"relation": Relation(x, "<=", sp.Rational(1, 2))}}
    true = {"twice as much": {"relation": Relation(x, "<=", sp.Integer(2))}}
    with pytest.raises(InputError, match="only refutes"):
        claim(search, mutants=false)
    found = judged(claim(search, mutants=false, expect=Verdict.INCONCLUSIVE, because="only sampled"))
    assert (found.verdict, found.grade) == (Verdict.INCONCLUSIVE, Grade.SAMPLED)
    assert found.as_expected
    passed = judged(claim(search, mutants=true, expect=Verdict.INCONCLUSIVE, because="only sampled"))
    assert passed.verdict is Verdict.ERROR


def test_a_mutant_of_an_identity_must_be_refuted_and_not_merely_unproved():
    claim = Claim(
        "t/c", "words", "here", Identity((eq(x, x),)),
        mutants={"true but unproved": {"relations": (eq(sp.sin(x) ** 2, 1 - sp.cos(x) ** 2),)}},
    )  # fmt: skip
    assert judged(claim).verdict is Verdict.ERROR


def test_a_mutant_without_a_value_is_not_rejected():
    places = {x: quoted("2", "x", exact=True), y: quoted("2", "y", exact=True)}
    good, undefined = Relation(x, "<=", y), Relation(1 / (x - y), "<=", sp.Integer(0))
    claim = Claim(
        "t/c", "w", "h", Consistent(places, [good]), mutants={"no value": {"relations": [undefined]}}
    )
    assert "should be rejected" in judged(claim).fault
    t = table(row="1 2", q="2 2", r="4 4")
    twice = PrintedTable(t, {"r": 2 * sp.Symbol("q", positive=True)}, exact=["q"])
    nowhere = {"formulas": {"r": 1 / (sp.Symbol("q", positive=True) - 2)}}
    claim = Claim("t/d", "w", "h", twice, mutants={"no value": nowhere})
    assert "should be rejected" in judged(claim).fault


OWN = """
    from theory.relation import eq
    from theory.statement import Kind, Source, Statement, Step
    from theory.vocabulary import alpha_N, beta
    from verify import Identity, Paper
    paper = Paper.open(__file__)
    assumed = Statement("mine", "assumed", eq(alpha_N, beta), Source("none"), kind=Kind.ASSUMPTION)
    false = Statement("compute_exponent", "false", eq(beta, 2 * beta), Source("none"),
                      steps=(Step("wrong", eq(beta, 2 * beta)),))
    T, F = (eq(alpha_N, alpha_N),), {"doubled": {"relations": (eq(alpha_N, 2 * alpha_N),)}}
    paper.claim("a", "w", where="h", check=Identity(T, uses=(assumed,)), mutants=F)
    paper.claim("b", "w", where="h", check=Identity(T, uses=(false,)), mutants=F, uses=("a",))
"""


def test_a_papers_own_statements_are_judged_as_objects_and_not_by_name(write_paper):
    paper = load_paper(write_paper(OWN))
    claims = list(paper.claims.values())
    report = report_record(run_claims([paper], claims))
    assert [a["name"] for a in report["assumptions"]] == ["mine"]
    by_id = {entry["id"]: entry for entry in report["claims"]}
    assert by_id["invented/a"]["closed"]
    assert by_id["invented/b"]["open"] == ["compute_exponent"]
    only_b = run_claims([paper], [paper.claims["invented/b"]])
    assert standings(only_b.claims, only_b.judgements, claims)["invented/b"].open
    assert report_record(only_b)["claims"][0]["open"]


def test_a_claim_that_does_not_hold_is_not_closed():
    false = Claim("t/c", "w", "h", Identity((eq(x, 2 * x),)), mutants={"m": {"relations": (eq(x, 3 * x),)}})
    judgement = judged(false)
    assert judgement.verdict is Verdict.REFUTED
    assert not standings([false], {"t/c": judgement})["t/c"].closed


@dataclass(frozen=True)
class Unwritable(Check):
    """Evidence that no report can hold."""

    what: str = "details"

    def evidence(self, budget):
        yield Evidence(Verdict.SUPPORTED, Grade.EXACT, "fine", {self.what: Fraction(1, 2)})


def test_evidence_that_no_report_can_hold_is_an_error_of_its_check():
    found = evaluate(Unwritable(), Budget())
    assert found.verdict is Verdict.ERROR
    assert "JSON" in found.finding


def test_error_cannot_be_expected_and_missing_excuses_nothing_else():
    with pytest.raises(InputError, match="cannot be expected"):
        Claim("t/c", "w", "h", Identity((eq(x, x),)), expect=Verdict.ERROR, because="so")
    piece = Evidence(Verdict.SUPPORTED, Grade.EXACT, "fine", missing="torch")
    assert combine([piece]).verdict is Verdict.ERROR


def test_expectations_and_checks_of_the_wrong_type_are_refused():
    with pytest.raises(InputError, match=r"write Verdict\.REFUTED"):
        Claim("t/c", "w", "h", Identity((eq(x, x),)), expect="REFUTED", because="so")
    with pytest.raises(InputError, match="is not a check"):
        Claim("t/c", "w", "h", 42)
    with pytest.raises(InputError, match="has no check"):
        Claim("t/c", "w", "h", not_testable="no data", expect=Verdict.REFUTED, because="so")
    with pytest.raises(InputError, match="beyond 400"):
        quoted("1e999999999", "w")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"where": None}, "where=None is not a text"),
        ({"words": 3}, "words=3 is not a text"),
        ({"mutants": ["m"]}, "mutants="),
        ({"mutants": {"m": 3}}, "mutants="),
        ({"uses": "abc"}, "expected the ids of claims"),
    ],
)
def test_arguments_of_the_wrong_type_are_named(arguments, said):
    known = {"id": "t/c", "words": "w", "where": "h", "check": Identity((eq(x, x),)), "mutants": {}}
    with pytest.raises(InputError, match=said):
        Claim(**{**known, **arguments})
