"""Runs to files and back."""

from __future__ import annotations

import csv
import gzip
import json

import pytest

from empirics.runs import Data, Point, RunError, RunStore, export, read_records, repeats


@pytest.mark.parametrize("suffix", ["jsonl", "json"])
def test_records_come_back_whole(tmp_path, suffix, a_run):
    store = RunStore(tmp_path / "runs.db")
    path = tmp_path / f"runs.{suffix}"
    export(store.runs(), path)
    assert read_records(path) == []
    curve = (Point(loss=2.0, step=1, tokens=1e6), Point(loss=1.0, step=2))
    store.append(
        a_run(),
        a_run(seed=10**25, loss=None, curve=curve, results={"balance": 0.1}, config={"lr": [1, "x", None]}),
        a_run(data=Data(name="a\u2028b\x85c\x0cd\x1ee\r\nf\tg")),
    )
    export(store.runs(), path)
    assert read_records(path) == [item.run for item in store.runs()]
    packed = tmp_path / f"packed.{suffix}.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert read_records(packed) == [item.run for item in store.runs()]


def test_names_with_dots_keep_columns_of_their_own(tmp_path, a_run):
    store = RunStore(tmp_path / "runs.db")
    store.append(a_run(config={"a.b": 1, "a": {"b": 2}, "a\\": {"b": 3}, "none": {}}))
    export(store.runs(), tmp_path / "runs.csv")
    (row,) = csv.DictReader((tmp_path / "runs.csv").read_text().splitlines())
    config = {name: value for name, value in row.items() if name.startswith("config")}
    assert config == {
        r"config.a\.b": "1", "config.a.b": "2", r"config.a\\.b": "3", "config.none": "{}",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["a\u2028b\x85c\x0cd", "a\rb", "a\nb", "a\r\nb", 'a,b"c', " "])
def test_texts_with_ends_of_lines_stay_in_their_cells(tmp_path, a_run, name):
    store = RunStore(tmp_path / "runs.db")
    store.append(a_run(data=Data(name=name)))
    export(store.runs(), tmp_path / "runs.csv")
    with (tmp_path / "runs.csv").open(encoding="utf-8", newline="") as file:
        assert [row["data.name"] for row in csv.DictReader(file)] == [name]


@pytest.mark.parametrize(
    ("values", "read"),
    [
        ([2**60 + 1, 0.5], [str(2**60 + 1), "0.5"]),
        ([2**63, 1], [str(2**63), "1"]),
        ([2**63 - 1, -(2**63)], [2**63 - 1, -(2**63)]),
        ([1, 0.5], [1.0, 0.5]),
        ([1, True], ["1", "true"]),
        ([None, [1, 2]], [None, "[1, 2]"]),
        (["one", 1], ['"one"', "1"]),
    ],
)
def test_a_parquet_column_holds_what_fits_one_type_and_else_json(tmp_path, a_run, values, read):
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is an optional library")
    store = RunStore(tmp_path / "runs.db")
    store.append(*(a_run(config={"x": value}, seed=10**25) for value in values))
    export(store.runs(), tmp_path / "runs.parquet")
    rows = parquet.read_table(tmp_path / "runs.parquet").to_pylist()
    assert [row["config.x"] for row in rows] == read
    assert [row["seed"] for row in rows] == [str(10**25)] * 2


def test_repeats_are_numbered(a_run):
    runs = [a_run(), a_run(seed=1), a_run(seconds=2.0), a_run(loss=0.6), a_run(seed=1)]
    assert repeats(runs) == {3: 1, 5: 2}


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


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("runs.jsonl", "{run}\n{{\n", "line 2: the record: invalid JSON"),
        ("runs.json", "[{run}, 3]", "record 2: the record: .*got 3"),
        ("runs.json", "{run}", "expected an array of records"),
        ("runs.json", "[{run}", "not valid JSON"),
        ("runs.json", "[" * 100000, "not valid JSON"),
    ],
)
def test_what_is_no_record_is_named_in_a_line(tmp_path, a_run, name, content, said):
    content = content if "{run}" not in content else content.format(run=a_run().text())
    (tmp_path / name).write_text(content)
    with pytest.raises(RunError, match=said) as refused:
        read_records(tmp_path / name)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"loss":0.5', '"loss":0.6'),
        ('"seed":1', '"seed":2'),
        ('"code":"abc"', '"code":"abd"'),
        ('"samples":1000.0', '"samples":1001.0'),
        ('"digest":"', '"digest":"0'),
    ],
)
def test_a_record_altered_in_a_file_is_refused_with_its_place(tmp_path, a_run, before, after):
    store, path = RunStore(tmp_path / "runs.db"), tmp_path / "runs.jsonl"
    store.append(a_run(), a_run(seed=1))
    export(store.runs(), path)
    first, second = path.read_text().splitlines()
    assert before in second
    path.write_text(f"{first}\n{second.replace(before, after)}\n")
    with pytest.raises(RunError, match=r"runs\.jsonl, line 2: the record was altered"):
        read_records(path)


def test_a_record_without_its_digest_is_taken_where_it_may_be_somebody_elses_only(tmp_path, a_run):
    path = tmp_path / "runs.jsonl"
    path.write_text(a_run().text())
    assert read_records(path) == [a_run()]
    with pytest.raises(RunError, match="line 1: the record has no digest"):
        read_records(path, unsealed_too=False)


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
@pytest.mark.parametrize("name", ["runs.json", "runs.jsonl"])
def test_a_configuration_holds_finite_numbers_only(tmp_path, a_run, name, number):
    text = a_run(config={"Lr": {"peak": [1, 0.125]}}).text().replace("0.125", number)
    (tmp_path / name).write_text(f"[{text}]" if name == "runs.json" else text)
    with pytest.raises(
        RunError, match=r" 1: config: its Lr.peak.1 is (nan|-?inf), expected a finite number$"
    ):
        read_records(tmp_path / name)


def test_an_absent_file_is_named(tmp_path):
    with pytest.raises(RunError, match="not found"):
        read_records(tmp_path / "absent.jsonl")


def test_an_unknown_suffix_is_refused_and_leaves_nothing(tmp_path):
    with pytest.raises(RunError, match="ends in"):
        export([], tmp_path / "runs.xml")
    assert list(tmp_path.iterdir()) == []


def test_a_record_is_canonical(a_run):
    text = a_run().text()
    assert json.dumps(json.loads(text), sort_keys=True, separators=(",", ":")) == text
