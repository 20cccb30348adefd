"""Faults that were found and fixed, each with its smallest input."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass, replace
from fractions import Fraction

import pytest
import sympy as sp
from flint import arb

from empirics.provenance import _loose_source, forget_sources
from theory.exponents import compute_exponent_from_both
from theory.statement import Relation, Source, Statement, Step, eq
from verify.checks.base import Budget, Check
from verify.checks.consistent import Consistent
from verify.checks.conventions import ConventionSearch
from verify.checks.homogeneous import Homogeneous
from verify.checks.identity import Identity
from verify.checks.printed_table import PrintedTable
from verify.checks.single_correction import SingleCorrection
from verify.claims import Claim
from verify.discovery import load_paper
from verify.enclosure import reaches
from verify.errors import InputError
from verify.feasibility import Constraint
from verify.fingerprint import canonical, check_key
from verify.global_search import global_search
from verify.graph import standings
from verify.intervals import Interval
from verify.judge import judge
from verify.order import median
from verify.printed import Rounding, parse_printed
from verify.program import BITS, Program, precision
from verify.readings import Reading
from verify.reports.record import report_record
from verify.runner import evaluate, run_claims
from verify.second_opinion import sign
from verify.tables import Column, Table, quoted, read_table
from verify.verdicts import Evidence, Grade, Verdict, combine

x, y, A = sp.symbols("x y A", positive=True)


def verdict(check):
    return combine(check.evidence(Budget())).verdict


def table(**columns):
    cells = {name: tuple(values.split()) for name, values in columns.items()}
    return Table("T", tuple(Column(n, "1", v) for n, v in cells.items()), (next(iter(cells)),))


def test_equal_irrational_expressions_are_not_told_apart():
    four = {x: quoted("4", "here", exact=True)}
    assert verdict(Consistent(four, [Relation(sp.sqrt(x), "!=", sp.Integer(2))])) is not Verdict.SUPPORTED
    assert verdict(Consistent(four, [Relation(sp.sqrt(x), "!=", sp.Integer(3))])) is Verdict.SUPPORTED


def test_a_conclusion_that_no_step_contains_is_refused():
    with pytest.raises(ValueError, match="occurs in no step"):
        replace(compute_exponent_from_both, conclusion=eq(x, 2 * compute_exponent_from_both.formula))
    with pytest.raises(ValueError, match="occurs in no step"):
        Statement("false", "words", eq(x, x + 1), Source("none"), steps=(Step("trivial", eq(x, x)),))
    for false, step in (
        (eq(x, x + 1), eq(x + 1, x + 1)),
        (Relation(x, "<", sp.Integer(1)), eq(x, 1 + x - 1)),
    ):
        with pytest.raises(ValueError, match="occurs in no step"):
            Statement("false", "words", false, Source("none"), steps=(Step("trivial", step),))
    assert Statement(
        "true", "words", eq(x + y, y + x), Source("none"), steps=(Step("itself", eq(x + y, y + x)),)
    )


def test_a_shared_constant_may_be_called_like_a_numbered_input():
    big, constant = sp.symbols("N N_0", positive=True)
    t = table(row="1 2", N="100 200", r="9.6 19.2")
    readings = (Reading(Rounding.HALF_UP, Rounding.HALF_UP),)
    check = PrintedTable(
        t, {"r": big / constant}, shared={constant: quoted("10", "c")}, exact=["N"], readings=readings
    )
    assert verdict(check) is Verdict.SUPPORTED


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


def test_one_absurd_convention_does_not_buy_significance():
    family = {f"c{i}": [10 + i] for i in range(10)} | {"absurd": [10**9]}
    assert verdict(ConventionSearch([quoted("13", "t", exact=True)], family)) is Verdict.INCONCLUSIVE


def test_an_identity_between_undefined_expressions_is_not_proved():
    nothing = ((x + 1) ** 2 - x**2 - 2 * x - 1) / ((x + 2) ** 2 - x**2 - 4 * x - 4)
    assert verdict(Identity((eq(nothing, 7),))) is Verdict.INCONCLUSIVE


def test_an_identity_needs_positive_symbols():
    negative = sp.Symbol("s", negative=True)
    with pytest.raises(InputError, match="not declared positive"):
        Identity((eq(sp.sqrt(negative**2), -negative),))


def test_a_variable_without_influence_does_not_open_a_range():
    places = {x: quoted("1.5", "x"), y: quoted("5", "y", exact=True)}
    for op in ("==", ">=", "<="):
        assert verdict(Consistent(places, [Relation((y - 5) * x, op, sp.Integer(0))])) is Verdict.SUPPORTED


def test_a_second_constant_that_reconciles_is_confirmed_by_another_evaluator():
    t = table(row="1 2", q="1 2", r="0.60 1.20")
    base = PrintedTable(
        t,
        {"r": A * x * sp.Symbol("q", positive=True)},
        shared={A: quoted("1.00", "A"), x: quoted("0.50", "x")},
        exact=["q"],
        readings=(Reading(Rounding.HALF_UP, Rounding.HALF_UP),),
    )
    found = combine(SingleCorrection(base, [A]).evidence(Budget()))
    assert found.verdict is Verdict.REFUTED
    assert "mpmath" in found.confirmed_by
    assert found.witness["point"]
    assert verdict(SingleCorrection(base, [A, x])) is Verdict.SUPPORTED


def test_a_mutant_of_an_identity_must_be_refuted_and_not_merely_unproved():
    claim = Claim(
        "t/c", "words", "here", Identity((eq(x, x),)),
        mutants={"true but unproved": {"relations": (eq(sp.sin(x) ** 2, 1 - sp.cos(x) ** 2),)}},
    )  # fmt: skip
    assert judge(claim, lambda check: evaluate(check, Budget())).verdict is Verdict.ERROR


def test_error_cannot_be_expected_and_missing_excuses_nothing_else():
    with pytest.raises(InputError, match="cannot be expected"):
        Claim("t/c", "w", "h", Identity((eq(x, x),)), expect=Verdict.ERROR, because="so")
    piece = Evidence(Verdict.SUPPORTED, Grade.EXACT, "fine", missing="torch")
    assert combine([piece]).verdict is Verdict.ERROR


OWN = """
    from theory.statement import Kind, Source, Statement, Step, eq
    from theory.symbols import alpha_N, beta
    from verify import Identity, Paper
    paper = Paper.open(__file__)
    assumed = Statement("mine", "assumed", eq(alpha_N, beta), Source("none"), kind=Kind.ASSUMPTION)
    false = Statement("compute_exponent", "false", eq(alpha_N, 2 * beta), Source("none"),
                      steps=(Step("wrong", eq(beta, 2 * beta)),))
    T, F = (eq(alpha_N, alpha_N),), {"doubled": {"relations": (eq(alpha_N, 2 * alpha_N),)}}
    paper.claim("a", "w", where="h", check=Identity(T, uses=(assumed,)), mutants=F)
    paper.claim("b", "w", where="h", check=Identity(T, uses=(false,)), mutants=F, uses=("a",))
"""


def test_a_papers_own_statements_are_judged_as_objects_and_not_by_name(write_paper):
    paper = load_paper(write_paper(OWN))
    claims = list(paper.claims.values())
    report = report_record(run_claims([paper], claims))
    assert [a["name"] for a in report["assumptions"]] == ["mine"]
    by_id = {entry["id"]: entry for entry in report["claims"]}
    assert by_id["invented/a"]["closed"]
    assert by_id["invented/b"]["open"] == ["compute_exponent"]
    only_b = run_claims([paper], [paper.claims["invented/b"]])
    assert standings(only_b.claims, only_b.judgements, claims)["invented/b"].open
    assert report_record(only_b)["claims"][0]["open"]


@pytest.mark.parametrize("text", ["12 34", "1.2 3e1", "1.2\n3"])
def test_two_numbers_are_not_read_as_one(text):
    with pytest.raises(ValueError, match="is not a number"):
        parse_printed(text)


def test_a_percent_sign_after_plus_minus_belongs_to_both():
    printed = parse_printed("22.9 ± 2.9%")
    assert (printed.value, printed.spread.value) == (Fraction(229, 1000), Fraction(29, 1000))


def test_functions_and_dummies_have_their_own_content_address():
    class Mine(sp.Function):
        pass

    with pytest.raises(InputError, match="no content address"):
        canonical(Mine(x))
    assert canonical(sp.Dummy("x")) != canonical(sp.Dummy("x"))
    assert canonical(sp.Symbol("x", positive=False)) != canonical(sp.Symbol("x"))


def test_sums_and_undefined_expressions_are_not_proved():
    index, n = sp.Symbol("k", integer=True), sp.Symbol("n", positive=True, integer=True)
    assert verdict(Identity((eq(sp.Sum(1, (index, 5, n)), n - 4),))) is not Verdict.PROVED
    nothing = ((x + 1) ** 2 - x**2 - 2 * x - 1) / ((x + 2) ** 2 - x**2 - 4 * x - 4)
    assert verdict(Identity((eq(sp.floor(x) * nothing, 7 * sp.floor(x)),))) is not Verdict.PROVED


def test_an_outlier_among_few_conventions_buys_nothing():
    family = {"a": [100], "b": [101], "c": [102], "d": [10**9]}
    assert verdict(ConventionSearch([quoted("100", "t", exact=True)], family)) is Verdict.INCONCLUSIVE


def test_a_relation_that_reads_no_place_is_refused():
    for nothing in (eq(1, 1), Relation(x - x, "==", sp.Integer(0))):
        with pytest.raises(InputError, match="reads none of the places"):
            Consistent({x: quoted("3", "x")}, [nothing])


def test_homogeneity_does_not_depend_on_the_unit():
    found = set()
    for scale in ("", "e-6", "e-9"):
        texts = ("1.0 ± 0.2", "1.3 ± 0.2", "1.35 ± 0.2", "1.0 ± 0.1", "1.0 ± 0.01")
        means = [quoted(" ± ".join(part + scale for part in t.split(" ± ")), t) for t in texts]
        check = Homogeneous(means, Fraction(5, 4), "rival", least_power=Fraction(1, 10))
        found.add(verdict(check))
    assert found == {Verdict.INCONCLUSIVE}


def test_an_exact_target_is_never_confirmed_by_the_floating_point_search():
    box = {x: Interval(Fraction(3, 2), Fraction(5, 2))}
    assert global_search([Constraint("r", 10 * x, Interval.point(20))], box) == ""


def test_expectations_and_checks_of_the_wrong_type_are_refused():
    with pytest.raises(InputError, match=r"write Verdict\.REFUTED"):
        Claim("t/c", "w", "h", Identity((eq(x, x),)), expect="REFUTED", because="so")
    with pytest.raises(InputError, match="is not a check"):
        Claim("t/c", "w", "h", 42)
    with pytest.raises(InputError, match="has no check"):
        Claim("t/c", "w", "h", not_testable="no data", expect=Verdict.REFUTED, because="so")
    with pytest.raises(InputError, match="beyond 400"):
        quoted("1e999999999", "w")


def test_a_claim_that_does_not_hold_is_not_closed():
    false = Claim("t/c", "w", "h", Identity((eq(x, 2 * x),)), mutants={"m": {"relations": (eq(x, 3 * x),)}})
    judgement = judge(false, lambda check: evaluate(check, Budget()))
    assert judgement.verdict is Verdict.REFUTED
    assert not standings([false], {"t/c": judgement})["t/c"].closed


def test_a_mutant_without_a_value_is_not_rejected():
    places = {x: quoted("2", "x", exact=True), y: quoted("2", "y", exact=True)}
    good, undefined = Relation(x, "<=", y), Relation(1 / (x - y), "<=", sp.Integer(0))
    claim = Claim(
        "t/c", "w", "h", Consistent(places, [good]), mutants={"no value": {"relations": [undefined]}}
    )
    assert "should be rejected" in judge(claim, lambda check: evaluate(check, Budget())).fault
    t = table(row="1 2", q="2 3", r="4 6")
    twice = PrintedTable(t, {"r": 2 * sp.Symbol("q", positive=True)}, exact=["q"])
    nowhere = {"formulas": {"r": 1 / (sp.Symbol("q", positive=True) - 2)}}
    claim = Claim("t/d", "w", "h", twice, mutants={"no value": nowhere})
    assert "should be rejected" in judge(claim, lambda check: evaluate(check, Budget())).fault


def test_small_numbers_are_told_apart_by_the_second_evaluator():
    tiny = {x: quoted("1e-40", "x", exact=True), y: quoted("2e-40", "y", exact=True)}
    assert verdict(Consistent(tiny, [Relation(x, "==", y)])) is Verdict.REFUTED
    assert sign(sp.Float("1e-40"), sp.Float("1e-40")) == 1
    assert sign(sp.Float("1e-12"), sp.Float("1e30")) == 0


def test_what_a_fields_class_does_is_part_of_the_address(tmp_path):
    """The class of a field, in a module that the check's own module does not import."""
    keys = []
    for body in ("return 1", "return 2"):
        path = tmp_path / body[-1]
        path.mkdir()
        (path / "loose_part.py").write_text(
            f"from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Part:\n    n: int = 0\n    def f(self):\n        {body}\n"
        )
        spec = importlib.util.spec_from_file_location("loose_part", path / "loose_part.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules["loose_part"] = module
        spec.loader.exec_module(module)
        forget_sources()
        keys.append(check_key(Identity((eq(x, x),), uses=(module.Part(),)), Budget()))
        del sys.modules["loose_part"]
    forget_sources()
    assert keys[0] != keys[1]


def test_a_module_that_no_distribution_brought_is_part_of_the_address(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    helper = tmp_path / "moelaws_loose_helper.py"
    digests = []
    for text in ("a = 1\n", "a = 2\n"):
        helper.write_text(text)
        digests.append(_loose_source("moelaws_loose_helper"))
    assert digests[0] != digests[1]
    assert _loose_source("moelaws_no_such_module") == ""


def test_powers_around_zero_are_decided():
    z = sp.Symbol("z", real=True)
    around = {z: Interval(Fraction(-1), Fraction(2))}
    assert reaches(z**2 + 1, around, Interval(None, Fraction(0))) is False
    assert reaches(z**3, around, Interval(Fraction(9), None)) is False
    with precision(BITS):
        for power, low, high in ((2, 0, 4), (3, -1, 8), (4, 0, 16)):
            [value] = Program([z**power], [z]).balls([arb(-1).union(arb(2))])
            assert value.contains(arb(low).union(arb(high)))
            assert value.is_finite()


def test_symbols_may_be_called_like_the_programs_own():
    own, other = sp.symbols("_t0 _t1", positive=True)
    shared = sp.log(other + 1)
    program = Program([shared + own, shared * own], [own, other])
    with precision(BITS):
        values = program.balls([arb(7), arb(0)])
    assert [float(v) for v in values] == [7.0, 0.0]


@dataclass(frozen=True)
class Unwritable(Check):
    """Evidence that no report can hold."""

    what: str = "details"

    def evidence(self, budget):
        yield Evidence(Verdict.SUPPORTED, Grade.EXACT, "fine", {self.what: Fraction(1, 2)})


def test_evidence_that_no_report_can_hold_is_an_error_of_its_check():
    found = evaluate(Unwritable(), Budget())
    assert found.verdict is Verdict.ERROR
    assert "JSON" in found.finding


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"where": None}, "where=None is not a text"),
        ({"words": 3}, "words=3 is not a text"),
        ({"mutants": ["m"]}, "mutants="),
        ({"mutants": {"m": 3}}, "mutants="),
        ({"uses": "abc"}, "expected the ids of claims"),
    ],
)
def test_arguments_of_the_wrong_type_are_named(arguments, said):
    known = {"id": "t/c", "words": "w", "where": "h", "check": Identity((eq(x, x),)), "mutants": {}}
    with pytest.raises(InputError, match=said):
        Claim(**{**known, **arguments})


@pytest.mark.parametrize("text", ["5 %", "5%", r"5 \%", "5 % "])
def test_a_blank_before_a_percent_sign_is_read(text):
    assert parse_printed(text).value == Fraction(1, 20)


def test_what_balls_decided_is_graded_so():
    places = {x: quoted("2.0", "x"), y: quoted("0.69", "y")}
    by_balls = combine(Consistent(places, [Relation(sp.log(x), "==", y)]).evidence(Budget()))
    assert (by_balls.verdict, by_balls.grade) == (Verdict.SUPPORTED, Grade.BALL)
    exact = combine(Consistent(places, [Relation(x, ">", y)]).evidence(Budget()))
    assert (exact.verdict, exact.grade) == (Verdict.SUPPORTED, Grade.EXACT)
    t = table(row="1", q="4", r="2.0")
    root = PrintedTable(t, {"r": sp.sqrt(sp.Symbol("q", positive=True))}, exact=["q"])
    assert combine(root.evidence(Budget())).grade is Grade.BALL
