"""Printed numbers and the intervals they stand for, against Python's decimal module."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.printed.intervals import Interval
from verify.printed.numerals import ROUNDED, Rounding, parse_printed

DECIMAL_RULE = {
    Rounding.HALF_UP: ROUND_HALF_UP,
    Rounding.HALF_EVEN: ROUND_HALF_EVEN,
    Rounding.TRUNCATED: ROUND_DOWN,
    Rounding.CEILING: ROUND_CEILING,
}


@pytest.mark.parametrize(
    ("text", "value", "last_digit"),
    [
        ("0.063", "63/1000", "1/1000"),
        (".0630", "63/1000", "1/10000"),
        ("-0.1817", "-1817/10000", "1/10000"),
        ("3,148,800", "3148800", "1"),
        ("5×10^4", "50000", "10000"),
        (r"$5\times 10^{4}$", "50000", "10000"),
        ("1.50e-3", "3/2000", "1/100000"),
        ("28%", "7/25", "1/100"),
        (r"$\mathbf{0.060}$", "3/50", "1/1000"),
        ("−0.5", "-1/2", "1/10"),
        ("1{,}024", "1024", "1"),
        ("31.4M", "31400000", "100000"),
        ("2{,}618K", "2618000", "1000"),
        ("1.46 trillion", "1460000000000", "10000000000"),
        ("1.31×", "131/100", "1/100"),
        ("18'421", "18421", "1"),
        ("16 384", "16384", "1"),
        ("3.10E+02", "310", "1"),
        ("7‰", "7/1000", "1/1000"),
    ],
)
def test_value_and_last_digit(text, value, last_digit):
    printed = parse_printed(text)
    assert (printed.value, printed.last_digit) == (Fraction(value), Fraction(last_digit))


@pytest.mark.parametrize("text", ["22.9 ± 2.9", r"$22.9\pm 2.9$", "22.9+-2.9", "22.9 +/- 2.9"])
def test_plus_minus(text):
    printed = parse_printed(text)
    assert printed.value == Fraction("22.9")
    assert printed.spread.value == Fraction("2.9")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "n/a",
        "1.2.3",
        "1,24",
        "0,063",
        "five",
        "1 ±",
        "±2",
        "--1",
        "<script>",
        "1,234'567",
        "1K2",
        "2^10",
        "31M B",
    ],
)
def test_what_is_no_number_is_refused_with_the_text(text):
    with pytest.raises(ValueError, match="is not a number"):
        parse_printed(text)


@given(
    st.decimals(-1000, 1000, places=6, allow_nan=False, allow_infinity=False),
    st.integers(0, 4),
    st.sampled_from(sorted(DECIMAL_RULE, key=str)),
)
def test_an_interval_holds_exactly_what_prints_that_way(value, places, mode):
    step = Decimal(1).scaleb(-places)
    text = str(value.quantize(step, rounding=DECIMAL_RULE[mode]))
    for candidate in (value, value + step / 2, value - step / 2, value + step, value - step):
        prints_the_same = Decimal(text) == candidate.quantize(step, rounding=DECIMAL_RULE[mode])
        prints_the_same &= not (text.startswith("-") and candidate > 0)  # -0.0 is not printed for 0.04
        assert (Fraction(candidate) in parse_printed(text).interval(mode)) == prints_the_same


@given(st.integers(-9999, 9999), st.integers(0, 3), st.sampled_from(ROUNDED))
def test_ties_belong_to_one_neighbour_only(units, places, mode):
    below, above = (parse_printed(str(Decimal(units + i).scaleb(-places))) for i in (0, 1))
    tie = (below.value + above.value) / 2
    owners = [tie in p.interval(mode) for p in (below, above)]
    assert owners.count(True) == 1


@given(st.integers(-9999, 9999), st.integers(0, 4))
def test_other_last_digits_are_the_nine_others(units, places):
    printed = parse_printed(str(Decimal(units).scaleb(-places)))
    others = printed.other_last_digits()
    assert len({o.value for o in others}) == 9
    for other in others:
        assert other.value != printed.value
        assert parse_printed(other.text).value == other.value
        assert parse_printed(other.text).last_digit == printed.last_digit


@pytest.mark.parametrize("text", ["5×10^4", "1.50e-3", "28%", "3,148,800", "-2.5e6", "0", "22.9 ± 2.9"])
def test_changed_digits_read_back_with_the_same_last_digit(text):
    printed = parse_printed(text)
    for other in printed.other_last_digits():
        again = parse_printed(other.text)
        assert (again.value, again.last_digit) == (other.value, printed.last_digit)


@pytest.mark.parametrize("text", ["12 34", "1.2 3e1", "1.2\n3"])
def test_two_numbers_are_not_read_as_one(text):
    with pytest.raises(ValueError, match="is not a number"):
        parse_printed(text)


def test_a_percent_sign_after_plus_minus_belongs_to_both():
    printed = parse_printed("22.9 ± 2.9%")
    assert (printed.value, printed.spread.value) == (Fraction(229, 1000), Fraction(29, 1000))


def test_a_percent_sign_before_plus_minus_belongs_to_both():
    printed = parse_printed("22.9% ± 2.9")
    assert (printed.value, printed.spread.value) == (Fraction(229, 1000), Fraction(29, 1000))


@pytest.mark.parametrize(
    "text",
    [
        "1.2 ± 0.3 × 10^4",
        "12345.67+-0.1e3",
        r"1.2 \pm 0.3\times10^{4}",
        "1.2e4 ± 300",
        "1.2M ± 3",
        "1.2 ± 3K",
    ],
)
def test_a_power_of_ten_on_one_side_of_plus_minus_is_refused_as_ambiguous(text):
    with pytest.raises(ValueError, match="not clear what the power of ten belongs to"):
        parse_printed(text)


def test_a_power_of_ten_on_both_sides_is_read():
    printed = parse_printed("1.2e4 ± 3e2")
    assert (printed.value, printed.spread.value) == (12000, 300)


@pytest.mark.parametrize("text", ["22.9 ± -2.9", "22.9 +/- +2.9"])
def test_a_signed_half_width_is_refused(text):
    with pytest.raises(ValueError, match="carries a sign"):
        parse_printed(text)


@pytest.mark.parametrize(
    ("mode", "shown"),
    [(Rounding.HALF_UP, "(-0.05, 0]"), (Rounding.HALF_EVEN, "[-0.05, 0]"), (Rounding.TRUNCATED, "(-0.1, 0]")],
)
def test_a_printed_minus_zero_is_no_positive_number(mode, shown):
    assert str(parse_printed("-0.0").interval(mode)) == shown
    assert Fraction(1, 25) in parse_printed("0.0").interval(mode)


@pytest.mark.parametrize("mode", [*ROUNDED, Rounding.CEILING])
def test_either_way_adds_the_ends_and_nothing_else(mode):
    for text in ("1.5", "-1.5", "0.0", "0.2"):
        narrow, wide = (parse_printed(text).interval(m) for m in (mode, mode.either_way))
        assert wide == Interval(narrow.lo, narrow.hi)


@pytest.mark.parametrize(
    ("text", "value"), [("3,142", "3.142"), ("0,34", "0.34"), ("1.024,5", "1024.5"), ("1.024", "1024")]
)
def test_a_decimal_comma_is_read_where_the_table_uses_it(text, value):
    assert parse_printed(text, decimal_comma=True).value == Fraction(value)


@pytest.mark.parametrize("text", ["5 %", "5%", r"5 \%", "5 % "])
def test_a_blank_before_a_percent_sign_is_read(text):
    assert parse_printed(text).value == Fraction(1, 20)
