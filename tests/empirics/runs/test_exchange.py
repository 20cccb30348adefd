"""Runs to files and back, and other people's tables by a mapping."""

from __future__ import annotations

import csv
import gzip
import json

import pytest

from empirics.runs import Point, RunError, RunStore, export, read_records, read_table

MAPPING = """
[constant]
name = "public sweep"
unit = "nats per token"
source = "a paper, its repository"
architecture.kind = "moe-transformer"
data.name = "web text"

[columns]
loss = "smooth loss"
seed = "seed"
architecture.experts = "nume"
budgets.tokens = { column = "tokens_B", times = 1e9 }
config.lr = "lr"
"""

TABLE = """nume,smooth loss,tokens_B,lr,seed
8,2.5,2,1e-3,0
16.0,2.25,4,5e-4,1
32,nan,4,,
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "map.toml").write_text(MAPPING)
    (tmp_path / "table.csv").write_text(TABLE)
    return tmp_path


def test_records_come_back_whole(tmp_path, a_run):
    store = RunStore(tmp_path / "runs.db")
    curve = (Point(loss=2.0, step=1, tokens=1e6), Point(loss=1.0, step=2))
    store.append(
        a_run(),
        a_run(seed=1, loss=None, curve=curve, results={"balance": 0.1}, config={"lr": [1, "x", None]}),
    )
    export(store.runs(), tmp_path / "runs.jsonl")
    assert read_records(tmp_path / "runs.jsonl") == [item.run for item in store.runs()]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_tables_hold_the_same_numbers(tmp_path, suffix, a_run):
    store = RunStore(tmp_path / "runs.db")
    store.append(
        a_run(config={"lr": 0.1, "mixed": 1}), a_run(config={"lr": 0.1, "mixed": "one"}), a_run(loss=None)
    )
    path = tmp_path / f"runs.{suffix}"
    export(store.runs(), path)
    if suffix == "csv":
        rows = list(csv.DictReader(path.read_text().splitlines()))
    else:
        parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is an optional library")
        rows = parquet.read_table(path).to_pylist()
    assert [float(row["loss"]) if row["loss"] else None for row in rows] == [0.5, 0.5, None]
    assert [row["budgets.samples"] for row in rows] in ([1000.0] * 3, ["1000.0"] * 3)
    assert float(rows[0]["config.lr"]) == 0.1


def test_a_foreign_table_becomes_runs(files):
    first, second, third = read_table(files / "table.csv", files / "map.toml")
    assert (first.loss, first.seed, first.architecture.experts, first.budgets.tokens) == (2.5, 0, 8, 2e9)
    assert second.architecture.experts == 16
    assert second.config == {"lr": 5e-4}
    assert (third.loss, third.seed, third.config) == (None, None, {})
    (files / "table.csv.gz").write_bytes(gzip.compress(TABLE.encode()))
    assert read_table(files / "table.csv.gz", files / "map.toml") == [first, second, third]


@pytest.mark.parametrize(
    ("file", "change", "said"),
    [
        ("table.csv", ("8,2.5", "8.5,2.5"), r"table.csv, line 2: architecture.experts: .*8.5"),
        ("table.csv", ("8,2.5", "many,2.5"), r"line 2: architecture.experts"),
        ("table.csv", ("tokens_B", "tokens"), r"no column 'tokens_B'.*it has nume"),
        ("map.toml", ("[columns]", "[column]"), r"unknown \[column\]"),
        ("map.toml", ('loss = "smooth loss"', "loss = 3"), r"loss = 3; expected"),
        ("map.toml", ('name = "public sweep"', ""), r"line 2: name: field required"),
        ("map.toml", ("[constant]", "[constant]\nseed = 1"), r"seed is both"),
        ("map.toml", ("config.lr", "configs.lr"), r"configs"),
    ],
)
def test_a_wrong_table_or_mapping_is_refused_in_a_line(files, file, change, said):
    text = (files / file).read_text()
    assert change[0] in text
    (files / file).write_text(text.replace(*change))
    with pytest.raises(RunError, match=said) as refused:
        read_table(files / "table.csv", files / "map.toml")
    assert "\n" not in str(refused.value)


def test_a_broken_line_of_records_is_named(tmp_path, a_run):
    (tmp_path / "runs.jsonl").write_text(a_run().text() + "\n{\n")
    with pytest.raises(RunError, match="line 2"):
        read_records(tmp_path / "runs.jsonl")
    with pytest.raises(RunError, match="not found"):
        read_records(tmp_path / "absent.jsonl")


def test_an_unknown_suffix_is_refused_and_leaves_nothing(tmp_path):
    with pytest.raises(RunError, match="ends in"):
        export([], tmp_path / "runs.xml")
    assert list(tmp_path.iterdir()) == []


def test_a_record_is_canonical(a_run):
    text = a_run().text()
    assert json.dumps(json.loads(text), sort_keys=True, separators=(",", ":")) == text
