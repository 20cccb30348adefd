"""TeX source as tokens with their lines, and a stream that takes arguments from them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_TOKEN = re.compile(
    r"""(?P<comment>%[^\n]*(?:\n[ \t]*)?)
    |\\verb\*?(?P<bar>[^A-Za-z\s*])(?P<verb>[^\n]*?)(?P=bar)
    |\\(?P<word>[A-Za-z@]+)[ \t]*(?:\n[ \t]*(?!\s*\n))?
    |\\(?P<sign>.|\n)
    |(?P<blank>\s+)
    |(?P<special>[{}\[\]&$^_\#~*])
    |(?P<text>[^\\%{}\[\]&$^_\#~*\s]+)
    |(?P<stray>\\)""",
    re.VERBOSE,
)
_VERBATIM = re.compile(r"\\begin\{(verbatim\*?|Verbatim|lstlisting|comment|minted|filecontents\*?)\}")


_LENGTH = re.compile(r"-?[\d.]*\s*(pt|em|ex|cm|mm|in|\\\w+)")


class Token(NamedTuple):
    """``kind`` is word (a control word), sign (a control symbol), text, blank, par, begin, end, or the character itself."""

    kind: str
    text: str
    file: str
    line: int


def tokens_of(source: str, file: str) -> list[Token]:
    """The tokens of a file, without its comments and verbatim environments."""
    source = _without_verbatim(source)
    found: list[Token] = []
    line = 1
    for match in _TOKEN.finditer(source):
        kind = match.lastgroup or ""
        piece = match[0]
        if kind == "blank":
            kind = "par" if piece.count("\n") > 1 else "blank"
            found.append(Token(kind, " ", file, line))
        elif kind in ("word", "sign", "text"):
            found.append(Token(kind, match[kind], file, line))
        elif kind == "verb":
            found.append(Token("text", match["verb"], file, line))
        elif kind == "special":
            found.append(Token(piece, piece, file, line))
        line += piece.count("\n")
    return found


def _without_verbatim(source: str) -> str:
    """The source with the lines of its verbatim environments left empty."""
    kept, place = [], 0
    for begin in _VERBATIM.finditer(source):
        if begin.start() >= place:
            end = source.find(f"\\end{{{begin[1]}}}", begin.end())
            if end < 0:
                break
            kept += [source[place : begin.start()], "\n" * source.count("\n", begin.start(), end)]
            place = end + len(f"\\end{{{begin[1]}}}")
    return "".join(kept) + source[place:]


class Stream:
    """Tokens to be taken from the front, with arguments, options and stars as LaTeX takes them."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._left = list(reversed(tokens))

    def __bool__(self) -> bool:
        return bool(self._left)

    def __iter__(self) -> Iterator[Token]:
        while self._left:
            yield self._left.pop()

    def take(self) -> Token:
        return self._left.pop()

    def peek(self) -> Token | None:
        return self._left[-1] if self._left else None

    def push(self, tokens: Sequence[Token]) -> None:
        self._left.extend(reversed(tokens))

    def skip_blanks(self) -> None:
        while self._left and self._left[-1].kind in ("blank", "par"):
            self._left.pop()

    def star(self) -> bool:
        """Whether a star follows; it is taken."""
        if self._left and self._left[-1].kind == "*":
            self._left.pop()
            return True
        return False

    def argument(self) -> list[Token]:
        """The next group without its braces, or the next single token; empty at the end."""
        self.skip_blanks()
        if not self._left:
            return []
        first = self._left.pop()
        if first.kind == "{":
            return self._until("}", "{")
        if first.kind == "text" and len(first.text) > 1:
            self._left.append(first._replace(text=first.text[1:]))
            return [first._replace(text=first.text[0])]
        return [first]

    def option(self) -> list[Token] | None:
        """What stands in brackets, where something does."""
        blanks: list[Token] = []
        while self._left and self._left[-1].kind == "blank":
            blanks.append(self._left.pop())
        if self._left and self._left[-1].kind == "[":
            self._left.pop()
            return self._until("]", "[")
        self.push(blanks)
        return None

    def length(self) -> None:
        """Pass over the ``[2pt]`` after a line's end; brackets that hold anything else stay."""
        bracket = self.peek()
        if (option := self.option()) is not None and bracket and not _LENGTH.fullmatch(plain(option)):
            closing = bracket._replace(kind="]", text="]")
            self.push([bracket._replace(kind="[", text="["), *option, closing])

    def round_option(self) -> None:
        """Pass over the ``(lr)`` of a partial rule."""
        while self._left and self._left[-1].kind == "text" and self._left[-1].text.startswith("("):
            taken = self._left.pop()
            if taken.text.endswith(")"):
                return

    def _until(self, closing: str, opening: str) -> list[Token]:
        found: list[Token] = []
        depth, braces = 1, 0
        for token in self:
            if closing == "]":
                braces += (token.kind == "{") - (token.kind == "}")
            if not braces or closing == "}":
                depth += (token.kind == opening) - (token.kind == closing)
            if not depth:
                return found
            found.append(token)
        return found


def plain(tokens: Sequence[Token]) -> str:
    """The characters of tokens as written: a name, a length, a number."""
    return "".join("\\" + t.text if t.kind in ("word", "sign") else t.text for t in tokens).strip()
