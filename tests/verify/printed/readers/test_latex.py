"""LaTeX: macros, spans and marks of tabulars; and hostile source, which is refused in a sentence and never executed."""

from __future__ import annotations

import pytest

from theory.errors import MoelawsError
from verify.printed.readers.reader import read_paper


def read(tmp_path, source):
    path = tmp_path / "paper.tex"
    path.write_text(source, encoding="utf-8")
    return read_paper(path)


def cells(tmp_path, body, columns="lrr", preamble=""):
    """The cells of a table whose body stands below ``name & a & b``."""
    source = (
        rf"{preamble} \begin{{tabular}}{{{columns}}} \hline name & a & b \\ \hline {body} \end{{tabular}}"
    )
    [table] = read(tmp_path, source).tables
    return [[cell.text for cell in row.cells] for row in table.rows]


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        (r"\num{1.20e3}", "1.20×10^3"),
        (r"\num{1.2 \times 10^{4}}", "1.2×10^4"),
        (r"\SI{4.31}{\hour}", "4.31 h"),
        (r"\qty{97}{\percent}", "97%"),
        (r"$1.2 \cdot 10^{4}$", "1.2×10^4"),
        (r"$3.2^{+0.4}_{-0.3}$", "3.2^+0.4_-0.3"),
        (r"52.3$_{\pm 0.2}$", "52.3±0.2"),
        (r"0.71$^{\dagger}$", "0.71"),
        (r"0.71\textsuperscript{a}", "0.71"),
        (r"$2^{10}$", "2^10"),
        (r"$2^{n}$", "2^n"),
        (r"{\color{red} 7.5}", "7.5"),
        (r"\cellcolor[HTML]{FFEEAA}7.5", "7.5"),
        (r"\makecell[c]{7.5\\[2pt](0.1)}", "7.5 (0.1)"),
        (r"3\,148\,800", "3 148 800"),
        (r"\$1.20", "$1.20"),
        (r"12\%", "12%"),
        (r"\verb|7_5|", "7_5"),
        (r"7.5\footnote{more & less}", "7.5"),
        (r"7.5~\cite{a}", "7.5"),
        (r"7.5 % old: 7.4 & 7.3", "7.5"),
    ],
)
def test_a_cell_shows_what_the_eye_sees(tmp_path, written, seen):
    assert cells(tmp_path, rf"x & {written}" + "\n" + r" & 1 \\") == [["x", seen, "1"]]


def test_an_unknown_command_makes_its_cell_unreadable_and_no_other(tmp_path):
    found = read(
        tmp_path, "\\begin{tabular}{lrr} name & a & b \\\\ \\hline\nx & \\mystery{3} & 4 \\\\\n\\end{tabular}"
    )
    assert [cell.text for cell in found.tables[0].rows[0].cells] == ["x", "", "4"]
    assert [str(unread) for unread in found.unread] == [
        r"paper.tex, line 2: a cell of table at line 1: \mystery is not known"
    ]


@pytest.mark.parametrize(
    "preamble",
    [
        r"\newcommand{\up}[2][x]{\textbf{#2}}",
        r"\newcommand*\up[1]{\textbf{#1}}",
        r"\def\up#1{\textbf{#1}}",
        r"\newcommand{\deep}{\textbf}\let\up\deep",
        r"\iffalse \newcommand{\up}{wrong} \fi \DeclareRobustCommand{\up}[1]{{\bf #1}}",
    ],
)
def test_macros_are_replaced_by_what_they_stand_for(tmp_path, preamble):
    assert cells(tmp_path, r"x & \up{7.5} & 1 \\", preamble=preamble) == [["x", "7.5", "1"]]


def test_a_row_that_begins_with_a_bracket_is_no_length(tmp_path):
    assert cells(tmp_path, r"x & 1 & 2 \\[3pt] & [0.1, 0.3] & 3 \\ [0.5] & 1 & 2 \\")[1:] == [
        ["", "[0.1, 0.3]", "3"],
        ["[0.5]", "1", "2"],
    ]


def test_spans_reach_down_and_up_and_move_no_cell(tmp_path):
    body = (
        r"\multirow{2}{*}{x} & 1 & \multirow{2}{*}{9} \\ & 2 & \\ & 3 & 4 \\ \multirow{-2}{*}{y} & 5 & 6 \\"
    )
    assert cells(tmp_path, body) == [["x", "1", "9"], ["x", "2", "9"], ["y", "3", "4"], ["y", "5", "6"]]
    assert cells(tmp_path, r"x & \multicolumn{2}{c}{7} \\ y & 1 & 2 \\") == [["x", "7", "7"], ["y", "1", "2"]]


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (r"\newcommand{\a}{\a\a} \a", r"line 1: \\a expands without end"),
        (r"\newcommand{\a}{\b}\newcommand{\b}{\a} \a", "expands without end"),
        (r"\newcommand{\a}[1]{\a{#1#1}} \a{x}", "expands without end"),
        (r"\input{../secrets}", "reaches outside the paper's folder"),
        (r"\input{/etc/passwd}", "reaches outside the paper's folder"),
        (r'\input{|"ls"}', "reaches outside the paper's folder"),
        (r"\input{paper}", "inputs itself"),
        (r"\immediate\write18{rm -rf x}", r"\\write18 would run a program"),
        (r"\directlua{os.exit()}", "would run a program"),
        (r"\begin{tabular}{*{99999}{*{99999}{c}}} a & 1 \\ \end{tabular}", "repeat without end"),
        (r"\begin{tabular}{lr} a & \multicolumn{99999}{c}{1} \\ \end{tabular}", "more than 500 columns"),
    ],
)
def test_hostile_source_is_refused_in_a_sentence(tmp_path, source, sentence):
    with pytest.raises(MoelawsError, match=sentence) as refusal:
        read(tmp_path, source)
    assert "\n" not in str(refusal.value)


def test_a_link_out_of_the_folder_is_not_followed(tmp_path):
    (tmp_path / "secret.tex").write_text("7 & 8")
    paper = tmp_path / "paper"
    paper.mkdir()
    (paper / "rows.tex").symlink_to(tmp_path / "secret.tex")
    with pytest.raises(MoelawsError, match="outside the paper's folder"):
        read(paper, r"\input{rows}")


def test_a_part_that_is_not_there_is_listed(tmp_path):
    [unread] = read(tmp_path, "text\n\\input{rows}").unread
    assert str(unread) == r"paper.tex, line 2: \input{rows}: there is no such file in the paper's folder"


def test_braces_without_end_make_a_cell_unreadable(tmp_path):
    found = read(
        tmp_path,
        r"\begin{tabular}{lr} a & b \\ \hline c & 1 \\ d & "
        + "{" * 500
        + "2"
        + "}" * 500
        + r" \\ \end{tabular}",
    )
    assert [unread.reason for unread in found.unread] == [
        "a cell of table at line 1: braces nested more than 60 deep"
    ]
