"""report.html: the whole report as one page that opens from disk, without network or scripts.

The page is a rendering of report.json and of nothing else, so equal reports give
equal bytes. Jinja escapes every text; formulas pass through a parser that keeps
known MathML only; a content security policy forbids every request and every
script but the page's own.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import groupby
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from verify.judging.papers import THEORY
from verify.judging.severity import Origin
from verify.reports import diagram
from verify.reports.certificates import certificate_line
from verify.reports.errata import COLUMNS, as_csv, as_latex, as_markdown, errata
from verify.reports.figures.base import figure_of
from verify.reports.findings import Finding, counts, findings, told
from verify.reports.markdown import headline
from verify.reports.mathml import to_mathml
from verify.reports.report_diff import Change, grouped
from verify.text import one_line
from verify.verdicts import Verdict

_WORST = 5
"""So many findings stand on the first screen."""
_MANY_CLAIMS = 500
_CELLS_SHOWN, _FORMULAS_SHOWN = {False: 60, True: 3}, {False: 8, True: 1}
"""How much a card shows, by whether there are many claims: a report of thousands still opens at once."""


def to_html(report: Mapping[str, Any]) -> str:
    """The report as a page."""
    return _render("report.html", **(_page(report) | _report(report)))


def cards_html(report: Mapping[str, Any]) -> str:
    """The cards alone, with their style, for a notebook's output cell."""
    return _render("notebook.html", **_report(report))


def diff_html(old: Mapping[str, Any], new: Mapping[str, Any], changes: Sequence[Change]) -> str:
    """What changed between two reports, as a page with both findings side by side."""
    before = {entry["id"]: entry for entry in old["claims"]}
    after = {entry["id"]: entry for entry in new["claims"]}
    groups = {
        name: [
            {"change": change, "old": before.get(change.claim), "new": after.get(change.claim)}
            for change in members
        ]
        for name, members in grouped(changes).items()
    }
    return _render("diff.html", **_page(new), groups=groups, changes=len(changes), old=old, new=new)


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("verify.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["shown"] = _shown
    made.filters["formula"] = _formula
    made.filters["headline"] = headline
    made.filters["certificate"] = certificate_line
    made.filters["told"] = told
    made.globals["verdicts"] = list(Verdict)
    made.globals["glyph"] = {v.name: v.glyph for v in Verdict}
    return made


def _render(template: str, **context: Any) -> str:
    return _environment().get_template(template).render(**context)


def _source(name: str) -> str:
    environment = _environment()
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


def _page(report: Mapping[str, Any]) -> dict[str, Any]:
    """What every page needs: its style and script, and the policy that allows just them."""
    script = _source("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return {
        "style": Markup(_source("style.css")),
        "script": Markup(script),
        "policy": f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'",
        "report": report,
    }


def _report(report: Mapping[str, Any]) -> dict[str, Any]:
    claims = [entry for entry in report["claims"] if not entry["control"]]
    many = len(claims) > _MANY_CLAIMS
    found = findings(report)
    rows = errata(report)
    return {
        "report": report,
        "style": Markup(_source("style.css")),
        "papers": [
            {**paper, "groups": groups, "counts": counts(report)[paper["id"]]}
            for paper in sorted(report["papers"], key=lambda paper: _place(paper, found))
            if (groups := list(_groups([e for e in claims if e["id"].split("/")[0] == paper["id"]])))
        ],
        "theory": THEORY,
        "controls": [entry for entry in report["claims"] if entry["control"]],
        "findings": [(heading, list(each)) for heading, each in groupby(found, key=_heading)],
        "worst": [(finding, _thumbnail(finding)) for finding in found if finding.origin.of_the_paper][
            :_WORST
        ],
        "errata": rows,
        "errata_columns": COLUMNS,
        "copies": [("CSV", as_csv(rows)), ("Markdown", as_markdown(rows)), ("LaTeX", as_latex(rows))],
        "shown_verdicts": _shown_at_first(report),
        "graph": _graph(report),
        "statement_link": {name: node.href for name, node in _nodes(report).items()},
        "picture": partial(_card, cells_shown=_CELLS_SHOWN[many], formulas_shown=_FORMULAS_SHOWN[many]),
    }


def _place(paper: Mapping[str, Any], found: Sequence[Finding]) -> tuple[bool, int]:
    """The paper with the gravest finding first, the toolkit's own mathematics last."""
    order = list(dict.fromkeys(finding.paper for finding in found))
    return paper["id"] == THEORY, order.index(paper["id"]) if paper["id"] in order else len(order)


def _heading(finding: Finding) -> str:
    return finding.severity.value if finding.origin.of_the_paper else Origin.OWN_TEST.value


def _shown_at_first(report: Mapping[str, Any]) -> set[str]:
    """The verdicts whose cards are shown before anybody ticks a box: the findings, or all of them where there is none."""
    there = {entry["verdict"] for entry in report["claims"] if not entry["control"]}
    return there & {Verdict.REFUTED.name, Verdict.ERROR.name} or set(Verdict.__members__)


def _thumbnail(finding: Finding) -> Markup:
    details = finding.first["evidence"].get("details", {})
    figure = figure_of(details)
    return figure.thumbnail(finding.first) if figure else Markup("")


def _groups(entries: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The claims of a paper by the place they are made, in the order of the claims."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for entry in entries:
        parts = entry["id"].split("/")
        groups.setdefault(parts[1] if len(parts) > 2 else "", []).append(entry)
    for name, members in groups.items():
        counts = {v: sum(1 for e in members if e["verdict"] == v.name) for v in Verdict}
        yield {"name": name, "claims": members, "counts": {v: c for v, c in counts.items() if c}}


def _nodes(report: Mapping[str, Any]) -> dict[str, diagram.Node]:
    """Claims and statements as boxes that link to their cards."""
    claims = {entry["id"]: entry for entry in report["claims"]}
    assumed = {item["name"] for item in report["assumptions"]}
    papers = {pair[0].split("/")[0] for pair in report["edges"] if "/" in pair[0]}
    prefix = f"{papers.pop()}/" if len(papers) == 1 else ""
    nodes = {}
    for name in {name for pair in report["edges"] for name in pair}:
        proof = claims.get(f"theory/{name.replace('_', '-')}")
        if name in claims:
            nodes[name] = diagram.Node(name.removeprefix(prefix), f"#{name}", claims[name]["verdict"])
        elif name in assumed:
            nodes[name] = diagram.Node(f"assumed: {name}", f"#assumption-{name}", "assumed")
        elif proof is not None:
            nodes[name] = diagram.Node(name, f"#{proof['id']}", proof["verdict"])
        else:
            nodes[name] = diagram.Node(one_line(name))
    return nodes


def _graph(report: Mapping[str, Any]) -> Markup:
    return diagram.draw(diagram.reduced(diagram.grouped(report["edges"])), _nodes(report))


def _card(entry: Mapping[str, Any], *, cells_shown: int, formulas_shown: int) -> dict[str, Any]:
    """The formulas above a card's figure, and the figure; empty where a picture would say nothing."""
    figure = figure_of(entry["evidence"].get("details") or {})
    drawn = figure and figure.drawn(entry, cells_shown=cells_shown, formulas_shown=formulas_shown)
    formulas = [] if drawn and drawn.holds_formulas else entry["formulas"]
    shown = Markup("")
    if figure and drawn:
        shown = Markup(_render(f"figure-{figure.name}.html", entry=entry, **drawn.context))
    return {
        "formulas": formulas[:formulas_shown],
        "more_formulas": len(formulas[formulas_shown:]),
        "figure": shown,
    }


def _shown(text: object) -> Markup:
    """Text of a paper, a table or a user: on one line, and unable to turn the text around it."""
    line = one_line(str(text))
    return Markup("{}" if line.isascii() else "<bdi>{}</bdi>").format(line)


def _formula(formula: Mapping[str, str]) -> Markup:
    """A formula as MathML, or as plain text where that would not be faithful."""
    converted = to_mathml(formula["latex"]) if formula["latex"] else ""
    if converted:
        return Markup(converted)
    return Markup("<code>{}</code>").format(one_line(formula["text"]))
