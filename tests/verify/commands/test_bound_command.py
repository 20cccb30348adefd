"""``moelaws bound``: what it prints, and one clear line for what it cannot do."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from theory.models.published import published_models
from verify.commands.app import app
from verify.errors import InputError

SIZES = (
    "--layers",
    "2",
    "--d-model",
    "512",
    "--d-ff",
    "512",
    "--heads",
    "4",
    "--experts",
    "8",
    "--active",
    "2",
)


def run(*arguments):
    """The command in this process: its output, or the error a user would see."""
    done = CliRunner().invoke(app, ["bound", *arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


def test_every_bound_is_evaluated_at_sizes_of_ones_own():
    shown = run(*SIZES, "--sequence", "256", "--n", "3125")
    for name in ("stated", "fixed-pattern", "frozen-router", "soft-gate", "empirical", "finite-precision"):
        assert f"bound {name}, n = 3125 sequences of 256 tokens" in shown
    assert "parameters       1343" in shown


def test_json_holds_what_the_text_shows():
    [record] = json.loads(
        run("mixtral-8x7b", "--tokens", "1e12", "--bound", "stated", "--precision", "ball", "--json")
    )
    assert record["n"] == 10**12 // 32_768
    assert record["regime"] == "parameters"
    assert record["vacuous"] is True
    assert record["total"]["ball"].startswith("[413.")
    assert record["total"]["value"] == pytest.approx(sum(t["value"] for t in record["terms"]))


def test_a_published_model_brings_its_own_training_data():
    [record] = json.loads(run("olmoe-1b-7b", "--bound", "stated", "--json"))
    assert record["n"] == 5_100_000_000_000 // 4096


def test_the_least_data_of_all_published_models():
    records = json.loads(run("--vacuity", "--bound", "stated", "--json"))
    assert len(records) >= 10
    assert all(record["at"]["total"]["value"] < 1 for record in records)
    assert {r["model"] for r in records if r["trained_on"] and r["trained_on"] >= r["tokens"]} == {
        "qwen3-30b-a3b"
    }


def test_all_bounds_are_compared_at_every_published_model():
    records = json.loads(run("--compare", "--tau", "best", "--json"))
    assert {record["least"] for record in records} == {"finite-precision"}
    assert len(records) >= 10
    shown = run("olmoe-1b-7b", "--compare", "--tau", "best")
    assert "olmoe-1b-7b: 6.92e+09 parameters, trained on 5.1e+12 tokens" in shown
    assert shown.rstrip().endswith("the least derived bound on the risk: finite-precision")


def test_a_phase_diagram_is_text_and_a_picture(tmp_path):
    picture = tmp_path / "diagram.svg"
    shown = run("olmoe-1b-7b", "--phase-diagram", "--svg", str(picture))
    assert "approximation = parameters at n = N_act**(2*beta/d + 1)" in shown
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["mixtral"], "model 'mixtral': expected one of"),
        ([], "missing --layers"),
        (["olmoe-1b-7b", "--layers", "3"], "leave out --layers"),
        (["olmoe-1b-7b", "--bound", "best"], "expected one of empirical"),
        (["olmoe-1b-7b", "--beta", "smooth"], "--beta smooth: expected a number"),
        (["olmoe-1b-7b", "--beta", "1e1000000000"], "--beta 1e1000000000: expected an exponent"),
        (["olmoe-1b-7b", "--beta", "1e9", "--bound", "frozen-router"], "--beta 1000000000: frozen-router"),
        (["olmoe-1b-7b", "--beta", "1e3", "--bound", "frozen-router"], "--precision mpmath"),
        (["olmoe-1b-7b", "--tau", "2"], "between 0 and 1"),
        (["mixtral-8x7b"], "--tokens"),
        (["mixtral-8x7b", "--n", "1.5"], "--n 1.5"),
        (["mixtral-8x7b", "--n", "many"], "--n many"),
        (["mixtral-8x7b", "--n", "1e10000000000"], "--n 1e10000000000: expected an exponent"),
        (["mixtral-8x7b", "--tokens", "1e400", "--bound", "empirical"], "--precision float: a number in"),
        (["mixtral-8x7b", "--n", "5", "--tokens", "6"], "--n 5, --tokens 6: give exactly one"),
        (["mixtral-8x7b", "--n", "5", "--precision", "exact"], "--precision exact: expected one of"),
        (["mixtral-8x7b", "--n", "5", "--svg", "x.svg"], "--phase-diagram"),
        (["mixtral-8x7b", "--n", "5", "--below", "1"], "--vacuity"),
        (["mixtral-8x7b", "--n", "5", "--vacuity"], "--n"),
        (["mixtral-8x7b", "--n", "5", "--compare"], "--n"),
        (["mixtral-8x7b", "--vacuity", "--compare"], "give one of them"),
        (["mixtral-8x7b", "--bits", "0"], "--bits 0: expected a positive number"),
        (["mixtral-8x7b", "--vacuity", "--phase-diagram"], "give one of them"),
        ([*SIZES, "--n", "5"], "--sequence 0"),
        (
            [*SIZES, "--n", "5", "--sequence", "9", "--layers", "1000000000000"],
            "--layers 1000000000000: .* at most",
        ),
        ([*SIZES[:-1], "9", "--n", "5"], "cannot exceed"),
    ],
)
def test_bad_input_is_one_line(arguments, said):
    with pytest.raises(InputError, match=said.replace("(", r"\(")) as problem:
        run(*arguments)
    assert "\n" not in str(problem.value)


def test_bad_input_ends_with_status_2(moelaws):
    done = moelaws("bound", "mixtral")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1


def test_the_published_models_are_listed():
    lines = run("bound", "--models").splitlines()
    assert lines[0] == "mixtral-8x7b: 4.67e+10 parameters, 1.29e+10 active"
    assert [line.partition(":")[0] for line in lines] == list(published_models())
