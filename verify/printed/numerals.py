"""Numbers as a paper prints them, and the exact intervals they stand for under a rounding mode."""

from __future__ import annotations

__all__ = ["ORDINARY", "ROUNDED", "Rounding"]

import enum
import re
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from theory.errors import MoelawsError
from verify.printed.intervals import Interval


class Rounding(enum.Enum):
    """How a value became its printed digits; the member's value is what a report calls it."""

    EXACT = "as printed"
    HALF_UP = "rounded half up"
    HALF_EVEN = "rounded half to even"
    TRUNCATED = "truncated"
    CEILING = "rounded up"
    NEAREST = "rounded to nearest, ties either way"
    TRUNCATED_EITHER_WAY = "truncated, ties either way"
    CEILING_EITHER_WAY = "rounded up, ties either way"

    @property
    def either_way(self) -> Rounding:
        """The same mode where the end of an interval may print as either neighbour.

        Binary floats print so: 0.15 and 0.45 stand a little below and above the tie and print as 0.1 and 0.5, and
        100 times 0.29, a little below 29, is truncated to 28.
        """
        return _EITHER_WAY.get(self, self)


_EITHER_WAY = {
    Rounding.HALF_UP: Rounding.NEAREST,
    Rounding.HALF_EVEN: Rounding.NEAREST,
    Rounding.TRUNCATED: Rounding.TRUNCATED_EITHER_WAY,
    Rounding.CEILING: Rounding.CEILING_EITHER_WAY,
}

ORDINARY = (Rounding.HALF_UP, Rounding.HALF_EVEN)
"""The two ways of rounding to the nearest last digit."""

ROUNDED = (Rounding.HALF_UP, Rounding.HALF_EVEN, Rounding.TRUNCATED)
"""The modes tried where a paper does not say how it rounds; a ceiling and a step are stated by the table."""

_NUMBER = re.compile(
    r"(?P<sign>[-+]?)(?P<digits>[1-9]\d{0,2}(?P<mark>[,' \u2009\u202f\xa0])\d{3}(?:(?P=mark)\d{3})*(?:\.\d*)?|\d+(?:\.\d*)?|\.\d+)"
    r"(?:(?:x|\*)10\^?\{?(?P<power>[-+]?\d+)\}?|[eE](?P<exp>[-+]?\d+))?"
    r"(?: ?(?P<unit>[%‰KkMBTx]|thousand|million|billion|trillion))?"
)
_UNITS = {
    **{
        "%": Fraction(1, 100),
        "‰": Fraction(1, 1000),
        "x": Fraction(1),
        "K": Fraction(1000),
        "k": Fraction(1000),
    },
    **{"M": Fraction(10**6), "B": Fraction(10**9), "T": Fraction(10**12), "thousand": Fraction(1000)},
    **{"million": Fraction(10**6), "billion": Fraction(10**9), "trillion": Fraction(10**12)},
}
"""What a number's own suffix multiplies it by; a factor printed ``1.5x`` or ``1.5×`` is the number 1.5."""
_TYPESETTING = re.compile(r"\$|\\(?:mathbf|boldsymbol|mathrm|text|bf)\b|\\[,;! ]")
_SPACED_OPERATOR = re.compile(r"\s*([±x*^{}])\s*|\s+(?=%)")
_DECIMAL_COMMA = str.maketrans(",.", ".,")


@dataclass(frozen=True)
class Printed:
    """One printed number: its text, exact value and the unit of its last digit.

    ``spread`` is the number after a plus-minus sign, where one is printed. ``step`` is what it was rounded to where
    that is not the last digit: to the nearest 5, or 100,000.
    """

    text: str
    value: Fraction
    last_digit: Fraction
    spread: Printed | None = None
    step: Fraction | None = None

    def interval(self, mode: Rounding) -> Interval:
        """Every value that prints as this number under ``mode``.

        Ties of HALF_UP go away from zero, truncation goes towards zero and CEILING away from zero for positive numbers
        alone. What is printed ``-0.0`` is 0 or less.
        """
        v, u = self.value, self.unit
        if mode is Rounding.EXACT:
            return Interval.point(v)
        if mode in (Rounding.TRUNCATED, Rounding.TRUNCATED_EITHER_WAY):
            found = Interval(v if v > 0 else v - u, v if v < 0 else v + u, v > 0, v < 0)
        elif mode in (Rounding.CEILING, Rounding.CEILING_EITHER_WAY):
            found = Interval(v - u, v, False, True)
        elif mode is Rounding.HALF_EVEN:
            even = (v / u) % 2 == 0
            found = Interval(v - u / 2, v + u / 2, even, even)
        else:
            found = Interval(v - u / 2, v + u / 2, v > 0, v < 0)
        if mode.either_way is mode:
            found = Interval(found.lo, found.hi)
        if v == 0 and self.text.startswith(("-", "−")):
            return Interval(found.lo, Fraction(0), found.lo_closed, True)
        return found

    @property
    def unit(self) -> Fraction:
        """The step, or else the unit of the last digit."""
        return self.step or self.last_digit

    def shifted(self, units: int) -> Printed:
        """This number with so many of its units added."""
        value = self.value + units * self.unit
        return replace(self, text=_decimal_text(value, self.last_digit), value=value)

    def other_last_digits(self) -> list[Printed]:
        """The nine numbers that differ from this one in the last digit only, or in the last digit of the count of steps."""
        digit = int(abs(self.value) / self.unit) % 10
        sign = -1 if self.value < 0 else 1
        return [self.shifted(sign * (other - digit)) for other in range(10) if other != digit]

    def __str__(self) -> str:
        return self.text


@lru_cache(maxsize=4096)
def parse_printed(text: str, *, decimal_comma: bool = False) -> Printed:
    """Read a printed number: ``0.063``, ``3,148,800``, ``31.4M``, ``22.9 ± 2.9``, ``5×10^4``, LaTeX or not.

    A percent sign on either side of ± belongs to both. With ``decimal_comma`` the comma is the decimal mark and the
    point parts thousands. Raises ValueError, saying what was expected, where the text is no number, or where it
    is not clear what a power of ten after ± belongs to.
    """
    plain = _TYPESETTING.sub("", text).replace("{,}", ",").replace("−", "-")
    plain = plain.replace(r"\times", "x").replace("×", "x").replace(r"\%", "%")
    plain = plain.replace(r"\pm", "±").replace("+-", "±").replace("+/-", "±")
    plain = _SPACED_OPERATOR.sub(lambda operator: operator[1] or "", plain.strip())
    if plain.startswith("{") and plain.endswith("}"):
        plain = plain[1:-1]
    if decimal_comma:
        plain = plain.translate(_DECIMAL_COMMA)
    centre, plus_minus, spread = plain.partition("±")
    if not plus_minus:
        return replace(_parse_plain(centre, text), text=text.strip())
    if spread.endswith("%") and not centre.endswith("%"):
        centre += "%"
    elif centre.endswith("%") and not spread.endswith("%"):
        spread += "%"
    number, half_width = _parse_plain(centre, text), _parse_plain(spread, text)
    if spread.startswith(("-", "+")):
        raise MoelawsError(
            f"{text!r}: the number after ± carries a sign; expected a half-width, as in 22.9 ± 2.9"
        )
    if _scaled(spread) != _scaled(centre):
        raise MoelawsError(
            f"{text!r}: it is not clear what the power of ten belongs to; write it on both sides of ±, or on neither"
        )
    return replace(number, text=text.strip(), spread=half_width)


def _scaled(plain: str) -> bool:
    """Whether a number is printed with a power of ten, or with a letter or a word for one."""
    match = _NUMBER.fullmatch(plain)
    return bool(match and (match["power"] or match["exp"] or match["unit"] not in (None, "%")))


def _parse_plain(plain: str, shown: str) -> Printed:
    match = _NUMBER.fullmatch(plain)
    if not match:
        raise MoelawsError(
            f"{shown!r} is not a number; expected digits such as 0.063, 3,148,800, 22.9 ± 2.9 or 5×10^4"
        )
    digits = match["digits"].replace(match["mark"] or ",", "")
    power = int(match["power"] or match["exp"] or 0)
    if abs(power) > 400:
        raise MoelawsError(f"{shown!r}: a power of ten beyond 400 is not a printed number")
    scale = Fraction(10) ** power * _UNITS.get(match["unit"], 1)
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
