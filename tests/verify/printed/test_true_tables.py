"""No true table is accused, whatever printed it; and the tables are such that a reading without ties would accuse some."""

from __future__ import annotations

import math
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from judged import verdict

sys.path.insert(0, str(Path(__file__).parent))
from true_tables import HABITS, NOTATIONS, by_c, by_javascript, exponent_by_javascript, true_tables

from verify.search.table_fit import TableFit
from verify.verdicts import Verdict


def test_no_true_table_is_accused(tmp_path):
    tables = list(true_tables(tmp_path, 120))
    assert {t.printed_by for t in tables} > set(HABITS)
    accused = [t for t in tables if verdict(t.check).verdict not in (Verdict.SUPPORTED, Verdict.INCONCLUSIVE)]
    assert accused == []


def test_every_notation_is_among_them(tmp_path):
    assert {t.notation for t in true_tables(tmp_path, 600)} > set(NOTATIONS)


def test_readings_without_ties_would_accuse_true_tables(tmp_path, monkeypatch):
    monkeypatch.setattr(TableFit, "with_ties_either_way", lambda fit: None)
    tables = [t for t in true_tables(tmp_path, 240) if t.printed_by in ("Python", "C", "JavaScript")]
    assert Counter(verdict(t.check).verdict for t in tables)[Verdict.REFUTED] > 0


@pytest.mark.parametrize(
    ("x", "digits", "shown"),
    [(0.15, 1, "0.1"), (0.45, 1, "0.5"), (0.25, 1, "0.3"), (2.5, 0, "3"), (1.005, 2, "1.00"), (-0.04, 1, "-0.0"), (-1.5, 0, "-2")],
)  # fmt: skip
def test_javascript_rounds_the_exact_double_with_ties_up(x, digits, shown):
    assert by_javascript(x, digits) == shown


@pytest.mark.parametrize(
    ("x", "digits", "shown"),
    [(0.125, 1, "1.3e-1"), (-0.125, 1, "-1.3e-1"), (0.000135, 1, "1.4e-4"), (9.96, 1, "1.0e+1"), (1000, 2, "1.00e+3")],
)  # fmt: skip
def test_javascript_rounds_exponents_likewise(x, digits, shown):
    assert exponent_by_javascript(x, digits) == shown


def test_c_prints_what_python_prints():
    for k in range(400):
        assert by_c(k / 80, 2) == f"{k / 80:.2f}"


@pytest.mark.parametrize("name", HABITS)
def test_every_habit_prints_a_neighbour_of_the_value(name):
    for k in range(-200, 200):
        shown = Fraction(HABITS[name].fixed(k / 80, 1))
        assert abs(shown - Fraction(k, 80)) <= Fraction(1, 10)
        assert math.isclose(shown * 10, round(shown * 10))
