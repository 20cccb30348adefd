"""A table that was read from a paper, as the CSV file of a paper's folder: the same digits, a line a row."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from verify.printed.numerals import parse_printed
from verify.search.relations.numbers import NumberTable
from verify.text import one_line

_UNIT = re.compile(r"(?P<name>.*\S)\s*[(\[](?P<unit>[^()\[\]]*[\w%$][^()\[\]]*)[)\]]")
_IN_BRACKETS = str.maketrans("[]", "()")


@dataclass(frozen=True)
class WrittenTable:
    """A table under the name of its file; ``names`` are its columns in the file and ``keys`` those that label a row."""

    stem: str
    table: NumberTable
    names: tuple[str, ...]
    keys: tuple[str, ...]
    text: str

    def factor(self, column: int) -> Fraction | None:
        """What the column's header multiplies its numbers by; None where its cells differ in that."""
        factors = set()
        for row in self.table.cells:
            if number := row[column]:
                plain = parse_printed(number.text, decimal_comma=self.table.decimal_comma)
                factors.add(number.printed.last_digit / plain.last_digit)
        return factors.pop() if len(factors) == 1 else None


def written_tables(tables: Sequence[NumberTable]) -> list[WrittenTable]:
    """Each table under a file name of its own, after its label."""
    labels = ["" if table.name.startswith("table at line") else slug(table.name) for table in tables]
    stems = distinct([label or f"table{number}" for number, label in enumerate(labels, 1)])
    return [_written(table, stem) for table, stem in zip(tables, stems, strict=True)]


def slug(text: str) -> str:
    """What a file or a claim may be called after a text: ``Table 4`` becomes ``table-4``, ``tab:cost`` is ``cost``."""
    bare = re.sub(r"^(?:tab|tbl|table):", "", text.lower())
    return re.sub(r"[^a-z0-9]+", "-", bare).strip("-")[:40].strip("-")


def distinct(names: Sequence[str], mark: str = "-") -> list[str]:
    """The names in their order, with ``-2`` behind the second of a kind."""
    found: list[str] = []
    for name in names:
        other, count = name, 1
        while other in found:
            count += 1
            other = f"{name}{mark}{count}"
        found.append(other)
    return found


def _written(table: NumberTable, stem: str) -> WrittenTable:
    keys, labels = _keys(table)
    names, headers = _headers(table, keys)
    steps = [
        f"{name} = {step}"
        for c, name in enumerate(names)
        if (step := _step(table, c)) and not re.search("[,=]", name)
    ]
    about = {
        "name": table.name,
        "title": table.caption,
        "source": f"{table.file}, line {table.line}",
        "key": ", ".join(keys),
        "step": ", ".join(steps),
        "decimal comma": "yes" if table.decimal_comma else "",
    }
    lines = [f"# {key}: {one_line(value)}" for key, value in about.items() if value]
    lines += [f"# note: {note}" for note in _left_out(table)]
    body = io.StringIO()
    writer = csv.writer(body, lineterminator="\n")
    writer.writerow([*keys, *headers])
    for label, row in zip(labels, table.cells, strict=True):
        writer.writerow([*label, *(one_line(number.text) if number else "-" for number in row)])
    return WrittenTable(stem, table, tuple(names), tuple(keys), "\n".join([*lines, body.getvalue()]))


def _keys(table: NumberTable) -> tuple[list[str], list[tuple[str, ...]]]:
    """The columns that label rows, and the labels: as printed, with their groups or numbered where two are alike."""
    rows = [one_line(label) or "-" for label in table.rows]
    if len(set(rows)) == len(rows):
        return ["row"], [(row,) for row in rows]
    grouped = [(one_line(", ".join(g)) or "-", row) for g, row in zip(table.groups, rows, strict=True)]
    if len(set(grouped)) == len(grouped):
        return ["group", "row"], [*grouped]
    return ["number", "row"], [(str(n), row) for n, row in enumerate(rows, 1)]


def _headers(table: NumberTable, keys: Sequence[str]) -> tuple[list[str], list[str]]:
    """The columns' names, each once, and their headers as ``name [unit]``."""
    whole = [one_line(name).lstrip("# ") or "column" for name in table.columns]
    split = [_UNIT.fullmatch(name) for name in whole]
    bare = [match["name"].translate(_IN_BRACKETS) if match else "" for match in split]
    united = [bool(name) and bare.count(name) == 1 and name not in (*whole, *keys) for name in bare]
    names = [
        short if unit else name.translate(_IN_BRACKETS)
        for short, name, unit in zip(bare, whole, united, strict=True)
    ]
    names = distinct([*keys, *names])[len(keys) :]
    return names, [
        f"{name} [{match['unit'].strip()}]" if unit and match else name
        for name, match, unit in zip(names, split, united, strict=True)
    ]


def _step(table: NumberTable, column: int) -> Fraction | None:
    return next((n.printed.step for row in table.cells if (n := row[column]) and n.printed.step), None)


def _left_out(table: NumberTable) -> Iterator[str]:
    """What is printed in cells of which the file holds a dash, or fewer digits."""
    for r, row in enumerate(table.cells):
        for c, number in enumerate(row):
            text = one_line(table.texts[r][c])
            kept = number.text if number else ""
            pair = " / " in text  # its numbers stand in columns of their own
            lost = _digits(text) != _digits(kept) if number else any(map(str.isalnum, text))
            if lost and not pair:
                place = ", ".join(part for part in (table.rows[r], table.columns[c]) if part)
                yield one_line(f"{place} prints {text}")


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))
