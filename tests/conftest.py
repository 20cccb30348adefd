"""Shared fixtures: a cache and one report on everything for the whole test run, and papers written by tests."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy is loaded; see empirics.base.processes

import pytest
from hypothesis import settings

settings.register_profile("moelaws", deadline=None)  # a slow machine is not a failure
settings.load_profile("moelaws")

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
pytest_plugins = ("tiers",)


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """No test reads or fills the user's cache; the processes of one run share theirs."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "cache"
    os.environ["MOELAWS_CACHE"] = str(folder)
    return folder


@pytest.fixture(scope="session")
def full_report(own_cache: Path) -> dict[str, Any]:
    """The report on everything installed, judged once for all processes of the test run; its evidence is in the cache."""
    from verify.judging.cache import Cache
    from verify.judging.papers import select
    from verify.judging.runner import available_cores, run_claims
    from verify.reports.record import report_record, to_json

    kept = own_cache.parent / "full-report.json"
    with kept.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # until the file is closed; the other processes wait here
        if not kept.exists():
            papers, claims = select([])
            run = run_claims(papers, claims, cache=Cache(), jobs=available_cores())
            kept.write_text(to_json(report_record(run)), encoding="utf-8")
    report: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
    return report


@pytest.fixture
def write_paper(tmp_path: Path) -> Callable[..., Path]:
    """Write a paper's folder from the text of its claims and tables."""

    def write(claims: str, *, name: str = "invented", **tables: str) -> Path:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        (folder / "paper.toml").write_text(
            'title = "Invented"\nauthors = "A test"\nyear = 2026\nreference = "none"\n'
        )
        (folder / "claims.py").write_text(textwrap.dedent(claims))
        for table, text in tables.items():
            (folder / f"{table}.csv").write_text(textwrap.dedent(text).lstrip())
        return folder

    return write


MEASURED = """
    from dataclasses import dataclass
    from typing import ClassVar
    import numpy as np
    from empirics import Design, Experiment
    from verify import MeasuredExponent, MeasuredLevel, Paper, Verdict

    paper = Paper.open(__file__)

    @dataclass(frozen=True)
    class Decay(Experiment):
        quantity: ClassVar[str] = "excess risk <b>squared</b> [1]"
        size: ClassVar[str] = "samples n [1]"
        exponent: float
        noise: float = 0.1

        def measure(self, size, seed):
            return 2 * size**-self.exponent * np.exp(self.noise * np.random.default_rng([seed, size]).normal())

    def exponent(experiment, predicted="1/2", **rest):
        rivals = {"classical <i>rate</i>": "1/3"}
        return MeasuredExponent(experiment, predicted, rivals=rivals, design=DESIGN, **rest)

    DESIGN = Design((100, 300, 1000, 3000, 10000, 30000), range(6))
    TRUE, FALSE = {"true": {"experiment": Decay(0.5)}}, {"classical": {"predicted": "1/3"}}
    paper.claim("rate/true", "falls as n^-1/2", where="here", check=exponent(Decay(0.5)), mutants=FALSE, family="rates")
    paper.claim("rate/false", "so does this", where="here", check=exponent(Decay(0.3)), family="rates",
                expect=Verdict.REFUTED, because="it is built that way", repairs=TRUE)
    paper.claim("rate/open", "and this", where="here", check=exponent(Decay(0.45, 1.0)), family="rates",
                expect=Verdict.INCONCLUSIVE, because="it is noisy", repairs=TRUE, mutants={"grows": {"predicted": -2}})
    paper.claim("rate/bound", "at least", where="here", check=exponent(Decay(0.5), relation="at least"),
                mutants={"steeper": {"predicted": 1}})
    paper.claim("level", "is two", where="there", check=MeasuredLevel(Decay(0), 2, rivals={"one": 1}, design=DESIGN),
                mutants={"one": {"predicted": 1}})
"""


@pytest.fixture
def measured_paper(write_paper: Callable[..., Path]) -> Path:
    """A paper of measured claims: one of each verdict in a family, a one-sided one, a level."""
    return write_paper(MEASURED)


@pytest.fixture
def moelaws(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command line in a process of its own, from a folder outside the project."""

    def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "moelaws", *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, "COLUMNS": "120", **environment},
            capture_output=True,
            text=True,
            timeout=300,
        )

    return run
