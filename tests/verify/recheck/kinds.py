"""A few checks of each kind that a certificate comes from, and their certificates as a report keeps them."""

from __future__ import annotations

import json
from fractions import Fraction

import sympy as sp

from theory.relation import Relation, eq
from theory.results.routing import k_log
from theory.statement import Step, statements
from theory.vocabulary import M, k
from verify.checks.ball_inequality import BallInequality
from verify.checks.base import Budget
from verify.checks.derivation import DerivationHolds
from verify.checks.gap_rule import GapRule
from verify.checks.identity import Identity
from verify.checks.integer_range import IntegerRange
from verify.checks.polynomial import PolynomialInequality
from verify.checks.theorem import derivation
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
        IntegerRange(Relation(log_choose, "<=", k_log), ((M, 1, 12), (k, 1, M))),
        IntegerRange(Relation(k * sp.log(M / k), "<=", log_choose), ((M, 1, 12), (k, 1, M))),
        IntegerRange(Relation(k, "<=", 3 * k - 1), ((k, 1, 300),)),
    ],
    "identity": [
        Identity((eq((x + y) ** 2, x**2 + 2 * x * y + y**2), eq(sp.log(x**y), y * sp.log(x)))),
        Identity((eq(x * x ** (y / (y + z)), x ** ((2 * y + z) / (y + z))),)),
    ],
    "derivation": [
        DerivationHolds(
            (
                Step("an identity", eq((x + 1) ** 2, x**2 + 2 * x + 1)),
                Step("an inequality", Relation(x / (1 + x), "<=", sp.log(1 + x))),
                Step("another", Relation(x, ">=", sp.log(1 + x))),
            ),
            FREE,
        ),
    ],
    "theorem": [
        derivation(statements()[name])
        for name in ("data_exponent", "log_patterns_le_k_log", "model_exponent", "entropy_le_k_log")
    ],
}  # fmt: skip


def certificate_of(check):
    """The certificate in what a check finds, as a report keeps it."""
    found = combine(check.evidence(Budget()))
    assert found.verdict is Verdict.PROVED, found.finding
    return json.loads(json.dumps(found.details["certificate"]))
