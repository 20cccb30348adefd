"""The installed papers: all as expected, and the findings that make them worth having."""

from __future__ import annotations

import pytest

from verify.checks.base import Budget
from verify.judging.papers import installed_folders, load_paper, select
from verify.judging.runner import run_claims


@pytest.fixture(scope="module")
def entries(full_report):
    return {entry["id"]: entry for entry in full_report["claims"]}


def test_every_verdict_is_the_expected_one(full_report):
    assert full_report["complete"]
    assert full_report["summary"]["unexpected"] == []
    assert full_report["summary"]["verdicts"]["ERROR"] == 0


def test_every_mutant_is_rejected_and_every_repair_accepted(entries):
    mutants = repairs = 0
    for entry in entries.values():
        for variant in entry["variants"]:
            assert variant["as_it_should"], (entry["id"], variant["name"])
            mutants += variant["kind"] == "mutant"
            repairs += variant["kind"] == "repair"
    assert mutants >= 60
    assert repairs >= 30


def test_every_refutation_has_a_witness_and_a_second_evaluator(entries):
    for entry in entries.values():
        if entry["verdict"] == "REFUTED":
            assert entry["evidence"]["witness"], entry["id"]
            assert entry["evidence"]["confirmed_by"], entry["id"]


def test_every_unexpected_looking_expectation_gives_its_reason(entries):
    for entry in entries.values():
        if entry["expected"] == "REFUTED":
            assert len(entry["because"]) > 40, entry["id"]


def test_every_installed_folder_is_a_paper_with_tables_and_sources():
    folders = installed_folders()
    assert set(folders) == {"mayaki2026", "ludziejewski2025"}
    for folder in folders.values():
        paper = load_paper(folder)
        for path in folder.glob("*.csv"):
            table = paper.table(path.stem)
            assert paper.reference in table.source
            assert all(column.unit or column.name in table.key for column in table.columns)


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("table3-4/n-act", "1 of 576 conventions tried reproduces all 7 values"),
        ("table3/distinct-sizes", "6297600 against 6297600"),
        ("table2/one-rounding-mode", "rounded to nearest, ties either way"),
        ("table2/alpha-d-equals-consistency", "exactly on a tie"),
        ("table2/consistency-from-d-and-beta", "printed 0.042"),
        ("table1/chosen-d-openwebtext", "[46.3, 46.4)"),
        ("table1/chosen-d-tinystories", "[22.1, 22.2)"),
        ("table1/stable-tinystories", "22.1 ± 0.9"),
        ("table1/median-inside-interval", "47.7"),
        ("figure5/best-beta", "4 of 4 relations"),
        ("figures4-5/one-smoothness", "3 of 3 relations"),
        ("table2/one-slope-per-data-set", "2 of 2 relations"),
        ("table5/identity-alpha-d", "6 of 6 relations"),
        ("table5/identity-alpha-c", "6 of 6 relations"),
        ("table5/from-printed-inputs", "r_C at E=8 is printed 0.0203, recomputed 0.02029998931"),
        ("table4/mid-scale", "8396800 against 6297600"),
    ],
)
def test_a_finding_on_the_first_paper_is_worded_in_the_report(entries, claim, said):
    assert said in entries[f"mayaki2026/{claim}"]["finding"]


def test_table_5_names_the_mode_of_each_column_and_the_cells_that_rounding_cannot_explain(entries):
    modes = entries["mayaki2026/table5/mode-of-each-column"]["evidence"]["details"]["columns"]
    assert set(modes) == {"alpha_C", "alpha_D_pred", "alpha_C_pred", "r_D", "r_C", "rel_err_D", "rel_err_C"}
    assert all("truncated" in column["modes"] for column in modes.values())
    for column in ("alpha_C", "alpha_D_pred", "alpha_C_pred", "r_C"):
        assert modes[column]["modes"] == ["truncated"]
    lost = entries["mayaki2026/table5/ordinary-rounding"]["evidence"]["details"]["unexplained_cells"]
    assert {(cell["column"], cell["row"]) for cell in lost} == {
        ("alpha_C", "E=2"), ("alpha_C", "E=16"), ("alpha_D_pred", "E=16"), ("alpha_C_pred", "E=1"),
        ("r_C", "E=2"), ("r_C", "E=16"), ("r_C", "E=32"),
    }  # fmt: skip


def test_one_coefficient_reconciles_the_tables_of_the_joint_law(entries):
    entry = entries["ludziejewski2025/table4/single-correction"]
    details = entry["evidence"]["details"]
    working = [name for name, answer in details["altered_alone"].items() if answer == "reconciles"]
    assert working == ["E_start"]
    assert len(details["altered_alone"]) == 10
    low, high = (float(x) for x in details["altered_value"]["E_start"].split("]")[0].strip("[").split(","))
    assert 2.0829 < low < high < 2.0831
    assert "2.0732" in entry["finding"]


def test_no_user_of_the_full_profile_gets_another_verdict_on_the_quick_tables():
    papers, claims = select(["mayaki2026/table2", "mayaki2026/table4"])
    quick, full = (run_claims(papers, claims, profile=profile) for profile in ("quick", "full"))
    assert {k: v.verdict for k, v in quick.judgements.items()} == {
        k: v.verdict for k, v in full.judgements.items()
    }
    assert Budget.of_profile("full") != Budget.of_profile("quick")


def test_the_claims_on_a_law_rest_on_its_statement():
    claims = load_paper(installed_folders()["ludziejewski2025"]).claims
    for name in ("table4/mu", "table4/nu", "table4/m", "table4/n", "table4/single-correction"):
        assert [s.name for s in claims[f"ludziejewski2025/{name}"].statements()] == ["clark_transform"]
