"""Formulas as MathML, converted once at build time: a page then needs no script and no network to show them."""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator

from verify.reports.mathml import to_mathml

logger = logging.getLogger(__name__)


def _mathml(node: nodes.Element, display: str) -> str:
    converted = to_mathml(node.astext())
    if not converted:
        logger.warning("formula not understood: %s", node.astext(), location=node)
    return converted.replace('display="inline"', f'display="{display}"', 1)


def visit_inline(writer: HTML5Translator, node: nodes.math) -> None:
    writer.body.append(_mathml(node, "inline"))
    raise nodes.SkipNode


def visit_block(writer: HTML5Translator, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="math">{_mathml(node, "block")}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
