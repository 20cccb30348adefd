"""Every kind of certificate is accepted as found, also from a report's JSON, and none with a single change in it."""

from __future__ import annotations

import ast
import copy
import json
import random
import sys
from fractions import Fraction
from pathlib import Path

import pytest
import sympy as sp
from verify.judging.rechecked import recheck_details

import verify
from theory.relation import Relation, eq
from theory.results.routing import k_log
from theory.statement import Step
from theory.symbols import M, k
from verify.checks.ball_inequality import BallInequality
from verify.checks.base import Budget
from verify.checks.derivation import DerivationHolds
from verify.checks.falsifier import Falsifier
from verify.checks.gap_rule import GapRule
from verify.checks.integer_range import IntegerRange
from verify.checks.polynomial import PolynomialInequality
from verify.checks.shape import Shape
from verify.recheck.forms import Rejected
from verify.recheck.means import recheck_powers
from verify.recheck.ranges import recheck_range
from verify.verdicts import Verdict, combine

x, y, z = sp.symbols("x y z", positive=True)
FREE, PLANE = (Relation(x, ">=", 0),), (Relation(x, ">=", 0), Relation(y, ">=", 0))
SPACE = (*PLANE, Relation(z, ">=", 0))
TRIANGLE = (Relation(k, ">=", 1), Relation(M, ">=", k))
SQUARE = ((x, Fraction(1), Fraction(3)), (y, Fraction(1), Fraction(3)))
log_choose = sp.log(sp.binomial(M, k))

KINDS = {
    "gap rule": [
        GapRule(Relation(x / (1 + x), "<=", sp.log(1 + x)), FREE),
        GapRule(Relation(x * sp.log(1 + 1 / x), "<=", 1), (Relation(x, ">", 0),)),
        GapRule(Relation(1 - 1 / x, "<=", sp.log(x)), (Relation(x, ">", 0),)),
        GapRule(Relation((x + sp.Rational(1, 2)) * sp.log(1 + 1 / x), ">=", 1), (Relation(x, ">=", 1),)),
        GapRule(Relation(log_choose + 1, "<=", k_log), TRIANGLE, k),
    ],
    "box": [
        BallInequality(Relation(sp.sqrt(x) * y / 3, "<=", x**2 + y**2 - x * y), SQUARE),
        BallInequality(Relation(sp.log(x), "<=", x - sp.Rational(9, 10)), SQUARE[:1]),
        BallInequality(Relation(x * sp.log(y), "<=", y**2 + x * y / 20), SQUARE),
    ],
    "means": [
        PolynomialInequality(Relation(2 * x * y, "<=", x**2 + y**2), PLANE),
        PolynomialInequality(Relation(2, "<=", x + 1 / x), (Relation(x, ">", 0),)),
        PolynomialInequality(Relation(x * y + y * z + z * x, "<=", x**2 + y**2 + z**2), SPACE),
        PolynomialInequality(Relation(3 * x**2 * y**2 * z**2, "<=", x**4 * y**2 + x**2 * y**4 + z**6), SPACE),
    ],
    "squares": [
        PolynomialInequality(Relation((x - y) ** 2 * (x - 2 * y) ** 2 * (x + y), ">=", 0), PLANE),
        PolynomialInequality(Relation((x - 1) ** 2 * (x - 2) ** 2, ">=", 0), FREE),
        PolynomialInequality(Relation(3 * x**3, "<=", 2 * x**4 + x**2 + sp.Rational(1, 7) * x), FREE),
        PolynomialInequality(Relation(3 * x - 2, "<=", x**3), (Relation(x, ">=", sp.Rational(1, 2)),)),
    ],
    "integer range": [
        IntegerRange(Relation(log_choose, "<=", k_log), ((M, 1, 30), (k, 1, M))),
        IntegerRange(Relation(k * sp.log(M / k), "<=", log_choose), ((M, 1, 30), (k, 1, M))),
        IntegerRange(Relation(k, "<=", 3 * k - 1), ((k, 1, 600),)),
    ],
}  # fmt: skip
MUTATIONS = 200


def proof(check):
    found = combine(check.evidence(Budget()))
    assert found.verdict is Verdict.PROVED, found.finding
    assert found.details["rechecked_by"]
    return json.loads(json.dumps(found.details))


@pytest.fixture(scope="module")
def proofs():
    return {kind: [(check, proof(check)) for check in checks] for kind, checks in KINDS.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_a_certificate_is_accepted_as_a_report_keeps_it(proofs, kind):
    for check, details in proofs[kind]:
        assert recheck_details(check, details) == details["rechecked_by"].split(",")[0]


def slots(value, path=()):
    """Every place inside a certificate: its path."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from slots(inner, (*path, key))


def at(tree, path):
    for key in path:
        tree = tree[key]
    return tree


def changed(details, rng):
    """The details with one entry of a certificate altered: a value, a text, a leaf, a branch, or left out."""
    made = copy.deepcopy(details)
    root = "certificates" if "certificates" in made else "certificate"
    if made[root] == ".":
        made[root] = rng.choice([[], None, "", [7, ".", "."]])
        return made
    path = rng.choice(list(slots(made[root])))
    holder, key = at(made[root], path[:-1]), path[-1]
    value = holder[key]
    if isinstance(value, bool) or value is None:
        holder[key] = "x"
    elif isinstance(value, int):
        holder[key] = value + rng.choice([-2, -1, 1, 2, 5])
    elif value == "." and rng.random() < 0.7:
        holder[key] = rng.choice(["", ",", None, [99, ".", "."], [".", "."]])
    elif isinstance(value, str):
        holder[key] = rng.choice([f"{value} + 1", f"-({value}) - 1", "", f"7*({value}) + 3", "nonsense("])
    elif isinstance(value, list) and len(value) > 1 and rng.random() < 0.4:
        holder[key] = value[:-1]
    elif isinstance(value, list) and len(value) == 3 and root == "certificate" and value[0] in (0, 1):
        holder[key] = rng.choice(["", None, [2, *value[1:]], [True, *value[1:]], value[1:]])
    elif isinstance(value, dict) and value:
        del value[rng.choice(sorted(value))]
    else:
        holder[key] = rng.choice([None, {}, [None], "?"])
    return made


def accepted(check, details):
    try:
        recheck_details(check, details)
    except Rejected:
        return False
    return True


@pytest.mark.parametrize("kind", KINDS)
def test_no_certificate_with_a_single_change_is_accepted(proofs, kind):
    for seed in range(MUTATIONS):
        rng = random.Random(f"{kind} {seed}")
        check, details = rng.choice(proofs[kind])
        bad = changed(details, rng)
        assert json.dumps(bad) != json.dumps(details), seed
        assert not accepted(check, bad), seed


@pytest.mark.parametrize("kind", KINDS)
def test_a_certificate_proves_nothing_else(proofs, kind):
    for check, details in proofs[kind]:
        for other in proofs[kind]:
            if other[0] != check:
                with pytest.raises(Rejected):
                    recheck_details(other[0], details)


NESTED = [
    DerivationHolds(
        (
            Step("an identity", eq((x + 1) ** 2, x**2 + 2 * x + 1)),
            Step("an inequality", Relation(x / (1 + x), "<=", sp.log(1 + x))),
        ),
        FREE,
    ),
    Shape(x**2 + x, x, "convex", FREE),
    Shape(sp.Min(x, y) + 1, x, "increasing", PLANE),
    Shape(x ** sp.Rational(1, 2), x, "concave", (Relation(x, ">", 0),)),
]


@pytest.mark.parametrize("check", NESTED, ids=str)
def test_certificates_inside_derivations_and_shapes_are_read_again(check):
    found = combine(check.evidence(Budget()))
    assert found.verdict is Verdict.PROVED
    details = json.loads(json.dumps(found.details))
    assert recheck_details(check, details) == "verify.recheck.gap_rule"
    holder = (
        details["steps"][1] if "steps" in details else details["parts"][0] if "parts" in details else details
    )
    kept = holder["certificates"][0]
    holder["certificates"][0] = {name: "x" if name == "gap" else value for name, value in kept.items()}
    assert not accepted(check, details)
    holder["certificates"] = []
    assert not accepted(check, details)


def test_a_certificate_of_one_shape_is_none_of_a_false_one():
    check = Shape(x**3, x, "convex", FREE)
    details = combine(check.evidence(Budget())).details
    assert accepted(check, details)
    assert not accepted(Shape(x**3, x, "concave", FREE), details)
    assert not accepted(Shape(x**3 - x**2, x, "convex", FREE), details)
    assert not accepted(Shape(x**3 + x, x, "decreasing", FREE), details)


def test_what_has_no_certificate_says_so():
    nothing = Falsifier(Relation((x - 2) ** 2, ">=", 0), SQUARE[:1])
    with pytest.raises(Rejected, match="keeps no certificate"):
        recheck_details(nothing, {})


def test_a_false_inequality_has_no_accepted_certificate():
    """The honest certificate of a true neighbour, put under a false one."""
    domain = [("x", "0"), ("y", "0")]
    true = combine(KINDS["means"][0].evidence(Budget())).details["certificates"][0]
    certificate = {name: value for name, value in true.items() if name != "proves"}
    recheck_powers(("2*x*y", "<=", "x**2 + y**2"), domain, certificate)
    for false in ("201*x*y/100", "3*x*y", "2*x*y + 1"):
        with pytest.raises(Rejected):
            recheck_powers((false, "<=", "x**2 + y**2"), domain, certificate)
    found = combine(KINDS["integer range"][2].evidence(Budget())).details["certificate"]
    with pytest.raises(Rejected, match="fails at"):
        recheck_range("k - 2", [("k", "1", "600")], {**found, "ranges": [["k", "1", "600"]]})


def test_large_ranges_are_evaluated_again_in_part_and_the_evidence_says_so():
    found = combine(IntegerRange(Relation(k, "<=", 3 * k - 1), ((k, 1, 45_000),)).evidence(Budget()))
    assert found.verdict is Verdict.PROVED
    again = int(found.details["rechecked_by"].split()[2])
    assert 15_000 <= again < 45_000


def test_second_checkers_import_neither_sympy_nor_the_searches():
    for path in (Path(verify.__file__).parent / "recheck").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                assert name.split(".")[0] in {"flint", "verify", *sys.stdlib_module_names}, (path, name)
                assert not name.startswith("verify") or name.startswith("verify.recheck"), (path, name)
