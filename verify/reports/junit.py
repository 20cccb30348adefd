"""junit.xml: the report for a build server.

As expected is a pass, inconclusive or not testable as expected is skipped with
its reason, an unexpected verdict fails, ERROR is an error. No times are
written, so the file is the same for the same inputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

from verify.text import one_line


def to_junit(report: Mapping[str, Any]) -> str:
    """The report as JUnit XML."""
    root = ElementTree.Element("testsuites", name="moelaws")
    for paper in report["papers"]:
        entries = [e for e in report["claims"] if e["id"].split("/")[0] == paper["id"]]
        outcomes = [_outcome(e) for e in entries]
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=one_line(paper["id"]),
            tests=str(len(entries)),
            failures=str(outcomes.count("failure")),
            errors=str(outcomes.count("error")),
            skipped=str(outcomes.count("skipped")),
        )
        for entry, outcome in zip(entries, outcomes, strict=True):
            names = {"classname": one_line(paper["id"]), "name": one_line(entry["id"])}
            case = ElementTree.SubElement(suite, "testcase", names)
            if outcome:
                message = f"{entry['verdict']}, expected {entry['expected']}: {entry['finding']}"
                ElementTree.SubElement(case, outcome, message=one_line(message))
    if not report["complete"]:
        root.set("incomplete", str(len(report["not_run"])))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _outcome(entry: Mapping[str, Any]) -> str:
    if entry["verdict"] == "ERROR":
        return "error"
    if not entry["as_expected"]:
        return "failure"
    return "skipped" if entry["verdict"] in ("INCONCLUSIVE", "NOT_TESTABLE") else ""
