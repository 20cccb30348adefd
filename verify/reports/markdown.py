"""report.md: the report as text that reads well on a terminal and on a code host."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from verify.judging.papers import THEORY
from verify.judging.severity import Origin
from verify.reports.certificates import certificate_line
from verify.reports.errata import as_markdown, errata
from verify.reports.figures.base import figure_of
from verify.reports.findings import findings
from verify.text import one_line
from verify.verdicts import Grade, Verdict


def to_markdown(report: Mapping[str, Any]) -> str:
    """The whole report as Markdown."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Mapping[str, Any]) -> Iterator[str]:
    summary = report["summary"]
    yield "# Claim-checking report"
    yield ""
    for paper in report["papers"]:
        yield f"- **{_escape(paper['id'])}**: {_escape(paper['authors'])}, *{_escape(paper['title'])}* ({_escape(paper['reference'])})"
        if paper["caveat"]:
            yield f"  {_escape(paper['caveat'])}"
    yield ""
    if not report["complete"]:
        yield f"> **Incomplete.** The run was interrupted; {len(report['not_run'])} claims were not judged: {_escape(', '.join(report['not_run']))}"
        yield ""
    yield "| verdict | claims | meaning |"
    yield "|---|---:|---|"
    for verdict in Verdict:
        yield f"| {verdict.glyph} {verdict.name} | {summary['verdicts'][verdict.name]} | {verdict.value} |"
    yield ""
    unexpected = summary["unexpected"]
    yield (
        f"**{len(unexpected)} of {len(report['claims'])} verdicts are not the expected ones:** {_escape(', '.join(unexpected))}"
        if unexpected
        else "Nothing has changed since the claims were recorded; every refutation was already known."
    )
    if summary["missing_inputs"]:
        yield ""
        yield f"{len(summary['missing_inputs'])} claims lack an optional input: {_escape(', '.join(summary['missing_inputs']))}"
    yield ""
    if report["assumptions"]:
        yield "## What is assumed"
        yield ""
        for assumption in report["assumptions"]:
            yield f"- **{assumption['name']}**: {_escape(assumption['words'])} (`{assumption['formula']}`; {_escape(assumption['source'])}). Used by {len(assumption['used_by'])} claims."
            for hypothesis in assumption["hypotheses"]:
                yield f"  - {_escape(hypothesis)}"
        yield ""
    yield from _sampled(report)
    yield from _refuted(report)
    for paper in sorted(report["papers"], key=lambda paper: paper["id"] == THEORY):
        entries = [e for e in report["claims"] if e["id"].split("/")[0] == paper["id"] and not e["control"]]
        if entries:
            yield f"## {_escape(paper['id'])}"
            yield ""
            for entry in entries:
                yield from _claim(entry)
    yield from _controls(report)
    yield from _graph(report)
    if report["mutation"]:
        yield from _mutation(report["mutation"])
    yield f"Digest `{report['digest']}`, profile {report['profile']}, moelaws {report['version']}."


def _sampled(report: Mapping[str, Any]) -> Iterator[str]:
    sampled = [e for e in report["claims"] if e["grade"] == "sampled"]
    if not sampled:
        return
    yield "## Only sampled"
    yield ""
    yield "Points were tried and no proof was found: nothing is known of any other point."
    yield ""
    for entry in sampled:
        yield f"- **{_escape(entry['words'])}**: {_escape(entry['finding'])} (`{entry['id']}`)"
    yield ""


def _refuted(report: Mapping[str, Any]) -> Iterator[str]:
    found = findings(report)
    if not found:
        return
    yield "## Refuted claims in short"
    yield ""
    for finding in found:
        own = not finding.origin.of_the_paper
        weight = f"{finding.severity.value}, {Origin.OWN_TEST.value}" if own else finding.severity.value
        ids = ", ".join(f"`{claim['id']}`" for claim in finding.claims)
        yield f"- **{_escape(finding.headline)}** ({weight}). {_escape(' '.join(finding.reasons))} ({ids})"
    yield ""
    rows = errata(report)
    if rows:
        yield "## Errata"
        yield ""
        yield as_markdown(rows)


def _controls(report: Mapping[str, Any]) -> Iterator[str]:
    controls = [e for e in report["claims"] if e["control"]]
    if not controls:
        return
    yield "## Controls"
    yield ""
    yield "These test the harness and say nothing about a paper; the table above does not count them."
    yield ""
    for entry in controls:
        yield from _claim(entry)


def _claim(entry: Mapping[str, Any]) -> Iterator[str]:
    verdict = Verdict[entry["verdict"]]
    flag = "" if entry["as_expected"] else f" (expected {entry['expected']})"
    yield f"### {verdict.glyph} {verdict.name}{flag}: {_escape(headline(entry))}"
    yield ""
    if headline(entry) != entry["words"]:
        yield _escape(entry["words"])
        yield ""
    yield f"`{entry['id']}`, {_escape(entry['where'])}"
    yield ""
    if entry["quote"]:
        yield f"> {_escape(entry['quote'])}"
        yield ""
    yield f"- **Found:** {_escape(entry['finding'])}"
    if entry["because"]:
        yield f"- **Expected {entry['expected']} because:** {_escape(entry['because'])}"
    if entry["reading"]:
        yield f"- **Reading:** {_escape(entry['reading'])}"
    evidence = entry["evidence"]
    if evidence.get("confirmed_by"):
        yield f"- **Confirmed by:** {_escape(evidence['confirmed_by'])}"
    if entry["check"]:
        yield f"- **Evidence:** {entry['check']}, grade {entry['grade']}"
    if certificate := certificate_line(evidence):
        yield f"- **Certificate:** {_escape(certificate)}"
    for variant in entry["variants"]:
        done = "rejected" if variant["verdict"] in ("REFUTED", "INCONCLUSIVE") else "accepted"
        yield f"- {variant['kind'].capitalize()} *{_escape(variant['name'])}*: {done} ({variant['verdict']})"
    if entry["family"]:
        family = entry["family"]
        adjusted = (
            f"{family['adjusted_p']} after Holm"
            if family["adjusted_p"]
            else "not adjusted, not all were judged"
        )
        yield f"- **Family:** {_escape(family['name'])}, {family['members']} claims: p = {family['p']}, {adjusted}"
    if entry["closed"] and entry["given"]:
        yield f"- **Proved given:** {', '.join(entry['given'])}"
    if entry["argued"]:
        yield f"- **Given an argument in prose:** {_escape(', '.join(entry['argued']))}"
    if entry["open"]:
        yield f"- **Open:** uses {_escape(', '.join(entry['open']))}, not proved"
    yield f"- **Rerun:** `{entry['rerun']}`"
    yield ""
    details = evidence.get("details") or {}
    figure = figure_of(details)
    if figure is not None:
        yield from figure.markdown(details, _escape)


def headline(entry: Mapping[str, Any]) -> str:
    """What a card says in large: the conclusion that was proved, else the words of the claim, which Coq proves as they are."""
    in_words = entry["grade"] == Grade.PROOF_ASSISTANT.name.lower()
    if entry["verdict"] == "PROVED" and entry["conclusion"] and not in_words:
        return str(entry["conclusion"]["text"])
    return str(entry["words"])


def _graph(report: Mapping[str, Any]) -> Iterator[str]:
    if not report["edges"]:
        return
    names: dict[str, str] = {}
    yield "## What rests on what"
    yield ""
    yield "```mermaid"
    yield "graph BT"
    for pair in report["edges"]:
        for name in pair:
            if name not in names:
                names[name] = f"n{len(names)}"
                yield f'  {names[name]}["{name}"]'
        yield f"  {names[pair[0]]} --> {names[pair[1]]}"
    yield "```"
    yield ""


def _mutation(mutation: Mapping[str, Any]) -> Iterator[str]:
    """The mutation score: by column, by reading beside the maximum, by claim; survivors with their reasons."""
    yield "## Would it have noticed?"
    yield ""
    yield "Misprints noticed by some claim of this run:"
    yield ""
    kinds = list(mutation["cells"][0]["scores"]) if mutation["cells"] else []
    yield f"| table | column | {' | '.join(kinds)} | cells that no claim constrains |"
    yield f"|---|---|{'---:|' * len(kinds)}---|"
    for item in mutation["cells"]:
        scores = " | ".join(f"{noticed} of {made}" for noticed, made in item["scores"].values())
        free = _escape("; ".join(item["unconstrained"]))
        yield f"| {_escape(item['paper'])}, {_escape(item['table'])} | {_escape(item['column'])} | {scores} | {free} |"
    yield ""
    for item in mutation["cells"]:
        for survivor in item["survivors"]:
            place = f"{item['table']}, {survivor['row']}, {item['column']}"
            yield _escape(f"- {place}: {survivor['misprint']} for {survivor['printed']}: {survivor['why']}")
    yield ""
    yield "Derived columns by themselves, noticed against the most that the reading can exclude:"
    yield ""
    yield "| column | inputs | outputs | noticed | maximum | made | rows contradicted |"
    yield "|---|---|---|---:|---:|---:|---|"
    for column in mutation["columns"]:
        for r in column["readings"]:
            maximum = "unknown" if r["maximum"] is None else r["maximum"]
            yield (
                f"| {_escape(column['table'])}, {_escape(column['column'])} | {r['inputs']} | {r['outputs']} | {r['noticed']} | "
                f"{maximum} | {r['mutants']} | {_escape('; '.join(r['excluded']))} |"
            )
    yield ""
    claims = mutation["claims"]
    rejected = "; ".join(f"{kind} {noticed} of {made}" for kind, (noticed, made) in claims["by_kind"].items())
    yield f"Claims falsified and rejected: {rejected}."
    yield ""
    for item in claims["claims"]:
        for survivor in item["survivors"]:
            yield f"- `{item['claim']}` ({survivor['kind']}) {_escape(survivor['says'])}: {survivor['why']}"
    yield ""


def _escape(text: str) -> str:
    """Text from tables and claims, so that it shows as text."""
    shown = one_line(text)
    for char in "\\`*_{}[]#|":
        shown = shown.replace(char, f"\\{char}")
    return shown.replace("<", "&lt;").replace(">", "&gt;")
