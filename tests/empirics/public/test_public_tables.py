"""Public tables are had from a folder or downloaded once, only with the known digest, and fit the laws that they should."""

from __future__ import annotations

import functools
import hashlib
import http.server
import os
import threading
from pathlib import Path

import numpy as np
import pytest

from empirics.fitting.fit import fit
from empirics.fitting.intervals import bootstrap
from empirics.fitting.objective import FitObjective
from empirics.fitting.observations import from_columns
from empirics.public.adapting import best_of_each
from empirics.public.table import PUBLIC, PublicTable, public_table
from theory import SeparableLaw
from theory.errors import MoelawsError
from theory.laws.clark import ClarkLaw

DATA = b"parameters,tokens,loss\n1e8,2e9,3.1\n"


def made(data=DATA, url="https://example.org/runs.csv", digest=None):
    known = digest or hashlib.sha256(data).hexdigest()
    return PublicTable("made", "a table", "made", url, known, "none", "nobody", (), lambda table: table)


@pytest.fixture
def local(tmp_path, monkeypatch):
    """A folder that MOELAWS_DATA names, with the made table."""
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "runs.csv").write_bytes(DATA)
    monkeypatch.setenv("MOELAWS_DATA", str(tmp_path))
    return tmp_path


class Quiet(http.server.SimpleHTTPRequestHandler):
    asked = 0

    def log_message(self, *_):
        Quiet.asked += 1


@pytest.fixture
def served(tmp_path, monkeypatch):
    """The address of a server of this machine that holds the made table; the cache of downloads lies in a folder of the test."""
    (tmp_path / "runs.csv").write_bytes(DATA)
    monkeypatch.delenv("MOELAWS_DATA", raising=False)
    monkeypatch.setattr("pooch.os_cache", lambda name: tmp_path / "cache" / name)
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(tmp_path))
    )
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/runs.csv"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize("table", PUBLIC.values(), ids=PUBLIC)
def test_a_public_table_says_where_it_lies_and_what_it_is(table):
    assert table.url.startswith("https://")
    assert len(table.sha256) == 64
    assert table.licence
    assert "arXiv" in table.citation
    assert table.caveats


def test_a_local_folder_comes_before_a_download(local):
    assert made().columns() == {"parameters": ["1e8"], "tokens": ["2e9"], "loss": ["3.1"]}


def test_a_file_of_another_digest_is_refused(local):
    (local / "made" / "runs.csv").write_bytes(DATA + b"\n")
    with pytest.raises(MoelawsError, match=r"its sha256 is .* it is not the table made"):
        made().columns()


def test_a_file_that_the_folder_lacks_is_named(local):
    (local / "made" / "runs.csv").unlink()
    with pytest.raises(MoelawsError, match=r"made/runs.csv: No such file.*unset it to download"):
        made().columns()


def test_a_table_is_downloaded_once(served):
    table = made(url=served)
    first = table.columns()
    asked = Quiet.asked
    assert table.columns() == first
    assert Quiet.asked == asked


def test_a_download_of_another_digest_is_refused(served):
    with pytest.raises(MoelawsError, match=r"could not be had: .*hash"):
        made(url=served, digest="0" * 64).columns()


def test_an_address_that_is_not_there_is_told(served):
    with pytest.raises(MoelawsError, match="could not be had: 404"):
        made(url=f"{served}.gone").columns()


def test_the_best_run_of_each_cell_is_kept():
    table = {"D": ["1", "1", "2"], "loss": ["3", "2.5", "2"], "lr": ["a", "b", "c"]}
    assert best_of_each(table, ("D",), "loss")["lr"] == ["b", "c"]


def test_a_wrong_name_is_told():
    with pytest.raises(MoelawsError, match="Did you mean steplaw-moe"):
        public_table("steplaw_moe")


def columns(name):
    table = public_table(name)
    folder = os.environ.get("MOELAWS_DATA")
    if not folder or not (Path(folder) / table.folder / table.file).is_file():
        pytest.skip(f"MOELAWS_DATA names no folder with {table.folder}/{table.file}")
    return table.columns()


def test_the_refit_of_the_chinchilla_points():
    table = columns("epoch-chinchilla")
    runs = from_columns(SeparableLaw, table)
    kept = np.array(table["refitted"]) == "1"
    assert (len(runs), kept.sum()) == (245, 240)
    assert fit(runs.take(kept)).value == pytest.approx(1.0182740e-3, rel=1e-6)


def test_the_saturating_law_on_the_routing_table():
    """Fitted below 1e9 active parameters; the 28 runs of 1.3B are the test, as in arXiv 2507.21184."""
    runs = from_columns(ClarkLaw, columns("deepmind-routing"))
    small = runs.inputs["active_parameters"] < 1e9
    assert (small.sum(), (~small).sum()) == (193, 28)
    found = fit(runs.take(small), objective=FitObjective.squared())
    test = runs.take(~small)
    errors = found.law.loss(**test.inputs) - test.loss
    r2 = 1 - (errors**2).sum() / ((test.loss - test.loss.mean()) ** 2).sum()
    assert r2 == pytest.approx(0.7032, abs=1e-4)


@pytest.mark.parametrize(("name", "rows"), [("steplaw-dense", 17), ("steplaw-moe", 16)])
def test_the_step_law_has_a_best_run_in_each_cell(name, rows):
    assert {len(values) for values in columns(name).values()} == {rows}


def test_moe_runs_of_the_step_law_on_most_tokens_are_predicted():
    """Fitted to the 12 cells of up to 8e9 tokens in active parameters and tokens; the 4 of 2e10 are predicted."""
    table = columns("steplaw-moe")
    runs = from_columns(SeparableLaw, table, {"parameters": "active_parameters"})
    few = runs.inputs["tokens"] <= 8e9
    assert (few.sum(), (~few).sum()) == (12, 4)
    found = fit(runs.take(few), objective=FitObjective.squared())
    assert found.rms(runs.take(~few)) < 0.02
    at = [{name: float(values[i]) for name, values in runs.inputs.items()} for i in np.flatnonzero(~few)]
    resampled = bootstrap(found, 500)
    for point, loss in zip(at, runs.loss[~few], strict=True):
        interval = resampled.interval(lambda law, point=point: law.loss(**point))
        assert interval.low < loss < interval.high
