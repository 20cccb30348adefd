"""A second, smaller checker of proofs by the gap rule; it shares no code with the search that found them.

It reads texts with Python's own grammar and computes in flint's polynomials:
an expression is a quotient of polynomials plus quotients times logarithms of
irreducible polynomials. Domains are chains of lower bounds; the variable
``x >= bound`` becomes ``bound + t_x`` with ``t_x >= 0``, so that one substitution covers the domain.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from flint import ctx

from verify.recheck.forms import Domain, Form, Quotient, Rejected, nonnegative, the_claim
from verify.recheck.reader import Reader, parse

Texts = Sequence[tuple[str, str, str]]
"""Relations as (lhs, op, rhs)."""


_KNOWN = ("log", "exp", "sqrt", "binomial", "factorial", "pi", "E")


def recheck(
    relation: tuple[str, str, str],
    domain: Domain,
    certificate: Mapping[str, Any],
    *,
    given: Texts = (),
    strict: Sequence[str] = (),
) -> None:
    """Raise `Rejected` unless the certificate proves the relation on the domain from the given ones.

    ``strict`` are the names whose lower bound does not belong to the domain.
    """
    expected = {"domain", "gap"} if "gap" in certificate else {"domain", "on", "base", "step"}
    expected |= {"open"} if strict else set()
    if set(certificate) != expected:
        raise Rejected(f"expected the entries {', '.join(sorted(expected))}")
    if [list(pair) for pair in domain] != [list(pair) for pair in certificate["domain"]]:
        raise Rejected("the certificate is for another domain")
    if certificate.get("open", []) != list(strict):
        raise Rejected("the certificate is for a domain with other strict bounds")
    names = [name for name, _ in domain]
    reader = Reader(names, strict)
    with the_claim():
        for text in (part for lhs, _, rhs in (relation, *given) for part in (lhs, rhs)):
            if unknown := {n.id for n in ast.walk(parse(text)) if isinstance(n, ast.Name)} - {
                *names,
                *_KNOWN,
            }:
                raise Rejected(f"{', '.join(sorted(unknown))} in {text} is not of the domain")
        gap = reader.gap(relation, reader.places(domain))
        for lemma in given:
            gap = gap.plus(reader.gap(lemma, reader.places(domain)), -1)
    if "gap" in certificate:
        with the_claim():
            gap = gap.elementary()
            _closed(gap, reader)
        _check(gap, certificate["gap"], reader)
        return
    if given:
        raise Rejected("an induction uses no other statement")
    on = certificate["on"]
    if on not in dict(domain) or on in strict:
        raise Rejected(f"there is no variable {on} to induct on")
    with the_claim():
        base = gap.at(reader.parameter(on), reader).elementary()
        _closed(base, reader)
        before = reader.places(domain, beyond=on)
        after = {**before, on: before[on].plus(reader.number(1))}
        step = reader.gap(relation, after).plus(reader.gap(relation, before), -1).elementary()
        _closed(step, reader)
    _check(base, certificate["base"], reader)
    _check(step, certificate["step"], reader)


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
        proved = not _product_at_least_one(form, reader) and _number_is_positive(form, reader)
    elif rule == "end":
        there = form.at(reader.parameter_named(node["variable"]), reader, node["at"])
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
