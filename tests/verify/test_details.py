"""Details of evidence are records: their JSON, the figures that they name, and figures found by being defined."""

from __future__ import annotations

import gc
import importlib
import json
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field, is_dataclass
from pathlib import Path
from typing import ClassVar

import pytest

import verify.checks
import verify.measured
import verify.reports.figures as figures
from verify.details import NULLABLE, Details, as_json
from verify.judging.judge import evidence_from_record, evidence_record
from verify.reports.figures.base import Drawn, Figure, _figures, figure_of
from verify.reports.html import cards_html
from verify.reports.markdown import to_markdown
from verify.verdicts import Evidence, Grade, Verdict

for package in (verify.checks, verify.measured):
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
KINDS = [kind for kind in Details.__subclasses__() if kind.__module__.startswith("verify.")]


@dataclass(frozen=True)
class Part:
    low: str
    high: str | None = None
    next: str | None = field(default=None, metadata=NULLABLE)


@dataclass(frozen=True)
class Whole(Details):
    figure: ClassVar[str] = "whole"

    parts: tuple[Part, ...]
    by_name: Mapping[str, Part]
    power: str | None = None


WHOLE = Whole((Part("1", "2"), Part("3", next="4")), {"a": Part("5")})
RECORD = {
    "figure": "whole",
    "parts": [{"low": "1", "high": "2", "next": None}, {"low": "3", "next": "4"}],
    "by_name": {"a": {"low": "5", "next": None}},
}


def test_a_record_reads_as_its_json_without_what_is_none():
    assert dict(WHOLE) == as_json(WHOLE) == json.loads(json.dumps(as_json(WHOLE))) == RECORD
    assert (len(WHOLE), list(WHOLE)) == (3, ["figure", "parts", "by_name"])
    assert WHOLE.get("power") is None
    with pytest.raises(KeyError):
        WHOLE["power"]


def test_evidence_keeps_a_record_as_its_json():
    found = Evidence(Verdict.SUPPORTED, Grade.EXACT, "found", WHOLE)
    assert evidence_record(found)["details"] == RECORD
    again = evidence_from_record(json.loads(json.dumps(evidence_record(found))))
    assert again.details == RECORD
    assert evidence_record(again) == evidence_record(found)


def test_what_json_cannot_hold_is_left_for_json_to_refuse():
    with pytest.raises(TypeError):
        json.dumps(as_json({"a": object()}))


def test_every_kind_of_details_is_a_frozen_record_and_names_a_figure_that_there_is():
    assert len(KINDS) > 5
    for kind in KINDS:
        assert is_dataclass(kind), kind
        assert kind.__dataclass_params__.frozen, kind
        assert kind.__doc__, kind
        assert not kind.figure or kind.figure in _figures(), kind
    assert {kind.figure for kind in KINDS} - {""} == set(_figures())


def test_every_figure_is_one_file_and_one_template():
    files = {module.name for module in pkgutil.iter_modules(figures.__path__)} - {"base"}
    templates = Path(figures.__path__[0]).parent / "templates"
    assert files == set(_figures()) == {path.stem[7:] for path in templates.glob("figure-*.html")}
    for name, figure in _figures().items():
        assert type(figure).__module__ == f"verify.reports.figures.{name}"


def test_details_without_a_figure_or_with_an_unknown_one_are_shown_without():
    assert figure_of({}) is figure_of({"cells": []}) is figure_of({"figure": "none"}) is None
    assert figure_of({"figure": ["cells"]}) is None


def test_a_figure_is_found_by_being_defined(monkeypatch, measured_paper, tmp_path):
    from verify.judging.papers import load_paper
    from verify.judging.runner import run_claims
    from verify.reports import html
    from verify.reports.record import report_record

    class Whole(Figure):
        name = "whole"

        def drawn(self, entry, *, cells_shown, formulas_shown):
            return Drawn({"count": len(entry["evidence"]["details"]["parts"])})

        def markdown(self, details, escape):
            yield escape(f"{len(details['parts'])} parts *each*")

    paper = load_paper(measured_paper)
    report = json.loads(json.dumps(report_record(run_claims([paper], list(paper.claims.values())[:1]))))
    report["claims"][0]["evidence"]["details"] = RECORD
    (tmp_path / "figure-whole.html").write_text("<p>{{ count }} parts of {{ entry.id }}</p>\n")
    from jinja2 import ChoiceLoader, FileSystemLoader

    environment = html._environment()
    loader = ChoiceLoader([environment.loader, FileSystemLoader(tmp_path)])
    monkeypatch.setattr(environment, "loader", loader)
    _figures.cache_clear()
    try:
        assert "<p>2 parts of invented/rate/true</p>" in cards_html(report)
        assert r"2 parts \*each\*" in to_markdown(report)
    finally:
        _figures.cache_clear()
        del Whole
        gc.collect()  # a class that is gone is found no more
