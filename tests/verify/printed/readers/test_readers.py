"""What every reader must do: `READERS` is walked, and tests/verify/printed/readers/cases holds tables with known answers."""

from __future__ import annotations

import contextlib
import json
import random
import re
import zipfile
from pathlib import Path

import pytest

from theory.errors import MoelawsError
from verify.printed.readers.reader import READERS, read_paper

CASES = Path(__file__).parent / "cases"
ANSWERS = sorted(CASES.glob("*.answer.json"))
FOLDER = Path(__file__).parents[4] / "verify" / "printed" / "readers"
EXAMPLE = [["size", "loss", "change"], ["small", "3.10", "–"], ["large", "2.95", "-0.15"]]


def written(folder, reader, text):
    path = folder / f"paper{reader.suffixes[0]}"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_the_example_is_read_cell_for_cell(reader, tmp_path):
    found = read_paper(written(tmp_path, reader, reader.example))
    [table] = found.tables
    assert [
        [" ".join(path) for path in table.columns],
        *([c.text for c in r.cells] for r in table.rows),
    ] == EXAMPLE
    assert found.unread == ()


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_a_damaged_file_is_refused_in_a_sentence_or_read_around(reader, tmp_path):
    rng = random.Random(20260409)
    for _ in range(60):
        text = list(reader.example)
        for _ in range(rng.randint(1, 4)):
            place = rng.randrange(len(text))
            text[place : place + rng.randint(0, 6)] = rng.choice(
                ["", "{", "}", "<", "&", '"', "\\", "|", "\n", "$", "#"]
            )
        with contextlib.suppress(MoelawsError):
            read_paper(written(tmp_path, reader, "".join(text)))


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_a_large_file_is_refused_before_it_is_read(reader, tmp_path):
    path = tmp_path / f"paper{reader.suffixes[0]}"
    with path.open("wb") as file:
        file.truncate(100 * 2**20)
    with pytest.raises(MoelawsError, match="100 MB; a source file of more than 16 MB is not read"):
        read_paper(path)


def test_every_file_of_the_folder_that_names_suffixes_is_a_reader():
    named = {
        p.stem for p in FOLDER.glob("*.py") if re.search(r"^    suffixes = ", p.read_text(), re.MULTILINE)
    }
    assert {type(reader).__module__.rpartition(".")[2] for reader in READERS.values()} == named


def test_no_two_readers_take_one_suffix():
    suffixes = [suffix for reader in READERS.values() for suffix in reader.suffixes]
    assert len(suffixes) == len(set(suffixes))


def squeezed(text):
    return re.sub(r"\s+", "", text or "")


def answer_as_read(table):
    """An answer file's table in the words that `table_as_read` uses."""
    return {
        "caption": squeezed(table["caption"]),
        "label": table["label"] or "",
        "part": table["block"],
        "by rows": table["orientation"] == "rows",
        "columns": [[squeezed(name) for name in column["path"]] for column in table["columns"]],
        "rows": [([squeezed(name) for name in row["path"]], row.get("of")) for row in table["rows"]],
        "cells": [
            [
                (
                    squeezed(c["printed"]),
                    c["readable"],
                    *(bool(c["flags"].get(m)) for m in ("bold", "underline")),
                )
                for c in row["cells"]
            ]
            for row in table["rows"]
        ],
    }


def table_as_read(table):
    return {
        "caption": squeezed(table.caption),
        "label": table.label,
        "part": table.part,
        "by rows": table.by_rows,
        "columns": [[squeezed(name) for name in path] for path in table.columns],
        "rows": [([squeezed(name) for name in row.path], row.interval_of) for row in table.rows],
        "cells": [
            [(squeezed(c.text), not c.problem, "bold" in c.marks, "underline" in c.marks) for c in row.cells]
            for row in table.rows
        ],
    }


@pytest.mark.parametrize("path", ANSWERS, ids=lambda path: path.name.split(".")[0])
def test_known_tables_are_read_cell_for_cell(path):
    answer = json.loads(path.read_text(encoding="utf-8"))
    found = read_paper(CASES / answer["file"])
    wanted = [answer_as_read(table) for table in answer["tables"] if table["readable"]]
    assert [table_as_read(table) for table in found.tables] == wanted


def test_what_cannot_be_read_is_listed_with_file_and_line():
    listed = [
        str(unread)
        for name in ("t08-kernels.tex", "m4-corpora.md")
        for unread in read_paper(CASES / name).unread
    ]
    assert listed == [
        "t08-kernels.tex, line 43: table 'tab:trace': the table is a picture",
        "m4-corpora.md, line 11: a cell of table at line 5: a picture stands in the cell",
    ]


def test_a_folder_is_read_from_the_files_that_begin_a_document(tmp_path):
    for name in ("t04-alder.tex", "t04-cost-rows.tex"):
        (tmp_path / name).write_text((CASES / name).read_text())
    assert [table.label for table in read_paper(tmp_path).tables] == ["tab:scores", "tab:cost", "tab:parts"]


def test_a_folder_without_a_paper_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("1 2")
    with pytest.raises(MoelawsError, match="no file in this folder is read here"):
        read_paper(tmp_path)
    with pytest.raises(MoelawsError, match="no format that is read here"):
        read_paper(tmp_path / "notes.txt")


def test_an_archive_is_not_unpacked_whatever_is_in_it(tmp_path):
    bomb = tmp_path / "e-print.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("paper.tex", "0" * 2**26)
    with pytest.raises(
        MoelawsError, match="an archive; it is not unpacked here; unpack it and give the folder"
    ):
        read_paper(bomb)


def test_a_table_of_a_folder_is_named_with_its_way(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "t.md").write_text(
        "| a | b |\n|---|---|\n| x | 1 |\n\n| c | d |\n|---|---|\n| y | z |\n"
    )
    read = read_paper(tmp_path)
    assert [table.file for table in read.tables] == ["b/t.md"]
    assert [str(unread) for unread in read.unread] == ["b/t.md, line 5: a table without numbers"]
