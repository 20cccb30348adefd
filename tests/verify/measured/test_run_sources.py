"""Measured claims judged from stored runs: which runs count, what is refused, and what makes the missing ones."""

from __future__ import annotations

import itertools
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from empirics.base.provenance import forget_sources
from empirics.runs import RunStore, export
from empirics.sweeps import sweep
from verify import Budget, InputError, Verdict, verify_claims
from verify.judging.cache import Cache
from verify.judging.claim_sweep import claim_sweep
from verify.judging.papers import load_paper
from verify.judging.runner import run_claims
from verify.measured.run_sources import RunSources
from verify.reports.html import cards_html
from verify.reports.markdown import to_markdown
from verify.reports.record import report_record, to_json

SIZES, SEEDS = (10, 30, 100, 300, 1000), (0, 1, 2, 3)
CLAIMS = """
    from empirics import Design
    from verify import MeasuredExponent, Paper
    from .costly.decay import Decay
    paper = Paper.open(__file__)
    check = MeasuredExponent(Decay(2.0), "1/2", rivals={"third": "1/3"}, design=Design((10, 30, 100, 300, 1000), range(4)),
                             full=Design((10, 30, 100, 300, 1000), range(10, 16)))
    paper.claim("rate", "falls", where="here", check=check, mutants={"third": {"predicted": "1/3"}})
"""
DECAY = """
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar
import os
import time
import numpy as np
from empirics import Experiment

@dataclass(frozen=True)
class Decay(Experiment):
    quantity: ClassVar[str] = "height"
    size: ClassVar[str] = "time"
    cheap: ClassVar[bool] = False
    start: float = 1.0

    def measure(self, size, seed):
        if tried := os.environ.get("DECAY_TRIED"):
            with Path(tried).open("a") as file:
                file.write("x")
        time.sleep(float(os.environ.get("DECAY_SECONDS", "0")))
        return self.start * size**-0.5 * np.exp(0.05 * np.random.default_rng([seed, size]).normal())
"""


def write_far(above):
    """A paper's folder with one claim, whose runs are too expensive to be made while judging."""
    folder = above / "far"
    (folder / "costly").mkdir(parents=True)
    paper = 'title = "Far"\nauthors = "A test"\nyear = 2026\nreference = "none"\n'
    (folder / "paper.toml").write_text(paper)
    (folder / "claims.py").write_text(textwrap.dedent(CLAIMS))
    (folder / "costly" / "decay.py").write_text(DECAY)
    return folder


@pytest.fixture(scope="session")
def made_elsewhere(tmp_path_factory):
    """A store with the claim's runs, made in another folder."""
    forget_sources()
    folder = write_far(tmp_path_factory.mktemp("elsewhere"))
    store = RunStore(folder.parent / "made.db")
    assert sweep(claim_sweep([f"{folder}/rate"], "quick", store.path), store).made == 20
    return store.path


@pytest.fixture
def store(far, made_elsewhere):
    """A copy of that store in the working folder."""
    return Path(shutil.copy(made_elsewhere, "runs.db"))


@pytest.fixture
def far(tmp_path, monkeypatch):
    """The paper again; the working folder holds it."""
    folder = write_far(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MOELAWS_RUNS", raising=False)
    forget_sources()
    yield folder
    forget_sources()


def entry(store=None, **rest):
    """The report's entry of the claim."""
    [found] = verify_claims("far", runs=store, **rest).record["claims"]
    return found


def swept(store="runs.db"):
    """The store with the claim's runs, made here."""
    path = Path(store)
    sweep(claim_sweep(["far/rate"], "quick", path), RunStore(path))
    return path


def altered_store(path, change, *, source="runs.db"):
    """A store with the runs of another, each changed by ``change``; what that makes None is left out."""
    runs = [changed for item in RunStore(source).runs() if (changed := change(item.run)) is not None]
    RunStore(path).append(*runs)
    return path


def test_a_store_without_the_runs_is_not_testable_and_the_command_it_names_makes_it_testable(far, moelaws):
    tried = far.parent / "tried.txt"
    environment = {"DECAY_TRIED": str(tried)}
    empty = moelaws("verify", "far", "--json", **environment)
    [claim] = json.loads(empty.stdout)["claims"]
    assert (empty.returncode, claim["verdict"], claim["missing"]) == (0, "NOT_TESTABLE", "stored runs")
    said, _, command = claim["finding"].partition(". To make them: ")
    assert said.startswith("20 of the 20 runs of Decay that this needs are in no store")
    assert command == "moelaws sweep --claim far/rate --store moelaws-runs.db"
    assert not tried.exists()
    made = moelaws(*shlex.split(command)[1:], **environment)
    assert made.returncode == 0, made.stderr
    assert made.stdout.splitlines()[-1] == "20 of 20 runs in the store"
    assert len(tried.read_text()) == 20
    assert moelaws("verify", "far", **environment).stdout.startswith("SUPPORTED\tas-expected\tfar/rate")
    assert len(tried.read_text()) == 20


def test_evidence_names_each_run_and_its_store(far, store):
    measured = entry(store)["evidence"]["details"]["measured"]
    records = {item.run.identity[:12]: item.run for item in RunStore(store).runs()}
    for size, row, values in zip(SIZES, measured["runs"], measured["values"], strict=True):
        for seed, name, value in zip(SEEDS, row, values, strict=True):
            record, _, where = name.partition(" in ")
            run = records[record]
            assert (where, run.config["size"], run.seed) == ("runs.db", size, seed)
            assert value == f"{run.loss:.6g}"
            assert measured["code"] == run.code[:12]


def test_the_command_names_the_store_the_profile_and_the_folder_from_where_one_stands(far, monkeypatch):
    RunStore("own runs.db")
    found = entry("own runs.db", profile="full")["finding"]
    assert found.endswith("To make them: moelaws sweep --claim far/rate --profile full --store 'own runs.db'")
    assert "30 of the 30 runs" in found
    (far.parent / "elsewhere").mkdir()
    monkeypatch.chdir(far.parent / "elsewhere")
    [claim] = verify_claims("../far").record["claims"]
    assert f"moelaws sweep --claim {far}/rate --store moelaws-runs.db" in claim["finding"]
    plan = claim_sweep([f"{far}/rate"], "quick", Path("none.db"))
    assert len(plan.jobs) == 20


def test_a_store_copied_from_elsewhere_serves(far, store):
    assert [path.name for path in far.parent.glob("*.db*")] == ["runs.db"]
    found = entry(store)
    assert found["verdict"] == "SUPPORTED"
    assert found["finding"].startswith("the exponent is 0.505")


def test_runs_exported_into_the_papers_folder_serve_and_come_first(far, store):
    export(RunStore(store).runs(), far / "runs.jsonl")
    alone, both = entry(), entry(store)
    assert alone["verdict"] == "SUPPORTED"
    assert alone["evidence"] == both["evidence"]
    names = itertools.chain(*alone["evidence"]["details"]["measured"]["runs"])
    assert {name.partition(" in ")[2] for name in names} == {"runs.jsonl"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda line: line.replace('"loss":0.', '"loss":0.9'), "the record was altered after it was written"),
        (lambda line: line.replace('"seed":', '"seed":1'), "the record was altered after it was written"),
        (lambda line: line[: len(line) // 2], "invalid JSON"),
        (lambda line: line[:-1] + ',"extra":1}', "extra: extra inputs are not permitted"),
        (
            lambda line: json.dumps({k: v for k, v in json.loads(line).items() if k != "digest"}),
            "has no digest",
        ),
    ],
)
def test_a_damaged_packaged_record_is_refused_with_its_place(far, store, change, said):
    export(RunStore(store).runs(), far / "runs.jsonl")
    lines = (far / "runs.jsonl").read_text().splitlines()
    assert change(lines[6]) != lines[6]
    lines[6] = change(lines[6])
    (far / "runs.jsonl").write_text("\n".join(lines))
    with pytest.raises(InputError) as refused:
        entry()
    assert str(refused.value).startswith(f"{far / 'runs.jsonl'}, line 7: ")
    assert said in str(refused.value)


def test_a_damaged_store_is_refused_with_its_place(far, store):
    content = bytearray(store.read_bytes())
    place = content.rindex(b'"loss":') + 9
    content[place] = ord("1") if content[place] != ord("1") else ord("2")
    Path("runs.db").write_bytes(content)
    with pytest.raises(InputError, match=r"runs\.db: the run store is damaged: run \d+ was altered"):
        entry("runs.db")


def test_a_store_that_was_named_and_is_not_there_is_refused_and_the_environments_may_be_absent(
    far, made_elsewhere, monkeypatch
):
    with pytest.raises(InputError, match=r"none\.db: there is no run store"):
        entry("none.db")
    monkeypatch.setenv("MOELAWS_RUNS", "later.db")
    assert "--store later.db" in entry()["finding"]
    shutil.copy(made_elsewhere, "later.db")
    assert entry()["verdict"] == "SUPPORTED"


def _without_one_seed(run):
    return None if (run.config["size"], run.seed) == (100, 2) else run


def _unfinished(run):
    return run.model_copy(update={"finished": None}) if run.seed == 1 else run


SABOTAGE = {
    "one run is not there": (_without_one_seed, 1, 0),
    "some are not finished": (_unfinished, 5, 0),
    "other code made them": (lambda run: run.model_copy(update={"code": "0" * 64}), 20, 20),
    "no code is known": (lambda run: run.model_copy(update={"code": ""}), 20, 20),
    "another experiment of the same code": (lambda run: run.model_copy(update={"name": "Growth"}), 20, 0),
    "another quantity": (lambda run: run.model_copy(update={"unit": "depth"}), 20, 0),
    "another configuration": (
        lambda run: run.model_copy(update={"config": {**run.config, "start": 3.0}}),
        20,
        0,
    ),
    "other sizes": (
        lambda run: run.model_copy(update={"config": {**run.config, "size": run.config["size"] + 1}}),
        20,
        0,
    ),
    "other seeds": (lambda run: run.model_copy(update={"seed": run.seed + 50}), 20, 0),
    "other data": (
        lambda run: run.model_copy(update={"data": run.data.model_copy(update={"name": "other"})}),
        20,
        0,
    ),
}


@pytest.mark.parametrize("sabotage", SABOTAGE)
def test_a_run_that_is_not_the_claims_is_not_used(far, store, sabotage):
    change, lacking, aside = SABOTAGE[sabotage]
    found = entry(altered_store(Path("other.db"), change))
    assert found["verdict"] == "NOT_TESTABLE"
    assert found["finding"].startswith(f"{lacking} of the 20 runs of Decay")
    assert (f"; {aside} of another version of the code were left aside" in found["finding"]) == bool(aside)


def test_who_made_a_run_and_when_does_not_matter(far, store):
    other = altered_store(
        Path("other.db"),
        lambda run: run.model_copy(update={"source": "moelaws 0.0.1", "hardware": "another"}),
    )
    assert entry(other)["verdict"] == "SUPPORTED"
    assert not claim_sweep(["far/rate"], "quick", other).jobs


def test_changed_code_leaves_the_old_runs_aside_and_a_sweep_makes_them_again(far, store):
    (far / "costly" / "decay.py").write_text(DECAY + "\n# another line\n")
    forget_sources()
    found = entry(store)
    assert "20 of the 20 runs" in found["finding"]
    assert "20 of another version of the code were left aside" in found["finding"]
    swept()
    judged = entry(store)
    assert (judged["verdict"], judged["evidence"]["details"]["measured"]["left_aside"]) == ("SUPPORTED", 20)


def test_code_above_the_experiments_folder_that_it_imports_counts_as_its_code(far):
    (far / "noise.py").write_text("NOISE = 0.05\n")
    text = DECAY.replace(
        "from empirics import Experiment", "from empirics import Experiment\nfrom ..noise import NOISE"
    )
    (far / "costly" / "decay.py").write_text(text.replace("0.05 *", "NOISE *"))
    codes = []
    for noise in ("0.05", "0.06"):
        (far / "noise.py").write_text(f"NOISE = {noise}\n")
        forget_sources()
        codes.append(claim_sweep(["far/rate"], "quick", Path("none.db")).jobs[0].planned().code)
    assert codes[0] != codes[1]


def test_the_words_of_a_claim_may_change_without_its_runs(far, store):
    (far / "claims.py").write_text(textwrap.dedent(CLAIMS).replace("falls", "falls as a power"))
    forget_sources()
    assert entry(store)["verdict"] == "SUPPORTED"


def test_a_sweep_makes_exactly_what_is_missing(far, store):
    other = altered_store(Path("other.db"), _without_one_seed)
    [job] = claim_sweep(["far/rate"], "quick", other).jobs
    assert (job.size, job.seed) == (100, 2)
    outcome = sweep(claim_sweep(["far/rate"], "quick", other), RunStore(other))
    assert outcome.made == 1
    assert entry(other)["verdict"] == "SUPPORTED"


def test_variants_bring_their_runs(far, store):
    """A repair with a design of its own: the claim is testable when its runs are there, too."""
    text = textwrap.dedent(CLAIMS).replace(
        'mutants={"third": {"predicted": "1/3"}}',
        'mutants={"third": {"predicted": "1/3", "design": Design((20, 60, 200, 600, 2000), range(4))}}',
    )
    (far / "claims.py").write_text(text)
    forget_sources()
    found = entry(store)
    assert (found["verdict"], found["as_expected"], found["fault"]) == ("NOT_TESTABLE", True, "")
    assert found["finding"].startswith("its mutant 'third': 20 of the 20 runs")
    assert len(claim_sweep(["far/rate"], "quick", store).jobs) == 20
    swept()
    assert entry(store)["verdict"] == "SUPPORTED"


def test_contradictory_runs_are_an_error(far, store):
    RunStore(store).append(
        *(item.run.model_copy(update={"loss": 7.0}) for item in RunStore(store).runs("number = 3"))
    )
    found = entry(store)
    assert (found["verdict"], found["as_expected"]) == ("ERROR", False)
    assert "stored runs contradict each other: at size 10, seed 2 the same code found" in found["finding"]


def test_two_runs_that_differ_by_rounding_only_do_not_contradict_each_other(far, store):
    first = entry(store)
    RunStore(store).append(
        *(
            item.run.model_copy(update={"loss": item.run.loss * (1 + 1e-12)})
            for item in RunStore(store).runs()
        )
    )
    assert entry(store)["evidence"] == first["evidence"]


def test_a_run_that_diverged_is_not_testable_and_not_made_again(far, store):
    other = altered_store(
        Path("other.db"), lambda run: run if _without_one_seed(run) else run.model_copy(update={"loss": None})
    )
    found = entry(other)
    assert (found["verdict"], found["missing"], found["as_expected"]) == ("NOT_TESTABLE", "", False)
    assert found["finding"] == "Decay came to no finite value at size 100, seed 2"
    assert not claim_sweep(["far/rate"], "quick", other).jobs


def test_found_and_made_runs_give_the_same_evidence_but_for_their_names(far):
    """The same experiment as a cheap one: without a store, with half of the runs in one, and with all of them."""
    (far / "costly" / "decay.py").write_text(DECAY.replace("bool] = False", "bool] = True"))
    forget_sources()
    store = swept()
    half = altered_store(Path("half.db"), lambda run: run if run.seed < 2 else None)
    records = []
    for each in (None, half, store):
        found = entry(each)
        names = found["evidence"]["details"]["measured"].pop("runs")
        records.append((found, [name == "made" for row in names for name in row]))
    assert records[0][0] == records[1][0] == records[2][0]
    assert [sum(made) for _, made in records] == [20, 10, 0]
    record = verify_claims("far", runs=half).record
    said = "Runs: 10 from half.db, 10 made while judging."
    assert said in to_markdown(record)
    assert said in cards_html(record)
    assert "Runs:" not in to_markdown(verify_claims("far", runs=RunStore("empty.db").path).record)


def test_a_changed_store_is_judged_anew_and_an_unchanged_one_is_not(far, store, own_cache):
    """The cache's key covers the runs: other values under the same store name must not give the old verdict."""
    paper, cache = load_paper(far), Cache(own_cache / "changing")
    claims = list(paper.claims.values())

    def judged(store):
        run = run_claims([paper], claims, cache=cache, store=store)
        return run.judgements["far/rate"], bool(run.reused)

    assert (judged(store)[1], judged(store)[1]) == (False, True)
    shutil.copy(store, "kept.db")
    first, text = (
        judged(store)[0],
        to_json(report_record(run_claims([paper], claims, cache=cache, store=store))),
    )
    store.unlink()
    altered_store(
        store,
        lambda run: run.model_copy(update={"loss": run.loss * run.config["size"] ** -0.3}),
        source="kept.db",
    )
    second, reused = judged(store)
    assert (first.verdict, second.verdict, reused) == (Verdict.SUPPORTED, Verdict.REFUTED, False)
    store.unlink()
    third, reused = judged(store)
    assert (third.verdict, reused) == (Verdict.NOT_TESTABLE, False)
    shutil.copy("kept.db", store)
    again = run_claims([paper], claims, cache=cache, store=store)
    assert again.reused
    assert to_json(report_record(again)) == text


def test_a_variant_does_not_inherit_the_runs_of_another_experiment(far, store):
    check = load_paper(far).claims["far/rate"].check
    bound = check.with_runs(RunSources(far, store), Budget())
    assert not bound.lacking(Budget())
    other = bound.changed({"experiment": type(check.experiment)(3.0)})
    assert len(other.lacking(Budget())) == 20


def test_stored_runs_need_no_module_of_their_experiment(far):
    text = DECAY.replace(
        "    start:", '    needs: ClassVar[tuple[str, ...]] = ("no_such_module_anywhere",)\n    start:'
    )
    (far / "costly" / "decay.py").write_text(text)
    forget_sources()
    assert entry(swept())["verdict"] == "SUPPORTED"


def test_a_sweep_killed_half_way_leaves_a_claim_that_says_what_is_missing_and_goes_on(far, moelaws):
    command = [
        sys.executable,
        "-m",
        "moelaws",
        "sweep",
        "--claim",
        "far",
        "--store",
        "runs.db",
        "--jobs",
        "2",
    ]
    killed = subprocess.Popen(
        command,
        env={**os.environ, "DECAY_SECONDS": "0.2"},
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while not (Path("runs.db").exists() and len(RunStore("runs.db")) >= 5):
        assert killed.poll() is None, killed.communicate()
        time.sleep(0.02)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.communicate()
    there = len(RunStore("runs.db"))
    found = entry("runs.db")
    assert found["verdict"] == "NOT_TESTABLE"
    assert found["finding"].startswith(f"{20 - there} of the 20 runs")
    went_on = moelaws(*shlex.split(found["finding"].partition("To make them: ")[2])[1:])
    assert went_on.returncode == 0, went_on.stderr
    assert len(RunStore("runs.db")) == 20
    assert entry("runs.db")["verdict"] == "SUPPORTED"


def test_a_sweep_of_nothing_measured_or_of_two_things_is_refused_and_one_of_what_is_there_makes_nothing(
    far, store, moelaws
):
    with pytest.raises(InputError, match="mayaki2026/table2/alpha-n: nothing is measured there"):
        claim_sweep(["mayaki2026/table2/alpha-n"], "quick", Path("none.db"))
    for arguments in ((), ("rate.toml", "--claim", "far")):
        done = moelaws("sweep", *arguments)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert "give either a sweep file or --claim TARGET" in done.stderr
    done = moelaws("sweep", "--claim", "far", "--store", store)
    assert (done.returncode, done.stdout) == (0, "every run is there already\n")


def test_a_dry_run_of_a_claim_makes_nothing(far, moelaws):
    done = moelaws("sweep", "--claim", "far", "--dry-run")
    assert done.stdout.splitlines()[-1] == "20 of 20 runs to make"
    assert not list(far.parent.glob("*.db*"))


def test_an_installed_claim_gets_the_same_evidence_from_stored_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    target = "mayaki2026/known-truth/either-route/experts"
    [made] = verify_claims(target).record["claims"]
    store = RunStore("runs.db")
    assert sweep(claim_sweep([target], "quick", store.path), store).made == 36
    [found] = verify_claims(target, runs="runs.db").record["claims"]
    names = [entry["evidence"]["details"]["measured"].pop("runs") for entry in (made, found)]
    assert made == found
    assert {name.rpartition(" ")[2] for row in names[0] for name in row} == {"made"}
    assert {name.rpartition(" ")[2] for row in names[1] for name in row} == {"runs.db"}
