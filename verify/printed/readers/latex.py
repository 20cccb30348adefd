"""LaTeX: the tabulars of a paper's source, its own macros replaced, nothing executed.

An own reader of as much of TeX as tables need: no library at hand reads tabulars without running TeX or needing it installed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from verify.printed.readers.grid import Grid, GridRow, SpanCell, SpanRow, Text, lay_out
from verify.printed.readers.plain import without_number
from verify.printed.readers.reader import Reader, Unread, source_text
from verify.printed.readers.tex.macros import Expander, spread_stars
from verify.printed.readers.tex.tokens import Stream, Token, plain
from verify.printed.readers.tex.visible import visible

_FLOATS = re.compile(r"(table|wraptable|sidewaystable|SCtable|margintable|threeparttable|ThreePartTable)\*?")
_TABULARS = {
    "tabular": "",
    "tabular*": "a",
    "tabularx": "a",
    "tabulary": "a",
    "longtable": "",
    "supertabular": "",
    "xltabular": "a",
    "tabu": "",
    "longtabu": "",
}
"""The environments that are tables, and the arguments before their columns."""
_RULES = {"hline", "toprule", "midrule", "bottomrule", "Xhline", "specialrule", "hdashline", "thickhline"}
_RULE_ARGUMENTS = {"Xhline": 1, "specialrule": 3}


class LatexReader(Reader):
    """Every tabular, with its float's caption and label."""

    name = "LaTeX"
    suffixes = (".tex", ".ltx")
    example = (
        r"\begin{tabular}{lrr} \hline size & loss & change \\ \hline small & 3.10 & -- \\ "
        r"large & \textbf{2.95} & $-$0.15 \\ \hline \end{tabular}"
    )

    def chosen(self, paths: list[Path]) -> list[Path]:
        """The files that begin a document; all, where none does."""
        return [path for path in paths if r"\documentclass" in source_text(path)] or paths

    def read(self, path: Path) -> Iterator[Grid | Unread]:
        expander = Expander(path.parent)
        tokens = expander.read(path)
        for token, name in expander.missing:
            yield Unread(
                token.file,
                token.line,
                f"\\{token.text}{{{name}}}: there is no such file in the paper's folder",
            )
        start = next((i for i, t in enumerate(tokens) if t.kind == "begin" and t.text == "document"), 0)
        place = start
        while place < len(tokens):
            token = tokens[place]
            is_float = token.kind == "begin" and _FLOATS.fullmatch(token.text)
            if is_float or (token.kind == "begin" and token.text in _TABULARS):
                end = _end(tokens, place)
                yield from _float(tokens[place:end], expander, alone=not is_float)
                place = end
            else:
                place += 1


latex = LatexReader()


def _end(tokens: Sequence[Token], begin: int) -> int:
    """The place after the end of the environment that begins here."""
    depth = 0
    for place in range(begin, len(tokens)):
        if tokens[place].text == tokens[begin].text:
            depth += (tokens[place].kind == "begin") - (tokens[place].kind == "end")
            if not depth:
                return place + 1
    return len(tokens)


def _float(tokens: Sequence[Token], expander: Expander, *, alone: bool) -> Iterator[Grid | Unread]:
    """The tables of one float."""
    caption, label, rest = _told_apart(tokens)
    begins: list[int] = []
    place = 0
    while place < len(rest):
        if rest[place].kind == "begin" and rest[place].text in _TABULARS:
            begins.append(place)
            place = _end(rest, place)
        else:
            place += 1
    if not begins:
        picture = any(token.text == "includegraphics" for token in rest)
        where = f"table {label or caption!r}"
        yield Unread(
            tokens[0].file,
            tokens[0].line,
            f"{where}: {'the table is a picture' if picture else 'no tabular stands in it'}",
        )
    for number, begin in enumerate(begins, 1):
        rows, first = _rows(rest[begin : _end(rest, begin)], expander), rest[begin]
        yield Grid(rows, caption, label, first.file, first.line, number if len(begins) > 1 else None)


def _told_apart(tokens: Sequence[Token]) -> tuple[str, str, list[Token]]:
    """Caption, label, and the tokens without them."""
    caption, label, rest = "", "", []
    stream = Stream(tokens)
    for token in stream:
        if token.kind == "word" and token.text in ("caption", "captionof", "tabcaption"):
            stream.star()
            if token.text == "captionof":
                stream.argument()
            stream.option()
            inside = Stream(stream.argument())
            text = []
            for part in inside:
                if part.kind == "word" and part.text == "label":
                    label = label or plain(inside.argument())
                else:
                    text.append(part)
            caption = caption or without_number(visible(text, lenient=True).text)
        elif token.kind == "word" and token.text == "label":
            label = label or plain(stream.argument())
        else:
            rest.append(token)
    return caption, label, rest


@dataclass(frozen=True)
class _Decoration:
    """What a column puts before and after each of its cells."""

    before: tuple[Token, ...] = ()
    after: tuple[Token, ...] = ()


def _decorations(specification: Sequence[Token], expander: Expander) -> list[_Decoration]:
    """The columns of a specification such as ``l>{$}r<{\\,ms}*{3}{c}``."""
    found: list[_Decoration] = []
    before: tuple[Token, ...] = ()
    stream = Stream(spread_stars(specification))
    budget = 10_000
    for token in stream:
        budget -= 1
        if budget < 0:
            break
        if token.kind == "[":
            stream.push([token])
            stream.option()
        elif token.kind == "text" and len(token.text) > 1:
            stream.push([token._replace(text=letter) for letter in token.text])
        elif token.text == ">":
            before += tuple(stream.argument())
        elif token.text == "<" and found:
            found[-1] = replace(found[-1], after=(*found[-1].after, *stream.argument()))
        elif token.text in ("@", "!"):
            stream.argument()
        elif token.text in expander.column_types:
            macro = expander.column_types[token.text]
            for _ in range(macro.arguments):
                stream.argument()
            stream.push(spread_stars(macro.body))
        elif token.kind == "text" and token.text.isalpha():
            if token.text in "pmbwW":
                stream.argument()
            if token.text in "wW":
                stream.argument()
            stream.option()
            found.append(_Decoration(before))
            before = ()
    return found


def _rows(tokens: Sequence[Token], expander: Expander) -> tuple[GridRow, ...]:
    begin = tokens[0]
    stream = Stream(tokens[1:-1])
    stream.option()
    for _ in _TABULARS[begin.text]:
        stream.argument()
    stream.option()
    decorations = _decorations(stream.argument(), expander)
    rows = list(_split(stream, decorations))
    return lay_out(rows, f"{begin.file}, line {begin.line}", placeholders=True)


def _split(stream: Stream, decorations: list[_Decoration]) -> Iterator[SpanRow]:
    """The rows of a tabular's body; of a longtable, the first head and no foot."""
    kept: list[SpanRow] = []
    head: list[SpanRow] | None = None
    cells: list[SpanCell] = []
    piece: list[Token] = []
    rule, depth, environments, line = False, 0, 0, 0

    def end_cell() -> None:
        nonlocal piece
        start = sum(cell.columns for cell in cells)
        decoration = decorations[start] if start < len(decorations) else _Decoration()
        cells.append(_cell(piece, decoration, line))
        piece = []

    def end_row() -> None:
        nonlocal rule, cells
        end_cell()
        if len(cells) > 1 or cells[0].shown != Text():
            kept.append(SpanRow(tuple(cells), cells[0].line, rule))
            rule = False
        cells = []

    for token in stream:
        line = token.line
        outside = not depth and not environments
        depth += (token.kind == "{") - (token.kind == "}")
        environments += (token.kind == "begin") - (token.kind == "end")
        if not outside or token.kind in ("begin", "{"):
            piece.append(token)
        elif token.kind == "&":
            end_cell()
        elif (token.kind, token.text) in (("sign", "\\"), ("word", "tabularnewline"), ("word", "cr")):
            stream.star()
            stream.length()
            end_row()
        elif token.kind != "word":
            piece.append(token)
        elif token.text in _RULES:
            for _ in range(_RULE_ARGUMENTS.get(token.text, 0)):
                stream.argument()
            stream.option()
            rule = True
        elif token.text in ("cline", "cmidrule", "cdashline"):
            stream.option()
            stream.round_option()
            rule = rule or plain(stream.argument()) == f"1-{len(decorations)}"
        elif token.text in ("endfirsthead", "endhead"):
            head = kept if head is None else head
            kept = []
        elif token.text in ("endfoot", "endlastfoot"):
            kept = []
        elif token.text in ("noalign", "arrayrulecolor", "addlinespace", "rowcolor", "morecmidrules"):
            stream.option()
            if token.text not in ("addlinespace", "morecmidrules"):
                stream.argument()
            if token.text == "rowcolor":
                stream.option()
                stream.option()
        else:
            piece.append(token)
    if plain(piece) or cells:
        end_row()
    body = kept
    if head is not None and body:
        body = [*head, replace(body[0], rule=True), *body[1:]]
    yield from body


def _cell(tokens: Sequence[Token], decoration: _Decoration, line: int) -> SpanCell:
    """One cell; its line is that of its first visible token."""
    inner = list(tokens)
    columns = rows = 1
    decorated = True
    for command in ("multicolumn", "multirow", "multicolumn"):
        stream = Stream(inner)
        stream.skip_blanks()
        first = stream.peek()
        if first is None or (first.kind, first.text) != ("word", command):
            continue
        stream.take()
        if command == "multicolumn":
            columns, decorated = max(_count(stream.argument()), 1), False
            stream.argument()
        else:
            stream.option()
            rows = _count(stream.argument())
            stream.option()
            stream.argument()
            stream.option()
        inner = [*stream.argument(), *stream]
    shown = visible(inner)
    if decorated and (shown.text or shown.problem) and (decoration.before or decoration.after):
        shown = visible([*decoration.before, *inner, *decoration.after])
    at = next((t.line for t in tokens if t.kind not in ("blank", "par")), line)
    return SpanCell(shown, at, columns, rows or 1)


def _count(tokens: Sequence[Token]) -> int:
    text = plain(tokens)
    return int(text) if re.fullmatch(r"-?\d{1,6}", text) else 1
