"""What Coq proves: statements apart from proofs, formulas from here, and every way to prove less than is said, refused."""

from __future__ import annotations

import importlib.util
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import sympy as sp

from theory.errors import MoelawsError
from theory.proofs.emitted import definition, generated
from theory.proofs.sources import digest, faults, in_order, premises, proposition, record, sources
from theory.results.covering.norms import triangle_inequality
from theory.results.covering.repaired import sauer_sum_le
from theory.statement import Kind, statements
from theory.vocabulary import M, beta, d, k, n, sigma
from verify.checks.base import Budget
from verify.checks.formal import ProvedInCoq
from verify.judging.judge import judge
from verify.judging.statement_claims import derivation_claim
from verify.verdicts import Grade, Verdict, combine

FORMAL = [s for s in statements().values() if s.proved_in]
ROOT = Path(__file__).resolve().parents[2]
needs_coq = pytest.mark.skipif(shutil.which("coqc") is None, reason="Coq is not installed")


def verdict(check: ProvedInCoq) -> Verdict:
    return combine(check.evidence(Budget())).verdict


@pytest.mark.parametrize("statement", FORMAL, ids=lambda s: s.name)
def test_a_formal_statement_is_proved_by_the_sources_of_the_build_on_record(statement):
    assert statement.kind is Kind.THEOREM
    assert statement.proved_in.partition(".")[2] == statement.name
    assert statement.conclusion in [step.relation for step in statement.steps], "the card shows it as checked"
    found = combine(ProvedInCoq.of(statement).evidence(Budget()))
    assert (found.verdict, found.grade) == (Verdict.PROVED, Grade.PROOF_ASSISTANT), found.finding
    assert proposition(statement.proved_in) in found.finding
    assert "not compiled again here" in found.finding


def test_the_record_is_of_the_theorems_that_statements_name():
    assert sorted(record()["theorems"]) == sorted(s.proved_in for s in FORMAL)
    assert len(FORMAL) >= 13


def test_formulas_are_emitted_as_the_statements_have_them():
    assert sources()["Generated"] == generated(), "run 'make proofs'"
    changed = replace(sauer_sum_le, name="changed", emitted=(("sauer_bound", sp.Symbol("m", positive=True)),))
    assert definition(*changed.emitted[0]) not in generated()


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (sigma**2 / 2 + n, "(n + (((sigma ^ 2)) / 2))"),
        (sp.sqrt(n) - 3, "((sqrt n) + (- 3))"),
        (n ** (-2 * beta / d), "(Rpower n (((- 2) * beta) / d))"),
        (sp.log(n) * sp.exp(-n), None),
        (k * sp.log(sp.E * M / k), "(k * (ln (((exp 1) * M) / k)))"),
        (n**-2, "(/ (n ^ 2))"),
    ],
)
def test_a_formula_in_coq(formula, text):
    made = definition("f", formula)
    assert made.startswith("Definition f (")
    assert text is None or made.partition(":= ")[2] == f"{text}.\n"


@pytest.mark.parametrize(
    "formula",
    [
        sp.log(n - 1),  # Coq's ln is 0 where n <= 1, so a bound with it could hold for no reason
        (n - 1) ** beta,
        1 / (n - 1),  # and x/0 is 0, so that a bound could be met by dividing by nothing
        M / (1 - k / n),
        sp.binomial(M, k),
        sp.ceiling(n),
        sp.Symbol("alpha[1]", positive=True),
    ],
    ids=str,
)
def test_what_means_something_else_in_coq_is_not_emitted(formula):
    with pytest.raises(MoelawsError):
        definition("f", formula)


# What a file may not say


def test_no_source_says_what_it_may_not():
    for name, text in {**sources(), "Generated": generated()}.items():
        assert list(faults(name, text)) == []
    order = in_order(sources())
    assert order.index("Generated") < order.index("Stated") < order.index("Vectors") < order.index("Laws")


@pytest.mark.parametrize(
    "line",
    [
        "Proof. Admitted.",
        "Proof. admit. Qed.",
        "Axiom all : forall P : Prop, P.",
        "Parameter large : R.",
        "Conjecture so : 0 <= 1.",
        "Section S. Variable x : R. Hypothesis small : x <= 0.",
        'Notation "a <= b" := True.',
        'Local Notation "a <= b" := True.',
        'Infix "<=" := Rge : R_scope.',
        "Unset Guard Checking.",
        "Unset Universe Checking.",
        "Set Universe Polymorphism.",
        "#[bypass_check(guard)] Fixpoint f (n : nat) : False := f n.",
        "From mathcomp Require Import all_ssreflect.",
        "Require Export Stated.",
        'Load "elsewhere".',
        "Module Stated. Definition cauchy_schwarz := True. End Stated.",
        "Coercion INR : nat >-> R.",
        "Declare Scope other.",
    ],
)
def test_a_file_that_could_prove_less_is_refused(line):
    assert list(faults("Vectors", sources()["Vectors"] + line + "\n"))
    assert list(faults("Vectors", f"(* {line} *)\n")) == [] or '"' in line or "#" in line, (
        "a comment says nothing"
    )


@pytest.mark.parametrize(
    ("opened", "closed"),
    [
        ('Definition a := ltac:(idtac "(*"; exact O).', 'Definition b := ltac:(idtac "*)"; exact O).'),
        ('(* "(*" *)', '(* "*)" *)'),
    ],
)
def test_a_string_that_hides_what_follows_is_refused(opened, closed):
    """To Coq a comment's sign in a string is none, so it reads the line between: <= redefined passes `Print Assumptions`."""
    hidden = f'{opened}\nNotation "a <= b" := True.\n{closed}\n'
    assert [fault for fault in faults("Stated", sources()["Stated"] + hidden) if "string" in fault]


def test_what_is_stated_is_definitions_and_rests_on_no_proof():
    for line in ("Require Import Vectors.", "Lemma so : True. Proof. exact I. Qed.", "Check 1."):
        assert list(faults("Stated", f"{sources()['Stated']}{line}\n"))


def test_a_proposition_asks_for_its_premises_and_no_more():
    assert premises("Vectors.triangle_inequality") == ""
    assert premises("Laws.covariance_bound") == r"exists n p (x y : nat -> R) b, (law n p) /\ (0 <= b)"
    assert premises("Covers.euclidean_lipschitz_constant").count("forall") == 1, "what follows is concluded"
    with pytest.raises(MoelawsError, match="has no 'Definition nothing"):
        proposition("Vectors.nothing")


def test_premises_stand_in_front_where_an_instance_must_meet_them():
    hidden = "Definition so : Prop := (forall x, x < x -> x = 1) /\\ True.\n"
    with pytest.raises(MoelawsError, match="does not begin with 'forall'"):
        proposition("Any.so", {"Stated": hidden})


# What is on record


def test_any_change_makes_a_record_stale():
    theorem = "Laws.covariance_bound"
    for name in ("Laws", "Vectors", "Stated", "Generated", "Witnesses"):
        changed = {**sources(), name: sources()[name] + "(* *)\n"}
        assert digest(theorem, changed) != digest(theorem)
    assert digest(theorem, {**sources(), "Covers": "", "More": ""}) != "", (
        "what it does not require says nothing of it"
    )
    assert digest("Vectors.cauchy_schwarz", {**sources(), "Laws": ""}) == digest(
        "Vectors.cauchy_schwarz"
    ) or ("Laws" in sources()["Witnesses"])


def test_a_stale_or_missing_record_proves_nothing():
    check = ProvedInCoq.of(triangle_inequality)
    assert verdict(check) is Verdict.PROVED
    for changed in (replace(check, now="0" * 64), replace(check, built="0" * 64), replace(check, built="")):
        found = combine(changed.evidence(Budget()))
        assert found.verdict is Verdict.INCONCLUSIVE
        assert "make proofs" in found.finding
    [step] = check.steps
    turned = replace(step, relation=replace(step.relation, op=">="))
    assert verdict(replace(check, steps=(turned,))) is Verdict.REFUTED, "its scalar steps are checked as well"


def test_its_claim_has_a_mutant_whose_sources_changed():
    claim = derivation_claim(triangle_inequality)
    assert "its sources changed after the build" in claim.mutants
    judged = judge(claim, lambda check: combine(check.evidence(Budget())))
    assert (judged.verdict, judged.fault) == (Verdict.PROVED, "")


def test_a_theorem_that_is_not_there_is_told():
    with pytest.raises(MoelawsError, match=r"there is no Nowhere\.v in theory/proofs"):
        ProvedInCoq.of(replace(triangle_inequality, proved_in="Nowhere.triangle_inequality"))


# With Coq


def build():
    spec = importlib.util.spec_from_file_location("proofs_tool", ROOT / "tools" / "proofs.py")
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool.built


@needs_coq
@pytest.mark.thorough
def test_coq_proves_what_is_on_record():
    assert build()([s.proved_in for s in FORMAL], sources())["theorems"] == record()["theorems"]


CAUCHY = ["Vectors.cauchy_schwarz"]
OF_CAUCHY = ("Generated", "Stated", "Vectors", "Witnesses")
PROOF = re.compile(r"Theorem cauchy_schwarz : Stated\.cauchy_schwarz\.\nProof\..*?Qed\.", re.S)


@needs_coq
@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "change"),
    [
        (
            "Vectors",
            lambda t: PROOF.sub("Theorem cauchy_schwarz : True.\nProof. exact I. Qed.", t),
        ),  # a weaker one
        ("Vectors", lambda t: PROOF.sub("Definition cauchy_schwarz := Classical_Prop.NNPP.", t)),
        ("Vectors", lambda t: t.replace("Theorem cauchy_schwarz", "Theorem another")),
        (
            "Stated",
            lambda t: t.replace("<= (dot n u u) * (dot n v v)", "<= (dot n u u) * (dot n v v) - 1"),
        ),  # false
        (
            "Stated",
            lambda t: t.replace("forall n u v, (dot n u v) ^ 2", "forall n u v, n <> n -> (dot n u v) ^ 2"),
        ),
        (
            "Vectors",
            lambda t: PROOF.sub(
                "Theorem cauchy_schwarz : Stated.cauchy_schwarz.\nProof. intros n u v. lra. Qed.", t
            ),
        ),
    ],
    ids=["weaker", "another type", "renamed", "stated falsely", "premises that never happen", "no proof"],
)
def test_coq_refuses_a_sabotage(name, change):
    texts = {file: sources()[file] for file in OF_CAUCHY}
    assert build()(CAUCHY, texts)["theorems"]
    changed = {**texts, name: change(texts[name])}
    assert changed != texts
    with pytest.raises(MoelawsError, match=r"does not compile|rests on"):
        build()(CAUCHY, changed)


@needs_coq
@pytest.mark.thorough
@pytest.mark.parametrize(("premise", "happens"), [("(n <= n)%nat", True), ("(n < n)%nat", False)])
def test_premises_that_contradict_each_other_are_refused_though_the_proof_is_right(premise, happens):
    stated = f"Definition so : Prop := forall n : nat, {premise} -> (n < n)%nat \\/ True.\n"
    texts = {
        "Generated": "",
        "Stated": stated,
        "Any": "Require Import Stated.\nTheorem so : Stated.so. Proof. intros n _. right. exact I. Qed.\n",
        "Witnesses": "Lemma so : exists n : nat, ((n <= n)%nat).\nProof. exists 0. apply le_n. Qed.\n",
    }
    if happens:
        assert build()(["Any.so"], texts)["theorems"]["Any.so"]["axioms"] == []
    else:
        with pytest.raises(MoelawsError, match=r"Held\.v does not compile"):
            build()(["Any.so"], texts)
