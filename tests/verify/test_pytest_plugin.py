"""``pytest DIR`` collects a paper's claims as test items."""

from __future__ import annotations

import subprocess
import sys

from verify.commands.new_paper import scaffold


def run_pytest(folder):
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-rs",
            "-p",
            "no:cacheprovider",
            "-c",
            "/dev/null",
            "--rootdir",
            folder,
            folder,
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder.parent,
    )


def test_claims_are_items_and_outcomes_are_told_in_words(tmp_path):
    folder = tmp_path / "mine"
    scaffold(folder)
    claims = folder / "claims.py"
    claims.write_text(
        claims.read_text() + '\npaper.claim("open", "open", where="x", not_testable="no data here")\n'
    )
    done = run_pytest(folder)
    assert "1 passed, 1 skipped" in done.stdout, done.stdout
    assert "no data here" in done.stdout
    table = folder / "table1.csv"
    table.write_text(table.read_text().replace("0.18", "0.19"))
    failed = run_pytest(folder)
    assert failed.returncode == 1
    assert "REFUTED, it should hold" in failed.stdout
    assert "alpha_C at model=large is printed 0.19" in failed.stdout
    assert "Traceback" not in failed.stdout


def test_a_broken_paper_is_a_collection_error_in_one_line(tmp_path):
    folder = tmp_path / "mine"
    scaffold(folder)
    (folder / "claims.py").write_text("1/0\n")
    done = run_pytest(folder)
    assert done.returncode == 2
    assert "claims.py, line 1: ZeroDivisionError" in done.stdout
