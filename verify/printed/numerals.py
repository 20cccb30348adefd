"""Numbers as a paper prints them, and the exact intervals they stand for under a rounding mode."""

from __future__ import annotations

__all__ = ["ORDINARY", "ROUNDED", "Rounding"]

import enum
import re
from dataclasses import dataclass
from fractions import Fraction

from theory.errors import MoelawsError
from verify.printed.intervals import Interval


class Rounding(enum.Enum):
    """How a value became its printed digits; the member's value is what a report calls it."""

    EXACT = "as printed"
    HALF_UP = "rounded half up"
    HALF_EVEN = "rounded half to even"
    TRUNCATED = "truncated"


ORDINARY = (Rounding.HALF_UP, Rounding.HALF_EVEN)
"""The two ways of rounding to the nearest last digit."""

ROUNDED = (Rounding.HALF_UP, Rounding.HALF_EVEN, Rounding.TRUNCATED)
"""Every mode in which a printed number stands for an interval."""

_NUMBER = re.compile(
    r"(?P<sign>[-+]?)(?P<digits>[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?|\d+(?:\.\d*)?|\.\d+)"
    r"(?:(?:x|\*)10\^?\{?(?P<power>[-+]?\d+)\}?|e(?P<exp>[-+]?\d+))?"
    r"(?P<percent>%?)"
)
_TYPESETTING = re.compile(r"\$|\\(?:mathbf|boldsymbol|mathrm|text|bf)\b|\\[,;! ]")
_SPACED_OPERATOR = re.compile(r"\s*([±x*^{}])\s*|\s+(?=%)")


@dataclass(frozen=True)
class Printed:
    """One printed number: its text, exact value and the unit of its last digit.

    ``spread`` is the number after a plus-minus sign, where one is printed.
    """

    text: str
    value: Fraction
    last_digit: Fraction
    spread: Printed | None = None

    def interval(self, mode: Rounding) -> Interval:
        """Every value that prints as this number under ``mode``.

        Ties of HALF_UP go away from zero and truncation goes towards zero, so
        negative numbers mirror positive ones.
        """
        v, u = self.value, self.last_digit
        if mode is Rounding.EXACT:
            return Interval.point(v)
        if mode is Rounding.TRUNCATED:
            if v == 0:
                return Interval(-u, u, False, False)
            return Interval(v, v + u, True, False) if v > 0 else Interval(v - u, v, False, True)
        half = u / 2
        if mode is Rounding.HALF_EVEN:
            even = (v / u) % 2 == 0
            return Interval(v - half, v + half, even, even)
        return Interval(v - half, v + half, v > 0, v < 0)

    def shifted(self, units: int) -> Printed:
        """This number with ``units`` added in its last printed digit."""
        value = self.value + units * self.last_digit
        return Printed(_decimal_text(value, self.last_digit), value, self.last_digit, self.spread)

    def other_last_digits(self) -> list[Printed]:
        """The nine numbers that differ from this one in the last digit only."""
        digit = int(abs(self.value) / self.last_digit) % 10
        sign = -1 if self.value < 0 else 1
        return [self.shifted(sign * (other - digit)) for other in range(10) if other != digit]

    def __str__(self) -> str:
        return self.text


def parse_printed(text: str) -> Printed:
    """Read a printed number: ``0.063``, ``3,148,800``, ``22.9 ± 2.9``, ``5×10^4``, LaTeX or not.

    Raises ValueError, saying what was expected, where the text is no number.
    """
    plain = _TYPESETTING.sub("", text).replace("{,}", ",").replace("−", "-")
    plain = plain.replace(r"\times", "x").replace("×", "x").replace(r"\%", "%")
    plain = plain.replace(r"\pm", "±").replace("+-", "±").replace("+/-", "±")
    plain = _SPACED_OPERATOR.sub(lambda operator: operator[1] or "", plain.strip())
    if plain.startswith("{") and plain.endswith("}"):
        plain = plain[1:-1]
    centre, plus_minus, spread = plain.partition("±")
    if spread.endswith("%") and not centre.endswith("%"):
        centre += "%"
    number = _parse_plain(centre, text)
    if not plus_minus:
        return Printed(text.strip(), number.value, number.last_digit)
    return Printed(text.strip(), number.value, number.last_digit, _parse_plain(spread, text))


def _parse_plain(plain: str, shown: str) -> Printed:
    match = _NUMBER.fullmatch(plain)
    if not match:
        raise MoelawsError(
            f"{shown!r} is not a number; expected digits such as 0.063, 3,148,800, 22.9 ± 2.9 or 5×10^4"
        )
    digits = match["digits"].replace(",", "")
    power = int(match["power"] or match["exp"] or 0)
    if abs(power) > 400:
        raise MoelawsError(f"{shown!r}: a power of ten beyond 400 is not a printed number")
    scale = Fraction(10) ** power
    if match["percent"]:
        scale /= 100
    decimals = len(digits.partition(".")[2])
    sign = -1 if match["sign"] == "-" else 1
    return Printed(plain, sign * Fraction(digits) * scale, scale / 10**decimals)


def _decimal_text(value: Fraction, last_digit: Fraction) -> str:
    """Text that reads back as ``value`` with this last digit (a power of ten)."""
    units = int(abs(value) / last_digit)
    sign = "-" if value < 0 else ""
    if last_digit >= 1:
        power = len(str(int(last_digit))) - 1
        return f"{sign}{units}e{power}" if power else f"{sign}{units}"
    decimals = len(str(last_digit.denominator)) - 1
    digits = str(units).rjust(decimals + 1, "0")
    return f"{sign}{digits[:-decimals]}.{digits[-decimals:]}"
