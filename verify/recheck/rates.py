"""The second reader of a rate's certificate: is it the minimum, on every part of the parameters?

It reads the statement from its text, rebuilds every branch, and then multiplies, adds and compares. Weights lambda
that sum to 1 and multipliers mu make the product of monomials free of sizes, so that at every admissible point

    max_j m_j  >=  prod m_j^lambda_j  prod g_i^mu_i  =  n^bound ;

the first step is weighted AM-GM, and every constraint monomial g_i is at most 1. With no lambda and a positive bound
no point is admissible. What is taken on trust is the calculus itself: what a formula's rate is, up to constants and
factors log log n, and that sizes are polynomial in the scale.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from verify.recheck.formulas import read
from verify.recheck.rate_branches import LEVELS, Branch, Monomial, Reading, branches, weighted
from verify.recheck.ratios import Field, Ratio, value
from verify.recheck.rejected import Rejected
from verify.recheck.signs import OPEN, REFUTED, Condition, Open, Prover, Signs, check_covering
from verify.recheck.statements import read_statement, sizes_in_exponents

KIND = "rate"
CHECKS = ("RateOptimum", "BoundsAgree", "RiskAboveMinimax")
Growth = tuple[Ratio, ...]
"""An exponent of the scale by its coefficients on the four levels."""


def reread(certificate: Mapping[str, Any]) -> None:
    """`Rejected` unless the certificate proves what it says of its statement, and of those at its ``corners``.

    These are the corners of a pair of bounds, and the other ranges of sizes that stand in an exponent.
    """
    _Certificate(certificate).check()
    for corner in certificate.get("corners", ()):
        reread(corner)
    if (certificate.get("conclusion") or {}).get("relation") == "==":
        _check_ranges(certificate)


def _check_ranges(certificate: Mapping[str, Any]) -> None:
    """`Rejected` unless an optimum is shown to be none less in any range of the sizes that stand in an exponent."""
    statement, conclusion = certificate["statement"], certificate["conclusion"]
    read_in = [frozenset(statement["bases"])]
    for corner in certificate.get("corners", ()):
        if {**corner["statement"], "bases": {}} == {**statement, "bases": {}} and corner.get(
            "conclusion"
        ) == {
            **conclusion,
            "relation": ">=",
        }:
            read_in.append(frozenset(corner["statement"]["bases"]))
    sizes = sizes_in_exponents(statement)
    for count in range(len(sizes) + 1):
        for chosen in combinations(sizes, count):
            if frozenset(chosen) not in read_in:
                raise Rejected("nothing is shown of a range of the sizes that stand in an exponent")


def shown(certificate: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The relations of the check that the certificate was written for, as a card shows them, each with its domain.

    They are read off the statement and the conclusion; none where the certificate concludes nothing of them.
    """
    statement, conclusion = certificate["statement"], certificate.get("conclusion", {})
    check, relation = certificate.get("check"), conclusion.get("relation")
    objective = statement["objective"]
    if check == "RateOptimum" and relation == "==":
        return [(f"optimum = {conclusion['rate']}", ""), (f"rate = {objective}", "")]
    if check == "BoundsAgree" and relation == ">=":
        return [(f"error <= {statement['constraints'][-1][0]}", ""), (f"entropy <= {objective}", "")]
    if check == "RiskAboveMinimax" and relation == ">=":
        return [(f"risk <= {objective}", "")]
    return []


def with_proofs(certificate: Mapping[str, Any], prover: Prover) -> dict[str, Any]:
    """For who writes a certificate: the same with a proof of each sign that the reading asks for, and of the covering."""
    found, cells = _Certificate(certificate), []
    for cell in certificate["cells"]:
        signs = found.signs_on(cell, prover)
        with suppress(Rejected):  # whoever reads the certificate is told
            found.check_cell(cell, signs)
            signs.forget_open()
        cells.append({**cell, "signs": signs.added} if signs.added else cell)
    covering = {}
    if certificate["complete"]:
        proof = prover(found.statement.assumptions, found.regions(), found.field)
        covering = {} if proof == REFUTED else {"covering": proof}
    return {**certificate, "cells": cells, **covering}


@dataclass(frozen=True)
class Bound:
    """Weights on monomials of the rate and multipliers on constraint monomials."""

    weights: tuple[tuple[Monomial, Ratio], ...]
    multipliers: tuple[tuple[Monomial, Ratio], ...]

    def applies(self, branch: Branch) -> bool:
        return all(m in branch[0] for m, _ in self.weights) and all(
            m in branch[1] for m, _ in self.multipliers
        )

    def balance(self, length: int, signs: Signs) -> tuple[Growth, bool] | None:
        """The bound's exponent, and whether its weights sum to 1 and not to 0; None where it bounds nothing."""
        field = signs.field
        weighed = sum((weight for _, weight in self.weights), start=field.zero)
        both = (*self.weights, *self.multipliers)
        if not all(signs.holds((weight,)) for _, weight in both) or (weighed and weighed != field.one):
            return None
        product = weighted(both, length, field.zero)
        sizes = length - len(LEVELS)
        return None if any(product[:sizes]) else (product[sizes:], bool(weighed))


class _Certificate:
    def __init__(self, certificate: Mapping[str, Any]) -> None:
        if not isinstance(certificate, Mapping) or certificate.get("kind") != KIND:
            raise Rejected(f"expected a certificate of kind {KIND}")
        self.entries = certificate
        try:
            self.statement = read_statement(certificate["statement"])
        except Rejected as fault:
            raise Rejected(f"the statement cannot be read a second time: {fault}") from None
        self.field: Field = self.statement.field
        self.sizes = len(self.statement.sizes)
        self.monomials = [self._monomial(entry) for entry in certificate["monomials"]]

    def _monomial(self, entry: Any) -> Monomial:
        powers, growth = entry
        if not set(powers) <= set(self.statement.sizes):
            raise Rejected(f"{', '.join(powers)}: a power of what is no size")
        zero = self.field.zero
        return (
            *(self.field.text(powers[s]) if s in powers else zero for s in self.statement.sizes),
            *self.growth(growth),
        )

    def growth(self, entry: Mapping[str, str]) -> Growth:
        """From the texts of those levels that are not 0."""
        if not set(entry) <= set(LEVELS):
            raise Rejected(f"{', '.join(entry)}: expected some of {', '.join(LEVELS)}")
        return tuple(self.field.text(entry[level]) if level in entry else self.field.zero for level in LEVELS)

    def bound(self, entry: Mapping[str, Any]) -> Bound:
        return Bound(
            *(
                tuple((self.monomials[i], self.field.text(weight)) for i, weight in entry[part])
                for part in ("weights", "multipliers")
            )
        )

    def region(self, cell: Mapping[str, Any]) -> list[Condition]:
        return [Condition.read(condition, self.field) for condition in cell["region"]]

    def regions(self) -> list[list[Condition]]:
        return [self.region(cell) for cell in self.entries["cells"]]

    def signs_on(self, cell: Mapping[str, Any], prover: Prover | None = None) -> Signs:
        context = [*self.statement.assumptions, *self.region(cell)]
        return Signs(self.field, context, cell.get("signs", ()), prover)

    def check(self) -> None:
        for cell in self.entries["cells"]:
            signs = self.signs_on(cell)
            try:
                self.check_cell(cell, signs)
            except Rejected as fault:
                if signs.met_open:
                    raise Open(f"a step is open, whether {signs.met_open[0]}: {fault}") from None
                raise
        if self.entries["complete"]:
            self._check_covering()
        if (conclusion := self.entries.get("conclusion")) is not None and "at" in conclusion:
            self._check_witness(conclusion)

    def _check_covering(self) -> None:
        proof = self.entries.get("covering")
        if proof == OPEN:
            raise Open("a step is open, whether the regions cover all admissible parameters")
        try:
            check_covering(self.statement.assumptions, self.regions(), proof, self.field)
        except Rejected:
            raise Rejected("the regions are not shown to cover all admissible parameters") from None

    def check_cell(self, cell: Mapping[str, Any], signs: Signs) -> None:
        """`Rejected` unless everything that the cell claims holds on its region."""
        _Cell(self, cell, signs).check()
        conclusion = self.entries.get("conclusion")
        if conclusion is not None and "at" not in conclusion:
            self._check_conclusion(conclusion, cell, signs)

    # What follows for a claimed rate

    def claimed(self, conclusion: Mapping[str, Any], signs: Signs) -> Growth:
        """The exponent of the rate that a conclusion names."""
        ways = Reading(self.statement, signs.of, {}).ways(read(conclusion["rate"]))
        if len(ways) != 1 or len(ways[0]) != 1 or any(next(iter(ways[0]))[: self.sizes]):
            raise Rejected(f"{conclusion['rate']} is no single power of the scale")
        return next(iter(ways[0]))[self.sizes :]

    def _check_conclusion(self, conclusion: Mapping[str, Any], cell: Mapping[str, Any], signs: Signs) -> None:
        """On every cell the minimum is the claimed rate, or does not fall below it."""
        relation, outcome = conclusion["relation"], cell["outcome"]
        if self.entries["complete"] is not True:
            raise Rejected("what holds everywhere follows only from cells that cover all parameters")
        if relation == ">=" and outcome == "INFEASIBLE":
            return
        if relation not in ("==", ">=") or outcome != "ATTAINED":
            raise Rejected(f"the minimum is not {relation} {conclusion['rate']} everywhere")
        excess = _minus(self.growth(cell["value"]), self.claimed(conclusion, signs))
        below = tuple(-level for level in excess)
        if not signs.holds(excess) or (relation == "==" and not signs.holds(below)):
            raise Rejected(f"the minimum is not {relation} {conclusion['rate']} everywhere")

    def _check_witness(self, conclusion: Mapping[str, Any]) -> None:
        """At a point of the parameters some cell's minimum is another one, or falls below the claimed rate."""
        relation, point = conclusion["relation"], [Fraction(text) for text in conclusion["at"]]
        if len(point) != len(self.field.parameters) or not all(x > 0 for x in point):
            raise Rejected("expected one positive number for each parameter")
        for cell in self.entries["cells"]:
            context = [*self.statement.assumptions, *self.region(cell)]
            if not all(_holds_at(condition, point) for condition in context):
                continue
            if cell["outcome"] != "ATTAINED":
                found = -1 if cell["outcome"] == "UNBOUNDED" else 1
            else:
                excess = _minus(self.growth(cell["value"]), self.claimed(conclusion, self.signs_on(cell)))
                found = _first_sign(level.at(point) for level in excess)
            if (relation == "<" and found < 0) or (relation == "!=" and found):
                return
        raise Rejected(f"the minimum is not shown to be {relation} {conclusion['rate']} at the point")


class _Cell:
    """The claims of one cell, on its region."""

    def __init__(self, certificate: _Certificate, cell: Mapping[str, Any], signs: Signs) -> None:
        self.certificate, self.statement, self.signs = certificate, certificate.statement, signs
        self.field, self.sizes = certificate.field, certificate.sizes
        self.length = self.sizes + len(LEVELS)
        self.outcome = cell["outcome"]
        self.value = None if cell.get("value") is None else certificate.growth(cell["value"])
        self.point = self._per_size(cell.get("point"), certificate.growth)
        self.ray = self._per_size(cell.get("ray"), certificate.field.text)
        self.bounds = [certificate.bound(entry) for entry in cell["bounds"]]
        self.least = certificate.bound(cell["least"]) if cell.get("least") is not None else Bound((), ())

    def _per_size(self, entries: Sequence[Any] | None, read_one: Any) -> list[Any] | None:
        if entries is not None and len(entries) != self.sizes:
            raise Rejected("a point or ray does not have one entry for each size")
        return None if entries is None else [read_one(entry) for entry in entries]

    def check(self) -> None:
        try:
            found = list(branches(self.statement, self.signs.of))
        except Rejected as fault:
            raise Rejected(f"the statement cannot be read a second time: {fault}") from None
        if self.outcome == "UNBOUNDED":
            if not any(self._falls_for_ever(branch) for branch in found):
                raise Rejected("the ray does not lower the rate for ever")
            return
        if self.outcome not in ("ATTAINED", "INFEASIBLE"):
            raise Rejected(f"there is no outcome {self.outcome!r}")
        if not all(map(self._is_sound, self.bounds)):
            raise Rejected("the weights of a bound prove nothing")
        missing = sum(not any(bound.applies(branch) for bound in self.bounds) for branch in found)
        if missing:
            raise Rejected(f"{missing} of {len(found)} branches and log cases have no bound")
        if self.outcome == "ATTAINED":
            reached = [branch for branch in found if self._is_reached(branch)]
            if not reached:
                raise Rejected("the point does not attain the value")
            if not any(map(self._is_least, reached)):
                raise Rejected("the point is not shown to be the least that attains the value")

    def _is_sound(self, bound: Bound) -> bool:
        """Whether its product is free of sizes and large enough."""
        balance = bound.balance(self.length, self.signs)
        if balance is None:
            return False
        product, is_on_the_rate = balance
        if not is_on_the_rate:  # a product of monomials that are at most 1 is above 1: no point is admissible
            return self.signs.holds(product, strict=True)
        if self.outcome != "ATTAINED" or self.value is None:
            return False
        return self.signs.holds(_minus(product, self.value))

    def _at_point(self, monomial: Monomial) -> Growth:
        assert self.point is not None
        found = list(monomial[self.sizes :])
        for power, growth in zip(monomial, self.point, strict=False):
            if power:
                found = [a + power * b if b else a for a, b in zip(found, growth, strict=True)]
        return tuple(found)

    def _is_admissible(self, branch: Branch) -> bool:
        return self.point is not None and all(
            self.signs.holds([-level for level in self._at_point(m)]) for m in branch[1]
        )

    def _is_reached(self, branch: Branch) -> bool:
        if self.value is None or not self._is_admissible(branch):
            return False
        return all(self.signs.holds(_minus(self.value, self._at_point(m))) for m in branch[0])

    def _falls_for_ever(self, branch: Branch) -> bool:
        if self.ray is None or not self._is_admissible(branch):
            return False
        return all(self.signs.holds((-self._slope(m),), strict=True) for m in branch[0]) and all(
            self.signs.holds((-self._slope(m),)) for m in branch[1]
        )

    def _slope(self, monomial: Monomial) -> Ratio:
        assert self.ray is not None
        found = self.field.zero
        for power, step in zip(monomial, self.ray, strict=False):
            found = found + power * step
        return found

    def _is_least(self, branch: Branch) -> bool:
        """From ``m / n^value <= 1`` and the constraints: no optimal point has a smaller product of sizes."""
        if self.value is None or not self.least.applies(branch):
            return False
        shift = (self.field.zero,) * self.sizes + self.value
        terms = [(_minus(m, shift), weight) for m, weight in self.least.weights]
        terms += self.least.multipliers
        if not all(self.signs.holds((weight,)) for _, weight in terms):
            return False
        one = self.field.one
        sizes = tuple(-one if s in self.statement.small else one for s in self.statement.sizes)
        product = weighted(terms, self.length, self.field.zero)
        if any(a + b for a, b in zip(product, sizes, strict=False)):
            return False
        whole = (*sizes, *(self.field.zero for _ in LEVELS))
        # the product of the sizes times n^product is at most 1 to these weights, so it is at least n^product
        return self.signs.holds(_minus(product[self.sizes :], self._at_point(whole)))


def _minus(one: Sequence[Ratio], other: Sequence[Ratio]) -> tuple[Ratio, ...]:
    return tuple(a - b for a, b in zip(one, other, strict=True))


def _first_sign(values: Any) -> int:
    return next(((1 if v > 0 else -1) for v in values if v), 0)


def _holds_at(condition: Condition, point: Sequence[Fraction]) -> bool:
    sign = _first_sign(value(level.above, point) for level in condition.levels)
    return sign > 0 or (sign == 0 and not condition.strict)
