"""What a cell means, and what is refused: against the answer files of known tables, and case by case."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from verify.printed.cells import cell_meaning, half_up

ANSWERS = sorted((Path(__file__).parent / "readers" / "cases").glob("*.answer.json"))


def stated(cell):
    """What an answer file says of a cell, its column's scale taken off again (a header's matter, not the cell's)."""
    scale = (
        Fraction(cell.get("scale", "1"))
        if cell.get("scale_from") not in ("cell", "none", None)
        else Fraction(1)
    )

    def ends(pair):
        return tuple(Fraction(end) / scale for end in pair)

    point = not (cell["flags"].get("exact") or cell.get("last_digit") or cell["flags"].get("bound"))
    return {
        "kind": cell["kind"],
        "value": ends(cell["value"]) if point and cell["kind"] in ("number", "uncertain") else None,
        "ends": [ends(pair) for pair in cell.get("ends", [])] if point else [],
        "spread": [ends(cell["spread"][side]) for side in ("minus", "plus")] if "spread" in cell else [],
        "approximate": bool(cell["flags"].get("approx")),
        "bound": cell["flags"].get("bound", ""),
    }


def found(cell, decimal_comma):
    meaning = cell_meaning(cell["printed"], decimal_comma=decimal_comma)
    point = not (cell["flags"].get("exact") or cell.get("last_digit") or meaning.bound)
    return {
        "kind": meaning.kind,
        "value": half_up(meaning.number) if point and meaning.number else None,
        "ends": [half_up(end) for end in meaning.ends or ()] if point else [],
        "spread": [half_up(side) for side in meaning.spread or ()],
        "approximate": meaning.approximate,
        "bound": meaning.bound,
    }


@pytest.mark.parametrize("path", ANSWERS, ids=lambda path: path.name.split(".")[0])
def test_known_cells_mean_what_their_answers_say(path):
    answer = json.loads(path.read_text(encoding="utf-8"))
    for table in answer["tables"]:
        cells = [cell for row in table["rows"] for cell in row["cells"] if cell["readable"]]
        cells += [part for cell in cells for part in cell.get("parts", [])]
        for cell in cells:
            assert found(cell, table["decimal"] == ",") == stated(cell), cell["printed"]


@pytest.mark.parametrize(
    "text",
    [
        "52.3_0.2",
        "2^n",
        "1w",
        "5-3",
        "~<3",
        "<~3",
        "≈3–5",
        "5–3",
        "[5, 3]",
        "1.2.3",
        "0.123(4)(5)",
        "0.5 (0.1)",
        "12 34",
    ],
)
def test_what_has_no_single_meaning_is_refused_with_the_reason(text):
    meaning = cell_meaning(text)
    assert meaning.kind == "text"
    assert meaning.reason


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(1.9±0.4)×10^-3", "0.0019"),
        ("(38.9±0.7)%", "0.389"),
        ("3.1(6)×10^-3", "0.0031"),
        ("215±3 ms", "215"),
    ],
)
def test_what_follows_brackets_belongs_to_both_numbers(text, value):
    meaning = cell_meaning(text)
    assert meaning.number.value == Fraction(value)
    assert meaning.spread[0].value < meaning.number.value
