"""Other people's tables become runs by a mapping, and what is wrong in one is said in a line."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime

import pytest

from empirics.runs import RunError, read_table
from empirics.runs.record import read_run

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
        ("map.toml", ("times = 1e9", 'times = "x"'), r"budgets.tokens = .*'x'.*; expected \"column\""),
        ("map.toml", ("times = 1e9", "times = true"), r"budgets.tokens = .*; expected"),
        ("map.toml", ("times = 1e9", "times = nan"), r"budgets.tokens = .*; expected"),
        ("map.toml", ("times = 1e9", f"times = 1{'0' * 400}"), r"budgets.tokens = .*; expected"),
        (
            "map.toml",
            ("[constant]", "[constant]\nconfig = 'x'"),
            r"config is given as a whole and in part \(config.lr",
        ),
        (
            "map.toml",
            ("[constant]", "[constant]\nfinished = 12:00:00"),
            r"line 2: finished: .*got '12:00:00'",
        ),
        ("map.toml", ("[constant]", "[constant]\nfinished = 2026-04-09"), r"finished: .*got '2026-04-09'"),
        (
            "map.toml",
            ("[constant]", "[constant]\nconfig.x = nan"),
            r"line 2: config: its x is nan, expected a finite",
        ),
        ("map.toml", ("[constant]", "[constant]\ndata = 3\n[other]"), r"unknown \[other\]"),
        ("map.toml", ("[constant]", "columns = 3\n[constant]"), r"not valid TOML"),
        ("table.csv", ("1e-3", "inf"), r"line 2: config: its lr is inf, expected a finite number"),
        ("table.csv", ("5e-4", "1e999"), r"line 3: config: its lr is inf, expected a finite number"),
        ("table.csv", ("5e-4", "x" * 200_000), r"table.csv, line 3: not valid CSV: field larger"),
        ("table.csv", (TABLE, ""), r"no column .*it has none"),
        ("table.csv", ("lr,seed", "lr,lr"), r"line 1: 2 columns are named 'lr'; rename"),
        ("table.csv", ("8,2.5,2", "8,2.5"), r"line 2: 4 cells where the header has 5; quote"),
        ("table.csv", ("8,2.5,2", "8,2,5,2"), r"line 2: 6 cells where the header has 5; quote"),
        ("table.csv", ("8,2.5,2", '8,"2.5,2'), r"not valid CSV"),
        ("table.csv", ("8,2.5", "1_0,2.5"), r"line 2: architecture.experts: .*got '1_0'"),
        ("table.csv", ("8,2.5", "8,2_5.0"), r"line 2: loss: .*got '2_5.0'"),
        ("table.csv", ("8,2.5", "8,\u0662.5"), r"line 2: loss: .*got"),
        (
            "table.csv",
            ("8,2.5,2", "8,2.5,1850.75e-9"),
            r"line 2: budgets.tokens: .*a whole number, got 1850.75",
        ),
        ("table.csv", ("8,2.5,2", "8,2.5,-2"), r"line 2: budgets.tokens: .*greater than or equal to 0"),
        (
            "map.toml",
            ("config.lr", '"config.lr"'),
            r'"config.lr" is one name; write config.lr without quotes',
        ),
        ("map.toml", ("times = 1e9", "round = 1"), r"expected \"column\".* round = true"),
    ],
)
def test_a_wrong_table_or_mapping_is_refused_in_a_line(files, file, change, said):
    text = (files / file).read_text()
    assert change[0] in text
    (files / file).write_text(text.replace(*change))
    with pytest.raises(RunError, match=said) as refused:
        read_table(files / "table.csv", files / "map.toml")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("text", ["constant = 3", "columns = 3", "columns = []"])
def test_a_mapping_holds_tables(files, text):
    (files / "map.toml").write_text(text)
    with pytest.raises(RunError, match="expected a table"):
        read_table(files / "table.csv", files / "map.toml")


def test_dates_and_dotted_names_of_a_mapping_come_through(files):
    more = 'finished = 2026-04-09T12:00:00Z\nconfig.day = 2026-04-10\nconfig."a.b" = 1\nconfig.a.b = 2\n'
    (files / "map.toml").write_text(MAPPING.replace("[columns]", f"{more}[columns]"))
    run = read_table(files / "table.csv", files / "map.toml")[0]
    assert run.finished == datetime(2026, 4, 9, 12, tzinfo=UTC)
    assert run.config == {"day": "2026-04-10", "a.b": 1, "a": {"b": 2}, "lr": 1e-3}


def test_a_damaged_compressed_table_is_refused_in_a_line(files):
    data = bytearray(gzip.compress(TABLE.encode() * 50))
    for place in range(10, len(data)):
        data[place] ^= 0xFF
        (files / "table.csv.gz").write_bytes(data)
        with pytest.raises(RunError, match=r"table.csv.gz: cannot be read: ") as refused:
            read_table(files / "table.csv.gz", files / "map.toml")
        assert "\n" not in str(refused.value)
        data[place] ^= 0xFF


def test_integers_of_any_size_stay_as_they_are(files):
    (files / "table.csv").write_text(TABLE.replace("1e-3,0", f"{2**60 + 1},{10**25}"))
    run = read_table(files / "table.csv", files / "map.toml")[0]
    assert (run.config["lr"], run.seed) == (2**60 + 1, 10**25)


def test_a_loss_that_is_nan_or_infinite_is_that_of_a_run_that_diverged(files):
    (files / "table.csv").write_text(
        "nume,smooth loss,tokens_B,lr,seed\n8,nan,2,,0\n8,-INF,2,,1\n8,,2,,2\n8,NA,2,,3\n"
    )
    runs = read_table(files / "table.csv", files / "map.toml")
    assert [run.diverged for run in runs] == [True, True, False, False]
    assert [run.loss for run in runs] == [None] * 4
    assert len({run.outcome for run in runs}) == 2
    assert read_run(runs[0].text(), "here") == runs[0]
    with pytest.raises(RunError, match="not_finite beside a loss"):
        read_run('{"loss": 1, "not_finite": true, ' + runs[3].text()[1:], "here")


def test_counts_in_units_of_a_column_stay_whole_and_are_rounded_on_request(files):
    table = files / "table.csv"
    table.write_text(TABLE.replace("8,2.5,2,", "8,2.5,0.100000007,"))
    assert read_table(table, files / "map.toml")[0].budgets.tokens == 100_000_007
    table.write_text(TABLE.replace("8,2.5,2,", "8,2.5,1850.75e-9,"))
    (files / "map.toml").write_text(MAPPING.replace("times = 1e9", "times = 1e9, round = true"))
    assert read_table(table, files / "map.toml")[0].budgets.tokens == 1851


def test_rows_that_are_no_runs_are_left_out_on_request_and_each_is_named(files):
    table = files / "table.csv"
    table.write_text(TABLE.replace("16.0,2.25,4", "16.0,2.25,-4") + "1,2\n64,2,8,,\n")
    left_out = []
    runs = read_table(table, files / "map.toml", skip=left_out.append)
    assert [run.architecture.experts for run in runs] == [8, 32, 64]
    assert ["line 3" in str(left_out[0]), "line 5" in str(left_out[1])] == [True, True]
