"""Renderings of a run: report.json is the truth; the page, the Markdown and the JUnit file are made from it."""

from __future__ import annotations

import json
from pathlib import Path

from verify.files import save
from verify.judging.runner import Run
from verify.reports.html import to_html
from verify.reports.junit import to_junit
from verify.reports.markdown import to_markdown
from verify.reports.record import Record, run_record, to_json


def write_reports(report: Record, run: Run, folder: Path) -> None:
    """Write report.json, its renderings and run.json into ``folder``."""
    text = to_json(report)
    save(folder / "report.json", text)
    save(folder / "run.json", to_json(run_record(run)))
    write_renderings(json.loads(text), folder)  # what is stored is what is shown, to the order of its keys


def write_renderings(report: Record, folder: Path) -> list[Path]:
    """Write report.html, report.md and junit.xml into ``folder``; the paths written."""
    renderings = {"report.html": to_html, "report.md": to_markdown, "junit.xml": to_junit}
    for name, render in renderings.items():
        save(folder / name, render(report))
    return [folder / name for name in renderings]
