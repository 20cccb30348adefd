"""The card of a claim whose code stands on the page above it: measured, judged and drawn when the page is built."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from verify.judging.papers import load_paper
from verify.judging.runner import run_claims
from verify.reports.html import cards_html
from verify.reports.record import report_record

_BLOCK = re.compile(
    r"^```\{code-block\} python\n:caption: ([^,\n]+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
_PAPER = 'title = "Example"\nauthors = "the reader"\nyear = 2026\nreference = "this page"\n'


class Card(SphinxDirective):
    """``{card} FOLDER/claims.py CLAIM``: the card of that claim, as a report shows it."""

    required_arguments = 2

    def run(self) -> list[nodes.Node]:
        file, claim = self.arguments
        source = Path(self.env.doc2path(self.env.docname)).read_text(encoding="utf-8")
        above = source.partition(f"{{card}} {file} {claim}")[0]
        code = [text for caption, text in _BLOCK.findall(above) if caption == file]
        with TemporaryDirectory() as place:
            folder = Path(place) / Path(file).parent.name
            folder.mkdir()
            (folder / "paper.toml").write_text(_PAPER, encoding="utf-8")
            (folder / "claims.py").write_text("\n".join(code), encoding="utf-8")
            paper = load_paper(folder)
            run = run_claims([paper], [paper.claims[f"{paper.id}/{claim}"]])
        html = cards_html(report_record(run)).replace('<details class="card', '<details open class="card', 1)
        return [nodes.raw("", _in_the_theme(html), format="html")]


def _in_the_theme(html: str) -> str:
    """The card's style kept to itself, and its colours following the reader's choice of light or dark."""
    style = html.partition("<style>")[2].partition("</style>")[0]
    light, dark = (block.strip() for block in re.findall(r"\.page, \.moelaws \{(.*?)\}", style, re.DOTALL))
    chosen = "".join(
        f'body[data-theme="{theme}"] .moelaws {{ {colours} }}\n'
        for theme, colours in (("light", light), ("dark", dark))
    )
    scoped = style.replace(".page, .moelaws {", ":scope {")
    return html.replace(style, f"@scope (.moelaws) {{\n{scoped}\n}}\n{chosen}")


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_directive("card", Card)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
