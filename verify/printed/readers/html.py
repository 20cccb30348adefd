"""HTML: tables of any page, arXiv's own (LaTeXML) among them, read by the standard library's parser; scripts are not run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

from verify.errors import InputError
from verify.printed.readers.grid import Grid, SpanCell, SpanRow, Text, lay_out
from verify.printed.readers.plain import is_mark, one_spelling, without_number
from verify.printed.readers.reader import Reader, Unread, source_text
from verify.printed.readers.tex.visible import visible_source

_VOID = {"br", "img", "hr", "meta", "link", "input", "col", "wbr", "area", "base", "embed", "source", "track"}
_CLOSES = {
    "td": {"td", "th"},
    "th": {"td", "th"},
    "tr": {"td", "th", "tr", "caption", "colgroup"},
    "thead": {"td", "th", "tr", "caption", "colgroup"},
    "tbody": {"td", "th", "tr", "thead", "tbody", "caption", "colgroup"},
    "tfoot": {"td", "th", "tr", "thead", "tbody"},
    "p": {"p"},
    "li": {"li"},
}
"""The elements whose end tag may be left out before the one that begins here."""
_BARRIER = {"table", "html", "body", "figure"}
_UNSEEN = {"script", "style", "head", "title", "noscript", "template", "annotation"}
_MARK_OF = {"b": "bold", "strong": "bold", "i": "italic", "em": "italic", "u": "underline"}
_MARK_OF_CLASS = {"ltx_font_bold": "bold", "ltx_font_italic": "italic", "ltx_framed_underline": "underline"}
_DEEPEST = 400


@dataclass
class Element:
    """An element of the page: its tag, attributes, line, and what stands in it."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element | str] = field(default_factory=list)

    def all(self, *tags: str, into: bool = False) -> Iterator[Element]:
        """The elements with these tags below here; not inside a further table unless ``into``."""
        for child in self.children:
            if isinstance(child, Element):
                if child.tag in tags:
                    yield child
                if child.tag != "table" or into:
                    yield from child.all(*tags, into=into)

    @property
    def classes(self) -> set[str]:
        return set(self.attributes.get("class", "").split())


class _Tree(HTMLParser):
    """The page as elements, end tags supplied where HTML lets them out."""

    def __init__(self, where: str) -> None:
        super().__init__(convert_charrefs=True)
        self.where = where
        self.root = Element("html", {}, 1)
        self.open = [self.root]

    def handle_decl(self, decl: str) -> None:
        self._refuse_entities(decl)

    def unknown_decl(self, data: str) -> None:
        self._refuse_entities(data)

    def _refuse_entities(self, declaration: str) -> None:
        if "ENTITY" in declaration.upper():
            raise InputError(
                f"{self.where}, line {self.getpos()[0]}: the page declares entities of its own; they are not expanded; "
                "remove the declaration"
            )

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        closing = _CLOSES.get(tag, set())
        for place in range(len(self.open) - 1, 0, -1):
            if self.open[place].tag in _BARRIER:
                break
            if self.open[place].tag in closing:
                del self.open[place:]
        element = Element(tag, {name: value or "" for name, value in attrs}, self.getpos()[0])
        self.open[-1].children.append(element)
        if tag not in _VOID:
            if len(self.open) > _DEEPEST:
                raise InputError(
                    f"{self.where}, line {element.line}: elements nested more than {_DEEPEST} deep"
                )
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        for place in range(len(self.open) - 1, 0, -1):
            if self.open[place].tag == tag:
                del self.open[place:]
                return
            if self.open[place].tag in _BARRIER and tag not in _BARRIER:
                return

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


class HtmlReader(Reader):
    """Every table with numbers in it; one that only lays out the page is passed over."""

    name = "HTML"
    suffixes = (".html", ".htm", ".xhtml")
    example = (
        "<table><tr><th>size<th>loss<th>change<tr><td>small<td>3.10<td>&ndash;"
        "<tr><td>large<td><b>2.95</b><td>&minus;0.15</table>"
    )

    def read(self, path: Path) -> Iterator[Grid | Unread]:
        tree = _Tree(path.name)
        tree.feed(source_text(path))
        tree.close()
        figures = {
            id(table): figure
            for figure in tree.root.all("figure", into=True)
            for table in figure.all("table")
        }
        for table in tree.root.all("table", into=True):
            figure = figures.get(id(table))
            caption, label = _caption(table, figure)
            rows = list(_rows(table))
            yield Grid(
                lay_out(rows, f"{path.name}, line {table.line}"), caption, label, path.name, table.line
            )


html = HtmlReader()


def _caption(table: Element, figure: Element | None) -> tuple[str, str]:
    found = next(table.all("caption"), None) or (figure and next(figure.all("figcaption"), None))
    label = (figure.attributes.get("id") if figure else "") or table.attributes.get("id", "")
    return without_number(_seen(found).text) if found else "", label


def _rows(table: Element) -> Iterator[SpanRow]:
    heads = {id(row) for head in table.all("thead") for row in head.all("tr")}
    for row in table.all("tr"):
        cells = list(row.all("td", "th"))
        head = id(row) in heads or (bool(cells) and all(cell.tag == "th" for cell in cells))
        yield SpanRow(
            tuple(
                SpanCell(_seen(cell), cell.line, _span(cell, "colspan"), _span(cell, "rowspan"))
                for cell in cells
            ),
            row.line,
            head=head,
        )


def _span(cell: Element, name: str) -> int:
    text = cell.attributes.get(name, "1").strip()
    return max(int(text), 1) if text.isascii() and text.isdigit() and len(text) < 7 else 1


def _seen(element: Element) -> Text:
    """What the eye sees of an element."""
    out: list[str] = []
    marks: set[str] = set()
    problems: list[str] = []
    _show(element, out, marks, problems)
    text, dropped = one_spelling("".join(out))
    if dropped:
        marks.add("footnote")
    return Text("" if problems else text, frozenset(marks), problems[0] if problems else "")


def _show(element: Element, out: list[str], marks: set[str], problems: list[str]) -> None:
    for child in element.children:
        if isinstance(child, str):
            out.append(" ".join(child.split(" ")).replace("\n", " "))
        elif child.tag in _UNSEEN or "ltx_tag" in child.classes or child.tag == "table":
            continue
        elif child.tag == "math":
            made = _formula(child)
            out.append(made.text)
            marks |= made.marks
            problems += [made.problem] if made.problem else []
        elif child.tag == "img" or child.tag == "svg":
            problems.append("a picture stands in the cell")
        elif child.tag == "br":
            out.append(" ")
        elif child.tag == "sup":
            raised: list[str] = []
            _show(child, raised, marks, problems)
            content, base = "".join(raised).strip(), "".join(out).rstrip()
            if is_mark(content) or not (base.endswith("10") or base[-1:].isalpha()):
                marks.add("footnote")
            else:
                out.append(f"^{content}")
        else:
            marks |= {_MARK_OF[child.tag]} if child.tag in _MARK_OF else set()
            marks |= {mark for name, mark in _MARK_OF_CLASS.items() if name in child.classes}
            _show(child, out, marks, problems)


def _formula(math: Element) -> Text:
    """A formula from the TeX it was made of; without that it is not guessed at."""
    source = math.attributes.get("alttext") or next(
        ("".join(c for c in note.children if isinstance(c, str)) for note in math.all("annotation")), ""
    )
    if not source:
        return Text(problem="mathematics without the TeX it was made of")
    return visible_source(source.replace("{,}", ","), mathematics=True)
