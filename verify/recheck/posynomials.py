"""The second reader of a posynomial's certificate: weighted AM-GM with the constants kept.

Weights lambda that sum to 1 and multipliers mu on the terms of the constraints, mu_i their sum over constraint i,
make the product free of sizes, so that at every admissible point

    sum_j c_j m_j  >=  prod (c_j/lambda_j m_j)^lambda_j  prod (c_ik mu_i/mu_ik g_ik)^mu_ik
                    =  prod (c_j/lambda_j)^lambda_j  prod (c_ik mu_i/mu_ik)^mu_ik .

A point bounds the minimum from the other side. A closed form is compared exactly, as a product of powers; two ends
are compared with what their own weights and their own point give.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from fractions import Fraction
from typing import Any

from flint import arb, ctx, fmpq

from verify.recheck.formulas import Node, Symbol, is_positive, read, symbols
from verify.recheck.products import Ball, LogForm, ball, combine, log_form, log_of_ratio, vanishes
from verify.recheck.rate_branches import weighted
from verify.recheck.ratios import Ratio
from verify.recheck.rejected import Rejected
from verify.recheck.signs import Open, Prover, Signs
from verify.recheck.statements import read_statement
from verify.recheck.terms import gather, multiplied_out

KIND = "posynomial"
CHECKS = ("PosynomialMinimum",)
BITS = 320
TOLERANCE = Fraction(1, 10**50)
"""How far an end may lie outside what weights and point give, relative to it: rounding, and no more."""
OUTCOMES = ("CLOSED_FORM", "BRACKETED", "APPROACHED", "UNBOUNDED", "INFEASIBLE")

Monomial = tuple[Ratio, ...]
"""The exponents of the sizes."""
Posynomial = Mapping[Monomial, Node]
"""Each monomial with its constant."""


def reread(certificate: Mapping[str, Any]) -> None:
    """`Rejected` unless the certificate proves what it says of its statement."""
    found = _Certificate(certificate)
    try:
        found.check()
    except Rejected as fault:
        if found.signs.met_open:
            raise Open(f"a step is open, whether {found.signs.met_open[0]}: {fault}") from None
        raise


def shown(certificate: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The relations of the check that the certificate was written for, as a card shows them, each with its domain.

    They are read off the statement and the conclusion; none where the certificate concludes nothing of them.
    """
    conclusion, objective = certificate.get("conclusion", {}), certificate["statement"]["objective"]
    if "value" in conclusion:
        sizes = [f"{size} = {x}" for size, x in conclusion["sizes"]]
        relations = [f"minimum = {conclusion['value']}", *sizes]
    elif "between" in conclusion:
        low, high = conclusion["between"]
        relations = [f"minimum >= {low}", f"minimum <= {high}"]
    else:
        return []
    return [(relation, "") for relation in (*relations, f"objective = {objective}")]


def with_proofs(certificate: Mapping[str, Any], prover: Prover) -> dict[str, Any]:
    """For who writes a certificate: the same with a proof of each sign that the reading asks for."""
    found = _Certificate(certificate, prover)
    with suppress(Rejected):  # whoever reads the certificate is told
        found.check()
        found.signs.forget_open()
    return {**certificate, "signs": found.signs.added} if found.signs.added else dict(certificate)


class _Certificate:
    def __init__(self, certificate: Mapping[str, Any], prover: Prover | None = None) -> None:
        if not isinstance(certificate, Mapping) or certificate.get("kind") != KIND:
            raise Rejected(f"expected a certificate of kind {KIND}")
        try:
            self.statement = read_statement(certificate["statement"])
        except Rejected as fault:
            raise Rejected(f"the statement cannot be read a second time: {fault}") from None
        self.field = field = self.statement.field
        self.signs = Signs(field, self.statement.assumptions, certificate.get("signs", ()), prover)
        self.conclusion = certificate.get("conclusion")
        self.outcome = certificate["outcome"]
        monomials = [self._monomial(entry) for entry in certificate["monomials"]]
        self.weights, self.multipliers = (
            [(monomials[i], field.text(weight)) for i, weight in certificate["bound"][part]]
            for part in ("weights", "multipliers")
        )
        self.places: list[int] = list(certificate["limits"])
        self.value = None if certificate.get("value") is None else read(certificate["value"])
        self.point = [read(text) for text in certificate.get("point", ())]
        self.lower, self.upper = (
            None if certificate.get(end) is None else Fraction(certificate[end]) for end in ("lower", "upper")
        )
        self.ray = [Fraction(text) for text in certificate.get("ray", ())]

    def _monomial(self, powers: Mapping[str, str]) -> Monomial:
        if not set(powers) <= set(self.statement.sizes):
            raise Rejected(f"{', '.join(powers)}: a power of what is no size")
        return tuple(self.field.text(powers.get(size, "0")) for size in self.statement.sizes)

    def _posynomial(self, node: Node) -> Posynomial:
        sizes, found = self.statement.sizes, {}
        for term in gather(
            multiplied_out(node), lambda part: any(s in symbols(part) for s in sizes), self.field
        ):
            powers = {base.name: exponent for base, exponent in term.powers if isinstance(base, Symbol)}
            if len(powers) != len(term.powers) or not set(powers) <= set(sizes):
                raise Rejected("a term is no monomial")
            if not self._is_nothing(term.coefficient):
                found[tuple(powers.get(size, self.field.zero) for size in sizes)] = term.coefficient
        return found

    def _is_nothing(self, coefficient: Node) -> bool:
        return not is_positive(coefficient) and not self.field.of(coefficient)

    def check(self) -> None:
        """`Rejected` unless every claim holds."""
        if self.outcome not in OUTCOMES:
            raise Rejected(f"there is no outcome {self.outcome!r}")
        if {len(part) for part in (self.point, self.ray) if part} - {len(self.statement.sizes)}:
            raise Rejected("a point or ray does not have one entry for each size")
        if self.ray and self.outcome not in ("APPROACHED", "UNBOUNDED"):
            raise Rejected(f"what is {self.outcome} falls along no ray")
        try:
            self.objective = self._posynomial(self.statement.objective)
            self.limits = [self._posynomial(ratio) for ratio in self.statement.ratios]
        except Rejected as fault:
            raise Rejected(f"the statement cannot be read a second time: {fault}") from None
        for constant in (c for part in (self.objective, *self.limits) for c in part.values()):
            if not is_positive(constant) and self.signs.of(self.field.of(constant)) != 1:
                raise Rejected("a constant of the statement is not known to be positive")
        if self.outcome != "UNBOUNDED":
            self._check_bound()
        if self.outcome == "CLOSED_FORM":
            self._check_closed_form()
        else:
            self._check_ends()
        if self.conclusion is not None:
            self._check_conclusion(self.conclusion)

    # The weights

    def _check_bound(self) -> None:
        """Terms that are those of the statement, in a sound weighted AM-GM."""
        if len(self.places) != len(self.multipliers) or any(
            i not in range(len(self.limits)) for i in self.places
        ):
            raise Rejected("a multiplier belongs to no constraint")
        placed = [(m, self.objective, -1) for m, _ in self.weights]
        placed += [(m, self.limits[i], i) for (m, _), i in zip(self.multipliers, self.places, strict=True)]
        if not all(monomial in part for monomial, part, _ in placed):
            raise Rejected("a weight stands on a monomial that the statement does not have")
        if len({(monomial, place) for monomial, _, place in placed}) != len(placed):
            raise Rejected("a monomial has two weights")
        both = [*self.weights, *self.multipliers]
        if not all(weight and self.signs.holds((weight,)) for _, weight in both):
            raise Rejected("a weight is not positive")
        # on no point at all it is the multipliers that add up to 1
        normed = self.multipliers if self.outcome == "INFEASIBLE" else self.weights
        if self._sum(w for _, w in normed) != self.field.one or (self.weights and normed is not self.weights):
            raise Rejected("the weights of a bound prove nothing: they do not add up to 1")
        if any(weighted(both, len(self.statement.sizes), self.field.zero)):
            raise Rejected("the weights of a bound prove nothing: the sizes do not cancel")

    def _sum(self, ratios: Any) -> Ratio:
        return sum(ratios, start=self.field.zero)

    def _factors(self) -> list[tuple[Node, Ratio, Ratio]]:
        """The bound as a product of powers: a constant, what it is multiplied by, and the power of both."""
        groups: dict[int, Ratio] = {}
        for (_, mu), i in zip(self.multipliers, self.places, strict=True):
            groups[i] = groups.get(i, self.field.zero) + mu
        found = [(self.objective[m], self.field.one / w, w) for m, w in self.weights]
        for (m, mu), i in zip(self.multipliers, self.places, strict=True):
            found.append((self.limits[i][m], groups[i] / mu, mu))
        return found

    # Closed forms

    def _check_closed_form(self) -> None:
        if self.value is None or len(self.point) != len(self.statement.sizes):
            raise Rejected("a closed form needs a value and a point")
        value = self._form(self.value)
        factors = [(combine((self._form(c), self.field.one), (log_of_ratio(by), self.field.one)), power)
                   for c, by, power in self._factors()]  # fmt: skip
        if not self._same(value, combine(*factors)):
            raise Rejected("the value is not the product that the weights give")
        if {m for m, _ in self.weights} != set(self.objective):
            raise Rejected("a term of the objective has no weight")
        for monomial, weight in self.weights:
            share = combine((value, self.field.one), (log_of_ratio(weight), self.field.one))
            if not self._same(self._at_point(monomial, self.objective[monomial]), share):
                raise Rejected("at the point a term is not its weight times the value")
        self._check_tight()

    def _check_tight(self) -> None:
        """At the point every constraint holds with equality, shared out as its multipliers are."""
        given = {(i, m): mu for (m, mu), i in zip(self.multipliers, self.places, strict=True)}
        for i, limit in enumerate(self.limits):
            total = self._sum(given[i, m] for m in limit if (i, m) in given)
            for monomial, constant in limit.items():
                if (i, monomial) not in given and len(limit) != 1:
                    raise Rejected("a constraint has no multiplier")
                # a monomial without one is the other half of an equality
                share = given[i, monomial] / total if (i, monomial) in given else self.field.one
                if not self._same(self._at_point(monomial, constant), log_of_ratio(share)):
                    raise Rejected(
                        "at the point a constraint does not hold with equality as its multipliers say"
                    )

    def _form(self, node: Node) -> LogForm:
        return log_form(node, self.signs)

    def _same(self, one: LogForm, other: LogForm) -> bool:
        return vanishes(combine((one, self.field.one), (other, -self.field.one)))

    def _at_point(self, monomial: Monomial, constant: Node) -> LogForm:
        sizes = [(self._form(x), power) for x, power in zip(self.point, monomial, strict=True)]
        return combine((self._form(constant), self.field.one), *sizes)

    # Two ends

    def _check_ends(self) -> None:
        if self.field.parameters:
            raise Rejected("two ends need numbers for all symbols")
        before, ctx.prec = ctx.prec, BITS
        try:
            if self.outcome != "UNBOUNDED":
                self._check_lower()
            if self.outcome != "INFEASIBLE":
                self._check_upper()
            if self.outcome in ("APPROACHED", "UNBOUNDED"):
                self._check_ray()
        finally:
            ctx.prec = before

    def _check_lower(self) -> None:
        total = arb(0)
        for constant, by, power in self._factors():
            total += (ball(constant) * _number(by)).log() * _number(power)
        if self.outcome == "INFEASIBLE" and (self.lower is None or self.lower <= 1):
            raise Rejected("the weights do not show that no point meets the constraints")
        if not _is_just_below(self.lower, total.exp()):
            raise Rejected("the lower end is not what the weights give")

    def _check_upper(self) -> None:
        if len(self.point) != len(self.statement.sizes) or not all(map(is_positive, self.point)):
            raise Rejected("there is no point")
        if not all(map(self._holds, self.limits)):
            raise Rejected("the point does not meet the constraints")
        if not self.upper or not _is_just_below(1 / self.upper, 1 / self._value(self.objective)):
            raise Rejected("the upper end is not the value at the point")

    def _holds(self, limit: Posynomial) -> bool:
        if self._value(limit) <= 1:
            return True
        [(monomial, constant), *others] = limit.items()
        return not others and vanishes(self._at_point(monomial, constant))

    def _value(self, posynomial: Posynomial) -> Ball:
        logs = [ball(x).log() for x in self.point]
        total = arb(0)
        for monomial, constant in posynomial.items():
            height = sum((_number(p) * x for p, x in zip(monomial, logs, strict=True)), start=arb(0))
            total += ball(constant) * height.exp()
        return total

    def _check_ray(self) -> None:
        if not self.ray:
            raise Rejected("there is no ray")
        slopes = [self._slope(m) for m in self.objective]
        limits = [self._slope(m) for limit in self.limits for m in limit]
        falls = max(slopes) < 0 if self.outcome == "UNBOUNDED" else min(slopes) < 0
        if not falls or max([*slopes, *limits]) > 0:
            raise Rejected("the objective does not fall along the ray")

    def _slope(self, monomial: Monomial) -> Fraction:
        return sum((p.at(()) * r for p, r in zip(monomial, self.ray, strict=True)), start=Fraction(0))

    # What follows for a claimed minimum

    def _check_conclusion(self, conclusion: Mapping[str, Any]) -> None:
        """The minimum is the claimed one, at the claimed sizes, or between the claimed numbers."""
        if "value" in conclusion:
            claims = [(self.value, conclusion["value"])]
            places = dict(zip(self.statement.sizes, self.point, strict=True))
            if len(dict(conclusion["sizes"])) != len(conclusion["sizes"]):
                raise Rejected("a size is named twice")
            if unknown := [size for size, _ in conclusion["sizes"] if size not in places]:
                raise Rejected(f"{unknown[0]!r} is no size of the statement")
            claims += [(places[size], text) for size, text in conclusion["sizes"]]
            if self.outcome != "CLOSED_FORM" or not all(
                found is not None and self._same(self._form(found), self._form(read(text)))
                for found, text in claims
            ):
                raise Rejected(
                    f"the minimum is not shown to be {conclusion['value']} at the sizes that are named"
                )
            return
        low, high = (ball(read(text)) for text in conclusion["between"])
        if self.outcome not in ("BRACKETED", "APPROACHED") or self.lower is None or self.upper is None:
            raise Rejected("there are no two ends")
        if not (low <= _ball(self.lower) and _ball(self.upper) <= high):
            raise Rejected("the minimum is not shown to lie between the numbers that are named")


def _ball(number: Fraction) -> Ball:
    return arb(fmpq(number.numerator, number.denominator))


def _number(ratio: Ratio) -> Ball:
    return _ball(ratio.at(()))


def _is_just_below(claimed: Fraction | None, found: Ball) -> bool:
    """At most every value in the ball, and within the tolerance of it."""
    if claimed is None or not found.is_finite():
        return False
    return bool(_ball(claimed) <= found) and bool(_ball(claimed) >= found * _ball(1 - TOLERANCE))
