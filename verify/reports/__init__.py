"""Renderings of a run: report.json is the truth, Markdown and JUnit are made from it."""

from __future__ import annotations

from pathlib import Path

from verify.files import save
from verify.reports.junit import to_junit
from verify.reports.markdown import to_markdown
from verify.reports.record import Record, run_record, to_json
from verify.runner import Run


def write_reports(report: Record, run: Run, folder: Path) -> None:
    """Write report.json, report.md, junit.xml and run.json into ``folder``."""
    save(folder / "report.json", to_json(report))
    save(folder / "report.md", to_markdown(report))
    save(folder / "junit.xml", to_junit(report))
    save(folder / "run.json", to_json(run_record(run)))
