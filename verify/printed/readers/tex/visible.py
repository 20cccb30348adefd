"""What the eye sees of TeX tokens: text, its marks, and why it cannot be read where it cannot."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from verify.printed.readers.grid import Text
from verify.printed.readers.plain import is_mark, one_spelling
from verify.printed.readers.tex.symbols import (
    ACCENTS,
    DECLARED,
    HIDDEN,
    MARKED,
    SHOWN,
    SILENT,
    SYMBOLS,
    UNITS,
)
from verify.printed.readers.tex.tokens import Stream, Token, plain, tokens_of

DEEPEST = 60
"""Braces in braces; a table of a paper has five."""


def visible(tokens: Sequence[Token], *, lenient: bool = False) -> Text:
    """The visible text of tokens; with ``lenient`` (captions) an unknown command is passed over, its arguments kept."""
    eye = _Eye(lenient)
    eye.show(tokens, mathematics=False, depth=0)
    shown, dropped = one_spelling("".join(eye.out))
    if dropped:
        eye.marks.add("footnote")
    return Text("" if eye.problem else shown, frozenset(eye.marks), eye.problem)


def visible_source(source: str, *, mathematics: bool) -> Text:
    """The visible text of a piece of TeX that stands in another format."""
    eye = _Eye(lenient=False)
    eye.show(tokens_of(source, ""), mathematics, depth=0)
    return Text("" if eye.problem else "".join(eye.out), frozenset(eye.marks), eye.problem)


class _Eye:
    """Collects what is seen; every method is given tokens in the order of the page."""

    def __init__(self, lenient: bool) -> None:
        self.lenient = lenient
        self.out: list[str] = []
        self.marks: set[str] = set()
        self.problem = ""

    def fail(self, reason: str) -> None:
        self.problem = self.problem or reason

    def show(self, tokens: Sequence[Token], mathematics: bool, depth: int) -> None:
        if depth > DEEPEST:
            self.fail(f"braces nested more than {DEEPEST} deep")
            return
        stream = Stream(tokens)
        start = len(self.out)
        for token in stream:
            kind = token.kind
            if kind == "word":
                self._word(token.text, stream, mathematics, depth)
            elif kind == "sign":
                self._sign(token.text, stream, depth)
            elif kind == "{":
                stream.push([token])
                self.show(stream.argument(), mathematics, depth + 1)
            elif kind == "$":
                inside = _until_dollar(stream)
                self.show(inside, mathematics=True, depth=depth + 1)
            elif kind in ("^", "_"):
                self._raised(kind, stream.argument(), start, depth)
            elif kind in ("~", "blank", "par"):
                self.out.append(" " if kind == "~" or not mathematics else "")
            elif kind in ("begin", "end"):
                self._environment(token, stream)
            elif kind in ("[", "]", "*"):
                self.out.append(kind)
            elif kind == "text":
                self.out.append(_prime(token.text) if mathematics else _dashes(token.text))
            elif kind in ("#", "}"):
                self.fail(f"a stray {kind}")

    def inner(self, tokens: Sequence[Token], depth: int, mathematics: bool = True) -> str:
        """What a part shows by itself."""
        part = _Eye(self.lenient)
        part.show(tokens, mathematics, depth + 1)
        if part.problem:
            self.fail(part.problem)
        self.marks |= part.marks
        return "".join(part.out).strip()

    def _raised(self, kind: str, argument: list[Token], start: int, depth: int) -> None:
        """An index or a power; a letter or a dagger beside a word or a number is a footnote mark."""
        content = self.inner(argument, depth)
        base = "".join(self.out[start:]).rstrip()
        of_a_number = bool(base) and (base[-1].isdigit() or base[-1] in "%)")
        is_footnote = is_mark(content) and (not base or of_a_number or not content.isalpha())
        if kind == "^" and is_footnote:
            self.marks.add("footnote")
        elif content.startswith("±"):
            self.out.append(content)
        elif content == "∘" and kind == "^":
            self.out.append("°")
        else:
            self.out.append(kind + content.replace(" ", ""))

    def _sign(self, sign: str, stream: Stream, depth: int) -> None:
        if sign in ACCENTS:
            letter = self.inner(stream.argument(), depth)
            self.out.append(unicodedata.normalize("NFC", letter[:1] + ACCENTS[sign] + letter[1:]))
        elif sign in "%$&#_{}":
            self.out.append(sign)
        elif sign == "\\":
            stream.star()
            stream.length()
            self.out.append(" ")
        elif sign in ", :;!>\n":
            self.out.append("" if sign == "!" else " ")
        elif sign in "()[]/-@|":
            self.out.append("" if sign != "|" else "‖")
        else:
            self.fail(f"\\{sign} is not known")

    def _environment(self, token: Token, stream: Stream) -> None:
        if token.kind == "begin" and token.text in ("tabular", "array"):
            stream.option()
            stream.argument()
        elif token.text not in ("tabular", "array", "center", "small", "tablenotes", "threeparttable"):
            self.fail(f"the environment {token.text} is not known")

    def _word(self, word: str, stream: Stream, mathematics: bool, depth: int) -> None:
        if word in SYMBOLS:
            self.out.append(SYMBOLS[word])
        elif word in DECLARED:
            self.marks |= DECLARED[word]
        elif word in SILENT:
            pass
        elif word in HIDDEN:
            self._pass_over(HIDDEN[word], stream)
            self.marks |= {"footnote"} if "note" in word else set()
        elif word in SHOWN:
            self._pass_over(SHOWN[word], stream)
            self.marks |= MARKED.get(word, frozenset())
            self.show(stream.argument(), mathematics and not word.startswith("text"), depth + 1)
        elif word in ("frac", "dfrac", "tfrac", "nicefrac", "sfrac"):
            parts = [self.inner(stream.argument(), depth) for _ in "nd"]
            self.out.append("/".join(p if p.isalnum() or p.startswith("(") else f"({p})" for p in parts))
        elif word == "sqrt":
            self.out.append(f"√({self.inner(stream.argument(), depth)})")
        elif word == "textsuperscript":
            self._raised("^", stream.argument(), 0, depth)
        elif word == "textsubscript":
            self._raised("_", stream.argument(), 0, depth)
        elif word in _NUMBERS:
            _NUMBERS[word](self, stream)
        elif word == "includegraphics":
            self.fail("a picture stands in the cell")
        elif not self.lenient:
            self.fail(f"\\{word} is not known")

    def _pass_over(self, shape: str, stream: Stream) -> None:
        """Leave out options (o) and arguments (a), in this order."""
        stream.star()
        for part in shape:
            stream.option() if part == "o" else stream.argument()

    # siunitx

    def number(self, stream: Stream) -> None:
        stream.option()
        self.out.append(_siunitx(plain(stream.argument())))

    def quantity(self, stream: Stream) -> None:
        stream.option()
        number = _siunitx(plain(stream.argument()))
        stream.option()
        self.out.append(number + _unit(stream.argument()))

    def unit(self, stream: Stream) -> None:
        stream.option()
        self.out.append(_unit(stream.argument()).strip())

    def range(self, stream: Stream) -> None:
        self._ends(stream, with_unit=False)

    def quantity_range(self, stream: Stream) -> None:
        self._ends(stream, with_unit=True)

    def _ends(self, stream: Stream, with_unit: bool) -> None:
        stream.option()
        ends = [_siunitx(plain(stream.argument())) for _ in "ab"]
        unit = _unit(stream.argument()) if with_unit else ""
        self.out.append(" to ".join(end + unit for end in ends))


_NUMBERS = {
    "num": _Eye.number,
    "tablenum": _Eye.number,
    "SI": _Eye.quantity,
    "qty": _Eye.quantity,
    "si": _Eye.unit,
    "unit": _Eye.unit,
    "numrange": _Eye.range,
    "SIrange": _Eye.quantity_range,
    "qtyrange": _Eye.quantity_range,
}


def _siunitx(text: str) -> str:
    """A number as siunitx reads it: blanks left out, ``e`` or ``\\times10^`` for a power, ``+-`` or ``\\pm``."""
    shown = text.replace(" ", "").replace("\\pm", "±").replace("+-", "±").replace("\\times", "×")
    if "×" in shown:
        return shown.replace("{", "").replace("}", "")
    mantissa, e, power = shown.replace("E", "e").replace("d", "e").partition("e")
    return f"{mantissa}×10^{power.removeprefix('+')}" if e else mantissa


def _unit(tokens: Sequence[Token]) -> str:
    """A unit, with the blank that stands before it; a per cent sign has none."""
    shown = "".join(
        UNITS.get(t.text, t.text) if t.kind in ("word", "sign") else t.text for t in tokens
    ).strip()
    return shown if shown == "%" or not shown else f" {shown}"


def _until_dollar(stream: Stream) -> list[Token]:
    found = []
    for token in stream:
        if token.kind == "$":
            break
        found.append(token)
    return found


def _dashes(text: str) -> str:
    return text.replace("---", "—").replace("--", "–").replace("``", "“").replace("''", "”")


def _prime(text: str) -> str:
    return text.replace("'", "′")
