"""Markdown: tables with pipes, as GitHub renders them; the grammar is markdown-it's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from verify.printed.readers.grid import Grid, SpanCell, SpanRow, Text, lay_out
from verify.printed.readers.plain import is_mark, one_spelling, without_number
from verify.printed.readers.reader import Reader, Unread, source_text
from verify.printed.readers.tex.visible import visible_source

_MATHEMATICS = re.compile(r"(?<![\\$])\$(?:(?=\S)([^$]*?[^\s\\$])\$(?!\d)|([-+~]|\\[A-Za-z]+)\$(?=\d))")
"""A formula; its second dollar before a digit would be a price, unless it ends a sign."""
_FOOTNOTE = re.compile(r"\[\^[^\]\s]+\]")
_PLACE = re.compile("\ue000(\\d+)\ue001")
_TAG = re.compile(r"<(/?)([A-Za-z]+)[^>]*>")
_MARK_OF = {
    "strong_open": "bold",
    "em_open": "italic",
    "b": "bold",
    "strong": "bold",
    "i": "italic",
    "u": "underline",
}


class MarkdownReader(Reader):
    """Every pipe table; its caption is the emphasised line below it, or else the paragraph or heading above."""

    name = "Markdown"
    suffixes = (".md", ".markdown")
    example = "|size|loss|change|\n|-|-:|-:|\n|small|3.10|–|\n|large|**2.95**|$-$0.15|\n"

    def read(self, path: Path) -> Iterator[Grid | Unread]:
        grammar = MarkdownIt("commonmark").enable("table")
        tokens = grammar.parse(source_text(path))
        for begin, token in enumerate(tokens):
            if token.type == "table_open":
                end = next(i for i in range(begin, len(tokens)) if tokens[i].type == "table_close")
                line = token.map[0] + 1 if token.map else 0
                rows = list(_rows(tokens[begin:end], grammar))
                yield Grid(
                    lay_out(rows, f"{path.name}, line {line}"),
                    _caption(tokens, begin, end, grammar),
                    "",
                    path.name,
                    line,
                )


markdown = MarkdownReader()


def _rows(tokens: Sequence[Token], grammar: MarkdownIt) -> Iterator[SpanRow]:
    cells: list[SpanCell] = []
    line, head = 0, False
    for token in tokens:
        if token.type in ("thead_open", "thead_close"):
            head = token.type == "thead_open"
        elif token.type == "tr_open":
            cells, line = [], (token.map[0] + 1 if token.map else line + 1)
        elif token.type == "inline":
            cells.append(SpanCell(seen(token.content, grammar), line))
        elif token.type == "tr_close":
            yield SpanRow(tuple(cells), line, head=head)


def _caption(tokens: Sequence[Token], begin: int, end: int, grammar: MarkdownIt) -> str:
    below = tokens[end + 1 : end + 4]
    if len(below) > 1 and below[0].type == "paragraph_open":
        inline = [t for t in below[1].children or [] if t.content or t.type != "text"]
        if inline and inline[0].type == "em_open" and inline[-1].type == "em_close":
            return without_number(seen(below[1].content, grammar).text)
    if begin >= 2 and tokens[begin - 1].type in ("paragraph_close", "heading_close"):
        return without_number(seen(tokens[begin - 2].content, grammar).text)
    return ""


def seen(content: str, grammar: MarkdownIt) -> Text:
    """What the eye sees of a cell or a paragraph: its mathematics is TeX, its footnotes are dropped."""
    formulas: list[str] = []

    def put_aside(found: re.Match[str]) -> str:
        formulas.append(found[1] or found[2])
        return f"\ue000{len(formulas) - 1}\ue001"

    without = _FOOTNOTE.sub("", content)
    [inline] = grammar.parseInline(_MATHEMATICS.sub(put_aside, without))
    marks = {"footnote"} if without != content else set()
    shown, problem, raised = "", "", None
    for token in inline.children or []:
        if token.type in _MARK_OF:
            marks.add(_MARK_OF[token.type])
        elif token.type == "image":
            problem = "a picture stands in the cell"
        elif token.type == "html_inline" and (tag := _TAG.fullmatch(token.content)):
            name = tag[2].lower()
            if name == "sup" and not tag[1]:
                raised = len(shown)
            elif name == "sup" and raised is not None:
                shown, dropped = raise_text(shown[:raised], shown[raised:])
                marks |= {"footnote"} if dropped else set()
                raised = None
            elif name in _MARK_OF:
                marks.add(_MARK_OF[name])
            shown += " " * (name == "br")
        else:
            shown += " " if token.type in ("softbreak", "hardbreak") else token.content
    for formula in formulas:
        if (made := visible_source(formula, mathematics=True)).problem:
            problem = problem or made.problem
        marks |= made.marks
    shown = _PLACE.sub(lambda m: visible_source(formulas[int(m[1])], mathematics=True).text, shown)
    text, dropped = one_spelling(shown)
    return Text("" if problem else text, frozenset(marks | ({"footnote"} if dropped else set())), problem)


def raise_text(base: str, raised: str) -> tuple[str, bool]:
    """Text with what is raised behind it, and whether that was a footnote mark and is dropped."""
    if is_mark(raised) or not (base.rstrip().endswith("10") or base.rstrip()[-1:].isalpha()):
        return base, True
    return f"{base}^{raised.strip()}", False
