"""A second, smaller checker of proofs by the gap rule; it shares no code with the search that found them.

It reads texts with Python's own grammar and computes in flint's polynomials:
an expression is a quotient of polynomials plus quotients times logarithms of
irreducible polynomials. Domains are chains of lower bounds; the variable
``x >= bound`` becomes ``bound + t_x`` with ``t_x >= 0``, so that one substitution covers the domain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flint import ctx

from verify.recheck.forms import Form, Quotient, nonnegative
from verify.recheck.reader import Domain, Reader
from verify.recheck.rejected import Rejected
from verify.recheck.stated import Stated, expect_entries, expect_list, read_stated
from verify.recheck.texts import CONSTANTS, names, parse, the_claim

KIND = "gap rule"
CHECKS = ("GapRule", "PolynomialInequality")
_WAYS = {"<=": ("<=",), ">=": (">=",), "==": ("<=", ">=")}


@dataclass(frozen=True)
class Lemma:
    """A statement that a proof uses, with values ``at`` which it is taken for some of its symbols."""

    statement: str
    stated: Stated
    at: Mapping[str, str]
    conditions: Sequence[Any]

    def value(self, name: str) -> str:
        return self.at.get(name, name)


def reread(certificate: Mapping[str, Any]) -> None:
    """Raise `Rejected` unless the certificate proves what it states from the statements that it is given."""
    expect_entries(certificate, "kind", "relation", "domain", "integers", "given", "proof")
    stated = read_stated(certificate)
    given = [_read_lemma(record) for record in expect_list(certificate["given"], "statements")]
    ways = _WAYS[stated.op]
    proofs = [certificate["proof"]] if len(ways) == 1 else expect_list(certificate["proof"], "proofs")
    if len(proofs) != len(ways):
        raise Rejected(f"expected {len(ways)} proofs, got {len(proofs)}")
    for op, proof in zip(ways, proofs, strict=True):
        recheck(stated.one_way(op), proof, given)


def shown(certificate: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What is proved, and where, as a card shows it."""
    return [read_stated(certificate).card]


def lemmas(certificate: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """The statements that a proof is given: name, conclusion and domain."""
    return [(lemma.statement, *lemma.stated.card) for lemma in map(_read_lemma, certificate["given"])]


def _read_lemma(record: Any) -> Lemma:
    expect_entries(record, "statement", "relation", "domain", "integers", "at", "conditions")
    stated = read_stated(record)
    if stated.op == "==":
        raise Rejected(f"{stated.text}, which is given, is no inequality")
    return Lemma(str(record["statement"]), stated, dict(record["at"]), record["conditions"])


def recheck(stated: Stated, proof: Any, given: Sequence[Lemma] = ()) -> None:
    """Raise `Rejected` unless the proof shows an inequality on its domain from the given ones."""
    reader = Reader(stated.names, stated.strict)
    with the_claim():
        stated.check()
        places = reader.places(stated.bounds)
        gap = reader.gap((stated.lhs, stated.op, stated.rhs), places)
        for lemma in given:
            gap = gap.plus(_gap_of(lemma, stated, reader, places), -1)
    if set(proof) == {"gap"}:
        with the_claim():
            gap = gap.elementary()
            _closed(gap, reader)
        _check(gap, proof["gap"], reader)
        for lemma in given:
            _conditions(lemma, stated, reader, places)
        return
    expect_entries(proof, "on", "base", "step")
    if given:
        raise Rejected("an induction uses no other statement")
    on = proof["on"]
    _check_induction(stated, on)
    with the_claim():
        base = gap.at(reader.parameter(on)).elementary()
        _closed(base, reader)
        before = reader.places(stated.bounds, beyond=on)
        after = {**before, on: before[on].plus(reader.number(1))}
        relation = stated.lhs, stated.op, stated.rhs
        step = reader.gap(relation, after).plus(reader.gap(relation, before), -1).elementary()
        _closed(step, reader)
    _check(base, proof["base"], reader)
    _check(step, proof["step"], reader)


def _check_induction(stated: Stated, on: str) -> None:
    if on not in stated.names or on in stated.strict:
        raise Rejected(f"there is no variable {on} to induct on")
    if set(stated.names) != set(stated.integers) or not all(map(stated.counts, dict(stated.bounds).values())):
        raise Rejected("an induction needs symbols and bounds that are whole numbers")


def _gap_of(lemma: Lemma, stated: Stated, reader: Reader, places: Mapping[str, Quotient]) -> Form:
    """What a given inequality leaves, at the values at which it is taken; these have to be of the kind it is about."""
    lemma.stated.check()
    for name in lemma.stated.integers:
        if not stated.counts(lemma.value(name)):
            raise Rejected(
                f"{lemma.statement} is about integers, and {lemma.value(name)} is not seen to be one"
            )
    there = _values(lemma, reader, places)
    return reader.gap((lemma.stated.lhs, lemma.stated.op, lemma.stated.rhs), there)


def _values(lemma: Lemma, reader: Reader, places: Mapping[str, Quotient]) -> dict[str, Quotient]:
    for text in map(lemma.value, lemma.stated.names):
        if unknown := names(parse(text)) - {*places, *CONSTANTS}:
            raise Rejected(
                f"{', '.join(sorted(unknown))}, at which {lemma.statement} is taken, is not of the domain"
            )
    return {name: reader.rational(lemma.value(name), places) for name in lemma.stated.names}


def _conditions(lemma: Lemma, stated: Stated, reader: Reader, places: Mapping[str, Quotient]) -> None:
    """Each lower bound of a given statement holds at the values at which it is taken."""
    there = _values(lemma, reader, places)
    proofs = expect_list(lemma.conditions, "proofs")
    if len(proofs) != len(lemma.stated.domain):
        raise Rejected(
            f"expected a proof of each of the {len(lemma.stated.domain)} conditions of {lemma.statement}"
        )
    for (name, op, bound), node in zip(lemma.stated.domain, proofs, strict=True):
        with the_claim():
            if op != ">=":
                raise Rejected(f"{lemma.statement} has a strict condition, which is not handled")
            gap = reader.gap((name, ">=", bound), there).elementary()
            _closed(gap, reader)
        _check(gap, node, reader)


def is_continuous(text: str, domain: Domain, strict: Sequence[str] = ()) -> bool:
    """Whether an expression is seen to be continuous on a domain up to the lower bounds that belong to it."""
    reader = Reader([name for name, _ in domain], strict)
    try:
        places = reader.places(domain)
        reader.check_divisors(parse(text), places)
        _closed(reader.form(text, places).elementary(), reader)
    except Rejected:
        return False
    return True


_ENTRIES = {
    "end": {"variable", "at", "there", "slope"},
    "wider": {"variable", "shifted"},
    "split": {"variable", "at", "above", "below"},
}


def _check(form: Form, node: Any, reader: Reader) -> None:
    """Raise unless the node proves that the form is nonnegative on the open orthant."""
    rule = node.get("rule")
    keys = {"claim", "times", "rule"} | _ENTRIES.get(rule, set())
    if set(node) != keys:
        raise Rejected(f"expected the entries {', '.join(sorted(keys))}")
    times = reader.rational(node["times"])
    if not (nonnegative(times.above) and nonnegative(times.below)) or times.is_zero():
        raise Rejected(f"the factor {node['times']} is not seen to be positive")
    if (form.part.is_zero() and not form.logs) and not (times.above.is_one() and times.below.is_one()):
        raise Rejected("0 needs no factor")
    form = form.times(times)
    if not form.equals(reader.form(node["claim"], {})):
        raise Rejected(f"{node['claim']} is not what has to be proved here")
    if not all(nonnegative(c.below) for c in (form.part, *(c for _, c in form.logs.values()))):
        raise Rejected(f"{node['claim']} may have a pole")
    if rule == "coefficients":
        proved = not form.logs and nonnegative(form.part.above) and nonnegative(form.part.below)
    elif rule == "product":
        proved = _product_at_least_one(form, reader)
    elif rule == "number":
        proved = _number_is_positive(form, reader)
    elif rule == "end":
        there = form.at(reader.parameter_named(node["variable"]), node["at"])
        _check(there, node["there"], reader)
        slope = form.slope(node["variable"])
        _check(slope if node["at"] == "0" else slope.times(reader.number(-1)), node["slope"], reader)
        proved = True
    elif rule == "wider":
        lower = Quotient(reader.parameter_named(node["variable"]) - 1, reader.number(1).above)
        _check(form.placed(node["variable"], lower), node["shifted"], reader)
        proved = True
    elif rule == "split":
        at, one = reader.rational(node["at"]), reader.number(1)
        if at.constant() is None or at.is_zero() or not nonnegative(at.above):
            raise Rejected(f"expected a positive number to split at, got {node['at']}")
        step = Quotient(reader.parameter_named(node["variable"]), one.above)
        _check(form.placed(node["variable"], at.plus(step)), node["above"], reader)
        _check(form.placed(node["variable"], at.over(one.plus(step))), node["below"], reader)
        proved = True
    else:
        raise Rejected(f"there is no rule {rule!r}")
    if not proved:
        raise Rejected(f"{rule} does not prove {node['claim']} >= 0")


def _closed(form: Form, reader: Reader) -> None:
    """Raise unless the form extends continuously (with x log x = 0 at 0) to where variables may be 0."""
    for base, c in form.logs.values():
        # where the argument reaches 0, x log x is continuous and log x is not
        reaches_zero = reader.at_origin(base).is_zero()
        part = c.over(Quotient(base, base * 0 + 1)) if reaches_zero else c
        if reader.at_origin(part.below).is_zero() or not nonnegative(part.below):
            raise Rejected(f"the factor of log({base}) may be unbounded at the edge of the domain")
    if reader.at_origin(form.part.below).is_zero() or not nonnegative(form.part.below):
        raise Rejected("the rational part may be unbounded at the edge of the domain")


def _product_at_least_one(form: Form, reader: Reader) -> bool:
    if not form.part.is_zero() or not form.logs:
        return False
    powers = [(base, c.constant()) for base, c in form.logs.values()]
    scale = 1
    for _, power in powers:
        if power is None:
            return False
        scale *= power.denominator
    above = below = reader.number(1).above
    for base, power in powers:
        assert power is not None
        whole = int(power * scale)
        above, below = (above * base**whole, below) if whole > 0 else (above, below * base**-whole)
    return nonnegative(above - below)


def _number_is_positive(form: Form, reader: Reader) -> bool:
    before = ctx.prec
    ctx.prec = 200
    try:
        total = reader.ball(form.part)
        for base, c in form.logs.values():
            total += reader.ball(c) * reader.ball(Quotient(base, base * 0 + 1)).log()
        return bool(total > 0)
    finally:
        ctx.prec = before
