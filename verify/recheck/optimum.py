"""The certificate of an optimum as a value: ``Minimum(f, x)`` or ``Minimiser(f, x)`` in closed form, over all positive x."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from verify.recheck import posynomials
from verify.recheck.identity import check_equal
from verify.recheck.rejected import Rejected
from verify.recheck.stated import expect_entries, relation_text
from verify.recheck.texts import arguments, called, parse

KIND = "optimum"
OPTIMA = ("Minimum", "Minimiser")
"""The least value of an expression over positive values of a symbol, and where it is taken."""


def reread(certificate: Mapping[str, Any]) -> None:
    """Raise `Rejected` unless the value named is that of the optimum named, by the posynomial certificate inside."""
    expect_entries(certificate, "kind", "relation", "posynomial")
    lhs, op, rhs = certificate["relation"]
    proof = certificate["posynomial"]
    posynomials.reread(proof)
    statement, conclusion = proof["statement"], proof.get("conclusion", {})
    objective, size = _optimum(lhs)
    if op != "==" or statement["sizes"] != [size]:
        raise Rejected(f"expected the optimum over {size} by itself, got {', '.join(statement['sizes'])}")
    asked = [part for part in ("constraints", "assumptions", "small", "bases", "at") if statement[part]]
    if asked:
        raise Rejected(f"the optimum is over all positive {size}, and the proof is about one with {asked[0]}")
    if "value" not in conclusion:
        raise Rejected("the proof names no closed form")
    symbols = [size, *statement["parameters"]]
    check_equal(objective, statement["objective"], symbols)
    value = conclusion["value"] if called(parse(lhs)) == "Minimum" else dict(conclusion["sizes"]).get(size)
    if value is None:
        raise Rejected(f"the proof does not say at which {size} the minimum is taken")
    check_equal(rhs, value, symbols)


def _optimum(text: str) -> tuple[str, str]:
    """The expression and the symbol over which it is minimised."""
    node = parse(text)
    if called(node) not in OPTIMA or len(arguments(node)) != 2:
        raise Rejected(f"{text} is no {' or '.join(OPTIMA)} of an expression over a symbol")
    objective, size = arguments(node)
    if not isinstance(size, ast.Name):
        raise Rejected(f"{ast.unparse(size)} is no symbol to minimise over")
    return ast.unparse(objective), size.id


def shown(certificate: Mapping[str, Any]) -> list[tuple[str, str | None]]:
    """What is proved as a card shows it, for all positive values of its symbols."""
    lhs, op, rhs = certificate["relation"]
    return [(relation_text(lhs, op, rhs), None)]
