"""Tables: what a file must look like, and what is said when it does not."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

from verify.errors import InputError
from verify.printed.median import median
from verify.printed.numerals import Rounding
from verify.printed.tables import quoted, read_table

GOOD = '# name: Table 9\n# key: E\nE [experts],mu [1],mean [nats]\n1,-0.18,22.9 ± 2.9\n2,-0.17,"1,000 ± 10"\n'


def read(tmp_path, text, name="table9.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_table(path)


def test_cells_stay_strings_and_carry_units_and_places(tmp_path):
    table = read(tmp_path, GOOD)
    assert table.column("mu").unit == "1"
    assert table.column("mean").cells == ("22.9 ± 2.9", "1,000 ± 10")
    cell = table.cell(1, "mean")
    assert (cell.where, cell.spread.text) == ("Table 9, E=2, mean", "10")
    assert cell.printed.value == 1000


def test_a_byte_order_mark_and_windows_line_ends_do_not_matter(tmp_path):
    assert read(tmp_path, b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode()).names == ("E", "mu", "mean")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("E,mu\n1,-0.1\n2\n", r"table9.csv, line 3 \(row 2\): 1 cells where the header has 2"),
        ("E,mu\n1,\n", r"line 2 \(row 1\), column 'mu': the cell is empty"),
        ("E,E\n1,2\n", "two columns are named 'E'"),
        ("E [x,mu\n1,2\n", "column 1: header"),
        ("E,mu\n", "expected a header line and at least one row"),
        ("", "expected a header line"),
        ("# colour: red\nE,mu\n1,2\n", "is not understood"),
        ("# key: F\nE,mu\n1,2\n", "key column 'F' is not in the header"),
        ("E,mu\n1,2\n1,3\n", "two rows are labelled 'E=1'"),
        (b"\xff\xfe\x00", "not UTF-8"),
    ],
)
def test_a_malformed_table_is_named_by_file_row_and_column(tmp_path, text, said):
    with pytest.raises(InputError, match=said) as raised:
        read(tmp_path, text)
    assert "table9.csv" in str(raised.value)


def test_a_cell_that_is_no_number_is_named_when_it_is_used(tmp_path):
    table = read(tmp_path, "E,mu\n1,abc\n")
    with pytest.raises(InputError, match="table9, E=1, mu: 'abc' is not a number"):
        _ = table.cell(0, "mu").printed
    with pytest.raises(InputError, match="Table 1: 'x' is not a number"):
        quoted("x", "Table 1")
    with pytest.raises(InputError, match="has no ± part"):
        _ = quoted("1.0", "Table 1").spread


def test_an_unknown_column_suggests_near_ones(tmp_path):
    with pytest.raises(InputError, match="Did you mean mean"):
        read(tmp_path, GOOD).column("mena")


def test_joining_needs_the_same_rows(tmp_path):
    table = read(tmp_path, GOOD)
    other = read(tmp_path, "E,D\n1,5\n2,6\n", "other.csv")
    assert table.joined(other).names == ("E", "mu", "mean", "D")
    with pytest.raises(InputError, match="different rows"):
        table.joined(read(tmp_path, "E,D\n1,5\n3,6\n", "third.csv"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('m,N\na,10,"see\nb,20,x\n', "line 2.*close every quote"),
        ('m,N\na,"0.34"5\n', "line 2"),
        ("m,N\n# note: 1\n", "1 cells where the header has 2"),
    ],
)
def test_no_row_of_a_table_is_dropped_in_silence(tmp_path, text, said):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=said):
        read_table(path)


def test_a_median_of_mixed_precision_is_refused():
    places = {sp.Symbol(n): quoted(t, n) for n, t in (("a", "1"), ("b", "1.2"), ("c", "1.3"))}
    with pytest.raises(InputError, match="different last digits"):
        median(places)


def test_a_table_states_the_step_of_a_column_and_what_it_rounds_up(tmp_path):
    table = read(
        tmp_path,
        '# step: N = 100000, share = 5\n# rounded up: weeks\nE,N,share,weeks\n1,"30,200,000",35,15\n',
    )
    modes = (Rounding.HALF_UP, Rounding.NEAREST, Rounding.EXACT)
    cell = table.cell(0, "N")
    assert Fraction(30_220_800) in cell.interval(Rounding.HALF_UP)
    assert Fraction(30_250_001) not in cell.interval(Rounding.NEAREST)
    assert str(table.cell(0, "share").interval(Rounding.HALF_UP)) == "[32.5, 37.5)"
    assert [str(table.cell(0, "weeks").interval(mode)) for mode in modes] == ["(14, 15]", "[14, 15]", "15"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# step: Q = 5\nE,N\n1,5\n", "expected 'column = step' with one of E, N"),
        ("# step: N = none\nE,N\n1,5\n", "expected a positive number"),
        ("# step: N = 5\nE,N\n1,5\n2,7\n", "table9, E=2, N is 7, no multiple of the column's step 5"),
        ("# decimal comma: 3\nE,N\n1,5\n", "says '3'; expected yes or no"),
        ("# rounded up: Q\nE,N\n1,5\n", "'# rounded up' names 'Q'"),
    ],
)
def test_a_step_or_a_ceiling_that_cannot_be_is_refused(tmp_path, text, said):
    with pytest.raises(InputError, match=said):
        read(tmp_path, text)


def test_the_habit_of_a_table_decides_what_a_comma_means(tmp_path):
    by_comma = read(tmp_path, 'E,a,b\n1,"3,142","0,34"\n')
    assert [by_comma.cell(0, name).printed.value for name in "ab"] == [Fraction("3.142"), Fraction("0.34")]
    by_point = read(tmp_path, 'E,a,b\n1,"3,142","0.34"\n', "other.csv")
    assert [by_point.cell(0, name).printed.value for name in "ab"] == [3142, Fraction("0.34")]
    stated = read(tmp_path, '# decimal comma: yes\nE,a\n1,"3,142"\n', "fourth.csv")
    assert stated.cell(0, "a").printed.value == Fraction("3.142")
    mixed = read(tmp_path, 'E,a,b\n1,"0,34","0.34"\n', "third.csv")
    with pytest.raises(InputError, match="E=1, a: '0,34' is not a number"):
        _ = mixed.cell(0, "a").printed


def test_reading_a_table_takes_steps_in_proportion_to_its_rows(tmp_path):
    """Counted in calls and not timed; a step for each pair of rows would be a thousand times as many."""
    import sys

    def calls(rows):
        path = tmp_path / f"{rows}.csv"
        path.write_text("x,y\n" + "".join(f"{i},{i}\n" for i in range(rows)))
        counted = compared = 0

        def count(frame, event, argument):
            nonlocal counted, compared
            counted += 1
            compared += event == "c_call" and argument.__name__ in ("count", "index")

        sys.setprofile(count)
        try:
            assert len(read_table(path)) == rows
        finally:
            sys.setprofile(None)
        assert compared < 10  # each of these walks a whole list
        return counted

    assert calls(2000) < 2.2 * calls(1000)
