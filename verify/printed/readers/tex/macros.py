"""A paper's own macros replaced by what they stand for, and its parts read in: substitution, counted, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from verify.errors import InputError
from verify.printed.readers.reader import source_text
from verify.printed.readers.tex.tokens import Stream, Token, plain, tokens_of

MOST_TOKENS = 2_000_000
"""What all macros of a paper may expand to; a paper of a hundred pages has a tenth of it."""
MOST_FILES = 300
_DEFINES = {"newcommand", "renewcommand", "providecommand", "DeclareRobustCommand"}
_PRIMITIVE = {"def", "gdef", "edef", "xdef"}
_RUNS = {"directlua", "ShellEscape", "openout", "openin"}


class Macro(NamedTuple):
    """Its number of arguments, the first one's default where it is optional, and its text."""

    arguments: int
    default: list[Token] | None
    body: list[Token]


class Expander:
    """Reads a file and what it inputs, with all macros replaced; ``missing`` lists the parts that are not there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.macros: dict[str, Macro] = {}
        self.environments: dict[str, tuple[Macro, list[Token]]] = {}
        self.column_types: dict[str, Macro] = {}
        self.missing: list[tuple[Token, str]] = []
        self._left = MOST_TOKENS
        self._files = 0

    def read(self, path: Path) -> list[Token]:
        """The tokens of a file after expansion; ``begin`` and ``end`` carry the name of their environment."""
        stream = Stream(self._tokens(path, path.name))
        found: list[Token] = []
        for token in stream:
            if token.kind == "word":
                self._word(token, stream, found)
            else:
                found.append(token)
        return found

    def _tokens(self, path: Path, shown: str) -> list[Token]:
        self._files += 1
        if self._files > MOST_FILES:
            raise InputError(
                f"{path}: the paper inputs more than {MOST_FILES} files, or one that inputs itself; break the circle"
            )
        return tokens_of(source_text(path), shown)

    def _word(self, token: Token, stream: Stream, found: list[Token]) -> None:
        name = token.text
        if name in self.macros:
            stream.push(self._replaced(token, self.macros[name], stream))
        elif name in _DEFINES:
            self._define(name, stream)
        elif name in _PRIMITIVE:
            self._define_primitively(stream)
        elif name == "let":
            self._let(stream)
        elif name in ("newenvironment", "renewenvironment"):
            stream.star()
            environment, begins = plain(stream.argument()), self._macro(stream)
            self.environments[environment] = begins, stream.argument()
        elif name == "newcolumntype":
            letter = plain(stream.argument())
            self.column_types[letter] = self._macro(stream)
        elif name in ("input", "include", "subfile"):
            self._input(token, stream)
        elif name in ("begin", "end"):
            self._environment(token, plain(stream.argument()), stream, found)
        elif name == "iffalse":
            _skip_to_fi(stream)
        elif name in _RUNS or (
            name == "write" and (following := stream.peek()) and following.text[:2] == "18"
        ):
            shown = name + "18" * (name == "write")
            raise InputError(
                f"{token.file}, line {token.line}: \\{shown} would run a program or open a file; "
                "nothing of a paper is executed; remove the line"
            )
        else:
            found.append(token)

    def _replaced(self, token: Token, macro: Macro, stream: Stream) -> list[Token]:
        """The macro's text with its arguments, as if it stood where it is used."""
        given: list[list[Token]] = []
        if macro.default is not None:
            option = stream.option()
            given.append(macro.default if option is None else option)
        while len(given) < macro.arguments:
            given.append(stream.argument())
        found: list[Token] = []
        body = Stream(macro.body)
        for part in body:
            following = body.peek()
            if part.kind == "#" and following and following.kind == "text" and following.text[0].isdigit():
                body.take()
                number = int(following.text[0])
                found += given[number - 1] if 0 < number <= len(given) else []
                if following.text[1:]:
                    found.append(
                        part._replace(kind="text", text=following.text[1:], file=token.file, line=token.line)
                    )
            elif part.kind != "#":
                found.append(part._replace(file=token.file, line=token.line))
            self._count(token, 1)
        self._count(token, len(found) + 1)
        return found

    def _count(self, token: Token, tokens: int) -> None:
        self._left -= tokens
        if self._left < 0:
            raise InputError(
                f"{token.file}, line {token.line}: \\{token.text} expands without end, or to more than "
                f"{MOST_TOKENS:,} tokens; look for a macro that contains itself"
            )

    def _macro(self, stream: Stream) -> Macro:
        count = plain(stream.option() or [])
        default = stream.option() if count else None
        return Macro(int(count) if count.isdigit() else 0, default, stream.argument())

    def _define(self, how: str, stream: Stream) -> None:
        stream.star()
        named = stream.argument()
        macro = self._macro(stream)
        if len(named) == 1 and not (how == "providecommand" and named[0].text in self.macros):
            self.macros[named[0].text] = macro

    def _define_primitively(self, stream: Stream) -> None:
        named = stream.argument()
        pattern = []
        while (following := stream.peek()) and following.kind != "{":
            pattern.append(stream.take())
        body = stream.argument()
        shape = plain(pattern)
        count = shape.count("#")
        if len(named) == 1 and shape == "".join(f"#{i}" for i in range(1, count + 1)):
            self.macros[named[0].text] = Macro(count, None, body)

    def _let(self, stream: Stream) -> None:
        named = stream.argument()
        stream.skip_blanks()
        if (following := stream.peek()) and following.text.startswith("="):
            stream.argument()
        meaning = stream.argument()
        if len(named) == len(meaning) == 1 and meaning[0].kind == "word" and meaning[0].text != named[0].text:
            self.macros[named[0].text] = self.macros.get(meaning[0].text, Macro(0, None, meaning))

    def _environment(self, token: Token, name: str, stream: Stream, found: list[Token]) -> None:
        if name not in self.environments:
            found.append(token._replace(kind=token.text, text=name))
            return
        begins, ends = self.environments[name]
        stream.push(self._replaced(token, begins if token.text == "begin" else Macro(0, None, ends), stream))

    def _input(self, token: Token, stream: Stream) -> None:
        stream.skip_blanks()
        bare = (following := stream.peek()) and following.kind == "text"
        name = stream.take().text if bare else plain(stream.argument())
        for candidate in (self.folder / name, self.folder / f"{name}.tex"):
            if name.startswith("|") or not candidate.resolve().is_relative_to(self.folder):
                raise InputError(
                    f"{token.file}, line {token.line}: \\{token.text}{{{name}}} reaches outside the paper's folder; "
                    "it is not opened; remove the line or copy the file into the folder"
                )
            if candidate.is_file():
                stream.push(self._tokens(candidate, str(candidate.relative_to(self.folder))))
                return
        self.missing.append((token, name))


def _skip_to_fi(stream: Stream) -> None:
    depth = 1
    for token in stream:
        if token.kind == "word":
            depth += token.text.startswith("if") - (token.text == "fi")
            if not depth or (depth == 1 and token.text == "else"):
                return


def spread_stars(tokens: Sequence[Token]) -> list[Token]:
    """A column specification with every ``*{3}{c}`` written out; InputError beyond 20,000 tokens."""
    found: list[Token] = []
    stream = Stream(tokens)
    left = 20_000
    for token in stream:
        left -= 1
        if token.kind == "*":
            count, repeated = plain(stream.argument()), stream.argument()
            times = int(count) if count.isascii() and count.isdigit() and len(count) < 6 else 1
            left -= times * len(repeated)
            if left >= 0:
                stream.push(repeated * times)
        else:
            found.append(token)
        if left < 0:
            raise InputError(f"{token.file}, line {token.line}: the columns of a table repeat without end")
    return found
