"""True tables, as programs print them: every cell is the value of its formula, in six notations and by every rounding habit.

Python and C print for themselves (C by ``snprintf`` of the C library). JavaScript's ``toFixed`` and ``toExponential`` are
written out from their specification (ECMA-262, Number.prototype): of the integers nearest to the exact value of the double,
the larger one.
"""

from __future__ import annotations

import ctypes
import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction
from pathlib import Path

import sympy as sp

from verify.checks.printed_table import PrintedTable
from verify.printed.tables import read_table

a, b, c = sp.symbols("a b c")
FORMULAS = {"a/b": a / b, "(a - c)/b": (a - c) / b, "a*c/b": a * c / b}
DENOMINATORS = (7, 8, 16, 20, 40, 60, 80, 125, 200, 300, 400)
SEED = 20260409

Fixed = Callable[[float, int], str]


def by_c(x: float, digits: int, kind: str = "f") -> str:
    text = ctypes.create_string_buffer(400)
    ctypes.CDLL(None).snprintf(text, 400, f"%.*{kind}".encode(), digits, ctypes.c_double(x))
    return text.value.decode()


def by_javascript(x: float, digits: int) -> str:
    """``x.toFixed(digits)`` for abs(x) < 1e21."""
    if x < 0:
        return "-" + by_javascript(-x, digits)
    n = math.floor(Fraction(x) * 10**digits + Fraction(1, 2))  # the larger one of two that are as near
    return f"{Decimal(n).scaleb(-digits):f}"


def exponent_by_javascript(x: float, digits: int) -> str:
    """``x.toExponential(digits)``, x not 0."""
    if x < 0:
        return "-" + exponent_by_javascript(-x, digits)
    e = math.floor(math.log10(x)) + 1
    while Fraction(x) < Fraction(10) ** e:
        e -= 1
    n = math.floor(Fraction(x) / Fraction(10) ** (e - digits) + Fraction(1, 2))
    if n == 10 ** (digits + 1):
        n, e = 10**digits, e + 1
    shown = str(n)
    return f"{shown[0]}.{shown[1:]}e{'-' if e < 0 else '+'}{abs(e)}"


def by_decimal(mode: str) -> Fixed:
    """As a spreadsheet does: the shortest decimal of the double, rounded in decimal."""
    return lambda x, digits: f"{Decimal(repr(x)).quantize(Decimal(1).scaleb(-digits), rounding=mode):f}"


def by_floats(whole: Callable[[float], float]) -> Fixed:
    """As scripts do: ``whole(x * 100) / 100``."""
    return lambda x, digits: f"{whole(x * 10**digits) / 10**digits:.{digits}f}"


@dataclass(frozen=True)
class Habit:
    """How a program prints doubles: with fixed digits, with an exponent where it can, and what the table says of it."""

    fixed: Fixed
    exponent: Fixed | None = None
    stated: str = ""


HABITS = {
    "Python": Habit(lambda x, digits: f"{x:.{digits}f}", lambda x, digits: f"{x:.{digits}e}"),
    "C": Habit(by_c, lambda x, digits: by_c(x, digits, "e")),
    "JavaScript": Habit(by_javascript, exponent_by_javascript),
    "half up in decimal": Habit(by_decimal(ROUND_HALF_UP)),
    "half even in decimal": Habit(by_decimal(ROUND_HALF_EVEN)),
    "multiplied, rounded, divided": Habit(by_floats(round)),
    "truncated in decimal": Habit(by_decimal(ROUND_DOWN)),
    "multiplied, truncated, divided": Habit(by_floats(math.trunc)),
    "ceiling in decimal": Habit(by_decimal(ROUND_CEILING), stated="# rounded up: r\n"),
    "multiplied, raised, divided": Habit(by_floats(math.ceil), stated="# rounded up: r\n"),
}

NOTATIONS: dict[str, Callable[[Habit, float, int], str]] = {
    "plain": lambda habit, x, digits: habit.fixed(x, digits),
    "percent": lambda habit, x, digits: habit.fixed(100 * x, digits) + "%",
    "LaTeX": lambda habit, x, digits: rf"$\mathbf{{{habit.fixed(x, digits)}}}$",
    "decimal comma": lambda habit, x, digits: habit.fixed(x, digits).replace(".", ","),
    "e": lambda habit, x, digits: habit.exponent(x, digits),
    "x10": lambda habit, x, digits: "{}×10^{}".format(*habit.exponent(x, digits).split("e")),
}


@dataclass(frozen=True)
class TrueTable:
    """A check of a table whose every cell is true, and how it was printed."""

    check: PrintedTable
    printed_by: str
    notation: str


def true_tables(folder: Path, cells: int, seed: int = SEED) -> Iterator[TrueTable]:
    """Tables with so many derived cells in all, each habit in turn."""
    rng = random.Random(seed)
    names = [*HABITS, "to a step", "inputs printed too"]
    made = 0
    while made < cells:
        name = names[made // 10 % len(names)]
        make = {"to a step": _to_a_step, "inputs printed too": _with_printed_inputs}.get(name)
        text, notation, exact = make(rng) if make else _by_habit(rng, HABITS[name])
        formula = next(f for f in FORMULAS if f"# note: {f}\n" in text)
        path = folder / f"{made}.csv"
        path.write_text(text, encoding="utf-8")
        yield TrueTable(PrintedTable(read_table(path), {"r": FORMULAS[formula]}, exact=exact), name, notation)
        made += 10


def _rows(rng: random.Random) -> Iterator[tuple[int, int, int]]:
    return ((rng.randint(1, 400), rng.choice(DENOMINATORS), rng.randint(1, 400)) for _ in range(10))


def _value(formula: str, a: int, b: int, c: int) -> float:
    return {"a/b": a / b, "(a - c)/b": (a - c) / b, "a*c/b": a * c / b}[formula]


def _csv(formula: str, stated: str, lines: list[str]) -> str:
    return f"# note: {formula}\n{stated}n,a,b,c,r\n" + "\n".join(lines) + "\n"


def _by_habit(rng: random.Random, habit: Habit) -> tuple[str, str, list[str]]:
    formula = rng.choice(list(FORMULAS))
    notation = rng.choice([n for n in NOTATIONS if habit.exponent or n not in ("e", "x10")])
    digits = rng.randint(1, 3)
    lines = []
    for n, (i, j, k) in enumerate(_rows(rng)):
        x = _value(formula, i, j, k)
        shown = habit if x or notation not in ("e", "x10") else HABITS["Python"]
        lines.append(f'{n},{i},{j},{k},"{NOTATIONS[notation](shown, x, digits)}"')
    unseen = notation == "decimal comma" and digits == 3  # 3,142 alone does not show what its comma is
    stated = habit.stated + "# decimal comma: yes\n" * unseen
    return _csv(formula, stated, lines), notation, ["a", "b", "c"]


def _to_a_step(rng: random.Random) -> tuple[str, str, list[str]]:
    """To the nearest 5 or 1000, as ``round(x / step) * step`` gives it, thousands parted."""
    step = rng.choice((5, 20, 100, 1000))
    lines = [
        f'{n},{i},{j},{k},"{round(_value("a*c/b", i, j, k) / step) * step:,}"'
        for n, (i, j, k) in enumerate(_rows(rng))
    ]
    return _csv("a*c/b", f"# step: r = {step}\n", lines), "thousands", ["a", "b", "c"]


def _with_printed_inputs(rng: random.Random) -> tuple[str, str, list[str]]:
    """The inputs too are what a program printed of doubles; the output is computed from those doubles."""
    habit = HABITS[rng.choice(("Python", "C", "JavaScript", "half up in decimal"))]
    formula, digits = rng.choice(("a/b", "a*c/b")), rng.randint(1, 3)
    lines = []
    for n, (i, j, k) in enumerate(_rows(rng)):
        x, y = (i + 10) / 40, k / 8
        r = x / j if formula == "a/b" else x * y / j
        lines.append(f"{n},{habit.fixed(x, digits)},{j},{habit.fixed(y, digits)},{habit.fixed(r, digits)}")
    return _csv(formula, "", lines), "plain", ["b"]
