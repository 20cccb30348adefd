"""A wrong argument of a check is one clear sentence when the check is made, whatever it is."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

from theory.relation import eq
from verify.checks.ball_inequality import BallInequality
from verify.checks.consistent import Consistent
from verify.checks.conventions import ConventionSearch
from verify.checks.gap_rule import GapRule
from verify.checks.homogeneous import Homogeneous
from verify.checks.identity import Identity
from verify.checks.printed_table import PrintedTable
from verify.checks.rates import RateOptimum
from verify.checks.single_correction import SingleCorrection
from verify.errors import InputError
from verify.judging.claims import Claim
from verify.judging.papers import load_paper
from verify.printed.numerals import Rounding
from verify.printed.rounding_readings import Reading
from verify.printed.tables import Column, Table, quoted

b, s, e = sp.symbols("b s e", positive=True)
TABLE = Table("Table 1", (Column("E", "1", ("1", "2")), Column("r", "1", ("2", "4"))), ("E",))
E = sp.Symbol("E", positive=True)
CELL = quoted("314.478", "Table 2")
PLACES = {s: CELL, e: quoted("2.0", "Table 2")}
SHARED = PrintedTable(TABLE, {"r": b * E}, shared={b: quoted("2.0", "Table 2")}, exact=["E"])
MEANS = (quoted("1.0 ± 0.1", "Table 3"), quoted("1.1 ± 0.1", "Table 3"))


def table(formula=2 * E, **rest):
    return PrintedTable(TABLE, {"r": formula}, **rest)


def homogeneous(**changed):
    return Homogeneous(**({"means": MEANS, "rival_ratio": Fraction(2), "rival": "a drift"} | changed))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: table(10.0 ** (-E)), r"formulas\['r'\] is 10\.0\*\*\(-E\), and its float 10 has no exact"),
        (lambda: table("2*E"), r"formulas\['r'\] is '2\*E'; expected a sympy expression"),
        (lambda: table(2.0), r"formulas\['r'\] is 2\.0; expected a sympy expression"),
        (lambda: PrintedTable(TABLE, "2*E"), r"formulas is '2\*E'; expected \{'column': formula\}"),
        (lambda: PrintedTable("table1", {"r": 2 * E}), "table is 'table1'; expected a Table"),
        (lambda: table(exact=["EE"]), "exact: Table 1 has no column 'EE'; it has E, r. Did you mean E"),
        (lambda: table(exact="E"), "exact is 'E'; expected a list"),
        (lambda: table(scope="row"), "scope='row', expected 'table' or 'column'"),
        (lambda: table(readings=["half up"]), r"readings\[0\] is 'half up'; expected a Reading"),
        (lambda: table(readings=[Reading("half up", "half up")]), r"readings\[0\] is \('half up', 'half up'\)"),
        (lambda: table(readings=Reading(Rounding.EXACT, Rounding.HALF_UP)), r"readings\[0\] is <Rounding"),
        (lambda: table(readings=[]), "readings is empty; leave it out"),
        (lambda: table(names=["E"]), r"names is \['E'\]"),
        (lambda: table(b * E, shared={"b": CELL}), "shared: a key is 'b'; expected the Symbol"),
        (lambda: table(b * E, shared={sp.Symbol("b"): CELL}), "another symbol called b is given"),
        (lambda: table(b * E, shared={b: "2.0"}), r"shared: the place of b is '2\.0'; expected a printed cell"),
        (lambda: Consistent(PLACES, [s < e]), r"relations\[0\] is the sympy comparison s < e; write Relation\(s, '<', e\)"),
        (lambda: Consistent(PLACES, [sp.Eq(s, e)]), r"write Relation\(s, '==', e\)"),
        (lambda: Consistent(PLACES, [s == e]), r"relations\[0\] is False: Python evaluates == and <"),
        (lambda: Consistent(PLACES, eq(s, e)), "relations is Relation.*; expected a list"),
        (lambda: Consistent({s: "314.478"}, [eq(s, 1)]), r"the place of s is '314\.478'; expected a printed"),
        (lambda: Consistent({"s": CELL}, [eq(s, 1)]), "places: a key is 's'; expected the Symbol"),
        (lambda: Consistent({sp.Symbol("s"): CELL}, [eq(s, 1)]), "no place for s; another symbol called s"),
        (lambda: Consistent(PLACES, [eq(s, e)], modes=["half up"]), r"modes\[0\] is 'half up'; expected a Rounding"),
        (lambda: Consistent([CELL], [eq(s, e)]), r"places is \[Cell.*; expected \{symbol: cell\}"),
        (lambda: Identity(eq(s, s)), "relations is Relation.*; expected a list"),
        (lambda: Identity((s < e,)), r"write Relation\(s, '<', e\)"),
        (lambda: BallInequality(s <= e, ((s, 0, 1), (e, 0, 1))), "BallInequality: relation is the sympy comparison"),
        (lambda: GapRule(s <= e, ()), "GapRule: relation is the sympy comparison"),
        (lambda: homogeneous(means=["1.0 ± 0.1"]), r"means\[0\] is '1\.0 ± 0\.1'; expected a printed cell"),
        (lambda: homogeneous(rival_ratio="2"), "rival_ratio='2', expected a Fraction"),
        (lambda: homogeneous(coverage=95), "coverage=95, expected a Fraction between 0 and 1"),
        (lambda: homogeneous(least_power=0.8), "least_power=0.8, expected a Fraction between 0 and 1"),
        (lambda: ConventionSearch(["10"], {"a": [10]}), r"targets\[0\] is '10'; expected a printed cell"),
        (lambda: ConventionSearch([CELL], {"a": 10}), r"family\['a'\] is 10; expected a list"),
        (lambda: ConventionSearch([CELL], {"a": [0.1]}), r"family\['a'\]\[0\] is 0\.1; expected an int or a Fraction"),
        (lambda: ConventionSearch([CELL], [10]), r"family is \[10\]"),
        (lambda: SingleCorrection(TABLE, [b]), "base is Table.*; expected a PrintedTable"),
        (lambda: SingleCorrection(SHARED, ["b"]), r"corrected\[0\] is 'b'; expected a Symbol"),
        (lambda: SingleCorrection(SHARED, [b], factor=Fraction(1, 2)), "expected an int or a Fraction of more than 1"),
        (lambda: SingleCorrection(SHARED, [b], reading="half up"), "reading is 'half up'; expected a Reading"),
        (lambda: TABLE.cell(9, "r"), "Table 1: no row 9; its rows count from 0 to 1"),
        (lambda: TABLE.cell("E=1", "r"), "Table 1: no row 'E=1'"),
        (lambda: TABLE.cell(0, 1), "no column 1"),
        (lambda: quoted(314.478, "Table 1"), r"quoted\(text=314\.478\): expected a text; write it in quotes"),
        (lambda: quoted("314.478", 1), r"quoted\(where=1\)"),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_named_with_what_was_expected(make, said):
    with pytest.raises(InputError, match=said):
        make()


@pytest.mark.parametrize("two", [2, Fraction(2), sp.Integer(2), sp.Rational(2)])
def test_an_exact_number_may_be_of_any_kind(two):
    assert homogeneous(rival_ratio=two).rival_ratio == 2
    assert ConventionSearch([CELL], {"a": [two]}).family == {"a": [2]}
    assert SingleCorrection(SHARED, [b], factor=two).factor == 2


def test_a_float_in_any_formula_is_refused_when_the_claim_is_made():
    rate = RateOptimum(b**0.5, [b], s, s)
    with pytest.raises(InputError, match=r"claim 't/c': RateOptimum: .*a float has no exact value"):
        Claim("t/c", "w", "h", rate, mutants={"m": {"value": 2 * s}})


def test_identities_for_symbols_of_either_sign_are_told_how_to_be_claimed():
    real = sp.Symbol("b", real=True)
    with pytest.raises(
        InputError, match="where b may be negative claim the identity with -b in its place too"
    ):
        Identity((eq(real, real),))


@pytest.mark.parametrize(
    "check",
    [
        'PrintedTable(numbers, {"twice": 2.0 * a})',
        'PrintedTable(numbers, {"twice": 2 * a}, exact=["aa"])',
        'Consistent({a: numbers.cell(0, "a")}, [a < 2])',
    ],
)
def test_a_papers_file_and_line_stand_before_the_sentence(write_paper, check):
    folder = write_paper(
        f"""
        import sympy as sp
        from verify import Consistent, Paper, PrintedTable
        paper, a = Paper.open(__file__), sp.Symbol("a", positive=True)
        numbers = paper.table("numbers")
        paper.claim("c", "words", where="here", check={check}, mutants={{"m": {{}}}})
        """,
        numbers="n,a,twice\none,1.0,2.0\n",
    )
    with pytest.raises(InputError, match=rf"claims\.py, line 6: {check.partition('(')[0]}: "):
        load_paper(folder)


def test_columns_that_no_formula_reads_may_be_counts_too():
    wide = PrintedTable(
        Table("Table 1", (*TABLE.columns, Column("other", "1", ("7", "8"))), ("E",)), {"r": 2 * E}, exact=["E", "other"]
    )  # fmt: skip
    assert wide.relevant() == table(exact=["E"])


@pytest.mark.parametrize("power", [10**7, -(10**7), sp.Rational(1, 10**7)])
def test_a_power_that_nobody_could_multiply_out_is_refused(power):
    x = sp.Symbol("x", positive=True)
    for base in (x, x + 1):
        with pytest.raises(InputError, match="expected at most 10000, or a symbol for it"):
            Identity((eq(base**power, x),))
    assert Identity((eq(x**10_000, x),))
