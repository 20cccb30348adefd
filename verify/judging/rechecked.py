"""One place that re-checks the certificate of any check from what a report keeps of it, without a search.

What needs no certificate here: a refutation carries a witness that two evaluators confirm, an identity is
decided by expanding it, and a search that finds no counterexample shows nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from verify.checks.ball_inequality import BallInequality, gap_of
from verify.checks.base import Budget, Check
from verify.checks.derivation import DerivationHolds
from verify.checks.gap_rule import GapRule, recheck_relation, without_title
from verify.checks.identity import Identity
from verify.checks.integer_range import IntegerRange
from verify.checks.polynomial import PolynomialInequality
from verify.checks.shape import Shape
from verify.recheck.boxes import recheck_boxes
from verify.recheck.forms import Rejected
from verify.recheck.gap_rule import recheck
from verify.recheck.means import recheck_powers
from verify.recheck.ranges import recheck_range
from verify.recheck.squares import recheck_squares
from verify.verdicts import Verdict, combine

Details = Mapping[str, Any]
_BY_RULE: Mapping[Any, Callable[..., None]] = {"means": recheck_powers, "squares": recheck_squares}
_KEPT = {"certificate", "certificates", "steps", "identities"}


def recheck_details(check: Check, details: Details) -> str:
    """Which checker accepted the certificate in ``details``, the evidence of this check; `Rejected` if it does not.

    `Rejected` too where there is none: for a check without certificates, or where only a solver answered.
    """
    checker = _CHECKERS.get(type(check))
    if checker is None or not (_KEPT & set(details)):
        raise Rejected(f"{type(check).__name__} keeps no certificate that a second checker reads")
    try:
        return checker(check, details)
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError) as problem:
        raise Rejected(f"the certificate cannot be read: {type(problem).__name__}: {problem}") from None


def _gap(check: Check, details: Details) -> str:
    assert isinstance(check, GapRule)
    wanted = [(check.relation, check.given)]
    wanted += [(condition, ()) for instance in check.given for condition in instance.conditions]
    found = details["certificates"]
    if len(found) != len(wanted):
        raise Rejected(f"expected {len(wanted)} certificates, got {len(found)}")
    for (relation, given), certificate in zip(wanted, found, strict=True):
        recheck_relation(relation, check.domain, without_title(relation, certificate), given)
    return recheck.__module__


def _boxes(check: Check, details: Details) -> str:
    assert isinstance(check, BallInequality)
    sides = [(Fraction(low), Fraction(high)) for _, low, high in check.box]
    names = [symbol.name for symbol, _, _ in check.box]
    recheck_boxes(str(gap_of(check.relation)), names, sides, details["certificate"])
    return recheck_boxes.__module__


def _powers(check: Check, details: Details) -> str:
    assert isinstance(check, PolynomialInequality)
    [certificate] = details["certificates"]
    checker = _BY_RULE.get(certificate.get("rule"))
    if checker is None:
        return _gap(GapRule(check.relation, check.domain), details)
    relation = str(check.relation.lhs), check.relation.op, str(check.relation.rhs)
    domain = [(c.lhs.name, str(c.rhs)) for c in check.domain]
    strict = [c.lhs.name for c in check.domain if c.op == ">"]
    checker(relation, domain, without_title(check.relation, certificate), strict=strict)
    return checker.__module__


def _range(check: Check, details: Details) -> str:
    assert isinstance(check, IntegerRange)
    ranges = [(symbol.name, str(first), str(last)) for symbol, first, last in check.ranges]
    recheck_range(str(gap_of(check.relation)), ranges, details["certificate"])
    return recheck_range.__module__


def _steps(check: Check, details: Details) -> str:
    """Every step of a derivation: inequalities by certificate, equalities by one each way or by expanding them again."""
    assert isinstance(check, DerivationHolds)
    for step, kept in zip(check.steps, details["steps"], strict=True):
        relation = step.relation
        if kept["step"] != str(relation):
            raise Rejected(f"the certificate is for {kept['step']}, not for {relation}")
        if relation.op != "==":
            _gap(GapRule(relation, check.domain, step.on, step.given), kept)
        elif "certificates" in kept:
            found = kept["certificates"]
            half = len(found) // 2
            for op, certificates in (("<=", found[:half]), (">=", found[half:])):
                one_way = GapRule(replace(relation, op=op), check.domain, step.on, step.given)
                _gap(one_way, {"certificates": certificates})
        elif combine(Identity((relation,)).evidence(Budget())).verdict is not Verdict.PROVED:
            raise Rejected(f"{relation} has no certificate and is no identity")
    return recheck.__module__


def _shape(check: Check, details: Details) -> str:
    assert isinstance(check, Shape)
    check.recheck(details)
    return recheck.__module__


_CHECKERS: dict[type[Check], Callable[[Check, Details], str]] = {
    GapRule: _gap,
    BallInequality: _boxes,
    PolynomialInequality: _powers,
    IntegerRange: _range,
    DerivationHolds: _steps,
    Shape: _shape,
}
