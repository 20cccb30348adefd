"""A report of any other form is refused in a line when it is read; what is let through can be shown in every way there is."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator

import pytest

from verify.errors import InputError
from verify.recheck.report import reread_report
from verify.recheck.sealed import DEEPEST, seal
from verify.reports.html import diff_html, to_html
from verify.reports.junit import to_junit
from verify.reports.markdown import to_markdown
from verify.reports.record import read_report
from verify.reports.report_diff import changes
from verify.reports.terminal import print_verdicts

WRONG = [
    None,
    True,
    -1,
    1e308,
    "",
    "x",
    "nan",
    "-1e309",
    "\ufffe\x1b[2J\n",
    [],
    ["x"],
    {},
    {"figure": "cells"},
]


@pytest.fixture
def report(small_report):
    return small_report


def places(value, above=()) -> Iterator[tuple]:
    """Every place in a JSON value but those inside of certificates, which `moelaws recheck` reads."""
    for name, part in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*above, name)
        if isinstance(part, (dict, list)) and name != "certificate":
            yield from places(part, (*above, name))


def altered(report, place, wrong):
    """A sealed copy with another value at a place; without it where ``wrong`` is Ellipsis."""
    found = copy.deepcopy(report)
    part = found
    for name in place[:-1]:
        part = part[name]
    if wrong is ...:
        del part[place[-1]]
    else:
        part[place[-1]] = wrong
    return found | {"digest": seal(found)}


def shown(folder, record) -> bool:
    """Whether a report is let through; it must be possible to show it then, and to read it again."""
    path = folder / "report.json"
    path.write_text(json.dumps(record))
    try:
        found = read_report(path)
    except InputError:
        return False
    to_markdown(found), to_junit(found), to_html(found), print_verdicts(found)
    diff_html(found, found, changes(found, found))
    reread_report(found)
    return True


def test_the_report_itself_is_let_through(report, tmp_path, capsys):
    assert shown(tmp_path, report)


@pytest.mark.parametrize("part", range(4))
def test_whatever_stands_in_a_report_it_is_refused_or_shown(report, tmp_path, capsys, part):
    draw = random.Random(part)
    every = list(places(report))
    for place in draw.sample(every, 60):
        shown(tmp_path, altered(report, place, draw.choice([..., *WRONG])))


@pytest.mark.thorough
def test_whatever_stands_at_any_of_many_places_it_is_refused_or_shown(report, tmp_path, capsys):
    draw = random.Random(0)
    for place in draw.sample(list(places(report)), 600):
        shown(tmp_path, altered(report, place, draw.choice([..., *WRONG])))


def deep(levels):
    text = "[" * levels + "]" * levels
    return json.loads(text)


@pytest.mark.parametrize(
    ("place", "wrong", "said"),
    [
        (("claims", 0, "verdict"), "MAYBE", "claims.0.verdict"),
        (("claims", 0, "finding"), ..., "claims.0.finding: field required"),
        (("papers", 0, "year"), "2026", "papers.0.year"),
        (("edges",), [["a", "b"], ["b", "a"]], "in a circle"),
        (("edges",), [["a"]], "edges.0"),
        (("more",), deep(DEEPEST + 1), "inside one another"),
        (("summary", "verdicts"), {"PROVED": 1}, "a count of each"),
    ],
)
def test_what_is_wrong_is_named(report, tmp_path, place, wrong, said):
    (tmp_path / "report.json").write_text(json.dumps(altered(report, place, wrong)))
    with pytest.raises(InputError, match=said):
        read_report(tmp_path)


@pytest.mark.parametrize(
    "value", ["1e999", "NaN", '"\\ud800"', "[" * 100_000, "1" * 5000, '{"a": 1, "a": 2}']
)
def test_what_json_cannot_write_again_is_refused_before_the_seal(report, tmp_path, value):
    text = json.dumps(report).replace('"profile": "quick"', f'"profile": {value}')
    (tmp_path / "report.json").write_text(text)
    with pytest.raises(InputError, match="not a report"):
        read_report(tmp_path)


def test_two_claims_of_one_id_are_refused(report, tmp_path):
    twice = report | {"claims": [*report["claims"], report["claims"][0]]}
    (tmp_path / "report.json").write_text(json.dumps(twice | {"digest": seal(twice)}))
    with pytest.raises(InputError, match="two claims have one id"):
        read_report(tmp_path)
