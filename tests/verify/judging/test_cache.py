"""The cache re-runs exactly what depends on a change, and never changes a report."""

from __future__ import annotations

import importlib.util
import json
import multiprocessing
import shutil
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar

import pytest
import sympy as sp

import verify
from empirics import Design, Experiment
from empirics.base import provenance
from empirics.base.provenance import _loose_source, forget_sources
from theory.relation import eq
from theory.vocabulary import beta
from verify import MeasuredExponent
from verify.checks.base import Budget
from verify.checks.identity import Identity
from verify.errors import InputError
from verify.judging import fingerprint
from verify.judging.cache import Cache
from verify.judging.fingerprint import canonical, check_key
from verify.judging.papers import load_paper, select
from verify.judging.runner import run_claims
from verify.reports.record import report_record, to_json

PAPERS = Path(verify.__file__).resolve().parents[1] / "paper_checks"
ON_RATES = {
    "DerivationHolds", "TheoremHolds", "ProvedInCoq", "RateOptimum", "BoundsAgree", "RiskAboveMinimax", "PosynomialMinimum", "BoundBelow", "NumericIsBall",
}  # fmt: skip
IN_BALLS = ON_RATES | {
    "Identity", "Shape", "Falsifier", "IntegerRange",
    "PrintedTable", "Consistent", "SingleCorrection", "Homogeneous", "ConventionSearch",
}  # fmt: skip


@pytest.fixture
def copied(tmp_path):
    """A copy of a paper's folder under an id of its own."""
    folder = tmp_path / "copy"
    shutil.copytree(PAPERS / "mayaki2026", folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def keys(folder):
    return {c.id: check_key(c.check, Budget()) for c in load_paper(folder).claims.values() if c.check}


def changed(before, after):
    assert before.keys() == after.keys()
    return {name.partition("/")[2] for name in before if before[name] != after[name]}


def test_one_table_digit_re_runs_exactly_the_claims_that_read_its_column(copied):
    before = keys(copied)
    path = copied / "table5.csv"
    path.write_text(path.read_text().replace("0.3582", "0.3583"))
    assert changed(before, keys(copied)) == {
        "table5/rel-err-c", "table5/all-columns", "table5/mode-of-each-column",
        "table5/ordinary-rounding", "table5/from-printed-inputs",
    }  # fmt: skip


def test_one_digit_of_a_cell_re_runs_only_the_claims_that_read_the_cell(copied):
    before = keys(copied)
    path = copied / "table2.csv"
    path.write_text(path.read_text().replace("0.085,0.081", "0.085,0.082"))
    assert changed(before, keys(copied)) == {
        "table2/empirical-identity", "table2/empirical-near-theory", "table2/best-fit-beta",
        "figure4/best-beta",
    }  # fmt: skip


def test_the_wording_of_a_claim_re_runs_nothing(copied):
    before = keys(copied)
    path = copied / "theoretical_exponents.py"
    path.write_text(path.read_text().replace("the column alpha_N is 2 beta/d", "alpha_N equals 2 beta/d"))
    assert changed(before, keys(copied)) == set()


@cache
def installed():
    """Every installed claim; loading them takes seconds, and no test here changes them."""
    return select([])[1]


def users_of(*checks):
    claims = installed()
    return {c.id for c in claims if c.check and type(c.check).__name__ in checks}


@cache
def keys_as_installed():
    return all_keys()


def all_keys():
    forget_sources()
    return keys_of_what_was_read()


def keys_of_what_was_read():
    return {c.id: check_key(c.check, Budget()) for c in installed() if c.check}


@pytest.mark.parametrize(
    ("module", "checks"),
    [
        ("verify.checks.homogeneous", {"Homogeneous"}),
        ("verify.measured.pooling", {"Homogeneous"}),
        ("verify.checks.single_correction", {"SingleCorrection"}),
        ("verify.checks.printed_table", {"PrintedTable", "SingleCorrection"}),
        (
            "verify.checks.identity",
            {"Identity", "DerivationHolds", "TheoremHolds", "ProvedInCoq", "PosynomialMinimum", "Shape"},
        ),
        ("verify.search.gap_rule", {"DerivationHolds", "TheoremHolds", "ProvedInCoq", "Shape"}),
        ("verify.recheck.gap_rule", {"DerivationHolds", "TheoremHolds", "ProvedInCoq", "Shape"}),
        (
            "verify.search.enclosure",
            {
                "Identity",
                "DerivationHolds",
                "TheoremHolds",
                "ProvedInCoq",
                "PosynomialMinimum",
                "Shape",
                "Falsifier",
                "IntegerRange",
                "PrintedTable",
                "Consistent",
                "SingleCorrection",
            },
        ),
        ("verify.reports.markdown", set()),
        ("verify.commands.app", set()),
    ],
)
def test_one_line_of_a_module_re_runs_exactly_the_checks_that_import_it(module, checks, monkeypatch):
    before = keys_as_installed()
    original = provenance._source

    def edited(name):
        return original(name) + (b"\n# one line more\n" if name == module else b"")

    forget_sources()
    monkeypatch.setattr(provenance, "_source", edited)
    after = keys_of_what_was_read()
    monkeypatch.undo()
    forget_sources()
    assert {name for name in before if before[name] != after[name]} == users_of(*checks)


@pytest.mark.parametrize(
    ("library", "checks"),
    [
        (
            "scipy",
            {*ON_RATES, "Homogeneous", "Falsifier", "MeasuredExponent", "PrintedTable", "SingleCorrection"},
        ),
        ("mpmath", {*IN_BALLS, "MeasuredExponent"}),
        ("python-flint", {*IN_BALLS, "MeasuredExponent"}),
        ("z3-solver", ON_RATES),
        ("rich", set()),
        ("typer", set()),
    ],
)
def test_a_librarys_version_re_runs_exactly_the_checks_that_import_it(library, checks, monkeypatch):
    before = keys_as_installed()
    original = provenance.version_of
    monkeypatch.setattr(provenance, "version_of", lambda n: "99.0" if n == library else original(n))
    after = all_keys()
    monkeypatch.undo()
    forget_sources()
    assert {name for name in before if before[name] != after[name]} == users_of(*checks)


@pytest.mark.thorough
def test_a_report_is_the_same_bytes_with_without_and_with_a_parallel_cache(tmp_path):
    papers, claims = select(["mayaki2026/table2", "mayaki2026/table1", "theory"])
    claims = claims[::10]  # of every kind, and no claim of these uses another
    cache = Cache(tmp_path / "cache")
    runs = [
        run_claims(papers, claims, cache=None),
        run_claims(papers, claims, cache=cache),
        run_claims(papers, claims, cache=cache),
        run_claims(papers, claims, cache=Cache(tmp_path / "other"), jobs=2),
    ]
    texts = [to_json(report_record(run)) for run in runs]
    assert len(set(texts)) == 1
    assert not runs[0].reused
    assert not runs[1].reused
    assert runs[2].reused == {c.id for c in claims}
    assert json.loads(texts[0])["summary"]["unexpected"] == []


def fill(folder):
    cache = Cache(Path(folder))
    for i in range(200):
        cache.put(f"{i % 20:064x}", {"value": i % 20})


def test_two_writers_of_one_cache_leave_only_whole_entries(tmp_path):
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=fill, args=(str(tmp_path),)) for _ in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    cache = Cache(tmp_path)
    assert [cache.get(f"{i:064x}") for i in range(20)] == [{"value": i} for i in range(20)]
    assert not list(tmp_path.rglob("*.tmp"))
    assert cache.clear() == 20
    assert cache.get(f"{0:064x}") is None


def test_a_damaged_entry_counts_as_absent(tmp_path):
    cache = Cache(tmp_path)
    cache.put("a" * 64, {"value": 1})
    path = next(tmp_path.rglob("*.json"))
    for damage in ("{", "[]", '{"key": "b", "record": {}}', '{"key": "' + "a" * 64 + '", "record": 3}', "\0"):
        path.write_text(damage)
        assert cache.get("a" * 64) is None


def test_a_cache_that_cannot_be_written_costs_speed_and_not_the_run(tmp_path):
    (tmp_path / "file").write_text("")
    cache = Cache(tmp_path / "file" / "cache")
    papers, claims = select(["mayaki2026/table2/alpha-n"])
    run = run_claims(papers, claims, cache=cache)
    assert run.complete
    assert "file" in cache.trouble


def test_what_has_no_content_address_is_refused():
    with pytest.raises(verify.InputError, match="no content address"):
        canonical(lambda: None)
    assert canonical(0.1) != canonical(0.1 + 1e-17 * 8)
    assert canonical({"a": 1}) != canonical({"a": "1"})


OWN_CHECK = """
    from .helper import Counting
    from verify import Paper
    paper = Paper.open(__file__)
    paper.claim("own", "counts", where="here", check=Counting(1), mutants={"two": {"n": 2}})
"""
HELPER = """
from dataclasses import dataclass
from verify import Check, Evidence, Grade, PrintedTable, Verdict
from .constants import LIMIT

@dataclass(frozen=True)
class Counting(Check):
    n: int

    def evidence(self, budget):
        verdict = Verdict.SUPPORTED if self.n < LIMIT else Verdict.INCONCLUSIVE
        yield Evidence(verdict, Grade.EXACT, f"{self.n} against {LIMIT}")
"""


def test_a_papers_own_check_depends_on_its_sibling_modules_and_on_what_it_imports(write_paper):
    folder = write_paper(OWN_CHECK)
    (folder / "helper.py").write_text(HELPER)
    (folder / "constants.py").write_text("LIMIT = 2\n")
    forget_sources()
    paper = load_paper(folder)
    (claim,) = paper.claims.values()
    run = run_claims([paper], [claim])
    assert run.judgements[claim.id].as_expected
    before = check_key(claim.check, Budget())
    closure = provenance.closure(type(claim.check).__module__)
    assert "verify.checks.printed_table" in closure  # through the lazily exported name
    assert any(name.endswith("constants.py") for name in closure)
    (folder / "constants.py").write_text("LIMIT = 3\n")
    forget_sources()
    (claim,) = load_paper(folder).claims.values()
    assert check_key(claim.check, Budget()) != before


MEASURED = """
    from empirics import Design
    from verify import MeasuredExponent, Paper
    from .decay import Decay
    paper = Paper.open(__file__)
    paper.claim("measured", "falls", where="here",
                check=MeasuredExponent(Decay(2), "1/2", rivals={"third": "1/3"}, design=Design((1, 2, 4, 8, 16), (0, 1, 2))),
                mutants={"third": {"predicted": "1/3"}})
"""
DECAY = """
from dataclasses import dataclass
from typing import ClassVar
from empirics import Design, Experiment
from verify import MeasuredExponent

@dataclass(frozen=True)
class Decay(Experiment):
    quantity: ClassVar[str] = "height"
    size: ClassVar[str] = "time"
    start: float

    def measure(self, size, seed):
        return self.start * size**-0.5 * (1 + 0.001 * seed)
"""


def test_a_check_that_looks_bounds_up_by_name_depends_on_every_file_of_bounds():
    closure = provenance.closure("verify.checks.bounds")
    assert {"theory.bounds.stated", "theory.bounds.empirical", "theory.bounds.repaired"} <= set(closure)
    assert "theory.bounds.stated" not in provenance.closure("verify.checks.identity")


def measured_key(folder, budget=None):
    forget_sources()
    (claim,) = load_paper(folder).claims.values()
    return check_key(claim.check, budget or Budget())


def test_a_measured_claim_depends_on_the_code_the_fields_and_the_profile_of_its_experiment(write_paper):
    folder = write_paper(MEASURED)
    (folder / "decay.py").write_text(DECAY)
    keys = [measured_key(folder), measured_key(folder), measured_key(folder, Budget.of_profile("full"))]
    (folder / "decay.py").write_text(DECAY.replace("0.001", "0.002"))
    keys.append(measured_key(folder))
    (folder / "decay.py").write_text(DECAY)
    (folder / "claims.py").write_text((folder / "claims.py").read_text().replace("Decay(2)", "Decay(3)"))
    keys.append(measured_key(folder))
    assert keys[0] == keys[1]
    assert len(set(keys)) == 4


@dataclass(frozen=True)
class Holding(Experiment):
    quantity: ClassVar[str] = "nothing"
    size: ClassVar[str] = "nothing"
    held: Design

    def measure(self, size, seed):
        return 1.0


def test_what_an_experiment_holds_brings_its_code_too():
    design = Design(range(1, 6), range(3))
    check = MeasuredExponent(Holding(design), "1/2", rivals={"flat": 0}, design=design)
    assert set(fingerprint.modules_behind(check)) >= {__name__}


def test_functions_and_dummies_have_their_own_content_address():
    class Mine(sp.Function):
        pass

    with pytest.raises(InputError, match="no content address"):
        canonical(Mine(beta))
    assert canonical(sp.Dummy("x")) != canonical(sp.Dummy("x"))
    assert canonical(sp.Symbol("x", positive=False)) != canonical(sp.Symbol("x"))


def test_what_a_fields_class_does_is_part_of_the_address(tmp_path):
    """The class of a field, in a module that the check's own module does not import."""
    keys = []
    for body in ("return 1", "return 2"):
        path = tmp_path / body[-1]
        path.mkdir()
        (path / "loose_part.py").write_text(
            f"from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Part:\n    n: int = 0\n    def f(self):\n        {body}\n"
        )
        spec = importlib.util.spec_from_file_location("loose_part", path / "loose_part.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules["loose_part"] = module
        spec.loader.exec_module(module)
        forget_sources()
        keys.append(check_key(Identity((eq(beta, beta),), uses=(module.Part(),)), Budget()))
        del sys.modules["loose_part"]
    forget_sources()
    assert keys[0] != keys[1]


def test_a_module_that_no_distribution_brought_is_part_of_the_address(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    helper = tmp_path / "moelaws_loose_helper.py"
    digests = []
    for text in ("a = 1\n", "a = 2\n"):
        helper.write_text(text)
        digests.append(_loose_source("moelaws_loose_helper"))
    assert digests[0] != digests[1]
    assert _loose_source("moelaws_no_such_module") == ""
