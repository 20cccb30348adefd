"""``moelaws dimension``: its lines, its JSON, and what it says of bad input."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from empirics.base.randomness import named_generator
from empirics.worlds.manifolds import Gaussian
from verify.commands.app import app, status_of


@pytest.fixture
def points(tmp_path):
    path = tmp_path / "points.npy"
    np.save(path, Gaussian(4).sample(300, named_generator("command", 4)))
    return path


def told(*arguments):
    return CliRunner().invoke(app, ["dimension", *map(str, arguments)])


def test_a_reading_and_what_it_hangs_on(points):
    found = told(points, "--beta", "1", "--beta", "2.5")
    assert found.exit_code == 0, found.output
    lines = found.stdout.splitlines()
    assert "by levina-bickel on 300 points in 4 coordinates, euclidean" in lines[0]
    assert any(line.startswith("  balls, Gaussians and spheres that read") for line in lines)
    assert lines[-1].startswith("  implied at beta = 2.5: alpha_N = ")


def test_json_has_it_all_and_csv_reads_alike(points, tmp_path):
    found = json.loads(told(points, "--estimator", "gride", "--json", "--beta", "1").stdout)
    assert found["points"] == 300
    assert list(found["by_neighbours"]) == ["2", "4", "8", "16", "32", "64"]
    assert found["implied_exponents"]["1.0"]["alpha_N"][0] == pytest.approx(2 / found["dimension"])
    table = tmp_path / "points.csv"
    np.savetxt(table, np.load(points), delimiter=",", header="a,b,c,d", comments="", fmt="%.17g")
    assert json.loads(told(table, "--estimator", "gride", "--json").stdout)["dimension"] == found["dimension"]


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["nothing.npy"], "cannot be read as a table of points"),
        (["points.npy", "--estimator", "twonn"], "Did you mean two-nn"),
        (["points.npy", "--metric", "taxi"], "metric='taxi'"),
        (["points.npy", "--beta", "-1"], "beta=-1.0"),
        (["broken.npy"], "cannot be read as a table of points"),
        (["words.csv"], "is nan"),
    ],
)
def test_bad_input_is_one_line(points, arguments, what, monkeypatch, capsys):
    monkeypatch.chdir(points.parent)
    (points.parent / "broken.npy").write_bytes(points.read_bytes()[:100])
    (points.parent / "words.csv").write_text("a,b\none,two\nthree,four\n")
    assert status_of(["dimension", *arguments]) == 2
    printed = capsys.readouterr().err.strip()
    assert what in printed
    assert "\n" not in printed
