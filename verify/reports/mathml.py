"""LaTeX formulas as MathML that is safe to place in a page: parsed, and only known elements kept."""

from __future__ import annotations

from functools import lru_cache
from xml.etree import ElementTree

_NAMESPACE = "http://www.w3.org/1998/Math/MathML"
_ELEMENTS = frozenset(
    {"math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "msub", "msup", "msubsup", "munder", "mover",
     "munderover", "mfrac", "msqrt", "mroot", "mtable", "mtr", "mtd", "mstyle", "mpadded", "mphantom"}
)  # fmt: skip
_ATTRIBUTES = frozenset({"display", "accent", "mathvariant", "linethickness"})


@lru_cache(maxsize=8192)
def to_mathml(latex: str) -> str:
    """The formula as one ``<math>`` element; empty where it cannot be converted faithfully.

    The converter does not escape text, so its output is parsed and rebuilt: an
    element or a command that is not known makes the answer empty, and the caller
    then shows the formula as plain text.
    """
    from latex2mathml.converter import convert

    try:
        root = ElementTree.fromstring(convert(latex))
    except Exception:  # the converter raises many types; a formula it cannot read is shown as text
        return ""
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{_NAMESPACE}}}")
        if element.tag not in _ELEMENTS:
            return ""
        for name in set(element.attrib) - _ATTRIBUTES:
            del element.attrib[name]
        if element.tag == "mtext" and element.text:
            for special in "#$%&_":
                element.text = element.text.replace(f"\\{special}", special)
    if "\\" in "".join(root.itertext()):
        return ""
    _unwrap(root)
    return ElementTree.tostring(root, encoding="unicode")


def _unwrap(parent: ElementTree.Element) -> None:
    """Drop the rows that hold a single element, which the converter puts nearly everywhere."""
    for place, child in enumerate(parent):
        while child.tag == "mrow" and len(child) == 1:
            child = child[0]
        parent[place] = child
        _unwrap(child)
