"""Signs of polynomials at positive parameters: what conditions say, and proofs that some alternative always holds.

A proof is a tree. A node asks the sign of one polynomial and goes on in each case; a leaf is settled by the signs
met on the way to it, or cannot occur: then it lists terms, coefficients times products of what is known there,
that add up to 0 although none is negative and one is positive.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from verify.recheck.ratios import Factored, Field, Polynomial, Ratio, sign_of_coefficients
from verify.recheck.rejected import Rejected

CASES: tuple[frozenset[str], ...] = (
    frozenset({">", "=", "<"}), frozenset({">=", "<"}), frozenset({">", "<="}),
)  # fmt: skip
"""The relations to 0 that leave nothing out."""
SIGNS = {">": {1}, ">=": {0, 1}, "=": {0}, "<=": {-1, 0}, "<": {-1}}
OPEN = "open"
"""Stands for the proof of a claim that the search could neither prove nor refute."""
REFUTED = "refuted"
"""What a prover answers of a claim that is false somewhere."""


class Open(Rejected):
    """A certificate that says itself which step it leaves open."""


@dataclass(frozen=True)
class Condition:
    """``levels >= 0`` (``> 0`` where strict): the first level, a polynomial, that is not zero decides the sign."""

    levels: tuple[Ratio, ...]
    strict: bool

    @classmethod
    def read(cls, entry: Any, field: Field) -> Condition:
        """From ``[texts of the levels, strict]``."""
        levels, strict = entry
        if not levels or not isinstance(strict, bool):
            raise Rejected(f"expected a condition as [[polynomial, ...], strict], got {entry!r}")
        one = field.context.constant(1)
        return cls(tuple(Ratio(field.polynomial(level), one) for level in levels), strict)

    def spelled(self, field: Field) -> list[Any]:
        return [[field.spelled(level.above) for level in self.levels], self.strict]


Alternatives = Sequence[Sequence[Condition]]
"""Conjunctions of conditions, of which one is claimed to hold."""
Prover = Callable[[Sequence[Condition], Alternatives, Field], Any]
"""Finds the proof that one of the alternatives holds wherever the conditions do, or answers `OPEN` or `REFUTED`."""


class Place:
    """What is known at one place of a proof: facts, each a polynomial and its relation to 0, and the signs that they leave."""

    def __init__(self, field: Field, facts: Sequence[tuple[Polynomial, str]]) -> None:
        self.field, self.facts = field, list(facts)
        self._signs: dict[tuple[tuple[str, bool], ...], set[int]] = {}
        for polynomial, relation in facts:
            found = field.factored(polynomial)
            self._signs[found.key] = self._known(found) & {found.sign * s for s in SIGNS[relation]}

    def signs(self, polynomial: Polynomial) -> set[int]:
        """The signs that it may have here."""
        found = self.field.factored(polynomial)
        return {found.sign * s for s in self._known(found)}

    def _known(self, found: Factored) -> set[int]:
        """The signs that the product of the factors may have: by what is known of it, and of each."""
        signs = {1}
        for factor, odd in zip(found.factors, found.odd, strict=True):
            own = self._signs.get(((str(factor), True),), {-1, 0, 1})
            signs = {a * (b if odd else b * b) for a in signs for b in own}
        return signs & self._signs.get(found.key, {-1, 0, 1})

    def with_fact(self, polynomial: Polynomial, relation: str) -> Place:
        """The same with one fact more, kept as one of >, >= and =."""
        turned = {"<": (-polynomial, ">"), "<=": (-polynomial, ">=")}.get(relation, (polynomial, relation))
        return Place(self.field, [*self.facts, turned])

    def truth(self, condition: Condition) -> bool | None:
        """Whether a condition holds here, None where the signs do not tell."""
        first, rest = condition.levels[0].above, condition.levels[1:]
        signs = self.signs(first)
        if 0 not in signs:
            return None if len(signs) > 1 else signs == {1}
        beyond = self.truth(Condition(rest, condition.strict)) if rest else not condition.strict
        if signs <= {0, 1} and beyond is True:
            return True
        if signs <= {-1, 0} and beyond is False:
            return False
        return beyond if signs == {0} else None

    def is_settled(self, context: Sequence[Condition], alternatives: Alternatives) -> bool:
        """Whether some alternative holds here, or nothing is here at all."""
        return (
            any(not signs for signs in self._signs.values())
            or any(self.truth(condition) is False for condition in context)
            or any(all(self.truth(c) is True for c in conjunction) for conjunction in alternatives)
        )

    def is_impossible(self, terms: Sequence[Any]) -> bool:
        """Whether the terms add up to 0, none negative and one positive."""
        total, positive = self.field.context.constant(0), False
        for text, indices in terms:
            term = coefficient = self.field.polynomial(text)
            relations = set()
            for index in indices:
                polynomial, relation = self.facts[index]
                term = term * polynomial
                relations.add(relation)
            if "=" not in relations:
                if any(c < 0 for c in coefficient.coeffs()):
                    return False
                positive |= relations <= {">"} and not coefficient.is_zero()
            total = total + term
        return positive and bool(total.is_zero())


def facts_of(context: Sequence[Condition]) -> list[tuple[Polynomial, str]]:
    """The conditions of one level as facts, in their order: those that the terms of a proof may multiply."""
    return [(c.levels[0].above, ">" if c.strict else ">=") for c in context if len(c.levels) == 1]


def check_covering(
    context: Sequence[Condition], alternatives: Alternatives, proof: Any, field: Field
) -> None:
    """`Rejected` unless the proof shows that wherever the context holds, one of the alternatives does."""

    def check(place: Place, proof: Any) -> None:
        if place.is_settled(context, alternatives):
            return
        if isinstance(proof, Mapping):
            cases = proof["cases"]
            if frozenset(cases) not in CASES:
                raise Rejected(f"the cases {', '.join(cases)} 0 leave something out")
            polynomial = field.polynomial(proof["on"])
            for relation, rest in cases.items():
                check(place.with_fact(polynomial, relation), rest)
        elif not (isinstance(proof, list) and place.is_impossible(proof)):
            raise Rejected("a proof of a sign does not end")

    check(Place(field, facts_of(context)), proof)


class Signs:
    """Signs of rational functions where conditions hold: by coefficients, by dividing out a condition, or by a proof.

    ``proofs`` are entries ``{"claim": [condition, ...], "proof": tree}``, each claiming that one of its conditions
    holds everywhere, or leaving that `OPEN`. Who writes a certificate passes a ``prover``, which is asked for what
    is not settled, and finds the entries to carry along in ``added``.
    """

    def __init__(
        self,
        field: Field,
        context: Sequence[Condition],
        proofs: Sequence[Any] = (),
        prover: Prover | None = None,
    ) -> None:
        self.field, self.context, self.prover = field, tuple(context), prover
        self._place = Place(field, facts_of(self.context))
        self._known: dict[tuple[Condition, ...], bool] = {}
        self._left_open: set[tuple[Condition, ...]] = set()
        self.added: list[Any] = []
        self.met_open: list[str] = []
        """What was asked and the certificate leaves open."""
        for entry in proofs:
            claim = tuple(Condition.read(condition, field) for condition in entry["claim"])
            self._take(claim, entry["proof"])

    def _take(self, claim: tuple[Condition, ...], proof: Any) -> None:
        if proof == OPEN:
            self._left_open.add(claim)
        else:
            check_covering(self.context, [[condition] for condition in claim], proof, self.field)
            self._known[claim] = True

    def of(self, ratio: Ratio) -> int | None:
        """The sign where it is the same everywhere and proved."""
        for sign in (1, -1):
            if self.holds((ratio if sign == 1 else -ratio,), strict=True):
                return sign
        return 0 if self.holds((ratio,)) and self.holds((-ratio,)) else None

    def holds(self, levels: Sequence[Ratio], *, strict: bool = False) -> bool:
        """Whether ``levels >= 0`` (``> 0``) wherever the conditions hold."""
        rest = [level for level in levels if level]
        if not rest:
            return not strict
        if not all(self._is_nowhere_zero(level.below) for level in rest):
            return False
        one = self.field.context.constant(1)
        cleared = tuple(
            level if level.below.is_one() else Ratio(level.above * level.below, one) for level in rest
        )
        return self._settled((Condition(cleared, strict),))

    def _is_nowhere_zero(self, polynomial: Polynomial) -> bool:
        if sign_of_coefficients(polynomial):
            return True
        one = self.field.context.constant(1)
        return self._settled(
            tuple(Condition((Ratio(polynomial * sign, one),), strict=True) for sign in (1, -1))
        )

    def _settled(self, claim: tuple[Condition, ...]) -> bool:
        if claim not in self._known:
            self._known[claim] = any(self._is_seen(condition) for condition in claim)
            if not self._known[claim] and self.prover is not None:
                self._prove(claim, self.prover)
            if claim in self._left_open:
                self.met_open.append(" or ".join(shown(condition, self.field) for condition in claim))
        return self._known[claim]

    def forget_open(self) -> None:
        """Drop from ``added`` what was asked on the way and was not needed."""
        self.added = [entry for entry in self.added if entry["proof"] != OPEN]

    def _prove(self, claim: tuple[Condition, ...], prover: Prover) -> None:
        proof = prover(self.context, [[condition] for condition in claim], self.field)
        if proof != REFUTED:
            self.added.append({"claim": [c.spelled(self.field) for c in claim], "proof": proof})
            self._take(claim, proof)

    def _is_seen(self, condition: Condition) -> bool:
        told = self._place.truth(condition)
        if told is not None:
            return told
        return len(condition.levels) == 1 and any(_divides(c, condition) for c in self.context)


def _divides(given: Condition, asked: Condition) -> bool:
    """Whether what is asked is a positive multiple of what is given."""
    if len(given.levels) != 1 or not given.levels[0] or (asked.strict and not given.strict):
        return False
    quotient, remainder = divmod(asked.levels[0].above, given.levels[0].above)
    return bool(remainder.is_zero()) and sign_of_coefficients(quotient) == 1


def shown(condition: Condition, field: Field) -> str:
    """A condition in words, ``a > 0 or (a = 0 and ...)``."""
    first, rest = field.spelled(condition.levels[0].above), condition.levels[1:]
    if not rest:
        return f"{first} {'>' if condition.strict else '>='} 0"
    return f"({first} > 0, or {first} = 0 and {shown(Condition(rest, condition.strict), field)})"
