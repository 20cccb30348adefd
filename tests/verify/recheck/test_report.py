"""A report read again: what holds is counted, and no alteration of a certificate, a finding or a card goes unnoticed."""

from __future__ import annotations

import copy
import json
import random
import re
from collections import Counter

import alterations
import pytest
from alterations import at, put, resealed, slots
from kinds import KINDS

from theory.relation import Relation
from verify.judging.claims import Claim, Paper
from verify.judging.papers import select
from verify.judging.runner import run_claims
from verify.recheck.report import Rereading, reread_report
from verify.recheck.sealed import NotAReport, is_sealed, read_file
from verify.reports.record import report_record, to_json

THEORY = [
    f"theory/{name}"
    for name in (
        "log-choose-le-stirling",
        "stirling-remainder-falls",
        "log-choose-add-one-le-k-log",
        "log-choose-le-k-log",
        "entropy-symmetric",
        "no-constant-repairs-the-statement",
        "clark-transform",
        "data-exponent",
        "covering/sauer-sum-1",
    )
]
ALTERATIONS = 300
CERTIFICATE = ("evidence", "details", "certificate")


def claims_of_every_kind():
    for kind, checks in KINDS.items():
        for i, check in enumerate(checks):
            relations = check.claimed()
            false = [Relation(1, r.op, 2 if r.op != "<=" else 0) for r in relations]
            changed = check.claiming(false)
            fields = {
                name: getattr(changed, name)
                for name in ("relation", "relations", "steps", "conclusion")
                if hasattr(changed, name)
            }
            slug = f"invented/{kind.replace(' ', '-')}-{i}"
            yield Claim(slug, "invented", "there", check, mutants={"another": fields})


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Claims of the theory and one of each kind, judged and read back as a reader of the file has them."""
    papers, known = select(["theory"])
    claims = {claim.id: claim for claim in (*(c for c in known if c.id in THEORY), *claims_of_every_kind())}
    folder = tmp_path_factory.mktemp("invented")
    papers = [*papers, Paper("invented", "Invented", "A test", 2026, "none", folder, claims)]
    text = to_json(report_record(run_claims(papers, list(claims.values()))))
    return json.loads(text)


def failures(record):
    return reread_report(record).failures


def certified(record):
    return [i for i, entry in enumerate(record["claims"]) if "certificate" in entry["evidence"]["details"]]


def test_every_certificate_of_a_report_holds_and_is_counted_by_its_kind(report):
    found = reread_report(report)
    assert found.failures == []
    assert set(found.held) == {
        "gap rule",
        "box",
        "means",
        "squares",
        "integer range",
        "identity",
        "derivation",
        "theorem",
    }
    assert [claim for claim, _ in found.partly] == ["theory/clark-transform"]
    assert found.held.total() + found.argued == len(report["claims"])
    assert 0 < found.argued < found.held.total()
    told = {name: getattr(found, name) for name in ("held", "partly", "argued", "uses", "definitions")}
    assert found == Rereading(**told)
    assert set(found.definitions) == {"a", "alpha_D", "alpha_N"}
    assert found.uses["theory/log-choose-le-stirling"] == {"theory/stirling-remainder-falls"}


def test_a_symbol_is_defined_once_and_not_by_itself(report):
    entry = claim(report, "theory/data-exponent")
    for symbol, formula, reason in (
        ("alpha_D", "2*beta", "another claim as"),
        ("beta", "alpha_D*d", "in a circle"),
    ):
        made = copy.deepcopy(report)
        other = copy.deepcopy(entry)
        certificate = {
            "kind": "theorem", "relation": [symbol, "==", formula], "domain": [], "integers": [],
            "symbols": sorted({symbol, *re.findall(r"[a-z_D]+", formula)}), "definitions": [[symbol, formula]], "given": [],
            "steps": [{"kind": "identity", "relations": [["d", "d"]], "symbols": ["d"], "unread": {}}],
            "lines": [
                {"rule": "reflexive", "term": symbol},
                {"rule": "definition", "definition": 0},
                {"rule": "rewrite", "line": 0, "by": 1},
            ],
        }  # fmt: skip
        text = f"{symbol} = {formula}"
        other |= {"id": "invented/other", "formulas": [{"text": "d = d", "latex": "", "where": ""}]}
        other["formulas"].append({"text": text, "latex": "", "where": ""})
        other["conclusion"] = {"text": text, "latex": "", "where": ""}
        other["evidence"]["details"] = {"certificate": certificate}
        made["claims"].append(other)
        made["summary"]["verdicts"]["PROVED"] += 1
        assert any(reason in why for _, why in failures(resealed(made))), failures(resealed(made))


def test_no_alteration_of_the_file_goes_unnoticed(report):
    """Findings, verdicts, witnesses, certificates, cards: every leaf is under the seal."""
    places = [p for p in slots(report) if not isinstance(at(report, p), (dict, list)) and p != ("digest",)]
    bad = copy.deepcopy(report)
    for seed in range(ALTERATIONS):
        path = random.Random(seed).choice(places)
        value = at(bad, path)
        put(bad, path, f"{value}." if isinstance(value, str) else not value)
        assert not is_sealed(bad), path
        put(bad, path, value)
    assert is_sealed(bad)
    put(bad, places[0], "altered")
    assert failures(bad)[0][0] == "report"
    assert "was changed after it was written" in failures(bad)[0][1]


def altered(report, rng):
    """A report with one certificate or card altered, and the place of the value that was altered; None to draw again."""
    made = json.loads(json.dumps(report))
    i = rng.choice(certified(made))
    within = ("claims", i, *CERTIFICATE)
    how = rng.choice(["value", "value", "value", "part", "part", "swap", "card"])
    if how == "value":
        path = alterations.of_a_value(made, within, rng)
    elif how == "part":
        path = alterations.of_a_part(made, within, rng)
    elif how == "swap":
        j = rng.choice([j for j in certified(made) if j != i])
        path, other = within, ("claims", j, *CERTIFICATE)
        one, two = at(made, within), at(made, other)
        put(made, within, two)
        put(made, other, one)
    else:
        formula = rng.choice(made["claims"][i]["formulas"])
        name = rng.choice(["text", "where"])
        new = alterations.other_text(formula[name], rng)
        path = None if new is None else ("claims", i, "formulas")
        formula[name] = formula[name] if new is None else new
    return None if path is None or made == report else (how, path, resealed(made))


def forged(report, count):
    """What becomes of so many alterations: noticed by how, other valid proofs by why, and what is neither."""
    noticed, valid, unexplained, seed = Counter(), Counter(), [], 0
    while noticed.total() + valid.total() + len(unexplained) < count:
        found = altered(report, random.Random(f"forger {seed}"))
        seed += 1
        if found is None:
            continue
        how, path, bad = found
        assert is_sealed(bad)
        if failures(bad):
            noticed[how] += 1
        elif reason := alterations.harmless(report, bad, path):
            valid[reason] += 1
        else:
            unexplained.append((how, path, at(report, path), at(bad, path)))
    return noticed, valid, unexplained


@pytest.mark.thorough
def test_no_alteration_of_a_certificate_or_a_card_goes_unnoticed_where_the_seal_is_made_again(report):
    """Accepted is only what is another valid proof of the same claim, as `alterations.harmless` tells without the readers."""
    noticed, valid, unexplained = forged(report, ALTERATIONS)
    assert unexplained == []
    assert min(noticed[how] for how in ("value", "part", "swap", "card")) >= 20
    assert valid.total() <= ALTERATIONS // 20


@pytest.mark.parametrize("blind", ["verify.recheck.report.reread", "verify.recheck.report._compare"])
def test_a_reading_that_is_blind_lets_alterations_through(report, monkeypatch, blind):
    monkeypatch.setattr(blind, lambda *arguments: None)
    assert forged(report, 30)[2]


def claim(record, claim_id):
    return next(entry for entry in record["claims"] if entry["id"] == claim_id)


STIRLING = "theory/log-choose-le-stirling"


@pytest.mark.parametrize(
    ("where", "change", "why"),
    [
        (STIRLING, lambda e: e["evidence"]["details"].pop("certificate"), "has no certificate"),
        (STIRLING, lambda e: e.update(finding="proved, and more"), "its finding is"),
        (STIRLING, lambda e: e.update(verdict="REFUTED"), "its verdict is"),
        (STIRLING, lambda e: e.update(grade="ball"), "its grade is"),
        (STIRLING, lambda e: e.update(evidence={}), "without any evidence"),
        (STIRLING, lambda e: e["formulas"].pop(), "its card shows 0"),
        (STIRLING, lambda e: e.update(given=[]), "its card does not say so"),
        (
            STIRLING,
            lambda e: e["formulas"][0].update(where="k >= 1, M >= k (M, k integer)"),
            "its card shows",
        ),
        ("invented/gap-rule-0", lambda e: e["formulas"][0].update(where=""), "its card shows no domain"),
        (
            "invented/box-0",
            lambda e: e["evidence"]["details"]["certificate"].update(kind="magic"),
            "no reader",
        ),
        (
            "invented/identity-0",
            lambda e: e["evidence"]["details"]["certificate"].update(unread={"0": "hard"}),
            "and is not",
        ),
        ("theory/stirling-remainder-falls", lambda e: e.update(verdict="ERROR", fault="x"), "is not proved"),
    ],
)
def test_a_report_that_contradicts_itself_is_noticed(report, where, change, why):
    bad = copy.deepcopy(report)
    change(claim(bad, where))
    reasons = failures(resealed(bad))
    assert any(why in reason for _, reason in reasons), reasons


def test_what_a_proof_is_given_has_to_stand_in_the_report_in_just_this_way(report):
    def given(record):
        [step] = claim(record, STIRLING)["evidence"]["details"]["certificate"]["steps"]
        return {lemma["statement"]: lemma for lemma in step["given"]}

    for name in ("robbins", "stirling_remainder_falls"):
        bad = copy.deepcopy(report)
        given(bad)[name]["statement"] = "entropy_symmetric"
        assert any("which the report does not say" in reason for _, reason in failures(resealed(bad)))

    elsewhere = copy.deepcopy(report)
    elsewhere["claims"].remove(claim(elsewhere, "theory/stirling-remainder-falls"))
    elsewhere["summary"]["verdicts"]["PROVED"] -= 1
    found = reread_report(resealed(elsewhere))
    assert (found.failures, list(found.elsewhere)) == ([], ["stirling_remainder_falls"])

    circular = copy.deepcopy(report)
    base = claim(circular, "theory/stirling-remainder-falls")
    [step] = base["evidence"]["details"]["certificate"]["steps"]
    gap = {"claim": "0", "rule": "coefficients", "times": "1"}
    own = {name: step[name] for name in ("relation", "domain", "integers")}
    conditions = [{"claim": text, "rule": "coefficients", "times": "1"} for text in ("t_k", "t_M")]
    step["given"] = [{"statement": "stirling_remainder_falls", **own, "at": {}, "conditions": conditions}]
    step["proof"] = {"gap": gap}  # a claim that follows from itself
    assert [reason for _, reason in failures(resealed(circular)) if "in a circle" in reason]


def test_a_summary_that_counts_otherwise_and_claims_of_one_id_are_noticed(report):
    bad = copy.deepcopy(report)
    bad["summary"]["verdicts"]["PROVED"] += 1
    assert "its summary counts" in failures(resealed(bad))[0][1]
    bad = copy.deepcopy(report)
    bad["claims"].append(bad["claims"][0])
    assert "one id" in failures(resealed(bad))[0][1]


@pytest.mark.parametrize(
    "change",
    [
        lambda r: r.pop("summary"),
        lambda r: r.pop("assumptions"),
        lambda r: r.update(claims=[None]),
        lambda r: r.update(claims=["x"]),
        lambda r: r.update(claims=[{}]),
        lambda r: r["claims"][0].pop("evidence"),
        lambda r: r["claims"][0].update(evidence=3),
        lambda r: r["claims"][0].update(formulas=[{}]),
        lambda r: r["claims"][0]["evidence"].update(details=[]),
    ],
)
def test_what_is_not_of_the_form_of_a_report_is_a_failure_and_never_an_accident(report, change):
    bad = copy.deepcopy(report)
    change(bad)
    assert failures(resealed(bad))


def test_a_file_that_is_no_report_is_refused(report, tmp_path):
    file = tmp_path / "report.json"
    text = to_json(report)
    for content, why in (
        (None, "no report there"),
        ("{", "not a report"),
        ("[]", "expected the JSON"),
        ("{}", "expected the JSON"),
        ('{"claims": [], "schema": 0}', "report schema 0"),
        (text.replace('"verdict": "PROVED"', '"verdict": "REFUTED",\n"verdict": "PROVED"', 1), "twice"),
        (text.replace('"schema": 7', '"schema": NaN', 1), "NaN is no number"),
        (b"\xff", "cannot be read"),
        ("[" * 100_000, "not a report"),
    ):
        if content is not None:
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(NotAReport, match=why):
            read_file(tmp_path)
    file.write_text(text, encoding="utf-8")
    assert read_file(tmp_path) == read_file(file) == report
    assert failures(read_file(file)) == []


def test_the_readers_of_the_file_and_of_the_renderings_agree_on_the_seal(report, tmp_path):
    from verify.errors import InputError
    from verify.reports.record import read_report

    file = tmp_path / "report.json"
    file.write_text(to_json(report), encoding="utf-8")
    assert read_report(file) == report
    file.write_text(to_json({**report, "version": "another"}), encoding="utf-8")
    with pytest.raises(InputError, match="changed after it was written"):
        read_report(file)


def test_a_check_without_certificates_is_counted_and_not_passed(report):
    other = copy.deepcopy(report)
    entry = claim(other, "invented/box-0")
    entry["check"] = "NumericIsBall"
    del entry["evidence"]["details"]["certificate"]
    found = reread_report(resealed(other))
    assert found.failures == []
    assert found.without == {("NumericIsBall", "the check keeps no certificate of its claim"): 1}


def test_a_certificate_of_a_claim_that_is_not_proved_is_read_and_does_not_count(report):
    """A check that passed a mutant is an ERROR, whatever its certificate says."""
    other = copy.deepcopy(report)
    claim(other, "invented/box-0").update(verdict="ERROR", fault="a mutant passed")
    other["summary"]["verdicts"]["PROVED"] -= 1
    other["summary"]["verdicts"]["ERROR"] += 1
    found = reread_report(resealed(other))
    assert (found.failures, found.others) == ([], 1)
    assert found.held["box"] == len(KINDS["box"]) - 1


def test_the_command_reads_a_report_without_what_made_it(report, moelaws, tmp_path):
    folder = tmp_path / "moelaws-report"
    folder.mkdir()
    (folder / "report.json").write_text(to_json(report), encoding="utf-8")
    done = moelaws("recheck")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("every certificate holds\n")
    assert (
        "1 claim in part, the rest being beyond the reader:\n  theory/clark-transform: Limit(" in done.stdout
    )

    bad = copy.deepcopy(report)
    claim(bad, STIRLING)["evidence"]["details"]["certificate"]["steps"][0]["relation"][1] = ">="
    (folder / "report.json").write_text(to_json(resealed(bad)), encoding="utf-8")
    done = moelaws("recheck", folder, "--json")
    record = json.loads(done.stdout)
    assert (done.returncode, record["holds"]) == (1, False)
    assert [failure["claim"] for failure in record["failures"]] == [STIRLING]

    done = moelaws("recheck", "nowhere")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "moelaws: nowhere: no report there; expected a report.json or a folder that holds one\n"
    )


def test_the_command_does_not_load_what_searches(report, tmp_path):
    import subprocess
    import sys

    (tmp_path / "report.json").write_text(to_json(report), encoding="utf-8")
    script = (
        "import sys; sys.argv = ['moelaws', 'recheck', sys.argv[1]]\n"
        "from verify.commands.app import app\n"
        "assert app(standalone_mode=False) == 0\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True
    )
    loaded = done.stderr.split()
    packages = {name.split(".")[0] for name in loaded}
    assert not packages & {"sympy", "z3", "scipy", "numpy", "mpmath", "torch", "paper_checks"}
    of_theory = {name for name in loaded if name.split(".")[0] == "theory"}
    assert of_theory <= {"theory", "theory.lazy", "theory.errors"}  # these import the standard library alone
    assert "flint" in packages
