"""``moelaws fit`` and ``moelaws plan``: what they print, and one clear line for what they cannot do."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from theory import JMSL
from theory.laws.law import LAWS, law_kinds
from verify.commands.app import app
from verify.errors import MoelawsError

TRUE = LAWS["hoffmann2022"].law


def run(*arguments):
    done = CliRunner().invoke(app, list(arguments))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def table(tmp_path):
    draws = np.random.default_rng(0)
    size, tokens = 10 ** draws.uniform(7, 10, 40), 10 ** draws.uniform(9, 11.5, 40)
    loss = TRUE.loss(size, tokens) * np.exp(0.003 * draws.standard_normal(40))
    path = tmp_path / "runs.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("N", "D_B", "loss"), *zip(size, tokens / 1e9, loss, strict=True)])
    return path


MAP = ("--column", "parameters=N", "--column", "tokens=1e9*D_B", "--samples", "50")


def test_a_fit_is_printed_with_intervals_and_whether_it_arrived(table):
    shown = run("fit", str(table), *MAP)
    assert "SeparableLaw, 40 runs" in shown
    assert "\nconverged: a Newton step would gain" in shown
    assert "\nfitted without the tenth of largest compute" in shown
    record = json.loads(run("fit", str(table), *MAP, "--json"))
    for name in "uv":
        row = record["coefficients"][name]
        assert row["low"] < row["value"] < row["high"]
        assert row["value"] == pytest.approx(getattr(TRUE, name), abs=0.1)
    assert record["certificate"]["converged"]


@pytest.mark.parametrize("suffix", [".json", ".parquet", ".csv.gz"])
def test_other_files_give_the_same_fit(table, suffix):
    rows = list(csv.DictReader(table.read_text().splitlines()))
    path = table.with_name(f"runs{suffix}")
    if suffix == ".json":
        path.write_text(json.dumps([{name: float(cell) for name, cell in row.items()} for row in rows]))
    elif suffix == ".parquet":
        pa = pytest.importorskip("pyarrow")
        import pyarrow.parquet as pq

        pq.write_table(pa.table({name: [float(row[name]) for row in rows] for name in rows[0]}), path)
    else:
        import gzip

        path.write_bytes(gzip.compress(table.read_bytes()))
    one, other = (json.loads(run("fit", str(p), *MAP, "--json")) for p in (table, path))
    assert one["coefficients"] == other["coefficients"]


def test_rows_are_chosen(table):
    every, some = (
        json.loads(run("fit", str(table), *MAP, *more, "--json")) for more in ([], ["--where", "N<3e9"])
    )
    assert 5 < some["rows"] < every["rows"]


def test_every_law_is_listed():
    listed = json.loads(run("fit", "--list", "--json"))["laws"]
    assert {row["kind"] for row in listed} == set(law_kinds())
    assert {row["name"] for row in listed} >= set(LAWS) | {"separable", "joint-moe"}


def test_a_plan_gives_active_and_total_parameters_and_compares_with_dense():
    plans = json.loads(run("plan", "--flops", "1e21", "--given", "expansion=1,8", "--json"))["plans"]
    assert plans[1]["parameters"] == pytest.approx(JMSL.compute_optimal(1e21, 8).parameters)
    assert plans[1]["total_parameters"] == pytest.approx(plans[1]["parameters"] * (1 + 7 * 2 / 3))
    shown = run("plan", "--flops", "1e21", "--given", "expansion=1,8")
    assert "against the dense model: -0.0557 nats at expansion 8" in shown
    assert "how sure the loss is cannot be said" in shown


def test_memory_limits_the_total():
    [found] = json.loads(
        run("plan", "--flops", "1e21", "--given", "expansion=8", "--most-total", "1e10", "--json")
    )["plans"]
    assert found["total_parameters"] == pytest.approx(1e10)
    assert found["limited"] == "parameters"


def test_a_plan_from_runs_has_an_interval_and_a_next_run(table):
    shown = run(
        "plan", "--law", "separable", "--runs", str(table), *MAP, "--flops", "1e24", "--next-flops", "1e21"
    )
    assert "(95% [" in shown
    assert "extrapolates: parameters is" in shown
    assert "\nnext run: parameters" in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["fit"], "give a table of runs, or --list"),
        (["fit", "TABLE"], "no column 'parameters'"),
        (["fit", "TABLE", "--law", "chinchila"], "no such law"),
        (["fit", "TABLE", "--column", "parameters"], "expected INPUT=COLUMN"),
        (["fit", "TABLE", "--delta", "0", "--column", "parameters=N", "--column", "tokens=D_B"], "delta=0"),
        (["fit", "public:epoch"], "no public table is called 'epoch'.*Did you mean epoch-chinchilla"),
        (["fit", "TABLE", "--where", "size<3"], "columns are N, D_B, loss"),
        (["fit", "TABLE", "--where", "N<x"], "'x' is no number"),
        (["fit", "TABLE", *MAP, "--where", "N<0"], "no rows"),
        (["fit", "runs.txt"], "expected a name that ends in .csv"),
        (["plan"], "one of --flops and --loss"),
        (["plan", "--flops", "1e21", "--given", "routing=2"], "takes --given expansion=VALUE"),
        (["plan", "--flops", "1e21", "--given", "expansion=x"], "expected INPUT=NUMBER"),
        (["plan", "--flops", "-1", "--given", "expansion=1"], "flops"),
        (["plan", "--flops", "1e21", "--law", "separable"], "without coefficients"),
        (["plan", "--law", "clark2022-rl", "--flops", "1e20"], "allocates no compute"),
        (["plan", "--law", "hoffmann2022", "--flops", "1e20", "--next-flops", "1e20"], "give --runs TABLE"),
    ],
)
def test_bad_input_is_one_clear_error(table, arguments, said):
    with pytest.raises(MoelawsError, match=said):
        run(*(str(table) if word == "TABLE" else word for word in arguments))
