"""Claims judged in several processes: one that dies costs its claim, and a killed run leaves no process behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from verify.errors import InputError
from verify.judging.papers import load_paper
from verify.judging.runner import run_claims
from verify.verdicts import Verdict

CLAIMS = """
    import os
    import signal
    import time
    from collections.abc import Iterable
    from dataclasses import dataclass
    from pathlib import Path
    from verify import Budget, Check, Evidence, Grade, InputError, Paper, Verdict

    paper = Paper.open(__file__)

    @dataclass(frozen=True)
    class Does(Check):
        what: str

        def evidence(self, budget: Budget) -> Iterable[Evidence]:
            if self.what == "exit":
                os._exit(7)
            if self.what == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            if self.what == "refuse":
                raise InputError("no such thing")
            if self.what.startswith("sleep"):
                Path(os.environ["STARTED"], str(os.getpid())).touch()
                time.sleep(600)
            open_or_not = Verdict.INCONCLUSIVE if self.what == "open" else Verdict.SUPPORTED
            yield Evidence(open_or_not, Grade.EXACT, self.what)

    for what in {what}:
        paper.claim(what, "does it", where="here", check=Does(what), mutants={{"open": {{"what": "open"}}}})
"""


@pytest.mark.parametrize(
    ("what", "how"), [("exit", "exit status 7"), ("kill", f"killed by signal 9, {signal.strsignal(9)}")]
)
def test_a_check_that_ends_its_process_is_an_error_of_its_claim_alone(write_paper, what, how):
    paper = load_paper(write_paper(CLAIMS.format(what=["a", "b", what, "c", "d"])))
    run = run_claims([paper], list(paper.claims.values()), jobs=2)
    assert run.complete
    lost = run.judgements.pop(f"invented/{what}")
    assert (lost.verdict, lost.as_expected) == (Verdict.ERROR, False)
    assert f"the process that judged it died ({how})" in lost.finding
    assert [j.verdict for j in run.judgements.values()] == [Verdict.SUPPORTED] * 4


def test_bad_input_that_a_worker_meets_is_raised_here(write_paper):
    paper = load_paper(write_paper(CLAIMS.format(what=["a", "b", "refuse", "c", "d"])))
    with pytest.raises(InputError, match="no such thing"):
        run_claims([paper], list(paper.claims.values()), jobs=2)


def session(number: int) -> set[int]:
    """The processes of a session that have not ended."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, its_session = path.read_text().rpartition(")")[2].split()[:4]
        except (FileNotFoundError, ProcessLookupError):
            continue  # it ended meanwhile
        if int(its_session) == number and state != "Z":
            found.add(int(path.parent.name))
    return found


def wait_for(happens, seconds):
    deadline = time.monotonic() + seconds
    while not happens() and time.monotonic() < deadline:
        time.sleep(0.05)
    return happens()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="which processes run is read from /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_run_leaves_no_process_behind(write_paper, tmp_path, number):
    folder = write_paper(CLAIMS.format(what=["sleep1", "sleep2", "sleep3", "sleep4"]))
    started = tmp_path / "started"
    started.mkdir()
    command = ["verify", str(folder), "--no-cache", "--jobs", "2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "moelaws", *command],
        cwd=tmp_path,
        env={**os.environ, "STARTED": str(started)},
        start_new_session=True,
    )
    try:
        assert wait_for(lambda: len(list(started.iterdir())) == 2, 120)
        assert {int(path.name) for path in started.iterdir()} < session(process.pid)
        process.send_signal(number)
        assert process.wait(60) == -number
        assert wait_for(lambda: not session(process.pid), 60), session(process.pid)
    finally:
        for left in session(process.pid):
            os.kill(left, signal.SIGKILL)
