"""The certificate of a theorem: its steps, each with a certificate, and the lines by which the kernel makes its conclusion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from verify.recheck import certificates, derivation
from verify.recheck import theorems as kernel
from verify.recheck.rejected import Rejected
from verify.recheck.stated import expect_entries, expect_list, read_stated
from verify.recheck.theorems import Theorem

KIND = "theorem"
CHECKS = ("TheoremHolds",)


def reread(certificate: Mapping[str, Any]) -> None:
    """Raise `Rejected` unless its steps hold and its lines make its conclusion, from all that it names and no more."""
    steps, stated = _derivation(certificate), read_stated(certificate)
    facts = derivation.read_steps(steps, kernel.facts)
    defined, given = (expect_list(certificate[part], part) for part in ("definitions", "given"))
    theorem = replayed(certificate["lines"], facts, defined, given)
    if (theorem.lhs, theorem.op, theorem.rhs) != (
        kernel.spelled(stated.lhs),
        stated.op,
        kernel.spelled(stated.rhs),
    ):
        raise Rejected(f"its lines make {theorem}, and it concludes {stated.text}")
    kernel.check_premises(theorem, stated.domain, stated.integers)
    if (asked := kernel.asked_positive(theorem, stated.domain)) != certificate["symbols"]:
        raise Rejected(
            f"it holds where {', '.join(asked)} are positive, and says so of {certificate['symbols']}"
        )
    if not {*_given(certificate)} <= {*used(theorem)} <= {*lemmas(certificate)}:
        raise Rejected("its conclusion does not rest on just the statements that it names")
    if [[d.symbol, d.formula] for d in kernel.premises_of(theorem, kernel.Defined)] != _definitions(
        certificate
    ):
        raise Rejected("its conclusion does not rest on just the definitions that it names")
    if [u.reason for u in kernel.premises_of(theorem, kernel.Unread)] and not certificates.ask(
        steps, "unread"
    ):
        raise Rejected("it rests on an equality that is not read, and no step lists it")


def replayed(
    lines: Any, facts: Sequence[Sequence[Theorem]], definitions: Sequence[Any], given: Sequence[Any]
) -> Theorem:
    """The theorem of the last line, each line made by its rule from lines before it, and all of them needed."""
    made: list[Theorem] = []
    for line in expect_list(lines, "lines"):
        made.append(_line(line, made, facts, definitions, given))
    if not made:
        raise Rejected("a theorem has lines")
    for part, count in (("line", len(made) - 1), ("definition", len(definitions)), ("given", len(given))):
        needed = {
            line[entry]
            for line in lines
            for entry in ((part, "by") if part == "line" else (part,))
            if entry in line
        }
        if needed != {*range(count)}:
            raise Rejected(f"it has a {part} that nothing needs")
    return made[-1]


def _line(
    line: Mapping[str, Any],
    made: Sequence[Theorem],
    facts: Sequence[Sequence[Theorem]],
    definitions: Sequence[Any],
    given: Sequence[Any],
) -> Theorem:
    def before(entry: str) -> Theorem:
        number = line[entry]
        if type(number) is not int or not 0 <= number < len(made):
            raise Rejected(f"{number!r} is no line before it")
        return made[int(number)]

    match line:
        case {"rule": "step", "step": int(step), "which": int(which), **more} if (
            not more and min(step, which) >= 0
        ):
            return facts[step][which]
        case {"rule": "identity", "lhs": str(lhs), "rhs": str(rhs), **more} if not more:
            return kernel.identical(lhs, rhs)
        case {"rule": "definition", "definition": int(i), **more} if not more and i >= 0:
            return kernel.defined(*definitions[i])
        case {"rule": "given", "given": int(i), **more} if not more and i >= 0:
            return kernel.given(given[i])
        case {"rule": "reflexive", "term": str(term), **more} if not more:
            return kernel.reflexive(term)
        case {"rule": "turn", "line": _, **more} if not more:
            return kernel.turned(before("line"))
        case {"rule": "chain", "line": _, "by": _, **more} if not more:
            return kernel.chained(before("line"), before("by"))
        case {"rule": "rewrite", "line": _, "by": _, **more} if not more:
            return kernel.rewritten(before("line"), before("by"))
        case {"rule": "raise", "line": _, "by": _, **more} if not more:
            return kernel.raised(before("line"), before("by"))
    raise Rejected(f"{line!r} is by no rule")


def used(theorem: Theorem) -> list[tuple[str, str, str]]:
    """The statements that a theorem rests on: name, conclusion and domain."""
    return [(s.statement, s.text, s.where) for s in kernel.premises_of(theorem, kernel.Stated)]


def shown(certificate: Mapping[str, Any]) -> list[tuple[str, str | None]]:
    """What the steps prove, and the conclusion where it is none of them, as a card shows them."""
    steps: list[tuple[str, str | None]] = certificates.ask(_derivation(certificate), "shown")
    text, where = read_stated(certificate).card
    found = [(step, where if step == text else of_step) for step, of_step in steps]
    return found if text in [step for step, _ in steps] else [*found, (text, where)]


def lemmas(certificate: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """The statements that its conclusion is given."""
    of_steps: list[tuple[str, str, str]] = certificates.ask(_derivation(certificate), "lemmas")
    return sorted({*_given(certificate), *of_steps})


def definitions(certificate: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The symbols that its conclusion defines, each with its formula."""
    return [(symbol, formula) for symbol, formula in _definitions(certificate)]


def unread(certificate: Mapping[str, Any]) -> list[str]:
    """The equalities among its steps that are beyond their reader."""
    found: list[str] = certificates.ask(_derivation(certificate), "unread")
    return found


def _given(certificate: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    cards = [read_stated(record).card for record in certificate["given"]]
    return [
        (str(record["statement"]), *card) for record, card in zip(certificate["given"], cards, strict=True)
    ]


def _definitions(certificate: Mapping[str, Any]) -> list[list[str]]:
    return [[symbol, kernel.spelled(formula)] for symbol, formula in sorted(certificate["definitions"])]


def _derivation(certificate: Mapping[str, Any]) -> Mapping[str, Any]:
    expect_entries(
        certificate,
        *("kind", "relation", "domain", "integers", "symbols", "definitions", "given", "steps", "lines"),
    )
    return {"kind": derivation.KIND, "steps": certificate["steps"]}
