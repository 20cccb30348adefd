"""HTML: spans, raised figures, formulas; and hostile pages, which are refused in a sentence."""

from __future__ import annotations

import pytest

from theory.errors import MoelawsError
from verify.printed.readers.reader import read_paper


def read(tmp_path, source):
    path = tmp_path / "paper.html"
    path.write_text(source, encoding="utf-8")
    return read_paper(path)


def cell(tmp_path, source):
    [table] = read(tmp_path, f"<table><tr><th>name<th>a<tr><td>x<td>{source}<tr><td>y<td>1</table>").tables
    return table.rows[0].cells[1]


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("1.2×10<sup>4</sup>", "1.2×10^4"),
        ("1.2<sup>4</sup>", "1.2"),
        ("1.2<sup>†</sup>", "1.2"),
        ('<math alttext="1.2\\times 10^{4}"><mi>x</mi></math>', "1.2×10^4"),
        ("&#8722;1.2&nbsp;%", "-1.2 %"),
        ("1.2<script>9</script><!-- 8 -->", "1.2"),
    ],
)
def test_a_cell_shows_what_the_eye_sees(tmp_path, written, seen):
    assert cell(tmp_path, written).text == seen


def test_mathematics_without_its_source_is_not_guessed_at(tmp_path):
    assert cell(tmp_path, "<math><mn>1</mn></math>").problem == "mathematics without the TeX it was made of"


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ('<!DOCTYPE html [<!ENTITY a "aaa"><!ENTITY b "&a;&a;">]><p>&b;', "declares entities of its own"),
        ("<div>" * 5000, "nested more than 400 deep"),
        ("<table><tr><td colspan=99999>1", "more than 500 columns"),
        ("<table>" + "<tr><td rowspan=9000 colspan=400>1" * 4000, "spans cover more than"),
    ],
)
def test_hostile_pages_are_refused_in_a_sentence(tmp_path, source, sentence):
    with pytest.raises(MoelawsError, match=sentence) as refusal:
        read(tmp_path, source)
    assert "\n" not in str(refusal.value)
