"""``moelaws audit``: its lines, its JSON and its exit status."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from verify.commands.app import app

LAW = 'law = "SeparableLaw"\nconstant_ratio = [1e19, 1e25]\n[coefficients]\nm = "148.4"\nu = "0.34"\nn = "410.7"\nv = "{v}"\nfloor = "1.69"\n'


def run(path, *more):
    return CliRunner().invoke(app, ["audit", str(path), *more])


def test_contradictions_come_first_and_set_the_status(tmp_path):
    path = tmp_path / "law.toml"
    path.write_text(LAW.format(v="0.28"))
    done = run(path)
    lines = done.stdout.splitlines()
    assert lines[0].startswith("CONTRADICTION  constant-ratio")
    assert lines[1].startswith("SUSPICION      stuck-at-start        m = 148.4 prints as e^5 = 148.413")
    assert lines[-1].endswith("1 contradiction, 1 other findings")
    assert [row["weight"] for row in json.loads(run(path, "--json").stdout)] == ["CONTRADICTION", "SUSPICION"]


@pytest.mark.parametrize(("v", "status"), [("0.28", 1), ("0.34", 0)])
def test_a_suspicion_alone_is_no_failure(tmp_path, monkeypatch, v, status):
    from verify.commands.app import status_of

    monkeypatch.chdir(tmp_path)
    (tmp_path / "law.toml").write_text(LAW.format(v=v))
    assert status_of(["audit", "law.toml"]) == status
    assert status_of(["audit", "nothing.toml"]) == 2
