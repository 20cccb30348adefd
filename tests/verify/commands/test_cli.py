"""The command line as a user meets it: statuses, one clear line per error, nothing lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from xml.etree import ElementTree

import pytest

from verify.commands.new_paper import scaffold
from verify.recheck.sealed import latest


def lines(text):
    return [line for line in text.splitlines() if line.strip()]


def test_version_and_help(moelaws):
    assert moelaws("--version").stdout.strip() == "moelaws 0.1.0"
    shown = moelaws("--help")
    assert shown.returncode == 0
    assert shown.stdout.startswith("Usage: moelaws [")
    for command in ("verify", "claims", "diff", "new-paper", "repl", "cache"):
        assert command in shown.stdout
    assert shown.stdout.partition("Commands:")[2].split()[0] == "verify"


def test_a_new_paper_verifies_at_once_and_in_a_pipe_each_claim_is_one_line(moelaws, tmp_path):
    assert moelaws("new-paper", "mine").returncode == 0
    done = moelaws("verify", "mine/")
    assert done.returncode == 0, done.stderr
    first = done.stdout.splitlines()[0].split("\t")
    assert first[:3] == ["SUPPORTED", "as-expected", "mine/table1/alpha-c"]
    assert done.stdout.splitlines()[1].startswith("1 claim: ")
    report = json.loads((tmp_path / "moelaws-report" / "mine" / "report.json").read_text())
    rerun = report["claims"][0]["rerun"]
    assert rerun == "moelaws verify PATH/TO/mine mine/table1/alpha-c"
    again = moelaws(*rerun.replace("PATH/TO/mine", str(tmp_path / "mine")).split()[1:])
    assert again.returncode == 0, again.stderr
    for name in ("report.json", "report.md", "junit.xml", "run.json"):
        assert (tmp_path / "moelaws-report" / "mine" / name).stat().st_size > 0


@pytest.mark.thorough
def test_json_goes_to_standard_output_and_equals_the_file(moelaws, tmp_path):
    done = moelaws("verify", "mayaki2026/table2", "--json")
    assert done.returncode == 0
    assert done.stdout == (tmp_path / "moelaws-report" / "mayaki2026" / "table2" / "report.json").read_text()
    assert json.loads(done.stdout)["summary"]["verdicts"]["REFUTED"] == 3


@pytest.mark.thorough
def test_no_cache_gives_the_same_report_byte_for_byte(moelaws, tmp_path):
    for target, options in (
        ("a", []),
        ("b", []),
        ("c", ["--no-cache"]),
        ("d", ["--no-cache", "--jobs", "1"]),
    ):
        done = moelaws(
            "verify", "mayaki2026/table1", "ludziejewski2025/table4/nu", "--report", target, *options
        )
        assert done.returncode == 0, done.stderr
    for name in ("report.json", "report.md", "junit.xml"):
        assert len({(tmp_path / target / name).read_bytes() for target in "abcd"}) == 1
    assert json.loads((tmp_path / "b" / "run.json").read_text())["reused"]
    assert not json.loads((tmp_path / "c" / "run.json").read_text())["reused"]


def test_an_unexpected_verdict_is_status_1_and_named(moelaws, tmp_path):
    scaffold(tmp_path / "mine")
    table = tmp_path / "mine" / "table1.csv"
    table.write_text(table.read_text().replace("0.18", "0.19"))
    done = moelaws("verify", "mine/")
    assert done.returncode == 1
    assert "1 NOT AS EXPECTED: mine/table1/alpha-c" in done.stdout
    assert "alpha_C at model=large is printed 0.19" in done.stdout
    junit = ElementTree.parse(tmp_path / "moelaws-report" / "mine" / "junit.xml").getroot()
    assert junit.find("testsuite").get("failures") == "1"


BROKEN = {
    "claims.py": {
        "raises": ("1/0\n", "claims.py, line 1: ZeroDivisionError"),
        "syntax": ("def (\n", "claims.py, line 1"),
        "no paper": ("x = 1\n", "expected a line 'paper = Paper.open(__file__)'"),
        "no claim": ("from verify import Paper\npaper = Paper.open(__file__)\n", "no claim is defined"),
        "missing module": ("import no_such_module\n", "ModuleNotFoundError"),
        "exits": ("raise SystemExit(3)\n", "SystemExit"),
        "unknown table": (
            "from verify import Paper\npaper = Paper.open(__file__)\npaper.table('tabel1')\n",
            "tabel1.csv: the table cannot be read",
        ),
        "unknown argument": (
            "from verify import Paper\npaper = Paper.open(__file__)\npaper.claim('a', 'b', where='c', chekc=1)\n",
            "unknown argument chekc",
        ),
        "neither on nor off": (
            "from verify import Paper\npaper = Paper.open(__file__)\npaper.claim('a', 'b', where='c', on='no')\n",
            "on='no': expected True or False",
        ),
        "duplicate": (
            "from verify import Paper\npaper = Paper.open(__file__)\n"
            + "paper.claim('a', 'b', where='c', not_testable='d')\n" * 2,
            "two claims are called 'mine/a'",
        ),
        "mutant without a name": (
            "from verify import Paper\npaper = Paper.open(__file__)\n"
            "paper.claim('a', 'b', where='c', not_testable='d', mutants={5: {}})\n",
            "mutants={5: {}}: expected {'what is changed'",
        ),
        "circle": (
            "from verify import Paper\npaper = Paper.open(__file__)\n"
            "paper.claim('a', 'x', where='c', not_testable='d', uses=('b',))\n"
            "paper.claim('b', 'x', where='c', not_testable='d', uses=('a',))\n",
            "in a circle: mine/",
        ),
        "unknown use": (
            "from verify import Paper\npaper = Paper.open(__file__)\n"
            "paper.claim('a', 'x', where='c', not_testable='d', uses=('z',))\n",
            "uses 'mine/z', which is not a claim",
        ),
    },
    "table1.csv": {
        "short row": (
            "model,alpha_N,alpha_D,alpha_C\nsmall,0.34,0.28\n",
            "table1.csv, line 2 (row 1): 3 cells",
        ),
        "no multiple of a step": (
            "# step: alpha_C = 0.05\nmodel,alpha_N,alpha_D,alpha_C\nsmall,0.34,0.28,0.16\n",
            "table1, model=small, alpha_C is 0.16, no multiple of the column's step 1/20",
        ),
    },
    "paper.toml": {
        "syntax": ("title = \n", "paper.toml: not valid TOML"),
        "missing": ("title = 'x'\n", "expected authors = a quoted text"),
        "taken id": (
            "id = 'mayaki2026'\ntitle='x'\nauthors='y'\nyear=2026\nreference='z'\n",
            "is that of an installed paper",
        ),
    },
}


@pytest.mark.parametrize(("file", "case"), [(file, case) for file, cases in BROKEN.items() for case in cases])
def test_a_broken_paper_is_one_clear_line_and_status_2(moelaws, tmp_path, file, case):
    text, said = BROKEN[file][case]
    scaffold(tmp_path / "mine")
    (tmp_path / "mine" / file).write_text(text)
    done = moelaws("verify", "mine/")
    assert done.returncode == 2, done.stdout
    assert len(lines(done.stderr)) == 1, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_cell_that_holds_no_number_costs_its_claim_and_not_the_run(moelaws, tmp_path):
    scaffold(tmp_path / "mine")
    table = tmp_path / "mine" / "table1.csv"
    table.write_text(table.read_text().replace("0.34", "O.34"))
    done = moelaws("verify", "mine/", "mayaki2026/table4/mid-scale")
    assert done.returncode == 1
    verdicts = [line.split("\t")[0] for line in lines(done.stdout)[:2]]
    assert sorted(verdicts) == ["ERROR", "REFUTED"]
    assert "model=small, alpha_N: 'O.34' is not a number" in done.stdout
    assert (latest(tmp_path / "moelaws-report") / "report.json").is_file()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["verify", "mayaki2025"], "Did you mean mayaki2026"),
        (["verify", "mayaki2026/table5/alpha-x"], "Did you mean mayaki2026/table5/alpha-"),
        (["claims", "show", "mayaki2026/tabel4/mid-scale"], "mayaki2026/table4/mid-scale"),
        (["verify", "./nowhere"], "nowhere: no such folder"),
        (["verify", "--profile", "fast"], "expected quick or full"),
        (["verify", "mayaki2026/table2/alpha-n", "--report", "/dev/null/x"], "cannot be written to"),
        (["diff", "a", "b"], "no report there"),
        (["new-paper", "/dev/null/x"], "/dev/null/x"),
        (["new-paper", "Bad Name!"], "id 'bad-name!' may hold lower-case letters"),
        (["new-paper", "theory"], "an installed paper has the id 'theory'"),
        (["new-paper", "mayaki2026"], "an installed paper has the id 'mayaki2026'"),
        (["verify", "--jobs", "many"], "moelaws: invalid value for '--jobs'"),
        (
            ["verify", "--jbs", "1"],
            "moelaws: no such option: --jbs. Did you mean --jobs, --json? See 'moelaws verify",
        ),
        (["verfy"], "moelaws: no such command 'verfy'. Did you mean 'verify'? See 'moelaws --help'"),
        (["diff", "a"], "moelaws: missing argument 'new'. See 'moelaws diff --help'"),
    ],
)
def test_bad_arguments_are_told_in_words(moelaws, arguments, said):
    done = moelaws(*arguments)
    assert done.returncode == 2, done.stdout
    assert said in done.stderr
    assert len(lines(done.stderr)) == 1


def test_a_full_disk_is_told_in_one_line(tmp_path):
    code = (
        "import errno, os, pathlib, sys\n"
        "def full(*rest, **more):\n"
        "    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))\n"
        "pathlib.Path.write_text = full\n"
        "sys.argv = ['moelaws', 'verify', 'mayaki2026/table2/alpha-n']\n"
        "from verify.commands.app import run; run()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "No space left on device; free some space" in done.stderr
    assert "Traceback" not in done.stderr
    assert "SUPPORTED" in done.stdout  # the verdict itself is not lost
    assert not list((tmp_path / "moelaws-report").rglob("*.*"))


SLOW = """
    import os
    import time
    from pathlib import Path
    from collections.abc import Iterable
    from dataclasses import dataclass
    from verify import Budget, Check, Evidence, Grade, Paper, Verdict

    paper = Paper.open(__file__)

    @dataclass(frozen=True)
    class Slow(Check):
        seconds: float
        verdict: str = "SUPPORTED"

        def evidence(self, budget: Budget) -> Iterable[Evidence]:
            if self.seconds > 1:
                Path(os.environ["STARTED"]).touch()
            time.sleep(self.seconds)
            yield Evidence(Verdict[self.verdict], Grade.EXACT, f"waited {self.seconds}")

    for i in range(6):
        paper.claim(f"c{i}", "waits", where="here", check=Slow(0.01 if i < 3 else 60.0),
                    mutants={"open": {"verdict": "INCONCLUSIVE", "seconds": 0.0}})
"""


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_keeps_what_was_judged_and_marks_the_report(write_paper, tmp_path, jobs):
    folder = write_paper(SLOW)
    started = tmp_path / "started"
    process = subprocess.Popen(
        [sys.executable, "-m", "moelaws", "verify", str(folder), "--no-cache", "--jobs", str(jobs)],
        cwd=tmp_path,
        env={**os.environ, "STARTED": str(started)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # a test run in the background may have been told to ignore interrupts
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    deadline = time.monotonic() + 120
    while not started.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(2)  # the short claims beside it are judged by now
    os.killpg(process.pid, signal.SIGINT)
    try:
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130, (out, err)
    assert "Traceback" not in err
    assert "3 claims were not judged" in err
    report = json.loads((tmp_path / "moelaws-report" / "invented" / "report.json").read_text())
    assert report["complete"] is False
    assert [e["id"] for e in report["claims"]] == ["invented/c0", "invented/c1", "invented/c2"]
    assert report["not_run"] == ["invented/c3", "invented/c4", "invented/c5"]
    assert "**Incomplete.**" in (tmp_path / "moelaws-report" / "invented" / "report.md").read_text()


MISSING = """
    from collections.abc import Iterable
    from dataclasses import dataclass
    from verify import Budget, Check, Evidence, Grade, Paper, Verdict

    paper = Paper.open(__file__)

    @dataclass(frozen=True)
    class NeedsModel(Check):
        name: str = "model"

        def evidence(self, budget: Budget) -> Iterable[Evidence]:
            yield Evidence(Verdict.NOT_TESTABLE, Grade.EXACT, f"{self.name} is not installed", missing=self.name)

    paper.claim("model", "needs a model", where="here", check=NeedsModel(), mutants={"other": {"name": "other"}})
"""


def test_a_missing_optional_input_is_counted_and_red_only_if_all_are_required(moelaws, write_paper):
    folder = write_paper(MISSING)
    done = moelaws("verify", folder)
    assert done.returncode == 0
    assert "1 lack an optional input" in done.stdout
    assert moelaws("verify", folder, "--require-all").returncode == 1


def test_diff_says_what_changed_and_refuses_an_altered_report(moelaws, tmp_path):
    scaffold(tmp_path / "mine")
    moelaws("verify", "mine/", "--report", "old")
    assert moelaws("diff", "old", "old").stdout.strip() == "no change"
    table = tmp_path / "mine" / "table1.csv"
    table.write_text(table.read_text().replace("0.18", "0.19"))
    moelaws("verify", "mine/", "--report", "new")
    done = moelaws("diff", "old", "new")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "changed: 1",
        "  verdict: mine/table1/alpha-c: SUPPORTED -> REFUTED",
        "1 change",
    ]
    assert json.loads(moelaws("diff", "old", "new", "--json").stdout)[0]["kind"] == "verdict"
    report = tmp_path / "new" / "report.json"
    report.write_text(report.read_text().replace("REFUTED", "SUPPORTED"))
    assert "changed after it was written" in moelaws("diff", "old", "new").stderr


def test_claims_are_listed_and_shown(moelaws):
    listed = moelaws("claims", "list", "mayaki2026")
    assert "REFUTED       mayaki2026/table4/mid-scale" in listed.stdout
    shown = moelaws("claims", "show", "mayaki2026/table4/mid-scale")
    assert "representative mid-scale" in shown.stdout
    assert "    check  Consistent\n" in shown.stdout
    record = json.loads(moelaws("claims", "show", "theory/data-exponent", "--json").stdout)[0]
    assert record["rests on"] == ["data_size_exponent", "approximation_exponent"]


def test_what_is_argued_in_prose_is_listed_with_what_would_prove_it(moelaws):
    from theory.statement import Kind, statements

    argued = [s for s in statements().values() if s.kind is Kind.ARGUED]
    listed = lines(moelaws("claims", "list", "--argued").stdout)
    assert len(listed) == len(argued)
    for statement in argued:
        name = f"theory/{statement.name.replace('_', '-')}"
        assert f"ARGUED        {name}  {statement.to_prove}" in listed


def test_the_cache_is_cleared(moelaws, tmp_path):
    folder = tmp_path / "own-cache"
    moelaws("verify", "mayaki2026/table2/alpha-n", MOELAWS_CACHE=str(folder))
    assert "removed 3 entries" in moelaws("cache", "clear", MOELAWS_CACHE=str(folder)).stdout


def test_a_cache_in_the_home_of_nobody_is_told(moelaws):
    done = moelaws("cache", "clear", MOELAWS_CACHE="~no-such-user/x")
    assert (done.returncode, len(lines(done.stderr))) == (2, 1)
    assert "MOELAWS_CACHE=~no-such-user/x" in done.stderr


def test_clearing_the_cache_leaves_what_is_not_its_own(tmp_path):
    from verify.judging.cache import Cache

    cache, key = Cache(tmp_path), "ab" + "0" * 62
    cache.put(key, {"x": 1})
    others = [
        tmp_path / "ab" / "notes.json",
        tmp_path / "ab" / f"ab{'1' * 62}.json",  # named as an entry, and none
        tmp_path / "cd" / f"{key}.json",  # an entry that somebody put elsewhere
        tmp_path / f"{key}.json",
    ]
    for other in others:
        other.parent.mkdir(exist_ok=True)
        other.write_text(f'{{"key": "{key}", "record": {{}}}}')
    assert cache.clear() == 1
    assert all(other.exists() for other in others)
    cache.put(key, {"x": 1})
    entry = tmp_path / "ab" / f"{key}.json"
    entry.write_text(entry.read_text()[:200])  # cut off
    assert cache.clear() == 1


@pytest.mark.thorough
def test_two_overlapping_runs_share_a_cache_and_a_report_folder(tmp_path):
    command = [sys.executable, "-m", "moelaws", "verify", "mayaki2026/table5", "--report", "shared"]
    environment = {**os.environ, "MOELAWS_CACHE": str(tmp_path / "cache")}
    both = [
        subprocess.Popen(
            command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(2)
    ]
    outputs = [process.communicate(timeout=200) for process in both]
    assert [process.returncode for process in both] == [0, 0], outputs
    assert outputs[0][0] == outputs[1][0]
    assert not list((tmp_path / "cache").rglob("*.tmp"))
    assert json.loads((tmp_path / "shared" / "report.json").read_text())["complete"]


def test_the_repl_has_the_theory_loaded(moelaws):
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; sys.modules['IPython'] = None; from verify.commands.repl import start; start()",
        ],
        input="print(data_exponent)\nprint(JMSL.at(1).u > 0, beta)\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert "alpha_D = 2*beta/(2*beta + d)" in done.stdout
    assert "True beta" in done.stdout


def test_a_reader_that_leaves_the_pipe_early_loses_no_report(tmp_path):
    command = f"{sys.executable} -m moelaws verify mayaki2026/table2 --report kept | head -1"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("SUPPORTED")
    assert "Traceback" not in done.stderr
    assert json.loads((tmp_path / "kept" / "report.json").read_text())["complete"]


def test_the_path_of_an_installed_paper_means_that_paper(moelaws):
    import paper_checks

    folder = os.path.join(os.path.dirname(paper_checks.__file__), "mayaki2026")
    assert "mayaki2026/table4/mid-scale" in moelaws("claims", "list", folder).stdout


def test_derive_prints_steps_and_a_checked_certificate(moelaws):
    done = moelaws("derive", "alpha_D", "--under", "total-entropy")
    assert done.returncode == 0, done.stderr
    assert "n^(-2β/(2β+d))" in done.stdout
    assert done.stdout.rstrip().endswith("certificate: every step of the certificate holds")


def test_derive_lists_what_there_is(moelaws):
    listed = moelaws("derive").stdout
    assert (
        "alpha_C (under as-stated, total-compute, active-compute, active-entropy, frozen-router, " in listed
    )


@pytest.mark.thorough  # seven starts
def test_derive_prints_latex_mathml_and_json(moelaws):
    assert moelaws("derive", "alpha_C", "--format", "latex").stdout.startswith(r"\begin{align*}")
    assert "<math" in moelaws("derive", "model_exponent", "--format", "mathml").stdout
    escaped = moelaws("derive", "cauchy_schwarz", "--format", "mathml").stdout
    assert "&lt;u, v&gt;^2 &lt;= |u|^2 |v|^2" in escaped
    assert "<u" not in escaped
    assert "<math" in moelaws("derive", "M_star", "--under", "total-compute", "--format", "mathml").stdout
    identity = moelaws("derive", "compute_exponent_from_both", "--under", "active-compute", "--json")
    assert json.loads(identity.stdout)["holds"] is False
    assert json.loads(moelaws("derive", "alpha_N", "--json").stdout)["checked"] is True


@pytest.mark.parametrize("wrong", [["alpha_Z"], ["alpha_D", "--under", "x"], ["alpha_D", "--format", "pdf"]])
def test_derive_refuses_in_a_line_what_it_does_not_know(moelaws, wrong):
    refused = moelaws("derive", *wrong)
    assert refused.returncode == 2
    assert "expected" in refused.stderr
    assert "Traceback" not in refused.stderr
